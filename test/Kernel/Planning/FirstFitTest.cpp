// Offsets in an arena: buffers that live at the same time share no byte, and every offset is as low
// as by a comparison with all other buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Planning/FirstFit.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace ampc;

/// Draws buffers with the liveness of steps: activations nest, gradients follow each other.
static std::vector<Buffer> draw(std::mt19937 &random, int64_t count, bool tails) {
  auto below = [&](int64_t n) { return int64_t(random() % n); };
  std::vector<Buffer> buffers;
  for (int64_t i = 0; i < count; ++i) {
    int64_t bytes = 64 * (1 + below(random() % 4 ? 4 : 64));
    int64_t first = below(2 * count), life = random() % 3 ? below(4) : below(2 * count);
    Buffer buffer{bytes, first, std::min(first + life, 2 * count)};
    if (tails && random() % 4 == 0) {
      buffer.tail = 64 * (1 + below(32));
      buffer.tailTime = first + below(buffer.last - first + 1);
    }
    buffers.push_back(buffer);
  }
  std::stable_sort(buffers.begin(), buffers.end(), [](const Buffer &a, const Buffer &b) {
    return a.bytes + a.tail > b.bytes + b.tail;
  });
  return buffers;
}

static bool meets(const Buffer &a, const Buffer &b) {
  return a.overlapsLiveness(b) && a.offset < b.offset + b.bytesBeside(a) &&
         b.offset < a.offset + a.bytesBeside(b);
}

/// Lowest offset without overlap: 0, or the end of another buffer. Example: [0, 64) and [128, 192)
/// are taken, 64 bytes -> 64.
static int64_t lowest(const std::vector<Buffer> &placed, Buffer buffer) {
  std::vector<int64_t> ends = {0};
  for (const Buffer &other : placed)
    if (other.overlapsLiveness(buffer))
      ends.push_back(other.offset + other.bytesBeside(buffer));
  std::sort(ends.begin(), ends.end());
  for (int64_t end : ends) {
    buffer.offset = end;
    if (std::none_of(placed.begin(), placed.end(),
                     [&](const Buffer &other) { return meets(buffer, other); }))
      return end;
  }
  return -1;
}

static void check(uint32_t seed, int64_t count, bool tails) {
  std::mt19937 random(seed);
  std::vector<Buffer> buffers = draw(random, count, tails), placed;
  FirstFit fit;
  for (Buffer &buffer : buffers) {
    fit.assign(buffer);
    for (const Buffer &other : placed)
      ASSERT_FALSE(meets(buffer, other)) << "seed " << seed;
    // A tail that lies over others' bytes at another time may leave room below unused.
    if (!tails)
      ASSERT_EQ(buffer.offset, lowest(placed, buffer)) << "seed " << seed;
    placed.push_back(buffer);
  }
}

TEST(FirstFit, IsLowestOfAll) {
  for (uint32_t seed = 0; seed < 200; ++seed)
    check(seed, 1 + seed % 60, false);
}
TEST(FirstFit, KeepsTailsApart) {
  for (uint32_t seed = 0; seed < 400; ++seed)
    check(seed, 1 + seed % 60, true);
}
// More buffers than a run has.
TEST(FirstFit, SplitsRuns) {
  check(1, 1500, false);
  check(2, 1500, true);
}
