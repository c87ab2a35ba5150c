// Analysis of rows: which dimensions of kernels and tensors are the rows of a product, by indexing
// maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Chunking/ChunkRegion.h"
#include "lib/Kernel/Fusion/Views.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

/// Number of leading dimensions whose product is the number of rows: [8, 64, 512] with 512 rows ->
/// 2.
static std::optional<unsigned> rowPrefix(ArrayRef<int64_t> shape, int64_t rows) {
  int64_t count = 1;
  for (auto [i, size] : llvm::enumerate(shape))
    if ((count *= size) == rows)
      return i + 1;
  return {};
}

std::optional<SmallVector<int64_t>> ampc::chunkOf(ArrayRef<int64_t> shape, int64_t rows,
                                                  int64_t times) {
  SmallVector<int64_t> chunk(shape);
  std::optional<unsigned> prefix = rowPrefix(shape, rows);
  if (!prefix)
    return {};
  for (int64_t &size : MutableArrayRef(chunk).take_front(*prefix)) {
    int64_t parts = std::gcd(size, times);
    if (parts != size && parts != times)
      return {};
    size /= parts;
    times /= parts;
  }
  return times == 1 ? std::optional(chunk) : std::nullopt;
}

SmallVector<int64_t> ampc::loopSizes(FusedKernelOpInterface op) {
  SmallVector<int64_t> points(op.getSpace());
  if (auto product = dyn_cast<kernel::GemmOp>(*op))
    points.push_back(product.getDepth());
  return points;
}

/// Dimensions of the kernel's points that are the rows of the tensor, in the tensor's order.
static std::optional<SmallVector<unsigned>> rowDimsIn(Value tensor, AffineMap map,
                                                      ArrayRef<int64_t> points, int64_t rows) {
  ArrayRef<int64_t> shape = shapeOf(tensor);
  std::optional<unsigned> prefix = rowPrefix(shape, rows);
  if (!prefix)
    return {};
  SmallVector<unsigned> dims;
  for (unsigned i = 0; i < *prefix; ++i) {
    if (shape[i] == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(i));
    if (!dim || points[dim.getPosition()] != shape[i])
      return {};
    dims.push_back(dim.getPosition());
  }
  return dims;
}

static AffineMap mapOfTensor(FusedKernelOpInterface op, unsigned operand) {
  unsigned inputs = inputsOf(op).size(), first = op->getNumOperands() - inputs;
  if (operand >= first)
    return mapAt(op.getInputMaps(), operand - first);
  return mapAt(cast<kernel::GemmOp>(*op).getOperandMaps(), operand);
}

/// Access of the kernel to the tensor; null if the indexing map mixes rows with other dimensions.
std::optional<ChunkRegion::Access> ChunkRegion::find(FusedKernelOpInterface op, Value tensor,
                                                     AffineMap map) const {
  const SmallVector<unsigned> &dims = rowDims.find(op)->second;
  auto usesRows = [&](AffineExpr expr) {
    return llvm::any_of(dims, [&](unsigned dim) { return expr.isFunctionOfDim(dim); });
  };
  std::optional<SmallVector<unsigned>> own = rowDimsIn(tensor, map, loopSizes(op), rows);
  if (own && *own == dims) {
    auto others = map.getResults().drop_front(*rowPrefix(shapeOf(tensor), rows));
    return llvm::none_of(others, usesRows) ? std::optional(Access::ByRow) : std::nullopt;
  }
  return llvm::none_of(map.getResults(), usesRows) ? std::optional(Access::Whole) : std::nullopt;
}

ChunkRegion::Access ChunkRegion::accessOf(FusedKernelOpInterface op, unsigned operand) const {
  return *find(op, op->getOperand(operand), mapOfTensor(op, operand));
}

bool ChunkRegion::sumsRows(FusedKernelOpInterface op) const {
  ArrayRef<unsigned> dims = rowDims.find(op)->second;
  if (auto reduce = dyn_cast<kernel::ReduceOp>(*op))
    return dims == ArrayRef(1u) && reduce.getKind() == kernel::Combine::sum;
  unsigned depth = op.getSpace().size();
  return isa<kernel::GemmOp>(*op) && dims == ArrayRef(depth) &&
         llvm::hasSingleElement(op.getBody().front());
}

/// Adds the kernel, whose row dimensions follow from `known`, a tensor by rows that the kernel
/// reads or writes.
bool ChunkRegion::add(Operation *any, Value known) {
  auto op = dyn_cast<FusedKernelOpInterface>(any);
  if (!op || !isa<kernel::MapOp, kernel::ReduceOp, kernel::GemmOp>(any) || usesLinearIndex(op))
    return false;
  bool isNew = ops.insert(any);
  auto visit = [&](Value tensor, AffineMap map) {
    bool isKnown = kernel::throughViews(tensor) == known;
    if (isKnown && !rowDims.count(any))
      if (auto dims = rowDimsIn(tensor, map, loopSizes(op), rows))
        rowDims[any] = *dims;
    return isKnown;
  };
  for (unsigned i = 0; i < any->getNumOperands(); ++i)
    visit(any->getOperand(i), mapOfTensor(op, i));
  for (auto [i, result] : llvm::enumerate(any->getResults()))
    visit(result, mapAt(op.getResultMaps(), i));
  if (!rowDims.count(any))
    return false;
  auto isByRow = [&](Value tensor, AffineMap map) {
    return find(op, tensor, map) == Access::ByRow;
  };
  auto note = [&](Value tensor) {
    if (elements(shapeOf(tensor)) >= scores)
      large.insert(kernel::throughViews(tensor));
  };
  for (unsigned i = 0; i < any->getNumOperands(); ++i) {
    Value tensor = any->getOperand(i);
    AffineMap map = mapOfTensor(op, i);
    if (!find(op, tensor, map) || (kernel::throughViews(tensor) == known && !isByRow(tensor, map)))
      return false;
    if (isByRow(tensor, map))
      note(tensor);
  }
  if (!isNew)
    return true;
  ArrayRef<unsigned> dims = rowDims[any];
  if (hasRowOps(op) && llvm::is_contained(dims, op.getSpace().size() - 1))
    return false;
  for (auto [i, result] : llvm::enumerate(any->getResults())) {
    if (isByRow(result, mapAt(op.getResultMaps(), i)))
      note(result);
    else if (!sumsRows(op))
      return false;
  }
  return true;
}

/// Collects all ops that are computed from the scores.
void ChunkRegion::findDependents(Operation *product) {
  SmallVector<Operation *> open{product};
  while (!open.empty())
    for (Operation *user : open.pop_back_val()->getUsers())
      if (dependents.insert(user).second)
        open.push_back(user);
}

/// Whether the value is an input of the region, or computed from inputs by maps alone, so that each
/// consumer may have a copy of the maps.
bool ChunkRegion::isGiven(Value value) const {
  bool isGiven = true;
  SourceWalk().visit(value, [&](Value source) {
    Operation *op = source.getDefiningOp();
    if (!isGiven || !op || (source != value && elements(shapeOf(source)) < scores))
      return false;
    isGiven = isa<kernel::ViewOp>(op) ||
              (!dependents.contains(op) && isa<kernel::MapOp>(op) && op->getNumResults() == 1);
    return isGiven;
  });
  return isGiven;
}

/// Adds a copy of the map that computes a given value; if the map cannot work by rows, the value is
/// an input.
void ChunkRegion::repeat(Operation *source, Value value) {
  size_t before = large.size();
  if (add(source, value)) {
    repeated.insert(source);
    return;
  }
  ops.remove(source);
  rowDims.erase(source);
  while (large.size() > before)
    large.pop_back();
}

bool ChunkRegion::addOrSay(Operation *op, Value known, std::string &why) {
  if (add(op, known))
    return true;
  why = isa<kernel::ReturnOp>(op) ? "the program returns a tensor of as many elements"
                                  : nameOf(op) + " does not work row by row";
  return false;
}

/// Adds the producer and all consumers of each large value.
bool ChunkRegion::grow(std::string &why) {
  for (; grown < large.size(); ++grown) {
    Value value = large[grown];
    bool given = isGiven(value);
    if (Operation *source = value.getDefiningOp()) {
      if (given)
        repeat(source, value);
      else if (!addOrSay(source, value, why))
        return false;
    }
    llvm::SmallSetVector<Operation *, 4> consumers;
    findConsumers(value, consumers);
    for (Operation *consumer : consumers)
      if (!(given && !dependents.contains(consumer)) && !addOrSay(consumer, value, why))
        return false;
  }
  return true;
}

static Operation *sourceOf(Value value) { return kernel::throughViews(value).getDefiningOp(); }

/// A value that a kernel of the region reads and a kernel outside computes from results of the
/// region; null if there is none.
Value ChunkRegion::findReentrant() {
  auto sorted = ops.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  ops.insert(sorted.begin(), sorted.end());
  llvm::DenseSet<Operation *> behind;
  auto isBehind = [&](Value operand) { return behind.contains(sourceOf(operand)); };
  auto isMadeHere = [&](Value operand) {
    return ops.contains(sourceOf(operand)) && !repeated.contains(sourceOf(operand));
  };
  for (Operation *op = sorted.front(); op != sorted.back()->getNextNode(); op = op->getNextNode()) {
    auto waiting = llvm::find_if(op->getOperands(), isBehind);
    if (ops.contains(op) && waiting != op->operand_end())
      return kernel::throughViews(*waiting);
    if (!ops.contains(op) && !isa<kernel::ViewOp>(op) &&
        (waiting != op->operand_end() || llvm::any_of(op->getOperands(), isMadeHere)))
      behind.insert(op);
  }
  return {};
}

/// Closes the region: losses of rows on which their own gradients depend join the region, and no
/// large value may leave the region.
bool ChunkRegion::close(std::string &why) {
  while (Value value = findReentrant())
    if (!addOrSay(value.getDefiningOp(), value, why) || !grow(why))
      return false;
  for (Operation *op : ops) {
    for (OpOperand &operand : op->getOpOperands())
      if (Operation *source = sourceOf(operand.get());
          ops.contains(source) && (sumsRows(cast<FusedKernelOpInterface>(source)) ||
                                   accessOf(cast<FusedKernelOpInterface>(op),
                                            operand.getOperandNumber()) != Access::ByRow)) {
        why = nameOf(op) + " waits for the result of " + nameOf(source) + " over all rows";
        return false;
      }
    if (repeated.contains(op))
      continue;
    for (Value result : op->getResults()) {
      llvm::SmallSetVector<Operation *, 4> consumers;
      findConsumers(result, consumers);
      if (llvm::any_of(consumers, [&](Operation *consumer) { return !ops.contains(consumer); }))
        leaves.insert(result);
    }
  }
  auto leaving = llvm::find_if(large, [&](Value value) { return leaves.contains(value); });
  if (leaving != large.end())
    why = "a kernel outside the chunks reads all results of " + nameOf(leaving->getDefiningOp());
  return leaving == large.end();
}

bool ChunkRegion::isWorthwhile() const {
  int64_t others = 0;
  llvm::DenseSet<Value> seen;
  auto count = [&](Value value) {
    if (seen.insert(kernel::throughViews(value)).second &&
        !large.contains(kernel::throughViews(value)))
      others += elements(shapeOf(value));
  };
  for (Operation *any : ops) {
    auto op = cast<FusedKernelOpInterface>(any);
    for (unsigned i = 0; i < any->getNumOperands(); ++i)
      if (accessOf(op, i) == Access::ByRow)
        count(any->getOperand(i));
    if (!sumsRows(op))
      for (Value result : any->getResults())
        count(result);
  }
  return others * scoresPerOther <= scores;
}

int64_t ChunkRegion::maxChunks(int64_t least) const {
  auto fits = [&](int64_t times) {
    auto cut = [&](Value value) { return chunkOf(shapeOf(value), rows, times).has_value(); };
    return llvm::all_of(ops, [&](Operation *any) {
      auto op = cast<FusedKernelOpInterface>(any);
      for (unsigned i = 0; i < any->getNumOperands(); ++i)
        if (accessOf(op, i) == Access::ByRow &&
            (!cut(any->getOperand(i)) || !cut(kernel::throughViews(any->getOperand(i)))))
          return false;
      return sumsRows(op) || llvm::all_of(any->getResults(), cut);
    });
  };
  for (int64_t times = rows / std::max<int64_t>(least, 1); times > 1; --times)
    if (rows % times == 0 && fits(times))
      return times;
  return 1;
}

std::optional<ChunkRegion> ChunkRegion::around(kernel::GemmOp product, std::string &why) {
  ChunkRegion region;
  region.scores = elements(product.getSpace());
  region.rows = region.scores / product.getSpace().back();
  region.large.insert(product->getResult(0));
  region.findDependents(product);
  if (product->getNumResults() != 1 || shapeOf(product->getResult(0)) != product.getSpace() ||
      !mapAt(product.getResultMaps(), 0).isIdentity()) {
    why = "the product has results besides the scores";
    return {};
  }
  if (!region.grow(why))
    return {};
  if (region.ops.size() == 1) {
    why = "no op reads the scores row by row";
    return {};
  }
  if (!region.close(why))
    return {};
  if (!region.isWorthwhile()) {
    why = "the other tensors with a row per row of scores are too large for chunks to save memory";
    return {};
  }
  return region;
}
