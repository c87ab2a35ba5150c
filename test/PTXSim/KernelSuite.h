// Kernels with CPU references, shared by the tests, the fault injector and the benchmark.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_PTXSIM_KERNELSUITE_H
#define TEST_PTXSIM_KERNELSUITE_H

#include "ampc/PTXSim/PTXSim.h"
#include <functional>

namespace ptxsim {

/// Launches kernels on a device and records findings.
class Runner {
public:
  Runner(Device &device, const Program &program) : device(device), program(program) {}
  template <class T> DeviceAddress input(const std::vector<T> &data, const char *name) {
    DeviceAddress a = device.allocate(data.size() * sizeof(T), name);
    device.write(a, data.data(), data.size() * sizeof(T));
    return a;
  }
  template <class T> DeviceAddress output(size_t count, const char *name) {
    return device.allocate(count * sizeof(T), name);
  }
  template <class T> std::vector<T> result(DeviceAddress a, size_t count) {
    std::vector<T> data(count);
    undefined += device.undefinedBytes(a, count * sizeof(T));
    device.read(data.data(), a, count * sizeof(T));
    return data;
  }
  void launch(const char *kernel, const LaunchConfig &config,
              const std::vector<Argument> &arguments);

  Device &device;
  const Program &program;
  std::vector<Finding> findings;
  Statistics statistics;
  uint64_t undefined = 0; ///< result bytes nobody wrote
  double seconds = 0;     ///< wall time of the launches
  double cpuSeconds = 0;  ///< processor time of the launches, all threads
};

struct KernelCase {
  const char *name;
  const char *file; ///< without ".nvcc.ptx" or ".clang.ptx"
  /// Empty when the result agrees with the reference, else the first difference. `size` scales the
  /// problem; 0 is the size of the tests.
  std::string (*run)(Runner &runner, unsigned size);
};
const std::vector<KernelCase> &kernelCases();

std::string readText(const std::string &path);
/// Round-to-nearest conversions written independently of the interpreter.
uint16_t toHalf(double x);
double fromHalf(uint16_t h);
uint16_t toBfloat(double x);
double fromBfloat(uint16_t b);

} // namespace ptxsim
#endif
