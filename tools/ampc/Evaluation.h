// Loss and metrics of a state over a data set.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_EVALUATION_H
#define TOOLS_AMPC_EVALUATION_H

#include "tools/ampc/Batches.h"
#include "tools/ampc/IgnoredLabels.h"
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

/// Runs the evaluation of steps, and an export if its predictions have targets among the steps'
/// inputs: inputs that the export does not take, and of which its result has the shape. Class
/// targets are integers with one score per class.
class Evaluation {
public:
  /// `steps`: numbers of training programs, of which the first names its scores without a prefix if
  /// it is the only one. `data` was opened for their evaluations, `labels` has seen the model.
  /// `wanted`: names of metrics, empty: those that the model allows. False with a message.
  bool open(Session &session, llvm::ArrayRef<int> steps, const Dataset &data,
            const IgnoredLabels &labels, llvm::ArrayRef<std::string> wanted, std::string &error);
  /// The losses come first. Nothing after a message in `error`.
  std::optional<std::vector<Score>> run(std::string &error);
  /// Of what run() returns.
  const std::vector<std::string> &getNames() const { return names; }
  /// "the export predict, against label", or empty.
  std::string getSource() const;
  /// "loss": those that depend on the size of the batch, since they are no sum over rows; or empty.
  std::string getBatchLosses() const;
  /// Rows that no evaluation sees, since they do not fill a batch.
  int64_t getLeftOut() const;

private:
  struct Part {
    int program = -1;
    Batches batches;
    int totals = -1; ///< what a batch adds to the totals of the loss; -1: it is no sum over batches
    Batches totalBatches; ///< its inputs, if it has any
  };
  /// Called for each batch, with outputs and the number of valid rows.
  using Take = llvm::function_ref<void(const Outputs &, uint32_t)>;
  bool runAll(int program, Batches &batches, const Batches &rows, Take take, std::string &error);
  bool openTotals(Part &part, int step, const Dataset &data, std::string &error);
  bool runTotals(Part &part, std::string &error);
  std::optional<double> runLoss(Part &part, std::string &error);
  bool findPredictions(const Dataset &data, const IgnoredLabels &labels, std::string &error);
  bool matchStep(int program, llvm::ArrayRef<ampc_tensor> inputs, const ampc_program &step,
                 const Dataset &data);
  bool matchTarget(int program, const Dataset::Field &target);
  bool chooseMetrics(llvm::ArrayRef<std::string> wanted, std::string &error);
  bool runPredictions(llvm::ArrayRef<std::unique_ptr<Metric>> metrics, std::string &error);
  void score(llvm::ArrayRef<std::unique_ptr<Metric>> metrics, const void *predicted, int64_t first,
             int64_t count) const;

  Session *session = nullptr;
  std::vector<Part> losses;
  Part predictions;
  const Dataset::Field *target = nullptr; ///< null: no export has one
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
