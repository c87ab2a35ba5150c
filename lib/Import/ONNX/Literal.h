// Small tensors that are known while a graph is imported, and arithmetic on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_LITERAL_H
#define LIB_IMPORT_ONNX_LITERAL_H

#include "lib/Import/ONNX/Wire.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ampc::onnx {
using Dims = llvm::SmallVector<int64_t>;

/// The product; at most `mostElements` + 1.
int64_t countOf(llvm::ArrayRef<int64_t> dims);
/// Larger tensors are not worth knowing: shapes are small.
constexpr int64_t mostElements = 1 << 20;

/// Row-major. Reals are in `reals`, rounded to their type; everything else in `ints`.
struct Literal {
  Type type = Type::I64;
  Dims dims;
  std::vector<int64_t> ints;
  std::vector<double> reals;

  Literal() = default;
  Literal(Type type, llvm::ArrayRef<int64_t> dims);
  static Literal of(llvm::ArrayRef<int64_t> numbers); ///< i64, rank 1
  static Literal scalar(Type type, double value);
  static Literal scalar(int64_t value);

  bool isReal() const { return onnx::isReal(type); }
  int64_t count() const { return isReal() ? reals.size() : ints.size(); }
  double real(int64_t i) const { return isReal() ? reals[i] : double(ints[i]); }
  int64_t integer(int64_t i) const;
  void set(int64_t i, double value);
  void set(int64_t i, int64_t value);
  /// Element `from` of another literal of this type.
  void copy(int64_t i, const Literal &other, int64_t from);
  bool allEqual() const;
};

/// Nothing for tensors without data or with too many elements.
std::optional<Literal> readLiteral(const Tensor &tensor);
/// Rounds to a real type.
double roundTo(Type type, double value);
/// A file has the f32 next to what was written, 1.0e-5 as 9.99999974737875164e-06: the shortest
/// decimal number that is rounded to the same, or `rounded` itself if it has more digits.
double shortest(float rounded, int mostDigits);

/// Positions of a shape in row-major order, as numbers of elements of an operand that is broadcast
/// to it.
struct Broadcast {
  Broadcast(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> result);
  int64_t at(int64_t position) const;

private:
  Dims result, strides;
};
/// The shape that both broadcast to; nothing if there is none.
std::optional<Dims> broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// Distances between elements along each dimension.
Dims stridesOf(llvm::ArrayRef<int64_t> dims);
/// Element i of the result is element `from(position)` of x; positions are row-major.
Literal rearranged(const Literal &x, llvm::ArrayRef<int64_t> dims,
                   llvm::function_ref<int64_t(llvm::ArrayRef<int64_t> position)> from);
} // namespace ampc::onnx
#endif
