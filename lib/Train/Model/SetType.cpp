// The same model in another element type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Text.h"
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/GradBuilder.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINSETTYPE
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// The same numbers in another float type.
static DenseElementsAttr convertElements(DenseElementsAttr elements, FloatType type) {
  auto convert = [&](const APFloat &x) {
    APFloat value = x;
    bool losesInfo;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.bitcastToAPInt();
  };
  return cast<DenseFPElementsAttr>(elements).mapValues(type, convert);
}

/// Products of 16-bit tensors have a result in f32, their accumulator. Where that is f64, so are
/// the operands: the numbers that the model says, and nothing of their products is rounded.
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
    // The type that a region or an op asks to compute in is none of a value.
    replacer.addReplacement([](TypeAttr type) -> std::optional<std::pair<Attribute, WalkResult>> {
      if (!isa<FloatType>(type.getValue()))
        return std::nullopt;
      return {{type, WalkResult::skip()}};
    });
    // So is that of an optimizer's moments, which are f64 beside a parameter in f64.
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
