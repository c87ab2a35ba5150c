// Streams, events, graph capture and replay, and entry points by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work runs when it is submitted, in program order, which is one of the orders the driver allows. A
// capture records the same order, so a graph is a list.
#include "lib/PTXSim/Driver/DriverState.h"
#include <chrono>
#include <dlfcn.h>

namespace ptxsim {
namespace driver {

CUstream_st &streamOf(CUstream stream) {
  uintptr_t value = reinterpret_cast<uintptr_t>(stream);
  if (value <= 2) // null, legacy and per-thread default stream
    return state().defaultStream;
  if (!state().streams.count(stream))
    fail(CUDA_ERROR_INVALID_HANDLE, "not a stream");
  return *stream;
}

void submit(CUstream stream, std::function<void()> work) {
  CUstream_st &s = streamOf(stream);
  if (s.capture)
    s.capture->nodes.push_back(std::move(work));
  else
    work();
}

static double now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
static CUevent_st &eventOf(CUevent event) {
  if (!state().events.count(event))
    fail(CUDA_ERROR_INVALID_HANDLE, "not an event");
  return *event;
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult cuInit(unsigned flags);

PTXSIM_EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned) {
  return enter(true, [&] { state().streams.insert(*stream = new CUstream_st); });
}
PTXSIM_EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}
PTXSIM_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  return enter(true, [&] {
    if (!state().streams.erase(stream))
      fail(CUDA_ERROR_INVALID_HANDLE, "not a stream");
    delete stream;
  });
}
PTXSIM_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  return enter(true, [&] {
    if (streamOf(stream).capture)
      fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "synchronisation of a stream that captures");
  });
}
PTXSIM_EXPORT CUresult cuStreamQuery(CUstream stream) {
  return enter(true, [&] { streamOf(stream); });
}
PTXSIM_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return enter(true, [&] {
    // Waiting for an event of a capture makes the stream part of it.
    if (eventOf(event).capture)
      streamOf(stream).capture = eventOf(event).capture;
  });
}
PTXSIM_EXPORT CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data) {
  return enter(true, [&] { submit(stream, [=] { function(data); }); });
}

PTXSIM_EXPORT CUresult cuEventCreate(CUevent *event, unsigned) {
  return enter(true, [&] { state().events.insert(*event = new CUevent_st); });
}
PTXSIM_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  return enter(true, [&] {
    eventOf(event);
    state().events.erase(event);
    delete event;
  });
}
PTXSIM_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  return enter(true, [&] {
    CUevent_st &e = eventOf(event);
    e.capture = streamOf(stream).capture;
    e.time = now();
    e.recorded = true;
  });
}
PTXSIM_EXPORT CUresult cuEventSynchronize(CUevent event) {
  return enter(true, [&] { eventOf(event); });
}
PTXSIM_EXPORT CUresult cuEventQuery(CUevent event) {
  return enter(true, [&] { eventOf(event); });
}
PTXSIM_EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  return enter(true, [&] {
    if (!eventOf(from).recorded || !eventOf(to).recorded)
      fail(CUDA_ERROR_INVALID_HANDLE, "the event has not been recorded");
    *milliseconds = float(to->time - from->time);
  });
}
PTXSIM_EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to) {
  return cuEventElapsedTime(milliseconds, from, to);
}

// --- Graphs -------------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  return enter(true, [&] {
    CUstream_st &s = streamOf(stream);
    require(&s != &state().defaultStream && !s.capture,
            "expected a stream other than the default one that does not capture yet");
    s.capture = std::make_shared<CUgraph_st>();
    s.origin = true;
  });
}
PTXSIM_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return enter(true, [&] {
    CUstream_st &s = streamOf(stream);
    if (!s.capture || !s.origin)
      fail(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "no capture began on this stream");
    std::shared_ptr<CUgraph_st> capture = s.capture;
    for (void *other : state().streams)
      if (static_cast<CUstream>(other)->capture == capture)
        static_cast<CUstream>(other)->capture = nullptr;
    s.origin = false;
    state().graphs.insert(*graph = new CUgraph_st(*capture));
  });
}
PTXSIM_EXPORT CUresult cuStreamIsCapturing(CUstream stream, int *status) {
  return enter(true, [&] { *status = streamOf(stream).capture ? 1 : 0; });
}
PTXSIM_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                                   unsigned long long) {
  return enter(true, [&] {
    if (!state().graphs.count(graph))
      fail(CUDA_ERROR_INVALID_HANDLE, "not a graph");
    *exec = new CUgraphExec_st{graph->nodes};
    state().execs.insert(*exec);
  });
}
PTXSIM_EXPORT CUresult cuGraphUpload(CUgraphExec exec, CUstream) {
  return enter(true, [&] { require(state().execs.count(exec), "not an executable graph"); });
}
PTXSIM_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return enter(true, [&] {
    if (!state().execs.count(exec))
      fail(CUDA_ERROR_INVALID_HANDLE, "not an executable graph");
    submit(stream, [=] {
      for (const auto &node : exec->nodes)
        node();
    });
  });
}
PTXSIM_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return enter(true, [&] {
    require(state().execs.erase(exec), "not an executable graph");
    delete exec;
  });
}
PTXSIM_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  return enter(true, [&] {
    require(state().graphs.erase(graph), "not a graph");
    delete graph;
  });
}
PTXSIM_EXPORT CUresult cuGraphGetNodes(CUgraph graph, void *nodes, size_t *count) {
  return enter(true, [&] {
    require(state().graphs.count(graph) && !nodes, "only the number of nodes can be asked for");
    *count = graph->nodes.size();
  });
}

/// This library itself, also when it was opened without making its names global.
static void *ownHandle() {
  static void *handle = [] {
    Dl_info info;
    bool found = dladdr(reinterpret_cast<void *>(&cuInit), &info);
    return found ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : RTLD_DEFAULT;
  }();
  return handle;
}

/// The newest version of an entry point, as the driver returns for a recent cudaVersion.
PTXSIM_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int,
                                           unsigned long long, int *status) {
  return enter(false, [&] {
    require(name && function, "expected a name and a place for the result");
    *function = nullptr;
    for (const char *suffix : {"_v2", "WithFlags", ""})
      if (!*function)
        *function = dlsym(ownHandle(), (std::string(name) + suffix).c_str());
    if (status)
      *status = *function ? 0 : 1;
    if (!*function)
      fail(CUDA_ERROR_NOT_FOUND, std::string("no entry point '") + name + "'");
  });
}
