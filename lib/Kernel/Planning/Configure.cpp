// Target-specific configuration of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Passes.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELCONFIGURE
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {
struct KernelConfigure : ampc::impl::KernelConfigureBase<KernelConfigure> {
  void runOnOperation() override {
    const Target *target = targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      for (auto op : program.getBody().getOps<KernelOpInterface>())
        if (failed(target->configure(op)))
          return signalPassFailure();
  }
};
} // namespace
