// Lowering of a function for training or inference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/LowerMode.h"
#include "ampc/Train/BatchAnalysis.h"
#include "mlir-dialects/Train/Build/Expansion.h"
#include "mlir-dialects/Train/Ops/Along.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/BatchDimension.h"
#include "mlir-dialects/Train/Program/MixedRows.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Text/Sizes.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace ampc;

static constexpr llvm::StringLiteral randomBuffer = "random.state";

// ---- Modes and composites ----

/// Ops of an interface, loops included.
template <typename Interface> static SmallVector<Interface> opsOf(train::FuncOp func) {
  SmallVector<Interface> ops;
  func.walk([&](Interface op) { ops.push_back(op); });
  return ops;
}

void ampc::moveAlongLast(train::FuncOp func) {
  for (auto op : opsOf<AlongOpInterface>(func))
    if (!op.isAlongLast())
      replaceByExpansion(op, [&](GradBuilder &b) { return moveAlongLast(b, op); });
}

/// Warns of statistics over one value per channel, whose variance is 0: the result is beta whatever
/// x is, and x has no gradient. Example: x [1, C].
static void warnOfSingleValues(train::FuncOp func) {
  func.walk([](train::BatchNormOp op) {
    if (op.getX().getType().getNumElements() == op.getGamma().getType().getNumElements())
      op.emitWarning() << "expected several values per channel in a batch, but got "
                       << op.getX().getType() << ": in training the result is beta, whatever the "
                       << "input is";
  });
}

void ampc::lowerMode(train::FuncOp func, bool training, bool keepCounts) {
  if (training)
    warnOfSingleValues(func);
  for (auto op : opsOf<ModalOpInterface>(func))
    replaceByExpansion(
        op, [&](GradBuilder &b) { return training ? op.buildTraining(b) : op.buildInference(b); });
  // A composite op may decompose into composite ops.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto op : opsOf<CompositeOpInterface>(func))
      if (op.isComposite() && !(keepCounts && isa<train::CountOp>(*op))) {
        // Precision policies list composite ops, not the ops of the decomposition.
        setOrigin(op, originOf(op).withSource(op->getName().stripDialect()));
        changed |= replaceByDecomposition(op);
      }
  }
}

// ---- Random numbers ----

static RankedTensorType randomType(MLIRContext *context) {
  return RankedTensorType::get({2}, IntegerType::get(context, 64));
}

static void declareRandomState(train::ModelOp model) {
  if (model.lookupSymbol(randomBuffer))
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(&model.getBody().front());
  train::BufferOp::create(builder, model.getLoc(), randomBuffer, randomType(model.getContext()),
                          train::ZerosAttr::get(model.getContext()), train::StateRole::Random);
}

Value ampc::readRandomState(train::FuncOp func, train::ModelOp model) {
  declareRandomState(model);
  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  return train::ReadOp::create(builder, func.getLoc(), randomType(func.getContext()), randomBuffer);
}

int32_t ampc::randomKey(Operation *op) {
  train::OriginAttr origin = originOf(op);
  return int32_t(llvm::xxh3_64bits(origin ? origin.getText() : ""));
}

void ampc::attachRandomState(train::FuncOp func, train::ModelOp model) {
  Value state;
  for (auto op : func.getBody().front().getOps<RandomOpInterface>()) {
    if (op.hasRandomState())
      continue;
    if (!state)
      state = readRandomState(func, model);
    op.setRandomState(state, randomKey(op));
  }
}

// ---- Batches ----

/// Per argument the dimension whose size formula is `batch`, or the dimension of the attribute, or
/// -1; empty if no argument has a batch dimension. Nothing if rows of the batch are merged with
/// other rows, as in batch * context.
static std::optional<SmallVector<int64_t>> batchAxes(train::FuncOp func) {
  auto sizes = func->getAttrOfType<DictionaryAttr>(Sizes::key);
  auto formulas = sizes ? sizes.getAs<ArrayAttr>("arguments") : ArrayAttr();
  func->removeAttr(Sizes::key);
  SmallVector<int64_t> axes;
  for (BlockArgument argument : func.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto input = Signature(func).argument<train::InputAttr>(i);
    std::optional<int64_t> dim =
        formulas ? dimensionOfBatch(cast<StringAttr>(formulas[i]).getValue()) : -1;
    if (!dim)
      return std::nullopt;
    axes.push_back(*dim < 0 && input ? input.getBatch() : *dim);
  }
  if (llvm::all_of(axes, [](int64_t axis) { return axis < 0; }))
    axes.clear();
  return axes;
}

/// Size of the batch; without formulas the first dimension of the first input that has a shape.
static int64_t batchOf(train::FuncOp func, ArrayRef<int64_t> axes) {
  for (auto [argument, axis] : llvm::zip(func.getArguments(), axes))
    if (axis >= 0)
      return tensorOf(argument).getShape()[axis];
  for (BlockArgument argument : func.getArguments())
    if (Signature(func).argument<train::InputAttr>(argument) &&
        !tensorOf(argument).getShape().empty())
      return tensorOf(argument).getShape()[0];
  return 0;
}

/// Whether the op's verifier accepts the first dimension as the batch. The first dimension of a
/// single row of logits is the classes.
static bool acceptsBatchRows(ValidRowsOpInterface op, int64_t batch) {
  ArrayRef<int64_t> shape = tensorOf(op->getOperand(0)).getShape();
  if (shape.empty() || shape[0] % batch != 0)
    return false;
  ScopedDiagnosticHandler silent(op->getContext(), [](Diagnostic &) { return success(); });
  Block arguments;
  auto type = RankedTensorType::get({}, IntegerType::get(op->getContext(), 32));
  Operation *copy = op->clone();
  cast<ValidRowsOpInterface>(copy).setValidRows(arguments.addArgument(type, op->getLoc()), batch);
  bool isRight = succeeded(verify(copy));
  copy->destroy();
  return isRight;
}

/// Whether the op can combine rows along dimension `dim`, which then moves to the front. Ops that
/// read along the last dimension need that dimension in place.
static bool canCombineAlong(ValidRowsOpInterface op, int64_t batch, int64_t dim) {
  if (dim == 0)
    return acceptsBatchRows(op, batch);
  auto scalar = dyn_cast<ScalarOpInterface>(*op);
  bool isLast = dim + 1 == int64_t(tensorOf(op->getOperand(0)).getShape().size());
  return !isLast || (scalar && !scalar->hasTrait<ReducesRow>());
}

/// Permutation that moves dimension 0 to `dim` and keeps the order of the rest: dim 2, rank 4 ->
/// [1, 2, 0, 3].
static SmallVector<int64_t> movingFirstTo(int64_t dim, int64_t rank) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  permutation.insert(permutation.begin() + dim, 0);
  return permutation;
}
static Value moveToFirst(GradBuilder &b, Value value, int64_t dim) {
  int64_t rank = tensorOf(value).getShape().size();
  return b.transpose(value, inversePermutation(movingFirstTo(dim, rank)));
}

/// Moves the batch dimension of an input to the front, the order of the C interface.
static void moveInput(train::FuncOp func, BlockArgument argument, int64_t dim) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  auto input = Signature(func).argument<train::InputAttr>(argument);
  GradBuilder b(builder, argument.getLoc(), train::OriginAttr::get(input.getName()));
  auto type = cast<RankedTensorType>(argument.getType());
  SmallVector<int64_t> order = movingFirstTo(dim, type.getRank()), shape(type.getShape());
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin(), type.getDimSize(dim));
  argument.setType(type.clone(shape));
  Value moved = b.transpose(argument, order);
  argument.replaceAllUsesExcept(moved, moved.getDefiningOp());
}

static void markInputs(train::FuncOp func, int64_t batch, ArrayRef<int64_t> axes) {
  Signature signature(func);
  for (BlockArgument argument : func.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto input = signature.argument<train::InputAttr>(i);
    int64_t dim = axes.empty() ? 0 : axes[i];
    if (!input || dim < 0 || dim >= int64_t(tensorOf(argument).getShape().size()) ||
        tensorOf(argument).getShape()[dim] != batch)
      continue;
    if (dim > 0)
      moveInput(func, argument, dim);
    signature.setArgument(i, input.withBatch(0));
  }
  signature.updateType();
}

static void markOutputs(train::FuncOp func, const BatchDimensions &dims) {
  Signature signature(func);
  for (OpOperand &returned : func.getBody().front().getTerminator()->getOpOperands()) {
    auto output = signature.result<train::OutputAttr>(returned);
    auto found = dims.find(returned.get());
    if (!output || found == dims.end())
      continue;
    int64_t dim = found->second;
    signature.setResult(returned.getOperandNumber(), output.withBatch(0));
    if (dim == 0)
      continue;
    OpBuilder builder(returned.getOwner());
    Value value = returned.get();
    GradBuilder b(builder, value.getLoc(), originOf(value));
    returned.set(moveToFirst(b, value, dim));
  }
  signature.updateType();
}

/// Moves the rows of the operands to the front for an op that combines rows, also for operands with
/// rows that are no batch, such as a target equal in every batch; results are moved back.
static void transposeCombined(ValidRowsOpInterface op, int64_t dim, const BatchDimensions &dims) {
  OpBuilder builder(op);
  GradBuilder b(builder, op);
  auto batched = llvm::find_if(op->getOperands(), [&](Value v) { return dims.contains(v); });
  SmallVector<int64_t> leading(tensorOf(*batched).getShape().take_front(dim + 1));
  for (OpOperand &operand : op->getOpOperands())
    if (tensorOf(operand.get()).getShape().take_front(dim + 1) == ArrayRef(leading))
      operand.set(moveToFirst(b, operand.get(), dim));
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults())
    if (dims.contains(result)) {
      auto order = movingFirstTo(dim, tensorOf(result).getShape().size());
      auto type = cast<RankedTensorType>(result.getType());
      SmallVector<int64_t> shape = llvm::map_to_vector(
          inversePermutation(order), [&](int64_t i) { return type.getDimSize(i); });
      result.setType(type.clone(shape));
      Value back = b.transpose(result, order);
      result.replaceAllUsesExcept(back, back.getDefiningOp());
    }
}

void ampc::prepareBatch(train::FuncOp func) {
  std::optional<SmallVector<int64_t>> axes = batchAxes(func);
  int64_t batch = axes ? batchOf(func, *axes) : 0;
  if (!batch)
    return;
  func.setBatch(batch);
  markInputs(func, batch, *axes);
  Operation *mixing = nullptr;
  auto canCombine = [&](ValidRowsOpInterface op, int64_t dim) {
    return canCombineAlong(op, batch, dim);
  };
  std::optional<BatchDimensions> dims = rowsOfBatch(func, batch, canCombine, nullptr, &mixing);
  if (!dims)
    return MixedRows::set(func, mixing);
  markOutputs(func, *dims);
  Value valid = Signature(func).addControl(train::Control::Valid);
  for (auto op : opsOf<ValidRowsOpInterface>(func)) {
    int64_t dim = commonDimension(op->getOperands(), [&](Value v) {
      auto found = dims->find(v);
      return found == dims->end() ? -1 : found->second;
    });
    if (dim < 0) // a penalty on parameters counts all rows
      continue;
    if (dim > 0)
      transposeCombined(op, dim, *dims);
    else if (!acceptsBatchRows(op, batch))
      continue;
    op.setValidRows(valid, batch);
  }
  func.setShortBatch(true);
}
