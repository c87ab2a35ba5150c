// Kernels without sums across points use the point loops shared by all targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Reference/Writers.h"
#include "lib/Codegen/Common/MultiMapMember.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;

template <void (*emit)(Operation *, target::Points &)>
static void oneByOne(Operation *op, LoopEmitter &e, const KernelPointers &pointers) {
  target::SequentialPoints points(e, pointers);
  emit(op, points);
}

const target::KernelRegistry<Writer> &reference::writerRegistry() {
  static const target::KernelRegistry<Writer> all = [] {
    Writers writers;
    auto share = [&](StringRef name, auto emit) { writers[name] = {emit, nullptr}; };
    share(kernel::GemmOp::getOperationName(), oneByOne<target::emitPlainGemm>);
    share(kernel::ConvOp::getOperationName(), oneByOne<target::emitPlainConv>);
    share(kernel::ConvFilterOp::getOperationName(), oneByOne<target::emitPlainConvFilter>);
    share(kernel::PoolOp::getOperationName(), oneByOne<target::emitPlainPool>);
    share(kernel::PoolGradOp::getOperationName(), oneByOne<target::emitPlainPoolGrad>);
    share(kernel::GatherOp::getOperationName(), oneByOne<target::emitPlainGather>);
    share(kernel::SumRowsOp::getOperationName(), oneByOne<target::emitPlainSumRows>);
    share(kernel::PutRowsOp::getOperationName(), oneByOne<target::emitPlainPutRows>);
    share(kernel::AssembleOp::getOperationName(), oneByOne<target::emitPlainAssemble>);
    share(kernel::MultiMapOp::getOperationName(), oneByOne<target::emitPlainMultiMap>);
    addFusedWriters(writers);
    addRowWriters(writers);
    addAttentionWriters(writers);
    addTotalsWriter(writers);
    target::KernelRegistry<Writer> registry;
    for (const auto &writer : writers)
      registry.add(writer.getKey(), std::make_unique<Writer>(writer.getValue()));
    return registry;
  }();
  return all;
}
