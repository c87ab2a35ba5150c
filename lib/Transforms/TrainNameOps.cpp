// Stable names for ops, kept by every later phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Transforms/Passes.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINNAMEOPS
#include "ampc/Transforms/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
struct TrainNameOps : ampc::impl::TrainNameOpsBase<TrainNameOps> {
  void runOnOperation() override {
    getOperation()->walk([](train::FuncOp func) {
      llvm::StringMap<unsigned> counts;
      for (Operation &op : func.getBody().front()) {
        unsigned number = counts[op.getName().stripDialect()]++;
        if (isa<NameLoc>(op.getLoc()))
          continue;
        std::string name = (func.getSymName() + "/" + op.getName().stripDialect() + "#" + Twine(number)).str();
        op.setLoc(NameLoc::get(StringAttr::get(op.getContext(), name), op.getLoc()));
      }
    });
  }
};
} // namespace
