// Values of a function on their way from train to kernel, and the rules per family of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_TRAINTOKERNEL_CONVERTER_H
#define LIB_CONVERSION_TRAINTOKERNEL_CONVERTER_H

#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
/// A value as readers see it: a tensor through a map from the value's indices to the tensor's, or
/// one literal for all elements. Transposes and broadcasts are such maps, no kernels.
struct Access {
  mlir::Value tensor;
  mlir::AffineMap map;
  mlir::TypedAttr literal;
  mlir::RankedTensorType type; ///< of the value
};

/// Fills a body: scalars of the inputs, widened, to scalars of the results, not yet rounded.
using BodyBuilder =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(ScalarBuilder &, mlir::ValueRange)>;

/// Builds the program of one function.
class Converter {
public:
  Converter(mlir::OpBuilder &builder) : builder(builder) {}
  mlir::OpBuilder &builder;

  bool known(mlir::Value value) const { return values.contains(value); }
  Access access(mlir::Value value) const { return values.lookup(value); }
  void set(mlir::Value value, const Access &access) { values[value] = access; }
  void set(mlir::Value value, mlir::Value tensor) { values[value] = whole(tensor); }
  Access whole(mlir::Value tensor);
  /// The value as a tensor of its own type, by a view or a copy if it is not one.
  mlir::Value tensor(mlir::Value value);
  mlir::Value tensor(mlir::Location loc, Access access);
  /// The same elements in the same order. Views and splits of dimensions cost nothing; other
  /// permuted data is copied first.
  Access reshape(mlir::Location loc, Access access, llvm::ArrayRef<int64_t> shape);
  mlir::Value view(mlir::Location loc, mlir::Value tensor, llvm::ArrayRef<int64_t> shape);
  /// An operand of a contraction: a tensor and a projected permutation from the value's indices.
  Access projection(mlir::Location loc, Access access);

  /// A kernel.map with results `types`; `maps` go from the space to the values.
  mlir::Operation *map(mlir::Location loc, mlir::TypeRange types, llvm::ArrayRef<Access> inputs,
                       llvm::ArrayRef<mlir::AffineMap> maps, llvm::ArrayRef<int64_t> space,
                       llvm::ArrayRef<mlir::AffineMap> resultMaps, BodyBuilder build);
  /// The same with a copy of the body of `like`, which a call with such inputs made. Null if it
  /// does not fit: some of them are one tensor, or of other types.
  mlir::Operation *mapLike(kernel::MapOp like, mlir::Location loc, mlir::TypeRange types,
                           llvm::ArrayRef<Access> inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                           llvm::ArrayRef<int64_t> space,
                           llvm::ArrayRef<mlir::AffineMap> resultMaps);
  /// A kernel.reduce over a space [outer, reduced, inner]; results are accumulators.
  mlir::Operation *reduce(mlir::Location loc, mlir::Type type, Access input, mlir::AffineMap map,
                          llvm::ArrayRef<int64_t> space, kernel::Combine combine);
  /// Gives a kernel with leading arguments `lead` the body that yields them, rounded to its
  /// results.
  void addPlainBody(mlir::Operation *op, mlir::TypeRange lead);

private:
  struct Inputs;
  kernel::MapOp createMap(mlir::Location loc, mlir::TypeRange types, const Inputs &inputs,
                          llvm::ArrayRef<int64_t> space,
                          llvm::ArrayRef<mlir::AffineMap> resultMaps);
  void addBody(mlir::Operation *op, const Inputs &inputs, int64_t rowLength, BodyBuilder build);

  llvm::DenseMap<mlir::Value, Access> values;
};

/// Rules, asked in order; the first that succeeds has converted the op.
class Families {
public:
  template <typename Op> void add(llvm::LogicalResult (*rule)(Op, Converter &)) {
    rules.push_back([rule](mlir::Operation *op, Converter &converter) {
      auto typed = mlir::dyn_cast<Op>(op);
      return typed && mlir::succeeded(rule(typed, converter));
    });
  }
  bool convert(mlir::Operation *op, Converter &converter) const {
    return llvm::any_of(rules, [&](auto &rule) { return rule(op, converter); });
  }

private:
  llvm::SmallVector<std::function<bool(mlir::Operation *, Converter &)>> rules;
};

void addShapeRules(Families &families);
void addReductionRules(Families &families);
void addContractionRules(Families &families);
void addConvolutionRules(Families &families);
void addAttentionRules(Families &families);
void addMarkRules(Families &families);
void addMoveRules(Families &families);
void addScalarRules(Families &families);

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
/// 16-bit floats are for storage; bodies compute in at least f32.
inline mlir::Type computeType(mlir::Type storage) {
  bool narrow = mlir::isa<mlir::FloatType>(storage) && storage.getIntOrFloatBitWidth() < 32;
  return narrow ? mlir::Float32Type::get(storage.getContext()) : storage;
}
/// What scalar code on elements of these types computes its real numbers in.
mlir::Type bodyType(mlir::TypeRange elements, mlir::MLIRContext *context);
/// A stored scalar as bodies compute with it.
Value widen(mlir::OpBuilder &builder, Value value);
/// The types that a contraction multiplies its operands in, if the precision phase said so.
inline mlir::ArrayAttr modeOf(mlir::Operation *op) {
  return op->getAttrOfType<mlir::ArrayAttr>("amp.compute");
}
/// The product of some sizes.
inline int64_t product(llvm::ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}
} // namespace ampc
#endif
