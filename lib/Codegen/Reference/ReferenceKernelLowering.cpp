// The function of a kernel, and the registry of all lowerings. Kernels without sums across points
// use the point loops shared by all targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Reference/ReferenceKernelLowering.h"
#include "lib/Codegen/Common/MultiMapMember.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;

FailureOr<Attribute> ReferenceKernelLowering::emit(const target::DistinctKernel &kernel,
                                                   const target::KernelRequest &request) const {
  StringRef tier = request.tiers.front();
  ModuleOp code = target::tierModule(request.module, tier);
  Location loc = kernel.op->getLoc();
  LLVM::LLVMFuncOp func =
      target::createKernelFunction(code, loc, (request.name + "_" + tier).str());
  func.setTargetCpu("x86-64");
  OpBuilder b = OpBuilder::atBlockEnd(&func.getBody().front());
  LoopEmitter e(b, loc);
  emitLoops(kernel.op, e, target::loadPointers(kernel.op, e, func));
  LLVM::ReturnOp::create(b, loc, ValueRange{});
  target::KernelEmission emission;
  emission.scratchBytes = scratchBytes(kernel.op);
  return target::describeKernel(kernel, request.name, emission, {tier});
}

static LogicalResult checkMode(KernelOpInterface op) {
  return target::rejectModes(op, "the type of its accumulator");
}

template <void (*emit)(Operation *, target::Points &)>
static void oneByOne(Operation *op, LoopEmitter &e, const KernelPointers &pointers) {
  target::SequentialPoints points(e, pointers);
  emit(op, points);
}

static LoweringTable allLowerings() {
  LoweringTable table;
  auto share = [&](StringRef name, auto emit) { table[name] = {emit, nullptr}; };
  share(kernel::GemmOp::getOperationName(), oneByOne<target::emitPlainGemm>);
  share(kernel::ConvOp::getOperationName(), oneByOne<target::emitPlainConv>);
  share(kernel::ConvFilterOp::getOperationName(), oneByOne<target::emitPlainConvFilter>);
  share(kernel::PoolOp::getOperationName(), oneByOne<target::emitPlainPool>);
  share(kernel::PoolGradOp::getOperationName(), oneByOne<target::emitPlainPoolGrad>);
  share(kernel::GatherOp::getOperationName(), oneByOne<target::emitPlainGather>);
  share(kernel::SegmentSumOp::getOperationName(), oneByOne<target::emitPlainSegmentSum>);
  share(kernel::ScatterRowsOp::getOperationName(), oneByOne<target::emitPlainScatterRows>);
  share(kernel::AssembleOp::getOperationName(), oneByOne<target::emitPlainAssemble>);
  share(kernel::MultiMapOp::getOperationName(), oneByOne<target::emitPlainMultiMap>);
  addFusedLowering(table);
  addRowLowering(table);
  addAttentionLowering(table);
  addFusedReductionLowering(table);
  return table;
}

const target::KernelRegistry &reference::kernelRegistry() {
  static const target::KernelRegistry all = [] {
    target::KernelRegistry registry({"of plain loops", checkMode});
    for (const auto &row : allLowerings())
      registry.add(row.getKey(), std::make_unique<ReferenceKernelLowering>(row.getValue()));
    return registry;
  }();
  return all;
}

const ReferenceKernelLowering *reference::loweringOf(Operation *op) {
  return static_cast<const ReferenceKernelLowering *>(kernelRegistry().find(op));
}
