// Compilation reports: decisions read from the modules, as JSON and as an HTML page.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_REPORT_REPORT_H
#define AMPC_REPORT_REPORT_H

#include "mlir-dialects/Amp/Amp.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace ampc::report {
/// Source location in the model. The file name has no folders; empty: unknown.
struct SourceLocation {
  std::string file;
  int64_t line = 0, column = 0;
};

/// Operand of an op: the value read, with the casts on the way that the compiler inserted.
struct Operand {
  int operation = -1; ///< number of the defining op, or -1
  std::string label;  ///< name of a value without defining op: state, input or constant
  std::string type;   ///< type that the consumer reads: "16x8xbf16"
  /// In the body of the loop `operation`: the argument read, e.g. "carried 0", "row 1", "index".
  std::string argument;
  std::vector<int> casts;
};

/// Stage of a step. Rematerialized ops belong to the backward stage.
enum class StepStage { Input, Forward, Backward, Optimizer };

struct Op {
  std::string id;    ///< name, kind and a number; equal in every compilation of the model
  std::string name;  ///< name of the source op, with a suffix in the backward pass
  std::string group; ///< group of ops drawn together: the source op or the updated parameter
  std::string kind;  ///< mnemonic
  StepStage part = StepStage::Forward;
  std::string category, rule, reason; ///< empty: no decision of the precision phase
  std::string compute;                ///< compute type: element type of the operands
  std::string stored; ///< storage types: element types in which the first result exists
  std::string shape;
  int64_t f32Bytes = 0, bytes = 0; ///< bytes of the results, in a loop of one round
  int64_t savedBytes = 0;          ///< bytes kept for the backward pass, in a loop of all rounds
  bool recomputed = false;
  SourceLocation place;
  std::vector<Operand> operands;
  int loop = -1;                   ///< number of the innermost loop's op around the op, or -1
  int64_t rounds = 1;              ///< runs of the op per step: product of the rounds of all loops
  int64_t bodyRounds = 0;          ///< of a loop: number of its rounds
  std::vector<Operand> next, each; ///< of a loop: values carried to the next round, and kept
};

/// Cast inserted by the compiler.
struct Cast {
  std::string id, from, to, reason, shape;
  StepStage part = StepStage::Forward;
  int of = -1;         ///< number of the op whose result is cast, or -1
  std::string ofLabel; ///< name of the cast state or input if `of` is -1
  std::vector<int> readers;
  int64_t bytes = 0, savedBytes = 0;
  bool recomputed = false;
  SourceLocation place;
  int loop = -1;      ///< as in Op
  int64_t rounds = 1; ///< as in Op
};

/// Buffer in the arena and its live range, as numbers of the first and last kernel.
struct Buffer {
  std::string name, type;
  int64_t offset = 0, bytes = 0, first = 0, last = 0;
};
struct Kernel {
  std::string name, kind;
  int64_t liveBytes = 0; ///< bytes of the arena in use while it runs
  std::string form;      ///< on a GPU: kind of code, and the reason if the code is plain
  int64_t launches = 1;  ///< on a GPU: number of launched functions
  int64_t bytes = 0;     ///< bytes of operands and results
  std::string entry;     ///< symbol in the object and in profiles
  int64_t spans = 1;     ///< number of profile spans of this kernel, of a loop in all rounds
  int64_t rounds = 0;    ///< of a loop: number of rounds
  StepStage part = StepStage::Forward; ///< of the first op
  std::optional<int64_t> nanoseconds;
};

/// Step time measured by `ampc bench`.
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
  std::vector<std::pair<std::string, Operand>>
      numbers; ///< scalars reported beside the loss, in the order of the C interface
  std::map<std::string, int64_t> policyCosts;
  llvm::json::Object lossScaling;
  std::optional<CheckpointCosts>
      checkpoints;                   ///< checkpoint costs; nothing: no checkpoints and no budget
  std::optional<BudgetCosts> budget; ///< costs of the activation budget; nothing: no budget
  int64_t savedValueBytes = 0;       ///< sum of bytes of the values that the backward pass reads
  int64_t savedBytes = 0;            ///< bytes that the plan keeps for these values
  int64_t arenaBytes = 0, peakKernel = 0, distinctKernels = 0, launches = 0;
  std::string nonfinite;         ///< treatment of gradients that are not finite
  int64_t gradientBytes = 0;     ///< bytes of all gradients; a step that may skip keeps all of them
  int64_t gradientPeakBytes = 0; ///< bytes of the gradients alive at the same time
  std::vector<Kernel> kernels;
  std::vector<Buffer> buffers;
  std::optional<Times> times;
};

/// One compilation. Each read function expects the module after the named phase.
struct Compilation {
  std::string model;
  std::vector<Step> steps;                   ///< in the order of the model
  std::map<std::string, int64_t> stateBytes; ///< by role
  int64_t scratchBytes = 0;                  ///< bytes per thread, of the most demanding tier

  /// Step of a name; null if unknown.
  Step *findStep(llvm::StringRef name);
  /// Reads ops, casts and reasons; phase `recompute`.
  void readGraph(mlir::ModuleOp module);
  /// Reads buffers and live ranges; phase `plan`.
  void readPlan(mlir::ModuleOp module);
  /// Reads distinct kernels and scratch; phase `emit`.
  void readKernels(mlir::ModuleOp module);
};

/// Adds the output of `ampc bench --json` to the compilation of the given precision. An error if
/// the times belong to another compilation.
llvm::Error addTimes(llvm::StringRef bench, llvm::StringRef precision, Compilation &f32,
                     Compilation &mixed);

/// Request that a report answers, for its head.
struct Request {
  std::string file;           ///< file name without folder
  llvm::json::Object options; ///< options of the compilation, as listed in docs/report.md
};

/// Version of the JSON schema in docs/report.md.
constexpr int64_t schemaVersion = 1;

llvm::json::Value toJson(const Request &request, const Compilation &f32, const Compilation &mixed);
/// Prints JSON with sorted keys, one row per line, so that line-based tools can compare reports.
void printRows(llvm::raw_ostream &os, const llvm::json::Value &report);
/// Writes the HTML page: the report, positions of graph nodes, and source lines (numbered from 1).
void writePage(llvm::raw_ostream &os, const llvm::json::Value &report, const Compilation &mixed,
               llvm::ArrayRef<llvm::StringRef> sourceLines);
/// Text of a report, with the file name for errors.
struct ReportText {
  llvm::StringRef file, json;
};
/// Prints the differences between two reports in words; false if the reports are equal.
llvm::Expected<bool> printDifferences(llvm::raw_ostream &os, ReportText before, ReportText after);
} // namespace ampc::report
#endif
