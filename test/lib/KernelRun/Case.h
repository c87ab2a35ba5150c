// A kernel with data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_CASE_H
#define TEST_LIB_KERNELRUN_CASE_H

#include "test/lib/KernelRun/DeviceRun.h"
#include "test/lib/KernelRun/Interpreter.h"
#include "test/lib/KernelRun/Loader.h"

namespace ampc::test {

using Buffers = std::vector<std::unique_ptr<GuardedBuffer>>;

/// Code of a kernel in a tier.
struct Code {
  KernelFunction function, finish;
  int64_t tasks, finishTasks, scratchBytes, workspaceBytes;
  llvm::SmallVector<int64_t> moves; ///< see movesOf

  void run(void *const *pointers, bool backwards = false) const;
};

inline mlir::Type elementOf(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type).getElementType();
}
inline int64_t countOf(mlir::Type type) {
  return mlir::cast<mlir::RankedTensorType>(type).getNumElements();
}
/// Offsets in bytes from the operands' starts to the addresses passed to the code; `record`: the
/// row of `kernel.functions`.
llvm::SmallVector<int64_t> movesOf(mlir::Operation *op, mlir::DictionaryAttr record);
/// Adds reductions to a kernel that supports reductions.
void addReductions(KernelOpInterface kernel);
double attribute(mlir::Operation *op, llvm::StringRef name, double otherwise);

class Case {
public:
  using CodeOf = llvm::function_ref<Code(mlir::Operation *)>;
  /// `codeOf` finds the kernel.pack of an operand.
  Case(mlir::Operation *op, CodeOf codeOf);
  /// Packed results are made of the expected matrix by the `codeOf` a kernel.pack.
  bool expect(CodeOf codeOf);
  /// Largest error, relative to 1 + |expected|; nullopt if the run depends on the order of tasks or
  /// writes outside the results. `pairs`: the kernel may round a factor of each term, and the error
  /// is relative to the terms' magnitudes as well.
  std::optional<double> run(const Code &code, bool pairs);
  double nanoseconds(const Code &code);

  /// Runs on a device, where results must not depend on the order of warps; errors go to `wrong`.
  /// With `same`, results must equal that code's, bit for bit.
  std::optional<double> run(DeviceProgram &device, llvm::ArrayRef<DeviceLaunch> launches,
                            const Code *same, bool pairs, std::string &wrong);
  /// Counts a run; returns an error, or "".
  std::string count(DeviceProgram &device, llvm::ArrayRef<DeviceLaunch> launches,
                    DeviceCounters &counters) {
    Buffers results = makeResults(mlir::cast<KernelOpInterface>(op).getWorkspaceBytes());
    return runOnce(device, launches, results, /*strict=*/false, &counters);
  }

private:
  static void writeHalf(char *at, bool isLeft, int64_t i, bool finiteOnly, mlir::Value value);
  bool interpret();
  bool packExpected(CodeOf codeOf);
  Buffers makeResults(int64_t workspaceBytes);
  std::vector<void *> pointers(const Buffers &results, const Code &code);
  double compare(const Buffers &results, bool pairs);
  std::string runOnce(DeviceProgram &device, llvm::ArrayRef<DeviceLaunch> launches,
                      const Buffers &results, bool strict, DeviceCounters *counters = nullptr);
  std::string differences(const Buffers &results, const Buffers &others);

  mlir::Operation *op;
  Buffers buffers;
  std::vector<Elements> inputs, expected;
  llvm::DenseMap<unsigned, std::unique_ptr<GuardedBuffer>> expectedBytes; // of packed results
};

} // namespace ampc::test
#endif
