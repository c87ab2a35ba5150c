// Initialisation, devices and contexts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Shown.h"
#include "lib/PTXSim/Driver/DriverState.h"
#include <cstdio>
#include <cstdlib>

namespace ptxsim {
namespace driver {

State &state() {
  static State *instance = new State; // never destroyed: entry points may run at exit
  return *instance;
}
std::vector<CUctx_st *> &contextStack() {
  thread_local std::vector<CUctx_st *> stack;
  return stack;
}
static thread_local std::string lastError;

void say(const std::string &message) {
  std::fprintf(stderr, "ptxsim: %s\n", ampc::inMessage(message).c_str());
}

CUresult remember(CUresult code, const std::string &message) {
  lastError = message;
  // Prints errors of modules: a result code cannot carry the message of the parser. Wrong calls are
  // printed only with PTXSIM_VERBOSE.
  switch (code) {
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    say(message);
    break;
  default:
    if (std::getenv("PTXSIM_VERBOSE"))
      say(message);
  }
  return code;
}

CUresult codeOfKernel(const Error &error) {
  switch (error.kind) {
  case ErrorKind::OutOfBounds:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case ErrorKind::Misaligned:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case ErrorKind::Instruction:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case ErrorKind::Deadlock:
  case ErrorKind::Budget:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}
CUresult codeOfCall(const Error &error) {
  bool text = error.kind == ErrorKind::Syntax || error.kind == ErrorKind::Unsupported;
  return text ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_VALUE;
}

void checkInitialized() {
  if (!state().initialized)
    fail(CUDA_ERROR_NOT_INITIALIZED, "cuInit has not been called");
}

void checkContext() {
  CUctx_st *context = currentContext();
  if (!context)
    fail(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread");
  bool known = state().contexts.count(context);
  for (const auto &device : state().devices)
    known |= context == &device->primary;
  if (!known || !context->alive())
    fail(CUDA_ERROR_CONTEXT_IS_DESTROYED, "the current context has been destroyed or released");
  if (context->sticky)
    fail(context->sticky, "an earlier error of this context: " + context->stickyMessage);
}

DeviceState &deviceOf(CUdevice ordinal) {
  if (ordinal < 0 || size_t(ordinal) >= state().devices.size())
    fail(CUDA_ERROR_INVALID_DEVICE, "expected one of " + std::to_string(state().devices.size()) +
                                        " devices, but got " + std::to_string(ordinal));
  return *state().devices[size_t(ordinal)];
}

static void makeDevices(State &s) {
  for (const Chip &chip : chips())
    for (unsigned k = 0; chip.capability == s.settings.capability && k < s.settings.devices; k++) {
      auto d = std::make_unique<DeviceState>();
      d->ordinal = int(k);
      d->chip = chip;
      if (s.settings.multiprocessors)
        d->chip.multiprocessors = s.settings.multiprocessors;
      if (!s.settings.memory)
        s.settings.memory = uint64_t(chip.gibibytes) << 30;
      Options options = s.settings.options;
      options.multiprocessors = d->chip.multiprocessors;
      d->device = std::make_unique<Device>(options, k);
      d->primary.device = d.get();
      d->primary.primary = true;
      s.devices.push_back(std::move(d));
    }
}

static void destroyOf(CUctx_st *context) {
  State &s = state();
  auto drop = [&](auto &set) {
    for (auto it = set.begin(); it != set.end();)
      if ((*it)->context == context) {
        delete *it;
        it = set.erase(it);
      } else {
        ++it;
      }
  };
  drop(s.streams);
  drop(s.events);
  std::vector<CUmod_st *> modules;
  for (CUmod_st *module : s.modules)
    if (module->context == context)
      modules.push_back(module);
  for (CUmod_st *module : modules)
    destroyModule(module);
  std::vector<CUdeviceptr> memory;
  for (const auto &entry : s.memory)
    if (entry.second.context == context && entry.second.kind != HeldMemory::Registered)
      memory.push_back(entry.first);
  for (CUdeviceptr pointer : memory)
    freeMemory(pointer);
  s.defaultStreams.erase(context);
  context->sticky = CUDA_SUCCESS;
  context->stickyMessage.clear();
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT const char *ptxsimLastError(void) { return lastError.c_str(); }

PTXSIM_EXPORT CUresult cuInit(unsigned flags) {
  if (flags)
    return remember(CUDA_ERROR_INVALID_VALUE, "expected flags of 0");
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  State &s = state();
  if (s.initialized)
    return CUDA_SUCCESS;
  try {
    s.settings = readEnvironment();
    makeDevices(s);
  } catch (const ptxsim::Error &e) {
    say(e.what());
    return remember(CUDA_ERROR_INVALID_VALUE, e.what());
  }
  if (s.devices.empty())
    return remember(CUDA_ERROR_NO_DEVICE, "PTXSIM_DEVICES is 0");
  s.initialized = true;
  std::atexit([] {
    reportLeaks(nullptr, "at exit");
    if (!state().settings.report.empty())
      ptxsimWriteReport();
  });
  return CUDA_SUCCESS;
}
PTXSIM_EXPORT CUresult cuDriverGetVersion(int *version) {
  return enter(Needs::Nothing, [&] {
    require(version, "expected a place for the version");
    *version = 13000;
  });
}

static const char *nameOf(CUresult code) {
  switch (code) {
#define PTXSIM_RESULT(name, value)                                                                 \
  case value:                                                                                      \
    return #name;
    PTXSIM_RESULTS(PTXSIM_RESULT)
#undef PTXSIM_RESULT
  default:
    return nullptr;
  }
}
PTXSIM_EXPORT CUresult cuGetErrorName(CUresult code, const char **name) {
  *name = nameOf(code);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
/// Message of this thread's last error, if that had this code; else the code's name.
PTXSIM_EXPORT CUresult cuGetErrorString(CUresult code, const char **text) {
  if (code == CUDA_SUCCESS || lastError.empty())
    return cuGetErrorName(code, text);
  *text = lastError.c_str();
  return CUDA_SUCCESS;
}

// --- Devices ------------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuDeviceGetCount(int *count) {
  return enter(Needs::Driver, [&] { *count = int(state().devices.size()); });
}
PTXSIM_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return enter(Needs::Driver, [&] { *device = deviceOf(ordinal).ordinal; });
}
PTXSIM_EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return enter(Needs::Driver, [&] {
    require(name && length > 0, "expected room for the name");
    std::snprintf(name, size_t(length), "PTXSim %s (%s)", deviceOf(device).chip.name,
                  ptxsim::executorName());
  });
}
PTXSIM_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return enter(Needs::Driver, [&] {
    CUuuid id = {{'p', 't', 'x', 's', 'i', 'm'}};
    id.bytes[15] = char(deviceOf(device).ordinal + 1);
    *uuid = id;
  });
}
PTXSIM_EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return cuDeviceGetUuid_v2(uuid, device);
}
PTXSIM_EXPORT CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
  return enter(Needs::Driver, [&] {
    require(text && length > 12, "expected room for 13 characters");
    std::snprintf(text, size_t(length), "0000:%02x:00.0", unsigned(deviceOf(device).ordinal + 1));
  });
}
PTXSIM_EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
  return enter(Needs::Driver, [&] {
    unsigned bus = 0;
    if (std::sscanf(text, "%*x:%x:%*x", &bus) != 1)
      require(std::sscanf(text, "%x:%*x", &bus) == 1, "expected domain:bus:device.function");
    *device = deviceOf(int(bus) - 1).ordinal;
  });
}
PTXSIM_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return enter(Needs::Driver, [&] {
    deviceOf(device);
    *bytes = state().settings.memory;
  });
}
PTXSIM_EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  return enter(Needs::Driver, [&] {
    const DeviceState &d = deviceOf(device);
    require(value && attributeOf(d.chip, d.ordinal, attribute, *value),
            "unknown attribute " + std::to_string(attribute));
  });
}
PTXSIM_EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  return enter(Needs::Driver, [&] {
    unsigned capability = deviceOf(device).chip.capability;
    *major = int(capability / 10);
    *minor = int(capability % 10);
  });
}
PTXSIM_EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  return enter(Needs::Driver, [&] {
    deviceOf(device);
    deviceOf(peer);
    *can = 0;
  });
}
PTXSIM_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  return enter([] { fail(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported"); });
}

// --- Contexts -----------------------------------------------------------------------------------

static void checkHandle(CUcontext context) {
  bool known = state().contexts.count(context);
  for (const auto &d : state().devices)
    known |= context == &d->primary;
  if (!known)
    fail(CUDA_ERROR_INVALID_CONTEXT, "not a context");
}

PTXSIM_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return enter(Needs::Driver, [&] {
    CUctx_st &primary = deviceOf(device).primary;
    primary.references++;
    *context = &primary;
  });
}
PTXSIM_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return enter(Needs::Driver, [&] {
    CUctx_st &primary = deviceOf(device).primary;
    if (primary.references == 0)
      fail(CUDA_ERROR_INVALID_CONTEXT, "the primary context is not retained");
    if (primary.references == 1) {
      reportLeaks(&primary, "when the primary context was released");
      destroyOf(&primary);
    }
    primary.references--;
  });
}
PTXSIM_EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return enter(Needs::Driver, [&] {
    reportLeaks(&deviceOf(device).primary, "when the primary context was reset");
    destroyOf(&deviceOf(device).primary);
  });
}
PTXSIM_EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return enter(Needs::Driver, [&] { deviceOf(device).primary.flags = flags; });
}
PTXSIM_EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
  return enter(Needs::Driver, [&] {
    *flags = deviceOf(device).primary.flags;
    *active = deviceOf(device).primary.references > 0;
  });
}
PTXSIM_EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device) {
  return enter(Needs::Driver, [&] {
    auto *created = new CUctx_st;
    created->device = &deviceOf(device);
    created->flags = flags;
    state().contexts.insert(created);
    contextStack().push_back(created);
    *context = created;
  });
}
PTXSIM_EXPORT CUresult cuCtxCreate_v4(CUcontext *context, void *parameters, unsigned flags,
                                      CUdevice device) {
  return enter(Needs::Driver, [&] {
    require(!parameters, "parameters of contexts are not supported");
    CUresult result = cuCtxCreate_v2(context, flags, device);
    if (result != CUDA_SUCCESS)
      fail(result, lastError);
  });
}
PTXSIM_EXPORT CUresult cuCtxDestroy_v2(CUcontext context) {
  return enter(Needs::Driver, [&] {
    checkHandle(context);
    if (context->primary)
      fail(CUDA_ERROR_INVALID_CONTEXT, "a primary context is released, not destroyed");
    reportLeaks(context, "when the context was destroyed");
    destroyOf(context);
    state().contexts.erase(context);
    if (currentContext() == context)
      contextStack().pop_back();
    delete context;
  });
}
PTXSIM_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  return enter(Needs::Driver, [&] {
    if (context)
      checkHandle(context);
    if (!contextStack().empty())
      contextStack().pop_back();
    if (context)
      contextStack().push_back(context);
  });
}
PTXSIM_EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
  return enter(Needs::Driver, [&] { *context = currentContext(); });
}
PTXSIM_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return enter(Needs::Driver, [&] {
    checkHandle(context);
    contextStack().push_back(context);
  });
}
PTXSIM_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  return enter(Needs::Driver, [&] {
    if (!currentContext())
      fail(CUDA_ERROR_INVALID_CONTEXT, "no context is current in this thread");
    if (context)
      *context = currentContext();
    contextStack().pop_back();
  });
}
PTXSIM_EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  return enter([&] { *device = currentDevice().ordinal; });
}
PTXSIM_EXPORT CUresult cuCtxGetFlags(unsigned *flags) {
  return enter([&] { *flags = currentContext()->flags; });
}
PTXSIM_EXPORT CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  return enter([&] { *id = reinterpret_cast<uintptr_t>(context ? context : currentContext()); });
}
PTXSIM_EXPORT CUresult cuCtxGetApiVersion(CUcontext, unsigned *version) {
  return enter([&] { *version = 13000; });
}
PTXSIM_EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  return enter([&] {
    if (least)
      *least = 0;
    if (greatest)
      *greatest = -5;
  });
}
/// Stack size, printf buffer and heap: stored and returned, without effect.
static size_t limits[3] = {1024, 1 << 20, 8 << 20};
PTXSIM_EXPORT CUresult cuCtxGetLimit(size_t *value, int limit) {
  return enter([&] {
    if (limit < 0 || limit > 2)
      fail(CUDA_ERROR_UNSUPPORTED_LIMIT, "unknown limit " + std::to_string(limit));
    *value = limits[limit];
  });
}
PTXSIM_EXPORT CUresult cuCtxSetLimit(int limit, size_t value) {
  return enter([&] {
    if (limit < 0 || limit > 2)
      fail(CUDA_ERROR_UNSUPPORTED_LIMIT, "unknown limit " + std::to_string(limit));
    limits[limit] = value;
  });
}
PTXSIM_EXPORT CUresult cuCtxSetCacheConfig(int) {
  return enter([] {});
}
PTXSIM_EXPORT CUresult cuCtxGetCacheConfig(int *config) {
  return enter([&] { *config = 0; });
}
PTXSIM_EXPORT CUresult cuCtxResetPersistingL2Cache(void) {
  return enter([] {});
}
PTXSIM_EXPORT CUresult cuCtxSynchronize(void) {
  return enter([] { forbidDuringCapture("cuCtxSynchronize"); });
}
