// Weights in the order in which products read them, as state that follows the weights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Passes.h"
#include "ampc/Target/Target.h"
#include "lib/Kernel/Fusion/Spaces.h"
#include "mlir-dialects/Train/Origin.h"
#include "mlir-dialects/Train/Signature.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELPACKWEIGHTS
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using kernel::PackedAttr;

namespace {
/// A weight in the order of right sides that are summed over its dimension `depth`.
using Copy = std::pair<StringAttr, unsigned>;

class PackWeights {
public:
  PackWeights(train::ModelOp model, const Target &target, int64_t rows, bool always)
      : model(model), module(model->getParentOfType<ModuleOp>()), target(target), rows(rows),
        always(always) {}
  void run();

private:
  void findProducts(kernel::ProgramOp program);
  bool isWeight(StringAttr state);
  Packing packingOf(const Copy &copy);
  bool pays(const Copy &copy);
  bool goes(StringAttr state);
  void add(const Copy &copy);
  void read(kernel::ProgramOp program, const Copy &copy, StringAttr name);
  void write(kernel::ProgramOp program, const Copy &copy, StringAttr name);
  void derive(const Copy &copy, StringAttr name);
  kernel::ProgramOp derivation();
  void dropIfUnread(StringAttr state);
  Type packedType(const Copy &copy);

  train::ModelOp model;
  ModuleOp module;
  const Target &target;
  int64_t rows; ///< 0: as the target says
  bool always;
  llvm::MapVector<Copy, llvm::MapVector<Operation *, SmallVector<kernel::GemmOp>>> products;
  /// What programs write, but for the copies: results that are added stand behind the others.
  DenseMap<Operation *, DenseMap<StringAttr, unsigned>> writes;
};
} // namespace

static Operation *returnOf(kernel::ProgramOp program) {
  return program.getBody().front().getTerminator();
}

/// The results of the program that are the new value of a state, by its name.
static DenseMap<StringAttr, unsigned> findWrites(kernel::ProgramOp program) {
  DenseMap<StringAttr, unsigned> writes;
  for (unsigned i = program.getNumResults(); i-- > 0;)
    if (StringAttr state = Signature(program).stateResult(i);
        state && kernel::throughViews(returnOf(program)->getOperand(i)).getDefiningOp())
      writes[state] = i;
  return writes;
}

/// The dimension of the right side that is summed over, if the product could read it packed.
static std::optional<unsigned> packableDepth(kernel::GemmOp op) {
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  if (type.getRank() != 2 || type.getEncoding() || !isa<FloatType>(type.getElementType()) ||
      type.getElementType() != getElementTypeOrSelf(op.getLhs().getType()) ||
      op.getAcc().isF64() != type.getElementType().isF64())
    return {};
  unsigned n = op.getSpace().size() - 1, k = n + 1;
  for (unsigned depth : {0, 1}) {
    SmallVector<AffineExpr> dims(2);
    dims[depth] = getAffineDimExpr(k, op.getContext());
    dims[1 - depth] = getAffineDimExpr(n, op.getContext());
    if (mapAt(op.getOperandMaps(), 1) == AffineMap::get(k + 1, 0, dims, op.getContext()) &&
        type.getDimSize(depth) == op.getDepth() && type.getDimSize(1 - depth) == op.getSpace()[n])
      return depth;
  }
  return {};
}

bool PackWeights::isWeight(StringAttr state) {
  if (model.lookupSymbol<train::ParamOp>(state))
    return true;
  auto buffer = model.lookupSymbol<train::BufferOp>(state);
  return buffer && buffer.getRole() == train::StateRole::Working;
}

void PackWeights::findProducts(kernel::ProgramOp program) {
  for (auto op : program.getBody().getOps<kernel::GemmOp>()) {
    auto argument = dyn_cast<BlockArgument>(op.getRhs());
    StringAttr state =
        argument ? Signature(program).stateArgument(argument.getArgNumber()) : StringAttr();
    std::optional<unsigned> depth = packableDepth(op);
    if (state && depth && isWeight(state) &&
        target.getPacking(getElementTypeOrSelf(op.getRhs().getType())))
      products[{state, *depth}][program].push_back(op);
  }
}

Packing PackWeights::packingOf(const Copy &copy) {
  auto state = cast<StateOpInterface>(model.lookupSymbol(copy.first));
  return *target.getPacking(getElementTypeOrSelf(state.getType()));
}

/// Whether some program saves a share of its products' time by not packing in each of them.
/// Programs that others write the weight for, one call for each of theirs (grad and apply), or that
/// run seldom beside them (eval), only use what pays elsewhere.
bool PackWeights::pays(const Copy &copy) {
  for (auto &[program, ops] : products[copy]) {
    bool isWritten = writes[program].contains(copy.first);
    if (!isWritten && !cast<kernel::ProgramOp>(program).is(train::Role::Export))
      continue;
    int64_t total = 0;
    for (kernel::GemmOp op : ops)
      total += elements(op.getSpace().drop_back());
    int64_t saved = int64_t(ops.size()) - isWritten;
    if (saved > 0 && saved * (rows ? rows : packingOf(copy).rows) >= total)
      return true;
  }
  return false;
}

Type PackWeights::packedType(const Copy &copy) {
  auto type =
      cast<RankedTensorType>(cast<StateOpInterface>(model.lookupSymbol(copy.first)).getType());
  auto packed = PackedAttr::get(type.getContext(), kernel::Side::rhs, copy.second,
                                target.packedBytes(type, kernel::Side::rhs, copy.second));
  return RankedTensorType::get(type.getShape(), type.getElementType(), packed);
}

void PackWeights::read(kernel::ProgramOp program, const Copy &copy, StringAttr name) {
  Value packed = Signature(program).addState(name, packedType(copy));
  for (kernel::GemmOp op : products[copy][program])
    op.getRhsMutable().assign(packed);
}

static void addWrite(kernel::ProgramOp program, Value value, Type type, StringAttr name) {
  OpBuilder builder(returnOf(program));
  auto pack = kernel::PackOp::create(builder, value.getLoc(), type, value);
  setOrigins(pack, originsOf(kernel::throughViews(value)));
  Signature(program).addStateResult(pack, name);
}

void PackWeights::write(kernel::ProgramOp program, const Copy &copy, StringAttr name) {
  if (auto result = writes[program].find(copy.first); result != writes[program].end())
    addWrite(program, returnOf(program)->getOperand(result->second), packedType(copy), name);
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

/// After create and load the copy is made of what the weight then is.
void PackWeights::derive(const Copy &copy, StringAttr name) {
  kernel::ProgramOp program = derivation();
  if (writes[program].contains(copy.first))
    return; // done by `write`
  auto type = cast<StateOpInterface>(model.lookupSymbol(copy.first)).getType();
  addWrite(program, Signature(program).addState(copy.first, type), packedType(copy), name);
}

void PackWeights::add(const Copy &copy) {
  Operation *declared = model.lookupSymbol(copy.first);
  OpBuilder builder(declared->getContext());
  builder.setInsertionPointAfter(declared);
  auto name =
      builder.getStringAttr(copy.first.getValue() + (copy.second ? ".packed_turned" : ".packed"));
  auto copied = dyn_cast<train::BufferOp>(declared); // of a parameter, in 16 bits
  train::BufferOp::create(builder, declared->getLoc(), name.getValue(), packedType(copy),
                          train::ZerosAttr::get(builder.getContext()), train::StateRole::Working,
                          copied ? copied.getOfAttr().getAttr() : copy.first);
  for (auto program : module.getOps<kernel::ProgramOp>()) {
    if (products[copy].contains(program))
      read(program, copy, name);
    write(program, copy, name);
  }
  derive(copy, name);
}

/// A 16-bit copy whose only readers were products: programs then pack it straight away.
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

/// Whether nothing reads the state any more once all of its copies are made.
bool PackWeights::goes(StringAttr state) {
  if (!model.lookupSymbol<train::BufferOp>(state))
    return false;
  unsigned uses = 0, packable = 0;
  for (auto program : module.getOps<kernel::ProgramOp>())
    for (BlockArgument argument : program.getArguments())
      if (Signature(program).stateArgument(argument.getArgNumber()) == state)
        uses += std::distance(argument.use_begin(), argument.use_end());
  for (auto &[copy, programs] : products)
    for (auto &[program, ops] : programs)
      packable += copy.first == state ? ops.size() : 0;
  return uses == packable;
}

void PackWeights::run() {
  for (auto program : module.getOps<kernel::ProgramOp>()) {
    findProducts(program);
    writes[program] = findWrites(program);
  }
  llvm::SetVector<StringAttr> weights;
  SmallVector<Copy> all, wanted;
  for (auto &[copy, programs] : products) {
    all.push_back(copy);
    if (always || pays(copy))
      weights.insert(copy.first);
  }
  for (const Copy &copy : all)
    if (always || pays(copy) ||
        (weights.contains(copy.first) && packingOf(copy).isCompact && goes(copy.first)))
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
