// Linear indexing maps: the element offset is affine in the indices, with one stride per dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace ampc;

static bool addTo(LinearForm &form, AffineExpr expr, int64_t factor) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant += constant.getValue() * factor;
    return true;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    form.factors[dim.getPosition()] += factor;
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addTo(form, binary.getLHS(), factor) && addTo(form, binary.getRHS(), factor);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return by && binary.getKind() == AffineExprKind::Mul &&
         addTo(form, binary.getLHS(), factor * by.getValue());
}

std::optional<LinearForm> LinearForm::of(AffineExpr expr, unsigned dims) {
  LinearForm form;
  form.factors.assign(dims, 0);
  return addTo(form, expr, 1) ? std::optional(form) : std::nullopt;
}

std::optional<LinearForm> LinearForm::of(AffineMap map, ArrayRef<int64_t> shape) {
  LinearForm form;
  form.factors.assign(map.getNumDims(), 0);
  int64_t stride = 1;
  for (unsigned i = shape.size(); i-- > 0; stride *= shape[i])
    if (!addTo(form, map.getResult(i), stride))
      return std::nullopt;
  return form;
}

bool LinearForm::staysBelow(int64_t limit, ArrayRef<int64_t> space) const {
  int64_t least = constant, most = constant;
  for (auto [factor, size] : llvm::zip(factors, space))
    (factor < 0 ? least : most) += factor * (size - 1);
  return least >= 0 && most < limit;
}

// Mixed-radix condition: the stride of a dimension exceeds the offsets reachable by all smaller
// strides.
bool LinearForm::isOneToOne(ArrayRef<int64_t> space) const {
  SmallVector<std::pair<int64_t, int64_t>> steps;
  for (auto [factor, size] : llvm::zip(factors, space))
    if (factor && size > 1)
      steps.push_back({std::abs(factor), size});
  llvm::sort(steps);
  int64_t reached = 0;
  for (auto [step, size] : steps) {
    if (step <= reached)
      return false;
    reached += step * (size - 1);
  }
  return true;
}

std::optional<int64_t> ampc::commonStep(ArrayRef<int64_t> factors, ArrayRef<int64_t> sizes) {
  std::optional<int64_t> step;
  int64_t inner = 1;
  for (auto [factor, size] : llvm::reverse(llvm::zip_equal(factors, sizes))) {
    if (size == 1)
      continue;
    if (!step)
      step = factor;
    if (factor != *step * inner)
      return std::nullopt;
    inner *= size;
  }
  return step.value_or(0);
}

bool ampc::isLinear(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    return LinearForm::of(expr, map.getNumDims()).has_value();
  });
}

bool ampc::staysInside(AffineMap map, ArrayRef<int64_t> space, ArrayRef<int64_t> shape) {
  for (auto [expr, size] : llvm::zip(map.getResults(), shape))
    if (std::optional<LinearForm> form = LinearForm::of(expr, map.getNumDims());
        form && !form->staysBelow(size, space))
      return false;
  return true;
}

AffineMap ampc::withoutStart(AffineMap map) {
  SmallVector<AffineExpr> rest(map.getResults());
  for (AffineExpr &expr : rest)
    if (auto form = LinearForm::of(expr, map.getNumDims()))
      expr = expr - form->constant;
  return AffineMap::get(map.getNumDims(), 0, rest, map.getContext());
}

/// Bytes in front of the element at index 0 of every dimension: 5 * 8 * 4 for (d0, d1 + 5, d2) of
/// tensor<4x20x8xf32>.
static int64_t startOf(AffineMap map, RankedTensorType type) {
  int64_t start = 0, stride = std::max(1u, type.getElementTypeBitWidth() / 8);
  for (int64_t i = type.getRank(); i-- > 0; stride *= type.getDimSize(i))
    if (auto form = LinearForm::of(map.getResult(i), map.getNumDims()))
      start += form->constant * stride;
  return start;
}

/// Starts of a kernel's operands by the kernel's own maps: of the first operands, and of the body's
/// inputs, which come last. A convolution's image and filter, between both, have no map.
static SmallVector<int64_t> startsByMaps(Operation *kernel) {
  SmallVector<int64_t> starts(kernel->getNumOperands());
  auto fill = [&](ArrayAttr maps, unsigned first) {
    for (auto [i, map] : llvm::enumerate(maps.getAsRange<AffineMapAttr>())) {
      auto type = cast<RankedTensorType>(kernel->getOperand(first + i).getType());
      starts[first + i] = startOf(map.getValue(), type);
    }
  };
  if (auto maps = kernel->getAttrOfType<ArrayAttr>(kernel::operandMapsName))
    fill(maps, 0);
  if (auto maps = kernel->getAttrOfType<ArrayAttr>(kernel::inputMapsName))
    fill(maps, starts.size() - maps.size());
  return starts;
}

SmallVector<int64_t> kernel::startsOf(Operation *kernel) {
  auto reductions = dyn_cast<FusedReductionOp>(kernel);
  if (!reductions)
    return startsByMaps(kernel);
  Operation *inner = reductions.getKernel();
  SmallVector<int64_t> reads = startsByMaps(inner);
  SmallVector<int64_t> starts(kernel->getNumOperands()); // scalars of the sums have no start
  for (unsigned i = reads.size(); i-- > 0;)
    starts[cast<BlockArgument>(inner->getOperand(i)).getArgNumber()] = reads[i];
  return starts;
}
