// Kernel forms chosen by a target, from the table written by the code generator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/ExplainKernels.h"
#include "ampc/Codegen/Target.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;

/// Row of the table for a kernel in a program; null for calls of programs.
static DictionaryAttr rowOf(KernelOpInterface op) {
  auto number = op->getAttrOfType<IntegerAttr>("kernel.function");
  auto rows = op->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>("kernel.functions");
  if (!number || !rows || number.getInt() < 0 || number.getInt() >= int64_t(rows.size()))
    return nullptr;
  return dyn_cast<DictionaryAttr>(rows[number.getInt()]);
}

/// Form of a kernel: "plain", "plain: REASON", or tile sizes. Empty if the target has a single
/// form.
static StringRef formOf(DictionaryAttr row) {
  auto form = row ? row.getAs<StringAttr>("form") : nullptr;
  return form ? form.getValue() : "";
}
static bool isPlain(StringRef form) { return form == "plain" || form.starts_with("plain:"); }
/// Whether the form is a slow path, including 16-bit products that are widened without matrix
/// units.
static bool isFallback(StringRef form) {
  return isPlain(form) || form.contains("without matrix units");
}

/// The kernel itself, or the kernel inside a kernel.fused_reduction.
static KernelOpInterface innerKernel(KernelOpInterface op) {
  auto totals = dyn_cast<kernel::FusedReductionOp>(*op);
  return totals ? totals.getKernel() : op;
}

static std::string listText(ArrayRef<int64_t> numbers) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(numbers, os, "x");
  return text.empty() ? "1" : text;
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    for (int64_t size : tensor.getShape())
      os << size << "x";
    os << tensor.getElementType();
  } else {
    os << type;
  }
  return text;
}

/// Text such as "space 64x10 depth 784": points of the result, of the sum, and the first operand's
/// type.
static std::string shapeText(KernelOpInterface op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto space = op->getAttrOfType<DenseI64ArrayAttr>("space"))
    os << "space " << listText(space);
  else if (op->getNumResults())
    os << "to " << typeText(op->getResult(0).getType());
  if (auto depth = op->getAttrOfType<IntegerAttr>("depth"))
    os << " depth " << depth.getInt();
  if (op->getNumOperands())
    os << " of " << typeText(op->getOperand(0).getType());
  return text;
}

static std::string launchText(kernel::LaunchAttr launch) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << launch.getFunction() << " grid " << listText(launch.getGrid()) << " block "
     << listText(launch.getBlock());
  if (llvm::any_of(launch.getCluster(), [](int64_t size) { return size != 1; }))
    os << " cluster " << listText(launch.getCluster());
  os << " shared " << launch.getShared();
  return text;
}

static std::string workText(DictionaryAttr row) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto launches = row.getAs<ArrayAttr>("launches"))
    llvm::interleave(
        launches.getAsRange<kernel::LaunchAttr>(), os,
        [&](kernel::LaunchAttr launch) { os << launchText(launch); }, ", then ");
  auto tasks = row.getAs<DenseI64ArrayAttr>("tasks");
  auto tiers = row.getAs<ArrayAttr>("tiers");
  if (tasks && tiers && !tasks.empty())
    os << "tasks " << tasks.asArrayRef().back() << " by the code of "
       << cast<StringAttr>(tiers.getValue().back()).getValue();
  return text;
}

static int64_t bytesOf(ValueRange values) {
  int64_t bytes = 0;
  for (Value value : llvm::SmallDenseSet<Value>(values.begin(), values.end()))
    bytes += kernel::byteSize(value.getType());
  return bytes;
}

static std::string namesOf(Operation *op) {
  SmallVector<std::string> names;
  for (train::OriginAttr origin : originsOf(op))
    if (std::string name = origin.getText(); !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  return llvm::join(names, " + ");
}

static void explain(KernelOpInterface op, llvm::raw_ostream &os) {
  KernelOpInterface inner = innerKernel(op);
  os << "    " << inner->getName().stripDialect();
  if (inner != op)
    os << " with reductions";
  if (auto call = dyn_cast<kernel::CallOp>(*op)) {
    os << " of " << call.getCallee() << ", " << call.getRuns() << " times\n";
    return;
  }
  DictionaryAttr row = rowOf(op);
  os << " " << shapeText(inner);
  if (StringRef form = formOf(row); !form.empty())
    os << "; " << form;
  if (row)
    os << "; " << workText(row);
  os << "; reads " << bytesOf(op->getOperands()) << ", writes " << bytesOf(op->getResults())
     << " bytes";
  os << "; " << namesOf(op) << "\n";
}

namespace {
/// Numbers of kernels, launches, and plain kernels by kind.
struct KernelCounts {
  int64_t kernels = 0, launches = 0;
  llvm::MapVector<StringRef, int64_t> plain;

  void add(KernelOpInterface op, int64_t runs);
};
} // namespace

void KernelCounts::add(KernelOpInterface op, int64_t runs) {
  DictionaryAttr row = rowOf(op);
  if (!row)
    return;
  ++kernels;
  auto list = row.getAs<ArrayAttr>("launches");
  launches += runs * (list ? list.size() : 1);
  if (isPlain(formOf(row)))
    ++plain[innerKernel(op)->getName().stripDialect()];
}

/// Prints the numbers of a program, those of called programs included: the kernels of a loop are
/// launched once per round.
static void sumUp(kernel::ProgramOp program, llvm::raw_ostream &os) {
  KernelCounts counts;
  SmallVector<std::pair<kernel::ProgramOp, int64_t>> programs{{program, 1}};
  for (size_t i = 0; i < programs.size(); ++i) { // grows
    auto [run, runs] = programs[i];
    for (auto op : run.getBody().getOps<KernelOpInterface>())
      if (auto call = dyn_cast<kernel::CallOp>(*op))
        programs.emplace_back(call.getProgram(), runs * call.getRuns());
      else
        counts.add(op, runs);
  }
  os << "    " << counts.kernels << " kernels, " << counts.launches << " launches";
  for (auto [number, kind] : llvm::enumerate(counts.plain))
    os << (number ? ", " : "; plain: ") << kind.second << " " << kind.first;
  os << "\n";
}

void ampc::explainKernels(ModuleOp module, llvm::raw_ostream &os) {
  for (ModuleOp part : targetModules(module)) {
    const Target *target = targetOf(part);
    os << "kernels for " << (target ? target->getName() : "a target without a name") << "\n";
    for (auto program : part.getOps<kernel::ProgramOp>()) {
      os << "  " << program.getSymName() << "\n";
      for (auto op : program.getBody().getOps<KernelOpInterface>())
        explain(op, os);
      sumUp(program, os);
    }
  }
}

/// Whether the op is a pure product of types that matrix units multiply.
static bool isNarrowProduct(Operation *op) {
  if (!isa<kernel::GemmOp, kernel::ConvOp, kernel::ConvFilterOp, kernel::AttentionOp,
           kernel::AttentionGradOp>(op))
    return false;
  return llvm::all_of(op->getOperands().take_front(2), [](Value operand) {
    Type element = getElementTypeOrSelf(operand);
    return element.isBF16() || element.isF16();
  });
}

LogicalResult ampc::refusePlainForms(ModuleOp module) {
  bool any = false;
  for (ModuleOp part : targetModules(module)) {
    const Target *target = targetOf(part);
    if (!target || !target->isDevice())
      continue;
    llvm::DenseSet<Attribute> told; // reports equal kernels once
    for (auto program : part.getOps<kernel::ProgramOp>())
      for (auto op : program.getBody().getOps<KernelOpInterface>()) {
        KernelOpInterface inner = innerKernel(op);
        StringRef form = formOf(rowOf(op));
        if (!isFallback(form) || !isNarrowProduct(inner) || !told.insert(rowOf(op)).second)
          continue;
        any = true;
        inner->emitOpError() << "expected code on the matrix units of " << target->getName()
                             << " under --no-fallback, but got '" << form << "' for "
                             << shapeText(inner);
      }
  }
  return failure(any);
}
