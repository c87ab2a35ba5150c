// Fusion maps from the iteration domain of a producer to the domain of a consumer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Fusion/Meeting.h"
#include "mlir-dialects/Kernel/LinearMap.h"

using namespace mlir;
using namespace ampc;

AffineMap ampc::meetingMap(FusedKernelOpInterface producer, kernel::MapOp reader) {
  AffineMap via;
  auto links = [&](function_ref<bool(Value, AffineMap, AffineMap)> test) {
    for (auto [i, operand] : llvm::enumerate(inputsOf(reader)))
      if (operand.get().getDefiningOp() == producer &&
          !test(operand.get(), mapAt(reader.getInputMaps(), i),
                mapAt(producer.getResultMaps(), cast<OpResult>(operand.get()).getResultNumber())))
        return false;
    return true;
  };
  links([&](Value value, AffineMap read, AffineMap written) {
    if (!via)
      if (AffineMap inverse = inverseOf(read, reader.getSpace(), shapeOf(value)))
        via = composed(inverse, written);
    return true;
  });
  ArrayRef<int64_t> space = producer.getSpace();
  AffineMap all = AffineMap::getMultiDimIdentityMap(space.size(), producer->getContext());
  if (!via && space == reader.getSpace())
    via = all;
  if (!via || !links([&](Value, AffineMap read, AffineMap written) {
        return normalized(composed(read, via), space) == normalized(written, space);
      }))
    return {};
  return normalized(via, space) == normalized(all, space) && space == reader.getSpace() ? all : via;
}

bool ampc::mayAccess(FusedKernelOpInterface kernel, AffineMap map, ArrayRef<int64_t> shape) {
  if (!isa<kernel::ConvFilterOp>(kernel))
    return true;
  // The emitter of the kernel treats (tap, channel) as a single dimension.
  std::optional<LinearForm> form = LinearForm::of(map, shape);
  return form && commonStep(ArrayRef(form->factors).drop_front(), kernel.getSpace().drop_front());
}

/// Whether the producer's loops can perform all accesses of the reader.
static bool mayAccessAll(FusedKernelOpInterface producer, kernel::MapOp reader, AffineMap via) {
  for (auto [i, input] : llvm::enumerate(inputsOf(reader)))
    if (input.get().getDefiningOp() != producer &&
        !mayAccess(producer, composed(mapAt(reader.getInputMaps(), i), via), shapeOf(input.get())))
      return false;
  for (auto [i, result] : llvm::enumerate(reader->getResults()))
    if (!mayAccess(producer, composed(mapAt(reader.getResultMaps(), i), via), shapeOf(result)))
      return false;
  return true;
}

bool ampc::canJoin(FusedKernelOpInterface producer, kernel::MapOp reader, AffineMap via) {
  bool same = producer.getSpace() == reader.getSpace() && via.isIdentity();
  if (!mayAccessAll(producer, reader, via))
    return false;
  if (!isa<kernel::MapOp>(producer) && (hasRowOps(reader) || usesLinearIndex(reader)))
    return false;
  if (same)
    return true;
  if (hasRowOps(reader) || usesLinearIndex(reader))
    return false;
  // Different domains: a value per row of a row kernel, or results that are permuted but contiguous
  // along the last dimension, such as (i, j, k) -> (j, i, k).
  ArrayRef<int64_t> space = producer.getSpace();
  if (space.empty())
    return false;
  AffineMap all = AffineMap::getMultiDimIdentityMap(space.size(), via.getContext());
  if (elements(reader.getSpace()) != elements(space)) {
    auto dims = [&](AffineMap map) {
      return llvm::filter_to_vector(normalized(map, space).getResults(),
                                    [](AffineExpr e) { return !isa<AffineConstantExpr>(e); });
    };
    return isa<kernel::MapOp>(producer) && dims(via) == dims(all.dropResult(space.size() - 1));
  }
  return llvm::all_of(reader.getResultMaps().getAsRange<AffineMapAttr>(), [&](AffineMapAttr map) {
    AffineMap written = map.getValue().compose(via);
    return written.getNumResults() &&
           written.getResults().back() == getAffineDimExpr(space.size() - 1, via.getContext());
  });
}
