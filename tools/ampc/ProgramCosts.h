// Operations and bytes of a model's kernels, read during compilation, and machines for predicting
// times.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PROGRAMCOSTS_H
#define TOOLS_AMPC_PROGRAMCOSTS_H

#include "ampc/Kernel/Cost.h"
#include "ampc/Pipelines/Compiler.h"

namespace ampc {
/// Kernels of the public programs of a library, indexed by program number in the library.
class ProgramCosts {
public:
  /// Has the compilation of `request` fill this object, which has to outlive the compilation.
  void watch(CompileRequest &request);
  /// Reads the module of a target after phase `emit`.
  void read(mlir::ModuleOp module);

  struct Program {
    std::string name;
    std::vector<cost::Launch> launches;
  };
  llvm::ArrayRef<Program> getPrograms() const { return programs; }
  /// Names of the target's tiers.
  llvm::ArrayRef<std::string> getTiers() const { return tiers; }
  /// Index of a tier in the target's tiers; nothing for a tier of another target.
  std::optional<size_t> findTier(llvm::StringRef name) const;

private:
  std::vector<Program> programs;
  std::vector<std::string> tiers;
};

/// Reads a machine from a file, or the built-in machine if `path` is empty. An error names the file
/// and the line.
llvm::Expected<cost::Machine> readMachine(llvm::StringRef path);

/// A kernel at a position in a program: operations, bytes, and the predicted time on a machine.
struct KernelCost {
  const cost::Launch *launch = nullptr;
  int64_t tasks = 1;
  std::optional<cost::Prediction> predicted;

  /// The facts as keys of a row.
  void addTo(llvm::json::Object &row) const;
};
/// `machine`: null, or a machine with figures of the tier.
std::vector<KernelCost> costsOf(const ProgramCosts::Program &program, size_t tier,
                                llvm::StringRef tierName, const cost::Machine *machine,
                                int64_t threads);
} // namespace ampc
#endif
