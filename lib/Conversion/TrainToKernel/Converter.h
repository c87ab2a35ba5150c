// Conversion of values from train to kernel, and the conversion rules per family of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_TRAINTOKERNEL_CONVERTER_H
#define LIB_CONVERSION_TRAINTOKERNEL_CONVERTER_H

#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
/// Access to a value: a tensor and an indexing map from the value's indices to the tensor's, or a
/// literal for all elements. Transposes and broadcasts are maps, without a kernel. Example: the
/// transpose of a tensor [2, 3] is `tensor` with the map (d0, d1) -> (d1, d0).
struct Access {
  mlir::Value tensor;
  mlir::AffineMap map;
  mlir::TypedAttr literal;
  mlir::RankedTensorType type; ///< of the value
};

/// Builds the body of a kernel: widened scalars of the inputs -> scalars of the results, not yet
/// rounded.
using BodyBuilder =
    llvm::function_ref<llvm::SmallVector<mlir::Value>(ScalarBuilder &, mlir::ValueRange)>;
/// Body of a copy, which rounds or widens to the types of the results.
inline llvm::SmallVector<mlir::Value> copyElements(ScalarBuilder &, mlir::ValueRange x) {
  return llvm::SmallVector<mlir::Value>(x);
}

/// Builds the kernel program of a function.
class Converter {
public:
  Converter(mlir::OpBuilder &builder) : builder(builder) {}
  mlir::OpBuilder &builder;

  bool known(mlir::Value value) const { return values.contains(value); }
  Access access(mlir::Value value) const { return values.lookup(value); }
  void set(mlir::Value value, const Access &access) { values[value] = access; }
  void set(mlir::Value value, mlir::Value tensor) { values[value] = whole(tensor); }
  Access whole(mlir::Value tensor);
  /// The value as a tensor of the value's own type: a view, or a copy if the access is no view.
  mlir::Value tensor(mlir::Value value);
  mlir::Value tensor(mlir::Location loc, Access access);
  /// The elements of an access in the type `element`, row-major; each is rounded once.
  mlir::Value castTo(mlir::Location loc, Access access, mlir::Type element);
  /// Reshapes a value, with the elements in the same order. Views and splits of dimensions cost
  /// nothing; other permuted data is copied first.
  Access reshape(mlir::Location loc, Access access, llvm::ArrayRef<int64_t> shape);
  mlir::Value view(mlir::Location loc, mlir::Value tensor, llvm::ArrayRef<int64_t> shape);
  /// An operand of a contraction: a tensor and a projected permutation from the value's indices,
  /// e.g. (m, n, k) -> (m, k).
  Access projection(mlir::Location loc, Access access);

  /// A kernel.map with results `types`; `maps` lead from the iteration domain `space` to the
  /// inputs.
  mlir::Operation *map(mlir::Location loc, mlir::TypeRange types, llvm::ArrayRef<Access> inputs,
                       llvm::ArrayRef<mlir::AffineMap> maps, llvm::ArrayRef<int64_t> space,
                       llvm::ArrayRef<mlir::AffineMap> resultMaps, BodyBuilder build);
  /// A kernel.map with a copy of the body of `like`, for inputs of the same kinds. Null if the body
  /// does not fit: two inputs are the same tensor, or element types differ.
  mlir::Operation *mapLike(kernel::MapOp like, mlir::Location loc, mlir::TypeRange types,
                           llvm::ArrayRef<Access> inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                           llvm::ArrayRef<int64_t> space,
                           llvm::ArrayRef<mlir::AffineMap> resultMaps);
  /// A kernel.reduce over the iteration domain [outer, reduced, inner]; results are accumulators of
  /// shape [outer, inner].
  mlir::Operation *reduce(mlir::Location loc, mlir::Type type, Access input, mlir::AffineMap map,
                          llvm::ArrayRef<int64_t> space, kernel::Combine combine);
  /// Adds a body to a kernel with leading arguments `lead`: yields the arguments, rounded to the
  /// result types.
  void addPlainBody(mlir::Operation *op, mlir::TypeRange lead);

private:
  struct Inputs;
  kernel::MapOp createMap(mlir::Location loc, mlir::TypeRange types, const Inputs &inputs,
                          llvm::ArrayRef<int64_t> space,
                          llvm::ArrayRef<mlir::AffineMap> resultMaps);
  void addBody(mlir::Operation *op, const Inputs &inputs, int64_t rowLength, BodyBuilder build);

  llvm::DenseMap<mlir::Value, Access> values;
};

/// Conversion rules in order of precedence; the first rule that succeeds has converted the op.
class ConversionRules {
public:
  /// `Op` is an op or an op interface.
  template <typename Op> void add(llvm::LogicalResult (*rule)(Op, Converter &)) {
    rules.push_back({[](mlir::Operation *op) { return mlir::isa<Op>(op); },
                     [rule](mlir::Operation *op, Converter &converter) {
                       return mlir::succeeded(rule(mlir::cast<Op>(op), converter));
                     }});
  }
  bool convert(mlir::Operation *op, Converter &converter) {
    return llvm::any_of(rulesFor(op), [&](unsigned i) { return rules[i].convert(op, converter); });
  }

private:
  struct Rule {
    bool (*accepts)(mlir::Operation *);
    std::function<bool(mlir::Operation *, Converter &)> convert;
  };
  using Numbers = llvm::SmallVector<unsigned, 2>;
  /// Numbers of the rules whose op or interface is that of `op`.
  Numbers rulesFor(mlir::Operation *op) {
    auto [found, isNew] = byName.try_emplace(op->getName());
    if (isNew)
      for (auto [i, rule] : llvm::enumerate(rules))
        if (rule.accepts(op))
          found->second.push_back(i);
    return found->second;
  }

  llvm::SmallVector<Rule, 0> rules;
  llvm::DenseMap<mlir::OperationName, Numbers> byName;
};

void addShapeRules(ConversionRules &families);
void addReductionRules(ConversionRules &families);
void addContractionRules(ConversionRules &families);
void addConvolutionRules(ConversionRules &families);
void addAttentionRules(ConversionRules &families);
void addMarkRules(ConversionRules &families);
void addMoveRules(ConversionRules &families);
void addExchangeRules(ConversionRules &families);
void addScalarRules(ConversionRules &families);

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}
/// 16-bit floats are for storage; bodies compute in at least f32.
inline mlir::Type computeType(mlir::Type storage) {
  bool narrow = mlir::isa<mlir::FloatType>(storage) && storage.getIntOrFloatBitWidth() < 32;
  return narrow ? mlir::Float32Type::get(storage.getContext()) : storage;
}
/// Float type in which scalar code on elements of such types computes: the widest, at least f32.
mlir::Type bodyType(mlir::TypeRange elements, mlir::MLIRContext *context);
/// A stored scalar in the compute type of bodies, e.g. bf16 -> f32.
Value widen(mlir::OpBuilder &builder, Value value);
/// Types in which a contraction multiplies the operands (compute mode), null unless the precision
/// phase set a mode.
inline mlir::ArrayAttr modeOf(mlir::Operation *op) {
  return op->getAttrOfType<mlir::ArrayAttr>("amp.compute");
}
/// Product of sizes; 1 for an empty list.
inline int64_t product(llvm::ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}
} // namespace ampc
#endif
