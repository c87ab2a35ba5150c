// Metrics of predictions, beside the loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_METRICS_H
#define TOOLS_AMPC_METRICS_H

#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ampc {
/// A number of an evaluation.
struct Score {
  std::string name;
  std::optional<double> value; ///< nothing: not defined for the data, e.g. AUC of a single class
};
/// Whether larger values of the score are better, e.g. accuracy: true, loss: false.
bool isLargerBetter(llvm::StringRef score);

/// Kind of target that a metric needs.
enum class TargetKind {
  Class,  ///< integer class; the prediction has a score per class
  Binary, ///< 0 or 1; the prediction has a single score
  Number  ///< any number, which is predicted
};

/// A metric over all predictions of a data set.
class Metric {
public:
  virtual ~Metric() = default;
  /// `count` targets; of class targets, predictions are [count, classes].
  virtual void add(const double *predictions, const double *targets, int64_t count) = 0;
  virtual std::optional<double> value() const = 0;
};

/// Facts about a target of kind Class.
struct Classes {
  int64_t count = 0;
  std::optional<int64_t> ignore; ///< targets that do not count
  bool counts(double target) const { return !ignore || target != double(*ignore); }
};

/// Data for which a metric is shown without --metrics.
enum class ByDefault {
  Always,
  ForSequences, ///< where a row has several targets
  Never
};

/// Names are unique among the metrics of a kind of target.
struct MetricKind {
  llvm::StringLiteral name;
  TargetKind target;
  ByDefault isShown;
  bool largerIsBetter;
  std::unique_ptr<Metric> (*make)(Classes);
};
extern const std::vector<MetricKind> metricKinds;
} // namespace ampc
#endif
