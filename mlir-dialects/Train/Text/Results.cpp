// Inference of result types from operands, and completion of omitted result types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/Results.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;

// ---- Products ----

Type ampc::productType(train::MatmulOp::Adaptor op) {
  auto a = tensorOf(op.getLhs().getType()), b = tensorOf(op.getRhs().getType());
  if (!a || !b || a.getRank() < 2 || b.getRank() < 2)
    return {};
  int64_t m = a.getDimSize(a.getRank() - (op.getTransposeLhs() ? 1 : 2)),
          n = b.getDimSize(b.getRank() - (op.getTransposeRhs() ? 2 : 1));
  auto batchOf = [](RankedTensorType type) { return type.clone(type.getShape().drop_back(2)); };
  SmallVector<int64_t> shape;
  if (failed(broadcastShapes(std::nullopt, batchOf(a), batchOf(b), shape)))
    return {};
  shape.append({m, n});
  return RankedTensorType::get(shape, accumulatorOf(a.getElementType()));
}

Type ampc::attentionType(Type query, Type value) {
  auto q = tensorOf(query), v = tensorOf(value);
  if (!q || !v || !q.getRank() || !v.getRank())
    return query;
  SmallVector<int64_t> shape(q.getShape());
  shape.back() = v.getShape().back();
  return q.clone(shape);
}

Type ampc::convolutionType(train::Conv2dOp::Adaptor op) {
  auto image = tensorOf(op.getImage().getType()), filter = tensorOf(op.getFilter().getType());
  if (!image || !filter || image.getRank() != 4 || filter.getRank() != 4 ||
      !areAll(op.getStrides(), 2, 1) || !areAll(op.getDilations(), 2, 1) ||
      !areAll(op.getPadding(), 4, 0))
    return {};
  SmallVector<int64_t> shape = {image.getDimSize(0), 0, 0, filter.getDimSize(0)};
  for (int i : {0, 1}) {
    auto reach = productOf(filter.getDimSize(1 + i) - 1, op.getDilations()[i]);
    auto size =
        sumOf({image.getDimSize(1 + i), op.getPadding()[2 * i], op.getPadding()[2 * i + 1]});
    if (!reach || !size || *reach >= *size)
      return {};
    shape[1 + i] = (*size - *reach - 1) / op.getStrides()[i] + 1;
  }
  return RankedTensorType::get(shape, accumulatorOf(image.getElementType()));
}

/// Completes a missing result type by `get`, which returns null for operands that do not match.
template <typename Op>
static ParseResult completeResult(OpAsmParser &parser, OperationState &state,
                                  Type (*get)(typename Op::Adaptor), StringRef expected) {
  if (state.types.front())
    return success();
  // Attributes that the text leaves out have no value yet.
  Op::populateDefaultProperties(state.name, state.getOrAddProperties<typename Op::Properties>());
  state.types.front() =
      get(typename Op::Adaptor(state.operands, state.attributes.getDictionary(state.getContext()),
                               state.getOrAddProperties<typename Op::Properties>()));
  if (!state.types.front())
    return parser.emitError(parser.getNameLoc())
           << "expected " << expected << ", but got " << ValueRange(state.operands).getTypes();
  return success();
}
template <>
ParseResult ampc::completeOp<train::MatmulOp>(OpAsmParser &parser, OperationState &state) {
  return completeResult<train::MatmulOp>(parser, state, productType, "matrices");
}
template <>
ParseResult ampc::completeOp<train::Conv2dOp>(OpAsmParser &parser, OperationState &state) {
  return completeResult<train::Conv2dOp>(
      parser, state, convolutionType,
      "images NHWC and a filter OHWI that fits into the padded image, 2 strides, 2 dilations and 4 "
      "paddings");
}

// ---- State ----

template <typename Op> static ParseResult noteState(OpAsmParser &parser, OperationState &state) {
  auto &properties = state.getOrAddProperties<typename Op::Properties>();
  if (ParseScope *model = ParseScope::model(parser.getContext()))
    model->states[properties.sym_name.getValue()] = properties.type.getValue();
  return success();
}
template <>
ParseResult ampc::completeOp<train::ParamOp>(OpAsmParser &parser, OperationState &state) {
  return noteState<train::ParamOp>(parser, state);
}
template <>
ParseResult ampc::completeOp<train::BufferOp>(OpAsmParser &parser, OperationState &state) {
  return noteState<train::BufferOp>(parser, state);
}

// ---- Inference ----

/// Sets the shape of a result only: the written element type of a product may differ from the
/// inferred type, if the verifier permits this.
static void setShape(Value result, Type type) {
  if (auto tensor = dyn_cast_or_null<RankedTensorType>(type))
    result.setType(tensor.clone(cast<RankedTensorType>(result.getType()).getElementType()));
}

LogicalResult ampc::inferResults(Operation *op) {
  if (auto infers = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    if (failed(infers.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                       op->getAttrDictionary(), op->getPropertiesStorage(),
                                       op->getRegions(), types)))
      return failure();
    for (auto [result, type] : llvm::zip(op->getResults(), types))
      result.setType(type);
  } else if (auto scan = dyn_cast<train::ScanOp>(op)) {
    inferResults(scan);
  } else if (auto product = dyn_cast<train::MatmulOp>(op)) {
    setShape(product, productType(train::MatmulOp::Adaptor(product)));
  } else if (auto conv = dyn_cast<train::Conv2dOp>(op)) {
    setShape(conv, convolutionType(train::Conv2dOp::Adaptor(conv)));
  } else if (auto cast = dyn_cast<train::CastOp>(op)) {
    setShape(cast, cast.getX().getType());
  } else if (auto attention = dyn_cast<train::AttentionOp>(op)) {
    setShape(attention.getResult(),
             attentionType(attention.getQuery().getType(), attention.getValue().getType()));
  }
  return success();
}
