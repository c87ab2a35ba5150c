// Code of a tier on a processor that lacks it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_LOWERTIER_H
#define TEST_LIB_KERNELRUN_LOWERTIER_H

#include "lib/Target/CPU/Tier.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace ampc::test {

/// The same LLVM IR for the instructions of `tier`: LLVM cuts wide vectors, a tile is a pointer,
/// and intrinsics of tiles are functions that give a new one. It computes the same sums in the same
/// order. Fails if the module has other intrinsics of a processor.
llvm::Expected<std::unique_ptr<llvm::Module>> lowerTier(const llvm::Module &module,
                                                        const cpu::Tier &tier);
/// The functions, for objects of such modules.
llvm::Error defineTileFunctions(llvm::orc::LLJIT &jit);
bool isTileFunction(llvm::StringRef name);

} // namespace ampc::test
#endif
