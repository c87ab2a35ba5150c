// Options on precision that several commands share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/PrecisionOptions.h"
#include "ampc/Support/Text.h"
#include "llvm/Support/Error.h"

using namespace ampc;
namespace cl = llvm::cl;

PrecisionOptions::PrecisionOptions(cl::SubCommand &command)
    : precision("precision",
                cl::desc("f64, f32 (default), bf16 or f16: the latter two mixed with f32; tf32 and "
                         "fp8 are modes of contractions on GPUs"),
                cl::init("f32"), cl::sub(command)),
      level("amp-level",
            cl::desc("O0: f32; O1: policy autocast; O2: policy mincut; O3: policy narrow, no "
                     "master weights, no loss scaling"),
            cl::value_desc("LEVEL"), cl::sub(command)),
      policy("policy",
             cl::desc(
                 "which values are 16 bits: mincut (default), autocast, autocast-cpu, propagate or "
                 "narrow (all tensors)"),
             cl::init("mincut"), cl::sub(command)),
      policyFile("policy-file",
                 cl::desc("lines for the policy's table: OPS = TREATMENT, name REGEX = TYPE"),
                 cl::value_desc("FILE"), cl::sub(command)),
      lossScaling("loss-scaling",
                  cl::desc("constants of steps without a scaler of their own: torch (default), tf, "
                           "apex, paddle or none"),
                  cl::init("torch"), cl::sub(command)),
      profile(
          "precision-profile",
          cl::desc("with --precision=f16 or bf16: types and first loss scale from a file of ampc "
                   "profile"),
          cl::value_desc("FILE"), cl::sub(command)),
      overrides("precision-override",
                cl::desc("type of the ops whose name matches: f32, bf16, f16, or for GPUs the mode "
                         "tf32, fp8, f8E4M3FN or f8E5M2"),
                cl::value_desc("REGEX=TYPE"), cl::sub(command)),
      edits("policy-edit", cl::desc("one line of the policy's table"),
            cl::value_desc("OP=TREATMENT"), cl::sub(command)),
      masterWeights("master-weights", cl::desc("keep parameters in f32 (default: true)"),
                    cl::init(true), cl::sub(command)),
      fuse("fuse", cl::desc("false: one kernel per op, for tests that compare bits"),
           cl::init(true), cl::ReallyHidden, cl::sub(command)),
      packWeights("pack-weights", cl::desc("auto, always or never, for tests that compare bits"),
                  cl::init("auto"), cl::ReallyHidden, cl::sub(command)),
      fusePacks("fuse-packs", cl::desc("false: packed weights are written by kernels of their own"),
                cl::init(true), cl::ReallyHidden, cl::sub(command)),
      explain("explain-precision", cl::desc("a remark for every decision and every inserted cast"),
              cl::sub(command)) {}

bool PrecisionOptions::areGiven() const {
  using Reference = std::reference_wrapper<const cl::Option>; // a list's & gives its elements
  return llvm::any_of(std::initializer_list<Reference>{precision, level, policy, policyFile,
                                                       lossScaling, profile, overrides, edits,
                                                       masterWeights, explain},
                      [](const cl::Option &option) { return option.getNumOccurrences() > 0; });
}

static llvm::Error mistake(const llvm::Twine &message) {
  return llvm::createStringError(message.str().c_str());
}

static llvm::Error oneOf(llvm::StringRef option, llvm::StringRef value,
                         llvm::ArrayRef<llvm::StringRef> allowed) {
  if (llvm::is_contained(allowed, value))
    return llvm::Error::success();
  return mistake("expected --" + option + "=" + llvm::join(allowed, "|") + ", but got " +
                 shown(value));
}

/// What each option allows alone, but not beside another one.
llvm::Error PrecisionOptions::checkTogether() const {
  for (const cl::opt<std::string> *file : {&policyFile, &profile})
    if (file->getNumOccurrences() && file->empty())
      return mistake("expected --" + file->ArgStr + "=FILE, but got \"\"");
  if (!level.empty() && policy.getNumOccurrences())
    return mistake("expected --amp-level, which has a policy, or --policy, but got both");
  if (!profile.empty() && ((precision != "f16" && precision != "bf16") || level == "O0"))
    return mistake("expected --precision=f16 or bf16 with --precision-profile, which says what "
                   "fits those, but got " +
                   (level == "O0" ? "--amp-level=O0" : "--precision=" + precision));
  using Reference = std::reference_wrapper<const cl::Option>; // a list's & gives its elements
  for (const cl::Option &option : std::initializer_list<Reference>{overrides, edits, policyFile})
    if (precision == "f64" && option.getNumOccurrences())
      return mistake("expected a --precision below f64, where nothing is rounded, with --" +
                     option.ArgStr + ", but got --precision=f64");
  return llvm::Error::success();
}

llvm::Expected<CompileOptions> PrecisionOptions::get() const {
  if (llvm::Error error =
          oneOf("precision", precision, {"f64", "f32", "bf16", "f16", "tf32", "fp8"}))
    return std::move(error);
  if (llvm::Error error =
          oneOf("policy", policy, {"mincut", "autocast", "autocast-cpu", "propagate", "narrow"}))
    return std::move(error);
  if (llvm::Error error =
          oneOf("loss-scaling", lossScaling, {"torch", "tf", "apex", "paddle", "none"}))
    return std::move(error);
  if (llvm::Error error = oneOf("pack-weights", packWeights, {"auto", "always", "never"}))
    return std::move(error);
  if (level.getNumOccurrences())
    if (llvm::Error error = oneOf("amp-level", level, {"O0", "O1", "O2", "O3"}))
      return std::move(error);
  if (llvm::Error error = checkTogether())
    return std::move(error);
  CompileOptions options;
  options.profile = profile;
  options.precision = precision;
  options.policy = policy;
  options.policyFile = policyFile;
  options.lossScaling = lossScaling;
  options.precisionOverrides.assign(overrides.begin(), overrides.end());
  options.policyEdits.assign(edits.begin(), edits.end());
  options.masterWeights = masterWeights;
  options.fuse = fuse;
  options.packWeights = packWeights;
  options.fusePacks = fusePacks;
  options.explain = explain;
  if (level == "O0")
    options.precision = "f32";
  else if (level == "O1")
    options.policy = "autocast";
  else if (level == "O3") {
    options.policy = "narrow";
    options.masterWeights = false;
    options.lossScaling = "none";
  }
  return options;
}

CompileOptions ampc::inF32(CompileOptions options) {
  options.precision = "f32";
  options.profile.clear();
  options.precisionOverrides.clear();
  options.policyEdits.clear();
  options.policyFile.clear();
  options.masterWeights = true;
  options.explain = false;
  return options;
}
