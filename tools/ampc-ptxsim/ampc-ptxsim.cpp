// ampc-ptxsim: lists and runs PTX kernels on the CPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Shown.h"
#include "ampc/Support/Thread.h"
#include "tools/ampc-ptxsim/LaunchFile.h"
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace ptxsim;

static const char *const usage =
    "usage: ampc-ptxsim FILE.ptx                        list the kernels\n"
    "       ampc-ptxsim run FILE.ptx [LAUNCH] [options]  run one kernel\n"
    "\n"
    "LAUNCH is a launch file; --set LINE adds or replaces a line of the file:\n"
    "  kernel NAME | grid X [Y [Z]] | block X [Y [Z]] | cluster X [Y [Z]] | shared BYTES\n"
    "  arg in FILE | arg out FILE TYPE SIZES | arg inout FILE FILE | arg zero TYPE SIZES\n"
    "  buffer in|out|inout|zero ... (as arg, but not passed to the kernel)\n"
    "  arg TYPE VALUE | arg map TYPE SWIZZLE @BUFFER SIZES box SIZES\n"
    "FILE is NAME.npy or NAME.safetensors:TENSOR.\n"
    "\n"
    "options:\n"
    "  --race              find data races, missing fences and unordered mbarrier uses\n"
    "  --stats             instruction mix, memory requests, roofline estimates\n"
    "  --predict CHIP      the launch's time on a chip at sustained rates: h200\n"
    "  --trace WARP        print every instruction of that warp of the first block\n"
    "  --async MODE        lazy (default), eager or random\n"
    "  --seed N            for --async random and --quantum\n"
    "  --quantum N         switch warps after N instructions\n"
    "  --tensor MODEL      fma (default), volta, ampere or hopper\n"
    "  --wgmma WHOSE       warpgroup (default), or warp: each warp's rows separately\n"
    "  --threads N         worker threads\n"
    "  --budget N          stop after N warp instructions\n"
    "  --lenient-exits     cp.async and bulk stores may be pending when a warp exits\n"
    "  --suppress LINE     do not report findings of --race in that line of the PTX; may be "
    "repeated\n"
    "  --no-definedness    do not track uninitialized memory\n";

namespace {

struct CommandLine {
  std::string ptx, launch;
  bool run = false, statistics = false;
  const SustainedRates *rates = nullptr;
  std::vector<std::string> lines;
  Options options;
};

[[noreturn]] void fail(const std::string &message) {
  throw Error(ErrorKind::Argument, message + "\n(ampc-ptxsim --help explains the options)");
}

uint64_t number(const std::string &option, const std::string &text, uint64_t least = 0,
                uint64_t most = UINT64_MAX) {
  char *end;
  errno = 0;
  uint64_t value = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end || text[0] == '-' || errno || value < least || value > most)
    fail("expected a number" + (least ? " of at least " + std::to_string(least) : std::string()) +
         " for " + option + ", but got '" + text + "'");
  return value;
}

int choice(const std::string &option, const std::string &text,
           const std::vector<std::string> &names) {
  for (size_t k = 0; k < names.size(); k++)
    if (text == names[k])
      return int(k);
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? "" : ", ") + name;
  fail("expected one of " + list + " for " + option + ", but got '" + text + "'");
}

const SustainedRates *ratesOf(const std::string &option, const std::string &chip) {
  std::vector<std::string> names;
  for (const SustainedRates &rates : sustainedRates()) {
    names.emplace_back(rates.name);
    for (char &c : names.back())
      c = char(std::tolower(c));
  }
  return &sustainedRates()[size_t(choice(option, chip, names))];
}

CommandLine parseCommandLine(int argc, char **argv) {
  CommandLine c;
  std::vector<std::string> files;
  for (int k = 1; k < argc; k++) {
    std::string word = argv[k];
    auto value = [&]() -> std::string {
      if (k + 1 >= argc)
        fail("expected a value for " + word);
      return argv[++k];
    };
    if (word == "--help" || word == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else if (word == "--race")
      c.options.race = true;
    else if (word == "--stats")
      c.statistics = c.options.statistics = true;
    else if (word == "--predict")
      c.rates = ratesOf(word, value()), c.options.statistics = true;
    else if (word == "--no-definedness")
      c.options.definedness = false;
    else if (word == "--lenient-exits")
      c.options.strictExits = false;
    else if (word == "--suppress")
      c.options.suppressedLines.insert(uint32_t(number(word, value(), 1, UINT32_MAX)));
    else if (word == "--trace")
      c.options.traceWarp = int(number(word, value(), 0, 31));
    else if (word == "--seed")
      c.options.seed = number(word, value());
    else if (word == "--quantum")
      c.options.scheduleQuantum = uint32_t(number(word, value(), 0, UINT32_MAX));
    else if (word == "--threads")
      c.options.threads = unsigned(number(word, value(), 1, 1024));
    else if (word == "--budget")
      c.options.instructionBudget = number(word, value(), 1);
    else if (word == "--set")
      c.lines.push_back(value());
    else if (word == "--async")
      c.options.async = AsyncMode(choice(word, value(), {"lazy", "eager", "random"}));
    else if (word == "--tensor")
      c.options.tensor =
          TensorArithmetic(choice(word, value(), {"fma", "volta", "ampere", "hopper"}));
    else if (word == "--wgmma")
      c.options.wgmma = WgmmaModel(choice(word, value(), {"warpgroup", "warp"}));
    else if (word.size() > 1 && word[0] == '-')
      fail("unknown option " + word);
    else
      files.push_back(word);
  }
  if (!files.empty() && files[0] == "run") {
    c.run = true;
    files.erase(files.begin());
  }
  if (files.empty() || files.size() > (c.run ? 2u : 1u))
    fail("expected a PTX file");
  c.ptx = files[0];
  if (files.size() == 2)
    c.launch = files[1];
  return c;
}

std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail("cannot read '" + path + "'");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void list(const Module &module, const Program &program) {
  for (const KernelInfo &kernel : module.kernels()) {
    std::printf("kernel %s\n", kernel.name.c_str());
    for (const Parameter &p : kernel.parameters)
      std::printf("  %-12s %-24s offset %u, %u bytes\n", p.type.c_str(), p.name.c_str(), p.offset,
                  p.size);
    if (kernel.requiredBlock.x)
      std::printf("  block %u x %u x %u required\n", kernel.requiredBlock.x, kernel.requiredBlock.y,
                  kernel.requiredBlock.z);
    if (kernel.cluster.count() > 1)
      std::printf("  cluster %u x %u x %u required\n", kernel.cluster.x, kernel.cluster.y,
                  kernel.cluster.z);
    std::printf("  static shared memory %u bytes\n", program.staticShared(kernel.name));
  }
}

/// A file with a single kernel needs no kernel name.
void chooseKernel(LaunchFile &launch, const Module &module) {
  if (!launch.kernel.empty())
    return;
  std::string names;
  for (const KernelInfo &kernel : module.kernels())
    names += (names.empty() ? "" : ", ") + kernel.name;
  if (module.kernels().size() != 1)
    fail("expected a line 'kernel NAME' in the launch file or --set, with one of: " + names);
  launch.kernel = names;
}

int run(const CommandLine &c, Device &device, const Program &program, const Module &module) {
  LaunchFile launch = c.launch.empty() ? LaunchFile() : readLaunchFile(c.launch);
  LaunchFile extra = parseLaunch(c.lines, "--set");
  if (!extra.kernel.empty())
    launch.kernel = extra.kernel;
  for (const LaunchArgument &a : extra.arguments)
    launch.arguments.push_back(a);
  for (const std::string &line : c.lines) {
    if (line.compare(0, 5, "grid ") == 0)
      launch.config.grid = extra.config.grid;
    if (line.compare(0, 6, "block ") == 0)
      launch.config.block = extra.config.block;
    if (line.compare(0, 8, "cluster ") == 0)
      launch.config.cluster = extra.config.cluster;
    if (line.compare(0, 7, "shared ") == 0)
      launch.config.dynamicShared = extra.config.dynamicShared;
  }
  chooseKernel(launch, module);
  uint64_t warps = (launch.config.block.count() + 31) / 32;
  if (c.options.traceWarp >= 0 && uint64_t(c.options.traceWarp) >= warps)
    fail("expected a warp of the block for --trace, but got " +
         std::to_string(c.options.traceWarp) + " of " + std::to_string(warps));
  std::vector<DeviceAddress> addresses(launch.arguments.size());
  std::vector<Argument> arguments;
  for (size_t k = 0; k < launch.arguments.size(); k++) {
    LaunchArgument &a = launch.arguments[k];
    if (a.kind != LaunchArgument::Buffer)
      continue;
    addresses[k] = device.allocate(byteCount(a.array), a.name);
    if (a.initialized && a.array.bytes.empty())
      device.fill(addresses[k], 0, byteCount(a.array));
    else if (a.initialized)
      device.write(addresses[k], a.array.bytes.data(), a.array.bytes.size());
  }
  for (size_t k = 0; k < launch.arguments.size(); k++) {
    LaunchArgument &a = launch.arguments[k];
    if (a.kind == LaunchArgument::Map) {
      if (a.mapOf >= launch.arguments.size() ||
          launch.arguments[a.mapOf].kind != LaunchArgument::Buffer)
        fail("line " + std::to_string(k) + " maps @" + std::to_string(a.mapOf) +
             ", which is no buffer");
      a.map.base = addresses[a.mapOf];
      arguments.push_back(argument(encodeTensorMap(a.map)));
    } else if (a.kind == LaunchArgument::Scalar) {
      arguments.push_back(a.scalar);
    } else if (a.passed) {
      arguments.push_back(argument(addresses[k]));
    }
  }
  LaunchResult result = device.launch(program, launch.kernel, launch.config, arguments);
  for (size_t k = 0; k < launch.arguments.size(); k++) {
    LaunchArgument &a = launch.arguments[k];
    if (a.output.empty())
      continue;
    a.array.bytes.resize(byteCount(a.array));
    if (uint64_t n = device.undefinedBytes(addresses[k], a.array.bytes.size()))
      std::fprintf(stderr, "warning: %llu bytes of %s were never written\n",
                   static_cast<unsigned long long>(n), ampc::inMessage(a.output).c_str());
    device.read(a.array.bytes.data(), addresses[k], a.array.bytes.size());
    writeArray(a.output, a.array);
  }
  for (const Finding &f : result.findings)
    std::fprintf(stderr, "%s\n", ampc::inMessage(f.message).c_str());
  if (result.suppressed)
    std::fprintf(stderr, "%llu findings suppressed\n",
                 static_cast<unsigned long long>(result.suppressed));
  if (c.statistics) {
    std::fputs(ampc::inMessage(statisticsReport(result.statistics)).c_str(), stdout);
    for (const Chip &chip : knownChips())
      std::fputs(ampc::inMessage(rooflineReport(result.statistics, chip)).c_str(), stdout);
  }
  if (c.rates)
    std::fputs(ampc::inMessage(predictionReport(result.statistics, *c.rates)).c_str(), stdout);
  return result.findings.empty() ? 0 : 1;
}

int interpret(int argc, char **argv) {
  CommandLine c;
  try {
    c = parseCommandLine(argc, argv);
    Module module = Module::parse(readText(c.ptx), c.ptx);
    Device device(c.options);
    Program program = device.load(module);
    if (c.run)
      return run(c, device, program, module);
    list(module, program);
    return 0;
  } catch (const Error &e) {
    // Errors in PTX text start with line and column; errors of a running kernel name the file.
    bool inText = e.kind == ErrorKind::Syntax || e.kind == ErrorKind::Unsupported;
    std::string file = inText && e.line ? c.ptx + ":" : "";
    std::fprintf(stderr, "error: %s\n", ampc::inMessage(file + e.what()).c_str());
    return 2;
  } catch (const std::bad_alloc &) {
    std::fprintf(stderr, "error: not enough memory\n");
    return 2;
  }
}

} // namespace

int main(int argc, char **argv) { return ampc::runOnLargeStack(interpret, argc, argv); }
