// PTX in the interpreter of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/DeviceRun.h"
#include "ampc/PTXSim/PTXSim.h"

using namespace ampc::test;

struct DeviceProgram::Impl {
  ptxsim::Device device;
  ptxsim::Program program;
  std::set<uint32_t> lines;
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
  impl->device.options().statistics = true;
}
const std::set<uint32_t> &DeviceProgram::executedLines() const { return impl->lines; }

/// Copies a result back; what the kernel did not write is named.
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
  counters.waves += statistics.sharedWaves;
  counters.fewestWaves += statistics.sharedWavesMinimum;
  counters.instructions += statistics.warpInstructions;
  counters.tensorFlops += statistics.tensorFlops;
}

std::string DeviceProgram::run(const std::vector<DeviceLaunch> &launches,
                               const std::vector<DeviceBuffer> &buffers, bool strict,
                               DeviceCounters *counters) {
  ptxsim::Device &device = impl->device;
  device.options().race = strict;
  device.options().scheduleQuantum = strict ? 7 : 0;
  device.options().statistics = counters != nullptr;
  std::vector<ptxsim::DeviceAddress> addresses;
  std::vector<ptxsim::Argument> arguments;
  std::string wrong;
  try {
    for (const DeviceBuffer &buffer : buffers) {
      addresses.push_back(
          device.allocate(buffer.bytes, "parameter " + std::to_string(addresses.size())));
      arguments.push_back(ptxsim::argument(addresses.back()));
      if (buffer.isDefined)
        device.write(addresses.back(), buffer.host, buffer.bytes);
    }
    arguments.push_back(ptxsim::argument(uint64_t(0))); // nothing holds the launch back
    for (const DeviceLaunch &launch : launches) {
      ptxsim::LaunchConfig config;
      config.grid = {launch.grid[0], launch.grid[1], launch.grid[2]};
      config.block = {launch.block[0], launch.block[1], launch.block[2]};
      config.dynamicShared = launch.sharedBytes;
      auto result = device.launch(impl->program, launch.function, config, arguments);
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
