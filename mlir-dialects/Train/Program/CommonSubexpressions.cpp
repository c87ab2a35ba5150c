// Common subexpression elimination (CSE) of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/CommonSubexpressions.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ampc;

namespace {
/// An op and the hash of its name, operands, attributes, types and regions.
struct HashedOp {
  Operation *op;
  unsigned hash;
};

/// Equality of ops by content, after a comparison of the stored hashes.
struct HashedOpInfo {
  using Pointers = llvm::DenseMapInfo<Operation *>;
  static HashedOp getEmptyKey() { return {Pointers::getEmptyKey(), 0}; }
  static HashedOp getTombstoneKey() { return {Pointers::getTombstoneKey(), 0}; }
  static unsigned getHashValue(const HashedOp &key) { return key.hash; }
  static bool isEqual(const HashedOp &a, const HashedOp &b) {
    return a.op == b.op || (a.hash == b.hash && isOp(a.op) && isOp(b.op) &&
                            OperationEquivalence::isEquivalentTo(
                                a.op, b.op, OperationEquivalence::IgnoreLocations));
  }

private:
  static bool isOp(Operation *op) {
    return op != Pointers::getEmptyKey() && op != Pointers::getTombstoneKey();
  }
};

using KnownOps = llvm::SmallDenseSet<HashedOp, 8, HashedOpInfo>;

class Eliminator {
public:
  explicit Eliminator(RewriterBase &rewriter) : rewriter(rewriter) {}
  void visitRegions(Operation *op, KnownOps &known);
  void eraseReplaced();

private:
  void visitBlock(Block &block, KnownOps &known, SmallVectorImpl<HashedOp> &added);
  void visit(Operation *op, KnownOps &known, SmallVectorImpl<HashedOp> &added);

  RewriterBase &rewriter;
  SmallVector<Operation *> replaced; // by an equal op, or dead
};
} // namespace

static HashedOp hashed(Operation *op) {
  llvm::hash_code hash = OperationEquivalence::computeHash(
      op, OperationEquivalence::directHashValue, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  return {op, unsigned(size_t(hash))};
}

static bool hasBlocksAlone(Operation *op) {
  return llvm::all_of(op->getRegions(),
                      [](Region &region) { return region.empty() || region.hasOneBlock(); });
}

void Eliminator::visit(Operation *op, KnownOps &known, SmallVectorImpl<HashedOp> &added) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return;
  if (isOpTriviallyDead(op))
    return replaced.push_back(op);
  if (!hasBlocksAlone(op) || !isMemoryEffectFree(op))
    return;
  HashedOp key = hashed(op);
  auto [found, isNew] = known.insert(key);
  if (isNew)
    return added.push_back(key);
  rewriter.replaceAllOpUsesWith(op, found->op->getResults());
  replaced.push_back(op);
  if (isa<UnknownLoc>(found->op->getLoc()))
    found->op->setLoc(op->getLoc());
}

void Eliminator::visitBlock(Block &block, KnownOps &known, SmallVectorImpl<HashedOp> &added) {
  for (Operation &op : block) {
    if (op.getNumRegions())
      visitRegions(&op, known);
    visit(&op, known, added);
  }
}

void Eliminator::visitRegions(Operation *op, KnownOps &known) {
  bool isIsolated = op->mightHaveTrait<OpTrait::IsIsolatedFromAbove>();
  for (Region &region : op->getRegions()) {
    if (!region.hasOneBlock() || mayBeGraphRegion(region))
      continue;
    KnownOps none; // ops outside of an isolated op cannot replace ops inside
    SmallVector<HashedOp> added;
    visitBlock(region.front(), isIsolated ? none : known, added);
    // Ops behind the region cannot read values of the region.
    if (!isIsolated)
      for (const HashedOp &key : added)
        known.erase(key);
  }
}

void Eliminator::eraseReplaced() {
  for (Operation *op : replaced)
    rewriter.eraseOp(op);
}

void ampc::removeCommonSubexpressions(RewriterBase &rewriter, Operation *program) {
  Eliminator eliminator(rewriter);
  KnownOps known;
  eliminator.visitRegions(program, known);
  eliminator.eraseReplaced();
}
