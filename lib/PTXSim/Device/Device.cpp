// Public class Device: global memory, loading and launching.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"
#include "lib/PTXSim/Decode/Targets.h"
#include "lib/PTXSim/Device/DeviceImpl.h"
#include "lib/PTXSim/Machine/Race.h"
#include "lib/PTXSim/Machine/Scheduler.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>

namespace ptxsim {

Device::Device(const Options &options, unsigned ordinal) {
  if (ordinal >= maximumDevices)
    throw Error(ErrorKind::Argument, "expected at most " + std::to_string(maximumDevices) +
                                         " devices, but got " + std::to_string(ordinal + 1));
  pimpl = std::make_unique<DeviceImpl>(options, ordinal);
}
Device::~Device() = default;
Options &Device::options() { return pimpl->options; }

// --- Memory -----------------------------------------------------------------------------------

DeviceAddress Device::allocate(uint64_t bytes, const std::string &name) {
  return pimpl->memory.allocate(bytes, name)->base;
}
void Device::mapHost(void *host, uint64_t bytes, const std::string &name) {
  pimpl->memory.mapHost(host, bytes, name);
}
void Device::free(DeviceAddress address) { pimpl->memory.free(address); }

/// Memory that the host accesses: red zones are closed to the host, too.
static Allocation &open(const GlobalMemory &memory, DeviceAddress address, uint64_t bytes,
                        const char *what) {
  Allocation &a = memory.require(address, bytes, what);
  const uint8_t *shadow = a.shadowAt(address);
  const void *zone = shadow ? std::memchr(shadow, Shadow::RedZone, bytes) : nullptr;
  if (zone)
    throw Error(ErrorKind::OutOfBounds,
                std::string("out of bounds: ") + what + " of " + std::to_string(bytes) +
                    " bytes at global address " + hex(address) + " touches the red zone at " +
                    hex(address + uint64_t(static_cast<const uint8_t *>(zone) - shadow)));
  return a;
}

void Device::write(DeviceAddress to, const void *from, uint64_t bytes) {
  if (bytes == 0)
    return;
  Allocation &a = open(pimpl->memory, to, bytes, "write");
  std::memcpy(a.at(to), from, bytes);
  if (uint8_t *shadow = a.shadowAt(to))
    std::memset(shadow, Shadow::Defined, bytes);
}

void Device::read(void *to, DeviceAddress from, uint64_t bytes) const {
  if (bytes)
    std::memcpy(to, open(pimpl->memory, from, bytes, "read").at(from), bytes);
}

void Device::fill(DeviceAddress to, uint8_t value, uint64_t bytes) {
  if (bytes == 0)
    return;
  Allocation &a = open(pimpl->memory, to, bytes, "fill");
  std::memset(a.at(to), value, bytes);
  if (uint8_t *shadow = a.shadowAt(to))
    std::memset(shadow, Shadow::Defined, bytes);
}

void Device::copy(DeviceAddress to, DeviceAddress from, uint64_t bytes) {
  if (bytes == 0)
    return;
  Allocation &source = open(pimpl->memory, from, bytes, "copy");
  Allocation &target = open(pimpl->memory, to, bytes, "copy");
  std::memmove(target.at(to), source.at(from), bytes);
  uint8_t *shadow = target.shadowAt(to);
  if (!shadow)
    return;
  if (const uint8_t *known = source.shadowAt(from))
    std::memmove(shadow, known, bytes);
  else
    std::memset(shadow, Shadow::Defined, bytes);
}

uint64_t Device::undefinedBytes(DeviceAddress from, uint64_t bytes) const {
  if (bytes == 0)
    return 0;
  Allocation &a = pimpl->memory.require(from, bytes, "query");
  const uint8_t *shadow = a.shadowAt(from);
  return shadow ? uint64_t(std::count(shadow, shadow + bytes, Shadow::Undefined)) : 0;
}

void Device::mark(DeviceAddress from, uint64_t bytes, Mark mark) {
  if (!pimpl->memory.definedness)
    throw Error(ErrorKind::Argument, "expected definedness to be on for marks in memory");
  if (bytes == 0)
    return;
  Allocation &a = pimpl->memory.require(from, bytes, "mark");
  constexpr uint8_t states[] = {Shadow::Undefined, Shadow::Defined, Shadow::RedZone};
  std::memset(a.shadowAt(from), states[unsigned(mark)], bytes);
  if (mark == Mark::Undefined)
    std::memset(a.at(from), 0xff, bytes); // NaN in every floating-point type
}

bool Device::find(DeviceAddress address, DeviceAddress *base, uint64_t *size) const {
  const Allocation *a = pimpl->memory.find(address);
  if (!a)
    return false;
  if (base)
    *base = a->base;
  if (size)
    *size = a->size;
  return true;
}

// --- Loading ----------------------------------------------------------------------------------

static void initializeVariable(GlobalMemory &memory, const Variable &variable, uint64_t address,
                               const SymbolTable &symbols) {
  Allocation &a = memory.require(address, variable.size, "initialisation");
  unsigned width = typeSize(variable.type);
  std::memset(a.data, 0, variable.size);
  if (!a.shadow.empty())
    std::fill(a.shadow.begin(), a.shadow.end(), uint8_t(Shadow::Defined));
  for (size_t k = 0; k < variable.init.size(); k++) {
    uint64_t bits = variable.init[k].bits;
    if (!variable.init[k].symbol.empty()) {
      auto found = symbols.find(variable.init[k].symbol);
      if (found == symbols.end())
        throw Error(ErrorKind::Unsupported,
                    "initial value '" + std::string(variable.init[k].symbol) +
                        "' is not the address of a global variable",
                    variable.loc.line, variable.loc.column);
      bits += found->second;
    }
    std::memcpy(a.data + k * width, &bits, std::min(width, 8u));
  }
}

Program Device::load(const Module &module) {
  checkVersionAndTarget(*module.impl());
  auto program = std::make_shared<ProgramImpl>();
  program->module = module.impl();
  SymbolTable symbols;
  for (const Variable &variable : module.impl()->variables) {
    if (variable.space == Space::Shared || variable.size == 0)
      continue;
    if (variable.isExtern)
      throw Error(ErrorKind::Unsupported,
                  "variable '" + std::string(variable.name) + "' is defined in another module",
                  variable.loc.line, variable.loc.column);
    Allocation *a = pimpl->memory.allocate(variable.size, std::string(variable.name));
    symbols[variable.name] = a->base;
    program->globals[std::string(variable.name)] = {a->base, variable.size};
  }
  for (const Variable &variable : module.impl()->variables)
    if (symbols.count(variable.name)) {
      initializeVariable(pimpl->memory, variable, symbols[variable.name], symbols);
      pimpl->memory.find(symbols[variable.name])->readOnly = variable.space == Space::Const;
    }
  for (const auto &function : module.impl()->functions) {
    if (!function->isEntry || !function->body)
      continue;
    auto kernel = std::make_unique<Kernel>();
    Decoder(module.impl(), symbols, *kernel).run(*function);
    program->kernels[std::string(function->name)] = std::move(kernel);
  }
  Program result;
  result.pimpl = program;
  return result;
}

void Device::unload(const Program &program) {
  for (const auto &global : program.pimpl->globals)
    pimpl->memory.free(global.second.first);
  program.pimpl->globals.clear();
  program.pimpl->kernels.clear();
}

DeviceAddress Program::global(const std::string &name, uint64_t *size) const {
  auto found = pimpl->globals.find(name);
  if (found == pimpl->globals.end())
    throw Error(ErrorKind::Argument, "module has no global variable '" + name + "'");
  if (size)
    *size = found->second.second;
  return found->second.first;
}

const Kernel &ProgramImpl::kernel(const std::string &name) const {
  auto found = kernels.find(name);
  if (found == kernels.end())
    throw Error(ErrorKind::Argument, "module has no kernel '" + name + "'");
  return *found->second;
}

uint32_t Program::staticShared(const std::string &kernel) const {
  return pimpl->kernel(kernel).sharedDeclared;
}

KernelResources Program::resources(const std::string &name) const {
  const Kernel &kernel = pimpl->kernel(name);
  return {kernel.sharedDeclared, kernel.localBytes, kernel.registers};
}

// --- Launching --------------------------------------------------------------------------------

static void require(bool condition, const std::string &message) {
  if (!condition)
    throw Error(ErrorKind::Argument, message);
}
static std::string text(const Dim3 &d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

static void checkConfig(const Kernel &kernel, Launch &launch, const LaunchConfig &config) {
  const KernelInfo &info = kernel.info;
  launch.grid = config.grid;
  launch.block = config.block;
  launch.cluster = config.cluster.count() ? config.cluster : info.cluster;
  launch.dynamicShared = config.dynamicShared;
  const Dim3 &b = launch.block, &c = launch.cluster, &g = launch.grid;
  require(b.count() >= 1 && b.count() <= 1024,
          "expected 1 to 1024 threads per block, but got " + text(b));
  require(g.count() >= 1, "expected a grid that is not empty, but got " + text(g));
  const Dim3 &r = info.requiredBlock, &m = info.maximumBlock;
  require(r.x == 0 || (r.x == b.x && r.y == b.y && r.z == b.z),
          "kernel " + info.name + " needs blocks of " + text(r) + ", but got " + text(b));
  require(m.x == 0 || b.count() <= m.count(),
          "kernel " + info.name + " takes blocks of at most " + text(m) + ", but got " + text(b));
  require(!info.hasRequiredCluster || config.cluster.count() == 0 ||
              (c.x == info.cluster.x && c.y == info.cluster.y && c.z == info.cluster.z),
          "kernel " + info.name + " needs clusters of " + text(info.cluster) + ", but got " +
              text(c));
  require(c.count() >= 1 && c.count() <= 16,
          "expected clusters of 1 to 16 blocks, but got " + text(c));
  require(g.x % c.x == 0 && g.y % c.y == 0 && g.z % c.z == 0,
          "expected a grid divisible by the cluster " + text(c) + ", but got " + text(g));
  require(kernel.sharedDeclared + uint64_t(config.dynamicShared) <= 227 * 1024,
          "expected at most 232448 bytes of shared memory, but got " +
              std::to_string(kernel.sharedDeclared + uint64_t(config.dynamicShared)));
}

static void packArguments(const Kernel &kernel, const std::vector<Argument> &arguments,
                          uint8_t *out) {
  const auto &parameters = kernel.info.parameters;
  require(arguments.size() == parameters.size(),
          "kernel " + kernel.info.name + " has " + std::to_string(parameters.size()) +
              " parameters, but got " + std::to_string(arguments.size()) + " arguments");
  for (size_t k = 0; k < arguments.size(); k++) {
    require(arguments[k].size() == parameters[k].size,
            "parameter '" + parameters[k].name + "' of kernel " + kernel.info.name + " has " +
                std::to_string(parameters[k].size) + " bytes, but got " +
                std::to_string(arguments[k].size()));
    if (!arguments[k].empty())
      std::memcpy(out + parameters[k].offset, arguments[k].data(), arguments[k].size());
  }
}

/// Keeps the error of the lowest cluster, so that the reported error does not depend on timing.
struct Failure {
  std::mutex mutex;
  uint64_t cluster = UINT64_MAX;
  std::exception_ptr error;
  std::atomic<bool> any{false};
  void record(uint64_t index) {
    std::lock_guard<std::mutex> lock(mutex);
    any = true;
    if (index < cluster) {
      cluster = index;
      error = std::current_exception();
    }
  }
};

static void runWorker(Worker &worker, Launch &launch, std::atomic<uint64_t> &next, uint64_t count,
                      Failure &failure) {
  uint64_t index = 0;
  try {
    prepareWorker(worker, launch);
    while ((index = next.fetch_add(1)) < count && !failure.any)
      runCluster(worker, index);
  } catch (...) {
    failure.record(index);
  }
}

static void collect(const Kernel &kernel, Worker &worker, LaunchResult &result) {
  worker.statistics.warpInstructions = worker.instructions;
  for (size_t k = 0; k < kernel.opcodeNames.size(); k++)
    if (worker.opcodeCounts[k])
      worker.statistics.instructionMix[kernel.opcodeNames[k]] += worker.opcodeCounts[k];
  for (size_t pc = 0; pc < kernel.code.size(); pc++)
    if (worker.pcCounts[pc])
      worker.statistics.executedLines[kernel.codeInfo[pc].loc.line] += worker.pcCounts[pc];
  result.statistics.merge(worker.statistics);
}

LaunchResult Device::launch(const Program &program, const std::string &name,
                            const LaunchConfig &config, const std::vector<Argument> &arguments) {
  const Kernel &kernel = program.pimpl->kernel(name);
  Launch launch;
  launch.kernel = &kernel;
  launch.memory = &pimpl->memory;
  launch.options = pimpl->options;
  launch.options.definedness &= pimpl->memory.definedness;
  checkConfig(kernel, launch, config);
  std::vector<uint8_t> storage(kernel.parameterBytes + 128);
  uint8_t *parameters = storage.data();
  parameters += (128 - (reinterpret_cast<uintptr_t>(parameters) & 127)) & 127;
  packArguments(kernel, arguments, parameters);
  launch.parameters = parameters;
  uint64_t clusters = launch.grid.count() / launch.cluster.count();
  unsigned threads = std::max(1u, launch.options.threads);
  bool ordered = launch.options.race || launch.options.async == AsyncMode::Random ||
                 (launch.options.deterministic && kernel.orderedAtomics);
  if (ordered)
    threads = 1;
  threads = unsigned(std::min<uint64_t>(threads, clusters));
  launch.parallel = threads > 1;
  LaunchResult result;
  std::vector<Worker> workers(threads);
  std::unique_ptr<RaceDetector> race;
  if (launch.options.race) {
    workers[0].cluster.blocks.resize(launch.cluster.count());
    prepareWorker(workers[0], launch);
    race = std::make_unique<RaceDetector>(workers[0].cluster, result.findings);
    workers[0].cluster.race = race.get();
  }
  std::atomic<uint64_t> next{0};
  Failure failure;
  std::vector<std::thread> pool;
  try {
    for (unsigned t = 1; t < threads; t++)
      pool.emplace_back([&, t] { runWorker(workers[t], launch, next, clusters, failure); });
  } catch (const std::system_error &) {
    // The system is out of threads: the workers that started take all clusters.
  }
  runWorker(workers[0], launch, next, clusters, failure);
  for (std::thread &t : pool)
    t.join();
  pimpl->memory.forgetRaces();
  if (failure.error)
    std::rethrow_exception(failure.error);
  SectorSet read, written; // union over the workers
  for (size_t t = 0; t <= pool.size(); t++) {
    collect(kernel, workers[t], result);
    read.merge(workers[t].sectorsRead);
    written.merge(workers[t].sectorsWritten);
  }
  result.statistics.globalSectorsRead = read.size();
  result.statistics.globalSectorsWritten = written.size();
  result.suppressed = race ? race->suppressed : 0;
  return result;
}

} // namespace ptxsim
