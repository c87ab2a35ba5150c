// Fan-in and fan-out of weights, for initializers whose variance depends on fans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Model/InlineCalls.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/TrainFlat.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINRESOLVEFANS
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
/// An op that multiplies by a tensor of state, or looks up rows of the tensor.
struct Reading {
  Operation *op;
  Fans fans;
};
/// All readings of a tensor. `data * w` takes precedence over products of weights alone: a penalty
/// on w w^T is no evidence of the layer that w belongs to.
struct Readings {
  SmallVector<Reading> ofData, ofWeights;
  /// Op that multiplies data by a product of the tensor with other weights: x (A B) has the fans of
  /// A B.
  Operation *ofProduct = nullptr;
};

/// Functions that steps and exports name, with calls inlined, and the values that depend on data.
class Programs {
public:
  LogicalResult add(train::ModelOp model);
  ArrayRef<Value> readsOf(StringRef state) const {
    auto found = reads.find(state);
    return found == reads.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
  }
  /// Whether the op multiplies the operand by data: an activation, or any other side of an op that
  /// has fans for a single side.
  bool multipliesData(FanOpInterface op, unsigned operand) const;
  /// Whether another operand is real and depends on inputs. An index or a condition that depends on
  /// inputs selects among weights.
  bool joinsData(OpOperand &use) const;

private:
  void visit(train::FuncOp func);
  void noteDependence(Operation *op);

  SmallVector<OwningOpRef<train::FuncOp>> functions;
  llvm::StringMap<SmallVector<Value>> reads; ///< by state
  DenseSet<Value> ofInputs;                  ///< values that depend on an input of a program
  /// ofInputs, and values computed from random numbers: GANs, samplers
  DenseSet<Value> activations;
};

/// Dataflow of the weights of a tensor of state through changes of shape and type.
class WeightDataflow {
public:
  WeightDataflow(const Programs &programs, StringRef state);
  Readings readings;

private:
  struct Point {
    Value value;
    bool isProduct; ///< multiplied by other weights
  };
  void follow(OpOperand &use, bool isProduct);
  void reach(Value value, bool isProduct) {
    if (reached[isProduct].insert(value).second)
      open.push_back({value, isProduct});
  }

  const Programs &programs;
  DenseSet<Value> reached[2]; ///< by `isProduct`
  SmallVector<Point> open;
};
} // namespace

static bool isReal(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

LogicalResult Programs::add(train::ModelOp model) {
  SymbolTable symbols(model);
  llvm::SetVector<StringRef> names;
  for (auto step : model.getOps<train::StepOp>())
    names.insert(step.getLoss());
  for (auto exp : model.getOps<train::ExportOp>())
    names.insert(exp.getFunction());
  for (StringRef name : names) {
    functions.push_back(symbols.lookup<train::FuncOp>(name).clone());
    if (failed(inlineCalls(*functions.back(), symbols)))
      return failure();
    visit(*functions.back());
  }
  return success();
}

/// A loop and its end have results and arguments that depend on single operands only.
void Programs::noteDependence(Operation *op) {
  auto note = [&](DenseSet<Value> &values, bool always) {
    bool depends = always;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!values.contains(operand.get()))
        continue;
      SmallVector<Value, 2> inLoop = flowsTo(operand);
      values.insert_range(inLoop);
      depends |= inLoop.empty();
    }
    if (depends)
      values.insert_range(op->getResults());
  };
  // Dropout of weights yields weights.
  bool draws = isa<RandomOpInterface>(op) && llvm::none_of(op->getOperands(), isReal);
  note(ofInputs, false);
  note(activations, draws);
}

/// A carried value may depend on data from a later round on: visits all ops until nothing changes.
void Programs::visit(train::FuncOp func) {
  func.walk([&](train::ReadOp read) { reads[read.getState()].push_back(read); });
  Block &body = func.getBody().front();
  ofInputs.insert_range(body.getArguments());
  activations.insert_range(body.getArguments());
  for (size_t known = 0; known != ofInputs.size() + activations.size();) {
    known = ofInputs.size() + activations.size();
    body.walk<WalkOrder::PreOrder>([&](Operation *op) { noteDependence(op); });
  }
}

bool Programs::multipliesData(FanOpInterface op, unsigned operand) const {
  bool hasOtherSide = false;
  for (OpOperand &other : op->getOpOperands()) {
    if (other.getOperandNumber() == operand)
      continue;
    if (isReal(other.get()) && activations.contains(other.get()))
      return true;
    hasOtherSide |= op.getFans(other.getOperandNumber()).has_value();
  }
  return !hasOtherSide;
}

bool Programs::joinsData(OpOperand &use) const {
  return llvm::any_of(use.getOwner()->getOpOperands(), [&](OpOperand &other) {
    return &other != &use && isReal(other.get()) && ofInputs.contains(other.get());
  });
}

/// Whether the results are weights: moved elements (transpose, slice), a value of equal shape (W +
/// A B, a masked W), or a product with other weights.
static bool makesWeights(OpOperand &use) {
  Operation *op = use.getOwner();
  ArrayRef<int64_t> shape = tensorOf(use.get()).getShape();
  return isMemoryEffectFree(op) && (op->hasTrait<GivesElements>() || isa<FanOpInterface>(op) ||
                                    llvm::any_of(op->getResults(), [&](Value result) {
                                      return tensorOf(result).getShape() == shape;
                                    }));
}

WeightDataflow::WeightDataflow(const Programs &programs, StringRef state) : programs(programs) {
  for (Value read : programs.readsOf(state))
    reach(read, false);
  while (!open.empty()) {
    Point point = open.pop_back_val();
    for (OpOperand &use : point.value.getUses())
      follow(use, point.isProduct);
  }
}

void WeightDataflow::follow(OpOperand &use, bool isProduct) {
  Operation *op = use.getOwner();
  SmallVector<Value, 2> inLoop = flowsTo(use);
  for (Value to : inLoop)
    reach(to, isProduct);
  if (!inLoop.empty())
    return;
  auto product = dyn_cast<FanOpInterface>(op);
  std::optional<Fans> fans;
  if (product)
    fans = product.getFans(use.getOperandNumber());
  bool ofData = fans && programs.multipliesData(product, use.getOperandNumber());
  if (ofData && isProduct)
    readings.ofProduct = op;
  else if (ofData)
    readings.ofData.push_back({op, *fans});
  else if (fans && !isProduct)
    readings.ofWeights.push_back({op, *fans});
  if (ofData || programs.joinsData(use) || !makesWeights(use))
    return;
  // A lookup selects among matrices of weights without multiplying.
  bool multiplies = product && !isa<IndexOpInterface>(op);
  for (Value result : op->getResults())
    reach(result, isProduct || multiplies);
}

static InFlightDiagnostic expectFans(StateOpInterface state) {
  return state->emitOpError() << "expected " << state.getInit().getMissingFans() << " in "
                              << state.getInit() << ", as ";
}

static LogicalResult resolve(StateOpInterface state, const Programs &programs) {
  InitAttrInterface init = state.getInit();
  Readings all = WeightDataflow(programs, state.getSymName()).readings;
  if (all.ofData.empty() && all.ofProduct) {
    InFlightDiagnostic error = expectFans(state) << "@" << state.getSymName()
                                                 << " is multiplied by other weights before data";
    error.attachNote(all.ofProduct->getLoc()) << "data is multiplied by the product here";
    return error;
  }
  ArrayRef<Reading> readings = all.ofData.empty() ? all.ofWeights : all.ofData;
  if (readings.empty())
    return expectFans(state) << "no op multiplies data by @" << state.getSymName()
                             << " and adds up the products, or looks up rows";
  Attribute resolved = init.withFans(readings.front().fans);
  for (const Reading &other : readings.drop_front()) {
    if (init.withFans(other.fans) == resolved)
      continue;
    InFlightDiagnostic error = expectFans(state)
                               << "ops that read @" << state.getSymName() << " have different fans";
    for (const Reading &each : {readings.front(), other})
      error.attachNote(each.op->getLoc())
          << "fan_in " << each.fans.in << " and fan_out " << each.fans.out << " here";
    return error;
  }
  state->setAttr("init", resolved);
  return success();
}

namespace {
struct TrainResolveFans : ampc::impl::TrainResolveFansBase<TrainResolveFans> {
  void runOnOperation() override {
    bool isChanged = false;
    for (auto model : getOperation().getOps<train::ModelOp>()) {
      std::optional<Programs> programs;
      for (auto state : model.getOps<StateOpInterface>()) {
        if (state.getInit().getMissingFans().empty())
          continue;
        if (!programs && (failed(checkHasOnlyLoops(getOperation(), getArgument())) ||
                          failed(programs.emplace().add(model))))
          return signalPassFailure();
        if (failed(resolve(state, *programs)))
          return signalPassFailure();
        isChanged = true;
      }
    }
    if (!isChanged)
      markAllAnalysesPreserved(); // and needs no verification
  }
};
} // namespace
