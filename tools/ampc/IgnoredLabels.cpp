// Labels that losses ignore, read from the model during compilation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/IgnoredLabels.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/ADT/STLExtras.h"

using namespace ampc;
using namespace mlir;

void IgnoredLabels::watch(CompileRequest &request) {
  request.inspect = [this](StringRef phase, ModuleOp module) {
    if (phase == "simplify")
      collect(module);
  };
}

/// Model input behind indices, through casts and reshapes; null if the indices are no input.
static train::InputAttr inputOf(train::FuncOp func, Value indices) {
  while (Operation *op = indices.getDefiningOp()) {
    if (op->getNumOperands() != 1)
      return {};
    indices = op->getOperand(0);
  }
  return Signature(func).argument<train::InputAttr>(cast<BlockArgument>(indices));
}

void IgnoredLabels::collect(ModuleOp module) {
  module.walk([&](IndexOpInterface op) {
    auto func = op->getParentOfType<train::FuncOp>();
    Value indices = op.getIndices();
    if (!func || func.getRole() != train::Role::Eval || func.getExportName() || !indices)
      return;
    train::InputAttr input = inputOf(func, indices);
    if (std::optional<int64_t> label = op.getIgnoredIndex(); label && input)
      found[input.getName().str()].push_back(*label);
  });
}

std::optional<int64_t> IgnoredLabels::find(StringRef input) const {
  auto labels = found.find(input.str());
  return labels == found.end() || !llvm::all_equal(labels->second)
             ? std::nullopt
             : std::optional(labels->second.front());
}
