// Users, items and clicks that are made up, the same for the same seed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Visits.h"
#include <algorithm>
#include <cmath>

constexpr double liked = 0.75, other = 0.08;
constexpr uint32_t topics = 8;

namespace {
/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return double(next() >> 11) * 0x1p-53; }
  int below(int limit) { return int(uniform() * limit); }

private:
  uint64_t state;
};
} // namespace

static uint32_t topicOf(int number, uint64_t kind) {
  return Random(kind * 1000000007u + number).next() % topics;
}
static uint32_t topicOfUser(int user) { return topicOf(user, 1); }
static uint32_t topicOfItem(int item) { return topicOf(item, 2); }

/// Draws an item; the smaller of two numbers, so that low numbers are frequent. Item 0 means none.
static int drawItem(Random &random) {
  return 1 + std::min(random.below(itemCount - 1), random.below(itemCount - 1));
}

static int drawItemOf(Random &random, uint32_t topic) {
  int item = drawItem(random);
  while (topicOfItem(item) != topic)
    item = drawItem(random);
  return item;
}

Visits drawVisits(size_t count, uint64_t seed) {
  Random random(seed);
  Visits visits;
  for (size_t row = 0; row < count; ++row) {
    int user = random.below(userCount);
    uint32_t topic = topicOfUser(user);
    int length = 1 + random.below(historyLength);
    for (int place = 0; place < historyLength; ++place)
      visits.history.push_back(place >= length          ? 0
                               : random.uniform() < 0.7 ? drawItemOf(random, topic)
                                                        : drawItem(random));
    int item = random.uniform() < 0.5 ? drawItemOf(random, topic) : drawItem(random);
    visits.user.push_back(user);
    visits.item.push_back(item);
    double chance = topicOfItem(item) == topic ? liked : other;
    visits.clicked.push_back(random.uniform() < chance);
  }
  return visits;
}

static double entropy(double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); }

/// Items that are drawn from all have the user's topic now and then.
static double shareOfTopic() { return 0.5 + 0.5 / topics; }

double leastLoss() {
  return shareOfTopic() * entropy(liked) + (1 - shareOfTopic()) * entropy(other);
}
double constantLoss() { return entropy(shareOfTopic() * liked + (1 - shareOfTopic()) * other); }
