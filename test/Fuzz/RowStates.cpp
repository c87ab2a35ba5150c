// Buffers with a row per row of the batch, added to a random model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/RowStates.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "test/Fuzz/Addition.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

namespace {
enum class Kind { Cell, Layer, Loop, Average, Count };

/// A recurrence between batches. Example, a cell: h = tanh(h wh + x wx).
struct Recurrence {
  Kind kind = Kind::Cell;
  int64_t batch = 0, width = 1, inner = 1, rounds = 1;
  SmallVector<std::string> states, params;
  SmallVector<RankedTensorType> stateTypes, paramTypes;
  bool isStopped = false;       ///< stop_gradient in front of the states
  bool isReset = false;         ///< an input begins new sequences in some rows
  SmallVector<Value> news = {}; ///< new states, in the function under construction
};

class RowStates : Addition {
public:
  using Addition::Addition;
  void run();

private:
  Recurrence makeRecurrence(train::FuncOp func);
  void addState(Recurrence &recurrence, RankedTensorType type);
  void addParam(Recurrence &recurrence, ArrayRef<int64_t> shape);
  Value param(const Recurrence &recurrence, size_t number);
  SmallVector<Value> readStates(train::FuncOp func, const Recurrence &recurrence);
  Value makeSequence(train::FuncOp func, const Recurrence &recurrence, bool batchFirst);
  Value addCell(train::FuncOp func, Recurrence &recurrence, Value state);
  Value addLayer(train::FuncOp func, Recurrence &recurrence, ValueRange states);
  Value addLoop(train::FuncOp func, Recurrence &recurrence, Value state);
  Value addAverage(train::FuncOp func, Recurrence &recurrence, Value state);
  Value addCount(Recurrence &recurrence, Value state);
  Value apply(train::FuncOp func, Recurrence &recurrence);
  Value makeTerm(train::FuncOp func, Value value);
  void leaveAlone(train::FuncOp loss, Value term);
  void addResult(train::FuncOp func, Value value);
  void learn(train::FuncOp loss, const Recurrence &recurrence);

  Value averaged;       // of the function for which the recurrence was drawn, or null
  bool isAlone = false; // losses are the terms of recurrences
};
} // namespace

// ---- Draws ----

void RowStates::addState(Recurrence &recurrence, RankedTensorType type) {
  static const char *inits[] = {"#train.zeros", "#train.zeros", "#train.ones", "#train.fill<0.25>"};
  Type element = type.getElementType();
  if (isa<FloatType>(element) && random.chance(0.12))
    type = type.clone(random.chance(0.5) ? Type(builder.getBF16Type()) : builder.getF16Type());
  SmallVector<NamedAttribute> marks = {named(RowState::key, builder.getUnitAttr())};
  if (random.chance(0.3))
    marks.push_back(named(RowState::passed, builder.getUnitAttr()));
  recurrence.states.push_back(declare(
      "train.buffer", "h", type, isa<FloatType>(element) ? random.pick(inits) : inits[0], marks));
  recurrence.stateTypes.push_back(type);
}

void RowStates::addParam(Recurrence &recurrence, ArrayRef<int64_t> shape) {
  recurrence.params.push_back(declare("train.param", "u", real(shape), "#train.normal<std = 0.5>"));
  recurrence.paramTypes.push_back(real(shape));
}

/// Values of f32 with a row per row of the batch that ops of the function itself compute.
static SmallVector<Value> rowsIn(train::FuncOp func, int64_t batch) {
  SmallVector<Value> found;
  for (Operation &op : func.getBody().front())
    for (Value result : op.getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType());
          type && type.getRank() && type.getDimSize(0) == batch && type.getElementType().isF32() &&
          type.getNumElements() <= 512)
        found.push_back(result);
  return found;
}

Recurrence RowStates::makeRecurrence(train::FuncOp func) {
  static const Kind kinds[] = {Kind::Cell, Kind::Cell,    Kind::Layer,   Kind::Layer, Kind::Loop,
                               Kind::Loop, Kind::Average, Kind::Average, Kind::Count};
  static const int64_t widths[] = {1, 2, 3, 5, 7, 9, 16};
  Recurrence made;
  made.kind = random.pick(kinds);
  made.batch = batchOf(func);
  made.width = random.pick(widths);
  made.inner = made.kind == Kind::Loop ? made.width : random.pick(widths);
  made.rounds = random.between(1, 4);
  made.isStopped = random.chance(0.2);
  made.isReset = random.chance(0.3);
  RankedTensorType rows = real({made.batch, made.width});
  switch (made.kind) {
  case Kind::Cell:
    addParam(made, {made.width, made.width});
    addParam(made, {made.inner, made.width});
    addState(made, rows);
    break;
  case Kind::Layer:
    addParam(made, {made.inner, 4 * made.width});
    addParam(made, {made.width, 4 * made.width});
    addParam(made, {4 * made.width});
    addState(made, rows);
    addState(made, rows);
    break;
  case Kind::Loop:
    addParam(made, {made.width, made.width});
    addState(made, rows);
    break;
  case Kind::Average: {
    SmallVector<Value> values = rowsIn(func, made.batch);
    averaged = values.empty() ? Value() : random.pick(values);
    addState(made, averaged ? cast<RankedTensorType>(averaged.getType()) : rows);
    break;
  }
  case Kind::Count:
    addState(made, RankedTensorType::get({made.batch}, builder.getI32Type()));
    break;
  }
  if (isAlone) // a factor, since an average and a count have no other parameter
    addParam(made, {});
  return made;
}

// ---- Ops ----

Value RowStates::param(const Recurrence &recurrence, size_t number) {
  return read(recurrence.params[number], recurrence.paramTypes[number]);
}

/// States in f32, or i32; 0 in the rows whose sequence begins.
SmallVector<Value> RowStates::readStates(train::FuncOp func, const Recurrence &recurrence) {
  SmallVector<Value> values;
  Value isFirst =
      recurrence.isReset
          ? addInput(func, RankedTensorType::get({recurrence.batch}, builder.getI1Type()))
          : Value();
  for (auto [name, type] : llvm::zip(recurrence.states, recurrence.stateTypes)) {
    Value value = read(name, type);
    RankedTensorType wide = isa<FloatType>(type.getElementType()) ? real(type.getShape()) : type;
    if (wide != type)
      value = create("train.cast", value, wide);
    if (recurrence.isStopped && wide.getElementType().isF32())
      value = create("train.stop_gradient", value, wide);
    if (isFirst) {
      SmallVector<int64_t> shape(type.getRank(), 1);
      shape[0] = recurrence.batch;
      auto mask = RankedTensorType::get(shape, builder.getI1Type());
      Value first = mask == isFirst.getType() ? isFirst : create("train.reshape", isFirst, mask);
      value = create("train.select", {first, makeNumber(0, wide.getElementType()), value}, wide);
    }
    values.push_back(value);
  }
  return values;
}

/// [batch, rounds, inner], or [rounds, batch, inner]: a transposed input.
Value RowStates::makeSequence(train::FuncOp func, const Recurrence &recurrence, bool batchFirst) {
  Value x = addInput(func, real({recurrence.batch, recurrence.rounds, recurrence.inner}));
  return batchFirst ? x
                    : create("train.transpose", x,
                             real({recurrence.rounds, recurrence.batch, recurrence.inner}),
                             named("permutation", builder.getDenseI64ArrayAttr({1, 0, 2})));
}

Value RowStates::addCell(train::FuncOp func, Recurrence &recurrence, Value state) {
  RankedTensorType rows = real({recurrence.batch, recurrence.width});
  Value x = addInput(func, real({recurrence.batch, recurrence.inner}));
  Value ofState = create("train.matmul", {state, param(recurrence, 0)}, rows);
  Value ofInput = create("train.linear", {x, param(recurrence, 1)}, rows);
  Value sum = create("train.add", {ofState, ofInput}, rows);
  return recurrence.news.emplace_back(create("train.tanh", sum, rows));
}

Value RowStates::addLayer(train::FuncOp func, Recurrence &recurrence, ValueRange states) {
  bool batchFirst = random.chance(0.5);
  int64_t batch = recurrence.batch, rounds = recurrence.rounds, width = recurrence.width;
  RankedTensorType rows = real({batch, width});
  Value x = makeSequence(func, recurrence, batchFirst);
  SmallVector<NamedAttribute> attributes = {
      named("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 1, 1, 1, 1, 1, 0, 0, 0}))};
  if (batchFirst)
    attributes.push_back(named("batch_first", builder.getUnitAttr()));
  Operation *layer = makeOp(
      "train.lstm",
      {x, param(recurrence, 0), param(recurrence, 1), param(recurrence, 2), states[0], states[1]},
      {batchFirst ? real({batch, rounds, width}) : real({rounds, batch, width}), rows, rows},
      attributes);
  recurrence.news.assign({layer->getResult(1), layer->getResult(2)});
  return layer->getResult(random.between(0, 1));
}

Value RowStates::addLoop(train::FuncOp func, Recurrence &recurrence, Value state) {
  RankedTensorType rows = real({recurrence.batch, recurrence.width});
  Value xs = makeSequence(func, recurrence, false), weights = param(recurrence, 0);
  auto block = std::make_unique<Block>();
  Value carried = block->addArgument(rows, builder.getUnknownLoc()),
        row = block->addArgument(rows, builder.getUnknownLoc());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(block.get());
    Value product = create("train.matmul", {carried, weights}, rows);
    Value next = create("train.tanh", create("train.add", {product, row}, rows), rows);
    train::NextOp::create(builder, builder.getUnknownLoc(), ValueRange{next}, ValueRange{next});
  }
  auto scan =
      train::ScanOp::create(builder, builder.getUnknownLoc(), TypeRange{rows, xs.getType()},
                            ValueRange{state}, ValueRange{xs}, IntegerAttr(), random.chance(0.2),
                            /*indexed=*/false, IntegerAttr());
  scan.getBody().push_back(block.release());
  recurrence.news.push_back(scan.getResult(0));
  return scan.getResult(random.between(0, 1));
}

/// h + (v - h) / 4
Value RowStates::addAverage(train::FuncOp func, Recurrence &recurrence, Value state) {
  auto rows = cast<RankedTensorType>(state.getType());
  Value value = averaged && averaged.getParentBlock() == &func.getBody().front()
                    ? averaged
                    : addInput(func, rows);
  Value apart = create("train.sub", {value, state}, rows);
  Value share = create("train.mul", {apart, makeNumber(0.25, builder.getF32Type())}, rows);
  return recurrence.news.emplace_back(create("train.add", {state, share}, rows));
}

/// Batches of every sequence so far, times 0.1.
Value RowStates::addCount(Recurrence &recurrence, Value state) {
  auto rows = cast<RankedTensorType>(state.getType());
  recurrence.news.push_back(
      create("train.add", {state, makeNumber(1, rows.getElementType())}, rows));
  RankedTensorType wide = rows.clone(builder.getF32Type());
  Value count = create("train.cast", recurrence.news.back(), wide);
  return create("train.mul", {count, makeNumber(0.1, builder.getF32Type())}, wide);
}

/// Reads and writes the states in front of the end of the function; returns rows of the new states.
Value RowStates::apply(train::FuncOp func, Recurrence &recurrence) {
  builder.setInsertionPoint(func.getBody().front().getTerminator());
  recurrence.news.clear();
  SmallVector<Value> states = readStates(func, recurrence);
  Value rows;
  switch (recurrence.kind) {
  case Kind::Cell:
    rows = addCell(func, recurrence, states[0]);
    break;
  case Kind::Layer:
    rows = addLayer(func, recurrence, states);
    break;
  case Kind::Loop:
    rows = addLoop(func, recurrence, states[0]);
    break;
  case Kind::Average:
    rows = addAverage(func, recurrence, states[0]);
    break;
  case Kind::Count:
    rows = addCount(recurrence, states[0]);
    break;
  }
  for (auto [name, type, value] :
       llvm::zip(recurrence.states, recurrence.stateTypes, recurrence.news)) {
    if (value.getType() != type)
      value = create("train.cast", value, type);
    makeOp("train.write", value, {}, named("state", FlatSymbolRefAttr::get(context, name)));
  }
  return rows;
}

/// A loss, mean or sum over the rows. Only losses leave out the rows that a short batch lacks.
Value RowStates::makeTerm(train::FuncOp func, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (random.chance(isAlone ? 0.75 : 0.3))
    return create(random.chance(0.7) ? "train.mse" : "train.l1", {value, addInput(func, type)},
                  type.clone(ArrayRef<int64_t>()));
  return reduceAll(random.chance(0.7) ? "train.reduce_mean" : "train.reduce_sum",
                   create("train.square", value, type));
}

/// Erases ops whose results nothing reads, and writes of other buffers.
static void eraseUnread(train::FuncOp func) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.getBody().front()))) {
    auto write = dyn_cast<train::WriteOp>(op);
    bool isRowWrite = write && isRowState(SymbolTable::lookupNearestSymbolFrom<StateOpInterface>(
                                   write, write.getStateAttr()));
    if (op.use_empty() && !isRowWrite && !isa<train::ReturnOp>(op))
      op.erase();
  }
}

/// Makes the term the loss. Whether a batch may be short, and whether micro-batches are possible,
/// then depends on the recurrence alone.
void RowStates::leaveAlone(train::FuncOp loss, Value term) {
  loss.getBody().front().getTerminator()->setOperand(0, term);
  eraseUnread(loss);
  for (auto step : model.getOps<train::StepOp>())
    if (step.getLoss() == loss.getSymName()) {
      step.setParamsAttr(builder.getArrayAttr({}));
      step.removeGroupsAttr();
    }
}

void RowStates::addResult(train::FuncOp func, Value value) {
  Operation *end = func.getBody().front().getTerminator();
  end->insertOperands(end->getNumOperands(), value);
  func.setFunctionType(
      builder.getFunctionType(func.getArgumentTypes(), TypeRange(end->getOperandTypes())));
}

/// Adds the parameters to the steps of a loss; a parameter of no step is frozen.
void RowStates::learn(train::FuncOp loss, const Recurrence &recurrence) {
  for (auto step : model.getOps<train::StepOp>()) {
    if (step.getLoss() != loss.getSymName())
      continue;
    SmallVector<Attribute> over(step.getParams().getValue());
    for (const std::string &name : recurrence.params)
      if (auto symbol = FlatSymbolRefAttr::get(context, name);
          !llvm::is_contained(over, symbol) && (isAlone || random.chance(0.85)))
        over.push_back(symbol);
    step.setParamsAttr(builder.getArrayAttr(over));
  }
}

static void freezeOthers(train::ModelOp model) {
  DenseSet<Attribute> learned;
  for (auto step : model.getOps<train::StepOp>())
    learned.insert_range(step.getParams());
  for (auto param : model.getOps<train::ParamOp>())
    if (!learned.contains(FlatSymbolRefAttr::get(param.getSymNameAttr())))
      param->setAttr("frozen", UnitAttr::get(model.getContext()));
}

void RowStates::run() {
  std::vector<Recurrence> known;
  isAlone = random.chance(0.4);
  int64_t parts = random.chance(0.5) ? random.between(2, 3) : 1;
  for (train::FuncOp loss : losses()) {
    // Two steps may read and write the same rows.
    if (known.empty() || random.chance(0.6))
      known.push_back(makeRecurrence(loss));
    Value rows = apply(loss, known.back());
    if (isAlone) {
      Value factor = param(known.back(), known.back().params.size() - 1);
      rows = create("train.mul", {rows, factor}, rows.getType());
      leaveAlone(loss, makeTerm(loss, rows));
    } else {
      addToLoss(loss, makeTerm(loss, rows));
    }
    learn(loss, known.back());
  }
  for (auto step : model.getOps<train::StepOp>())
    if (isAlone)
      step->setAttr("micro_batches", builder.getI64IntegerAttr(parts));
  for (train::FuncOp func : exported())
    if (random.chance(0.6))
      addResult(func, apply(func, random.pick(known)));
  freezeOthers(model);
}

void fuzz::addRowStates(ModuleOp module, Random &random) {
  for (auto model : llvm::to_vector(module.getOps<train::ModelOp>()))
    RowStates(model, random).run();
}
