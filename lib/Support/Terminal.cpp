// Standard error and standard output for text of models, files and users.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Terminal.h"
#include "ampc/Support/RecordedMessages.h"
#include "ampc/Support/Shown.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <utility>

using namespace ampc;

/// Whether `text` is an incomplete UTF-8 sequence. Example: "\xE2\x82" of the euro sign.
static bool isBegun(llvm::StringRef text) {
  auto isContinuation = [](char c) { return (c & 0xC0) == 0x80; };
  return text.size() < ampc_utf8_length(text[0]) && llvm::all_of(text.drop_front(), isContinuation);
}

RecordedMessages::RecordedMessages(std::string &to) { messages().copyTo(&to); }
RecordedMessages::~RecordedMessages() { messages().copyTo(nullptr); }

void ShowingStream::write_impl(const char *text, size_t length) {
  if (copy)
    copy->append(text, length);
  std::string joined;
  llvm::StringRef rest(text, length);
  if (!begun.empty()) {
    joined = std::exchange(begun, {}) + rest.str();
    rest = joined;
  }
  while (!rest.empty()) {
    // Most text is printable ASCII, newlines and tabs: written at once.
    llvm::StringRef plain =
        rest.take_while([](char c) { return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t'; });
    to << plain;
    rest = rest.drop_front(plain.size());
    if (rest.empty())
      return;
    if (isBegun(rest)) {
      begun = rest.str();
      return;
    }
    char spelled[AMPC_SHOWN_MOST];
    size_t written;
    rest = rest.drop_front(ampc_show(rest.data(), rest.size(), spelled, &written));
    to.write(spelled, written);
  }
}

ShowingStream &ampc::messages() {
  static ShowingStream stream(llvm::errs());
  return stream;
}

llvm::raw_ostream &ampc::results() {
  static ShowingStream stream(llvm::outs());
  return stream;
}
