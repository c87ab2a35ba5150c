// Weight packing: derived state with each weight in the panel order of the micro-kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "lib/Kernel/Packing/PackableProducts.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELPACKWEIGHTS
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {
class PackWeights {
public:
  PackWeights(train::ModelOp model, const Target &target, int64_t rows, bool always)
      : model(model), module(model->getParentOfType<ModuleOp>()), target(target), rows(rows),
        always(always) {}
  void run();

private:
  bool isWeight(StringAttr state);
  Packing packingOf(const Copy &copy);
  bool pays(const Copy &copy);
  bool becomesUnread(StringAttr state);
  void add(const Copy &copy);
  Value copyIn(kernel::ProgramOp program, kernel::ProgramOp caller, const Copy &copy,
               StringAttr name);
  void read(kernel::ProgramOp program, const Copy &copy, StringAttr name);
  void write(kernel::ProgramOp program, const Copy &copy, StringAttr name);
  void derive(const Copy &copy, StringAttr name);
  kernel::ProgramOp derivation();
  void dropIfUnread(StringAttr state);

  train::ModelOp model;
  ModuleOp module;
  const Target &target;
  int64_t rows; ///< 0: the default of the target
  bool always;
  PackableProducts reads;
  /// State writes of each program, without the copies: added results stand behind the others.
  DenseMap<Operation *, DenseMap<StringAttr, unsigned>> writes;
};
} // namespace

static Operation *returnOf(kernel::ProgramOp program) {
  return program.getBody().front().getTerminator();
}

/// Program results that are the new value of a state, by the name of the state.
static DenseMap<StringAttr, unsigned> findWrites(kernel::ProgramOp program) {
  DenseMap<StringAttr, unsigned> writes;
  for (unsigned i = program.getNumResults(); i-- > 0;)
    if (StringAttr state = Signature(program).stateResult(i);
        state && kernel::throughViews(returnOf(program)->getOperand(i)).getDefiningOp())
      writes[state] = i;
  return writes;
}

bool PackWeights::isWeight(StringAttr state) {
  if (model.lookupSymbol<train::ParamOp>(state))
    return true;
  auto buffer = model.lookupSymbol<train::BufferOp>(state);
  return buffer && buffer.getRole() == train::StateRole::Working;
}

Packing PackWeights::packingOf(const Copy &copy) {
  auto state = cast<StateOpInterface>(model.lookupSymbol(copy.first));
  return *target.getPacking(getElementTypeOrSelf(state.getType()));
}

/// Whether the copy pays: a program that writes the weight, or an export, saves a share of the time
/// of its products by not packing in each product. Programs whose weight is written by another
/// program, once per call (grad and apply), or that run seldom (eval), only use copies that pay
/// elsewhere.
bool PackWeights::pays(const Copy &copy) {
  for (auto &[program, found] : reads[copy]) {
    bool isWritten = writes[program].contains(copy.first);
    if (!isWritten && !cast<kernel::ProgramOp>(program).is(train::Role::Export))
      continue;
    int64_t total = 0, saved = isWritten ? -found.front().writing : 0;
    for (PackableProduct read : found) {
      total += read.runs * elements(read.product.getSpace().drop_back());
      saved += read.runs * read.saving;
    }
    if (saved > 0 && saved * (rows ? rows : packingOf(copy).rows) >= total)
      return true;
  }
  return false;
}

/// The copy as an argument of `program`, which may be an outlined loop body below `caller`.
Value PackWeights::copyIn(kernel::ProgramOp program, kernel::ProgramOp caller, const Copy &copy,
                          StringAttr name) {
  if (program == caller)
    return Signature(program).addState(name, copy.second);
  kernel::CallOp call = onlyCallOf(program);
  Value given = copyIn(call->getParentOfType<kernel::ProgramOp>(), caller, copy, name);
  auto known = llvm::find(call.getInputs(), given);
  unsigned number = known - call.getInputs().begin();
  if (known != call.getInputs().end())
    return program.getArgument(number);
  call->insertOperands(number, given);
  return Signature(program).insertArgument(number, copy.second, train::InputAttr::get(name),
                                           program.getLoc());
}

/// Drops unread arguments of an outlined loop body and of the callers.
static void dropArguments(kernel::ProgramOp part) {
  kernel::CallOp call = onlyCallOf(part);
  for (unsigned i = part.getNumArguments(); i-- > call.getCarried();)
    if (part.getArgument(i).use_empty()) {
      (void)part.eraseArgument(i);
      call->eraseOperand(i);
    }
  if (auto caller = call->getParentOfType<kernel::ProgramOp>(); caller.is(train::Role::Part))
    dropArguments(caller);
}

void PackWeights::read(kernel::ProgramOp program, const Copy &copy, StringAttr name) {
  for (const PackableProduct &read : reads[copy][program]) {
    Operation *turned = read.product->getOperand(1).getDefiningOp();
    auto consumer = read.product->getParentOfType<kernel::ProgramOp>();
    read.product->setOperand(1, copyIn(consumer, program, copy, name));
    if (turned && turned->use_empty())
      turned->erase();
    if (consumer != program)
      dropArguments(consumer);
  }
}

/// Packs a matrix of equal shape; transforms and packs a filter for Winograd tiles.
static Operation *createCopy(OpBuilder &builder, Value weight, Type type) {
  int64_t tile = tileOf(cast<RankedTensorType>(weight.getType()), cast<RankedTensorType>(type));
  if (tile)
    return kernel::WinogradFilterOp::create(builder, weight.getLoc(), type, weight, tile);
  return kernel::PackOp::create(builder, weight.getLoc(), type, weight);
}
static void addWrite(kernel::ProgramOp program, Value value, const Copy &copy, StringAttr name) {
  OpBuilder builder(returnOf(program));
  Operation *pack = createCopy(builder, value, copy.second);
  setOrigins(pack, originsOf(kernel::throughViews(value)));
  Signature(program).addStateResult(pack->getResult(0), name);
}

void PackWeights::write(kernel::ProgramOp program, const Copy &copy, StringAttr name) {
  if (auto result = writes[program].find(copy.first); result != writes[program].end())
    addWrite(program, returnOf(program)->getOperand(result->second), copy, name);
}

kernel::ProgramOp PackWeights::derivation() {
  for (auto program : module.getOps<kernel::ProgramOp>())
    if (program.is(train::Role::Derive))
      return program;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto program =
      kernel::ProgramOp::create(builder, model.getLoc(), "derive", builder.getFunctionType({}, {}));
  program.setRole(train::Role::Derive);
  builder.createBlock(&program.getBody());
  kernel::ReturnOp::create(builder, model.getLoc(), ValueRange());
  return program;
}

/// Recomputes the copy from the weight after create and load.
void PackWeights::derive(const Copy &copy, StringAttr name) {
  kernel::ProgramOp program = derivation();
  if (writes[program].contains(copy.first))
    return; // the program writes the copy
  auto type = cast<StateOpInterface>(model.lookupSymbol(copy.first)).getType();
  addWrite(program, Signature(program).addState(copy.first, type), copy, name);
}

void PackWeights::add(const Copy &copy) {
  Operation *declared = model.lookupSymbol(copy.first);
  OpBuilder builder(declared->getContext());
  builder.setInsertionPointAfter(declared);
  auto type = cast<RankedTensorType>(cast<StateOpInterface>(declared).getType());
  auto name = builder.getStringAttr(copy.first.getValue() + suffixOf(type, copy.second));
  auto copied = dyn_cast<train::BufferOp>(declared); // 16-bit working copy of a parameter
  train::BufferOp::create(builder, declared->getLoc(), name.getValue(), copy.second,
                          train::ZerosAttr::get(builder.getContext()), train::StateRole::Working,
                          copied ? copied.getOfAttr().getAttr() : copy.first);
  for (auto program : module.getOps<kernel::ProgramOp>()) {
    if (reads[copy].contains(program))
      read(program, copy, name);
    write(program, copy, name);
  }
  derive(copy, name);
}

/// Drops a 16-bit working copy whose only consumers were products: programs then pack the cast
/// value directly.
void PackWeights::dropIfUnread(StringAttr state) {
  auto buffer = model.lookupSymbol<train::BufferOp>(state);
  if (!buffer)
    return; // a parameter stays
  for (auto program : module.getOps<kernel::ProgramOp>())
    for (BlockArgument argument : program.getArguments())
      if (Signature(program).stateArgument(argument.getArgNumber()) == state &&
          !argument.use_empty())
        return;
  for (auto program : module.getOps<kernel::ProgramOp>()) {
    for (unsigned i = program.getNumArguments(); i-- > 0;)
      if (Signature(program).stateArgument(i) == state)
        (void)program.eraseArgument(i);
    for (unsigned i = program.getNumResults(); i-- > 0;)
      if (Signature(program).stateResult(i) == state)
        Signature(program).eraseResult(i);
  }
  buffer.erase();
}

/// Whether the state has no consumer left once all of its copies exist.
bool PackWeights::becomesUnread(StringAttr state) {
  if (!model.lookupSymbol<train::BufferOp>(state))
    return false;
  SmallPtrSet<Operation *, 8> consumers;
  for (auto &[copy, programs] : reads)
    for (auto &[program, found] : programs)
      for (const PackableProduct &read : found)
        if (copy.first == state)
          consumers.insert(read.product);
  auto isPackable = [&](Operation *user) { return consumers.contains(user); };
  std::function<bool(OpOperand &)> goesWith = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto call = dyn_cast<kernel::CallOp>(user)) {
      auto part = call.getProgram();
      return part && llvm::all_of(part.getArgument(use.getOperandNumber()).getUses(), goesWith);
    }
    return isPackable(user) || (!user->use_empty() && llvm::all_of(user->getUsers(), isPackable));
  };
  for (auto program : module.getOps<kernel::ProgramOp>())
    for (BlockArgument argument : program.getArguments())
      if (Signature(program).stateArgument(argument.getArgNumber()) == state &&
          !llvm::all_of(argument.getUses(), goesWith))
        return false;
  return true;
}

void PackWeights::run() {
  auto isKnown = [this](StringAttr state) { return isWeight(state); };
  for (auto program : module.getOps<kernel::ProgramOp>()) {
    findPackableProducts(program, target, isKnown, reads);
    writes[program] = findWrites(program);
  }
  llvm::SetVector<StringAttr> weights;
  SmallVector<Copy> all, wanted;
  for (auto &[copy, programs] : reads) {
    all.push_back(copy);
    if (always || pays(copy))
      weights.insert(copy.first);
  }
  for (const Copy &copy : all)
    if (always || pays(copy) ||
        (weights.contains(copy.first) && packingOf(copy).isCompact && becomesUnread(copy.first)))
      wanted.push_back(copy);
  for (const Copy &copy : wanted)
    add(copy);
  for (StringAttr state : weights)
    dropIfUnread(state);
}

namespace {
struct KernelPackWeights : ampc::impl::KernelPackWeightsBase<KernelPackWeights> {
  using KernelPackWeightsBase::KernelPackWeightsBase;
  void runOnOperation() override {
    const Target *target = targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto model : llvm::to_vector(getOperation().getOps<train::ModelOp>()))
      PackWeights(model, *target, rows, always).run();
  }
};
} // namespace
