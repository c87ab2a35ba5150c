// Horizontal fusion: independent pointwise maps with one body become one kernel.multi_map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "lib/Kernel/Planning/MicroBatches.h"
#include "mlir-dialects/Kernel/MultiMap.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELFUSEHORIZONTALLY
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Tensors of a kernel that may live longer than before: scalars and the like.
constexpr int64_t smallBytes = 4096;

static bool hasOneElement(Value value) { return elements(shapeOf(value)) == 1; }

/// Whether a map visits all elements of a tensor in row-major order: [4, 8] by (d0, d1) -> (d0,
/// d1), and [1, 8] over [8] by (d0) -> (0, d0).
static bool isRowMajor(AffineMap map, Value tensor, ArrayRef<int64_t> space) {
  if (elements(shapeOf(tensor)) != elements(space))
    return false;
  SmallVector<unsigned> dims;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shapeOf(tensor))) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (size == 1)
      continue;
    if (!dim || space[dim.getPosition()] != size)
      return false;
    dims.push_back(dim.getPosition());
  }
  return llvm::is_sorted(dims, std::less_equal<>());
}

/// Whether a map may be a member of a kernel.multi_map: pointwise, every tensor either read or
/// written in row-major order, or of one element.
static bool isCandidate(Operation *kernel) {
  auto op = dyn_cast<kernel::MapOp>(kernel);
  if (!op || !isPointwise(op) || usesLinearIndex(op) || op->hasAttr("kernel.barrier") ||
      op->hasAttr("kernel.recompute"))
    return false;
  ArrayRef<int64_t> space = op.getSpace();
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    if (!hasOneElement(input) && !isRowMajor(mapAt(op.getInputMaps(), i), input, space))
      return false;
  for (auto [i, result] : llvm::enumerate(op.getOuts()))
    if (kernel::packingOf(result.getType()) ||
        !isRowMajor(mapAt(op.getResultMaps(), i), result, space))
      return false;
  return true;
}

/// Whether input `i` is read by all points: one element for many points.
static bool isScalarInput(kernel::MapOp op, unsigned i) {
  return hasOneElement(op.getInputs()[i]) && elements(op.getSpace()) > 1;
}

static bool isSmall(Operation *op) {
  int64_t bytes = 0;
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      bytes += kernel::byteSize(type);
  return bytes <= smallBytes;
}

/// Whether two candidates differ in the number of points and in tensors of many points only.
static bool haveOneBody(kernel::MapOp a, kernel::MapOp b) {
  if ((elements(a.getSpace()) > 1) != (elements(b.getSpace()) > 1) ||
      a->getNumOperands() != b->getNumOperands() || a->getNumResults() != b->getNumResults())
    return false;
  for (unsigned i = 0; i < a->getNumOperands(); ++i)
    if (isScalarInput(a, i) != isScalarInput(b, i) ||
        (isScalarInput(a, i) && a.getInputs()[i] != b.getInputs()[i]))
      return false;
  return OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

/// Equal for candidates of one body.
static llvm::hash_code hashOf(kernel::MapOp op) {
  llvm::hash_code hash =
      llvm::hash_combine(elements(op.getSpace()) > 1, op->getNumOperands(), op->getNumResults());
  for (Operation &inner : op.getBody().front())
    hash = llvm::hash_combine(
        hash, OperationEquivalence::computeHash(&inner, OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::IgnoreLocations));
  return hash;
}

namespace {
/// Candidates of a block by the hash of their bodies: a scan for members ends at the last one.
/// Without the index, 3000 parameters of one shape cost a scan of the block for each of their maps.
class Candidates {
public:
  explicit Candidates(Block &block);
  bool contains(Operation *op) const { return hashes.contains(op); }
  bool haveOneHash(Operation *a, Operation *b) const;
  /// Candidates from `op` on with its hash, if candidates before were erased.
  int64_t countLike(Operation *op) const { return counts.lookup(hashes.lookup(op)); }
  void erase(Operation *op);

private:
  DenseMap<Operation *, size_t> hashes;
  DenseMap<size_t, int64_t> counts;
};

/// Members of a future kernel.multi_map, in the order of the block. All members belong to one
/// micro-batch: the tensors of one micro-batch at a time are in memory.
class HorizontalGroup {
public:
  HorizontalGroup(kernel::MapOp first, int64_t pointers, Candidates &candidates,
                  MicroBatches &microBatches)
      : pointers(pointers), candidates(candidates), microBatches(microBatches) {
    add(first);
  }
  void gather();
  /// Replaces the members; returns false, and does nothing, for a single member.
  bool fuse();

private:
  void add(kernel::MapOp member);
  bool dependsOnMembers(Operation *op);
  bool canFuse(Operation *op);
  bool canWait(kernel::MapOp op);
  int64_t pointersOfMember();
  /// Inputs that are the same tensor of one element in all members.
  SmallVector<bool> findShared();
  void moveBody(kernel::MultiMapOp op, ArrayRef<bool> shared);

  SmallVector<kernel::MapOp> members;
  int64_t pointers;
  Candidates &candidates;
  MicroBatches &microBatches;
  DenseSet<Operation *> membersAndDependents;
  SmallVector<Operation *> dependentsInOrder;
};
} // namespace

Candidates::Candidates(Block &block) {
  for (Operation &op : block)
    if (isCandidate(&op)) {
      size_t hash = hashOf(cast<kernel::MapOp>(op));
      hashes[&op] = hash;
      ++counts[hash];
    }
}
bool Candidates::haveOneHash(Operation *a, Operation *b) const {
  auto hash = hashes.find(b);
  return hash != hashes.end() && hashes.lookup(a) == hash->second;
}
void Candidates::erase(Operation *op) {
  --counts[hashes.lookup(op)];
  hashes.erase(op);
}

void HorizontalGroup::add(kernel::MapOp member) {
  members.push_back(member);
  membersAndDependents.insert(member);
}

bool HorizontalGroup::dependsOnMembers(Operation *op) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *source = operand.getDefiningOp();
    return source && membersAndDependents.contains(source);
  });
}

/// Whether the tensors of a member live no longer in a kernel that runs with the last member: they
/// are small, or a scalar that all members read is known after all of the member's tensors. Updates
/// read the factor of clipping, or the flag that refuses a step, which depend on all gradients.
bool HorizontalGroup::canWait(kernel::MapOp op) {
  if (isSmall(op))
    return true;
  Operation *last = nullptr;
  bool isScalar = false;
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    Operation *source = kernel::throughViews(input).getDefiningOp();
    if (!source || (last && (source == last || source->isBeforeInBlock(last))))
      continue;
    last = source;
    isScalar = isScalarInput(op, i);
  }
  return !last || isScalar;
}

int64_t HorizontalGroup::pointersOfMember() {
  kernel::MapOp first = members.front();
  auto inputs = llvm::seq<unsigned>(0, first->getNumOperands());
  return first->getNumResults() +
         llvm::count_if(inputs, [&](unsigned i) { return !isScalarInput(first, i); });
}

bool HorizontalGroup::canFuse(Operation *op) {
  kernel::MapOp first = members.front();
  int64_t ofMember = pointersOfMember(), shared = first->getNumOperands();
  return shared + ofMember * int64_t(members.size() + 1) <= pointers &&
         microBatches.placeOf(first) == microBatches.placeOf(op) &&
         haveOneBody(first, cast<kernel::MapOp>(op)) && canWait(cast<kernel::MapOp>(op));
}

/// Collects members up to the first kernel that depends on a member and would have to wait for the
/// last: a pointwise map may, such as an average of the parameter that a member updates.
void HorizontalGroup::gather() {
  if (!canWait(members.front()))
    return;
  bool isWaiting = isSmall(members.front());
  int64_t unseen = candidates.countLike(members.front()) - 1;
  for (Operation *op = members.front()->getNextNode(); unseen && op && !isa<kernel::ReturnOp>(op);
       op = op->getNextNode()) {
    bool isAlike = candidates.haveOneHash(members.front(), op);
    unseen -= isAlike;
    if (!dependsOnMembers(op)) {
      if (isAlike && canFuse(op))
        add(cast<kernel::MapOp>(op));
      continue;
    }
    if (isa<KernelOpInterface>(op) && !isSmall(op) && (isWaiting || !isPointwise(op)))
      return;
    membersAndDependents.insert(op);
    dependentsInOrder.push_back(op);
  }
}

SmallVector<bool> HorizontalGroup::findShared() {
  return llvm::map_to_vector(llvm::enumerate(members.front().getInputs()), [&](auto input) {
    return hasOneElement(input.value()) && llvm::all_of(members, [&](kernel::MapOp op) {
             return op.getInputs()[input.index()] == input.value();
           });
  });
}

/// Moves the body of the first member; arguments of shared tensors come first.
void HorizontalGroup::moveBody(kernel::MultiMapOp op, ArrayRef<bool> shared) {
  Block &from = members.front().getBody().front();
  Block *to = new Block;
  op.getBody().push_back(to);
  IRMapping mapping;
  for (bool isShared : {true, false})
    for (BlockArgument argument : from.getArguments())
      if (shared[argument.getArgNumber()] == isShared)
        mapping.map(argument, to->addArgument(argument.getType(), argument.getLoc()));
  OpBuilder builder = OpBuilder::atBlockEnd(to);
  for (Operation &inner : from)
    builder.clone(inner, mapping);
}

bool HorizontalGroup::fuse() {
  if (members.size() < 2)
    return false;
  SmallVector<bool> shared = findShared();
  SmallVector<Value> scalars, inputs;
  SmallVector<Type> types;
  SmallVector<Operation *> parts(members.begin(), members.end());
  for (kernel::MapOp member : members) {
    for (auto [input, isShared] : llvm::zip_equal(member.getInputs(), shared))
      if (!isShared)
        inputs.push_back(input);
      else if (member == members.front())
        scalars.push_back(input);
    llvm::append_range(types, member->getResultTypes());
  }
  OpBuilder builder(members.back());
  auto op = kernel::MultiMapOp::create(builder, members.front().getLoc(), types, scalars, inputs,
                                       members.size());
  moveBody(op, shared);
  joinOrigins(op, parts);
  microBatches.replace(members.front(), op);
  Operation *end = op;
  for (Operation *dependent : dependentsInOrder)
    if (dependent->isBeforeInBlock(op)) {
      dependent->moveAfter(end);
      end = dependent;
    }
  unsigned number = 0;
  for (kernel::MapOp member : members) {
    for (Value result : member.getOuts())
      result.replaceAllUsesWith(op->getResult(number++));
    microBatches.forget(member);
    candidates.erase(member);
    member.erase();
  }
  return true;
}

static void fuseKernels(Block &block, int64_t pointers) {
  MicroBatches microBatches(block);
  Candidates candidates(block);
  for (Operation *op = &block.front(); op;) {
    Operation *before = op->getPrevNode(), *next = op->getNextNode();
    if (candidates.contains(op)) {
      HorizontalGroup group(cast<kernel::MapOp>(op), pointers, candidates, microBatches);
      group.gather();
      if (group.fuse())
        next = before ? before->getNextNode() : &block.front();
      else
        candidates.erase(op); // scans go forward
    }
    op = next;
  }
}

namespace {
struct KernelFuseHorizontally : ampc::impl::KernelFuseHorizontallyBase<KernelFuseHorizontally> {
  using KernelFuseHorizontallyBase::KernelFuseHorizontallyBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      fuseKernels(program.getBody().front(), pointers);
  }
};
} // namespace
