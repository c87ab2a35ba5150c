// One function per distinct kernel and tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Text.h"
#include "ampc/Target/CPU/Passes.h"
#include "lib/Target/CPU/KernelTemplate.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringExtras.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELEMITCPU
#include "ampc/Target/CPU/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

/// What a kernel's code depends on: all but its operands and its place in memory. Of what earlier
/// phases attached, that is the mode of a contraction.
/// (OperationEquivalence cannot say this: it ignores either no values or those inside the body
/// too.)
static std::string textOf(Operation *op) {
  Operation *copy = op->clone();
  NamedAttrList attached;
  if (Attribute mode = op->getAttr("kernel.compute"))
    attached.set("kernel.compute", mode);
  copy->setDiscardableAttrs(attached.getDictionary(op->getContext()));
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(op->getOperandTypes(), os, " ");
  copy->print(os, OpPrintingFlags().useLocalScope().printGenericOpForm());
  copy->destroy();
  return text;
}

namespace {
/// What one kernel looks like in all tiers.
struct KernelRecord {
  std::array<KernelEmission, numTiers> emissions;
  std::array<StringRef, numTiers> tiers; // whose function each tier runs
};

struct KernelEmitCPUPass : ampc::impl::KernelEmitCPUBase<KernelEmitCPUPass> {
  using KernelEmitCPUBase::KernelEmitCPUBase;

  void runOnOperation() override {
    if (failed(findTiers()))
      return signalPassFailure();
    std::string start = symbolPrefix();
    SmallVector<Operation *> distinct = numberKernels();
    SmallVector<Attribute> table;
    for (auto [i, op] : llvm::enumerate(distinct)) {
      std::string name = start + "_k" + std::to_string(i);
      auto record = emitKernel(op, name);
      if (failed(record))
        return signalPassFailure();
      table.push_back(describe(name, *record));
    }
    getOperation()->setAttr("kernel.functions", ArrayAttr::get(&getContext(), table));
  }

private:
  LogicalResult findTiers() {
    if (only.empty())
      for (const Tier &tier : tiers())
        wanted.push_back(&tier);
    for (const std::string &name : only) {
      const Tier *tier = findTier(name);
      if (!tier)
        return getOperation()->emitError()
               << "expected a tier plain, avx2, avx512, avx512bf16 or amx, but got " << shown(name);
      wanted.push_back(tier);
    }
    return success();
  }
  std::string symbolPrefix() {
    if (!prefix.empty())
      return prefix;
    std::string name = "model";
    for (auto model : getOperation().getOps<train::ModelOp>())
      name = model.getSymName().str();
    std::replace_if(name.begin(), name.end(), [](char c) { return !llvm::isAlnum(c); }, '_');
    return name;
  }

  /// Gives every kernel op the number of its function; returns one op per number.
  SmallVector<Operation *> numberKernels() {
    llvm::StringMap<int64_t> numbers;
    SmallVector<Operation *> distinct;
    Builder b(&getContext());
    getOperation().walk([&](KernelOpInterface op) {
      if (!isa<kernel::ProgramOp>(op->getParentOp()))
        return; // the kernel of a kernel.with_totals
      auto [entry, isNew] = numbers.try_emplace(textOf(op), distinct.size());
      if (isNew)
        distinct.push_back(op);
      op->setAttr("kernel.function", b.getI64IntegerAttr(entry->second));
    });
    return distinct;
  }

  /// Of the kernel, or of the one that it adds totals to.
  static LogicalResult checkModes(Operation *kernel) {
    return failure(kernel
                       ->walk([](KernelOpInterface op) {
                         auto mode = op->getAttrOfType<ArrayAttr>("kernel.compute");
                         if (!mode)
                           return WalkResult::advance();
                         op->emitError() << "expected a contraction in a type that CPUs multiply, "
                                            "but got the mode "
                                         << mode << " of GPUs";
                         return WalkResult::interrupt();
                       })
                       .wasInterrupted());
  }

  FailureOr<KernelRecord> emitKernel(Operation *op, StringRef name) {
    const KernelTemplate *writer = templateRegistry().find(op);
    if (!writer)
      return op->emitOpError("has no code for CPUs");
    if (failed(checkModes(op))) // one message is enough: a mode holds for all contractions
      return failure();
    KernelRecord record;
    llvm::SmallPtrSet<const Tier *, numTiers> isEmitted;
    for (const Tier *tier : wanted) {
      unsigned number = unsigned(tier->kind);
      const Tier *source = tier;
      while (!writer->hasOwnCode(op, *source))
        --source;
      FailureOr<KernelEmission> emission = writer->plan(op, *source);
      if (failed(emission))
        return failure();
      record.emissions[number] = *emission;
      record.tiers[number] = source->name;
      if (isEmitted.insert(source).second)
        emitFunctions(op, name, *writer, *source, *emission);
    }
    return record;
  }

  ModuleOp moduleFor(const Tier &tier) {
    std::string name = ("tier_" + tier.name).str();
    if (auto known = getOperation().lookupSymbol<ModuleOp>(name))
      return known;
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    auto made = ModuleOp::create(b, getOperation().getLoc(), name);
    made->setAttr("kernel.tier", b.getStringAttr(tier.name));
    return made;
  }

  void emitFunctions(Operation *op, StringRef name, const KernelTemplate &writer, const Tier &tier,
                     const KernelEmission &emission) {
    std::string symbol = (name + "_" + tier.name).str();
    emitFunction(op, symbol, tier,
                 [&](KernelEmitter &e, const KernelPointers &p, ValueRange range) {
                   writer.emitRun(op, e, p, range[0], range[1]);
                 });
    if (emission.hasFinish)
      emitFunction(op, symbol + "_finish", tier,
                   [&](KernelEmitter &e, const KernelPointers &p, ValueRange) {
                     writer.emitFinish(op, e, p);
                   });
  }
  void emitFunction(
      Operation *op, StringRef symbol, const Tier &tier,
      llvm::function_ref<void(KernelEmitter &, const KernelPointers &, ValueRange)> write) {
    MLIRContext *context = &getContext();
    OpBuilder b = OpBuilder::atBlockEnd(moduleFor(tier).getBody());
    auto pointer = LLVM::LLVMPointerType::get(context);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                            {pointer, b.getI64Type(), b.getI64Type(), pointer});
    auto func = LLVM::LLVMFuncOp::create(b, op->getLoc(), symbol, type);
    func.setVisibility_(LLVM::Visibility::Hidden);
    SmallVector<StringRef> features;
    tier.features.split(features, ',');
    func.setTargetCpu("x86-64");
    func.setTargetFeaturesAttr(LLVM::TargetFeaturesAttr::get(context, features));
    if (tier.hasAVX512())
      func.setPreferVectorWidth(StringRef("512"));
    b.setInsertionPointToStart(func.addEntryBlock(b));
    KernelEmitter e(b, op->getLoc(), tier);
    Value begin = e.asIndex(func.getArgument(1)), end = e.asIndex(func.getArgument(2));
    write(e, loadPointers(op, e, func.getArgument(0), func.getArgument(3)), {begin, end});
    LLVM::ReturnOp::create(b, op->getLoc(), ValueRange{});
  }
  static KernelPointers loadPointers(Operation *op, KernelEmitter &e, Value array, Value scratch) {
    KernelPointers pointers;
    int64_t number = 0;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      pointers.operands.push_back(e.loadPointer(array, number++));
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      pointers.results.push_back(e.loadPointer(array, number++));
    if (cast<KernelOpInterface>(op).getWorkspaceBytes() > 0)
      pointers.workspace = e.loadPointer(array, number);
    pointers.scratch = scratch;
    return pointers;
  }

  Attribute describe(StringRef name, const KernelRecord &record) {
    Builder b(&getContext());
    SmallVector<int64_t> tasks, scratch;
    SmallVector<StringRef> sources(record.tiers.begin(), record.tiers.end());
    bool finish = false;
    for (const KernelEmission &emission : record.emissions) {
      tasks.push_back(emission.tasks);
      scratch.push_back(emission.scratchBytes);
      finish |= emission.hasFinish;
    }
    return b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(name)),
                                b.getNamedAttr("tasks", b.getDenseI64ArrayAttr(tasks)),
                                b.getNamedAttr("scratch", b.getDenseI64ArrayAttr(scratch)),
                                b.getNamedAttr("finish", b.getBoolAttr(finish)),
                                b.getNamedAttr("tiers", b.getStrArrayAttr(sources))});
  }

  SmallVector<const Tier *> wanted;
};
} // namespace
