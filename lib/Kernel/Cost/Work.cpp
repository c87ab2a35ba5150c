// Counts of a kernel's work: operations, bytes, cache lines and pages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Cost.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/Kernel/MultiMap.h"
#include "mlir-dialects/PackedFilter.h"
#include <numeric>

using namespace mlir;
using namespace ampc;
using namespace ampc::cost;

constexpr int64_t lineBytes = 64, pageBytes = 4096;

double Work::flops() const {
  double flops = vectorOps + slowOps + functions;
  for (const Product &product : products)
    flops += 2 * product.multiplyAdds;
  return flops;
}
template <typename Get> static int64_t sumOf(ArrayRef<Touch> touches, Get get) {
  return std::accumulate(touches.begin(), touches.end(), int64_t(0),
                         [&](int64_t sum, const Touch &touch) { return sum + get(touch); });
}
int64_t Work::bytes(bool isWrite) const {
  return sumOf(touches, [&](const Touch &t) { return t.isWrite == isWrite ? t.bytes : 0; });
}
int64_t Work::lines() const {
  return sumOf(touches, [](const Touch &t) { return t.lines; });
}
int64_t Work::pages() const {
  return sumOf(touches, [](const Touch &t) { return t.pages; });
}

static double pointsOf(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<double>());
}
static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }
static double elementsOf(Value tensor) { return typeOf(tensor).getNumElements(); }
static std::string elementName(Value tensor) {
  std::string name;
  llvm::raw_string_ostream(name) << getElementTypeOrSelf(tensor);
  return name;
}

// ---- Bodies ----

/// Counts the scalar ops of a body that runs `points` times.
static void countBody(Region &body, double points, Work &work) {
  body.walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() || op->hasTrait<OpTrait::IsTerminator>())
      return;
    if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
      work.slowOps += points;
    else if (isa<math::MathDialect>(op->getDialect()) &&
             !isa<math::AbsFOp, math::CopySignOp, math::FmaOp, math::IsNaNOp, math::IsInfOp,
                  math::IsFiniteOp>(op))
      work.functions += points;
    else
      work.vectorOps += points;
  });
}

// ---- Bytes ----

static Touch wholeOf(unsigned number, bool isWrite, Value tensor) {
  int64_t bytes = kernel::byteSize(tensor.getType());
  return {number, isWrite, bytes, llvm::divideCeilSigned(bytes, lineBytes),
          llvm::divideCeilSigned(bytes, pageBytes)};
}

/// Touch of gathered rows: the bytes of `type`, each row on cache lines and pages of its own.
static Touch rowsOf(unsigned number, bool isWrite, RankedTensorType type) {
  int64_t count = type.getDimSize(0), bytes = kernel::byteSize(type);
  int64_t width = count ? bytes / count : 0;
  return {number, isWrite, bytes, count * llvm::divideCeilSigned(width, lineBytes),
          count * llvm::divideCeilSigned(width, pageBytes)};
}

/// Touch of a tensor by a linear walk over the iteration domain: bytes, and contiguous pieces of at
/// most `mostRun` elements. Dimensions are taken from the last to the first, or by ascending stride
/// (`alongMemory`). Example: map (m, n) -> (m, n) over the first [4, 8] of an f32[4, 32] has 4
/// pieces of 32 bytes.
static Touch walkOf(unsigned number, bool isWrite, Value tensor, AffineMap map,
                    ArrayRef<int64_t> space, int64_t mostRun, bool alongMemory = false) {
  Touch touch = wholeOf(number, isWrite, tensor);
  auto type = typeOf(tensor);
  std::optional<LinearForm> form =
      kernel::packingOf(type) ? std::nullopt : LinearForm::of(map, type.getShape());
  if (!form || type.getNumElements() == 0)
    return touch;
  SmallVector<std::pair<int64_t, int64_t>> steps; // stride and number of elements
  for (size_t d = space.size(); d-- > 0;)
    if (form->factors[d] != 0 && space[d] > 1) // stride 0: repeated elements, from a cache
      steps.push_back({form->factors[d], space[d]});
  if (alongMemory)
    llvm::sort(steps);
  double touched = 1;
  int64_t run = 1;
  for (auto [stride, size] : steps) {
    run *= stride == run && double(run) == touched ? size : 1;
    touched *= size;
  }
  int64_t element = touch.bytes / type.getNumElements();
  touch.bytes = std::min<double>(touch.bytes, touched * element);
  int64_t piece = std::min(run, mostRun) * element;
  double pieces = double(touch.bytes) / piece;
  touch.lines = std::max(1.0, pieces * llvm::divideCeilSigned(piece, lineBytes));
  // Contiguous pieces share pages.
  bool isOneRun = double(run) * element >= touch.bytes && run <= mostRun;
  touch.pages = isOneRun ? llvm::divideCeilSigned(touch.bytes, pageBytes)
                         : pieces * llvm::divideCeilSigned(piece, pageBytes);
  return touch;
}

static AffineMap mapAt(ArrayAttr maps, unsigned i) {
  return cast<AffineMapAttr>(maps[i]).getValue();
}

/// Touches of the body's inputs and of the results; `first` is the operand number of the first
/// input.
static void touchBody(FusedKernelOpInterface op, unsigned first, int64_t mostRun, Work &work) {
  OperandRange inputs = op.getInputsMutable();
  for (auto [i, input] : llvm::enumerate(inputs))
    work.touches.push_back(
        walkOf(first + i, false, input, mapAt(op.getInputMaps(), i), op.getSpace(), mostRun));
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    work.touches.push_back(
        walkOf(i, true, result, mapAt(op.getResultMaps(), i), op.getSpace(), mostRun));
}

static void touchAll(Operation *op, Work &work) {
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    work.touches.push_back(wholeOf(i, false, operand));
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    work.touches.push_back(wholeOf(i, true, result));
}

// ---- Kinds of kernels ----

/// Width in columns of the output tile that products store.
constexpr int64_t tileColumns = 32;

static void countGemm(kernel::GemmOp op, Work &work) {
  Product product{elementName(op.getLhs()), pointsOf(op.getSpace()) * op.getDepth()};
  SmallVector<int64_t> space(op.getSpace());
  space.push_back(op.getDepth());
  for (unsigned side : {0, 1}) {
    Value operand = op->getOperand(side);
    work.touches.push_back(walkOf(side, false, operand, mapAt(op.getOperandMaps(), side), space,
                                  INT64_MAX, /*alongMemory=*/true));
    if (!kernel::packingOf(operand.getType()))
      product.packed += elementsOf(operand);
  }
  work.products.push_back(product);
  countBody(op.getBody(), pointsOf(op.getSpace()), work);
  touchBody(op, 2, tileColumns, work);
}

/// Counts a convolution without the products by zeros between dilated pixels.
template <typename Op>
static void countConvLike(Op op, double multiplyAdds, double packed, Work &work) {
  multiplyAdds /= pointsOf(op.getInputDilations());
  packed += elementsOf(op.getLhs());
  if (!kernel::packingOf(op.getRhs().getType()))
    packed += elementsOf(op.getRhs());
  work.products.push_back({elementName(op.getLhs()), multiplyAdds, packed});
  countBody(op.getBody(), pointsOf(op.getSpace()), work);
  for (unsigned side : {0, 1})
    work.touches.push_back(wholeOf(side, false, op->getOperand(side)));
  touchBody(op, 2, tileColumns, work);
}
/// Smallest number of channels of a window read in place; windows with fewer channels are gathered,
/// in whole vectors per row.
constexpr int64_t vectorChannels = 16;

static void countConv(kernel::ConvOp op, Work &work) {
  SmallVector<int64_t> filter = kernel::filterShape(op);
  double gathered = pointsOf(op.getSpace().drop_back()) * filter[1] *
                    llvm::alignTo(filter[2] * filter[3], vectorChannels);
  countConvLike(op, pointsOf(op.getSpace()) * pointsOf(ArrayRef(filter).drop_front()),
                filter[3] < vectorChannels ? gathered : 0, work);
}
static void countConvFilter(kernel::ConvFilterOp op, Work &work) {
  auto cotangent = typeOf(op.getRhs()).getShape();
  countConvLike(op, pointsOf(op.getSpace()) * pointsOf(cotangent.drop_back()), 0, work);
}

/// Counts F(tile x tile, 3x3): a square of (tile + 2)^2 products per tile, and `tile` additions per
/// number for the transforms along both dimensions.
static void countWinograd(kernel::WinogradOp op, Work &work) {
  ArrayRef<int64_t> space = op.getSpace();
  int64_t tile = op.getTile(), square = (tile + 2) * (tile + 2);
  double tiles =
      double(space[0]) * llvm::divideCeil(space[1], tile) * llvm::divideCeil(space[2], tile);
  double channels = typeOf(op.getLhs()).getDimSize(3);
  work.products.push_back({elementName(op.getLhs()), tiles * square * channels * space[3]});
  work.vectorOps += tiles * square * tile * (channels + space[3]);
  countBody(op.getBody(), pointsOf(space), work);
  for (unsigned side : {0, 1})
    work.touches.push_back(wholeOf(side, false, op->getOperand(side)));
  touchBody(op, 2, tileColumns, work);
}
static void countWinogradFilter(kernel::WinogradFilterOp op, Work &work) {
  touchAll(op, work);
  work.vectorOps += 2.0 * elementsOf(op.getResult());
}

/// Side of the tiles of scores that a causal mask skips.
constexpr int64_t maskTile = 64;

/// Visible pairs of query and key per batch entry: with a causal mask, all pairs of each tile with
/// a visible pair.
template <typename Op> static double pairsOf(Op op, int64_t tile) {
  int64_t queries = op.getQueries(), keys = op.getKeys();
  if (!op.getCausal())
    return double(queries) * keys;
  double pairs = 0;
  for (int64_t i = 0; i < queries; i += tile) {
    int64_t rows = std::min(tile, queries - i);
    int64_t seen = std::clamp<int64_t>(i + rows + keys - queries, 0, keys);
    pairs += double(rows) * std::min<int64_t>(keys, llvm::alignTo(seen, tile));
  }
  return pairs;
}

/// Whether the touched tensor is the logsumexp: a result of the forward kernel, an operand of the
/// gradient.
static bool isLogSumExp(kernel::AttentionOp, const Touch &touch) {
  return touch.isWrite && touch.number == 1;
}
static bool isLogSumExp(kernel::AttentionGradOp op, const Touch &touch) {
  return !touch.isWrite && touch.number == (op.getBiased() ? 5 : 4);
}

/// Limits touches of tensors of all heads to the rows of the kernel's heads.
template <typename Op> static void cutHeads(Op op, Work &work) {
  double most =
      pointsOf(op.getBatch()) * std::max<int64_t>(op.getQueries(), op.getKeys()) * op.getWidth();
  for (Touch &touch : work.touches) {
    Value tensor = touch.isWrite ? op->getResult(touch.number) : op->getOperand(touch.number);
    AffineMap map = mapAt(touch.isWrite ? op.getResultMaps() : op.getOperandMaps(), touch.number);
    bool isBias = op.getBiased() && touch.number == 3;
    if (isBias || isLogSumExp(op, touch) || map.getNumDims() != op.getBatch().size() + 2 ||
        touch.bytes == 0)
      continue; // small tensors, or scores
    int64_t width = op.getWidth() * (touch.bytes / elementsOf(tensor));
    touch.bytes *= std::min(1.0, most / elementsOf(tensor));
    touch.lines = touch.bytes / width * llvm::divideCeilSigned(width, lineBytes);
    touch.pages = std::max<int64_t>(touch.bytes / width, 1);
  }
}

/// `products`: contractions over all pairs; `ops`: arithmetic per score beside the exponential.
template <typename Op>
static void countAttention(Op op, unsigned products, unsigned ops, Work &work) {
  double batch = pointsOf(op.getBatch());
  double pairs = batch * pairsOf(op, 1), inTiles = batch * pairsOf(op, maskTile);
  // The sides are packed again for each tile of scores.
  work.products.push_back({elementName(op->getOperand(0)), products * pairs * op.getWidth(),
                           products * inTiles / maskTile * op.getWidth()});
  work.functions += pairs;
  work.vectorOps += ops * pairs;
  work.hidden = pairs > 0 ? inTiles / pairs - 1 : 0;
  touchAll(op, work);
  cutHeads(op, work);
}
static void countAttentionForward(kernel::AttentionOp op, Work &work) {
  countAttention(op, 2, 4, work);
}
static void countAttentionGrad(kernel::AttentionGradOp op, Work &work) {
  countAttention(op, 5, 6, work);
}

static void countGather(kernel::GatherOp op, Work &work) {
  touchAll(op, work);
  work.touches[0] = rowsOf(0, false, typeOf(op.getResult()));
}
static void countScatterRows(kernel::ScatterRowsOp op, Work &work) {
  touchAll(op, work);
  work.touches[2] = {2, false};
  work.touches[3] = rowsOf(0, true, typeOf(op.getRows()));
}
static void countScatterAdd(kernel::ScatterAddOp op, Work &work) {
  touchAll(op, work);
  work.vectorOps += elementsOf(op.getUpdates());
}
static void countSegmentSum(kernel::SegmentSumOp op, Work &work) {
  touchAll(op, work);
  auto updates = typeOf(op.getUpdates());
  auto read = updates.clone({updates.getDimSize(0), typeOf(op.getResult()).getDimSize(1)});
  if (read != updates)
    work.touches[0] = rowsOf(0, false, read);
  work.vectorOps += double(read.getNumElements());
}
/// Counts a comparison and a select, or an addition, per element of every window.
static void countPool(kernel::PoolOp op, Work &work) {
  touchAll(op, work);
  unsigned ops = op.getWhere().empty() ? 1 : 2;
  work.vectorOps += ops * elementsOf(op.getResult()) * pointsOf(op.getWindow());
}
static void countPoolGrad(kernel::PoolGradOp op, Work &work) {
  touchAll(op, work);
  unsigned ops = op.getWhere().empty() ? 1 : 3;
  work.vectorOps += ops * elementsOf(op.getG()) * pointsOf(op.getWindow());
}
/// Counts the body, and a combining operation per value of the body.
static void countReduce(kernel::ReduceOp op, Work &work) {
  double points = pointsOf(op.getSpace());
  countBody(op.getBody(), points, work);
  work.vectorOps += points * op->getNumResults();
  touchBody(op, 0, INT64_MAX, work);
}
/// Counts the kernel inside, whose arguments are the first inputs, and the fused reductions over
/// the results.
static void countReductions(kernel::FusedReductionOp op, Work &work) {
  work = workOf(op.getKernel());
  double most = 0;
  for (Value result : op.getKernel()->getResults())
    most = std::max(most, elementsOf(result));
  countBody(op.getBody(), most, work);
  work.vectorOps += most * op.getNumReductions();
}
static void countMultiMap(kernel::MultiMapOp op, Work &work) {
  double points = 0;
  for (unsigned member = 0; member < op.getMembers(); ++member)
    points += op.pointsOf(member);
  countBody(op.getBody(), points, work);
  touchAll(op, work);
}

namespace {
/// Registry of counting functions by op name. Other kernels touch each tensor once and run their
/// body, if any, at every point of the domain.
class Counters {
public:
  Counters() {
    add(countGemm);
    add(countConv);
    add(countConvFilter);
    add(countWinograd);
    add(countWinogradFilter);
    add(countAttentionForward);
    add(countAttentionGrad);
    add(countGather);
    add(countScatterRows);
    add(countScatterAdd);
    add(countSegmentSum);
    add(countPool);
    add(countPoolGrad);
    add(countReduce);
    add(countReductions);
    add(countMultiMap);
  }
  bool count(Operation *op, Work &work) const {
    auto it = counters.find(op->getName().getStringRef());
    if (it != counters.end())
      it->second(op, work);
    return it != counters.end();
  }

private:
  template <typename Op> void add(void (*count)(Op, Work &)) {
    counters[Op::getOperationName()] = [count](Operation *op, Work &work) {
      count(cast<Op>(op), work);
    };
  }
  llvm::StringMap<std::function<void(Operation *, Work &)>> counters;
};
} // namespace

Work cost::workOf(KernelOpInterface op) {
  static const Counters counters;
  Work work;
  if (counters.count(op, work))
    return work;
  if (auto fused = dyn_cast<FusedKernelOpInterface>(*op)) {
    countBody(fused.getBody(), pointsOf(fused.getSpace()), work);
    touchBody(fused, 0, INT64_MAX, work);
  } else {
    touchAll(op, work);
  }
  return work;
}
