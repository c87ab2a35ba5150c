// Hashes of a model's state and plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Hashes.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace ampc;

/// Prints the schedule: order of kernels and buffers. Code is hashed where generated.
static void printPlan(const ModelInfo &model, raw_ostream &os) {
  auto print = [&](auto... numbers) { ((os << int64_t(numbers) << ","), ...); };
  for (const KernelInfo &kernel : model.kernels) {
    for (const CodeInfo &tier : kernel.code) {
      os << tier.run << "," << tier.finish << ",";
      print(tier.tasks, tier.finishTasks, tier.scratch);
    }
    for (const LaunchInfo &launch : kernel.launches) {
      os << launch.function << ",";
      for (const std::array<uint32_t, 3> &extent : {launch.grid, launch.block, launch.cluster})
        print(extent[0], extent[1], extent[2]);
      print(launch.sharedBytes);
    }
  }
  for (const ProgramInfo &program : model.programs) {
    print(program.kind, program.batch, program.shortBatch, program.nonfinite, program.arenaBytes);
    for (const EntryInfo &entry : program.entries)
      print(entry.kind, entry.number, entry.firstOperand, entry.times, entry.carried);
    for (const ampc_operand &operand : program.operands)
      print(operand.space, operand.number, operand.offset, operand.stride);
  }
  for (const std::string &constant : model.constants)
    print(llvm::xxh3_64bits(constant));
}

void ampc::setHashes(ModuleOp module, train::ModelOp model, ModelInfo &result) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << model.getSymName() << ";";
  for (const SlotInfo &slot : result.slots) {
    if (slot.role == AMPC_ROLE_GRADIENT || slot.role == AMPC_ROLE_WORKING)
      continue;
    os << slot.tensor.name << ":" << slot.role << ":" << slot.tensor.dtype << ":";
    llvm::interleave(slot.tensor.dims, os, "x");
    os << ";";
  }
  for (auto program : module.getOps<kernel::ProgramOp>())
    if (Attribute optimizer = program.getOptimizerAttr()) {
      os << program.getStepAttr() << optimizer.getAbstractAttribute().getName() << ";";
      if (ArrayAttr groups = program.getGroupsAttr())
        for (auto group : groups.getAsRange<train::GroupAttr>())
          os << group.getParams() << group.getOptimizer().getAbstractAttribute().getName() << ";";
    }
  result.stateHash = llvm::xxh3_64bits(text);
  printPlan(result, os);
  result.planHash = llvm::xxh3_64bits(text);
}
