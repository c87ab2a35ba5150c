// Attention and the gradient of attention: operands and results stay in place, addressed by linear
// maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"
#include "mlir-dialects/Kernel/LinearMap.h"

using namespace mlir;
using namespace ampc;

/// Access to a value by a linear map: slices, splits and transposes are read in place; any other
/// access is copied first.
static Access linearAccess(Value value, Converter &converter) {
  Access access = converter.access(value);
  if (access.literal || !isLinear(access.map))
    access = converter.whole(converter.tensor(value));
  return access;
}

/// Strides in elements between neighbours along each dimension. Example: [2, 3, 4] row-major ->
/// [12, 4, 1].
static SmallVector<int64_t> stridesOf(const Access &access) {
  ArrayRef<int64_t> shape = tensorOf(access.tensor).getShape();
  SmallVector<int64_t> point(access.type.getRank(), 0), strides;
  auto position = [&] {
    int64_t at = 0;
    for (auto [index, size] : llvm::zip(access.map.compose(point), shape))
      at = at * size + index;
    return at;
  };
  int64_t start = position();
  for (int64_t &index : point) {
    index = 1;
    strides.push_back(position() - start);
    index = 0;
  }
  return strides;
}

/// A tensor for a result of `type` with the memory order of `model`'s dimensions, so that undoing
/// the transpose of heads is a view. The last dimension must be innermost; otherwise the order is
/// row-major.
static Access resultLike(RankedTensorType type, const Access &model, MLIRContext *context) {
  SmallVector<int64_t> strides = stridesOf(model), shape;
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, type.getRank()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  if (order.back() + 1 != type.getRank())
    llvm::sort(order);
  for (unsigned dim : order)
    shape.push_back(type.getDimSize(dim));
  return {{}, AffineMap::getPermutationMap(order, context), {}, type.clone(shape)};
}

/// The narrower type to which all consumers cast; else, and for a statistic, the value's own type.
static RankedTensorType roundedType(Value value) {
  auto type = tensorOf(value);
  auto result = cast<OpResult>(value);
  if (cast<PrecisionOpInterface>(result.getOwner()).resultStaysFull(result.getResultNumber()))
    return type;
  Type element;
  for (Operation *user : value.getUsers()) {
    auto cast = dyn_cast<train::CastOp>(user);
    Type to = cast ? tensorOf(cast.getResult()).getElementType() : type.getElementType();
    if (!isa<FloatType>(to) || to.getIntOrFloatBitWidth() >= type.getElementTypeBitWidth() ||
        (element && element != to))
      return type;
    element = to;
  }
  return element ? type.clone(element) : type;
}

/// `value`, rounded to the accumulator's type if it is wider: a bias in f64 of operands in f16.
static Access inAccumulator(Value value, Type accumulator, Converter &converter) {
  RankedTensorType type = tensorOf(value);
  if (type.getElementTypeBitWidth() <= accumulator.getIntOrFloatBitWidth())
    return linearAccess(value, converter);
  return converter.whole(converter.castTo(value.getLoc(), converter.access(value), accumulator));
}

namespace {
/// Operands, maps and results of an attention kernel under construction.
struct AttentionKernel {
  Converter &converter;
  Type accumulator;
  SmallVector<Value> tensors = {},
                     values = {}; ///< operands of the kernel; train values that the results replace
  SmallVector<AffineMap> operandMaps = {}, resultMaps = {};
  SmallVector<Access> accesses = {};
  SmallVector<Type> types = {};

  template <typename Op>
  AttentionKernel(Op op, Converter &converter)
      : converter(converter), accumulator(computeType(op.getQuery().getType().getElementType())) {}
  void read(Value value, AffineMap map = {}) {
    Access access = inAccumulator(value, accumulator, converter);
    tensors.push_back(access.tensor);
    operandMaps.push_back(map ? access.map.compose(map) : access.map);
    accesses.push_back(access);
  }
  template <typename Op> void readOperands(Op op) {
    for (Value side : {op.getQuery(), op.getKey(), op.getValue()})
      read(side);
    if (!op.getBias())
      return;
    SmallVector<int64_t> scores(op.getQuery().getType().getShape().drop_back());
    scores.push_back(op.getKey().getType().getShape().end()[-2]);
    read(op.getBias(), broadcastMap(op.getBias().getType(), scores));
  }
  /// Adds a result, in the layout of operand `model` or in row-major order.
  void write(Value value, std::optional<unsigned> model) {
    RankedTensorType type = roundedType(value);
    MLIRContext *context = converter.builder.getContext();
    Access access =
        model ? resultLike(type, accesses[*model], context)
              : Access{{}, AffineMap::getMultiDimIdentityMap(type.getRank(), context), {}, type};
    types.push_back(access.type);
    resultMaps.push_back(access.map);
    values.push_back(value);
  }
  template <typename Kernel, typename Op> void create(Op op);
};
} // namespace

template <typename Kernel, typename Op> void AttentionKernel::create(Op op) {
  OpBuilder &builder = converter.builder;
  auto query = op.getQuery().getType(), key = op.getKey().getType();
  unsigned batch = query.getRank() - 2;
  int64_t width = query.getShape().back();
  APFloat scale = op.getScale().value_or(APFloat(1 / std::sqrt(double(width))));
  auto kernel = Kernel::create(builder, op.getLoc(), types, tensors, accumulator,
                               query.getShape().take_front(batch), query.getDimSize(batch),
                               key.getDimSize(batch), width, scale, op.getCausal(),
                               bool(op.getBias()), builder.getAffineMapArrayAttr(operandMaps),
                               builder.getAffineMapArrayAttr(resultMaps), /*plan=*/nullptr,
                               /*blocking=*/nullptr, /*blockings=*/nullptr);
  for (auto [value, result, map] : llvm::zip(values, kernel.getOuts(), resultMaps)) {
    auto type = tensorOf(value).clone(tensorOf(result).getElementType());
    Access access{result, map, {}, type};
    if (type == value.getType()) {
      converter.set(value, access);
      continue;
    }
    for (Operation *cast : value.getUsers()) // the cast needs no kernel then
      converter.set(cast->getResult(0), access);
  }
}

static LogicalResult convertAttention(train::AttentionOp op, Converter &converter) {
  AttentionKernel kernel(op, converter);
  kernel.readOperands(op);
  kernel.write(op.getResult(), 0);
  if (op.getLse()) // written even without a consumer, so that training and inference share the
                   // kernel
    kernel.write(op.getLse(), std::nullopt);
  kernel.create<kernel::AttentionOp>(op);
  return success();
}
static LogicalResult convertAttentionGrad(train::AttentionGradOp op, Converter &converter) {
  AttentionKernel kernel(op, converter);
  kernel.readOperands(op);
  for (Value value : {op.getO(), op.getLse(), op.getG()})
    kernel.read(value);
  kernel.write(op.getDq(), 0);
  kernel.write(op.getDk(), 1);
  kernel.write(op.getDv(), 2);
  if (op.getDbias())
    kernel.write(op.getDbias(), std::nullopt);
  kernel.create<kernel::AttentionGradOp>(op);
  return success();
}

void ampc::addAttentionRules(ConversionRules &families) {
  families.add<train::AttentionOp>(convertAttention);
  families.add<train::AttentionGradOp>(convertAttentionGrad);
}
