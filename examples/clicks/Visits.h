// Users, items and clicks that are made up, the same for the same seed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAMPLES_CLICKS_VISITS_H
#define EXAMPLES_CLICKS_VISITS_H

#include <cstddef>
#include <cstdint>
#include <vector>

constexpr int userCount = 2000, itemCount = 1000, historyLength = 6;

/// Every user likes one of eight topics, every item has one. A good half of what is shown is
/// of the user's topic: three of four of these are clicked on, and 8 of 100 of the others.
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
