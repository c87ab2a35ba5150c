// Replies to the editor: those of MLIR's language server, extended by ampc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc-lsp-server/Replies.h"
#include "ampc/Support/Reference.h"
#include "ampc/Support/Terminal.h"
#include "tools/Version.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <string>
#include <unistd.h>
#include <utility>

using namespace llvm;
using namespace ampc;

static void writeAll(int file, StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return; // the editor is gone
    text = text.drop_front(written);
  }
}

/// Adds the reference page to a hover over an op, which MLIR starts with the op's name in quotes.
static void addReference(json::Object &contents) {
  std::optional<StringRef> text = contents.getString("value");
  if (!text || !text->starts_with("\""))
    return;
  StringRef documentation = documentationOf(text->drop_front().split('"').first);
  // Cuts the sections on compiler internals, which follow the sections for users.
  for (StringRef heading :
       {"Range:", "Scalar code:", "Adjoint:", "Traits:", "Interfaces:", "#### "})
    documentation = documentation.take_front(documentation.find(("\n" + heading).str())).rtrim();
  if (!documentation.empty())
    contents["value"] = text->str() + "\n---\n" + documentation.str() + "\n";
}

/// Message with the additions.
static std::string complete(StringRef message) {
  Expected<json::Value> parsed = json::parse(message);
  if (!parsed) {
    consumeError(parsed.takeError());
    return message.str();
  }
  json::Object *whole = parsed->getAsObject();
  json::Object *result = whole ? whole->getObject("result") : nullptr;
  if (!result)
    return message.str();
  if (json::Object *server = result->getObject("serverInfo")) {
    (*server)["name"] = "ampc-lsp-server";
    (*server)["version"] = version;
  } else if (json::Object *contents = result->getObject("contents")) {
    addReference(*contents);
  } else {
    return message.str();
  }
  bool isPretty = message.contains('\n');
  return isPretty ? formatv("{0:2}", *parsed).str() : formatv("{0}", *parsed).str();
}

/// Forwards the complete messages at the front of `received`.
static void forward(std::string &received, int output) {
  for (;;) {
    StringRef rest = received;
    size_t head = rest.find("\r\n\r\n"), length = 0;
    StringRef before = rest.take_front(head), number = before.rsplit("Content-Length:").second;
    if (head == StringRef::npos || number.trim().getAsInteger(10, length) ||
        rest.size() < head + 4 + length)
      return;
    std::string message = complete(rest.substr(head + 4, length));
    writeAll(output, "Content-Length: " + std::to_string(message.size()) + "\r\n\r\n" + message);
    received.erase(0, head + 4 + length);
  }
}

static void warn() {
  messages() << "ampc-lsp-server: warning: expected the system to start a thread for replies, but "
                "got none: hovers come without the reference on ops\n";
}

Replies::Replies() {
  int ends[2];
  if (::pipe(ends) != 0) {
    warn();
    return;
  }
  input = ends[0];
  output = ::dup(STDOUT_FILENO);
  if (output < 0 || ::pthread_create(&worker, nullptr, work, this) != 0) {
    for (int file : {ends[0], ends[1], output})
      ::close(file);
    output = -1;
    warn();
    return;
  }
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[1]);
}

void *Replies::work(void *replies) {
  auto [input, output] =
      std::pair(static_cast<Replies *>(replies)->input, static_cast<Replies *>(replies)->output);
  std::string received;
  char part[4096];
  for (ssize_t count; (count = ::read(input, part, sizeof part)) != 0;) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      break;
    received.append(part, count);
    forward(received, output);
  }
  writeAll(output, received); // other output, such as help
  ::close(input);
  return nullptr;
}

Replies::~Replies() {
  if (output < 0)
    return;
  outs().flush();
  ::dup2(output, STDOUT_FILENO); // closes the pipe, which ends the worker
  ::pthread_join(worker, nullptr);
  ::close(output);
}
