// Constants of an exported graph: weights and literals, transposed and reshaped, e.g. [out, in] ->
// [in, out].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_CONSTANTS_H
#define LIB_EXPORT_ONNX_CONSTANTS_H

#include "ampc/Data/Array.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ampc::exporting {
using Dims = llvm::SmallVector<int64_t, 6>;

/// ONNX element type of an MLIR type, e.g. bf16 -> BFLOAT16; nothing for types that ONNX lacks.
std::optional<Element> elementOf(mlir::Type element);

Array arrayOf(llvm::ArrayRef<int64_t> numbers);
Array arrayOf(double number, mlir::Type element);
/// Elements of a dense attribute; nothing for other attributes, such as resources.
std::optional<Array> arrayOf(mlir::ElementsAttr attribute);
/// Array with converted elements; nothing, and a message, if an element has no value in the type.
std::optional<Array> converted(const Array &from, mlir::Type element, std::string &error);
/// Transpose: dimension i of the result is dimension order[i] of `from`.
Array transposed(const Array &from, llvm::ArrayRef<int64_t> order);
/// The first of the equal slices along a dimension, which stays, with size 1.
Array firstAlong(const Array &from, int64_t dim);
/// First dimension of that size along which all slices are equal, or -1.
int64_t repeatedDimension(const Array &array, int64_t size);
Array reshaped(Array array, llvm::ArrayRef<int64_t> dims);

bool isIdentity(llvm::ArrayRef<int64_t> order);
Dims identity(int64_t rank);
/// Positions of the numbers of `order` in `of`.
Dims positions(llvm::ArrayRef<int64_t> order, llvm::ArrayRef<int64_t> of);
} // namespace ampc::exporting
#endif
