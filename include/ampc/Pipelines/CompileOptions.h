// Options of a compilation, in one table for the driver, the pipelines of ampc-opt and reports.
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
/// Values of all options. Initializers are the defaults; getOptionDefinitions() has the help texts.
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
  bool bytecode =
      false; ///< accept MLIR bytecode as model; its reader is not hardened against malformed input
  std::string
      dataRoot; ///< root folder that must contain all files of `#train.data`; empty: any folder
  bool explain = false;
  std::string explained; ///< regular expression that selects remarks; empty: all remarks are shown
  std::string chunkedLosses = "auto";
  std::string winograd = "2";
  bool fuse = true;
  std::string packWeights = "auto";
  std::string loops = "merge";
  bool fusePacks = true;
  bool recompute = true;
  std::string activationBudget;               ///< empty: no limit
  std::vector<std::string> targets = {"cpu"}; ///< in order of preference
  std::vector<std::string> tiers;
  bool noCache = false;
  bool observe = false;
  bool dataTotals = false;
  std::string ranks = "1"; ///< number of processes that train the model together
  bool policyCosts = false;
};

/// Audience of an option.
enum class OptionScope {
  User,     ///< on the command line
  Hidden,   ///< on the command line, but not in the help: for tests that compare bits
  Internal, ///< set by the tools; on a command line only in ampc-opt
};

using OptionMember = std::variant<std::string CompileOptions::*, bool CompileOptions::*,
                                  std::vector<std::string> CompileOptions::*>;

/// Definition of one option. A list option may be given several times.
struct OptionDefinition {
  OptionMember member;
  OptionScope scope;
  llvm::StringLiteral name; ///< name on command lines
  llvm::StringLiteral
      placeholder; ///< placeholder of the value in the help; empty: the default for the type
  llvm::StringLiteral help;      ///< help text, with the unit
  llvm::StringLiteral reportKey; ///< key among the `options` of JSON reports; empty: not reported
  std::vector<std::string> (*allowedValues)(); ///< null: any value

  /// Help text with allowed values and default.
  std::string helpText() const;
};

/// All options in the order of checking.
llvm::ArrayRef<OptionDefinition> getOptionDefinitions();
/// Checks that each option has an allowed value; the error describes the first violation.
llvm::Error checkValues(const CompileOptions &options);
/// Rows per chunk of a chunked loss: 0 for `auto`, or the given number; nothing for `off` and for
/// invalid text.
std::optional<int64_t> parseChunkedLosses(llvm::StringRef text);
/// Number of ranks, 1 to 4096; nothing for other text.
std::optional<int64_t> parseRanks(llvm::StringRef text);
/// Error "expected --NAME=A|B, but got VALUE", unless the value is allowed.
llvm::Error checkValue(llvm::StringRef name, llvm::StringRef value,
                       llvm::ArrayRef<std::string> allowed);
/// JSON object of the options, as shown in reports.
llvm::json::Object toJson(const CompileOptions &options);
} // namespace ampc
#endif
