// Table of commands and options, read from the command-line parser, in four notations: man page,
// bash, zsh, fish.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Manual.h"
#include "tools/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include <vector>

using namespace ampc;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {
struct Option {
  std::string name;        // "precision"
  std::string value;       // "f32|bf16", empty for a flag
  std::string description; // "type of products"
};
struct Command {
  std::string name, description;
  std::vector<Option> options; // by name
};
} // namespace

/// `text` with every `from` replaced by `to`.
static std::string replaced(StringRef text, StringRef from, StringRef to) {
  llvm::SmallVector<StringRef> parts;
  text.split(parts, from);
  return llvm::join(parts, to);
}

static std::vector<Option> optionsOf(cl::SubCommand &command) {
  std::vector<Option> options;
  for (const auto &entry : command.OptionsMap) {
    const cl::Option &option = *entry.second;
    if (option.getOptionHiddenFlag() != cl::NotHidden)
      continue;
    bool isFlag = option.getValueExpectedFlag() == cl::ValueDisallowed ||
                  (option.getValueExpectedFlag() == cl::ValueOptional && option.ValueStr.empty());
    std::string value = isFlag ? "" : option.ValueStr.empty() ? "value" : option.ValueStr.str();
    options.push_back({entry.first.str(), value, replaced(option.HelpStr, "\n", " ")});
  }
  llvm::sort(options, [](const Option &a, const Option &b) { return a.name < b.name; });
  return options;
}

static std::vector<Command> allCommands() {
  std::vector<Command> commands;
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (!command->getName().empty())
      commands.push_back(
          {command->getName().str(), command->getDescription().str(), optionsOf(*command)});
  llvm::sort(commands, [](const Command &a, const Command &b) { return a.name < b.name; });
  return commands;
}

static std::string namesOf(llvm::ArrayRef<Command> commands) {
  return llvm::join(llvm::map_range(commands, [](const Command &command) { return command.name; }),
                    " ");
}

/// Word in single quotes of bash and zsh; a quote inside becomes '\''.
static std::string quoted(StringRef text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

/// Text of a man page: backslashes, hyphens and a leading dot are requests of roff, and are
/// escaped.
static std::string roff(StringRef text) {
  std::string plain = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  return (plain[0] == '.' || plain[0] == '\'' ? "\\&" : "") + plain;
}

static void printMan(llvm::ArrayRef<Command> commands, llvm::raw_ostream &os) {
  os << ".TH AMPC 1 \"\" \"ampc " << version << "\"\n.SH NAME\nampc \\- compiles a model into the "
     << "program that trains it\n.SH SYNOPSIS\n.B ampc\n.I COMMAND MODEL.mlir\n[options]\n"
     << ".SH COMMANDS\n";
  for (const Command &command : commands)
    os << ".TP\n.B " << roff(command.name) << "\n" << roff(command.description) << "\n";
  for (const Command &command : commands) {
    os << ".SH OPTIONS OF " << roff(StringRef(command.name).upper()) << "\n";
    for (const Option &option : command.options) {
      os << ".TP\n\\fB" << roff("--" + option.name) << "\\fR";
      if (!option.value.empty())
        os << "=\\fI" << roff(option.value) << "\\fR";
      os << "\n" << (option.description.empty() ? "\\&" : roff(option.description)) << "\n";
    }
  }
}

static void printBash(llvm::ArrayRef<Command> commands, llvm::raw_ostream &os) {
  os << "# bash completion of ampc\n_ampc() {\n"
     << "  local current=${COMP_WORDS[COMP_CWORD]} words=\n  COMPREPLY=()\n"
     << "  if [ \"$COMP_CWORD\" = 1 ]; then\n    words=" << quoted(namesOf(commands))
     << "\n  elif [[ $current = -* ]]; then\n    case ${COMP_WORDS[1]} in\n";
  for (const Command &command : commands) {
    std::vector<std::string> words;
    for (const Option &option : command.options)
      words.push_back("--" + option.name + (option.value.empty() ? "" : "="));
    os << "      " << command.name << ") words=" << quoted(llvm::join(words, " ")) << " ;;\n";
  }
  os << "    esac\n  fi\n  [ -n \"$words\" ] || return 0\n"
     << "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
     << "  [[ ${COMPREPLY[0]} = *= ]] && compopt -o nospace 2>/dev/null\n  return 0\n}\n"
     << "complete -o default -F _ampc ampc\n";
}

static void printZsh(llvm::ArrayRef<Command> commands, llvm::raw_ostream &os) {
  os << "#compdef ampc\nlocal -a words_of_ampc\nif (( CURRENT == 2 )); then\n  words_of_ampc=(\n";
  for (const Command &command : commands)
    os << "    " << quoted(command.name + ":" + command.description) << "\n";
  os << "  )\n  _describe command words_of_ampc\nelse\n  case $words[2] in\n";
  for (const Command &command : commands) {
    os << "    " << command.name << ") words_of_ampc=(\n";
    for (const Option &option : command.options)
      os << "      " << quoted("--" + option.name + ":" + option.description) << "\n";
    os << "    ) ;;\n";
  }
  os << "  esac\n  _describe -o option words_of_ampc\nfi\n_files\n";
}

static void printFish(llvm::ArrayRef<Command> commands, llvm::raw_ostream &os) {
  auto fishQuoted = [](StringRef text) { // with \' and \\ as the escapes
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
  };
  for (const Command &command : commands)
    os << "complete -c ampc -n __fish_use_subcommand -a " << command.name << " -d "
       << fishQuoted(command.description) << "\n";
  for (const Command &command : commands)
    for (const Option &option : command.options)
      os << "complete -c ampc -n '__fish_seen_subcommand_from " << command.name << "' -l "
         << option.name << (option.value.empty() ? "" : " -r") << " -d "
         << fishQuoted(option.description) << "\n";
}

bool ampc::printManual(StringRef kind, llvm::raw_ostream &os) {
  const std::pair<StringRef, void (*)(llvm::ArrayRef<Command>, llvm::raw_ostream &)> forms[] = {
      {"man", printMan}, {"bash", printBash}, {"zsh", printZsh}, {"fish", printFish}};
  for (auto [name, print] : forms)
    if (name == kind) {
      print(allCommands(), os);
      return true;
    }
  return false;
}
