// Loss and metrics of a state over a data set.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_EVALUATION_H
#define TOOLS_AMPC_EVALUATION_H

#include "tools/ampc/Batches.h"
#include "tools/ampc/Metrics.h"
#include "tools/ampc/Session.h"

namespace ampc {
/// Buffers for the outputs of a program.
class Outputs {
public:
  explicit Outputs(const ampc_program &program);
  llvm::ArrayRef<void *> get() const { return pointers; }

private:
  std::vector<std::vector<char>> storage;
  std::vector<void *> pointers;
};

/// Runs the evaluations of steps, and an export whose predictions have targets. A target is an
/// input of a step that the export does not take and whose shape is that of the export's result.
/// Class targets are integers with a score per class, e.g. scores [8, 10] and labels [8].
class Evaluation {
public:
  /// `steps`: numbers of training programs; the scores of a single step have no prefix. `data` was
  /// opened for the evaluations of the steps. `wanted`: names of metrics; empty: all metrics that
  /// the model allows. False after a message.
  bool open(Session &session, llvm::ArrayRef<int> steps, const Dataset &data,
            llvm::ArrayRef<std::string> wanted, std::string &error);
  /// The losses come first. Nothing after a message in `error`.
  std::optional<std::vector<Score>> run(std::string &error);
  /// Names of the scores that run() returns.
  const std::vector<std::string> &getNames() const { return names; }
  /// "the export predict, against label", or empty.
  std::string getSource() const;
  /// Notes on rows that are left out and on losses over batches, with the op that mixes rows;
  /// `data`: source of the rows, as in " of --validate".
  void noteMixedRows(llvm::StringRef data) const;

private:
  /// Losses that are no sum over rows and so depend on the size of the batch, e.g. "loss"; or
  /// empty.
  std::string batchLosses() const;
  /// Rows of an incomplete last batch, which no evaluation sees.
  int64_t leftOut() const;
  struct ScoredProgram {
    int program = -1;
    Batches batches;
    int totals = -1;      ///< program of a batch's totals; -1: the loss is no sum over batches
    Batches totalBatches; ///< inputs of `totals`; empty without inputs
  };
  /// Called for each batch, with outputs and the number of valid rows.
  using Take = llvm::function_ref<void(const Outputs &, uint32_t)>;
  bool runAll(int program, Batches &batches, const Batches &rows, Take take, std::string &error);
  bool openTotals(ScoredProgram &part, int step, const Dataset &data, std::string &error);
  bool runTotals(ScoredProgram &part, std::string &error);
  std::optional<double> runLoss(ScoredProgram &part, std::string &error);
  bool findPredictions(const Dataset &data, std::string &error);
  bool matchStep(int program, llvm::ArrayRef<ampc_tensor> inputs, const ampc_program &step,
                 const Dataset &data);
  bool matchTarget(int program, const Dataset::Field &target);
  bool chooseMetrics(llvm::ArrayRef<std::string> wanted, std::string &error);
  bool runPredictions(llvm::ArrayRef<std::unique_ptr<Metric>> metrics, std::string &error);
  void score(llvm::ArrayRef<std::unique_ptr<Metric>> metrics, const void *predicted, int64_t first,
             int64_t count) const;

  Session *session = nullptr;
  std::vector<ScoredProgram> losses;
  ScoredProgram predictions;
  const Dataset::Field *target = nullptr; ///< null: no export has a target
  int output = -1;
  TargetKind kind = TargetKind::Number;
  Classes classes;
  std::vector<const MetricKind *> chosen;
  std::vector<std::string> names;
};

/// Number of a step's evaluation, or -1.
int findEvaluation(const Session &session, int step);
} // namespace ampc
#endif
