// Users, items and clicks that are made up, the same for the same seed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAMPLES_CLICKS_VISITS_H
#define EXAMPLES_CLICKS_VISITS_H

#include <cstddef>
#include <cstdint>
#include <vector>

constexpr int userCount = 2000, itemCount = 1000, historyLength = 6;

/// Every user likes a topic out of eight, every item has a topic. A good half of the items shown
/// has the user's topic; the click rate is 0.75 on such items, and 0.08 on other items.
struct Visits {
  std::vector<int32_t> user;
  std::vector<int32_t> history; ///< rows of historyLength; 0 where there is none
  std::vector<int32_t> item;
  std::vector<float> clicked; ///< 0 or 1
  std::size_t count() const { return user.size(); }
};

Visits drawVisits(std::size_t count, uint64_t seed);

/// Mean loss of whoever knows the topics, and of whoever knows how many are clicked on.
double leastLoss();
double constantLoss();
#endif
