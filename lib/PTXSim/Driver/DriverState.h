// State behind the entry points of the driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_DRIVER_DRIVERSTATE_H
#define PTXSIM_DRIVER_DRIVERSTATE_H

#include "lib/PTXSim/Driver/Chips.h"
#include "lib/PTXSim/Driver/DriverTypes.h"
#include "lib/PTXSim/Driver/Environment.h"
#include <functional>
#include <mutex>
#include <thread>
#include <unordered_set>

#define PTXSIM_EXPORT extern "C" __attribute__((visibility("default")))

namespace ptxsim {
namespace driver {
struct DeviceState;
} // namespace driver
} // namespace ptxsim

struct CUctx_st {
  ptxsim::driver::DeviceState *device = nullptr;
  bool primary = false;
  int references = 0; ///< of a primary context; other contexts live until destroyed
  unsigned flags = 0;
  CUresult sticky = CUDA_SUCCESS; ///< a kernel has failed: all later calls return this code
  std::string stickyMessage;
  bool alive() const { return !primary || references > 0; }
};

/// Kernel of a module, or (as CUkernel) of a library.
struct CUfunc_st {
  CUmod_st *module = nullptr;
  std::string name;
  ptxsim::KernelInfo info;
  ptxsim::KernelResources resources;
  unsigned maximumDynamicShared = 0;
  bool nonPortableCluster = false;
  int carveout = -1, schedulingPolicy = 0;
};
struct CUmod_st {
  CUctx_st *context = nullptr;
  CUlib_st *library = nullptr;
  ptxsim::Module parsed;
  ptxsim::Program program;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
struct CUkern_st {
  CUlib_st *library = nullptr;
  std::string name;
};
/// A library belongs to no context: every context that uses the library gets a module.
struct CUlib_st {
  ptxsim::Module parsed;
  std::map<CUctx_st *, std::unique_ptr<CUmod_st>> modules;
  std::map<std::string, std::unique_ptr<CUkern_st>> kernels;
};

namespace ptxsim {
namespace driver {

struct KernelLaunch {
  CUfunc_st *function = nullptr;
  LaunchConfig config;
  std::vector<Argument> arguments;
};

/// Unit of work on a stream; becomes a graph node when captured.
struct Work {
  enum Type { Kernel, Copy, Fill, Host, Graph, Empty, WaitEvent, RecordEvent };
  Type type = Empty;
  std::function<void()> run;
  std::shared_ptr<KernelLaunch> kernel; ///< of type Kernel
};

} // namespace driver
} // namespace ptxsim

struct CUgraphNode_st {
  CUgraph_st *graph = nullptr;
  ptxsim::driver::Work work;
  std::vector<CUgraphNode_st *> dependencies;
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};
struct CUgraphExec_st {
  struct Step {
    CUgraphNode_st *node; ///< node of the source graph; dangling after that graph's end
    ptxsim::driver::Work work;
  };
  std::vector<Step> steps;
};

namespace ptxsim {
namespace driver {

struct Capture {
  std::unique_ptr<CUgraph_st> graph;
  CUgraph_st *into = nullptr; ///< target: `graph`, or a graph of the program
  CUstream_st *origin = nullptr;
  int mode = 0; ///< 0 global, 1 thread-local, 2 relaxed
  std::thread::id thread;
  bool invalid = false, ended = false;
};

} // namespace driver
} // namespace ptxsim

struct CUstream_st {
  CUctx_st *context = nullptr;
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  std::shared_ptr<ptxsim::driver::Capture> capture; ///< shared by all participating streams
  std::vector<CUgraphNode_st *> last;               ///< dependencies of the next node
};
struct CUevent_st {
  CUctx_st *context = nullptr;
  unsigned flags = 0;
  double time = 0;
  bool recorded = false;
  std::shared_ptr<ptxsim::driver::Capture> capture;
  std::vector<CUgraphNode_st *> last;
};

namespace ptxsim {
namespace driver {

/// Memory held by the program: on a device, or host memory that devices may access.
struct HeldMemory {
  CUctx_st *context = nullptr;
  uint64_t bytes = 0;
  enum Kind { OnDevice, Pinned, Registered, Managed } kind = OnDevice;
};

struct DeviceState {
  int ordinal = 0;
  Chip chip;
  std::unique_ptr<Device> device;
  CUctx_st primary;
  uint64_t used = 0; ///< bytes of device memory
};

struct State {
  std::recursive_mutex mutex;
  bool initialized = false;
  Settings settings;
  std::vector<std::unique_ptr<DeviceState>> devices;
  std::unordered_set<CUctx_st *> contexts; ///< without primary contexts
  std::unordered_set<CUstream_st *> streams;
  std::unordered_set<CUevent_st *> events;
  std::unordered_set<CUmod_st *> modules; ///< including modules of libraries
  std::unordered_set<CUlib_st *> libraries;
  std::unordered_set<CUkern_st *> kernels;
  std::unordered_set<CUfunc_st *> functions;
  std::unordered_set<CUgraph_st *> graphs;
  std::unordered_set<CUgraphExec_st *> execs;
  std::map<CUdeviceptr, HeldMemory> memory;
  std::vector<std::weak_ptr<Capture>> captures;
  std::map<CUctx_st *, CUstream_st> defaultStreams;
  uint64_t nextStream = 1;
};
State &state();
/// Context stack of this thread; the last context is current.
std::vector<CUctx_st *> &contextStack();
inline CUctx_st *currentContext() {
  return contextStack().empty() ? nullptr : contextStack().back();
}

/// Error of a call, with the driver's code.
struct Failure {
  CUresult code;
  std::string message;
};
[[noreturn]] inline void fail(CUresult code, const std::string &message) {
  throw Failure{code, message};
}
inline void require(bool condition, const std::string &message) {
  if (!condition)
    fail(CUDA_ERROR_INVALID_VALUE, message);
}
CUresult remember(CUresult code, const std::string &message);
/// Result code of an error inside a kernel.
CUresult codeOfKernel(const Error &error);
/// Result code of an error of a call: invalid PTX or arguments.
CUresult codeOfCall(const Error &error);
/// Fails unless a living context without a sticky error is current.
void checkContext();
void checkInitialized();

enum class Needs { Nothing, Driver, Context };

/// Wrapper of every entry point: takes the global lock, turns exceptions into result codes.
template <class F> CUresult enter(Needs needs, F body) {
  try {
    std::lock_guard<std::recursive_mutex> lock(state().mutex);
    if (needs != Needs::Nothing)
      checkInitialized();
    if (needs == Needs::Context)
      checkContext();
    body();
    return CUDA_SUCCESS;
  } catch (const Failure &f) {
    return remember(f.code, f.message);
  } catch (const Error &e) {
    return remember(codeOfCall(e), e.what());
  } catch (const std::bad_alloc &) {
    return remember(CUDA_ERROR_OUT_OF_MEMORY, "no memory");
  }
}
/// Variant that needs a current context, as most entry points do.
template <class F> CUresult enter(F body) { return enter(Needs::Context, body); }

/// Stream of a handle; the default stream for null and the two special handles.
CUstream_st &streamOf(CUstream stream);
/// Runs the work now, or records a graph node if the stream captures.
void submit(CUstream stream, Work work);
void submit(CUstream stream, Work::Type type, std::function<void()> run);
/// Rejects calls that the strict capture modes forbid, and invalidates the captures.
void forbidDuringCapture(const char *call);
/// Runs a kernel. Kernel errors become sticky in the context and fail later calls, because on
/// hardware the launch returns before the kernel runs.
void runKernel(const KernelLaunch &launch);
/// Fails if the hardware would reject the launch.
void checkLaunch(const KernelLaunch &launch);
/// Function of a CUfunction, or of a CUkernel cast to CUfunction.
CUfunc_st &functionOf(CUfunction function);
/// Copies the arguments at the call, as the driver does, so that a graph can replay the launch.
std::vector<Argument> copyArguments(const CUfunc_st &function, void **parameters, void **extra);
unsigned maximumThreads(const CUfunc_st &function);

DeviceState &deviceOf(CUdevice ordinal);
inline DeviceState &currentDevice() { return *currentContext()->device; }
inline Device &device() { return *currentDevice().device; }
/// Device addresses have bits that no host pointer has.
inline bool isDevice(CUdeviceptr p) { return p >> 52; }
/// Device that owns a device address.
Device &ownerOf(CUdeviceptr p);
/// Copies between host and device addresses in any combination.
void copyAny(CUdeviceptr to, CUdeviceptr from, size_t bytes);
void copyRows(const CUDA_MEMCPY3D &copy);
void fillRows(const CUDA_MEMSET_NODE_PARAMS &fill);
void freeMemory(CUdeviceptr pointer);
void destroyModule(CUmod_st *module);

/// PTX of an image: the text itself, or the first PTX entry of a fatbinary.
std::string ptxOfImage(const void *image);

// Report.cpp
void countLaunch(const DeviceState &device, const KernelLaunch &launch, const Statistics &s);
/// Counts a launch as the first one of equal function and configuration; false if there is none.
bool countAgain(const DeviceState &device, const KernelLaunch &launch);
void countCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
/// Description of every living handle and allocation; of a single context if not null.
std::vector<std::string> liveHandles(const CUctx_st *context);
/// Prints a line to standard error. Control characters are escaped, because names come from
/// untrusted PTX.
void say(const std::string &message);
/// Prints living handles if PTXSIM_LEAKS=1.
void reportLeaks(const CUctx_st *context, const char *when);

} // namespace driver
} // namespace ptxsim
#endif
