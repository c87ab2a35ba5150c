// State behind the driver's entry points.
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
  int references = 0; ///< of a primary context; others live until they are destroyed
  unsigned flags = 0;
  CUresult sticky = CUDA_SUCCESS; ///< a kernel has failed: the context is of no more use
  std::string stickyMessage;
  bool alive() const { return !primary || references > 0; }
};

/// A kernel of a module, or (as CUkernel) of a library.
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
/// A library belongs to no context: each one that uses it gets a module of its own.
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

/// Something a stream does: a node of a graph when it is recorded.
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
    CUgraphNode_st *node; ///< of the graph it was made from, which may be gone
    ptxsim::driver::Work work;
  };
  std::vector<Step> steps;
};

namespace ptxsim {
namespace driver {

struct Capture {
  std::unique_ptr<CUgraph_st> graph;
  CUgraph_st *into = nullptr; ///< graph, or one of the program's
  CUstream_st *origin = nullptr;
  int mode = 0; ///< global, thread-local, relaxed
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
  std::shared_ptr<ptxsim::driver::Capture> capture; ///< shared by all streams that take part
  std::vector<CUgraphNode_st *> last;               ///< what the next node depends on
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

/// Memory that a program holds: on a device, or the host's that devices may access.
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
  std::unordered_set<CUctx_st *> contexts; ///< without the primary ones
  std::unordered_set<CUstream_st *> streams;
  std::unordered_set<CUevent_st *> events;
  std::unordered_set<CUmod_st *> modules; ///< those of libraries as well
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
/// Contexts of this thread; the last one is current.
std::vector<CUctx_st *> &contextStack();
inline CUctx_st *currentContext() {
  return contextStack().empty() ? nullptr : contextStack().back();
}

/// An error with the driver's code.
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
/// Code for an error that a kernel made.
CUresult codeOfKernel(const Error &error);
/// Code for an error of a call: wrong PTX, wrong arguments.
CUresult codeOfCall(const Error &error);
/// Fails unless a context is current that is alive and in order.
void checkContext();
void checkInitialized();

enum class Needs { Nothing, Driver, Context };

/// Every entry point runs in here: one at a time, exceptions become result codes.
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
/// With a current context, as most entry points need.
template <class F> CUresult enter(F body) { return enter(Needs::Context, body); }

/// The default stream for null and the two special handles.
CUstream_st &streamOf(CUstream stream);
/// Does the work now, or records it when the stream captures.
void submit(CUstream stream, Work work);
void submit(CUstream stream, Work::Type type, std::function<void()> run);
/// For calls that a capture in the strict modes forbids; they end it.
void forbidDuringCapture(const char *call);
/// Runs a kernel. Its errors stick to the context, and fail the calls after the launch: the
/// hardware would not have come to the kernel yet.
void runKernel(const KernelLaunch &launch);
/// Fails with what the hardware would refuse of the launch.
void checkLaunch(const KernelLaunch &launch);
/// The function behind a CUfunction or a CUkernel passed as one.
CUfunc_st &functionOf(CUfunction function);
/// Arguments are copied at the call, as the driver does, and so survive until a graph replays them.
std::vector<Argument> copyArguments(const CUfunc_st &function, void **parameters, void **extra);
unsigned maximumThreads(const CUfunc_st &function);

DeviceState &deviceOf(CUdevice ordinal);
inline DeviceState &currentDevice() { return *currentContext()->device; }
inline Device &device() { return *currentDevice().device; }
/// Device memory lies where no host pointer can.
inline bool isDevice(CUdeviceptr p) { return p >> 52; }
/// The device that an address of device memory belongs to.
Device &ownerOf(CUdeviceptr p);
/// Copies between any two places.
void copyAny(CUdeviceptr to, CUdeviceptr from, size_t bytes);
void copyRows(const CUDA_MEMCPY3D &copy);
void fillRows(const CUDA_MEMSET_NODE_PARAMS &fill);
void freeMemory(CUdeviceptr pointer);
void destroyModule(CUmod_st *module);

/// The PTX in an image: text, or the first PTX entry of a fatbinary.
std::string ptxOfImage(const void *image);

// Report.cpp
void countLaunch(const DeviceState &device, const KernelLaunch &launch, const Statistics &s);
void countCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
/// One line for every handle and allocation alive; of one context if it is not null.
std::vector<std::string> liveHandles(const CUctx_st *context);
/// A line on standard error. Names in a text of PTX belong to whoever wrote the text: control
/// characters are spelled.
void say(const std::string &message);
/// With PTXSIM_LEAKS=1: prints them.
void reportLeaks(const CUctx_st *context, const char *when);

} // namespace driver
} // namespace ptxsim
#endif
