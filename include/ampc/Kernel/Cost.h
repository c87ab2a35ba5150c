// Cost model: operation and byte counts of kernels, and predicted time on a machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_COST_H
#define AMPC_KERNEL_COST_H

#include "mlir-dialects/Kernel/Kernel.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace ampc::cost {
/// Access of a kernel to one tensor; each element counts once.
struct Touch {
  unsigned number; ///< number of the operand or result
  bool isWrite;
  int64_t bytes = 0;      ///< of the elements that the kernel accesses
  int64_t lines = 0;      ///< cache lines of 64 bytes, counted in the kernel's iteration order
  int64_t pages = 0;      ///< pages of 4096 bytes, counted like lines
  bool isInPlace = false; ///< result is stored over old state, whose lines the kernel has read
};

/// Multiply-adds of a contraction whose operands have a common type, such as bf16 x bf16 -> f32.
struct Product {
  std::string type; ///< "f32", "bf16", ...
  double multiplyAdds = 0;
  double packed = 0; ///< elements of operands that are packed first
};

/// Target-independent operation counts of one kernel.
struct Work {
  std::vector<Product> products;
  double vectorOps = 0; ///< scalar ops of bodies, times the points of the iteration domain
  double slowOps = 0;   ///< divisions and roots
  double functions = 0; ///< exp, tanh, ...
  double hidden = 0;    ///< extra work on masked results: 0.5 adds half of all the counts above
  std::vector<Touch> touches;

  double flops() const;
  int64_t bytes(bool isWrite) const;
  int64_t lines() const;
  int64_t pages() const;
};
/// Counts the work of a kernel; `op` is not a kernel.call.
Work workOf(KernelOpInterface op);

/// Memory level that holds an operand before the kernel runs.
enum Level { CoreCache, SharedCache, Memory };
constexpr unsigned numLevels = 3;

/// One kernel launch of a program run.
struct Launch {
  unsigned kernel;  ///< number of the op in the order of first launches: equal in rounds of a loop
  std::string name; ///< name in profiles
  std::string kind; ///< mnemonic of the op
  std::string form; ///< iteration domain or result shape: "64x128 depth 256"
  train::Stage stage; ///< stage of the step
  Work work;
  std::vector<int64_t>
      tasks; ///< number of tasks per tier of the target; empty: the kernel is not divided
  std::vector<int64_t> distances; ///< reuse distance per access: bytes touched since the last
                                  ///< access to the tensor, its own included

  int64_t tasksIn(size_t tier) const { return tier < tasks.size() ? tasks[tier] : 1; }
};
/// Launches of a program in execution order, including programs called by kernel.call.
/// Precondition: the module has been through the phase `emit`.
std::vector<Launch> launchesOf(kernel::ProgramOp program);

/// Throughput of one core in the code of one tier, per nanosecond.
struct Rates {
  std::map<std::string, double> products; ///< multiply-adds by operand type: {"bf16", 400}
  double vectorOps = 0;
  double slowOps = 0;
  double functions = 0;
  double packed = 0; ///< elements packed for a contraction
};
struct CacheLevel {
  int64_t bytes = 0;   ///< capacity of the core's cache or of the shared cache; 0: memory
  double perCore = 0;  ///< bytes per nanosecond
  double together = 0; ///< bytes per nanosecond of all cores together
};

/// Machine description read from a file.
struct Machine {
  std::string name;
  int64_t cores = 1;
  std::array<CacheLevel, numLevels> levels;
  double launchNanoseconds = 0; ///< of one kernel on one thread
  double forkNanoseconds = 0;   ///< additional cost of a launch on several threads
  std::map<std::string, Rates> tiers;

  /// Parses a machine file. An error names the line.
  static llvm::Expected<Machine> parse(llvm::StringRef text);
  /// Machine description built into the compiler.
  static const Machine &builtIn();
  llvm::json::Value toJson() const;
  /// Rates of a tier. An error lists the tiers of the machine.
  llvm::Expected<const Rates *> ratesOf(llvm::StringRef tier) const;
};

/// Predicted time in nanoseconds, by cause. `compute` and `memory` are times of the thread with the
/// most work.
struct Prediction {
  double compute = 0, memory = 0, launch = 0;
  double total = 0;
  /// Roofline bound: maximum of compute time at full rate and memory time, with the work divided
  /// evenly among `threads`. No kernel is faster.
  double limit = 0;
};
Prediction predict(const Launch &launch, int64_t tasks, const Machine &machine, const Rates &rates,
                   int64_t threads);
} // namespace ampc::cost
#endif
