// Helpers of the kernel suite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_PTXSIM_KERNELSUITEDETAIL_H
#define TEST_PTXSIM_KERNELSUITEDETAIL_H

#include "test/PTXSim/KernelSuite.h"
#include <cmath>
#include <random>

namespace ptxsim {

std::string difference(const char *what, size_t index, double got, double want);

inline std::vector<float> randomFloats(size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> result(n);
  for (float &x : result)
    x = normal(generator);
  return result;
}

/// Written so that NaN fails.
template <class T, class Want, class Tolerance>
std::string compare(const char *what, const std::vector<T> &got, Want want, Tolerance tolerance) {
  for (size_t i = 0; i < got.size(); i++)
    if (!(std::fabs(double(got[i]) - double(want(i))) <= tolerance(i)))
      return difference(what, i, double(got[i]), double(want(i)));
  return "";
}

std::string runGemmF16(Runner &r, unsigned size);
std::string runGemmBF16(Runner &r, unsigned size);
std::string runGemmTF32(Runner &r, unsigned size);
std::string runGemmF64(Runner &r, unsigned size);
std::string runAttention(Runner &r, unsigned size);
std::string runGemmWgmma(Runner &r, unsigned size);
std::string runClusterMulticast(Runner &r, unsigned size);

} // namespace ptxsim
#endif
