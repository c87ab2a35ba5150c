// Command-line errors in the style of ampc's messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/CommandLine.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Commands.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdio>
#include <unistd.h>

using namespace ampc;
namespace cl = llvm::cl;

/// Options of the command, those with the length of the misspelt word first, since equal length
/// suggests a closer match.
static std::vector<llvm::StringRef> optionNames(llvm::StringRef command, size_t length) {
  std::vector<llvm::StringRef> names;
  for (cl::SubCommand *known : cl::getRegisteredSubcommands())
    if (known->getName() == command)
      for (const auto &[name, option] : known->OptionsMap)
        names.push_back(name);
  llvm::sort(names, [&](llvm::StringRef a, llvm::StringRef b) {
    return std::pair(a.size() != length, a) < std::pair(b.size() != length, b);
  });
  return names;
}

static void explainUnknown(llvm::StringRef word, llvm::StringRef command) {
  llvm::StringRef name = word.ltrim('-');
  std::string best = nearest(name, optionNames(command, name.size()));
  fail("expected an option of ampc " + command + ", but got " + word +
       (best.empty() ? "; ampc help " + command.str() + " lists all options"
                     : "; did you mean --" + best + "?"));
}

/// Explains a message of a parser, e.g. "'three' value invalid for whole number of at least 0
/// argument!".
static void explainOption(llvm::StringRef name, llvm::StringRef said, llvm::StringRef command) {
  auto [value, type] = said.split(" value invalid for ");
  if (!type.empty()) {
    type.consume_back(" argument!");
    bool isReal = type.starts_with("floating") || type == "number", isInterval = type == "interval";
    fail("expected " + name + " of " +
         (isReal       ? "a number"
          : isInterval ? "steps or seconds, as in 100 or 600s"
                       : "a " + type.str()) +
         ", but got " + value.trim('\''));
  } else if (said.contains(" is invalid value for boolean")) {
    fail("expected " + name + " of true or false, but got " + said.split(" is ").first.trim('\''));
  } else if (said.starts_with("requires a value")) {
    fail("expected a value behind " + name + ", but got none");
  } else if (said.starts_with("may only occur")) {
    fail("expected " + name + " once, but got the option twice");
  } else if (said.consume_front("Cannot find option named '")) {
    fail("expected a value of " + name + " that ampc help " + command + " lists, but got " +
         said.split('\'').first);
  } else {
    fail(name + ": " + said.rtrim('!'));
  }
}

/// Whether the next word is the value of this option.
static bool takesNext(llvm::StringRef word, llvm::StringRef command) {
  for (cl::SubCommand *known : cl::getRegisteredSubcommands())
    if (known->getName() == command)
      if (const cl::Option *option = known->OptionsMap.lookup(word.ltrim('-')))
        return option->getValueExpectedFlag() == cl::ValueRequired;
  return false;
}

/// Words after the command that are neither options nor values.
static std::vector<llvm::StringRef> freeWords(llvm::ArrayRef<const char *> words) {
  std::vector<llvm::StringRef> free;
  llvm::StringRef command = words[1];
  for (size_t i = 2; i < words.size(); ++i) {
    llvm::StringRef word = words[i];
    if (!word.starts_with("-") || word == "-")
      free.push_back(word);
    else if (takesNext(word, command))
      ++i;
  }
  return free;
}

/// Explains the first of LLVM's messages; the rest are often consequences.
static void explain(llvm::StringRef said, llvm::ArrayRef<const char *> words) {
  llvm::StringRef command = words[1];
  llvm::StringRef line = said.split('\n').first.split(": ").second;
  if (line.consume_front("Unknown command line argument '"))
    return explainUnknown(line.split('\'').first.split('=').first, command);
  if (line.consume_front("for the ")) {
    auto [name, rest] = line.split(" option: ");
    return explainOption(name, rest, command);
  }
  if (line.starts_with("Not enough positional"))
    fail("expected a model, as in ampc " + command + " MODEL.mlir, but got none");
  else if (line.starts_with("Too many positional"))
    fail("expected one model and options, but got " + llvm::join(freeWords(words), " and "));
  else
    fail(line);
}

namespace {
/// Captures standard error, where LLVM's value parsers write.
class Caught {
public:
  Caught() : file(std::tmpfile()), before(file ? ::dup(STDERR_FILENO) : -1) {
    if (before >= 0)
      ::dup2(fileno(file), STDERR_FILENO);
  }
  std::string take() {
    std::string text;
    if (before >= 0) {
      ::dup2(before, STDERR_FILENO);
      ::close(before);
      char part[512];
      std::rewind(file);
      while (size_t count = std::fread(part, 1, sizeof part, file))
        text.append(part, count);
    }
    if (file)
      std::fclose(file);
    return text;
  }

private:
  std::FILE *file;
  int before;
};
} // namespace

std::string ampc::quotedWord(llvm::StringRef word) {
  auto isPlain = [](char c) {
    return llvm::isAlnum(c) || llvm::StringRef("-_=./:,@%+").contains(c);
  };
  if (!word.empty() && llvm::all_of(word, isPlain))
    return word.str();
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string ampc::commandWithout(llvm::ArrayRef<llvm::StringRef> options) {
  std::string text;
  for (size_t i = 0; i < commandLine.size(); ++i) {
    llvm::StringRef word = commandLine[i], name = word.ltrim('-').split('=').first;
    if (word.starts_with("-") && llvm::is_contained(options, name)) {
      i += !word.contains('='); // skips the value in the next word
      continue;
    }
    text += (text.empty() ? "" : " ") + quotedWord(word);
  }
  return text;
}

bool ampc::readCommandLine(llvm::ArrayRef<const char *> words, llvm::StringRef overview) {
  std::string said;
  llvm::raw_string_ostream os(said);
  Caught caught;
  bool isGood = cl::ParseCommandLineOptions(words.size(), words.data(), overview, &os);
  said = caught.take() + said;
  if (!isGood)
    explain(said, words);
  else
    messages() << said;
  return isGood;
}
