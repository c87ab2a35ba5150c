// Numbers that are known when a model is exported: weights and constants, in other orders and
// shapes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_CONSTANTS_H
#define LIB_EXPORT_ONNX_CONSTANTS_H

#include "ampc/Data/Array.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ampc::exporting {
using Dims = llvm::SmallVector<int64_t, 6>;

/// The type of files for one of models; nothing for one that files lack.
std::optional<Element> elementOf(mlir::Type element);

Array arrayOf(llvm::ArrayRef<int64_t> numbers);
Array arrayOf(double number, mlir::Type element);
/// Nothing unless the attribute holds its elements.
std::optional<Array> arrayOf(mlir::ElementsAttr attribute);
/// The elements are converted; nothing with a message if one has no value in the type.
std::optional<Array> converted(const Array &from, mlir::Type element, std::string &error);
/// Dimension i of the result is dimension order[i].
Array transposed(const Array &from, llvm::ArrayRef<int64_t> order);
/// The first of the equal parts along a dimension, which stays, of size 1.
Array firstAlong(const Array &from, int64_t dim);
/// The first dimension of that size along which all parts are equal, or -1.
int64_t repeatedDimension(const Array &array, int64_t size);
Array reshaped(Array array, llvm::ArrayRef<int64_t> dims);

bool isIdentity(llvm::ArrayRef<int64_t> order);
Dims identity(int64_t rank);
/// Where each number of `order` stands in `of`.
Dims positions(llvm::ArrayRef<int64_t> order, llvm::ArrayRef<int64_t> of);
} // namespace ampc::exporting
#endif
