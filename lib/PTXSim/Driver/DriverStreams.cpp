// Streams, events and captures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work runs at submission, in program order, which is among the orders that the driver allows. A
// capture records the work as nodes of a graph.
#include "lib/PTXSim/Driver/DriverState.h"
#include <algorithm>
#include <chrono>

namespace ptxsim {
namespace driver {

CUstream_st &streamOf(CUstream stream) {
  uintptr_t value = reinterpret_cast<uintptr_t>(stream);
  if (value <= 2) { // null, legacy and per-thread default stream
    CUstream_st &s = state().defaultStreams[currentContext()];
    s.context = currentContext();
    return s;
  }
  if (!state().streams.count(stream))
    fail(CUDA_ERROR_INVALID_HANDLE, "not a stream");
  return *stream;
}

static bool isDefault(const CUstream_st &s) { return !s.id; }

static void invalidate(Capture &capture) { capture.invalid = true; }

/// The default stream would wait for all blocking streams, hence for a capturing stream: an error.
static void checkImplicit() {
  for (CUstream_st *s : state().streams)
    if (s->capture && !(s->flags & CU_STREAM_NON_BLOCKING) && !s->capture->invalid) {
      invalidate(*s->capture);
      fail(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
           "the default stream would wait for a blocking stream that captures");
    }
}

static void checkCapture(CUstream_st &s) {
  if (s.capture && s.capture->invalid)
    fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "an earlier error has ended the capture");
}

void submit(CUstream stream, Work work) {
  CUstream_st &s = streamOf(stream);
  checkCapture(s);
  if (isDefault(s))
    checkImplicit();
  if (!s.capture)
    return work.run();
  auto node = std::make_unique<CUgraphNode_st>();
  node->graph = s.capture->into;
  node->work = std::move(work);
  node->dependencies = s.last;
  s.last = {node.get()};
  s.capture->into->nodes.push_back(std::move(node));
}

void submit(CUstream stream, Work::Type type, std::function<void()> run) {
  Work work;
  work.type = type;
  work.run = std::move(run);
  submit(stream, std::move(work));
}

void forbidDuringCapture(const char *call) {
  for (const auto &weak : state().captures) {
    std::shared_ptr<Capture> capture = weak.lock();
    if (!capture || capture->invalid || capture->ended || capture->mode == 2 ||
        (capture->mode == 1 && capture->thread != std::this_thread::get_id()))
      continue;
    invalidate(*capture);
    fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         std::string(call) + " while a stream captures, which ends the capture");
  }
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
/// Event for host calls: an event recorded in a capture has no time and no state on the host.
static CUevent_st &hostEventOf(CUevent event) {
  CUevent_st &e = eventOf(event);
  if (e.capture) {
    invalidate(*e.capture);
    fail(CUDA_ERROR_CAPTURED_EVENT, "the event was last recorded in a capture");
  }
  return e;
}
/// Stream for host calls that wait for the stream or query the stream.
static CUstream_st &hostStreamOf(CUstream stream, const char *call) {
  CUstream_st &s = streamOf(stream);
  if (s.capture) { // including captures that were invalidated
    invalidate(*s.capture);
    fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
         std::string(call) + " of a stream that captures, which ends the capture");
  }
  if (isDefault(s))
    checkImplicit();
  return s;
}

static void makeStream(CUstream *stream, unsigned flags, int priority) {
  require(stream && flags <= 1, "expected a place for the stream and flags of 0 or 1");
  auto *s = new CUstream_st;
  s->context = currentContext();
  s->flags = flags;
  s->priority = std::max(std::min(priority, 0), -5);
  s->id = state().nextStream++;
  state().streams.insert(*stream = s);
}

/// All transitive dependencies of a node.
static void collectBefore(CUgraphNode_st *node, std::unordered_set<CUgraphNode_st *> &out) {
  std::vector<CUgraphNode_st *> stack{node};
  while (!stack.empty()) {
    CUgraphNode_st *n = stack.back();
    stack.pop_back();
    if (out.insert(n).second)
      stack.insert(stack.end(), n->dependencies.begin(), n->dependencies.end());
  }
}

static void beginCapture(CUstream stream, CUgraph into, int mode) {
  CUstream_st &s = streamOf(stream);
  require(!isDefault(s) && !s.capture && mode >= 0 && mode <= 2,
          "expected a stream other than the default stream, without a capture in progress");
  auto capture = std::make_shared<Capture>();
  if (!into)
    capture->graph = std::make_unique<CUgraph_st>();
  capture->into = into ? into : capture->graph.get();
  capture->origin = &s;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  s.capture = capture;
  s.last.clear();
  auto &captures = state().captures;
  captures.erase(
      std::remove_if(captures.begin(), captures.end(), [](const auto &c) { return c.expired(); }),
      captures.end());
  captures.push_back(capture);
}

static void endCapture(CUstream stream, CUgraph *graph) {
  CUstream_st &s = streamOf(stream);
  *graph = nullptr;
  if (!s.capture || s.capture->origin != &s)
    fail(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "no capture began on this stream");
  std::shared_ptr<Capture> capture = s.capture;
  capture->ended = true;
  std::unordered_set<CUgraphNode_st *> joined;
  for (CUgraphNode_st *node : s.last)
    collectBefore(node, joined);
  bool unjoined = false;
  for (const auto &node : capture->into->nodes)
    unjoined |= !joined.count(node.get()) && capture->graph;
  for (CUstream_st *other : state().streams)
    if (other->capture == capture) {
      other->capture = nullptr;
      other->last.clear();
    }
  for (CUevent_st *event : state().events)
    if (event->capture == capture)
      event->last.clear();
  if (capture->invalid)
    fail(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "an earlier error has ended the capture");
  if (unjoined)
    fail(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
         "work of another stream was not joined before the capture ended");
  *graph = capture->into;
  if (capture->graph)
    state().graphs.insert(capture->graph.release());
}

static void waitFor(CUstream stream, CUevent event) {
  CUstream_st &s = streamOf(stream);
  CUevent_st &e = eventOf(event);
  checkCapture(s);
  if (!e.capture) {
    if (s.capture && e.recorded) {
      invalidate(*s.capture);
      fail(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           "a stream that captures waits for an event from outside the capture");
    }
    return;
  }
  if (e.capture->ended)
    fail(CUDA_ERROR_CAPTURED_EVENT, "the event was recorded in a capture that has ended");
  if (s.capture && s.capture != e.capture)
    fail(CUDA_ERROR_STREAM_CAPTURE_MERGE, "the stream and the event belong to two captures");
  require(!isDefault(s), "the default stream cannot take part in a capture");
  s.capture = e.capture; // waiting for a captured event joins the stream to the capture
  for (CUgraphNode_st *node : e.last)
    if (!std::count(s.last.begin(), s.last.end(), node))
      s.last.push_back(node);
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return enter([&] { makeStream(stream, flags, 0); });
}
PTXSIM_EXPORT CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority) {
  return enter([&] { makeStream(stream, flags, priority); });
}
PTXSIM_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  return enter([&] {
    CUstream_st &s = streamOf(stream);
    if (isDefault(s))
      fail(CUDA_ERROR_INVALID_HANDLE, "expected a stream other than the default stream");
    if (s.capture)
      invalidate(*s.capture);
    state().streams.erase(stream);
    delete stream;
  });
}
PTXSIM_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  return enter([&] { hostStreamOf(stream, "cuStreamSynchronize"); });
}
PTXSIM_EXPORT CUresult cuStreamQuery(CUstream stream) {
  return enter([&] { hostStreamOf(stream, "cuStreamQuery"); });
}
PTXSIM_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return enter([&] { waitFor(stream, event); });
}
PTXSIM_EXPORT CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  return enter([&] { *flags = streamOf(stream).flags; });
}
PTXSIM_EXPORT CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  return enter([&] { *priority = streamOf(stream).priority; });
}
PTXSIM_EXPORT CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  return enter([&] { *id = streamOf(stream).id; });
}
PTXSIM_EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  return enter([&] { *context = streamOf(stream).context; });
}
PTXSIM_EXPORT CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  return enter([&] { *device = streamOf(stream).context->device->ordinal; });
}
PTXSIM_EXPORT CUresult cuLaunchHostFunc(CUstream stream, void (*function)(void *), void *data) {
  return enter([&] {
    require(function, "expected a function");
    submit(stream, Work::Host, [=] { function(data); });
  });
}
PTXSIM_EXPORT CUresult cuStreamAddCallback(CUstream stream, void (*f)(CUstream, CUresult, void *),
                                           void *data, unsigned) {
  return enter([&] {
    hostStreamOf(stream, "cuStreamAddCallback");
    f(stream, CUDA_SUCCESS, data);
  });
}

// --- Events -------------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags) {
  return enter([&] {
    require(event, "expected a place for the event");
    auto *e = new CUevent_st;
    e->context = currentContext();
    e->flags = flags;
    state().events.insert(*event = e);
  });
}
PTXSIM_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  return enter([&] {
    eventOf(event);
    state().events.erase(event);
    delete event;
  });
}
PTXSIM_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  return enter([&] {
    CUevent_st &e = eventOf(event);
    CUstream_st &s = streamOf(stream);
    checkCapture(s);
    e.capture = s.capture;
    e.last = s.capture ? s.last : std::vector<CUgraphNode_st *>();
    e.recorded = !s.capture;
    e.time = now();
  });
}
/// Flag 1 makes the event of a capture external: recorded again at every launch of the graph.
PTXSIM_EXPORT CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  if (!(flags & 1))
    return cuEventRecord(event, stream);
  return enter([&] {
    CUevent_st *e = &eventOf(event);
    e->capture = nullptr;
    submit(stream, Work::RecordEvent, [e] {
      if (!state().events.count(e))
        return;
      e->recorded = true;
      e->time = now();
    });
  });
}
PTXSIM_EXPORT CUresult cuEventSynchronize(CUevent event) {
  return enter([&] { hostEventOf(event); });
}
PTXSIM_EXPORT CUresult cuEventQuery(CUevent event) {
  return enter([&] { hostEventOf(event); });
}
PTXSIM_EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  return enter([&] {
    CUevent_st &a = hostEventOf(from), &b = hostEventOf(to);
    if (!a.recorded || !b.recorded || (a.flags | b.flags) & CU_EVENT_DISABLE_TIMING)
      fail(CUDA_ERROR_INVALID_HANDLE, "the event has not been recorded, or takes no time");
    *milliseconds = float(b.time - a.time);
  });
}
PTXSIM_EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to) {
  return cuEventElapsedTime(milliseconds, from, to);
}

// --- Captures -----------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  return enter([&] { beginCapture(stream, nullptr, mode); });
}
PTXSIM_EXPORT CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                                   const CUgraphNode *dependencies, const void *,
                                                   size_t count, int mode) {
  return enter([&] {
    require(state().graphs.count(graph), "not a graph");
    beginCapture(stream, graph, mode);
    stream->last.assign(dependencies, dependencies + count);
  });
}
PTXSIM_EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return enter([&] { endCapture(stream, graph); });
}
static int captureStatus(const CUstream_st &s) {
  return !s.capture ? 0 : s.capture->invalid ? 2 : 1;
}
PTXSIM_EXPORT CUresult cuStreamIsCapturing(CUstream stream, int *status) {
  return enter([&] { *status = captureStatus(streamOf(stream)); });
}
PTXSIM_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream stream, int *status,
                                                 unsigned long long *id, CUgraph *graph,
                                                 const CUgraphNode **dependencies, size_t *count) {
  return enter([&] {
    CUstream_st &s = streamOf(stream);
    *status = captureStatus(s);
    if (!s.capture)
      return;
    if (id)
      *id = reinterpret_cast<uintptr_t>(s.capture.get());
    if (graph)
      *graph = s.capture->into;
    if (dependencies)
      *dependencies = s.last.data();
    if (count)
      *count = s.last.size();
  });
}
PTXSIM_EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream stream, int *status,
                                                 unsigned long long *id, CUgraph *graph,
                                                 const CUgraphNode **dependencies,
                                                 const void **edges, size_t *count) {
  if (edges)
    *edges = nullptr;
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies, count);
}
PTXSIM_EXPORT CUresult cuThreadExchangeStreamCaptureMode(int *mode) {
  return enter(Needs::Driver, [&] {
    thread_local int own = 0;
    require(mode && *mode >= 0 && *mode <= 2, "expected a capture mode");
    std::swap(own, *mode);
  });
}
