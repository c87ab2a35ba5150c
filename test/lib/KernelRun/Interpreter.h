// Kernels evaluated point by point, with nothing in common with code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_INTERPRETER_H
#define TEST_LIB_KERNELRUN_INTERPRETER_H

#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::test {

/// An element of any type: floats in `real`, integers and bools in `whole`.
struct Element {
  double real = 0;
  int64_t whole = 0;
  double terms = 0; ///< magnitudes of the terms of a sum, where kernels may round each of them
};

/// Elements of a tensor in row-major order.
using Elements = std::vector<Element>;

int64_t bytesOf(mlir::Type element);
Element readElement(const char *at, mlir::Type element);
void writeElement(char *at, mlir::Type element, Element value);

/// Where a map puts a point in a tensor, in row-major order. Strides of maps without divisions are
/// kept: composing maps point by point took most of the time of tests.
int64_t positionIn(mlir::Attribute map, mlir::Type tensor, llvm::ArrayRef<int64_t> point);

/// Whether `sumAt` knows the op.
bool canSum(mlir::Operation *op);
/// The sum that a contraction hands to its body at a point of its space, in f64 and without
/// blocking.
double sumAt(mlir::Operation *op, llvm::ArrayRef<Elements> operands, llvm::ArrayRef<int64_t> point);

/// Results of a kernel; false if the op or its body is not known here.
bool interpret(FusedKernelOpInterface op, llvm::ArrayRef<Elements> inputs,
               std::vector<Elements> &results);
void attention(kernel::AttentionOp op, llvm::ArrayRef<Elements> inputs,
               std::vector<Elements> &results);
void attentionGrad(kernel::AttentionGradOp op, llvm::ArrayRef<Elements> inputs,
                   std::vector<Elements> &results);
/// The same for kernels without a body.
bool interpretData(mlir::Operation *op, llvm::ArrayRef<Elements> inputs,
                   std::vector<Elements> &results);

/// The kernel inside, then each total over its results as they are stored.
bool interpretTotals(kernel::WithTotalsOp op, llvm::ArrayRef<Elements> inputs,
                     std::vector<Elements> &results);

} // namespace ampc::test
#endif
