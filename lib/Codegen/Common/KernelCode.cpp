// Numbers kernels, shares code between equal kernels, and creates the functions of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/KernelCode.h"
#include "lib/Codegen/Common/Slices.h"
#include "mlir-dialects/Kernel/Exchange.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

/// Attributes of a kernel with the constants of its indexing maps removed, e.g. (d0, 5, d2) and
/// (d0, 6, d2) as (d0, 0, d2).
static DictionaryAttr withoutStarts(DictionaryAttr attributes) {
  NamedAttrList list(attributes);
  for (StringRef name : {kernel::operandMapsName, kernel::inputMapsName}) {
    auto maps = dyn_cast_or_null<ArrayAttr>(list.get(name));
    if (!maps)
      continue;
    auto rests = llvm::map_to_vector(maps.getAsRange<AffineMapAttr>(), [](AffineMapAttr map) {
      return Attribute(AffineMapAttr::get(withoutStart(map.getValue())));
    });
    list.set(name, ArrayAttr::get(attributes.getContext(), rests));
  }
  return list.getDictionary(attributes.getContext());
}

namespace {
/// Key of a kernel's code: everything but operands and attributes attached by phases. Attributes
/// `code.NAME` are part of the key, because a target reads them. Starts of operands are not part of
/// the key: d0 + 20 and d0 + 40 are one code at two addresses. Types, names and attributes are
/// unique, so addresses identify them; values are numbered in order. (OperationEquivalence ignores
/// either no values or also values inside the body.)
class CodeKey {
public:
  explicit CodeKey(Operation *kernel) {
    // A kernel on a single point takes scalars: shapes of ones, such as [1, 1], and the maps into
    // such shapes do not matter. Sums over all gradients of a deep model hold many such kernels.
    auto map = dyn_cast<kernel::MapOp>(kernel);
    bool isScalar =
        map && map.getSpace().empty() && llvm::all_of(kernel->getOperandTypes(), [](Type type) {
          return cast<RankedTensorType>(type).getNumElements() == 1;
        });
    for (Type type : kernel->getOperandTypes())
      add((isScalar ? getElementTypeOrSelf(type) : type).getAsOpaquePointer());
    NamedAttrList attributes(kernel->getAttrDictionary());
    if (isScalar)
      attributes.erase(map.getInputMapsAttrName());
    for (NamedAttribute attached : kernel->getDiscardableAttrs())
      if (!attached.getName().getValue().starts_with("code."))
        attributes.erase(attached.getName());
    addOp(kernel, attributes.getDictionary(kernel->getContext()));
  }
  std::string take() { return std::move(bytes); }

private:
  void add(const void *pointer) {
    bytes.append(reinterpret_cast<char *>(&pointer), sizeof pointer);
  }
  void addNumber(uintptr_t number) { add(reinterpret_cast<void *>(number)); }
  void addOp(Operation *op, DictionaryAttr attributes);
  void define(Value value) {
    numbers.try_emplace(value, numbers.size() + 1);
    add(value.getType().getAsOpaquePointer());
  }

  std::string bytes;
  DenseMap<Value, unsigned> numbers;
};
} // namespace

void CodeKey::addOp(Operation *op, DictionaryAttr attributes) {
  if (isa<KernelOpInterface>(op))
    attributes = withoutStarts(attributes);
  add(op->getName().getAsOpaquePointer());
  add(attributes.getAsOpaquePointer());
  addNumber(op->getNumResults());
  addNumber(op->getNumRegions());
  for (Value result : op->getResults())
    define(result);
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      addNumber(block.getNumArguments());
      for (BlockArgument argument : block.getArguments())
        define(argument);
      for (Operation &inner : block) {
        addNumber(inner.getNumOperands());
        for (Value operand : inner.getOperands())
          addNumber(numbers.lookup(operand));
        addOp(&inner, inner.getAttrDictionary());
      }
    }
  add(nullptr);
}

/// Alignments of the kernel's tensors, as text; empty if vectors of all tensors are aligned.
static std::string alignmentsOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto add = [&](ValueRange tensors) {
    for (auto [i, tensor] : llvm::enumerate(tensors))
      if (int64_t bytes = alignmentOf(tensor); bytes < mostAligned)
        os << " " << i << ":" << bytes;
    os << " ->";
  };
  add(op->getOperands());
  add(op->getResults());
  return text;
}

/// Starts of a kernel inside of a kernel.fused_reduction, relative to the starts of the tensors:
/// rows t and t + 1 of one tensor, which the launch reads by a single address. Empty for other
/// kernels.
static std::string startsInsideOf(Operation *op) {
  std::string text;
  auto reductions = dyn_cast<kernel::FusedReductionOp>(op);
  if (!reductions)
    return text;
  KernelOpInterface inner = reductions.getKernel();
  SmallVector<int64_t> reads = kernel::startsOf(inner), tensors = kernel::startsOf(reductions);
  for (auto [argument, start] : llvm::zip_equal(inner->getOperands(), reads))
    text += " " + std::to_string(start - tensors[cast<BlockArgument>(argument).getArgNumber()]);
  return text;
}

namespace {
/// Assigns function numbers to kernels.
class KernelSharing {
public:
  explicit KernelSharing(bool knowsAlignment) : knowsAlignment(knowsAlignment) {}
  void assign(Operation *op);
  SmallVector<DistinctKernel> take() { return std::move(distinct); }

private:
  std::string keyOf(Operation *op) const;

  bool knowsAlignment;
  llvm::StringMap<int64_t> numbers;
  SmallVector<DistinctKernel> distinct;
};
} // namespace

/// Key of the code of a kernel. Vectors of GPUs are aligned or not, so code for GPUs depends on how
/// far tensors and starts are from a multiple of 16 bytes.
std::string KernelSharing::keyOf(Operation *op) const {
  std::string key = CodeKey(op).take() + startsInsideOf(op);
  if (!knowsAlignment)
    return key;
  key += alignmentsOf(op);
  for (int64_t start : kernel::startsOf(op))
    key += " " + std::to_string(start % mostAligned);
  return key;
}

void KernelSharing::assign(Operation *op) {
  auto [entry, isNew] = numbers.try_emplace(keyOf(op), distinct.size());
  int64_t number = entry->second;
  op->setAttr("kernel.function", Builder(op).getI64IntegerAttr(number));
  if (isNew)
    distinct.push_back({op, false});
  else
    distinct[number].isMoved |= kernel::startsOf(op) != kernel::startsOf(distinct[number].op);
}

SmallVector<DistinctKernel> target::shareKernels(ModuleOp module, bool knowsAlignment) {
  KernelSharing sharing(knowsAlignment);
  module.walk(
      [&](KernelOpInterface op) { // not the kernel of a kernel.fused_reduction, nor a program
        if (isa<kernel::ProgramOp>(op->getParentOp()) && !kernel::hasNoCode(op))
          sharing.assign(op);
      });
  return sharing.take();
}

Attribute DistinctKernel::describe(ArrayRef<NamedAttribute> attributes) const {
  Builder b(op->getContext());
  SmallVector<NamedAttribute> all(attributes);
  if (isMoved)
    all.push_back(b.getNamedAttr("starts", b.getDenseI64ArrayAttr(kernel::startsOf(op))));
  return b.getDictionaryAttr(all);
}

std::string target::symbolPrefix(ModuleOp module, StringRef given) {
  if (!given.empty())
    return given.str();
  std::string name = "model";
  for (auto model : module.getOps<train::ModelOp>())
    name = model.getSymName().str();
  std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
  return name;
}

ModuleOp target::tierModule(ModuleOp module, StringRef tier) {
  std::string name = ("tier_" + tier).str();
  if (auto known = module.lookupSymbol<ModuleOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto made = ModuleOp::create(b, module.getLoc(), name);
  made->setAttr("kernel.tier", b.getStringAttr(tier));
  return made;
}

LLVM::LLVMFuncOp target::createKernelFunction(ModuleOp code, Location loc, StringRef symbol) {
  MLIRContext *context = code.getContext();
  OpBuilder b = OpBuilder::atBlockEnd(code.getBody());
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                          {pointer, b.getI64Type(), b.getI64Type(), pointer});
  auto func = LLVM::LLVMFuncOp::create(b, loc, symbol, type);
  func.setVisibility_(LLVM::Visibility::Hidden);
  func.addEntryBlock(b);
  return func;
}

KernelPointers target::loadPointers(Operation *kernel, LoopEmitter &e, LLVM::LLVMFuncOp func) {
  KernelPointers pointers;
  Value array = func.getArgument(0);
  int64_t number = 0;
  for (unsigned i = 0; i < kernel->getNumOperands(); ++i)
    pointers.operands.push_back(e.loadPointer(array, number++));
  for (unsigned i = 0; i < kernel->getNumResults(); ++i)
    pointers.results.push_back(e.loadPointer(array, number++));
  if (cast<KernelOpInterface>(kernel).getWorkspaceBytes() > 0)
    pointers.workspace = e.loadPointer(array, number);
  pointers.scratch = func.getArgument(3);
  return pointers;
}

Attribute target::describeKernel(const DistinctKernel &kernel, StringRef name,
                                 ArrayRef<KernelEmission> emissions, ArrayRef<StringRef> tiers) {
  Builder b(kernel.op->getContext());
  SmallVector<int64_t> tasks, scratch;
  int64_t finish = 0;
  for (const KernelEmission &emission : emissions) {
    tasks.push_back(emission.tasks);
    scratch.push_back(emission.scratchBytes);
    finish = std::max(finish, emission.finishTasks);
  }
  return kernel.describe({b.getNamedAttr("name", b.getStringAttr(name)),
                          b.getNamedAttr("tasks", b.getDenseI64ArrayAttr(tasks)),
                          b.getNamedAttr("scratch", b.getDenseI64ArrayAttr(scratch)),
                          b.getNamedAttr("finish", b.getI64IntegerAttr(finish)),
                          b.getNamedAttr("tiers", b.getStrArrayAttr(tiers))});
}
