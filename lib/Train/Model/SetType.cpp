// Conversion of a model to another element type, f32 -> f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Text.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Build/GradBuilder.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINSETTYPE
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Converts the constant's elements to another float type, rounding to nearest.
static DenseElementsAttr convertElements(DenseElementsAttr elements, FloatType type) {
  auto convert = [&](const APFloat &x) {
    APFloat value = x;
    bool losesInfo;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.bitcastToAPInt();
  };
  return cast<DenseFPElementsAttr>(elements).mapValues(type, convert);
}

/// Widens 16-bit operands of products whose result, the accumulator, has become f64: the operands
/// keep the numbers of the model, and no product is rounded.
static void widenOperands(PrecisionOpInterface op, FloatType accumulator) {
  auto isWide = [&](Type type) { return getElementTypeOrSelf(type) == accumulator; };
  if (op.getCategory() != Category::LowPrecision || !llvm::all_of(op->getResultTypes(), isWide))
    return;
  OpBuilder builder(op);
  GradBuilder b(builder, op);
  for (OpOperand &operand : op->getOpOperands())
    if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(operand.get())))
      if (element.getWidth() < 32)
        operand.set(b.castTo(operand.get(), accumulator));
}

namespace {
struct TrainSetType : ampc::impl::TrainSetTypeBase<TrainSetType> {
  using TrainSetTypeBase::TrainSetTypeBase;
  void runOnOperation() override {
    Builder b(&getContext());
    if (type != "f32" && type != "f64") {
      getOperation()->emitError() << "expected type f32 or f64, but got " << shown(type);
      return signalPassFailure();
    }
    FloatType from = b.getF32Type(),
              to = type == "f64" ? FloatType(b.getF64Type()) : FloatType(b.getF32Type());
    if (from == to)
      return;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](FloatType t) -> Type { return t == from ? to : t; });
    // Compute types of regions and ops are no types of values.
    replacer.addReplacement([](TypeAttr type) -> std::optional<std::pair<Attribute, WalkResult>> {
      if (!isa<FloatType>(type.getValue()))
        return std::nullopt;
      return {{type, WalkResult::skip()}};
    });
    // Nor are the types of optimizer moments, which are f64 beside an f64 parameter.
    replacer.addReplacement(
        [](OptimizerAttrInterface rule) -> std::optional<std::pair<Attribute, WalkResult>> {
          return {{rule, WalkResult::skip()}};
        });
    replacer.addReplacement([&](DenseElementsAttr elements) -> std::optional<Attribute> {
      if (elements.getElementType() != from)
        return std::nullopt;
      return convertElements(elements, to);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    getOperation()->walk([&](PrecisionOpInterface op) { widenOperands(op, to); });
  }
};
} // namespace
