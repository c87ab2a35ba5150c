// PTX in the PTX interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/DeviceRun.h"
#include "ampc/PTXSim/PTXSim.h"

using namespace ampc::test;

struct DeviceProgram::Impl {
  ptxsim::Device device;
  ptxsim::Program program;
  std::set<uint32_t> lines;
  bool isWatched = false;
};
DeviceProgram::DeviceProgram() : impl(new Impl) {}
DeviceProgram::~DeviceProgram() = default;

std::string DeviceProgram::load(const std::string &text) {
  try {
    impl->program = impl->device.load(ptxsim::Module::parse(text, "kernels.ptx"));
  } catch (const ptxsim::Error &error) {
    return error.what();
  }
  return "";
}

void DeviceProgram::watch(uint64_t budget) {
  impl->device.options().instructionBudget = budget;
  impl->isWatched = true;
}
const std::set<uint32_t> &DeviceProgram::executedLines() const { return impl->lines; }

/// Copies a result back; reports bytes that the kernel did not write.
static std::string readBack(ptxsim::Device &device, ptxsim::DeviceAddress from,
                            const DeviceBuffer &buffer, size_t number) {
  if (uint64_t missing = device.undefinedBytes(from, buffer.bytes))
    return std::to_string(missing) + " bytes of parameter " + std::to_string(number) +
           " were not written";
  device.read(buffer.host, from, buffer.bytes);
  return "";
}

static void count(const ptxsim::Statistics &statistics, DeviceCounters &counters) {
  counters.loadSectors += statistics.globalLoadSectors;
  counters.fewestLoadSectors += statistics.globalLoadSectorsMinimum;
  counters.storeSectors += statistics.globalStoreSectors;
  counters.fewestStoreSectors += statistics.globalStoreSectorsMinimum;
  counters.sectorsRead += statistics.globalSectorsRead;
  counters.sectorsWritten += statistics.globalSectorsWritten;
  counters.waves += statistics.sharedWaves;
  counters.fewestWaves += statistics.sharedWavesMinimum;
  counters.instructions += statistics.warpInstructions;
  counters.tensorFlops += statistics.tensorFlops;
}

static ptxsim::Argument encode(const DeviceMap &map, ptxsim::DeviceAddress parameter) {
  constexpr ptxsim::TensorType types[] = {ptxsim::TensorType::F16, ptxsim::TensorType::BF16,
                                          ptxsim::TensorType::F32, ptxsim::TensorType::F64};
  ptxsim::TensorMapInfo info;
  info.type = types[map.element];
  info.base = parameter + uint64_t(map.offset);
  info.rank = uint32_t(map.sizes.size());
  for (size_t dim = 0; dim < map.sizes.size(); ++dim) {
    info.size[dim] = uint64_t(map.sizes[dim]);
    info.box[dim] = uint32_t(map.box[dim]);
    info.stride[dim] = dim ? uint64_t(map.strides[dim - 1]) : 0;
  }
  info.swizzle = map.swizzle == 128  ? ptxsim::Swizzle::Bytes128
                 : map.swizzle == 64 ? ptxsim::Swizzle::Bytes64
                 : map.swizzle == 32 ? ptxsim::Swizzle::Bytes32
                                     : ptxsim::Swizzle::None;
  return ptxsim::argument(ptxsim::encodeTensorMap(info));
}

std::string DeviceProgram::run(const std::vector<DeviceLaunch> &launches,
                               const std::vector<DeviceBuffer> &buffers, bool strict,
                               DeviceCounters *counters) {
  ptxsim::Device &device = impl->device;
  device.options().race = strict;
  device.options().scheduleQuantum = strict ? 7 : 0;
  device.options().statistics = counters || impl->isWatched;
  std::vector<ptxsim::DeviceAddress> addresses;
  std::vector<ptxsim::Argument> arguments;
  std::string wrong;
  try {
    for (const DeviceBuffer &buffer : buffers) {
      addresses.push_back(
          device.allocate(buffer.bytes, "parameter " + std::to_string(addresses.size())));
      arguments.push_back(ptxsim::argument(addresses.back() + uint64_t(buffer.start)));
      if (buffer.isDefined)
        device.write(addresses.back(), buffer.host, buffer.bytes);
    }
    arguments.push_back(ptxsim::argument(uint64_t(0))); // nothing holds the launch back
    for (const DeviceLaunch &launch : launches) {
      ptxsim::LaunchConfig config;
      config.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
      config.block = {launch.block[0], launch.block[1], launch.block[2]};
      config.cluster = {launch.cluster[0], launch.cluster[1], launch.cluster[2]};
      config.dynamicShared = launch.sharedBytes;
      std::vector<ptxsim::Argument> all = arguments;
      for (const DeviceMap &map : launch.maps)
        all.push_back(encode(map, addresses.at(map.parameter) + buffers[map.parameter].start));
      auto result = device.launch(impl->program, launch.function, config, all);
      if (!result.findings.empty())
        wrong = result.findings.front().message;
      for (const auto &[line, times] : result.statistics.executedLines)
        impl->lines.insert(line);
      if (counters)
        count(result.statistics, *counters);
    }
    for (size_t i = 0; i < buffers.size() && wrong.empty(); ++i)
      if (buffers[i].isResult)
        wrong = readBack(device, addresses[i], buffers[i], i);
  } catch (const ptxsim::Error &error) {
    wrong = error.what();
  }
  for (ptxsim::DeviceAddress address : addresses)
    device.free(address);
  return wrong;
}
