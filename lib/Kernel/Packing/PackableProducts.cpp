// Analysis of products that can read a weight packed, and of the panel order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Packing/PackableProducts.h"
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;
using kernel::PackedAttr;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether both sides have the same float type, with sums in f32, or f64 for f64 sides.
static bool haveOneType(Value lhs, RankedTensorType rhs, Type acc) {
  Type element = rhs.getElementType();
  return !rhs.getEncoding() && isa<FloatType>(element) &&
         element == getElementTypeOrSelf(lhs.getType()) && acc.isF64() == element.isF64();
}

static RankedTensorType packedType(RankedTensorType weight, unsigned depth, int64_t bytes) {
  auto packing = PackedAttr::get(weight.getContext(), kernel::Side::rhs, depth, bytes);
  return RankedTensorType::get(weight.getShape(), weight.getElementType(), packing);
}

/// Dimension of B that the product sums over, if B can be packed: 0 for [k, n], 1 for [n, k].
static std::optional<unsigned> packableDepth(kernel::GemmOp op) {
  RankedTensorType type = tensorOf(op.getRhs());
  if (type.getRank() != 2 || !haveOneType(op.getLhs(), type, op.getAcc()))
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

/// Whether the map rotates a filter OHWI by 180 degrees and exchanges outputs and channels, [O, H,
/// W, I] -> [I, H, W, O], over any iteration domain.
static bool rotatesFilter(kernel::MapOp map) {
  if (map.getInputs().size() != 1 || map->getNumResults() != 1)
    return false;
  Block &body = map.getBody().front();
  ArrayRef<int64_t> filter = shapeOf(map.getInputs()[0]), turned = shapeOf(map->getResult(0));
  if (body.getTerminator()->getOperand(0) != body.getArgument(0) || filter.size() != 4 ||
      turned != ArrayRef({filter[3], filter[1], filter[2], filter[0]}))
    return false;
  auto from = LinearForm::of(mapAt(map.getInputMaps(), 0), filter),
       to = LinearForm::of(mapAt(map.getResultMaps(), 0), turned);
  int64_t outputs = filter[0], taps = filter[1] * filter[2], channels = filter[3];
  if (!from || !to || to->constant || from->constant != (taps - 1) * channels ||
      elements(map.getSpace()) != outputs * taps * channels)
    return false;
  // Every dimension of the domain walks channels, taps or outputs.
  for (auto [dim, size] : llvm::enumerate(map.getSpace())) {
    int64_t step = to->factors[dim], expected;
    if (size == 1)
      continue;
    if (step > 0 && step % (taps * outputs) == 0)
      expected = step / (taps * outputs);
    else if (step > 0 && step % outputs == 0 && step * size <= taps * outputs)
      expected = -(step / outputs) * channels;
    else if (step > 0 && step * size <= outputs)
      expected = step * taps * channels;
    else
      return false;
    if (from->factors[dim] != expected)
      return false;
  }
  return true;
}

namespace {
class PackableProductFinder {
public:
  PackableProductFinder(kernel::ProgramOp program, const Target &target,
                        llvm::function_ref<bool(StringAttr)> isWeight, PackableProducts &reads)
      : program(program), target(target), isWeight(isWeight), reads(reads) {}
  void find(kernel::GemmOp op);
  void find(kernel::ConvOp op);
  void find(kernel::WinogradOp op);

private:
  void add(Value weight, Type copy, FusedKernelOpInterface product, int64_t saving,
           int64_t writing = 1);

  kernel::ProgramOp program; ///< program or outlined loop body
  const Target &target;
  llvm::function_ref<bool(StringAttr)> isWeight;
  PackableProducts &reads;
  SmallPtrSet<Operation *, 8> made; ///< rotated or transformed filters of the program, counted once
};
} // namespace

kernel::CallOp ampc::onlyCallOf(kernel::ProgramOp part) {
  kernel::CallOp only;
  for (auto program : part->getParentOfType<ModuleOp>().getOps<kernel::ProgramOp>())
    for (auto call : program.getBody().getOps<kernel::CallOp>()) {
      if (call.getProgram() != part)
        continue;
      if (only)
        return {};
      only = call;
    }
  return only;
}

void PackableProductFinder::add(Value weight, Type copy, FusedKernelOpInterface product,
                                int64_t saving, int64_t writing) {
  auto argument = dyn_cast<BlockArgument>(weight);
  kernel::ProgramOp consumer = program;
  int64_t runs = 1;
  while (argument && consumer.is(train::Role::Part)) {
    kernel::CallOp call = onlyCallOf(consumer);
    unsigned number = argument.getArgNumber();
    if (!call || call.moves(number) || int64_t(number) < call.getCarried())
      return;
    argument = dyn_cast<BlockArgument>(call.getInputs()[number]);
    consumer = call->getParentOfType<kernel::ProgramOp>();
    runs *= call.getRuns();
  }
  StringAttr state =
      argument ? Signature(consumer).stateArgument(argument.getArgNumber()) : StringAttr();
  if (state && isWeight(state))
    reads[{state, copy}][consumer].push_back({product, runs, saving, writing});
}

void PackableProductFinder::find(kernel::GemmOp op) {
  std::optional<unsigned> depth = packableDepth(op);
  if (!depth || !target.getPacking(tensorOf(op.getRhs()).getElementType()))
    return;
  RankedTensorType type = tensorOf(op.getRhs());
  int64_t bytes = target.packedBytes(type, kernel::Side::rhs, *depth);
  add(op.getRhs(), packedType(type, *depth, bytes), op, 1);
}

/// Packs the filter as a matrix [outputs, (tap, channel)], or rotated as [(tap, output), channels].
/// Rotating takes about as long as packing.
void PackableProductFinder::find(kernel::ConvOp op) {
  Value filter = op.getRhs();
  auto turn = filter.getDefiningOp<kernel::MapOp>();
  bool isTurned = turn && rotatesFilter(turn);
  if (isTurned)
    filter = turn.getInputs()[0];
  RankedTensorType type = tensorOf(filter);
  Type element = type.getElementType();
  bool hasOddPairs = isTurned && type.getDimSize(0) % 2 && element.getIntOrFloatBitWidth() == 16;
  if (op.getGroups() != 1 || llvm::any_of(op.getInputDilations(), [](auto d) { return d != 1; }) ||
      !haveOneType(op.getLhs(), type, op.getAcc()) || hasOddPairs || !target.getPacking(element))
    return;
  int64_t outputs = type.getDimSize(0), channels = type.getDimSize(3);
  int64_t taps = type.getDimSize(1) * type.getDimSize(2);
  SmallVector<int64_t> matrix{isTurned ? taps * outputs : outputs,
                              isTurned ? channels : taps * channels};
  unsigned depth = isTurned ? 0 : 1;
  int64_t bytes =
      target.packedBytes(RankedTensorType::get(matrix, element), kernel::Side::rhs, depth);
  int64_t saving = target.packsPerRun(op) + (isTurned && made.insert(turn).second);
  add(filter, packedType(type, depth, bytes), op, saving);
}

void PackableProductFinder::find(kernel::WinogradOp op) {
  auto transform = op.getRhs().getDefiningOp<kernel::WinogradFilterOp>();
  if (!transform)
    return;
  int64_t packs = target.packsPerRun(op);
  add(transform.getFilter(), transform.getResult().getType(), op,
      made.insert(transform).second ? packs : 0, packs);
}

void ampc::findPackableProducts(kernel::ProgramOp program, const Target &target,
                                llvm::function_ref<bool(StringAttr)> isWeight,
                                PackableProducts &reads) {
  PackableProductFinder finder(program, target, isWeight, reads);
  for (Operation &op : program.getBody().front())
    if (auto gemm = dyn_cast<kernel::GemmOp>(op))
      finder.find(gemm);
    else if (auto conv = dyn_cast<kernel::ConvOp>(op))
      finder.find(conv);
    else if (auto winograd = dyn_cast<kernel::WinogradOp>(op))
      finder.find(winograd);
}

int64_t ampc::tileOf(RankedTensorType weight, RankedTensorType copy) {
  if (weight.getShape() == copy.getShape())
    return 0;
  int64_t places = copy.getDimSize(0) / weight.getDimSize(0);
  return places == 16 ? 2 : 4;
}

std::string ampc::suffixOf(RankedTensorType weight, Type copy) {
  auto type = cast<RankedTensorType>(copy);
  if (int64_t tile = tileOf(weight, type))
    return (".packed_tiles" + Twine(tile)).str();
  unsigned plain = weight.getRank() == 2 ? 0 : 1;
  return kernel::packingOf(type).getDepth() == plain ? ".packed" : ".packed_turned";
}
