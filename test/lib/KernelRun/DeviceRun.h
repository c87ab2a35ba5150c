// PTX in the PTX interpreter, for code without exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_DEVICERUN_H
#define TEST_LIB_KERNELRUN_DEVICERUN_H

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ptxsim {
class Program;
} // namespace ptxsim

namespace ampc::test {

/// Memory of the host that a kernel's parameter stands for.
struct DeviceBuffer {
  void *host;
  int64_t bytes;
  bool isDefined;    ///< initialised before the kernel runs
  bool isResult;     ///< copied back, which needs every byte to have been written
  int64_t start = 0; ///< bytes from the memory's first to the address that the code is given
};
/// See #kernel.tensor_map.
struct DeviceMap {
  size_t parameter;
  int64_t offset;
  enum { F16, BF16, F32, F64 } element;
  std::vector<int64_t> sizes, strides, box;
  int64_t swizzle;
};
struct DeviceLaunch {
  std::string function;
  uint32_t grid[3], block[3], cluster[3];
  uint32_t sharedBytes;
  std::vector<DeviceMap> maps;
};

/// Counters of launches: sectors of 32 bytes of global memory, waves of 128 bytes of shared memory,
/// and the minimum for the same accesses. sectorsRead and sectorsWritten count every sector of a
/// launch once.
struct DeviceCounters {
  uint64_t loadSectors = 0, fewestLoadSectors = 0, storeSectors = 0, fewestStoreSectors = 0;
  uint64_t sectorsRead = 0, sectorsWritten = 0;
  uint64_t waves = 0, fewestWaves = 0, instructions = 0, tensorFlops = 0;
};

/// Loaded PTX. Functions return an error message, or "".
class DeviceProgram {
public:
  DeviceProgram();
  ~DeviceProgram();
  std::string load(const std::string &text);
  /// Code that may not end, or that nobody knows: how many instructions of warps a launch may take,
  /// and whether to note the lines that run.
  void watch(uint64_t budget);
  const std::set<uint32_t> &executedLines() const;
  /// Copies the buffers, runs the launches in order, and copies results back. `strict`: also
  /// detects races, and interleaves warps. `counters`: incremented.
  std::string run(const std::vector<DeviceLaunch> &launches,
                  const std::vector<DeviceBuffer> &buffers, bool strict,
                  DeviceCounters *counters = nullptr);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ampc::test
#endif
