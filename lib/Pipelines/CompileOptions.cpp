// The table of compile options: name, type, default and help text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/CompileOptions.h"
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Precision/ActivationBudget.h"
#include "ampc/Precision/Policy.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "ampc/Train/Ranks.h"
#include "lib/Pipelines/OnTargets.h"
#include "mlir-dialects/Amp/Amp.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace ampc;
using Names = std::vector<std::string>;

static Names policies() {
  Names names;
  for (const std::unique_ptr<PrecisionPolicy> &policy : getPolicies())
    names.push_back(policy->getName().str());
  return names;
}

static Names scalings() {
  Names names;
  for (llvm::StringRef preset : amp::ScalingAttr::getPresetNames())
    names.push_back(preset.str());
  names.push_back("none");
  return names;
}

llvm::ArrayRef<OptionDefinition> ampc::getOptionDefinitions() {
  using O = CompileOptions;
  static const OptionDefinition table[] = {
      {&O::precision, OptionScope::User, "precision", "",
       "bf16 and f16 are mixed with f32, tf32 is a mode of contractions on GPUs", "precision",
       [] { return Names{"f64", "f32", "bf16", "f16", "tf32"}; }},
      {&O::policy, OptionScope::User, "policy", "", "rule that chooses 16-bit values", "policy",
       policies},
      {&O::lossScaling, OptionScope::User, "loss-scaling", "",
       "constants for steps without an amp.scaler", "loss_scaling", scalings},
      {&O::policyFile, OptionScope::User, "policy-file", "FILE",
       "lines for the policy's table: OPS = TREATMENT, name REGEX = TYPE", "policy_file", nullptr},
      {&O::precisionOverrides, OptionScope::User, "precision-override", "REGEX=TYPE",
       "type of ops with a matching name: f32, bf16, f16, or for GPUs the mode tf32", "overrides",
       nullptr},
      {&O::policyEdits, OptionScope::User, "policy-edit", "OP=TREATMENT",
       "a line for the policy's table", "edits", nullptr},
      {&O::profile, OptionScope::User, "precision-profile", "FILE",
       "with --precision=f16 or bf16: types and first loss scale from a file of ampc profile", "",
       nullptr},
      {&O::masterWeights, OptionScope::User, "master-weights", "",
       "keep parameters in f32; false: round parameters to 16 bits after every update",
       "master_weights", nullptr},
      {&O::activationBudget, OptionScope::User, "activation-budget", "BYTES|PERCENT",
       "most bytes of residuals of a step, as in 800MB, or 50% of the residuals without a budget; "
       "the rest is recomputed",
       "activation_budget", nullptr},
      {&O::freeze, OptionScope::User, "freeze", "PATTERN",
       "parameters that no step changes, as names with * and ?", "freeze", nullptr},
      {&O::bytecode, OptionScope::User, "bytecode", "",
       "accept a model as MLIR bytecode: only from a source you trust, since a damaged file can "
       "crash MLIR's reader or run code",
       "", nullptr},
      {&O::dataRoot, OptionScope::User, "data-root", "DIR",
       "refuse a model whose #train.data names a file outside of this folder, links followed", "",
       nullptr},
      {&O::explain, OptionScope::User, "explain-precision", "",
       "a remark for every decision and every inserted cast; =REGEX: matching remarks only", "",
       nullptr},
      {&O::chunkedLosses, OptionScope::User, "chunked-losses", "auto|off|ROWS",
       "compute losses over large vocabularies in chunks of rows, without a tensor of all scores; "
       "ROWS: least rows of a chunk",
       "chunked_losses", nullptr},
      {&O::winograd, OptionScope::User, "winograd", "",
       "outputs along each side of a Winograd tile, for 3x3 convolutions in f32 where Winograd is "
       "faster; rounding differs from direct convolutions, with 4 by more than the bound of plain "
       "sums",
       "winograd", [] { return Names{"off", "2", "4"}; }},
      {&O::packWeights, OptionScope::Hidden, "pack-weights", "",
       "whether weights get packed copies, for tests that compare bits", "",
       [] { return Names{"auto", "always", "never"}; }},
      {&O::loops, OptionScope::Hidden, "loops", "",
       "merge: loops are differentiated as loops, work of all rounds is merged, short loops are "
       "unrolled; keep: all loops stay up to the kernels; unroll: none; for tests of bits",
       "", [] { return Names{"merge", "keep", "unroll"}; }},
      {&O::fuse, OptionScope::Hidden, "fuse", "", "false: one kernel per op", "", nullptr},
      {&O::fusePacks, OptionScope::Hidden, "fuse-packs", "",
       "false: separate kernels write packed weights", "", nullptr},
      {&O::recompute, OptionScope::Internal, "recompute", "",
       "false: cheap values are kept for the backward pass", "", nullptr},
      {&O::targets, OptionScope::User, "target", "LIST",
       "targets, in order of preference: cpu (default), sm_80 and other GPUs, or reference, plain "
       "loops",
       "", nullptr},
      {&O::tiers, OptionScope::User, "tiers", "LIST",
       "tiers of the targets to write code for, as in avx2,avx512 (default: all): the library runs "
       "only on processors with at least one of the tiers",
       "", nullptr},
      {&O::ranks, OptionScope::User, "ranks", "N",
       "number of processes that train the model together, each on different rows: N ranks compute "
       "the bits of one process with N micro-batches (default: 1)",
       "ranks", nullptr},
      {&O::noCache, OptionScope::User, "no-cache", "",
       "compile anew, without the cache of AMPC_CACHE", "", nullptr},
      {&O::observe, OptionScope::Internal, "observe", "",
       "every value of a step is a result of the step's program", "", nullptr},
      {&O::dataTotals, OptionScope::Internal, "data-totals", "",
       "evaluations return the batch's terms of the loss over all data", "", nullptr},
      {&O::policyCosts, OptionScope::Internal, "policy-costs", "",
       "attach the costs of each policy to programs", "", nullptr},
  };
  return table;
}

std::string OptionDefinition::helpText() const {
  auto *text = std::get_if<std::string CompileOptions::*>(&member);
  if (text && allowedValues) {
    Names values = allowedValues();
    for (std::string &value : values)
      if (value == CompileOptions().*(*text))
        value += " (default)";
    return joinWords(values) + ": " + help.str();
  }
  auto *flag = std::get_if<bool CompileOptions::*>(&member);
  return help.str() + (flag && CompileOptions().*(*flag) ? " (default: true)" : "");
}

llvm::Error ampc::checkValue(llvm::StringRef name, llvm::StringRef value,
                             llvm::ArrayRef<std::string> allowed) {
  if (llvm::is_contained(allowed, value))
    return llvm::Error::success();
  std::string why = name == "precision" && value == "fp8" ? ", which no target multiplies in yet"
                                                          : didYouMean(value, allowed);
  return llvm::createStringError("expected --" + name + "=" + llvm::join(allowed, "|") +
                                 ", but got " + shown(value) + why);
}

std::optional<int64_t> ampc::parseChunkedLosses(llvm::StringRef text) {
  int64_t rows = 0;
  if (text != "auto" && (text.getAsInteger(10, rows) || rows < 1))
    return {};
  return rows;
}

std::optional<int64_t> ampc::parseRanks(llvm::StringRef text) {
  int64_t ranks = 0;
  if (text.getAsInteger(10, ranks) || ranks < 1 || ranks > mostRanks)
    return {};
  return ranks;
}

static llvm::Error checkRanks(const CompileOptions &options) {
  std::optional<int64_t> ranks = parseRanks(options.ranks);
  if (!ranks)
    return llvm::createStringError("expected --ranks to be 1 to " + std::to_string(mostRanks) +
                                   ", but got " + shown(options.ranks));
  for (const std::string &target : options.targets)
    if (*ranks > 1 && target != "cpu")
      return llvm::createStringError("expected --target=cpu with --ranks=" + options.ranks +
                                     ", but got " + shown(target) +
                                     ": exchanges run in memory of the host");
  return llvm::Error::success();
}

llvm::Error ampc::checkValues(const CompileOptions &options) {
  for (const OptionDefinition &option : getOptionDefinitions())
    if (auto *text = std::get_if<std::string CompileOptions::*>(&option.member);
        text && option.allowedValues)
      if (llvm::Error error = checkValue(option.name, options.*(*text), option.allowedValues()))
        return error;
  bool hasTargets = expectedTargets(options.targets).empty();
  if (std::string expected = expectedTiers(options.tiers, options.targets);
      hasTargets && !expected.empty())
    return llvm::createStringError("expected --tiers to be " + expected);
  if (!options.activationBudget.empty())
    if (llvm::Error error = ActivationBudget::parse(options.activationBudget).takeError())
      return llvm::createStringError("--activation-budget: " + llvm::toString(std::move(error)));
  if (options.chunkedLosses != "off" && !parseChunkedLosses(options.chunkedLosses))
    return llvm::createStringError("expected --chunked-losses=auto|off|ROWS, but got " +
                                   shown(options.chunkedLosses));
  return checkRanks(options);
}

llvm::json::Object ampc::toJson(const CompileOptions &options) {
  llvm::json::Object object;
  for (const OptionDefinition &option : getOptionDefinitions())
    if (!option.reportKey.empty())
      std::visit(
          [&](auto member) { object[option.reportKey] = llvm::json::Value(options.*member); },
          option.member);
  return object;
}
