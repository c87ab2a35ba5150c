// Random data for the inputs of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/LabelRuns.h"
#include "tools/ampc/Session.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace ampc;

uint64_t Random::bits() {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double Random::normal() { return (unit() + unit() + unit() + unit() - 2.0) * std::sqrt(3.0); }

uint64_t ampc::seedOfBatch(uint64_t seed, uint64_t batch) {
  return Random(Random(seed).bits() + batch).bits() | 1;
}

/// bf16 by truncation: the upper half of the f32. Example: 0x3F812345 -> 0x3F81.
static uint16_t bf16Of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return uint16_t(bits >> 16);
}

/// Upper bounds of drawn integers, per element of an integer input.
static std::vector<int64_t> drawnBelow(const ampc_tensor &tensor) {
  std::vector<int64_t> limits(isReal(elementOf(ampc_dtype(tensor.dtype))) ? 0
                                                                          : elementCount(tensor));
  for (const LabelRun &run : labelRunsOf(tensor, true)) {
    int64_t limit = run.limits.labels > 0 ? run.limits.labels : 4;
    if (run.limits.least < 0) // labels that a cast narrows, or that count from the end
      limit = std::min<int64_t>(limit, 4);
    run.eachPiece(limits.size(), [&](int64_t first, int64_t count) {
      std::fill_n(limits.begin() + first, count, limit);
      return true;
    });
  }
  return limits;
}

static std::vector<char> fill(const ampc_tensor &tensor, Random &random) {
  std::vector<char> bytes(tensor.bytes);
  std::vector<int64_t> limits = drawnBelow(tensor);
  auto put = [&](int64_t k, auto value) {
    std::memcpy(bytes.data() + k * sizeof value, &value, sizeof value);
  };
  for (int64_t k = 0, count = elementCount(tensor); k < count; ++k)
    switch (tensor.dtype) {
    case AMPC_F64:
      put(k, random.normal());
      break;
    case AMPC_F32:
      put(k, float(random.normal()));
      break;
    case AMPC_BF16:
      put(k, bf16Of(float(random.normal())));
      break;
    case AMPC_F16:
      put(k, uint16_t(0x3400 + random.bits() % 0x0800));
      break; // 0.25 to 1
    case AMPC_I64:
      put(k, int64_t(random.bits() % limits[k]));
      break;
    case AMPC_I32:
      put(k, int32_t(random.bits() % limits[k]));
      break;
    case AMPC_I16:
      put(k, int16_t(random.bits() % limits[k]));
      break;
    case AMPC_I8:
    case AMPC_U8:
      put(k, char(random.bits() % std::min<int64_t>(limits[k], 128)));
      break;
    default:
      put(k, char(random.bits() & 1));
      break;
    }
  return bytes;
}

RandomInputs::RandomInputs(const ampc_program &program, Random &random) {
  for (int i = 0; i < program.input_count; ++i) {
    storage.push_back(fill(program.inputs[i], random));
    pointers.push_back(storage.back().data());
  }
}
