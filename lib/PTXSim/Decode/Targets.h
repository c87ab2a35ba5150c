// Minimum .target and .version of every instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_DECODE_TARGETS_H
#define PTXSIM_DECODE_TARGETS_H

#include "lib/PTXSim/Parse/AST.h"

namespace ptxsim {

/// Parsed target, e.g. sm_90a is {90, 'a'}.
struct TargetChip {
  unsigned number = 0;
  char suffix = 0; ///< 'a': that chip only, 'f': its family, 0: that and later chips
};

/// Parses the first word of a .target line; number 0 if no such target exists.
TargetChip parseTarget(std::string_view word);
/// Throws Error(Syntax) if .version or .target does not exist, or if the version is too old for the
/// target.
void checkVersionAndTarget(const ModuleImpl &module);
/// Requirement that the module does not meet, e.g. "needs .target sm_90 or later, but got sm_80";
/// empty if all are met.
std::string missingFeature(const ModuleImpl &module, std::string_view base,
                           const std::vector<std::string_view> &modifiers);
/// Requirement of a module or function directive, or of a special register.
std::string missingFeature(const ModuleImpl &module, std::string_view name);

} // namespace ptxsim
#endif
