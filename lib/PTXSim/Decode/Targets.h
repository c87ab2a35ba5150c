// What an instruction needs of .target and .version.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_DECODE_TARGETS_H
#define PTXSIM_DECODE_TARGETS_H

#include "lib/PTXSim/Parse/AST.h"

namespace ptxsim {

/// sm_90a is {90, 'a'}.
struct TargetChip {
  unsigned number = 0;
  char suffix = 0; ///< 'a': that chip only, 'f': its family, 0: it and all later ones
};

/// A .target line's first word; number 0 when there is no such target.
TargetChip parseTarget(std::string_view word);
/// Throws Error(Syntax) for a .version or .target that does not exist, or that do not go together.
void checkVersionAndTarget(const ModuleImpl &module);
/// What the instruction lacks, as "needs .target sm_90 or later, but got sm_80", or nothing.
std::string missingFeature(const ModuleImpl &module, std::string_view base,
                           const std::vector<std::string_view> &modifiers);
/// The same for module and function directives and for special registers.
std::string missingFeature(const ModuleImpl &module, std::string_view name);

} // namespace ptxsim
#endif
