// State behind the driver's entry points.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_DRIVER_DRIVERSTATE_H
#define PTXSIM_DRIVER_DRIVERSTATE_H

#include "ampc/PTXSim/PTXSim.h"
#include "lib/PTXSim/Driver/DriverTypes.h"
#include <functional>
#include <mutex>
#include <unordered_set>

#define PTXSIM_EXPORT extern "C" __attribute__((visibility("default")))

/// Work that has been recorded instead of done.
struct CUgraph_st {
  std::vector<std::function<void()>> nodes;
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> nodes;
};
struct CUstream_st {
  std::shared_ptr<CUgraph_st> capture; ///< shared by all streams of one capture
  bool origin = false;
};
struct CUevent_st {
  double time = 0;
  bool recorded = false;
  std::shared_ptr<CUgraph_st> capture;
};
struct CUfunc_st {
  ptxsim::Program program;
  std::string name;
  ptxsim::KernelInfo info;
};
struct CUmod_st {
  ptxsim::Program program;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
struct CUctx_st {
  int references = 0;
};

namespace ptxsim {
namespace driver {

struct State {
  std::recursive_mutex mutex;
  bool initialized = false;
  std::unique_ptr<Device> device;
  CUctx_st primary;
  CUstream_st defaultStream;
  std::unordered_set<void *> streams, events, modules, graphs, execs;
  std::map<void *, std::unique_ptr<uint8_t[]>> hostMemory;
};
State &state();
extern thread_local CUcontext currentContext;

/// An error with the driver's code.
struct Failure {
  CUresult code;
  std::string message;
};
[[noreturn]] inline void fail(CUresult code, const std::string &message) {
  throw Failure{code, message};
}
inline void require(bool condition, const char *message) {
  if (!condition)
    fail(CUDA_ERROR_INVALID_VALUE, message);
}
CUresult remember(CUresult code, const std::string &message);
/// Code for an error of the interpreter.
CUresult codeOf(const Error &error);

/// Every entry point runs in here: one at a time, exceptions become result codes.
template <class F> CUresult enter(bool needsContext, F body) {
  try {
    std::lock_guard<std::recursive_mutex> lock(state().mutex);
    if (!state().initialized)
      fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called");
    if (needsContext && !currentContext)
      fail(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread");
    body();
    return CUDA_SUCCESS;
  } catch (const Failure &f) {
    return remember(f.code, f.message);
  } catch (const Error &e) {
    return remember(codeOf(e), e.what());
  } catch (const std::bad_alloc &) {
    return remember(CUDA_ERROR_OUT_OF_MEMORY, "no memory");
  }
}

/// The default stream for null and the two special handles.
CUstream_st &streamOf(CUstream stream);
/// Does the work now, or records it when the stream captures.
void submit(CUstream stream, std::function<void()> work);

inline Device &device() { return *state().device; }
/// Device memory lies where no host pointer can.
inline bool isDevice(CUdeviceptr p) { return p >> 52; }

/// The PTX in an image: text, or the first PTX entry of a fatbinary.
std::string ptxOfImage(const void *image);

} // namespace driver
} // namespace ptxsim
#endif
