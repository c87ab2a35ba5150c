// Predicted time of a kernel: counted work divided by the machine's rates per nanosecond.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Cost.h"

using namespace ampc;
using namespace ampc::cost;

/// Nanoseconds of a single core for all arithmetic.
static double arithmetic(const Work &work, const Rates &rates) {
  double time = work.vectorOps / rates.vectorOps + work.slowOps / rates.slowOps +
                work.functions / rates.functions;
  for (const Product &product : work.products) {
    auto rate = rates.products.find(product.type);
    if (rate == rates.products.end()) // products of other types run at the rate of f32
      rate = rates.products.find("f32");
    time += product.multiplyAdds / rate->second;
  }
  return time * (1 + work.hidden);
}

static double packing(const Work &work, const Rates &rates) {
  double elements = 0;
  for (const Product &product : work.products)
    elements += product.packed;
  return elements / rates.packed;
}

/// Cache level that serves an access: the first level that holds the bytes of the reuse distance.
static Level levelOf(int64_t distance, const Machine &machine, int64_t threads) {
  if (distance < machine.levels[CoreCache].bytes * threads)
    return CoreCache;
  return distance < machine.levels[SharedCache].bytes ? SharedCache : Memory;
}

/// Nanoseconds for all bytes, in equal shares of `threads` cores. A written line counts twice: read
/// for ownership and write-back.
static double moving(const Launch &launch, const Machine &machine, int64_t threads) {
  double time = 0;
  for (auto [touch, distance] : llvm::zip(launch.work.touches, launch.distances)) {
    const CacheLevel &level = machine.levels[levelOf(distance, machine, threads)];
    double rate = std::min(level.perCore * threads, level.together);
    time += touch.bytes * (touch.isWrite && !touch.isInPlace ? 2 : 1) / rate;
  }
  return time;
}

Prediction cost::predict(const Launch &launch, int64_t tasks, const Machine &machine,
                         const Rates &rates, int64_t threads) {
  tasks = std::max<int64_t>(1, tasks);
  int64_t shares = std::min(threads, tasks);
  // Share of the tasks of the busiest thread.
  double largest = double((tasks + shares - 1) / shares) / tasks;
  double numbers = arithmetic(launch.work, rates);
  Prediction result;
  result.compute = (numbers + packing(launch.work, rates)) * largest;
  result.memory = moving(launch, machine, shares) * largest * shares;
  result.launch = machine.launchNanoseconds + (shares > 1 ? machine.forkNanoseconds : 0);
  // Products do not overlap with loads and stores around the macro-kernel; plain loops overlap
  // loads with arithmetic.
  bool overlaps = launch.work.products.empty();
  result.total = result.launch + (overlaps ? std::max(result.compute, result.memory)
                                           : result.compute + result.memory);
  result.limit = std::max(numbers / threads, moving(launch, machine, threads));
  return result;
}
