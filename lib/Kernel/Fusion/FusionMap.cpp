// Fusion maps from the iteration domain of a producer to the domain of a consumer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Fusion/FusionMap.h"
#include "mlir-dialects/Kernel/LinearMap.h"

using namespace mlir;
using namespace ampc;

AffineMap ampc::fusionMap(FusedKernelOpInterface producer, kernel::MapOp consumer) {
  AffineMap via;
  auto links = [&](function_ref<bool(Value, AffineMap, AffineMap)> test) {
    for (auto [i, operand] : llvm::enumerate(inputsOf(consumer)))
      if (operand.get().getDefiningOp() == producer &&
          !test(operand.get(), mapAt(consumer.getInputMaps(), i),
                mapAt(producer.getResultMaps(), cast<OpResult>(operand.get()).getResultNumber())))
        return false;
    return true;
  };
  links([&](Value value, AffineMap read, AffineMap written) {
    if (!via)
      if (AffineMap inverse = inverseOf(read, consumer.getSpace(), shapeOf(value)))
        via = composed(inverse, written);
    return true;
  });
  ArrayRef<int64_t> space = producer.getSpace();
  AffineMap all = AffineMap::getMultiDimIdentityMap(space.size(), producer->getContext());
  if (!via && space == consumer.getSpace())
    via = all;
  if (!via || !links([&](Value, AffineMap read, AffineMap written) {
        return normalized(composed(read, via), space) == normalized(written, space);
      }))
    return {};
  return normalized(via, space) == normalized(all, space) && space == consumer.getSpace() ? all
                                                                                          : via;
}

bool ampc::mayAccess(FusedKernelOpInterface kernel, AffineMap map, ArrayRef<int64_t> shape) {
  if (!isa<kernel::ConvFilterOp>(kernel))
    return true;
  // The emitter of the kernel treats (tap, channel) as a single dimension.
  std::optional<LinearForm> form = LinearForm::of(map, shape);
  return form && commonStep(ArrayRef(form->factors).drop_front(), kernel.getSpace().drop_front());
}

/// Whether the producer's loops can perform all accesses of the reader.
static bool mayAccessAll(FusedKernelOpInterface producer, kernel::MapOp consumer, AffineMap via) {
  for (auto [i, input] : llvm::enumerate(inputsOf(consumer)))
    if (input.get().getDefiningOp() != producer &&
        !mayAccess(producer, composed(mapAt(consumer.getInputMaps(), i), via),
                   shapeOf(input.get())))
      return false;
  for (auto [i, result] : llvm::enumerate(consumer->getResults()))
    if (!mayAccess(producer, composed(mapAt(consumer.getResultMaps(), i), via), shapeOf(result)))
      return false;
  return true;
}

bool ampc::canFuse(FusedKernelOpInterface producer, kernel::MapOp consumer, AffineMap via) {
  bool same = producer.getSpace() == consumer.getSpace() && via.isIdentity();
  if (!mayAccessAll(producer, consumer, via))
    return false;
  if (!isa<kernel::MapOp>(producer) && (hasRowOps(consumer) || usesLinearIndex(consumer)))
    return false;
  if (same)
    return true;
  if (hasRowOps(consumer) || usesLinearIndex(consumer))
    return false;
  // Different domains: a value per row of a row kernel, or results that are permuted but contiguous
  // along the last dimension, such as (i, j, k) -> (j, i, k).
  ArrayRef<int64_t> space = producer.getSpace();
  if (space.empty())
    return false;
  AffineMap all = AffineMap::getMultiDimIdentityMap(space.size(), via.getContext());
  if (elements(consumer.getSpace()) != elements(space)) {
    auto dims = [&](AffineMap map) {
      return llvm::filter_to_vector(normalized(map, space).getResults(),
                                    [](AffineExpr e) { return !isa<AffineConstantExpr>(e); });
    };
    return isa<kernel::MapOp>(producer) && dims(via) == dims(all.dropResult(space.size() - 1));
  }
  return llvm::all_of(consumer.getResultMaps().getAsRange<AffineMapAttr>(), [&](AffineMapAttr map) {
    AffineMap written = map.getValue().compose(via);
    return written.getNumResults() &&
           written.getResults().back() == getAffineDimExpr(space.size() - 1, via.getContext());
  });
}
