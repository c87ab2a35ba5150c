// What kernels do, counted, and how long a machine should take for that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_COST_H
#define AMPC_KERNEL_COST_H

#include "mlir-dialects/Kernel/Kernel.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace ampc::cost {
/// One tensor that a kernel reads or writes: of each element one access counts.
struct Touch {
  unsigned number; ///< of the operand, or of the result
  bool isWrite;
  int64_t bytes = 0;      ///< of the part that the kernel touches
  int64_t lines = 0;      ///< pieces of 64 bytes, in the order in which the kernel walks
  int64_t pages = 0;      ///< of 4096 bytes, the same
  bool isInPlace = false; ///< written over what the kernel has read
};

/// Multiply-adds of a contraction, whose operands are of one type.
struct Product {
  std::string type; ///< "f32", "bf16", ...
  double multiplyAdds = 0;
  double packed = 0; ///< elements of operands that are put in order first
};

/// What a kernel does, whatever runs it.
struct Work {
  std::vector<Product> products;
  double vectorOps = 0; ///< of bodies, over all points
  double slowOps = 0;   ///< divisions and roots
  double functions = 0; ///< exp, tanh, ...
  double hidden = 0;    ///< done although a mask hides the results, as a share of all these
  std::vector<Touch> touches;

  double flops() const;
  int64_t bytes(bool isWrite) const;
  int64_t lines() const;
  int64_t pages() const;
};
/// Of a kernel that is no call of a program.
Work workOf(KernelOpInterface op);

/// Where the bytes that a kernel touches were before.
enum Level { CoreCache, SharedCache, Memory };
constexpr unsigned numLevels = 3;

/// One kernel of a program's run.
struct Launch {
  std::string name;   ///< as profiles call it
  std::string kind;   ///< mnemonic of the op
  std::string form;   ///< its shape
  train::Stage stage; ///< of the step
  Work work;
  std::vector<int64_t> tasks;     ///< by tier of the target; empty: it has none
  std::vector<int64_t> distances; ///< per touch: bytes touched since these were, they included

  int64_t tasksIn(size_t tier) const { return tier < tasks.size() ? tasks[tier] : 1; }
};
/// In the order in which a run goes through them, programs that are called included. The module is
/// one behind `emit`.
std::vector<Launch> launchesOf(kernel::ProgramOp program);

/// What a core does per nanosecond in the code of one tier.
struct Rates {
  std::map<std::string, double> products; ///< multiply-adds, by type of the operands
  double vectorOps = 0;
  double slowOps = 0;
  double functions = 0;
  double packed = 0; ///< elements put in order for a product
};
struct CacheLevel {
  int64_t bytes = 0;   ///< of a core's cache, or of the one that all share; 0: memory
  double perCore = 0;  ///< bytes per nanosecond
  double together = 0; ///< of all cores
};

/// A machine as its file describes it.
struct Machine {
  std::string name;
  int64_t cores = 1;
  std::array<CacheLevel, numLevels> levels;
  double launchNanoseconds = 0; ///< of a kernel on one thread
  double forkNanoseconds = 0;   ///< more, if several threads share it
  std::map<std::string, Rates> tiers;

  /// Of the text of a file. An error names the line.
  static llvm::Expected<Machine> parse(llvm::StringRef text);
  /// The one that comes with the compiler.
  static const Machine &builtIn();
  llvm::json::Value toJson() const;
  /// An error names those that the machine has.
  llvm::Expected<const Rates *> ratesOf(llvm::StringRef tier) const;
};

/// Nanoseconds, and what takes them. `compute` and `memory` are those of the thread that has most.
struct Prediction {
  double compute = 0, memory = 0, launch = 0;
  double total = 0;
  /// The larger one of what products and arithmetic take at full rate and what bytes take, on
  /// `threads` equal shares: no kernel is faster.
  double limit = 0;
};
Prediction predict(const Launch &launch, int64_t tasks, const Machine &machine, const Rates &rates,
                   int64_t threads);
} // namespace ampc::cost
#endif
