// Evaluations during training, and the choice of the best state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_VALIDATION_H
#define TOOLS_AMPC_VALIDATION_H

#include "tools/ampc/Evaluation.h"

namespace ampc {
/// Keeps the best score and the state with the best score.
class Validation {
public:
  struct Options {
    std::vector<std::string> metrics;
    std::string monitor;   ///< the score that counts; empty: the first loss
    std::string bestFile;  ///< empty: the best state is not kept
    bool averages = false; ///< scores are of the averages of ema_decay
    unsigned patience = 0; ///< validations without a better score that end the training; 0: no end
  };
  bool open(Session &session, llvm::ArrayRef<int> steps, const Sources &sources,
            const Dataset &training, bool finite, const Options &options, std::string &error);
  /// Takes the score of the best state of an earlier run as the one to beat, from its file. Changes
  /// the state. A warning in `warning` if there is such a file, but of another model.
  bool recall(std::string &warning, std::string &error);
  /// Scores of the current state, which is saved if the score is the best so far.
  bool run(uint64_t step, std::string &error);

  const std::vector<std::string> &getNames() const { return evaluation.getNames(); }
  llvm::ArrayRef<Score> getScores() const { return scores; }
  const Evaluation &getEvaluation() const { return evaluation; }
  unsigned getPatience() const { return options.patience; }
  /// Whether the last score is the best so far.
  bool isBest() const { return worse == 0; }
  bool isOutOfPatience() const { return options.patience && worse >= options.patience; }
  /// "best loss 0.25 at step 40, in run.best.safetensors"; empty before the first.
  std::string getBestText() const;

private:
  std::optional<double> monitored() const;
  bool evaluate(std::string &error);

  Session *session = nullptr;
  Options options;
  Dataset data;
  Evaluation evaluation;
  std::vector<Score> scores;
  std::optional<double> best;
  uint64_t bestStep = 0; ///< 0: of an earlier run
  unsigned worse = 0;    ///< validations since
};

/// "loss 0.25  accuracy 0.9".
std::string textOf(llvm::ArrayRef<Score> scores, llvm::StringRef prefix);
} // namespace ampc
#endif
