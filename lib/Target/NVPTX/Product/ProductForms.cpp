// kernel.gemm and kernel.conv: tiles on matrix units where there is code for them, else a thread
// per sum. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Forms.h"
#include "lib/Target/NVPTX/Product/Epilogue.h"
#include "lib/Target/NVPTX/Product/Fragments.h"
#include "lib/Target/NVPTX/Product/WindowCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
using Sums = SmallVector<std::array<Value, 4>>;

/// Both sides in shared memory, in a ring of stages: while one is multiplied, others arrive.
class Ring {
public:
  Ring(DeviceEmitter &e, const TileGemm &gemm, StepCopy &lhs, StepCopy &rhs)
      : e(e), gemm(gemm), lhs(lhs), rhs(rhs), memory(e.sharedMemory()),
        sources{lhs.firstSource(), rhs.firstSource()} {}

  /// Calls `multiply` for every step with the places of its tiles; returns what it carries.
  using Multiply = llvm::function_ref<SmallVector<Value>(Value left, Value right, ValueRange)>;
  SmallVector<Value> run(ValueRange carried, Multiply multiply);

private:
  void issue(Value stage);
  void start();
  Value next(Value stage);

  DeviceEmitter &e;
  const TileGemm &gemm;
  StepCopy &lhs, &rhs;
  Value memory;
  Value sources[2], left; // of the next step that is issued
};
} // namespace

void Ring::issue(Value stage) {
  Value place = e.advance(memory, stage);
  lhs.issue(place, sources[0], left);
  rhs.issue(e.advance(place, lhs.tile().bytes()), sources[1], left);
}

/// All stages but one are on their way, as far as there are steps.
void Ring::start() {
  left = e.i32(gemm.depth);
  for (int64_t stage = 0; stage + 1 < gemm.tile.stages; ++stage) {
    if (stage < gemm.steps()) {
      issue(e.i32(stage * gemm.stageBytes()));
      sources[0] = lhs.nextSource(sources[0]);
      sources[1] = rhs.nextSource(sources[1]);
      left = e.add32(left, e.i32(-gemm.stepDepth()));
    }
    e.commitCopies();
  }
}

Value Ring::next(Value stage) {
  Value isLast = target::equal(e, stage, e.i32((gemm.tile.stages - 1) * gemm.stageBytes()));
  return target::select(e, isLast, e.i32(0), e.add32(stage, e.i32(gemm.stageBytes())));
}

SmallVector<Value> Ring::run(ValueRange carried, Multiply multiply) {
  start();
  int64_t ahead = gemm.tile.stages - 1, steps = gemm.steps();
  SmallVector<Value> state{e.i32(0), e.i32(ahead * gemm.stageBytes()), left, sources[0],
                           sources[1]};
  size_t own = state.size();
  llvm::append_range(state, carried);
  state = e.loop(e.index(0), e.index(steps), 1, state, [&](Value step, ValueRange now) {
    // The step's copies have arrived for all, and all have left the stage that is filled next.
    e.waitForCopies(gemm.tile.stages - 2);
    e.syncBlock();
    left = now[2];
    sources[0] = now[3];
    sources[1] = now[4];
    e.when(e.less(step, e.index(std::max<int64_t>(steps - ahead, 0))), [&] { issue(now[1]); });
    e.commitCopies();
    Value place = e.advance(memory, now[0]);
    SmallVector<Value> after{next(now[0]), next(now[1]), e.add32(left, e.i32(-gemm.stepDepth())),
                             lhs.nextSource(sources[0]), rhs.nextSource(sources[1])};
    llvm::append_range(after,
                       multiply(place, e.advance(place, lhs.tile().bytes()), now.drop_front(own)));
    return after;
  });
  return llvm::to_vector(ArrayRef(state).drop_front(own));
}

namespace {
/// The tile of a block, by its number: tiles of eight lines of tiles after each other, so that
/// blocks that run at the same time share sides.
struct BlockPlace {
  SmallVector<Value> batch; // positions
  Value line, column;       // i32

  BlockPlace(DeviceEmitter &e, const TileGemm &gemm) {
    int64_t tilesM = gemm.tilesM(), tilesN = gemm.tilesN();
    int64_t group = tilesM % 8 == 0 ? 8 : 1;
    Value number = e.rem32(e.block(), tilesM * tilesN);
    batch = e.split(e.div32(e.block(), tilesM * tilesN), gemm.batch);
    Value within = e.rem32(number, group * tilesN);
    Value tileM = e.add32(e.mul32(e.div32(number, group * tilesN), group), e.rem32(within, group));
    line = e.mul32(tileM, gemm.tile.m);
    column = e.mul32(e.div32(within, group), gemm.tile.n);
  }
};
} // namespace

/// Where the side of an entry of the batch starts.
static Value startOf(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, Value pointer,
                     ArrayRef<Value> batch) {
  SmallVector<Value> dims(batch);
  dims.append(3, e.index(0));
  return e.address(pointer, gemm.element, target::position(e, side.access, dims));
}

/// Adds a step's products to the sums of a warp.
static Sums multiplyStep(DeviceEmitter &e, const TileGemm &gemm, FragmentLoader &left,
                         FragmentLoader &right, Value leftTile, Value rightTile, Sums sums) {
  for (int64_t k = 0; k < gemm.tile.lineBytes / 32; ++k) {
    SmallVector<Fragment> lines, columns;
    for (int64_t i = 0; i < left.count(); ++i)
      lines.push_back(left.load(leftTile, i, k));
    for (int64_t j = 0; j < right.count(); ++j)
      columns.push_back(right.load(rightTile, j, k));
    for (int64_t i = 0; i < left.count(); ++i)
      for (int64_t j = 0; j < 2 * right.count(); ++j) {
        auto &sum = sums[i * 2 * right.count() + j];
        sum = multiply(e, lines[i], columns[j / 2], j % 2, sum, gemm.element);
      }
  }
  return sums;
}

static Sums unflatten(ValueRange values) {
  Sums sums(values.size() / 4);
  for (auto [i, value] : llvm::enumerate(values))
    sums[i / 4][i % 4] = value;
  return sums;
}
static SmallVector<Value> flatten(const Sums &sums) {
  SmallVector<Value> values;
  for (const auto &four : sums)
    llvm::append_range(values, four);
  return values;
}

/// Makes the left side of a block.
using MakeLeft = llvm::function_ref<std::unique_ptr<StepCopy>(
    DeviceEmitter &, const KernelPointers &, const BlockPlace &)>;

static void emitTiles(FusedKernelOpInterface op, DeviceCode &code, const TileGemm &gemm,
                      MakeLeft makeLeft) {
  const TileShape &tile = gemm.tile;
  code.describe(gemm.describe());
  LaunchShape shape;
  shape.grid[0] = gemm.blocks();
  shape.threads = tile.threads();
  shape.sharedBytes = std::max(gemm.ringBytes(), Epilogue::sharedBytes(gemm));
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    BlockPlace place(e, gemm);
    std::unique_ptr<StepCopy> lhs = makeLeft(e, pointers, place);
    TileCopy rhs(e, gemm, gemm.rhs, tile.n,
                 startOf(e, gemm, gemm.rhs, pointers.operands[1], place.batch), place.column);
    Value warp = e.div32(e.thread(), 32);
    Value line = e.mul32(e.div32(warp, tile.warpsN), tile.warpM()),
          column = e.mul32(e.rem32(warp, tile.warpsN), tile.warpN());
    FragmentLoader left(e, lhs->tile(), true, gemm, line);
    FragmentLoader right(e, rhs.tile(), false, gemm, column);
    SmallVector<Value> zeros(tile.warpM() * tile.warpN() / 32, e.constant(e.b.getF32Type(), 0));
    SmallVector<Value> sums =
        Ring(e, gemm, *lhs, rhs).run(zeros, [&](Value a, Value b, ValueRange now) {
          return flatten(multiplyStep(e, gemm, left, right, a, b, unflatten(now)));
        });
    // The ring's memory gets another use.
    e.waitForCopies(0);
    e.syncBlock();
    Epilogue(e, op, gemm, pointers, place.batch)
        .store(unflatten(sums), e.add32(place.line, line), e.add32(place.column, column),
               e.sharedMemory());
  });
}

static void emitGemm(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::GemmOp>(operation);
  std::string why;
  if (std::optional<TileGemm> gemm = TileGemm::of(op, code.chip, why))
    return emitTiles(
        op, code, *gemm,
        [&](DeviceEmitter &e, const KernelPointers &pointers, const BlockPlace &place) {
          Value start = startOf(e, *gemm, gemm->lhs, pointers.operands[0], place.batch);
          return std::make_unique<TileCopy>(e, *gemm, gemm->lhs, gemm->tile.m, start, place.line);
        });
  code.describe("plain: " + why);
  ThreadPerPoint points(code);
  target::emitPlainGemm(op, points);
}

static void emitConv(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::ConvOp>(operation);
  std::string why;
  auto window = target::Window::of(op, op.getSpace(), op.getRhs().getType().getShape());
  if (std::optional<TileGemm> gemm = TileGemm::of(op, code.chip, why))
    return emitTiles(
        op, code, *gemm,
        [&](DeviceEmitter &e, const KernelPointers &pointers, const BlockPlace &place) {
          return std::make_unique<WindowCopy>(e, *gemm, window, pointers.operands[0], place.line);
        });
  code.describe("plain: " + why);
  ThreadPerPoint points(code);
  target::emitPlainConv(op, points);
}

void nvptx::addProductForms(Forms &forms) {
  forms[kernel::GemmOp::getOperationName()] = {emitGemm};
  forms[kernel::ConvOp::getOperationName()] = {emitConv};
}
