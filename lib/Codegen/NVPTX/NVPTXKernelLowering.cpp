// Device functions of a kernel, and the registry of all lowerings by chip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"
#include <vector>

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

FailureOr<Attribute> NVPTXKernelLowering::emit(const target::DistinctKernel &kernel,
                                               const target::KernelRequest &request) const {
  DeviceCode code(target::tierModule(request.module, chip.name), kernel.op, chip,
                  (request.name + "_" + chip.name).str());
  emitLaunches(kernel.op, code);
  if (failed(code.getResult()))
    return failure();
  Builder b(kernel.op->getContext());
  return kernel.describe({b.getNamedAttr("name", b.getStringAttr(request.name)),
                          b.getNamedAttr("form", b.getStringAttr(code.getDescription())),
                          b.getNamedAttr("launches", b.getArrayAttr(code.getLaunches())),
                          b.getNamedAttr("tiers", b.getStrArrayAttr({chip.name}))});
}

/// Accumulator types of a kernel. A nested kernel is checked separately.
static SmallVector<Type> accumulatorsOf(KernelOpInterface op) {
  SmallVector<Type> types;
  if (auto acc = op->getAttrOfType<TypeAttr>("acc"))
    types.push_back(acc.getValue());
  if (isa<kernel::ReduceOp, kernel::ScatterAddOp, kernel::SegmentSumOp>(*op))
    for (Type type : op->getResultTypes())
      types.push_back(getElementTypeOrSelf(type));
  if (auto reductions = dyn_cast<kernel::FusedReductionOp>(*op))
    llvm::append_range(types, reductions.getBody().front().getTerminator()->getOperandTypes());
  if (auto fused = dyn_cast<FusedKernelOpInterface>(*op))
    for (auto reduce : fused.getBody().getOps<kernel::RowReduceOp>())
      types.push_back(reduce.getType());
  return types;
}

/// Rejects 16-bit accumulators, which lose small addends; GPUs would execute such sums without
/// complaint.
static LogicalResult checkAccumulators(KernelOpInterface op) {
  for (Type type : accumulatorsOf(op))
    if (isa<FloatType>(type) && !type.isF32() && !type.isF64())
      return op->emitOpError() << "expected accumulators of f32 or f64, but got " << type;
  return success();
}

/// Rejects compute modes without device code: f32 operands may be rounded to tf32, but no code
/// exists for narrower modes yet.
static LogicalResult checkMode(KernelOpInterface op) {
  auto modes = op->getAttrOfType<ArrayAttr>("compute");
  for (unsigned side = 0; modes && side < modes.size(); ++side) {
    Type mode = cast<TypeAttr>(modes[side]).getValue();
    Type storage = getElementTypeOrSelf(op->getOperand(side));
    if (!isa<FloatTF32Type>(mode) || !storage.isF32())
      return op->emitOpError() << "expected a mode that GPUs have code for, which is tf32 of f32, "
                                  "but got "
                               << mode << " of " << storage;
  }
  return success();
}

static LogicalResult checkTypes(KernelOpInterface op) {
  return failure(failed(checkAccumulators(op)) || failed(checkMode(op)));
}

template <void (*emit)(Operation *, target::Points &)>
static void threadPerPoint(Operation *op, DeviceCode &code) {
  code.describe("plain: pools have no other code");
  ThreadPerPoint points(code);
  emit(op, points);
}

std::string nvptx::describePlain(StringRef reason) {
  return reason.empty() ? "plain" : "plain: " + reason.str();
}

/// Functions of all kinds of kernels, the same for every chip.
static LoweringTable allLowerings() {
  LoweringTable table;
  table[kernel::PoolOp::getOperationName()] = {threadPerPoint<target::emitPlainPool>};
  table[kernel::PoolGradOp::getOperationName()] = {threadPerPoint<target::emitPlainPoolGrad>};
  addProductLowering(table);
  addMapLowering(table);
  addMultiMapLowering(table);
  addReduceLowering(table);
  addRowLowering(table);
  addCopyLowering(table);
  addFusedReductionLowering(table);
  addAttentionLowering(table);
  return table;
}

const target::KernelRegistry &nvptx::kernelRegistry(const Chip &chip) {
  static const std::vector<target::KernelRegistry> all = [] {
    LoweringTable table = allLowerings();
    std::vector<target::KernelRegistry> registries;
    for (const Chip &chip : chips()) {
      registries.emplace_back(target::KernelRules{"for GPUs", checkTypes, /*readsPacked=*/false,
                                                  /*knowsAlignment=*/true});
      for (const auto &row : table)
        registries.back().add(row.getKey(),
                              std::make_unique<NVPTXKernelLowering>(row.getValue(), chip));
    }
    return registries;
  }();
  return all[&chip - chips().data()];
}

const NVPTXKernelLowering *nvptx::loweringOf(Operation *op, const Chip &chip) {
  return static_cast<const NVPTXKernelLowering *>(kernelRegistry(chip).find(op));
}
