// Metrics: quality of predictions, in addition to the loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Metrics.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>

using namespace ampc;

namespace {
/// Mean over the targets that count.
class Mean : public Metric {
public:
  std::optional<double> value() const override {
    return count ? std::optional(sum / double(count)) : std::nullopt;
  }

protected:
  void note(double x) {
    sum += x;
    ++count;
  }

private:
  double sum = 0;
  int64_t count = 0;
};

/// Share of targets whose class has the highest score; among equal scores the first counts.
class Accuracy : public Mean {
public:
  explicit Accuracy(Classes classes) : classes(classes) {}
  void add(const double *scores, const double *targets, int64_t count) override {
    for (int64_t i = 0; i < count; ++i, scores += classes.count)
      if (classes.counts(targets[i]))
        note(double(std::max_element(scores, scores + classes.count) - scores) == targets[i]);
  }

private:
  Classes classes;
};

/// exp of the mean of -log p. p is the softmax of the scores, unless the scores of all targets are
/// probabilities: a single row may add up to 1 by chance.
class Perplexity : public Metric {
public:
  explicit Perplexity(Classes classes) : classes(classes) {}
  void add(const double *scores, const double *targets, int64_t count) override {
    for (int64_t i = 0; i < count; ++i, scores += classes.count) {
      if (!classes.counts(targets[i]))
        continue;
      const double *end = scores + classes.count;
      double sum = std::accumulate(scores, end, 0.0);
      areProbabilities &= std::fabs(sum - 1) < 1e-3 && *std::min_element(scores, end) >= 0;
      ofProbabilities -= std::log(scores[size_t(targets[i])]);
      ofSoftmax -= logSoftmax(scores, size_t(targets[i]));
      ++all;
    }
  }
  std::optional<double> value() const override {
    double sum = areProbabilities ? ofProbabilities : ofSoftmax;
    return all ? std::optional(std::exp(sum / double(all))) : std::nullopt;
  }

private:
  double logSoftmax(const double *scores, size_t target) const {
    const double *end = scores + classes.count;
    double largest = *std::max_element(scores, end), total = 0;
    for (const double *score = scores; score != end; ++score)
      total += std::exp(*score - largest);
    return scores[target] - largest - std::log(total);
  }
  Classes classes;
  double ofProbabilities = 0, ofSoftmax = 0;
  int64_t all = 0;
  bool areProbabilities = true;
};

/// Probability that a target of 1 has a higher score than a target of 0; equal scores count half.
/// Computed by ranks (Mann-Whitney U).
class AreaUnderCurve : public Metric {
public:
  void add(const double *scores, const double *targets, int64_t count) override {
    for (int64_t i = 0; i < count; ++i)
      all.push_back({scores[i], targets[i] == 1});
  }
  std::optional<double> value() const override {
    std::vector<std::pair<double, bool>> sorted = all;
    llvm::sort(sorted, llvm::less_first());
    double ranks = 0, ones = 0;
    for (size_t begin = 0, end; begin < sorted.size(); begin = end) {
      double here = 0;
      for (end = begin; end < sorted.size() && sorted[end].first == sorted[begin].first; ++end)
        here += sorted[end].second;
      ranks += here * double(begin + 1 + end) / 2;
      ones += here;
    }
    double zeros = double(sorted.size()) - ones;
    if (ones == 0 || zeros == 0)
      return std::nullopt;
    return (ranks - ones * (ones + 1) / 2) / (ones * zeros);
  }

private:
  std::vector<std::pair<double, bool>> all;
};

/// Share of targets on the right side of the threshold: 0, or 1/2 if all scores are probabilities.
class BinaryAccuracy : public Metric {
public:
  void add(const double *scores, const double *targets, int64_t count) override {
    for (int64_t i = 0; i < count; ++i) {
      bool isOne = targets[i] == 1;
      rightOfZero += (scores[i] > 0) == isOne;
      rightOfHalf += (scores[i] > 0.5) == isOne;
      areProbabilities &= scores[i] >= 0 && scores[i] <= 1;
    }
    all += count;
  }
  std::optional<double> value() const override {
    int64_t right = areProbabilities ? rightOfHalf : rightOfZero;
    return all ? std::optional(double(right) / double(all)) : std::nullopt;
  }

private:
  int64_t rightOfZero = 0, rightOfHalf = 0, all = 0;
  bool areProbabilities = true;
};

/// Mean of |prediction - target|.
class MeanError : public Mean {
public:
  void add(const double *predictions, const double *targets, int64_t count) override {
    for (int64_t i = 0; i < count; ++i)
      note(std::fabs(predictions[i] - targets[i]));
  }
};

template <typename T> std::unique_ptr<Metric> make(Classes classes) {
  if constexpr (std::is_constructible_v<T, Classes>)
    return std::make_unique<T>(classes);
  else
    return std::make_unique<T>();
}
} // namespace

const std::vector<MetricKind> ampc::metricKinds = {
    {"accuracy", TargetKind::Class, ByDefault::Always, true, make<Accuracy>},
    {"perplexity", TargetKind::Class, ByDefault::ForSequences, false, make<Perplexity>},
    {"auc", TargetKind::Binary, ByDefault::Always, true, make<AreaUnderCurve>},
    {"accuracy", TargetKind::Binary, ByDefault::Never, true, make<BinaryAccuracy>},
    {"mean_error", TargetKind::Number, ByDefault::Always, false, make<MeanError>},
};

bool ampc::isLargerBetter(llvm::StringRef score) {
  return llvm::any_of(metricKinds, [&](const MetricKind &kind) {
    return score == kind.name && kind.largerIsBetter;
  });
}
