// What the kernels of a model do, read while it is compiled, and machines to predict times of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PROGRAMCOSTS_H
#define TOOLS_AMPC_PROGRAMCOSTS_H

#include "ampc/Kernel/Cost.h"
#include "ampc/Pipelines/Compiler.h"

namespace ampc {
/// Kernels of the programs that a library offers, by their numbers there.
class ProgramCosts {
public:
  /// Lets the compilation fill this object, which has to outlive it.
  void watch(CompileRequest &request);
  /// Of the module of a target behind `emit`.
  void read(mlir::ModuleOp module);

  struct Program {
    std::string name;
    std::vector<cost::Launch> launches;
  };
  llvm::ArrayRef<Program> getPrograms() const { return programs; }
  /// Names of those of the target.
  llvm::ArrayRef<std::string> getTiers() const { return tiers; }
  /// Place of a tier among those of the target; nothing if it is of another one.
  std::optional<size_t> findTier(llvm::StringRef name) const;

private:
  std::vector<Program> programs;
  std::vector<std::string> tiers;
};

/// Of a file, or the built-in one if `path` is empty. An error names the file and the line.
llvm::Expected<cost::Machine> readMachine(llvm::StringRef path);

/// A kernel at its place in a program: what it does, and on a machine how long that should take.
struct KernelCost {
  const cost::Launch *launch = nullptr;
  int64_t tasks = 1;
  std::optional<cost::Prediction> predicted;

  /// The facts as keys of a row.
  void addTo(llvm::json::Object &row) const;
};
/// `machine`: null, or one that has figures of the tier.
std::vector<KernelCost> costsOf(const ProgramCosts::Program &program, size_t tier,
                                llvm::StringRef tierName, const cost::Machine *machine,
                                int64_t threads);
} // namespace ampc
#endif
