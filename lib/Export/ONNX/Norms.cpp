// Normalization, softmax and reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

// ---- Along the last dimension ----

template <typename Op> static void emitAlongLast(Emitter &e, Op op, StringRef kind) {
  Dims order = e.order(op.getX());
  int64_t axis = llvm::find(order, int64_t(order.size()) - 1) - order.begin();
  e.set(op, e.node(kind, {e.in(op.getX(), order)}, {{"axis", axis}}), order);
}
static void emitSoftmax(Emitter &e, train::SoftmaxOp op) { emitAlongLast(e, op, "Softmax"); }
static void emitLogSoftmax(Emitter &e, train::LogSoftmaxOp op) {
  emitAlongLast(e, op, "LogSoftmax");
}

static void emitArgmax(Emitter &e, train::ArgmaxOp op) {
  std::string best =
      e.node("ArgMax", {e.in(op.getX())}, {{"axis", int64_t(-1)}, {"keepdims", int64_t(0)}});
  e.set(op, e.cast(best, IntegerType::get(op.getContext(), 64), Emitter::elementTypeOf(op)));
}

static void emitLayerNorm(Emitter &e, train::LayerNormOp op) {
  e.set(op, e.node("LayerNormalization", {e.in(op.getX()), e.in(op.getGamma()), e.in(op.getBeta())},
                   {{"axis", int64_t(-1)}, {"epsilon", number(op.getEps())}}));
}

static std::vector<std::string> reduced(Emitter &e, StringRef kind, std::string x,
                                        ArrayRef<int64_t> axes, bool keep) {
  std::vector<NodeAttribute> attributes = {{"keepdims", int64_t(keep)}};
  std::vector<std::string> inputs = {std::move(x)};
  // ReduceSum has axes as an input since opset 13, the other reductions since opset 18.
  if (kind == "ReduceSum" || e.model.opset >= 18)
    inputs.push_back(e.integers(axes));
  else
    attributes.insert(attributes.begin(), {"axes", axes.vec()});
  return {e.node(kind, inputs, attributes)};
}

static void emitRmsNorm(Emitter &e, train::RmsNormOp op) {
  Type element = Emitter::elementTypeOf(op);
  std::string x = e.in(op.getX());
  std::string mean = reduced(e, "ReduceMean", e.node("Mul", {x, x}), {-1}, true).front();
  std::string shifted = e.node("Add", {mean, e.number(number(op.getEps()), element)});
  std::string unit = e.node("Div", {x, e.node("Sqrt", {shifted})});
  e.set(op, e.node("Mul", {unit, e.in(op.getGamma())}));
}

/// Exports the inference form, with the running statistics.
static void emitBatchNorm(Emitter &e, train::BatchNormOp op) {
  int64_t rank = Emitter::rankOf(op);
  if (rank < 2)
    return e.fail(op, "BatchNormalization of ONNX has rows");
  Dims order = {0, rank - 1};
  for (int64_t dim = 1; dim + 1 < rank; ++dim)
    order.push_back(dim);
  e.set(op,
        e.node("BatchNormalization",
               {e.in(op.getX(), order), e.in(op.getGamma()), e.in(op.getBeta()),
                e.state(op.getRunningMean()), e.state(op.getRunningVariance())},
               {{"epsilon", number(op.getEps())}}),
        order);
}

// ---- Reductions ----

template <typename Op> static void emitReduction(Emitter &e, Op op, StringRef kind) {
  if (op.getDims().empty())
    return e.alias(op, op.getX());
  Dims order = e.order(op.getX()), axes, left;
  // Remaining dimensions keep their order and are renumbered without the reduced dimensions.
  for (auto [position, dim] : llvm::enumerate(order)) {
    if (llvm::is_contained(op.getDims(), dim))
      axes.push_back(int64_t(position));
    else
      left.push_back(dim -
                     llvm::count_if(op.getDims(), [d = dim](int64_t gone) { return gone < d; }));
  }
  e.set(op, reduced(e, kind, e.in(op.getX(), order), axes, false).front(), left);
}
#define REDUCTION(OP, KIND)                                                                        \
  entry<train::OP>([](Emitter &e, Operation *op) { emitReduction(e, cast<train::OP>(op), KIND); })

std::vector<Entry> exporting::normEntries() {
  return {
      entry<train::SoftmaxOp, emitSoftmax>(),    entry<train::LogSoftmaxOp, emitLogSoftmax>(),
      entry<train::ArgmaxOp, emitArgmax>(),      entry<train::LayerNormOp, emitLayerNorm>(),
      entry<train::RmsNormOp, emitRmsNorm>(),    entry<train::BatchNormOp, emitBatchNorm>(),
      REDUCTION(ReduceSumOp, "ReduceSum"),       REDUCTION(ReduceMeanOp, "ReduceMean"),
      REDUCTION(ReduceMaxOp, "ReduceMax"),       REDUCTION(ReduceMinOp, "ReduceMin"),
      REDUCTION(LogSumExpOp, "ReduceLogSumExp"),
  };
}
