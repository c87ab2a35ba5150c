// Public interface of PTXSim, an interpreter for NVIDIA PTX that runs kernels on the CPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typical use:
//
//   ptxsim::Module module = ptxsim::Module::parse(text, "kernel.ptx");
//   ptxsim::Device device;
//   ptxsim::Program program = device.load(module);
//   ptxsim::DeviceAddress x = device.allocate(bytes, "x");
//   device.write(x, host, bytes);
//   ptxsim::LaunchResult result =
//       device.launch(program, "vecadd", {grid, block}, {ptxsim::argument(x),
//       ptxsim::argument(n)});
//   device.read(host, x, bytes);
//
// Every mistake a kernel makes that has a defined place (out of bounds, misaligned, read of
// uninitialized data, divergent barrier, deadlock, ...) is thrown as ptxsim::Error. Races do
// not stop the kernel: they are collected in LaunchResult::findings when Options::race is set.
#ifndef AMPC_PTXSIM_PTXSIM_H
#define AMPC_PTXSIM_PTXSIM_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptxsim {

/// Kind of an Error; separates a bad file from a bad kernel.
enum class ErrorKind {
  Syntax,      ///< the PTX text cannot be parsed
  Unsupported, ///< well-formed PTX that the interpreter does not execute
  Argument,    ///< invalid request of the host (unknown kernel, wrong argument count)
  OutOfBounds, ///< an address outside every object, or in a red zone
  Misaligned,  ///< address that is no multiple of the required alignment
  Instruction, ///< operands that hardware rejects as an illegal instruction
  Memory,      ///< write to constant memory, or use of uninitialized memory
  Register,    ///< use of an uninitialized register
  Convergence, ///< divergent barrier, shuffle or other warp-wide instruction
  Barrier,     ///< misuse of an mbarrier or of a named barrier
  Async,       ///< misuse of asynchronous copies or of wgmma
  Deadlock,    ///< no warp can run
  Budget,      ///< the instruction budget was used up
  Trap         ///< the kernel executed trap
};

/// Exception for every error that stops parsing, loading or executing.
class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, const std::string &message, uint32_t line = 0, uint32_t column = 0)
      : std::runtime_error(message), kind(kind), line(line), column(column) {}
  ErrorKind kind;
  uint32_t line;   ///< PTX line, 0 when there is none
  uint32_t column; ///< PTX column, 0 when there is none
};

using DeviceAddress = uint64_t;

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// One kernel parameter as declared in the PTX.
struct Parameter {
  std::string name;
  std::string type; ///< "u64", "f32", "b8[128]", ...
  uint32_t size = 0, alignment = 1, offset = 0;
};

/// Static properties of a kernel.
struct KernelInfo {
  std::string name;
  std::vector<Parameter> parameters;
  Dim3 requiredBlock{0, 0, 0}; ///< .reqntid, zero when absent
  Dim3 maximumBlock{0, 0, 0};  ///< .maxntid, zero when absent
  Dim3 cluster{1, 1, 1};       ///< .reqnctapercluster
  bool hasRequiredCluster = false;
};

struct ModuleImpl;

/// A parsed PTX file. Cheap to copy; immutable.
class Module {
public:
  /// Throws Error(Syntax) with line and column on malformed text.
  static Module parse(const std::string &text, const std::string &fileName = "<ptx>");
  const std::vector<KernelInfo> &kernels() const;
  const std::string &target() const;
  unsigned version() const; ///< of the PTX ISA: major * 10 + minor
  const std::shared_ptr<const ModuleImpl> &impl() const { return pimpl; }

private:
  std::shared_ptr<const ModuleImpl> pimpl;
};

/// Time at which asynchronous work (cp.async, TMA, bulk copies, wgmma) takes effect.
enum class AsyncMode {
  Lazy,  ///< at the covering wait; the destination is poisoned until then
  Eager, ///< at the starting instruction
  Random ///< at a point in between, drawn from Options::seed
};

/// Unit of a wgmma operation. Warpgroup: the operation begins when the last of the four warps has
/// issued the instruction, and a wait of any warp covers the whole operation, as public kernels
/// assume. Warp: the rows of each warp are a separate operation.
enum class WgmmaModel { Warpgroup, Warp };

/// Summation order of mma.sync and wgmma. The hardware models align all products of one step to the
/// largest exponent, truncate to a fixed number of fraction bits, sum exactly and round toward
/// zero.
enum class TensorArithmetic { FmaChain, Volta, Ampere, Hopper };

struct Options {
  AsyncMode async = AsyncMode::Lazy;
  TensorArithmetic tensor = TensorArithmetic::FmaChain;
  WgmmaModel wgmma = WgmmaModel::Warpgroup;
  bool definedness = true;   ///< report uses of uninitialized registers and memory
  bool race = false;         ///< report data races and missing fences; runs on one thread
  bool statistics = false;   ///< collect LaunchResult::statistics
  bool deterministic = true; ///< results do not depend on `threads`
  unsigned threads = 1;      ///< worker threads for blocks (clusters)
  uint64_t seed = 1;         ///< for AsyncMode::Random and for `scheduleQuantum`
  uint32_t scheduleQuantum =
      0; ///< switch warps after this number of instructions; 0: only on waits
  uint64_t instructionBudget = 1ull << 36; ///< warp instructions per launch before Error(Budget)
  int traceWarp = -1;      ///< print every instruction of this warp of block 0 to stderr
  bool strictExits = true; ///< cp.async and bulk stores without a wait before exit are errors
  std::set<uint32_t> suppressedLines; ///< PTX lines whose findings are only counted
  unsigned maximumFindings = 32;
  unsigned multiprocessors = 1; ///< %nsmid; %smid assigns clusters round-robin
};

/// Data race or missing fence, reported with Options::race.
struct Finding {
  std::string message;
  uint32_t line = 0, otherLine = 0; ///< PTX lines of the two accesses
};

/// Counters of one launch. Exact for the PTX; the machine code of ptxas may differ.
struct Statistics {
  uint64_t warpInstructions = 0, threadInstructions = 0;
  uint64_t divergentBranches = 0, barriers = 0;
  uint64_t globalLoadRequests = 0, globalLoadSectors = 0, globalLoadSectorsMinimum = 0;
  uint64_t globalStoreRequests = 0, globalStoreSectors = 0, globalStoreSectorsMinimum = 0;
  /// Distinct sectors accessed by the launch, including bulk copies: traffic to memory behind
  /// caches of infinite size.
  uint64_t globalSectorsRead = 0, globalSectorsWritten = 0;
  uint64_t sharedRequests = 0, sharedWaves = 0, sharedWavesMinimum = 0;
  uint64_t bulkBytesRead = 0, bulkBytesWritten = 0;
  uint64_t flops = 0, tensorFlops = 0;
  std::map<std::string, uint64_t> instructionMix; ///< opcode with modifiers to executed warps
  struct Line {
    uint64_t requests = 0, waves = 0, minimum = 0;
  };
  std::map<uint32_t, Line> sharedLines;       ///< per PTX line
  std::map<uint32_t, uint64_t> executedLines; ///< PTX line to number of executing warps
  void merge(const Statistics &other);
};

struct LaunchResult {
  std::vector<Finding> findings;
  uint64_t suppressed = 0; ///< findings dropped for Options::suppressedLines
  Statistics statistics;
};

struct LaunchConfig {
  Dim3 grid, block;
  uint32_t dynamicShared = 0;
  Dim3 cluster{0, 0, 0}; ///< overrides .reqnctapercluster if not zero
};

/// One kernel argument: the bytes of the parameter.
using Argument = std::vector<uint8_t>;
template <class T> Argument argument(const T &value) {
  static_assert(std::is_trivially_copyable<T>::value, "kernel arguments are plain data");
  Argument bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

enum class Swizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };
enum class TensorType : uint8_t { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16 };

/// Host description of a tiled tensor map (dimension 0 is the innermost). Example: f16 [128, 64]
/// row-major: size {64, 128}, stride {0, 128}.
struct TensorMapInfo {
  TensorType type = TensorType::F16;
  DeviceAddress base = 0;
  uint32_t rank = 2;
  std::array<uint64_t, 5> size{};                         ///< elements
  std::array<uint64_t, 5> stride{};                       ///< bytes; stride[0] is ignored
  std::array<uint32_t, 5> box{};                          ///< elements
  std::array<uint32_t, 5> elementStride{{1, 1, 1, 1, 1}}; ///< elementStride[0] is ignored
  Swizzle swizzle = Swizzle::None;
  bool fillWithNaN = false;
};

/// Opaque tensor map of 128 bytes; the layout is the simulator's and differs from the hardware's.
struct alignas(64) TensorMap {
  uint8_t bytes[128];
};

/// Checks the rules of cuTensorMapEncodeTiled. Throws Error(Argument).
TensorMap encodeTensorMap(const TensorMapInfo &info);

/// Resources of a kernel on a multiprocessor.
struct KernelResources {
  uint32_t staticShared = 0, local = 0; ///< bytes, the latter per thread
  /// 32-bit registers live at once: a lower estimate of the allocation of ptxas.
  uint32_t registers = 0;
};

/// Marks that Device::mark sets on bytes of global memory.
enum class Mark : uint8_t {
  Undefined, ///< as if never written
  Defined,
  RedZone ///< guard zone: an access is an error of kind OutOfBounds
};

struct ProgramImpl;
struct DeviceImpl;

/// A module loaded into a device, with addresses of global variables and decoded kernels.
class Program {
public:
  DeviceAddress global(const std::string &name, uint64_t *size = nullptr) const;
  uint32_t staticShared(const std::string &kernel) const;
  KernelResources resources(const std::string &kernel) const;
  std::shared_ptr<ProgramImpl> pimpl;
};

/// Owns global memory. One launch at a time per device.
class Device {
public:
  /// Devices of different ordinals have different addresses.
  explicit Device(const Options &options = Options(), unsigned ordinal = 0);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  Options &options();
  /// Decodes every kernel; throws Error(Unsupported) with the PTX line for unknown instructions.
  Program load(const Module &module);
  void unload(const Program &program);
  /// 256-byte aligned memory with exact bounds and undefined content.
  DeviceAddress allocate(uint64_t bytes, const std::string &name = "");
  /// Maps host memory at its own address; all bytes count as written.
  void mapHost(void *host, uint64_t bytes, const std::string &name = "");
  /// Ends an allocation or a mapping.
  void free(DeviceAddress address);
  void write(DeviceAddress to, const void *from, uint64_t bytes);
  void read(void *to, DeviceAddress from, uint64_t bytes) const;
  void fill(DeviceAddress to, uint8_t value, uint64_t bytes);
  void copy(DeviceAddress to, DeviceAddress from, uint64_t bytes);
  /// Number of bytes in the range that were never written (0 with definedness off).
  uint64_t undefinedBytes(DeviceAddress from, uint64_t bytes) const;
  /// Marks a range of bytes. Throws Error(Argument) with definedness off, because no shadow state
  /// exists then.
  void mark(DeviceAddress from, uint64_t bytes, Mark mark);
  LaunchResult launch(const Program &program, const std::string &kernel, const LaunchConfig &config,
                      const std::vector<Argument> &arguments);
  /// Finds the allocation that contains an address: base and size. False if there is none.
  bool find(DeviceAddress address, DeviceAddress *base, uint64_t *size) const;
  DeviceImpl &impl() { return *pimpl; }

private:
  std::unique_ptr<DeviceImpl> pimpl;
};

/// Name of the executor variant on this machine: "avx512" or "avx2".
const char *executorName();

/// Peak rates of a chip for the roofline estimate, without derating.
struct Chip {
  const char *name;
  double tensorTflops16; ///< dense f16/bf16 with f32 accumulation
  double vectorTflops32;
  double memoryGBs;
  double sharedTBs;
  unsigned sms;
};
const std::vector<Chip> &knownChips();
/// Roofline report for readers: the bottleneck of the kernel on this chip, and the effects that the
/// estimate ignores.
std::string rooflineReport(const Statistics &statistics, const Chip &chip);
std::string statisticsReport(const Statistics &statistics);

/// Sustained rates of a chip, for predicted times: Predict.cpp has the table, and the source of
/// each rate.
struct SustainedRates {
  const char *name;
  unsigned capability;       ///< major * 10 + minor
  double tensorTflops16;     ///< products of f16 and bf16 with sums in f32
  double memoryGBs;          ///< distinct sectors of a launch
  double warpGinstructions;  ///< warp instructions of all dispatchers, 10^9 per second
  double sharedGwaves;       ///< waves of shared memory of all multiprocessors, 10^9 per second
  double launchMicroseconds; ///< from the end of a launch to the first memory access of the next
};
const std::vector<SustainedRates> &sustainedRates();
/// Predicted times in nanoseconds of one launch, or of several launches with equal counters.
struct Prediction {
  double tensor = 0, memory = 0, issue = 0, shared = 0; ///< bounds, as if alone
  double launch = 0;
  /// Bound that decides: "tensor", "memory", "issue" or "shared".
  const char *bound() const;
  double total() const;
};
Prediction predict(const Statistics &statistics, uint64_t launches, const SustainedRates &rates);
/// The bounds and the predicted time of a launch, for readers.
std::string predictionReport(const Statistics &statistics, const SustainedRates &rates);

} // namespace ptxsim
#endif
