// Kernels evaluated point by point, with nothing in common with code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_INTERPRETER_H
#define TEST_LIB_KERNELRUN_INTERPRETER_H

#include "mlir-dialects/Kernel/MultiMap.h"

namespace ampc::test {

/// An element of any type: floats in `real`, integers and bools in `whole`.
struct Element {
  double real = 0;
  int64_t whole = 0;
  double terms = 0; ///< magnitudes of the terms of a sum, if kernels may round each term
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
/// Sum that a contraction passes to the body at a point of the domain, in f64 and without blocking.
double sumAt(mlir::Operation *op, llvm::ArrayRef<Elements> operands, llvm::ArrayRef<int64_t> point);

/// Results of a kernel; false if the op or the body is unknown.
bool interpret(FusedKernelOpInterface op, llvm::ArrayRef<Elements> inputs,
               std::vector<Elements> &results);
void attention(kernel::AttentionOp op, llvm::ArrayRef<Elements> inputs,
               std::vector<Elements> &results);
void attentionGrad(kernel::AttentionGradOp op, llvm::ArrayRef<Elements> inputs,
                   std::vector<Elements> &results);
/// Results of a kernel without a body; false if unknown.
bool interpretData(mlir::Operation *op, llvm::ArrayRef<Elements> inputs,
                   std::vector<Elements> &results);

/// Results of all members.
bool interpretMembers(kernel::MultiMapOp op, llvm::ArrayRef<Elements> inputs,
                      std::vector<Elements> &results);

/// Results of the kernel inside, then reductions over the stored results.
bool interpretReductions(kernel::FusedReductionOp op, llvm::ArrayRef<Elements> inputs,
                         std::vector<Elements> &results);

} // namespace ampc::test
#endif
