// Small tensors known at import, and arithmetic on the elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_LITERAL_H
#define LIB_IMPORT_ONNX_LITERAL_H

#include "lib/Import/ONNX/Wire.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace ampc::onnx {
using Dims = llvm::SmallVector<int64_t>;

/// Product of the sizes, at most `mostElements` + 1.
int64_t countOf(llvm::ArrayRef<int64_t> dims);
/// Largest literal in elements; larger tensors are data, not shapes.
constexpr int64_t mostElements = 1 << 20;

/// A known tensor, row-major. Reals are in `reals`, rounded to the type; other types are in `ints`.
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
  /// Copies element `from` of another literal of the type.
  void copy(int64_t i, const Literal &other, int64_t from);
  bool allEqual() const;
};

/// Literal of a tensor; nothing for tensors without data or with too many elements.
std::optional<Literal> readLiteral(const Tensor &tensor);
/// Rounds to a real type.
double roundTo(Type type, double value);
/// Number that the file's author wrote: the shortest decimal that rounds to the same f32, e.g.
/// 9.99999974737875164e-06 -> 1.0e-5, or `rounded` itself if that decimal has more digits.
double shortest(float rounded, int mostDigits);

/// Map from row-major positions of a shape to element numbers of a broadcast operand.
struct Broadcast {
  Broadcast(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> result);
  int64_t at(int64_t position) const;

private:
  Dims result, strides;
};
/// Common broadcast shape, [2, 1] x [3] -> [2, 3]; nothing if there is none.
std::optional<Dims> broadcastShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
/// Row-major strides: [2, 3, 4] -> [12, 4, 1].
Dims stridesOf(llvm::ArrayRef<int64_t> dims);
/// Literal whose element i is element `from(position)` of x; positions are row-major.
Literal rearranged(const Literal &x, llvm::ArrayRef<int64_t> dims,
                   llvm::function_ref<int64_t(llvm::ArrayRef<int64_t> position)> from);
} // namespace ampc::onnx
#endif
