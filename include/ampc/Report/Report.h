// What a compilation decided, read from its modules, as JSON and as a page.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_REPORT_REPORT_H
#define AMPC_REPORT_REPORT_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace ampc::report {
/// Where the model's author wrote something. The file without its folders; empty: unknown.
struct Place {
  std::string file;
  int64_t line = 0, column = 0;
};

/// One operand of an op: what it reads, seen through the casts that the compiler inserted.
struct Operand {
  int operation = -1; ///< number of the op that makes it, or -1
  std::string label;  ///< of what no op makes: a state, an input, a constant
  std::string type;   ///< as the reader sees it: "16x8xbf16"
  std::vector<int> casts;
};

/// A part of a step. Ops that are made again for the backward pass belong to that.
enum class Part { Input, Forward, Backward, Optimizer };

struct Op {
  std::string id;    ///< name, kind and a number: the same in every compilation of the model
  std::string name;  ///< of the op that it stems from, with a suffix in the backward pass
  std::string group; ///< ops that are drawn together: the source op, or the parameter updated
  std::string kind;  ///< mnemonic
  Part part = Part::Forward;
  std::string category, rule, reason; ///< empty: the precision phase had nothing to decide
  std::string compute;                ///< element type of its operands
  std::string stored;                 ///< element types that the first result exists in
  std::string shape;
  int64_t f32Bytes = 0, bytes = 0; ///< of the results, if all floats were f32, and as stored
  int64_t savedBytes = 0;          ///< kept for the backward pass
  bool recomputed = false;
  Place place;
  std::vector<Operand> operands;
};

/// A cast that the compiler inserted.
struct Cast {
  std::string id, from, to, reason, shape;
  Part part = Part::Forward;
  int of = -1;         ///< the op whose result is cast, or -1
  std::string ofLabel; ///< the state or input that is cast otherwise
  std::vector<int> readers;
  int64_t bytes = 0, savedBytes = 0;
  bool recomputed = false;
  Place place;
};

/// A stretch of the arena and the kernels between which it is in use.
struct Buffer {
  std::string name, type;
  int64_t offset = 0, bytes = 0, first = 0, last = 0;
};
struct Kernel {
  std::string name, kind;
  int64_t liveBytes = 0; ///< bytes of the arena in use while it runs
  std::string form;      ///< on a GPU: which code it has, and why if that is plain
  int64_t launches = 1;  ///< on a GPU: its functions
  int64_t bytes = 0;     ///< of its operands and results
  std::string entry;     ///< its name in the object, and in profiles
  int64_t spans = 1;     ///< how many kernels a profile has for it
  std::optional<int64_t> nanoseconds;
};

/// How long a step took in `ampc bench`.
struct Times {
  std::string tier;
  int64_t runs = 0;
  int64_t nanoseconds = 0; ///< the median of the runs
};

/// One step of the model.
struct Step {
  std::string name;
  std::vector<Op> operations;
  std::vector<Cast> casts;
  std::vector<std::pair<std::string, Operand>> numbers; ///< reported beside the loss, in C's order
  std::map<std::string, int64_t> policyCosts;
  llvm::json::Object lossScaling;
  std::optional<CheckpointCosts> checkpoints; ///< nothing: the model has none, and no budget
  std::optional<BudgetCosts> budget;          ///< nothing: there is none
  int64_t savedValueBytes = 0; ///< of the values that the backward pass reads, each by itself
  int64_t savedBytes = 0;      ///< what the plan keeps for them
  int64_t arenaBytes = 0, peakKernel = 0, distinctKernels = 0, launches = 0;
  std::string nonfinite;         ///< what it does with gradients that are not finite
  int64_t gradientBytes = 0;     ///< of all gradients; a step that skips keeps them all
  int64_t gradientPeakBytes = 0; ///< of the gradients that are kept at the same time
  std::vector<Kernel> kernels;
  std::vector<Buffer> buffers;
  std::optional<Times> times;
};

/// One compilation. Each read takes the module after the phase that it names.
struct Compilation {
  std::string model;
  std::vector<Step> steps;                   ///< in the order of the model
  std::map<std::string, int64_t> stateBytes; ///< by role
  int64_t scratchBytes = 0;                  ///< per thread, of the tier that needs most

  /// Null if there is none of this name.
  Step *findStep(llvm::StringRef name);
  /// Ops, casts and reasons: after `recompute`.
  void readGraph(mlir::ModuleOp module);
  /// Buffers and their lives: after `plan`.
  void readPlan(mlir::ModuleOp module);
  /// Distinct kernels and scratch: after `emit`.
  void readKernels(mlir::ModuleOp module);
};

/// Adds what `ampc bench --json` wrote to the compilation whose precision it has. An error if it
/// timed another one.
llvm::Error addTimes(llvm::StringRef bench, llvm::StringRef precision, Compilation &f32,
                     Compilation &mixed);

/// What was asked for, for the head of the report.
struct Request {
  std::string file;           ///< without its folder
  llvm::json::Object options; ///< of the compilation, as docs/report.md lists them
};

/// The version of the JSON's schema; docs/report.md describes it.
constexpr int64_t schemaVersion = 1;

llvm::json::Value toJson(const Request &request, const Compilation &f32, const Compilation &mixed);
/// Sorted keys and one row per line, so that line-wise tools compare two reports.
void printRows(llvm::raw_ostream &os, const llvm::json::Value &report);
/// The page: the facts, where its graphs' nodes lie, and lines of the source (by number from 1).
void writePage(llvm::raw_ostream &os, const llvm::json::Value &report, const Compilation &mixed,
               llvm::ArrayRef<llvm::StringRef> sourceLines);
/// A report of a file, which errors name.
struct ReportText {
  llvm::StringRef file, json;
};
/// What differs between two reports, in words; false if nothing does.
llvm::Expected<bool> printDifferences(llvm::raw_ostream &os, ReportText before, ReportText after);
} // namespace ampc::report
#endif
