// Smoothed 3-gram.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Trigram.h"
#include <cmath>
#include <unordered_map>

namespace {
/// Counts of the characters that followed a context.
struct Followers {
  std::unordered_map<int32_t, double> count;
  double total = 0;
};

class Counts {
public:
  void add(const int32_t *history, int32_t next) {
    for (int order = 0; order < 3; ++order) {
      Followers &followers = table[key(history, order)];
      followers.count[next] += 1;
      followers.total += 1;
    }
  }
  /// P(next | history), smoothed by Witten and Bell: an order with t characters seen, d of which
  /// are distinct, leaves d / (t + d) of the probability to the order below.
  double probability(const int32_t *history, int32_t next) const {
    double p = 1.0 / vocabulary;
    for (int order = 0; order < 3; ++order) {
      auto found = table.find(key(history, order));
      if (found == table.end())
        break;
      const Followers &followers = found->second;
      auto count = followers.count.find(next);
      double seen = count == followers.count.end() ? 0 : count->second,
             distinct = followers.count.size();
      p = (seen + distinct * p) / (followers.total + distinct);
    }
    return p;
  }

private:
  /// Key of the last `order` characters in front of `history`.
  static int64_t key(const int32_t *history, int order) {
    int64_t value = 0;
    for (int i = 1; i <= order; ++i)
      value = value * vocabulary + history[-i];
    return value * 4 + order;
  }
  std::unordered_map<int64_t, Followers> table;
};
} // namespace

double trigramLoss(const std::vector<Document> &documents) {
  Counts counts;
  for (const Document &document : documents)
    for (size_t i = 2; i < document.split; ++i)
      counts.add(&document.tokens[i], document.tokens[i]);
  double sum = 0, characters = 0;
  for (const Document &document : documents)
    for (size_t i = document.split; i < document.tokens.size(); ++i, ++characters)
      sum -= std::log(counts.probability(&document.tokens[i], document.tokens[i]));
  return sum / characters;
}
