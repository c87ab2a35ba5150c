// What can be chosen about a compilation. The driver, the pipelines of ampc-opt and reports share
// one table of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_COMPILEOPTIONS_H
#define AMPC_PIPELINES_COMPILEOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ampc {
/// The initializers are the defaults; getOptionDefinitions() says what each means.
struct CompileOptions {
  std::string precision = "f32";
  std::string policy = "mincut";
  std::string policyFile;
  std::vector<std::string> precisionOverrides;
  std::vector<std::string> policyEdits;
  std::string lossScaling = "torch";
  bool masterWeights = true;
  std::string profile;
  std::vector<std::string> freeze;
  bool bytecode = false; ///< a model may be MLIR bytecode, whose reader is not hardened
  std::string dataRoot;  ///< the folder that holds all files of `#train.data`; empty: any folder
  bool explain = false;
  std::string explained; ///< a regular expression that remarks have to match; empty: all are shown
  std::string chunkedLosses = "auto";
  std::string winograd = "2";
  bool fuse = true;
  std::string packWeights = "auto";
  bool fusePacks = true;
  bool recompute = true;
  std::string activationBudget;               ///< empty: no limit
  std::vector<std::string> targets = {"cpu"}; ///< in order of preference
  std::vector<std::string> tiers;
  bool observe = false;
  bool dataTotals = false;
  bool policyCosts = false;
};

/// Who chooses.
enum class OptionScope {
  User,     ///< on the command line
  Hidden,   ///< on the command line, but not in its help: for tests that compare bits
  Internal, ///< the tools themselves; among command lines only that of ampc-opt has it
};

using OptionMember = std::variant<std::string CompileOptions::*, bool CompileOptions::*,
                                  std::vector<std::string> CompileOptions::*>;

/// One option of a compilation. A list may be given several times.
struct OptionDefinition {
  OptionMember member;
  OptionScope scope;
  llvm::StringLiteral name;        ///< on command lines
  llvm::StringLiteral placeholder; ///< of its value in help; empty: the usual one for the type
  llvm::StringLiteral help;        ///< of what, with its unit
  llvm::StringLiteral reportKey;   ///< among the `options` of JSON reports; empty: not there
  std::vector<std::string> (*allowedValues)(); ///< null: any value

  /// With allowed values and default.
  std::string helpText() const;
};

/// All options, in the order in which they are checked.
llvm::ArrayRef<OptionDefinition> getOptionDefinitions();
/// Whether each option has an allowed value; an error in words for the first that has not.
llvm::Error checkValues(const CompileOptions &options);
/// The rows of `auto` (0) or of a number; nothing for `off`, and for what is no value of it.
std::optional<int64_t> parseChunkedLosses(llvm::StringRef text);
/// "expected --NAME=A|B, but got VALUE", unless the value is one of those allowed.
llvm::Error checkValue(llvm::StringRef name, llvm::StringRef value,
                       llvm::ArrayRef<std::string> allowed);
/// What a report says of them.
llvm::json::Object toJson(const CompileOptions &options);
} // namespace ampc
#endif
