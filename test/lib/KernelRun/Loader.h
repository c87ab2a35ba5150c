// Compiled tiers in this process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_LOADER_H
#define TEST_LIB_KERNELRUN_LOADER_H

#include "lib/Codegen/CPU/Tier.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

namespace ampc::test {

/// Same as in the runtime's tables.
using KernelFunction = void (*)(void *const *operands, int64_t begin, int64_t end, void *scratch);

/// Whether this processor runs the tier's instructions.
bool isNative(const cpu::Tier &tier);
/// Whether the processor runs the tier, with AMX emulated and wide vectors split if missing.
bool canRun(const cpu::Tier &tier);

/// A lowered tier module as an object file. `forHost`: for `load`.
llvm::Expected<llvm::SmallVector<char, 0>> compile(mlir::ModuleOp tierModule, bool forHost = false);
/// Links a lowered tier module into this process. `calls`: the object's undefined symbols, sorted.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> load(mlir::ModuleOp tierModule,
                                                       std::vector<std::string> &calls);

/// Memory that ends right before an unmapped page and starts after a known pattern.
class GuardedBuffer {
public:
  explicit GuardedBuffer(int64_t bytes);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer &) = delete;
  char *data() const { return start; }
  /// Whether the bytes before the start are unchanged.
  bool isIntact() const;

private:
  char *mapping, *start;
  int64_t mapped;
};

} // namespace ampc::test
#endif
