// How files and callers see tensors of state: the attribute `train.outside`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/LogicalLayout.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

SmallVector<int64_t> ampc::permuted(ArrayRef<int64_t> from, ArrayRef<int64_t> order) {
  return llvm::map_to_vector(order, [&](int64_t dim) { return from[dim]; });
}

static SmallVector<int64_t> numbersOf(DictionaryAttr attribute, StringRef name) {
  auto numbers = attribute.getAs<DenseI64ArrayAttr>(name);
  return numbers ? llvm::to_vector(numbers.asArrayRef()) : SmallVector<int64_t>();
}

std::optional<LogicalOrder> LogicalOrder::of(Operation *state) {
  auto attribute = state->getAttrOfType<DictionaryAttr>(key);
  if (!attribute)
    return std::nullopt;
  LogicalOrder outside;
  outside.order = numbersOf(attribute, "order");
  outside.parts = numbersOf(attribute, "of");
  outside.shape = numbersOf(attribute, "as");
  if (outside.parts.empty())
    outside.parts = llvm::to_vector(tensorOf(cast<StateOpInterface>(state).getType()).getShape());
  return outside;
}

void LogicalOrder::attachTo(Operation *state) const {
  Builder b(state->getContext());
  SmallVector<NamedAttribute> entries = {b.getNamedAttr("order", b.getDenseI64ArrayAttr(order))};
  if (ArrayRef(parts) != tensorOf(cast<StateOpInterface>(state).getType()).getShape())
    entries.push_back(b.getNamedAttr("of", b.getDenseI64ArrayAttr(parts)));
  if (!shape.empty())
    entries.push_back(b.getNamedAttr("as", b.getDenseI64ArrayAttr(shape)));
  state->setAttr(key, b.getDictionaryAttr(entries));
}

/// Whether `shape` is `dims` with neighbours merged: [2, 3, 4] -> [6, 4].
static bool isMerged(ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
  size_t at = 0;
  for (int64_t size : shape) {
    int64_t product = 1;
    // Dimensions of size 1 are merged into the preceding dimension.
    while (at < dims.size() && (product < size || dims[at] == 1))
      product = productOf(product, dims[at++]).value_or(0);
    if (product != size)
      return false;
  }
  return at == dims.size();
}

static std::string textOf(ArrayRef<int64_t> dims) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(dims, os);
  return text + "]";
}

std::optional<std::string> ampc::misfitOfOutside(Operation *op, Attribute value) {
  auto state = dyn_cast<StateOpInterface>(op);
  auto isKnown = [](NamedAttribute entry) {
    return llvm::is_contained({"order", "of", "as"}, entry.getName()) &&
           isa<DenseI64ArrayAttr>(entry.getValue());
  };
  auto entries = dyn_cast<DictionaryAttr>(value);
  if (!state || !entries || !entries.contains("order") || !llvm::all_of(entries, isKnown))
    return "{order, of, as}, of arrays of i64, on a parameter or buffer";
  ArrayRef<int64_t> dims = tensorOf(state.getType()).getShape();
  LogicalOrder outside = *LogicalOrder::of(op);
  if (!isMerged(outside.parts, dims))
    return "{order, of, as} of parts of " + textOf(dims);
  auto sorted = outside.order;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(outside.parts.size())))
    return "{order, of, as} with an order of " + std::to_string(outside.parts.size()) +
           " dimensions";
  auto ordered = permuted(outside.parts, outside.order);
  if (!outside.shape.empty() && !isMerged(ordered, outside.shape))
    return "{order, of, as} as neighbours of " + textOf(ordered);
  return std::nullopt;
}

/// Logical layout of the parameter, for state with an element per element of the parameter.
static std::optional<LogicalOrder> orderOf(StateOpInterface state, SymbolTableCollection &symbols) {
  auto buffer = dyn_cast<BufferOp>(*state);
  if (!buffer || !buffer.getOfAttr() || buffer.getRole() == StateRole::Working)
    return LogicalOrder::of(state);
  auto of =
      dyn_cast_or_null<ParamOp>(symbols.lookupSymbolIn(state->getParentOp(), buffer.getOfAttr()));
  return of && tensorOf(of.getType()).getShape() == tensorOf(buffer.getType()).getShape()
             ? LogicalOrder::of(of)
             : std::nullopt;
}

static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dims[i];
  return strides;
}

LogicalLayout ampc::logicalLayoutOf(StateOpInterface state, SymbolTableCollection &symbols) {
  std::optional<LogicalOrder> order = orderOf(state, symbols);
  if (!order)
    return {llvm::to_vector(tensorOf(state.getType()).getShape()), {}, {}};
  LogicalLayout outside;
  outside.dims = permuted(order->parts, order->order);
  outside.strides = permuted(stridesOf(order->parts), order->order);
  outside.shape = order->shape.empty() ? outside.dims : order->shape;
  // Dimensions of size 1 may be anywhere.
  SmallVector<int64_t> inOrder = stridesOf(outside.dims);
  if (llvm::all_of(llvm::zip(outside.dims, outside.strides, inOrder), [](auto each) {
        auto [size, stride, expected] = each;
        return size == 1 || stride == expected;
      }))
    return {outside.shape, {}, {}};
  return outside;
}
