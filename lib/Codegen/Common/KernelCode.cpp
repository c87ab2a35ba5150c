// Numbers kernels, shares code between equal kernels, and creates the functions of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/KernelCode.h"
#include "lib/Codegen/Common/Slices.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

static constexpr llvm::StringLiteral inputMapsKey = "input_maps";

namespace {
/// Key of a kernel's code: everything but operands and attributes attached by phases. Attributes
/// `code.NAME` are part of the key, because a target reads them. Types, names and attributes are
/// unique, so addresses identify them; values are numbered in order. (OperationEquivalence ignores
/// either no values or also values inside the body.)
class CodeKey {
public:
  /// `inputMaps` replaces the kernel's own maps unless null.
  explicit CodeKey(Operation *kernel, ArrayAttr inputMaps = {}) {
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
    if (inputMaps)
      attributes.set(inputMapsKey, inputMaps);
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

namespace {
/// State of the random numbers. A call with a seed has its own state, whose address the runtime
/// puts in place of an operand's.
class RandomState {
public:
  explicit RandomState(ModuleOp module) {
    for (auto model : module.getOps<train::ModelOp>())
      for (auto state : model.getOps<StateOpInterface>())
        if (state.getStateRole() == train::StateRole::Random)
          names.insert(state.getSymName());
  }
  bool contains(Value value) const {
    auto argument = dyn_cast<BlockArgument>(kernel::throughViews(value));
    if (!argument || names.empty())
      return false;
    auto program = cast<kernel::ProgramOp>(argument.getOwner()->getParentOp());
    StringAttr name = Signature(program).stateArgument(argument.getArgNumber());
    return name && names.contains(name.getValue());
  }

private:
  llvm::StringSet<> names;
};

/// Assigns function numbers to kernels.
class KernelSharing {
public:
  KernelSharing(ModuleOp module, bool knowsAlignment)
      : module(module), random(module), knowsAlignment(knowsAlignment) {}
  SmallVector<DistinctKernel> run();

private:
  /// Least number of kernels that share code with movable starts. Fewer kernels get functions of
  /// their own, in which starts are constants.
  static constexpr unsigned fewestMoved = 16;

  struct Kernel {
    Operation *op;
    std::string key, movedKey; // `movedKey` is empty for kernels with fixed starts
  };
  std::string movedKeyOf(Operation *op, StringRef alignments);
  bool isMoved(const Kernel &kernel) const {
    auto like = byMovedKey.find(kernel.movedKey);
    return like != byMovedKey.end() && like->second.size() >= fewestMoved;
  }

  ModuleOp module;
  RandomState random;
  bool knowsAlignment;
  SmallVector<Kernel, 0> kernels;
  llvm::StringMap<llvm::StringSet<>> byMovedKey; // distinct kernels per key without starts
};
} // namespace

/// Key with starts removed, e.g. (d0, 5, d2) and (d0, 6, d2) as (d0, 0, d2).
std::string KernelSharing::movedKeyOf(Operation *op, StringRef alignments) {
  SmallVector<int64_t> starts = kernel::startsOf(op);
  if (starts.empty() ||
      llvm::any_of(op->getOperands(), [&](Value x) { return random.contains(x); }))
    return "";
  SmallVector<Attribute> maps;
  std::string rests = "moved"; // differs from all keys of kernels with fixed starts
  auto inputMaps = cast<FusedKernelOpInterface>(op).getInputMaps().getAsRange<AffineMapAttr>();
  for (auto [map, start] : llvm::zip_equal(inputMaps, starts)) {
    maps.push_back(AffineMapAttr::get(withoutStart(map.getValue())));
    if (knowsAlignment) // aligned vectors stay aligned, others unaligned
      rests += " " + std::to_string(start % mostAligned);
  }
  return CodeKey(op, ArrayAttr::get(op->getContext(), maps)).take() + alignments.str() + rests;
}

SmallVector<DistinctKernel> KernelSharing::run() {
  module.walk([&](KernelOpInterface op) {
    if (!isa<kernel::ProgramOp>(op->getParentOp()) || isa<kernel::CallOp>(op))
      return; // the kernel of a kernel.with_totals; a program
    std::string alignments = knowsAlignment ? alignmentsOf(op) : "";
    kernels.push_back({op, CodeKey(op).take() + alignments, movedKeyOf(op, alignments)});
    if (const Kernel &kernel = kernels.back(); !kernel.movedKey.empty())
      byMovedKey[kernel.movedKey].insert(kernel.key);
  });
  llvm::StringMap<int64_t> numbers;
  SmallVector<DistinctKernel> distinct;
  Builder b(module.getContext());
  for (const Kernel &kernel : kernels) {
    bool moved = isMoved(kernel);
    auto [entry, isNew] =
        numbers.try_emplace(moved ? kernel.movedKey : kernel.key, distinct.size());
    if (isNew)
      distinct.push_back({kernel.op, moved});
    kernel.op->setAttr("kernel.function", b.getI64IntegerAttr(entry->second));
  }
  return distinct;
}

SmallVector<DistinctKernel> target::shareKernels(ModuleOp module, bool knowsAlignment) {
  return KernelSharing(module, knowsAlignment).run();
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
