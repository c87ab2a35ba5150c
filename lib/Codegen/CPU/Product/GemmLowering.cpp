// kernel.gemm: strided operands, batches of any layout, the body as epilogue.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Cost.h"
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "lib/Codegen/CPU/TierPlans.h"
#include "lib/Codegen/Common/Slices.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
/// GEMM of a kernel.gemm; pointers are set at emission.
struct Gemm {
  ProductShape shape;
  StridedSource lhs, rhs;

  explicit Gemm(kernel::GemmOp op);
};

/// Discardable attribute of a GEMM whose results are stored past the caches.
constexpr llvm::StringLiteral streamsName = "code.streams";

struct GemmLowering : CPUKernelLowering {
  LogicalResult configure(Operation *op) const override;
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override {
    return hasOwnProducts(Gemm(cast<kernel::GemmOp>(op)).shape, tier);
  }
};
} // namespace

static Access operandAccess(kernel::GemmOp op, unsigned i) {
  auto type = cast<RankedTensorType>(op->getOperand(i).getType());
  return Access::of(cast<AffineMapAttr>(op.getOperandMaps()[i]).getValue(), type.getShape());
}

Gemm::Gemm(kernel::GemmOp op) {
  ArrayRef<int64_t> space = op.getSpace();
  unsigned m = space.size() - 2, n = m + 1, k = m + 2;
  shape.m = space[m];
  shape.n = space[n];
  shape.k = op.getDepth();
  shape.acc = op.getAcc();
  auto describe = [&](StridedSource &side, unsigned operand, unsigned line) {
    Access access = operandAccess(op, operand);
    side.element = getElementTypeOrSelf(op->getOperand(operand).getType());
    side.lines = space[line];
    side.depth = shape.k;
    side.lineStride = access.strides[line];
    side.depthStride = access.strides[k];
    side.start = access.constant;
    for (unsigned dim = 0; dim < m; ++dim)
      side.batch.push_back({space[dim], access.strides[dim]});
  };
  describe(lhs, 0, m);
  describe(rhs, 1, n);
  for (unsigned dim = 0; dim < m; ++dim)
    shape.batch *= space[dim];
  shape.sharedRhs = rhs.batchInvariant();
  shape.lhs = lhs.element;
  shape.rhs = rhs.element;
  shape.packedLhs = kernel::packingOf(op.getLhs().getType()) != nullptr;
  shape.packedRhs = shape.mayWidenRhs = kernel::packingOf(op.getRhs().getType()) != nullptr;
}

/// Whether all vectors of a row of the result are aligned if the buffer is: rows are whole cache
/// lines apart. Buffers of a caller may have any alignment and are excluded before.
static bool isAlignedInRows(OpResult result, unsigned rank) {
  auto op = cast<FusedKernelOpInterface>(result.getOwner());
  auto type = cast<RankedTensorType>(result.getType());
  Access access = IterationSpace::of(op).results[result.getResultNumber()];
  int64_t line = 64 / elementBytes(type.getElementType());
  return access.strides[rank - 1] == 1 && access.constant % line == 0 && !access.residue &&
         llvm::all_of(ArrayRef(access.strides).drop_back(),
                      [&](int64_t stride) { return stride % line == 0; });
}

/// Large results are streamed: a store to a cache line outside of the caches reads the line first.
static void chooseStreams(Operation *op) {
  Operation *outer = op; // op of the program
  if (auto reductions = dyn_cast<kernel::FusedReductionOp>(op->getParentOp()))
    outer = reductions;
  auto isStreamed = [&](OpResult result) {
    return kernel::byteSize(result.getType()) >= leastStreamed && !target::isReturned(result) &&
           isAlignedInRows(result, cast<kernel::GemmOp>(op).getSpace().size());
  };
  if (outer->hasAttr("kernel.barrier") && llvm::all_of(op->getResults(), isStreamed))
    op->setAttr(streamsName, UnitAttr::get(op->getContext()));
}

/// Blocking by the op's plan. Fails, with an error at the op, if there is no plan, or no code.
static FailureOr<Blocking> blockingOf(kernel::GemmOp op, const Gemm &gemm, const Tier &tier) {
  SmallVector<Attribute> plans = plansOf(op.getBlockingsAttr(), tier);
  if (plans.size() != 1)
    return op.emitOpError() << "expected a blocking of tier " << tier.name
                            << ", which kernel-configure stores, but got " << plans.size();
  auto plan = cast<kernel::BlockingAttr>(plans.front());
  std::string why;
  if (std::optional<Blocking> blocking = Blocking::by(plan, gemm.shape, gemm.lhs, tier, why))
    return *blocking;
  return op.emitOpError() << "expected a blocking that tier " << tier.name
                          << " has code for, but got " << plan << ": " << why;
}

/// Stores a blocking for every tier with code of its own: the op's own, or the fastest.
LogicalResult GemmLowering::configure(Operation *operation) const {
  auto op = cast<kernel::GemmOp>(operation);
  chooseStreams(op);
  Gemm gemm(op);
  FailureOr<ArrayAttr> blockings = configureForms<Blocking>(
      op, *this, op.getBlockingsAttr(),
      [&](const Tier &tier) { return blockingOf(op, gemm, tier); },
      [&](const Tier &tier) { return Blocking::choose(gemm.shape, gemm.lhs, tier); });
  if (failed(blockings))
    return failure();
  op.setBlockingsAttr(*blockings);
  return success();
}

FailureOr<KernelEmission> GemmLowering::plan(Operation *operation, const Tier &tier) const {
  auto op = cast<kernel::GemmOp>(operation);
  Gemm gemm(op);
  FailureOr<Blocking> blocking = blockingOf(op, gemm, tier);
  if (failed(blocking))
    return failure();
  KernelEmission emission;
  emission.tasks = gemm.shape.batch * blocking->tasks();
  emission.scratchBytes = ScratchLayout::of(gemm.shape, *blocking, gemm.lhs).total;
  return emission;
}

void GemmLowering::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                           Value begin, Value end) const {
  auto gemmOp = cast<kernel::GemmOp>(op);
  Gemm gemm(gemmOp);
  gemm.lhs.pointer = pointers.operands[0];
  gemm.rhs.pointer = pointers.operands[1];
  BodyEmitter body(e, gemmOp, pointers);
  bool streams = op->hasAttr(streamsName);
  if (streams)
    body.streamResults();
  unsigned rank = gemmOp.getSpace().size();
  Blocking blocking = *blockingOf(gemmOp, gemm, e.tier);
  auto runAt = [&](Value batch, Value m, Value n) {
    PointVector run;
    run.dims = body.space().delinearize(e, batch, rank - 2);
    run.dims.append({m, n});
    run.along = rank - 1;
    return run;
  };
  auto epilogue = [&](Value batch, Value m, Value n, int64_t active, Value sums) {
    PointVector run = runAt(batch, m, n);
    run.lanes = blocking.tile.width;
    run.active = active;
    body.emitResults(run, sums);
  };
  // Vectors prefetch large operands only: operands that may still be in cache gain nothing
  // (measured on two processors).
  auto prefetch = [&](Value batch, Value m, Value n, int64_t columns) {
    body.prefetch(runAt(batch, m, n), columns, blocking.tile.usesTiles() ? 0 : leastStreamed);
  };
  ProductEmitter(e, gemm.shape, blocking, gemm.lhs, gemm.rhs, pointers.scratch, epilogue, prefetch)
      .emit(begin, end, pointers.reductions);
  if (streams)
    e.finishStreams();
}

void ampc::cpu::addGemmLowering(target::KernelRegistry &registry) {
  registry.add<kernel::GemmOp, GemmLowering>();
}
