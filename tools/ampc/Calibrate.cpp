// Calibration of this machine's rates by small programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Calibrate.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/Mistake.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/KernelTimes.h"
#include "tools/ampc/ProgramCosts.h"
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/Session.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include <chrono>
#include <cstdlib>

using namespace ampc;
using llvm::StringRef;

// Assumed cache sizes of a machine that reports none.
constexpr int64_t usualCoreCache = 1 << 20, usualSharedCache = 32 << 20;
constexpr unsigned runs = 25;
// Least measuring time: the system needs milliseconds to give every thread a processor.
constexpr std::chrono::milliseconds leastTime(50);

/// Size of cache `number` of the first core. From sysfs: in virtual machines sysconf may report
/// caches that the cores do not share.
static int64_t cacheBytes(unsigned number, int64_t usual) {
  std::string path = llvm::formatv("/sys/devices/system/cpu/cpu0/cache/index{0}/size", number);
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  int64_t kilobytes = 0;
  if (!file || (*file)->getBuffer().trim().rtrim('K').getAsInteger(10, kilobytes) || kilobytes <= 0)
    return usual;
  return kilobytes << 10;
}

/// Model name of the processor.
static std::string processorName() {
  auto file = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo");
  if (!file)
    return "unknown";
  StringRef rest = (*file)->getBuffer().split("model name").second.split(':').second;
  return rest.split('\n').first.trim().str();
}

namespace {
/// Text of a model whose exports are the programs to measure.
class Text {
public:
  Text() : os(text) { os << "train.model @calibrate {\n"; }
  void addProduct(StringRef name, StringRef type, int64_t m, int64_t n, int64_t k) {
    StringRef sums = type == "f64" ? "f64" : "f32";
    std::string a = llvm::formatv("tensor<{0}x{1}x{2}>", m, k, type),
                b = llvm::formatv("tensor<{0}x{1}x{2}>", k, n, type),
                c = llvm::formatv("tensor<{0}x{1}x{2}>", m, n, sums);
    os << llvm::formatv("train.func @{0}(%a: {1}, %b: {2}) -> {3} {{\n"
                        "%c = train.matmul %a, %b : ({1}, {2}) -> {3}\n"
                        "train.return %c : {3}\n}\ntrain.export @{0} as \"{0}\"\n",
                        name, a, b, c);
  }
  /// Chain of ops; a binary op takes x and y alternately as second operand. Example: t0 = x + y, t1
  /// = t0 - x.
  void addMap(StringRef name, int64_t points, unsigned times, std::vector<StringRef> ops,
              bool isBinary) {
    std::string type = llvm::formatv("tensor<{0}xf32>", points);
    os << llvm::formatv("train.func @{0}(%x: {1}, %y: {1}) -> {1} {{\n", name, type);
    std::string last = "%x";
    for (unsigned i = 0; i < times; ++i) {
      std::string next = "%t" + std::to_string(i);
      os << next << " = train." << ops[i % ops.size()] << " " << last;
      if (isBinary)
        os << (i % 2 ? ", %x" : ", %y");
      os << " : " << type << (isBinary ? ", " + type : "") << "\n";
      last = next;
    }
    os << "train.return " << last << " : " << type << "\n}\n"
       << llvm::formatv("train.export @{0} as \"{0}\"\n", name);
  }
  std::string take() {
    os << "}\n";
    return std::move(text);
  }

private:
  std::string text;
  llvm::raw_string_ostream os;
};

/// Measurement of a kernel: work and time.
struct Sample {
  const cost::Launch *launch = nullptr;
  double nanoseconds = 0;

  double moved() const { return launch->work.bytes(false) + 2 * launch->work.bytes(true); }
};

/// Model compiled for a tier and a number of threads.
class MeasuredModel {
public:
  llvm::Error open(StringRef path, StringRef tier, int threads);
  /// Measures the first kernel of an export; returns the shortest time.
  llvm::Expected<Sample> measure(StringRef name);
  std::string tier() { return ampc_rt_tier(session.getState()); }
  llvm::ArrayRef<std::string> tiers() const { return costs.getTiers(); }

private:
  ProgramCosts costs;
  Session session{SessionOptions::ofCommandLine()};
};
} // namespace

llvm::Error MeasuredModel::open(StringRef path, StringRef tier, int threads) {
  if (!tier.empty())
    setenv("AMPC_ISA", tier.str().c_str(), /*overwrite=*/1);
  CompileRequest request = requestFor(path.str());
  request.shown = Shown::Errors;
  costs.watch(request);
  ampc_options options = {};
  options.threads = threads;
  return session.open(request, options) ? llvm::Error::success()
                                        : mistake("cannot run the kernels of --calibrate");
}

llvm::Expected<Sample> MeasuredModel::measure(StringRef name) {
  int number = session.findProgram(AMPC_PROGRAM_EXPORT, name);
  const ampc_program &program = session.getModel().programs[number];
  Random random(1);
  RandomInputs inputs(program, random);
  std::vector<std::vector<char>> outputs;
  std::vector<void *> pointers;
  for (int i = 0; i < program.output_count; ++i)
    pointers.push_back(outputs.emplace_back(program.outputs[i].bytes).data());
  KernelTimes times;
  ampc_hooks hooks = times.hooks();
  ampc_rt_set_hooks(session.getState(), &hooks);
  auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < runs || std::chrono::steady_clock::now() - start < leastTime; ++i) {
    if (session.runFunction(number, inputs.get(), pointers) != AMPC_OK)
      return mistake(session.lastError());
    times.endRun();
  }
  hooks = {};
  hooks.size = sizeof hooks;
  ampc_rt_set_hooks(session.getState(), &hooks);
  return Sample{&costs.getPrograms()[number].launches.front(),
                double(std::max<int64_t>(1, times.medians().front().least))};
}

namespace {
/// Measures all rates of a machine. Keeps the first error.
class Calibration {
public:
  llvm::Expected<cost::Machine> take();

private:
  std::string text() const;
  double timeOf(MeasuredModel &run, StringRef name, Sample *sample = nullptr);
  void measureMemory(MeasuredModel &one, MeasuredModel &all);
  void measureRates(MeasuredModel &run, cost::Rates &rates);
  void measureProduct(MeasuredModel &run, StringRef type, cost::Rates &rates);

  cost::Machine machine;
  std::optional<llvm::Error> error;
};
} // namespace

constexpr StringRef levelExports[cost::numLevels] = {"core", "shared", "memory"};
constexpr StringRef productTypes[] = {"f32", "f64", "bf16", "f16"};

std::string Calibration::text() const {
  Text text;
  int64_t core = machine.levels[cost::CoreCache].bytes,
          shared = machine.levels[cost::SharedCache].bytes;
  // Bytes of an addition per level: half of the core's cache, then larger than the previous level.
  int64_t bytes[] = {core / 2, std::min(shared / 4, 8 * core), 4 * shared};
  for (unsigned level = 0; level < cost::numLevels; ++level)
    text.addMap(levelExports[level], bytes[level] / 12, 1, {"add"}, true);
  text.addMap("vector", 16384, 24, {"add", "sub"}, true);
  text.addMap("slow", 16384, 8, {"div", "div"}, true);
  text.addMap("functions", 16384, 4, {"tanh", "exp"}, false);
  text.addMap("small", 64, 1, {"add"}, true);
  for (StringRef type : productTypes) {
    text.addProduct(("square_" + type).str(), type, 512, 512, 512);
    text.addProduct(("narrow_" + type).str(), type, 2048, 32, 512);
  }
  return text.take();
}

double Calibration::timeOf(MeasuredModel &run, StringRef name, Sample *sample) {
  if (error)
    return 1;
  auto measured = run.measure(name);
  if (!measured) {
    error = measured.takeError();
    return 1;
  }
  if (sample)
    *sample = *measured;
  return measured->nanoseconds;
}

void Calibration::measureMemory(MeasuredModel &one, MeasuredModel &all) {
  machine.launchNanoseconds = timeOf(one, "small");
  double alone = timeOf(one, "functions"), shared = timeOf(all, "functions");
  machine.forkNanoseconds = std::max(0.0, shared - alone / machine.cores);
  for (unsigned level = 0; level < cost::numLevels; ++level) {
    Sample core, together;
    timeOf(one, levelExports[level], &core);
    timeOf(all, levelExports[level], &together);
    if (error)
      return;
    // Core caches scale with the cores; shared levels are measured with all cores, without the fork
    // time.
    cost::CacheLevel &rates = machine.levels[level];
    rates.perCore = core.moved() / core.nanoseconds;
    double most = rates.perCore * machine.cores;
    double passed = together.nanoseconds - machine.forkNanoseconds;
    bool isOwn = level == cost::CoreCache || passed <= 0;
    rates.together = isOwn ? most : std::clamp(together.moved() / passed, rates.perCore, most);
  }
}

/// Solves for the rates of multiplying and packing, from two products with different shares of
/// packing.
void Calibration::measureProduct(MeasuredModel &run, StringRef type, cost::Rates &rates) {
  Sample square, narrow;
  timeOf(run, ("square_" + type).str(), &square);
  timeOf(run, ("narrow_" + type).str(), &narrow);
  if (error)
    return;
  const cost::Product &a = square.launch->work.products.front(),
                      &b = narrow.launch->work.products.front();
  double determinant = a.multiplyAdds * b.packed - b.multiplyAdds * a.packed;
  double perMultiply =
      (square.nanoseconds * b.packed - narrow.nanoseconds * a.packed) / determinant;
  double perPacked = (narrow.nanoseconds - b.multiplyAdds * perMultiply) / b.packed;
  if (perMultiply <= 0 || perPacked <= 0) { // noise: counts all time as multiplication
    perMultiply = square.nanoseconds / a.multiplyAdds;
    perPacked = 0.05;
  }
  rates.products[type.str()] = 1 / perMultiply;
  if (type == "f32")
    rates.packed = 1 / perPacked;
}

void Calibration::measureRates(MeasuredModel &run, cost::Rates &rates) {
  Sample vector, slow, functions;
  rates.vectorOps = 1 / timeOf(run, "vector", &vector);
  rates.slowOps = 1 / timeOf(run, "slow", &slow);
  rates.functions = 1 / timeOf(run, "functions", &functions);
  if (error)
    return;
  rates.vectorOps *= vector.launch->work.vectorOps;
  rates.slowOps *= slow.launch->work.slowOps;
  rates.functions *= functions.launch->work.functions;
  for (StringRef type : productTypes)
    measureProduct(run, type, rates);
}

llvm::Expected<cost::Machine> Calibration::take() {
  machine.name = processorName();
  machine.cores = llvm::hardware_concurrency().compute_thread_count();
  machine.levels[cost::CoreCache].bytes = cacheBytes(2, usualCoreCache);
  machine.levels[cost::SharedCache].bytes = cacheBytes(3, usualSharedCache);
  llvm::SmallString<128> path;
  if (std::error_code failed = llvm::sys::fs::createTemporaryFile("calibrate", "mlir", path))
    return mistake("cannot write a temporary file: " + failed.message());
  llvm::FileRemover remover(path);
  if (llvm::Error failed = writeFile(path, text()))
    return std::move(failed);
  MeasuredModel best, all;
  if (llvm::Error failed = best.open(path, "", 1))
    return std::move(failed);
  if (llvm::Error failed = all.open(path, "", machine.cores))
    return std::move(failed);
  measureMemory(best, all);
  std::string top = best.tier();
  for (const std::string &tier : best.tiers()) {
    MeasuredModel run;
    if (llvm::Error failed = run.open(path, tier, 1))
      return std::move(failed);
    measureRates(run, machine.tiers[tier]);
    if (tier == top)
      break;
  }
  if (error)
    return std::move(*error);
  return machine;
}

llvm::Expected<cost::Machine> ampc::calibrateMachine() { return Calibration().take(); }
