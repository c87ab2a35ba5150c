// Restoration of embedding bags that an exporter unrolled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Raise.h"
#include "mlir-dialects/Train/Ops/Indexing.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
/// A bag: reduction of table rows at positions [from, from + size) of an index vector.
struct Bag {
  train::BagMode mode = train::BagMode::sum;
  train::GatherOp rows; ///< lookup of this bag, or of all bags
  Value index;          ///< of all bags
  Value weights;        ///< of all bags, or null
  int64_t from = 0, size = 0;

  bool isLike(Bag &other) {
    return mode == other.mode && index == other.index && weights == other.weights &&
           rows.getTable() == other.rows.getTable() && rows.getFromEnd() == other.rows.getFromEnd();
  }
};

/// Consecutive elements of a value along the first dimension, whole along the other dimensions.
struct RowSlice {
  Value whole;
  int64_t from = 0, size = 0;
};
} // namespace

static RowSlice rowSliceOf(Value value) {
  RowSlice part = {value, 0, tensorOf(value).getDimSize(0)};
  auto slice = value.getDefiningOp<train::SliceOp>();
  if (!slice ||
      tensorOf(slice.getX()).getShape().drop_front() != tensorOf(value).getShape().drop_front() ||
      slice.getStrides()[0] != 1)
    return part;
  return {slice.getX(), slice.getOffsets()[0], part.size};
}

/// Vector below a reshape to a column: [n, 1] -> [n].
static Value vectorOfColumn(Value column) {
  auto reshape = column.getDefiningOp<train::ReshapeOp>();
  ArrayRef<int64_t> shape = tensorOf(column).getShape();
  return reshape && tensorOf(reshape.getX()).getRank() == 1 && shape.size() == 2 && shape[1] == 1
             ? Value(reshape.getX())
             : Value();
}

/// Lookup of table rows below an optional product, whose other factor goes to `weights`.
static train::GatherOp weightedRows(Value value, Value &weights) {
  auto product = value.getDefiningOp<train::MulOp>();
  if (!product)
    return value.getDefiningOp<train::GatherOp>();
  for (unsigned i : {0, 1}) {
    auto rows = product->getOperand(i).getDefiningOp<train::GatherOp>();
    Value factor = product->getOperand(1 - i);
    auto number = numberOf(factor);
    weights = number ? Value() : vectorOfColumn(factor);
    if (rows && rows.getType() == value.getType() && (weights || (number && *number == 1)))
      return rows;
  }
  return nullptr;
}

/// Mode of a reduction over rows; nothing for other ops.
static std::optional<train::BagMode> modeOf(Operation *reduction) {
  if (!reduction || !reduction->hasAttr("dims") ||
      reduction->getAttrOfType<DenseI64ArrayAttr>("dims").asArrayRef() != ArrayRef<int64_t>(0))
    return std::nullopt;
  if (isa<train::ReduceSumOp>(reduction))
    return train::BagMode::sum;
  if (isa<train::ReduceMeanOp>(reduction))
    return train::BagMode::mean;
  return isa<train::ReduceMaxOp>(reduction) ? std::optional(train::BagMode::max) : std::nullopt;
}

/// Producer of the value below reshapes.
static Operation *reductionBelow(Value row) {
  while (auto reshape = row.getDefiningOp<train::ReshapeOp>())
    row = reshape.getX();
  return row.getDefiningOp();
}

static std::optional<Bag> bagOf(Value row) {
  Operation *reduction = reductionBelow(row);
  // The mean of the last bag may be a sum divided by a constant.
  std::optional<double> divisor;
  if (auto quotient = dyn_cast_or_null<train::DivOp>(reduction)) {
    divisor = numberOf(quotient.getRhs());
    reduction = divisor ? reductionBelow(quotient.getLhs()) : nullptr;
  }
  auto mode = modeOf(reduction);
  if (!mode || (divisor && *mode != train::BagMode::sum))
    return std::nullopt;
  Bag bag;
  bag.mode = divisor ? train::BagMode::mean : *mode;
  // PyTorch's newer exporter looks up the rows of all bags together, the older exporter per bag.
  RowSlice rows = rowSliceOf(reduction->getOperand(0));
  bag.rows = weightedRows(rows.whole, bag.weights);
  if (!bag.rows || tensorOf(bag.rows.getIndex()).getRank() != 1 ||
      tensorOf(bag.rows.getTable()).getRank() != 2 || (divisor && *divisor != double(rows.size)))
    return std::nullopt;
  RowSlice index = rowSliceOf(bag.rows.getIndex());
  bool isOfEach = rows.size == tensorOf(rows.whole).getDimSize(0);
  bag.index = isOfEach ? index.whole : bag.rows.getIndex();
  bag.from = isOfEach ? index.from : rows.from;
  bag.size = rows.size;
  if (!bag.weights || !isOfEach)
    return bag;
  RowSlice weights = rowSliceOf(bag.weights);
  bag.weights = weights.whole;
  return weights.from == bag.from ? std::optional(bag) : std::nullopt;
}

/// Vector as rows of `size` elements, [n * size] -> [n, size], by removing a reshape if possible.
static Value asRows(Operation *root, Value vector, int64_t size) {
  SmallVector<int64_t> shape = {tensorOf(vector).getDimSize(0) / size, size};
  if (auto reshape = vector.getDefiningOp<train::ReshapeOp>();
      reshape && tensorOf(reshape.getX()).getShape() == ArrayRef(shape))
    return reshape.getX();
  Operation *made = makeBefore(root, train::ReshapeOp::getOperationName(), vector, {},
                               tensorOf(vector).clone(shape));
  return made ? made->getResult(0) : Value();
}

/// Bag number per index: sizes 2, 0, 1 -> 0, 0, 2.
static Value numbersOf(Operation *root, ArrayRef<int64_t> sizes) {
  SmallVector<int32_t> numbers;
  for (auto [bag, size] : llvm::enumerate(sizes))
    numbers.append(size, int32_t(bag));
  Builder b(root->getContext());
  auto type = RankedTensorType::get(int64_t(numbers.size()), b.getI32Type());
  auto value = DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers));
  return makeBefore(root, train::ConstantOp::getOperationName(), {}, b.getNamedAttr("value", value),
                    type)
      ->getResult(0);
}

static Operation *makeBags(Operation *root, Bag first, ArrayRef<int64_t> sizes) {
  if (first.weights && first.mode != train::BagMode::sum)
    return nullptr;
  Value index = first.index, weights = first.weights, bags;
  if (llvm::all_equal(sizes)) {
    index = asRows(root, index, sizes[0]);
    weights = weights ? asRows(root, weights, sizes[0]) : Value();
  } else {
    bags = numbersOf(root, sizes);
  }
  Builder b(root->getContext());
  SmallVector<Value> operands = {first.rows.getTable(), index};
  for (Value each : {bags, weights})
    if (each)
      operands.push_back(each);
  SmallVector<NamedAttribute> attributes = {
      b.getNamedAttr("mode", train::BagModeAttr::get(b.getContext(), first.mode)),
      b.getNamedAttr("operandSegmentSizes",
                     b.getDenseI32ArrayAttr({1, 1, bags ? 1 : 0, weights ? 1 : 0}))};
  if (bags)
    attributes.push_back(b.getNamedAttr("of", b.getI64IntegerAttr(sizes.size())));
  if (first.rows.getFromEnd())
    attributes.push_back(b.getNamedAttr("from_end", b.getUnitAttr()));
  return makeBefore(root, train::EmbeddingBagOp::getOperationName(), operands, attributes,
                    root->getResult(0).getType());
}

Operation *ampc::onnx::raiseBags(Operation *root) {
  auto concat = dyn_cast<train::ConcatOp>(root);
  if (!concat || concat.getDim() != 0 || tensorOf(root->getResult(0)).getRank() != 2)
    return nullptr;
  std::optional<Bag> first;
  SmallVector<int64_t> sizes;
  int64_t next = 0;
  for (Value row : root->getOperands()) {
    if (tensorOf(row).getDimSize(0) != 1)
      return nullptr;
    // An empty bag.
    if (auto number = numberOf(row); number && *number == 0) {
      sizes.push_back(0);
      continue;
    }
    auto bag = bagOf(row);
    if (!bag || bag->from != next || (first && !bag->isLike(*first)))
      return nullptr;
    next += bag->size;
    sizes.push_back(bag->size);
    if (!first)
      first = bag;
  }
  bool isWhole = first && next == tensorOf(first->index).getDimSize(0) &&
                 (!first->weights || tensorOf(first->weights).getDimSize(0) == next);
  return isWhole ? makeBags(root, *first, sizes) : nullptr;
}
