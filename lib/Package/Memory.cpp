// Memory of a planned model by purpose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Package/Package.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ampc;

static StringRef kindOf(StateOpInterface state) {
  using train::StateRole;
  if (isa<train::ParamOp>(*state))
    return "parameters";
  switch (state.getStateRole().value_or(StateRole::Step)) {
  case StateRole::Moment:
    return "moments";
  case StateRole::Working:
    return "working copies";
  case StateRole::Ema:
    return "averages";
  case StateRole::Gradient:
    return "gradients of split calls";
  case StateRole::Step:
  case StateRole::Random:
  case StateRole::Scale:
    return "buffers and counters";
  }
  llvm_unreachable("all roles are covered");
}

/// Maximum over all programs.
static int64_t mostOf(ModuleOp module, std::optional<int64_t> (kernel::ProgramOp::*bytes)()) {
  int64_t most = 0;
  for (auto program : module.getOps<kernel::ProgramOp>())
    most = std::max(most, (program.*bytes)().value_or(0));
  return most;
}

MemoryTable ampc::memoryOf(ModuleOp whole) {
  ModuleOp module = targetModules(whole).front();
  MemoryTable table;
  llvm::StringMap<int64_t> bytes;
  for (auto model : module.getOps<train::ModelOp>())
    for (auto state : model.getOps<StateOpInterface>())
      bytes[kindOf(state)] += kernel::byteSize(state.getType());
  for (StringRef kind : {"parameters", "moments", "working copies", "averages",
                         "buffers and counters", "gradients of split calls"})
    if (int64_t sum = bytes.lookup(kind))
      table.push_back({kind, sum});
  if (int64_t saved = mostOf(module, &kernel::ProgramOp::getSavedBytes))
    table.push_back({"arena, kept for backward", saved});
  table.push_back({"arena", mostOf(module, &kernel::ProgramOp::getArenaBytes)});
  return table;
}
