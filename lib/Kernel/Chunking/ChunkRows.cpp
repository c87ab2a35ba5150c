// Chunked cross entropy and its like: large scores are computed, consumed and discarded chunk by
// chunk of rows, so that no tensor [rows, words] exists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Chunking.h"
#include "ampc/Kernel/Passes.h"
#include "lib/Kernel/Chunking/ChunkRegion.h"
#include "lib/Kernel/Fusion/Views.h"
#include "mlir-dialects/Kernel/Part.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELCHUNKROWS
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Rows per chunk: half of the rows, so that there are two chunks, but at most the target's number,
/// and at least 256.
static int64_t leastRows(int64_t rows, int64_t wanted) {
  return std::clamp<int64_t>(rows / 2, 256, wanted);
}

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static Value add(OpBuilder &builder, Location loc, Value a, Value b) {
  return isa<FloatType>(a.getType()) ? arith::AddFOp::create(builder, loc, a, b).getResult()
                                     : arith::AddIOp::create(builder, loc, a, b).getResult();
}

static Value viewOf(OpBuilder &builder, Value value, Type type) {
  return value.getType() == type
             ? value
             : builder.createOrFold<kernel::ViewOp>(value.getLoc(), type, value);
}

namespace {
class Chunking {
public:
  Chunking(kernel::ProgramOp caller, ChunkRegion &region, int64_t times)
      : caller(caller), region(region), times(times), builder(caller.getContext()),
        loc(region.ops.front()->getLoc()) {}
  void run();

private:
  RankedTensorType chunkType(Value value) {
    return typeOf(value).clone(*chunkOf(shapeOf(value), region.rows, times));
  }
  RankedTensorType stackedType(Value value) {
    SmallVector<int64_t> shape{times};
    llvm::append_range(shape, chunkType(value).getShape());
    return typeOf(value).clone(shape);
  }
  bool isMadeHere(Value value) {
    return region.ops.contains(kernel::throughViews(value).getDefiningOp());
  }
  /// Type of the operand inside the outlined loop body: [8192, 64] by row in 16 chunks -> [512,
  /// 64].
  RankedTensorType seenType(std::pair<Value, ChunkRegion::Access> input) {
    return input.second == ChunkRegion::Access::ByRow ? chunkType(input.first)
                                                      : typeOf(input.first);
  }
  void findValues();
  kernel::ProgramOp createLoopBody();
  void fillLoopBody(kernel::ProgramOp part);
  Operation *cloneForChunk(Operation *op, kernel::ProgramOp part, IRMapping &inner);
  kernel::CallOp createCall(kernel::ProgramOp part);
  void replaceResults(kernel::CallOp call);

  kernel::ProgramOp caller;
  ChunkRegion &region;
  int64_t times;
  OpBuilder builder;
  Location loc;
  SmallVector<OpResult> sums, outputs; ///< sums over rows; results by row
  llvm::SetVector<std::pair<Value, ChunkRegion::Access>> inputs;
};
} // namespace

void Chunking::findValues() {
  for (Operation *any : region.ops) {
    auto op = cast<FusedKernelOpInterface>(any);
    for (OpOperand &operand : any->getOpOperands())
      if (!isMadeHere(operand.get()))
        inputs.insert({operand.get(), region.accessOf(op, operand.getOperandNumber())});
    for (OpResult result : any->getResults()) {
      if (region.sumsRows(op))
        sums.push_back(result);
      else if (!region.isRepeated(any) && !region.isInside(result))
        outputs.push_back(result);
    }
  }
}

kernel::ProgramOp Chunking::createLoopBody() {
  SmallVector<Type> arguments, results;
  for (Value sum : sums) {
    arguments.push_back(sum.getType());
    results.push_back(sum.getType());
  }
  llvm::append_range(arguments,
                     llvm::map_range(inputs, [&](auto &input) { return seenType(input); }));
  for (Value output : outputs)
    results.push_back(chunkType(output));
  return kernel::createCalledProgram(caller, "rows", arguments, results);
}

/// Clones the kernel for the rows of a single chunk.
Operation *Chunking::cloneForChunk(Operation *any, kernel::ProgramOp part, IRMapping &inner) {
  auto op = cast<FusedKernelOpInterface>(any);
  SmallVector<Value> operands;
  for (OpOperand &operand : any->getOpOperands()) {
    std::pair input(operand.get(), region.accessOf(op, operand.getOperandNumber()));
    Value given =
        isMadeHere(operand.get())
            ? inner.lookup(kernel::throughViews(operand.get()))
            : part.getArgument(sums.size() + (llvm::find(inputs, input) - inputs.begin()));
    operands.push_back(viewOf(builder, given, seenType(input)));
  }
  Operation *clone = builder.clone(*any);
  clone->setOperands(operands);
  clone->removeAttr("kernel.barrier");
  SmallVector<int64_t> points = loopSizes(op), rowSizes;
  ArrayRef<unsigned> dims = region.rowDims[any];
  for (unsigned dim : dims)
    rowSizes.push_back(points[dim]);
  for (auto [dim, size] : llvm::zip(dims, *chunkOf(rowSizes, region.rows, times)))
    points[dim] = size;
  if (auto product = dyn_cast<kernel::GemmOp>(clone))
    product.setDepth(points.pop_back_val());
  clone->setAttr("space", builder.getDenseI64ArrayAttr(points));
  if (!region.sumsRows(op))
    for (auto [old, result] : llvm::zip(any->getResults(), clone->getResults()))
      result.setType(chunkType(old));
  return clone;
}

void Chunking::fillLoopBody(kernel::ProgramOp part) {
  Block *body = &part.getBody().front();
  builder.setInsertionPointToEnd(body);
  IRMapping inner;
  SmallVector<Value> returned(sums.size());
  for (Operation *op : region.ops) {
    Operation *clone = cloneForChunk(op, part, inner);
    for (auto [old, result] : llvm::zip(op->getResults(), clone->getResults()))
      inner.map(old, result);
    for (auto [i, sum] : llvm::enumerate(sums)) {
      if (sum.getOwner() != op)
        continue;
      Value terms[] = {inner.lookup(sum), body->getArgument(i)};
      returned[i] = createPointwise(builder, op->getLoc(), typeOf(sum), terms, [&](ValueRange x) {
        return add(builder, op->getLoc(), x[0], x[1]);
      });
      joinOrigins(returned[i].getDefiningOp(), op);
    }
  }
  for (Value output : outputs)
    returned.push_back(viewOf(builder, inner.lookup(output), chunkType(output)));
  kernel::ReturnOp::create(builder, loc, returned);
}

kernel::CallOp Chunking::createCall(kernel::ProgramOp part) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (OpResult sum : sums) {
    Type element = typeOf(sum).getElementType();
    operands.push_back(createPointwise(builder, loc, typeOf(sum), {}, [&](ValueRange) -> Value {
      return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    }));
    joinOrigins(operands.back().getDefiningOp(), sum.getOwner());
    types.push_back(sum.getType());
  }
  for (auto [value, access] : inputs)
    operands.push_back(
        access == ChunkRegion::Access::ByRow ? viewOf(builder, value, stackedType(value)) : value);
  for (Value output : outputs)
    types.push_back(stackedType(output));
  auto call = kernel::CallOp::create(builder, loc, types, part.getSymName(), operands,
                                     builder.getI64IntegerAttr(times), sums.size());
  joinOrigins(call, region.ops.getArrayRef());
  return call;
}

/// Replaces the results of the region by those of the call; consumers in front of the call move
/// behind the call.
void Chunking::replaceResults(kernel::CallOp call) {
  SmallVector<Operation *> later;
  llvm::DenseSet<Operation *> waiting;
  for (Operation *op : region.ops)
    if (!region.isRepeated(op))
      waiting.insert(op);
  for (Operation *op = region.ops.front(); op != region.ops.back(); op = op->getNextNode())
    if (!region.ops.contains(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
          return waiting.contains(operand.getDefiningOp());
        })) {
      waiting.insert(op);
      later.push_back(op);
    }
  builder.setInsertionPointAfter(call);
  unsigned number = 0;
  Operation *last = call;
  for (OpResult sum : sums) {
    if (sum.getOwner()->hasAttr("kernel.barrier"))
      call->setAttr("kernel.barrier", builder.getUnitAttr());
    sum.replaceAllUsesWith(call->getResult(number++));
  }
  for (OpResult output : outputs)
    output.replaceAllUsesWith(viewOf(builder, call->getResult(number++), output.getType()));
  for (Operation *next = call->getNextNode(); next && next != &*builder.getInsertionPoint();
       next = next->getNextNode())
    last = next;
  for (Operation *op : later) {
    op->moveAfter(last);
    last = op;
  }
}

/// Erases views of results that have no other consumer.
static void eraseDeadViewsOf(Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (isa<kernel::ViewOp>(user)) {
      eraseDeadViewsOf(user);
      if (user->use_empty())
        user->erase();
    }
}

void Chunking::run() {
  findValues();
  kernel::ProgramOp part = createLoopBody();
  fillLoopBody(part);
  builder.setInsertionPointAfter(region.ops.back());
  kernel::CallOp call = createCall(part);
  replaceResults(call);
  for (Operation *op : llvm::reverse(region.ops)) {
    eraseDeadViewsOf(op);
    if (!region.isRepeated(op) || op->use_empty())
      op->erase();
  }
}

namespace {
struct KernelChunkRows : ampc::impl::KernelChunkRowsBase<KernelChunkRows> {
  using KernelChunkRowsBase::KernelChunkRowsBase;
  void runOnOperation() override {
    target = targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto program : llvm::to_vector(getOperation().getOps<kernel::ProgramOp>()))
      while (chunkNext(program)) {
      }
  }

private:
  const Target *target = nullptr;

  /// Chunks the next region of the program. The remarks on products that stay whole come when no
  /// region is left.
  bool chunkNext(kernel::ProgramOp program) {
    SmallVector<std::pair<kernel::GemmOp, std::string>> whole;
    for (auto product : program.getBody().getOps<kernel::GemmOp>()) {
      auto result = typeOf(product->getResult(0));
      if (!rows && kernel::byteSize(result.clone(product.getAcc())) <= smallScores)
        continue;
      std::string why;
      std::optional<ChunkRegion> region = ChunkRegion::around(product, why);
      int64_t wanted = target->getScoreRows(typeOf(product.getLhs()).getElementType());
      int64_t least = region ? rows ? rows : leastRows(region->rows, wanted) : 0;
      int64_t times = region ? region->maxChunks(least) : 1;
      if (times == 1) {
        if (region)
          why = "the rows have no equal chunks of at least " + std::to_string(least) + " rows";
        whole.emplace_back(product, why);
        continue;
      }
      if (explain)
        product.emitRemark() << "computes " << region->rows << " rows in " << times
                             << " chunks, with all consumers";
      Chunking(program, *region, times).run();
      return true;
    }
    if (explain)
      for (auto &[product, why] : whole)
        explainWhole(product, why);
    return false;
  }

  /// Explains products that compute scores; the results of most other products are not much wider
  /// than their operands.
  static void explainWhole(kernel::GemmOp product, const Twine &why) {
    ArrayRef<int64_t> space = product.getSpace();
    SmallVector<train::OriginAttr> origins = originsOf(product);
    if (space.back() > ChunkRegion::scoresPerOther * product.getDepth() &&
        (origins.empty() || origins.front().isForward()))
      product.emitRemark() << "computes " << elements(space) / space.back()
                           << " rows at once: " << why;
  }
};
} // namespace
