// Report of launches and copies (PTXSIM_REPORT), and of living handles at exit (PTXSIM_LEAKS).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include <cstdio>
#include <fstream>
#include <tuple>

namespace ptxsim {
namespace driver {

namespace {

using Configuration = std::tuple<std::vector<unsigned>, std::vector<unsigned>,
                                 std::vector<unsigned>, unsigned>; // grid, block, cluster, shared
/// Launches of a configuration, and the counters of the first.
struct ConfigurationCounts {
  uint64_t launches = 0;
  Statistics first;
};
struct KernelCounts {
  uint64_t launches = 0;
  KernelResources resources;
  std::map<Configuration, ConfigurationCounts> configurations;
  Statistics statistics;
};
struct CopyCounts {
  uint64_t copies = 0, bytes = 0;
};
struct Counts {
  std::map<std::pair<int, std::string>, KernelCounts> kernels; ///< by device and name
  CopyCounts toDevice, toHost, onDevice, onHost;
};
Counts &counts() {
  static Counts *instance = new Counts;
  return *instance;
}

std::vector<unsigned> list(const Dim3 &d) { return {d.x, d.y, d.z}; }

std::string text(const std::vector<unsigned> &v) {
  return "[" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) +
         "]";
}
std::string quoted(const std::string &s) {
  std::string out = "\"";
  for (char c : s) {
    char code[8];
    std::snprintf(code, sizeof code, "\\u%04x", unsigned(uint8_t(c)));
    if (c == '"' || c == '\\')
      out += '\\';
    out += uint8_t(c) < 32 ? code : std::string(1, c);
  }
  return out + "\"";
}

void writeStatistics(std::ostream &out, const Statistics &s) {
  const std::pair<const char *, uint64_t> fields[] = {
      {"warpInstructions", s.warpInstructions},
      {"threadInstructions", s.threadInstructions},
      {"divergentBranches", s.divergentBranches},
      {"barriers", s.barriers},
      {"globalLoadRequests", s.globalLoadRequests},
      {"globalLoadSectors", s.globalLoadSectors},
      {"globalLoadSectorsMinimum", s.globalLoadSectorsMinimum},
      {"globalStoreRequests", s.globalStoreRequests},
      {"globalStoreSectors", s.globalStoreSectors},
      {"globalStoreSectorsMinimum", s.globalStoreSectorsMinimum},
      {"globalSectorsRead", s.globalSectorsRead},
      {"globalSectorsWritten", s.globalSectorsWritten},
      {"sharedRequests", s.sharedRequests},
      {"sharedWaves", s.sharedWaves},
      {"sharedWavesMinimum", s.sharedWavesMinimum},
      {"bulkBytesRead", s.bulkBytesRead},
      {"bulkBytesWritten", s.bulkBytesWritten},
      {"flops", s.flops},
      {"tensorFlops", s.tensorFlops}};
  for (const auto &f : fields)
    out << "     \"" << f.first << "\": " << f.second << ",\n";
  out << "     \"instructionMix\": {";
  const char *comma = "";
  for (const auto &entry : s.instructionMix) {
    out << comma << quoted(entry.first) << ": " << entry.second;
    comma = ", ";
  }
  out << "}}";
}

/// Predicted times of all launches, if the rates of the chip are known.
void writePrediction(std::ostream &out, const KernelCounts &k) {
  for (const SustainedRates &rates : sustainedRates())
    if (rates.capability == state().settings.capability) {
      Prediction p = predict(k.statistics, k.launches, rates);
      out << "     \"predicted\": {\"chip\": " << quoted(rates.name) << ", \"tensor\": " << p.tensor
          << ", \"memory\": " << p.memory << ", \"issue\": " << p.issue
          << ", \"shared\": " << p.shared << ", \"launch\": " << p.launch
          << ", \"total\": " << p.total() << "},\n";
    }
}

void writeKernel(std::ostream &out, int device, const std::string &name, const KernelCounts &k) {
  out << "    {\"kernel\": " << quoted(name) << ", \"device\": " << device
      << ", \"launches\": " << k.launches
      << ",\n     \"staticShared\": " << k.resources.staticShared
      << ", \"local\": " << k.resources.local << ", \"registers\": " << k.resources.registers
      << ",\n     \"configurations\": [";
  const char *comma = "";
  for (const auto &entry : k.configurations) {
    const Configuration &c = entry.first;
    out << comma << "{\"grid\": " << text(std::get<0>(c)) << ", \"block\": " << text(std::get<1>(c))
        << ", \"cluster\": " << text(std::get<2>(c)) << ", \"dynamicShared\": " << std::get<3>(c)
        << ", \"launches\": " << entry.second.launches << "}";
    comma = ", ";
  }
  out << "],\n";
  writePrediction(out, k);
  writeStatistics(out, k.statistics);
}

void writeCopies(std::ostream &out, const char *name, const CopyCounts &c, const char *comma) {
  out << "\"" << name << "\": {\"copies\": " << c.copies << ", \"bytes\": " << c.bytes << "}"
      << comma;
}

void write(std::ostream &out) {
  out << "{\"capability\": \"" << state().settings.capability / 10 << "."
      << state().settings.capability % 10 << "\",\n \"copies\": {";
  writeCopies(out, "hostToDevice", counts().toDevice, ", ");
  writeCopies(out, "deviceToHost", counts().toHost, ", ");
  writeCopies(out, "deviceToDevice", counts().onDevice, ", ");
  writeCopies(out, "hostToHost", counts().onHost, "},\n");
  out << " \"kernels\": [";
  const char *comma = "\n";
  for (const auto &entry : counts().kernels) {
    out << comma;
    writeKernel(out, entry.first.first, entry.first.second, entry.second);
    comma = ",\n";
  }
  out << "\n ]}\n";
}

} // namespace

static Configuration configurationOf(const KernelLaunch &launch) {
  const LaunchConfig &c = launch.config;
  Dim3 cluster = c.cluster.count() ? c.cluster : launch.function->info.cluster;
  return {list(c.grid), list(c.block), list(cluster), c.dynamicShared};
}

void countLaunch(const DeviceState &device, const KernelLaunch &launch, const Statistics &s) {
  if (state().settings.report.empty())
    return;
  KernelCounts &k = counts().kernels[{device.ordinal, launch.function->name}];
  ConfigurationCounts &configuration = k.configurations[configurationOf(launch)];
  k.launches++;
  k.resources = launch.function->resources;
  if (!configuration.launches++ && state().settings.sample)
    configuration.first = s;
  k.statistics.merge(s);
}

bool countAgain(const DeviceState &device, const KernelLaunch &launch) {
  auto kernel = counts().kernels.find({device.ordinal, launch.function->name});
  if (kernel == counts().kernels.end())
    return false;
  auto found = kernel->second.configurations.find(configurationOf(launch));
  if (found == kernel->second.configurations.end())
    return false;
  countLaunch(device, launch, Statistics(found->second.first));
  return true;
}

void countCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  Counts &c = counts();
  CopyCounts &which = isDevice(to) ? (isDevice(from) ? c.onDevice : c.toDevice)
                                   : (isDevice(from) ? c.toHost : c.onHost);
  which.copies++;
  which.bytes += bytes;
}

std::vector<std::string> liveHandles(const CUctx_st *context) {
  std::vector<std::string> lines;
  const State &s = state();
  auto of = [&](const CUctx_st *owner) { return !context || owner == context; };
  for (const auto &entry : s.memory) {
    if (!of(entry.second.context))
      continue;
    const char *kinds[] = {"device memory", "pinned host memory", "registered host memory",
                           "managed memory"};
    char address[24];
    std::snprintf(address, sizeof address, "0x%llx", entry.first);
    lines.push_back(std::to_string(entry.second.bytes) + " bytes of " + kinds[entry.second.kind] +
                    " at " + address);
  }
  size_t streams = 0, events = 0;
  for (const CUstream_st *stream : s.streams)
    streams += of(stream->context);
  for (const CUevent_st *event : s.events)
    events += of(event->context);
  for (const CUmod_st *module : s.modules) {
    if (!of(module->context) || module->library)
      continue;
    std::string name = "a module without kernels";
    if (!module->functions.empty())
      name = "the module of kernel " + module->functions.begin()->first;
    lines.push_back(name);
  }
  lines.insert(lines.end(), streams, "a stream");
  lines.insert(lines.end(), events, "an event");
  if (context)
    return lines;
  // Handles without a context.
  lines.insert(lines.end(), s.libraries.size(), "a library");
  lines.insert(lines.end(), s.graphs.size(), "a graph");
  lines.insert(lines.end(), s.execs.size(), "an executable graph");
  lines.insert(lines.end(), s.contexts.size(), "a context");
  for (const auto &d : s.devices)
    if (d->primary.references)
      lines.push_back("the primary context of device " + std::to_string(d->ordinal) +
                      ", retained " + std::to_string(d->primary.references) + " times");
  return lines;
}

void reportLeaks(const CUctx_st *context, const char *when) {
  if (!state().settings.leaks)
    return;
  for (const std::string &line : liveHandles(context))
    say("still alive " + std::string(when) + ": " + line);
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult ptxsimWriteReport(void) {
  return enter(Needs::Driver, [] {
    require(!state().settings.report.empty(), "expected a path in PTXSIM_REPORT");
    std::ofstream file(state().settings.report);
    write(file);
    if (!file.flush()) {
      say("cannot write '" + state().settings.report + "'");
      fail(CUDA_ERROR_FILE_NOT_FOUND, "cannot write '" + state().settings.report + "'");
    }
  });
}
/// Counts the entries of a leak report at exit.
PTXSIM_EXPORT CUresult ptxsimCountLive(CUdevice device, size_t *count) {
  return enter(Needs::Driver, [&] {
    require(count, "expected a place for the count");
    *count = liveHandles(&deviceOf(device).primary).size();
  });
}
