// Random models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Generator.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

Generator::Generator(const Definitions &definitions, uint64_t seed, MLIRContext *context)
    : definitions(definitions), random(seed), gradients(~seed), orders(seed + (uint64_t(1) << 63)),
      fragments(seed ^ 0xF4A6), loops(seed ^ 0x100B5), context(context), builder(context),
      sampler(*this, random, context) {}

/// A few extents, so that shapes meet; the first is the batch.
void Generator::chooseExtents() {
  static const int64_t batches[] = {1, 2, 3, 4, 5, 6, 8, 8, 12, 16, 17};
  static const int64_t small[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33};
  static const int64_t large[] = {64, 100, 129, 257, 1000};
  sampler.extents = {random.pick(batches)};
  for (int i = 0; i < 3; ++i)
    sampler.extents.push_back(random.pick(small));
  if (random.chance(0.1)) {
    sampler.extents.push_back(random.pick(large));
    sampler.mostElements = 40000;
  }
  // No small extent, and no sum of two that are often drawn.
  static const int64_t own[] = {11, 13, 19};
  hasOwnBatch = fragments.chance(0.25);
  if (hasOwnBatch)
    sampler.extents[0] = fragments.pick(own);
}

NamedAttribute Generator::named(StringRef name, Attribute value) {
  return NamedAttribute(StringAttr::get(context, name), value);
}

Value Generator::create(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> attributes,
                        Type result) {
  OperationState state(builder.getUnknownLoc(), name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  if (result)
    state.addTypes(result);
  return builder.create(state)->getResult(0);
}

// ---- State, inputs and constants ----

std::string Generator::makeState(StringRef kind, RankedTensorType type) {
  std::string name;
  for (int number = 0; name.empty() || model.lookupSymbol(name); ++number)
    name = (kind == "train.param" ? "w" : "b") + std::to_string(number);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&model.getBody().front());
  Attribute init = sampler.parameters(random.pick(definitions.initialisers));
  if (!init || !isa<FloatType>(type.getElementType()))
    init = train::ZerosAttr::get(context);
  // Few ops that read the parameter determine fans.
  if (auto first = cast<InitAttrInterface>(init); !first.getMissingFans().empty())
    init = first.withFans({random.between(1, 20), random.between(1, 20)});
  if (leavesFans)
    init = makeOpenInit();
  leavesFans = false;
  OperationState state(builder.getUnknownLoc(), kind);
  state.addAttributes({named("sym_name", builder.getStringAttr(name)),
                       named("type", TypeAttr::get(type)), named("init", init)});
  builder.create(state);
  return name;
}

FlatSymbolRefAttr Generator::makeBuffer(RankedTensorType type) {
  return FlatSymbolRefAttr::get(context, makeState("train.buffer", type));
}

void Generator::dropBuffer(FlatSymbolRefAttr buffer) {
  for (auto op : llvm::make_early_inc_range(model.getOps<train::BufferOp>()))
    if (op.getSymName() == buffer.getValue())
      op.erase();
}

/// Reads an existing state of this type, which ties parameters, or a new state.
Value Generator::readState(StringRef kind, RankedTensorType type) {
  SmallVector<std::string> known;
  for (auto op : model.getOps<StateOpInterface>())
    if (op->getName().getStringRef() == kind && op.getType() == type)
      known.push_back(op.getSymName().str());
  std::string name =
      !known.empty() && random.chance(0.5) ? random.pick(known) : makeState(kind, type);
  return create("train.read", {}, {named("state", FlatSymbolRefAttr::get(context, name))}, type);
}

Value Generator::makeInput(RankedTensorType type) {
  auto func = cast<train::FuncOp>(body->getParentOp());
  for (BlockArgument argument : body->getArguments())
    if (argument.getType() == type && random.chance(0.3))
      return argument;
  auto name = builder.getStringAttr("x" + std::to_string(inputs++));
  return Signature(func).insertArgument(body->getNumArguments(), type, train::InputAttr::get(name),
                                        builder.getUnknownLoc());
}

/// Input, sometimes with the last dimension moved behind the first, like channels-first images.
Value Generator::makeOrdered(RankedTensorType type) {
  if (type.getRank() < 3 || !orders.chance(0.3))
    return makeInput(type);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  SmallVector<int64_t> planes(type.getShape());
  std::rotate(planes.begin() + 1, planes.end() - 1, planes.end());
  return create("train.transpose", makeInput(type.clone(planes)),
                named("permutation", builder.getDenseI64ArrayAttr(order)), type);
}

Value Generator::makeConstant(RankedTensorType type) {
  SmallVector<Attribute> elements;
  Type element = type.getElementType();
  bool isSplat = type.getNumElements() > 64 || random.chance(0.4);
  for (int64_t i = 0, count = isSplat ? 1 : type.getNumElements(); i < count; ++i)
    elements.push_back(
        isa<FloatType>(element)
            ? Attribute(FloatAttr::get(element, std::round(random.normal() * 64) / 64))
            : Attribute(
                  IntegerAttr::get(element, random.between(0, element.isInteger(1) ? 1 : 3))));
  return create("train.constant", {}, named("value", DenseElementsAttr::get(type, elements)), type);
}

Value Generator::makeLeaf(RankedTensorType type) {
  Type element = type.getElementType();
  Value leaf;
  double choice = random.unit();
  bool hasRows = hasOwnBatch && llvm::is_contained(type.getShape(), sampler.extents[0]);
  if (leavesFans && element.isF32() && type.getRank() > 1)
    leaf = create("train.read", {},
                  named("state", FlatSymbolRefAttr::get(context, makeState("train.param", type))),
                  type);
  else if (hasRows && (element.isF32() || element.isInteger(1)))
    leaf = makeOrdered(type);
  else if (element.isF32())
    leaf = choice < 0.45   ? readState("train.param", type)
           : choice < 0.80 ? makeOrdered(type)
           : choice < 0.92 ? makeConstant(type)
                           : readState("train.buffer", type);
  else if (element.isF64() || (isa<FloatType>(element) && (hasRows || !fragments.chance(0.3))))
    leaf = create("train.cast", makeLeaf(type.clone(builder.getF32Type())), {}, type);
  else if (isa<FloatType>(element))
    leaf = readState("train.param", type);
  else if (element.isInteger(32) && (choice < 0.7 || hasRows))
    leaf = drawsLookups ? makeRows(type) : makeInput(type);
  else
    leaf = makeConstant(type);
  if (random.chance(0.2))
    pool.push_back(leaf);
  return leaf;
}

// ---- Functions ----

train::FuncOp Generator::openFunction(StringRef name) {
  builder.setInsertionPointToEnd(&model.getBody().front());
  OperationState state(builder.getUnknownLoc(), "train.func");
  state.addAttributes({named("sym_name", builder.getStringAttr(name)),
                       named("function_type", TypeAttr::get(builder.getFunctionType({}, {})))});
  state.addRegion()->push_back(new Block());
  auto func = cast<train::FuncOp>(builder.create(state));
  body = &func.getBody().front();
  builder.setInsertionPointToStart(body);
  pool.clear();
  return func;
}

void Generator::closeFunction(train::FuncOp func, ValueRange results) {
  OperationState state(builder.getUnknownLoc(), "train.return");
  state.addOperands(results);
  builder.create(state);
  func.setFunctionType(builder.getFunctionType(body->getArgumentTypes(), results.getTypes()));
}

/// Ops on ops, from a batched input on.
void Generator::fillBody() {
  SmallVector<int64_t> shape = {sampler.extents[0]};
  for (int64_t rank = random.between(0, 3); rank > 0; --rank)
    shape.push_back(random.pick(sampler.extents));
  while (shape.size() > 1 && ShapedType::getNumElements(shape) > sampler.mostElements)
    shape.pop_back();
  pool.push_back(makeInput(RankedTensorType::get(shape, builder.getF32Type())));
  for (int64_t count = random.between(1, hasOwnBatch ? 3 : 10); count > 0; --count) {
    Operation *op = sampler.sample(random.pick(definitions.ops), builder);
    if (op)
      llvm::append_range(pool, op->getResults());
    if (helper && random.chance(0.3)) {
      SmallVector<Value> operands;
      for (Type type : helper.getFunctionType().getInputs())
        operands.push_back(makeLeaf(cast<RankedTensorType>(type)));
      OperationState state(builder.getUnknownLoc(), "train.call");
      state.addOperands(operands);
      state.addTypes(helper.getFunctionType().getResults());
      state.addAttribute("callee", FlatSymbolRefAttr::get(context, helper.getSymName()));
      llvm::append_range(pool, builder.create(state)->getResults());
    }
  }
  if (fragments.chance(0.4))
    addFragment();
  if (loops.chance(0.25))
    pool.push_back(makeLoop(/*depth=*/0));
}

/// Scalar with a gradient wherever the value has a gradient.
Value Generator::reduceToScalar(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.getElementType().isF32()) {
    type = type.clone(builder.getF32Type());
    value = create("train.cast", value, {}, type);
  }
  double choice = random.unit();
  if (choice < 0.3)
    value = create("train.tanh", value, {}, type);
  else if (choice < 0.5)
    value = create("train.mul", {value, makeLeaf(type)}, {}, type);
  if (random.chance(0.3)) {
    static const char *losses[] = {"train.mse", "train.l1", "train.bce_with_logits"};
    return create(random.pick(losses), {value, makeLeaf(type)}, {},
                  type.clone(ArrayRef<int64_t>()));
  }
  if (!type.getRank())
    return value;
  auto dims = builder.getDenseI64ArrayAttr(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  return create(random.chance(0.7) ? "train.reduce_mean" : "train.reduce_sum", value,
                named("dims", dims), type.clone(ArrayRef<int64_t>()));
}

/// The values of f32 that a value is computed from.
static SmallVector<Value> causesOf(Value value) {
  llvm::SetVector<Value> causes;
  causes.insert(value);
  for (size_t i = 0; i < causes.size(); ++i)
    if (Operation *op = causes[i].getDefiningOp())
      for (Value operand : op->getOperands())
        if (getElementTypeOrSelf(operand).isF32())
          causes.insert(operand);
  return causes.takeVector();
}

/// Adds a gradient penalty: a scalar of the gradient of the loss, or of a sum over rows, with
/// respect to a value that the loss depends on.
Value Generator::addSlope(Value loss) {
  Value number = loss;
  if (gradients.chance(0.6)) {
    Value value = gradients.pick(causesOf(loss));
    auto type = cast<RankedTensorType>(value.getType());
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    if (type.getRank() > 0)
      number = create("train.reduce_sum", value, named("dims", builder.getDenseI64ArrayAttr(dims)),
                      type.clone(ArrayRef<int64_t>()));
  }
  Value source = gradients.pick(causesOf(number));
  Value part = reduceToScalar(create("train.grad", {number, source}, {}, source.getType()));
  return create("train.add", {loss, part}, {}, loss.getType());
}

/// The sum of all that nothing reads.
Value Generator::makeLoss() {
  Value loss;
  for (Value value : llvm::to_vector(pool))
    if (value.use_empty() && isa<FloatType>(getElementTypeOrSelf(value))) {
      Value part = reduceToScalar(value);
      loss = loss ? create("train.add", {loss, part}, {}, part.getType()) : part;
    }
  bool readsParameter = false;
  for (auto read : body->getOps<train::ReadOp>())
    readsParameter |=
        isa<train::ParamOp>(SymbolTable::lookupNearestSymbolFrom(read, read.getStateAttr()));
  if (!readsParameter || !loss) {
    auto type = RankedTensorType::get({random.pick(sampler.extents)}, builder.getF32Type());
    Value part = reduceToScalar(readState("train.param", type));
    loss = loss ? create("train.add", {loss, part}, {}, part.getType()) : part;
  }
  if (hasOwnBatch || fragments.chance(0.1))
    loss = addTerms(loss);
  return gradients.chance(0.1) ? addSlope(loss) : loss;
}

void Generator::makeWrites() {
  if (!random.chance(0.2))
    return;
  Value value = random.pick(pool);
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.getElementType().isF32())
    return;
  OperationState state(builder.getUnknownLoc(), "train.write");
  state.addOperands(value);
  state.addAttribute("state", makeBuffer(type));
  builder.create(state);
}

/// Wraps some neighbours in a region of a precision.
void Generator::makeRegion(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  if (ops.size() < 2 || !random.chance(0.2))
    return;
  size_t first = random.between(0, ops.size() - 1), last = random.between(first, ops.size() - 1);
  ArrayRef<Operation *> inside = ArrayRef(ops).slice(first, last - first + 1);
  if (llvm::any_of(inside, [](Operation *op) { return isa<train::WriteOp>(op); }))
    return;
  llvm::SetVector<Value> outs;
  for (Operation *op : inside)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !llvm::is_contained(inside, user); }))
        outs.insert(result);
  SmallVector<Value> yielded(outs.begin(), outs.end());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(inside.front());
  OperationState state(builder.getUnknownLoc(), "amp.autocast");
  state.addTypes(llvm::to_vector(ValueRange(yielded).getTypes()));
  Type types[] = {builder.getBF16Type(), builder.getF16Type(), builder.getF32Type(), {}};
  if (Type type = random.pick(types))
    state.addAttribute("type", TypeAttr::get(type));
  auto *region = new Block();
  state.addRegion()->push_back(region);
  Operation *autocast = builder.create(state);
  for (Operation *op : inside)
    op->moveBefore(region, region->end());
  for (auto [out, result] : llvm::zip(yielded, autocast->getResults()))
    Value(out).replaceUsesWithIf(
        result, [&](OpOperand &use) { return use.getOwner()->getBlock() != region; });
  builder.setInsertionPointToEnd(region);
  OperationState yield(builder.getUnknownLoc(), "amp.yield");
  yield.addOperands(yielded);
  builder.create(yield);
}

void Generator::chooseComputeTypes(Block &block) {
  if (!random.chance(0.15))
    return;
  Type types[] = {builder.getBF16Type(), builder.getF16Type(), builder.getF32Type()};
  for (Operation &op : block)
    if (isa<PrecisionOpInterface>(op) && !op.hasTrait<OpTrait::ConstantLike>() &&
        random.chance(0.3))
      op.setAttr("compute", TypeAttr::get(random.pick(types)));
}

void Generator::makeHelper() {
  train::FuncOp func = openFunction("helper");
  fillBody();
  SmallVector<Value> results = {pool.back()};
  closeFunction(func, results);
  helper = func;
}

void Generator::makeExport(int number) {
  std::string name = "infer" + std::to_string(number);
  train::FuncOp func = openFunction(name);
  fillBody();
  SmallVector<Value> results;
  for (Value value : pool)
    if ((value.use_empty() || random.chance(0.2)) && results.size() < 3)
      results.push_back(value);
  closeFunction(func, results.empty() ? ValueRange(pool.back()) : ValueRange(results));
  makeRegion(*body);
  builder.setInsertionPointToEnd(&model.getBody().front());
  OperationState state(builder.getUnknownLoc(), "train.export");
  state.addAttributes({named("function", FlatSymbolRefAttr::get(context, name)),
                       named("name", builder.getStringAttr("predict" + std::to_string(number)))});
  builder.create(state);
}

// ---- Steps ----

/// Parameters that a function reads, itself or through the helper.
static SmallVector<std::string> readParameters(train::ModelOp model, train::FuncOp func) {
  llvm::SetVector<StringAttr> names;
  auto collect = [&](train::FuncOp of) {
    of.walk([&](train::ReadOp read) {
      if (isa<train::ParamOp>(SymbolTable::lookupSymbolIn(model, read.getStateAttr())))
        names.insert(read.getStateAttr().getAttr());
    });
  };
  collect(func);
  func.walk([&](train::CallOp call) {
    collect(cast<train::FuncOp>(SymbolTable::lookupSymbolIn(model, call.getCalleeAttr())));
  });
  return llvm::map_to_vector(names, [](StringAttr name) { return name.str(); });
}

/// The group with a schedule, limits or a decay of its own.
train::GroupAttr Generator::withLimits(train::GroupAttr group) {
  auto maybe = [&](double chance, double number) {
    return fragments.chance(chance) ? std::optional(APFloat(number)) : std::nullopt;
  };
  auto schedule = ScheduleAttrInterface();
  if (fragments.chance(0.3))
    schedule = cast<ScheduleAttrInterface>(sampler.parameters(random.pick(definitions.schedules)));
  return train::GroupAttr::get(context, group.getParams(), group.getOptimizer(), schedule,
                               maybe(0.25, 0.1), maybe(0.2, 0.05), maybe(0.2, 0.9));
}

void Generator::makeStep(int number, train::FuncOp loss) {
  SmallVector<Attribute> over;
  SmallVector<std::string> read = readParameters(model, loss);
  for (const std::string &name : read)
    if (random.chance(0.85) || (over.empty() && name == read.back())) {
      over.push_back(FlatSymbolRefAttr::get(context, name));
      learned.push_back(name);
    }
  OperationState state(builder.getUnknownLoc(), "train.step");
  auto set = [&](StringRef name, Attribute value) { state.addAttribute(name, value); };
  set("sym_name", builder.getStringAttr("fit" + std::to_string(number)));
  set("loss", FlatSymbolRefAttr::get(context, loss.getSymName()));
  set("params", builder.getArrayAttr(over));
  set("optimizer", sampler.parameters(random.pick(definitions.optimizers)));
  if (over.size() > 1 && random.chance(0.4)) {
    size_t count = random.between(1, over.size() - 1);
    auto group = train::GroupAttr::get(
        context, builder.getArrayAttr(ArrayRef(over).take_front(count)),
        cast<OptimizerAttrInterface>(sampler.parameters(random.pick(definitions.optimizers))));
    set("groups", builder.getArrayAttr(Attribute(withLimits(group))));
  }
  if (random.chance(0.4))
    set("schedule", sampler.parameters(random.pick(definitions.schedules)));
  if (random.chance(0.25))
    set("clip_norm", builder.getF64FloatAttr(random.chance(0.5) ? 0.01 : 1.0));
  if (random.chance(0.15))
    set("clip_value", builder.getF64FloatAttr(random.chance(0.5) ? 0.01 : 0.5));
  int64_t parts = random.chance(0.2) ? random.between(1, 3) : 0;
  if (hasOwnBatch && fragments.chance(0.8))
    parts = fragments.between(2, 3);
  if (parts)
    set("micro_batches", builder.getI64IntegerAttr(parts));
  if (fragments.chance(0.2))
    set("weight_rounding", builder.getStringAttr(fragments.chance(0.6) ? "stochastic" : "nearest"));
  if (random.chance(0.2))
    set("ema_decay", builder.getF64FloatAttr(random.chance(0.3) ? 0.0 : 0.9));
  if (random.chance(0.25)) {
    if (!model.lookupSymbol("scale")) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&model.getBody().front());
      OperationState scaler(builder.getUnknownLoc(), "amp.scaler");
      scaler.addAttributes({named("sym_name", builder.getStringAttr("scale")),
                            named("scaling", sampler.parameters(definitions.scalings[0]))});
      builder.create(scaler);
    }
    set("amp.scaler", FlatSymbolRefAttr::get(context, "scale"));
  }
  builder.setInsertionPointToEnd(&model.getBody().front());
  builder.create(state);
}

OwningOpRef<ModuleOp> Generator::run() {
  chooseExtents();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  OperationState state(builder.getUnknownLoc(), "train.model");
  state.addAttribute("sym_name", builder.getStringAttr("m"));
  state.addRegion()->push_back(new Block());
  model = cast<train::ModelOp>(builder.create(state));
  if (random.chance(0.1))
    makeHelper();
  int losses = random.chance(0.2) ? 2 : 1;
  for (int i = 0; i < losses; ++i) {
    train::FuncOp loss = openFunction("loss" + std::to_string(i));
    fillBody();
    Value value = makeLoss();
    makeWrites();
    chooseComputeTypes(*body);
    closeFunction(loss, value);
    makeRegion(*body);
    makeStep(i, loss);
  }
  for (int i = 0, count = random.chance(0.4); i < count; ++i)
    makeExport(i);
  for (auto param : model.getOps<train::ParamOp>())
    if (!llvm::is_contained(learned, param.getSymName()))
      param->setAttr("frozen", builder.getUnitAttr());
  return module;
}
