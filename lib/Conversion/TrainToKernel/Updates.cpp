// Parameter updates: a kernel per parameter where the optimizer's rule is pointwise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Updates.h"
#include "mlir-dialects/Train/Build/Expansion.h"

using namespace mlir;
using namespace ampc;

/// The ops of a decomposed update, inserted in front of the update.
struct Updates::DecomposedUpdate {
  SmallVector<Operation *> all, ofElements; ///< ofElements: ops that depend on elements of the
                                            ///< parameter
  SmallVector<Value> results;
  DenseSet<Value> elements; ///< parameter, gradient, moments, and values computed from any of the
                            ///< three

  explicit DecomposedUpdate(train::UpdateOp op) {
    elements.insert_range(SmallVector<Value>{op.getParam(), op.getGradient()});
    elements.insert_range(op.getMoments());
    Expansion expansion = buildExpansion(op, [&](GradBuilder &b) { return op.decompose(b); });
    results = expansion.values;
    for (Operation &part : expansion.ops) {
      all.push_back(&part);
      if (llvm::none_of(part.getOperands(), [&](Value v) { return elements.contains(v); }))
        continue;
      ofElements.push_back(&part);
      elements.insert_range(part.getResults());
    }
  }

  /// Whether an op of the rule computes elementwise over `shape`.
  bool isPointwise(Operation *part, ArrayRef<int64_t> shape) const {
    auto scalar = dyn_cast<ScalarOpInterface>(part);
    if (!scalar || ArrayRef<int64_t>(scalar.getSpace()) != shape)
      return false;
    auto isWhole = [&](Value v) { return tensorOf(v).getShape() == shape; };
    return llvm::all_of(part->getResults(), isWhole) &&
           llvm::all_of(part->getOperands(),
                        [&](Value v) { return isWhole(v) || !elements.contains(v); });
  }
  bool arePointwise(ArrayRef<int64_t> shape) const {
    return llvm::all_of(ofElements, [&](Operation *part) { return isPointwise(part, shape); }) &&
           llvm::all_of(results, [&](Value v) { return elements.contains(v); });
  }
};

/// Scalar code of an op on a single element, including rounding, as if the op had a kernel of its
/// own.
static void appendCode(ScalarOpInterface part, ScalarBuilder &b, DenseMap<Value, Value> &scalars) {
  SmallVector<Value> operands;
  SmallVector<Type> elements;
  for (Value operand : part->getOperands()) {
    operands.push_back(widen(b.builder, scalars.lookup(operand)));
    elements.push_back(getElementTypeOrSelf(operand));
  }
  for (Value result : part->getResults())
    elements.push_back(getElementTypeOrSelf(result));
  ScalarBuilder own(b.builder, b.loc, bodyType(elements, part->getContext()), b.positions);
  own.rowLength = b.rowLength;
  for (auto [result, value] : llvm::zip(part->getResults(), part.buildScalars(own, operands)))
    scalars[result] = own.castTo(value, getElementTypeOrSelf(result));
}

/// Builds the kernel of an update. Returns a cache entry for parameters of the same type, empty if
/// the code fits only this parameter.
Updates::CachedKernel Updates::make(train::UpdateOp op, const DecomposedUpdate &parts) {
  llvm::SetVector<Value> read;
  for (Operation *part : parts.ofElements)
    for (Value operand : part->getOperands())
      if (!llvm::is_contained(parts.ofElements, operand.getDefiningOp()))
        read.insert(operand);
  ArrayRef<int64_t> space = tensorOf(op.getParam()).getShape();
  auto mapOf = [&](Value v) { return broadcastMap(v.getType(), space); };
  auto accesses = llvm::map_to_vector(read, [&](Value v) { return converter.access(v); });
  auto build = [&](ScalarBuilder &b, ValueRange x) {
    DenseMap<Value, Value> scalars;
    for (auto [value, scalar] : llvm::zip(read, x))
      scalars[value] = scalar;
    for (Operation *part : parts.ofElements)
      appendCode(cast<ScalarOpInterface>(part), b, scalars);
    return llvm::map_to_vector(parts.results, [&](Value v) { return scalars.lookup(v); });
  };
  Operation *map =
      converter.map(op.getLoc(), op->getResultTypes(), accesses, llvm::map_to_vector(read, mapOf),
                    space, llvm::map_to_vector(op->getResults(), mapOf), build);
  for (auto [from, to] : llvm::zip(op->getResults(), map->getResults()))
    converter.set(from, to);
  CachedKernel code{cast<kernel::MapOp>(map), {}};
  unsigned tensors = 0;
  for (auto [value, access] : llvm::zip(read, accesses)) {
    bool isShared = !parts.elements.contains(value);
    int operand = llvm::find(op->getOperands(), value) - op->operand_begin();
    code.inputs.push_back({isShared ? -1 : operand, isShared ? value : Value()});
    tensors += !access.literal;
    if (access.literal && !isShared)
      return {};
  }
  bool isDistinct = tensors == code.map->getNumOperands();
  return isDistinct && !op.getKeys() && !op.getParamKey() ? code : CachedKernel();
}

/// Clones the cached code for another parameter; false if the code does not fit and must be built
/// anew.
bool Updates::copy(train::UpdateOp op, const CachedKernel &code) {
  ArrayRef<int64_t> space = tensorOf(op.getParam()).getShape();
  SmallVector<Access> accesses;
  SmallVector<AffineMap> maps;
  for (auto [operand, value] : code.inputs) {
    Value input = operand < 0 ? value : op->getOperand(operand);
    accesses.push_back(converter.access(input));
    maps.push_back(broadcastMap(input.getType(), space));
    if (operand >= 0 && accesses.back().literal)
      return false;
  }
  auto resultMaps = llvm::map_to_vector(op->getResults(),
                                        [&](Value v) { return broadcastMap(v.getType(), space); });
  Operation *map = converter.mapLike(code.map, op.getLoc(), op->getResultTypes(), accesses, maps,
                                     space, resultMaps);
  if (!map)
    return false;
  for (auto [from, to] : llvm::zip(op->getResults(), map->getResults()))
    converter.set(from, to);
  return true;
}

LogicalResult Updates::convertEach(train::UpdateOp op, const DecomposedUpdate &parts) {
  for (Operation *part : parts.all)
    if (!converter.known(part->getResult(0)) && !families.convert(part, converter))
      return part->emitError() << "expected a kernel for " << part->getName();
  for (auto [from, to] : llvm::zip(op->getResults(), parts.results))
    converter.set(from, converter.access(to));
  return success();
}

LogicalResult Updates::convert(train::UpdateOp op) {
  Type stored = op.getMoments().empty() ? Type() : getElementTypeOrSelf(op.getMoments().front());
  SmallVector<Value, 4> shared{op.getCount(), op.getRate(), op.getSkip()};
  llvm::append_range(shared, op.getNumbers());
  CachedKernel &code =
      known[Key(op.getRule(), op.getNamesAttr(), op.getParam().getType(), stored, shared)];
  if (code.map && copy(op, code))
    return success();
  DecomposedUpdate parts(op);
  for (Operation *part : parts.all)
    if (!llvm::is_contained(parts.ofElements, part) && !families.convert(part, converter))
      return part->emitError() << "expected a kernel for " << part->getName();
  if (!parts.arePointwise(tensorOf(op.getParam()).getShape()))
    return convertEach(op, parts);
  code = make(op, parts);
  return success();
}
