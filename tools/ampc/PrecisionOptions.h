// Options on precision that several commands share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PRECISIONOPTIONS_H
#define TOOLS_AMPC_PRECISIONOPTIONS_H

#include "ampc/Pipelines/Pipelines.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// One instance per command, beside its definition.
class PrecisionOptions {
public:
  explicit PrecisionOptions(llvm::cl::SubCommand &command);
  /// What was asked for; an error in words if it makes no sense.
  llvm::Expected<CompileOptions> get() const;
  /// Whether the command line has any of the options.
  bool areGiven() const;

private:
  llvm::Error checkTogether() const;

  llvm::cl::opt<std::string> precision, level, policy, policyFile, lossScaling, profile;
  llvm::cl::list<std::string> overrides, edits;
  llvm::cl::opt<bool> masterWeights, fuse;
  llvm::cl::opt<std::string> packWeights;
  llvm::cl::opt<bool> fusePacks, explain;
};

/// The same compilation without any rounding that the options ask for.
CompileOptions inF32(CompileOptions options);
} // namespace ampc
#endif
