// Loops over rows and vectors, for kernels without a body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_LOOPS_H
#define LIB_CODEGEN_CPU_LOOPS_H

#include "lib/Codegen/CPU/KernelEmitter.h"

namespace ampc::cpu {

/// Vectors over [0, length): `body` receives the first position and the number of active lanes.
/// Example: length 20, 16 lanes -> (0, 16), (16, 4).
void forVectors(KernelEmitter &e, int64_t length, int64_t lanes,
                llvm::function_ref<void(mlir::Value, int64_t)> body);
/// Copies `length` consecutive elements between positions.
void copyRow(KernelEmitter &e, mlir::Type element, mlir::Value to, mlir::Value toPosition,
             mlir::Value from, mlir::Value fromPosition, int64_t length);
/// Sets `length` consecutive elements.
void fillRow(KernelEmitter &e, mlir::Type element, double value, mlir::Value to,
             mlir::Value position, int64_t length);
/// 0 <= x < limit, for x and limit of one integer type.
mlir::Value within(KernelEmitter &e, mlir::Value x, mlir::Value limit);
/// Rows of `length` elements per task: about 8192 elements outweigh the hand-over to a thread.
inline int64_t rowsPerTask(int64_t length) {
  return std::max<int64_t>(1, 8192 / std::max<int64_t>(1, length));
}
/// Number of tasks of rowsPerTask rows; the last task may have fewer.
inline int64_t tasksOfRows(int64_t rows, int64_t length) {
  return llvm::divideCeil(rows, rowsPerTask(length));
}
/// Loops over the rows of the tasks [begin, end).
void forRowsOfTasks(KernelEmitter &e, mlir::Value begin, mlir::Value end, int64_t rows,
                    int64_t length, llvm::function_ref<void(mlir::Value)> body);

} // namespace ampc::cpu
#endif
