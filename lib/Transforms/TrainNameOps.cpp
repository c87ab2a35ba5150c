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
      llvm::StringMap<unsigned> counts, given;
      func.walk([&](Operation *op) {
        if (op == func)
          return;
        unsigned number = counts[op->getName().stripDialect()]++;
        auto location = dyn_cast<NameLoc>(op->getLoc());
        std::string name =
            (func.getSymName() + "/" + op->getName().stripDialect() + "#" + Twine(number)).str();
        if (location) { // a second op of a given name gets a number
          name = location.getName().str();
          unsigned again = given[name]++;
          if (again == 0)
            return;
          name += "#" + std::to_string(again);
        }
        Location inner = location ? Location(location.getChildLoc()) : op->getLoc();
        op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), name), inner));
      });
    });
  }
};
} // namespace
