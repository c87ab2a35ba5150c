// Stable names of ops, kept by all later phases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "mlir-dialects/Train/Program/Origin.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINNAMEOPS
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Reports attributes that no pass reads, because they are probably misspelt.
static LogicalResult checkAttributes(Operation *op) {
  bool isOurs = isa<train::TrainDialect>(op->getDialect()) || isa<PrecisionOpInterface>(op);
  if (!isOurs || isa<train::StepOp>(op)) // the verifier of steps checks attributes
    return success();
  bool isState = isa<StateOpInterface>(op);
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    StringRef name = attribute.getName();
    if (name.contains('.'))
      continue;
    if (isState || name != "compute")
      return op->emitOpError() << "expected "
                               << (isState ? "no attribute but frozen" : "no attribute but compute")
                               << " here, but got " << name;
    auto type = dyn_cast<TypeAttr>(attribute.getValue());
    if (!type || !isa<Float64Type, Float32Type, BFloat16Type, Float16Type>(type.getValue()))
      return op->emitOpError() << "expected compute = f64, f32, bf16 or f16, but got "
                               << attribute.getValue();
  }
  return success();
}

namespace {
struct TrainNameOps : ampc::impl::TrainNameOpsBase<TrainNameOps> {
  void runOnOperation() override {
    if (getOperation()
            ->walk([](Operation *op) {
              return failed(checkAttributes(op)) ? WalkResult::interrupt() : WalkResult::advance();
            })
            .wasInterrupted())
      return signalPassFailure();
    getOperation()->walk([](train::FuncOp func) {
      llvm::StringMap<unsigned> counts, given;
      func.walk([&](Operation *op) {
        if (op == func || originOf(op))
          return;
        unsigned number = counts[op->getName().stripDialect()]++;
        std::string name =
            (func.getSymName() + "/" + op->getName().stripDialect() + "#" + Twine(number)).str();
        if (auto location = dyn_cast<NameLoc>(op->getLoc())) {
          name = location.getName().str();
          if (unsigned again = given[name]++) // a second op of a given name gets a number
            name += "#" + std::to_string(again);
          op->setLoc(location.getChildLoc());
        }
        auto origin = train::OriginAttr::get(StringAttr::get(op->getContext(), name));
        if (auto compute = dyn_cast_or_null<TypeAttr>(op->removeDiscardableAttr("compute")))
          origin = origin.withCompute(compute.getValue());
        if (Attribute segment = op->removeDiscardableAttr(segmentKey))
          origin = origin.withSegment(cast<StringAttr>(segment));
        setOrigin(op, origin);
      });
    });
  }
};
} // namespace
