// Discardable attributes of the dialect, which phases attach to kernels, state and modules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

const Target *KernelDialect::findTarget(StringRef name) const {
  for (auto [known, target] : targets)
    if (name.empty() || known == name)
      return target;
  return nullptr;
}

namespace {
/// Op kinds that may carry an attribute, and its valid values.
struct Rule {
  StringLiteral name, place, content;
  bool (*isPlace)(Operation *op);
  bool (*isContent)(Operation *op, Attribute value);
};
} // namespace

template <typename... Ops> static bool isOneOf(Operation *op) { return isa<Ops...>(op); }
template <typename Kind> static bool isKind(Operation *, Attribute value) {
  return isa<Kind>(value);
}
static bool isCount(Operation *, Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isSignlessInteger(64) && number.getInt() >= 0;
}
static bool isPlaces(Operation *op, Attribute value) {
  auto places = dyn_cast<ArrayAttr>(value);
  return places && places.size() == op->getNumResults() &&
         llvm::all_of(places, llvm::IsaPred<PlaceAttr>);
}
static bool hasWorkspace(Operation *op) {
  auto kernel = dyn_cast<KernelOpInterface>(op);
  return kernel && kernel.getWorkspaceBytes() > 0;
}
static bool isFunctions(Operation *, Attribute value) {
  auto functions = dyn_cast<ArrayAttr>(value);
  return functions && llvm::all_of(functions, llvm::IsaPred<DictionaryAttr>);
}

static ArrayRef<Rule> rules() {
  constexpr auto isKernel = isOneOf<KernelOpInterface>;
  static const Rule table[] = {
      {"kernel.barrier", "a kernel", "a unit", isKernel, isKind<UnitAttr>},
      {"kernel.recompute", "a kernel", "a unit", isKernel, isKind<UnitAttr>},
      {"kernel.places", "a kernel or a constant", "one place per result",
       isOneOf<KernelOpInterface, ConstantOp>, isPlaces},
      {"kernel.workspace", "a kernel with a workspace", "an i64 that is not negative", hasWorkspace,
       isCount},
      {"kernel.function", "a kernel", "an i64 that is not negative", isKernel, isCount},
      {"kernel.offset", "a declaration of state", "an i64 that is not negative",
       isOneOf<StateOpInterface>, isCount},
      {"kernel.state_bytes", "a module", "an i64 that is not negative", isOneOf<ModuleOp>, isCount},
      {"kernel.functions", "a module", "an array of dictionaries", isOneOf<ModuleOp>, isFunctions},
      {"kernel.tier", "a module", "a string", isOneOf<ModuleOp>, isKind<StringAttr>},
      {"kernel.target", "a module", "a string", isOneOf<ModuleOp>, isKind<StringAttr>}};
  return table;
}

/// Checks that a target is linked into the program. A program without any target accepts all names.
static LogicalResult verifyTarget(const KernelDialect &dialect, Operation *op, StringRef name) {
  if (dialect.getTargets().empty() || (!name.empty() && dialect.findTarget(name)))
    return success();
  InFlightDiagnostic error = op->emitError() << "expected kernel.target to be one of ";
  llvm::interleaveComma(dialect.getTargets(), error, [&](auto &known) { error << known.first; });
  return error << ", but got '" << name << "'";
}

LogicalResult KernelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  const Rule *rule = llvm::find_if(rules(), [&](const Rule &rule) { return rule.name == name; });
  if (rule == rules().end())
    return op->emitOpError() << "expected an attribute that the dialect kernel has, but got "
                             << name;
  if (!rule->isPlace(op))
    return op->emitOpError() << "expected " << name << " on " << rule->place << " only";
  if (!rule->isContent(op, attribute.getValue()))
    return op->emitOpError() << "expected " << name << " to be " << rule->content << ", but got "
                             << attribute.getValue();
  if (name == "kernel.target")
    return verifyTarget(*this, op, cast<StringAttr>(attribute.getValue()));
  return success();
}

LogicalResult KernelDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                      NamedAttribute attribute) {
  return op->emitOpError() << "expected no attribute of the dialect kernel on argument " << argument
                           << ", but got " << attribute.getName().getValue();
}

LogicalResult TensorMapAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t,
                                    FloatType element, int64_t offset, ArrayRef<int64_t> sizes,
                                    ArrayRef<int64_t> strides, ArrayRef<int64_t> box,
                                    int64_t swizzle) {
  if (sizes.size() < 2 || sizes.size() > 5 || box.size() != sizes.size() ||
      strides.size() + 1 != sizes.size())
    return emitError() << "expected 2 to 5 sizes, as many sizes of the box, and a stride less";
  auto isPositive = [](int64_t size) { return size > 0; };
  if (!llvm::all_of(sizes, isPositive) || !llvm::all_of(strides, isPositive) ||
      !llvm::all_of(box, isPositive))
    return emitError() << "expected positive sizes and strides";
  auto isWhole = [](int64_t bytes) { return bytes % 16 == 0; };
  if (!isWhole(offset) || !llvm::all_of(strides, isWhole) ||
      !isWhole(box[0] * element.getWidth() / 8))
    return emitError() << "expected an offset, strides and rows of the box of whole 16 bytes";
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    return emitError() << "expected a swizzle of 0, 32, 64 or 128 bytes, but got " << swizzle;
  return success();
}

LogicalResult LaunchAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef,
                                 ArrayRef<int64_t> grid, ArrayRef<int64_t> block,
                                 ArrayRef<int64_t> cluster, int64_t shared, ArrayRef<int64_t>,
                                 ArrayRef<TensorMapAttr> maps) {
  auto isExtent = [](ArrayRef<int64_t> sizes) {
    return sizes.size() == 3 && llvm::all_of(sizes, [](int64_t size) { return size > 0; });
  };
  if (!isExtent(grid) || !isExtent(block) || !isExtent(cluster))
    return emitError() << "expected three positive sizes of grid, block and cluster";
  if (shared < 0)
    return emitError() << "expected a size of shared memory, but got " << shared;
  if (maps.size() > 8)
    return emitError() << "expected at most 8 tensor maps, but got " << maps.size();
  return success();
}
