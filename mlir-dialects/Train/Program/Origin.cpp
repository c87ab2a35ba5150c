// Where ops come from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Follow.h"
#include "mlir-dialects/Train/Program/LogicalLayout.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir-dialects/Train/Text/Sizes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

LogicalResult OriginAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr name, Stage stage, int64_t order, StringAttr source,
                                 int64_t part, Attribute region, Type compute, StringAttr segment) {
  if (name.empty())
    return emitError() << "expected the name of an op, but got \"\"";
  if (order < 0 || part < 0)
    return emitError() << "expected an order and a part of at least 0, but got " << order << " and "
                       << part;
  if (region && !isa<TypeAttr, UnitAttr>(region))
    return emitError() << "expected a type or unit as region, but got " << region;
  if (compute && !isa<FloatType>(compute))
    return emitError() << "expected a real type to compute in, but got " << compute;
  if (segment && segment.empty())
    return emitError() << "expected the name of a segment, but got \"\"";
  return success();
}

std::string OriginAttr::getText() const {
  std::string text = getName().str();
  for (int64_t i = 0; i < getOrder(); ++i)
    text += ".grad";
  return text;
}

/// Part of the origin that distinguishes ops: compute type and region. Segments do not: a
/// checkpoint changes no bit.
Attribute OriginAttr::getMeaning() const {
  if (!getRegion() && !getCompute())
    return {};
  return get(getContext(), StringAttr::get(getContext(), "equal"), Stage::Forward, 0, {}, 0,
             getRegion(), getCompute(), {});
}

namespace {
/// Fields of an origin in parameter order.
struct Fields {
  StringAttr name;
  Stage stage;
  int64_t order;
  StringAttr source;
  int64_t part;
  Attribute region;
  Type compute;
  StringAttr segment;
};
} // namespace

/// No origin stays none.
static OriginAttr changed(OriginAttr origin, function_ref<void(Fields &)> change) {
  if (!origin)
    return origin;
  Fields f{origin.getName(), origin.getStage(),  origin.getOrder(),   origin.getSource(),
           origin.getPart(), origin.getRegion(), origin.getCompute(), origin.getSegment()};
  change(f);
  return OriginAttr::get(origin.getContext(), f.name, f.stage, f.order, f.source, f.part, f.region,
                         f.compute, f.segment);
}
OriginAttr OriginAttr::withName(StringRef name) const {
  return changed(*this, [&](Fields &f) { f.name = StringAttr::get(getContext(), name); });
}
OriginAttr OriginAttr::withStage(Stage stage) const {
  return changed(*this, [&](Fields &f) { f.stage = stage; });
}
OriginAttr OriginAttr::differentiated() const {
  return changed(*this, [](Fields &f) {
    f.stage = Stage::Backward;
    ++f.order;
  });
}
OriginAttr OriginAttr::withSource(StringRef mnemonic) const {
  return changed(*this, [&](Fields &f) { f.source = StringAttr::get(getContext(), mnemonic); });
}
OriginAttr OriginAttr::withPart(int64_t part) const {
  return changed(*this, [&](Fields &f) { f.part = part; });
}
OriginAttr OriginAttr::withRegion(Attribute region) const {
  return changed(*this, [&](Fields &f) { f.region = region; });
}
OriginAttr OriginAttr::withCompute(Type type) const {
  return changed(*this, [&](Fields &f) { f.compute = type; });
}
OriginAttr OriginAttr::withSegment(StringAttr segment) const {
  return changed(*this, [&](Fields &f) { f.segment = segment; });
}

OriginAttr ampc::originOf(Operation *op) { return op->getAttrOfType<OriginAttr>(originKey); }

OriginAttr ampc::originOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return originOf(op);
  BlockArgument argument = programArgument(value);
  if (!argument)
    return {};
  Signature signature(cast<FunctionOpInterface>(argument.getOwner()->getParentOp()));
  if (auto input = signature.argument<InputAttr>(argument))
    return OriginAttr::get(input.getName()).withPart(input.getPart());
  StringAttr state = signature.stateArgument(argument.getArgNumber());
  return state ? OriginAttr::get(state) : OriginAttr();
}

void ampc::setOrigin(Operation *op, OriginAttr origin) {
  if (origin && !op->hasTrait<OpTrait::ConstantLike>())
    op->setDiscardableAttr(originKey, origin);
}

SmallVector<OriginAttr> ampc::originsOf(Operation *kernel) {
  auto origins = kernel->getAttrOfType<ArrayAttr>(originsKey);
  return origins ? llvm::to_vector(origins.getAsRange<OriginAttr>()) : SmallVector<OriginAttr>();
}

SmallVector<OriginAttr> ampc::originsOf(Value value) {
  if (Operation *op = value.getDefiningOp(); op && !originOf(op))
    return originsOf(op);
  OriginAttr origin = originOf(value);
  return origin ? SmallVector<OriginAttr>{origin} : SmallVector<OriginAttr>();
}

void ampc::setOrigins(Operation *kernel, ArrayRef<OriginAttr> origins) {
  llvm::SetVector<Attribute> once(origins.begin(), origins.end());
  if (!once.empty())
    kernel->setDiscardableAttr(originsKey,
                               ArrayAttr::get(kernel->getContext(), once.getArrayRef()));
}

void ampc::joinOrigins(Operation *kernel, ArrayRef<Operation *> parts) {
  SmallVector<OriginAttr> joined;
  for (Operation *part : parts)
    llvm::append_range(joined, originsOf(part));
  setOrigins(kernel, joined);
}

std::string ampc::nameOf(Operation *op) {
  if (OriginAttr origin = originOf(op))
    return origin.getText();
  if (SmallVector<OriginAttr> origins = originsOf(op); !origins.empty())
    return origins.front().getText();
  return op->getName().getStringRef().str();
}

Stage ampc::stageOf(Operation *op) {
  OriginAttr origin = originOf(op);
  return origin ? origin.getStage() : Stage::Forward;
}

Operation *ampc::firstSeed(Block &block) {
  auto seeds = block.getOps<SeedOp>();
  return seeds.empty() ? nullptr : (*seeds.begin()).getOperation();
}

/// Whether an attribute is the mark of an observed value; an empty dictionary marks a value that is
/// not observed.
static bool isMark(Attribute attribute) {
  auto mark = dyn_cast<DictionaryAttr>(attribute);
  return mark &&
         (mark.empty() || (mark.getAs<StringAttr>("key") && mark.getAs<StringAttr>("kind")));
}

/// Checks an attribute that passes exchange. Returns the expected content if `value` differs, else
/// nullopt.
static std::optional<std::string> misfitOf(Operation *op, StringRef name, Attribute value) {
  auto isListOf = [&](auto test) {
    auto list = dyn_cast<ArrayAttr>(value);
    return list && !list.empty() && llvm::all_of(list, test);
  };
  auto unless = [](bool isRight, const char *expected) {
    return isRight ? std::nullopt : std::optional<std::string>(expected);
  };
  if (name == originKey)
    return unless(isa<OriginAttr>(value), "#train.origin<...>");
  if (name == originsKey)
    return unless(isListOf([](Attribute one) { return isa<OriginAttr>(one); }),
                  "[#train.origin<...>, ...]");
  if (name == "train.blocks")
    return unless(isa<UnitAttr>(value) && isa<ScanOp>(op), "no value, on a loop");
  if (name == "train.fan_in")
    return unless(isa<UnitAttr>(value) && op->hasTrait<SumsOperands>(),
                  "no value, on an op that adds up its operands");
  if (name == segmentKey)
    return unless(isa<StringAttr>(value), "the name of a checkpoint");
  if (name == "train.values")
    return unless(isListOf(isMark) && cast<ArrayAttr>(value).size() == op->getNumResults(),
                  "a table of key and kind per result");
  if (name == "train.phase")
    return unless(isa<StringAttr>(value) && isa<ModuleOp>(op), "the name of a phase, on a module");
  if (name == "train.ranks") {
    auto ranks = dyn_cast<IntegerAttr>(value);
    return unless(isa<ModelOp>(op) && ranks && ranks.getInt() > 1,
                  "the number of ranks, at least 2, on a model");
  }
  if (name == Sizes::key) {
    std::optional<StringRef> expected = misfitOfSizes(op, value);
    return expected ? std::optional<std::string>(expected->str()) : std::nullopt;
  }
  if (name == knobsKey) {
    std::optional<StringRef> expected = misfitOfKnobs(op, value);
    return expected ? std::optional<std::string>(expected->str()) : std::nullopt;
  }
  if (name == LogicalOrder::key)
    return misfitOfOutside(op, value);
  if (name == firstValueKey) {
    std::optional<StringRef> expected = misfitOfFirstValue(op, value);
    return expected ? std::optional<std::string>(expected->str()) : std::nullopt;
  }
  if (name == RowState::key || name == RowState::passed) {
    std::optional<StringRef> expected = misfitOfRowState(op, value);
    return expected ? std::optional<std::string>(expected->str()) : std::nullopt;
  }
  if (isa<ModuleOp, FunctionOpInterface>(op)) // programs check their own
    return std::nullopt;
  return "one of the facts that the dialect lists";
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (auto expected = misfitOf(op, attribute.getName(), attribute.getValue()))
    return op->emitOpError() << "expected " << attribute.getName().getValue() << " = " << *expected
                             << ", but got " << attribute.getValue();
  return success();
}
