// Checks and inference of tensor types and sizes, shared by op families.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

Type ampc::accumulatorOf(Type element) {
  return element.getIntOrFloatBitWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}

std::optional<int64_t> ampc::sumOf(ArrayRef<int64_t> values) {
  int64_t sum = 0;
  for (int64_t value : values)
    if (llvm::AddOverflow(sum, value, sum))
      return std::nullopt;
  return sum;
}

std::optional<int64_t> ampc::productOf(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::nullopt : std::optional(product);
}

bool ampc::areAll(ArrayRef<int64_t> values, size_t count, int64_t least) {
  return values.size() == count && llvm::all_of(values, [&](int64_t v) { return v >= least; });
}

static bool hasDimension(Type type, int64_t dim) {
  auto tensor = tensorOf(type);
  return tensor && dim >= 0 && dim < tensor.getRank();
}
static std::string expectedDimension(Type type, int64_t dim) {
  std::string text;
  llvm::raw_string_ostream(text) << "expected a dimension of '" << type << "', but got " << dim;
  return text;
}

LogicalResult ampc::inferDimension(std::optional<Location> loc, Type type, int64_t dim) {
  return hasDimension(type, dim) ? success() : emitOptionalError(loc, expectedDimension(type, dim));
}

LogicalResult ampc::verifyDimension(Operation *op, Type type, int64_t dim) {
  return hasDimension(type, dim) ? success() : op->emitOpError(expectedDimension(type, dim));
}

int64_t ampc::dimensionAlong(RankedTensorType type, IntegerAttr dim) {
  return dimensionAlong(type, dim ? dim.getInt() : -1);
}

RankedTensorType ampc::withoutDimension(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return type.clone(shape);
}

RankedTensorType ampc::inferRows(std::optional<Location> loc, Type type, IntegerAttr dim) {
  auto tensor = tensorOf(type);
  if (!tensor || tensor.getRank() < 1) {
    (void)emitOptionalError(loc, "expected at least one dimension, but got ", type);
    return {};
  }
  int64_t along = dimensionAlong(tensor, dim);
  return succeeded(inferDimension(loc, type, along)) ? withoutDimension(tensor, along)
                                                     : RankedTensorType();
}

LogicalResult ampc::verifyRows(Operation *op, RankedTensorType type) {
  if (type.getRank() < 1 || type.getShape().back() < 1)
    return op->emitOpError() << "expected at least one element along the last dimension, but got "
                             << type;
  return success();
}

bool ampc::areWindowNumbers(ArrayRef<int64_t> values, size_t count, int64_t least) {
  return areAll(values, count, least) &&
         llvm::all_of(values, [](int64_t value) { return llvm::isInt<32>(value); });
}

std::optional<int64_t> ampc::windowsAlong(int64_t size, ArrayRef<int64_t> padding, int64_t window,
                                          int64_t stride, int64_t dilation) {
  auto padded = sumOf({size, padding[0], padding[1]}), way = productOf(window - 1, dilation);
  return padded && way && *way < *padded ? std::optional((*padded - *way - 1) / stride + 1)
                                         : std::nullopt;
}

LogicalResult ampc::inferSlice(std::optional<Location> loc, RankedTensorType type,
                               ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                               ArrayRef<int64_t> strides, SmallVectorImpl<Type> &types) {
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    auto way = productOf(sizes[i] - 1, strides[i]);
    auto last = way ? sumOf({offsets[i], *way}) : std::nullopt;
    if (!last || *last < 0 || std::max(*last, offsets[i]) >= size)
      return emitOptionalError(loc, "expected a slice inside ", type, ", but in dimension ", i,
                               " the slice goes from ", offsets[i], " to ",
                               last.value_or(std::numeric_limits<int64_t>::max()));
  }
  types.push_back(type.clone(sizes));
  return success();
}

Value ampc::takeAlong(GradBuilder &b, Value x, int64_t dim, ArrayRef<int32_t> index) {
  auto type = tensorOf(x);
  int64_t step = index.size() > 1 ? index[1] - index[0] : 1;
  bool isSlice = step > 0;
  for (size_t i = 1; i < index.size(); ++i)
    isSlice &= index[i] - index[i - 1] == step;
  if (isSlice) {
    SmallVector<int64_t> from(type.getRank(), 0), sizes(type.getShape()), ones(type.getRank(), 1);
    from[dim] = index[0];
    sizes[dim] = index.size();
    ones[dim] = step;
    return b.op<SliceOp>(x, from, sizes, ones);
  }
  auto numbers = RankedTensorType::get(int64_t(index.size()), b.builder.getI32Type());
  Value order = b.op<ConstantOp>(cast<ElementsAttr>(DenseElementsAttr::get(numbers, index)));
  auto front = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  std::rotate(front.begin(), front.begin() + dim, front.begin() + dim + 1);
  Value rows = b.op<GatherOp>(b.transpose(x, front), order, IntegerAttr());
  return b.transpose(rows, inversePermutation(front));
}

std::optional<Fans> ampc::fansOfFilter(unsigned operand, RankedTensorType filter) {
  if (operand != 1)
    return std::nullopt;
  ArrayRef<int64_t> shape = filter.getShape();
  int64_t window = 1;
  for (int64_t size : shape.drop_front().drop_back())
    window *= size;
  return Fans{window * shape.back(), window * shape.front()};
}

std::optional<Fans> ampc::fansOfTable(unsigned operand, RankedTensorType table) {
  if (operand != 0 || table.getRank() != 2)
    return std::nullopt;
  return Fans{table.getDimSize(1), table.getDimSize(0)};
}
