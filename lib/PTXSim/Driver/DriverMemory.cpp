// Initialisation, devices, contexts and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace ptxsim {
namespace driver {

State &state() {
  static State *instance = new State; // never destroyed: entry points may run at exit
  return *instance;
}
thread_local CUcontext currentContext = nullptr;
static thread_local std::string lastError;

CUresult remember(CUresult code, const std::string &message) {
  lastError = message;
  // A result code cannot say what a kernel or its text did wrong; wrong calls are the program's own
  // business unless it asks.
  bool aboutKernel = code == CUDA_ERROR_LAUNCH_FAILED || code == CUDA_ERROR_INVALID_PTX ||
                     code == CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (aboutKernel || std::getenv("PTXSIM_VERBOSE"))
    std::fprintf(stderr, "ptxsim: %s\n", message.c_str());
  return code;
}

CUresult codeOf(const Error &error) {
  switch (error.kind) {
  case ErrorKind::Syntax:
  case ErrorKind::Unsupported:
    return CUDA_ERROR_INVALID_PTX;
  case ErrorKind::Argument:
    return CUDA_ERROR_INVALID_VALUE;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

/// PTXSIM_RACE=1, PTXSIM_DEFINEDNESS=0, PTXSIM_THREADS=N, PTXSIM_ASYNC=lazy|eager|random.
static Options optionsFromEnvironment() {
  Options o;
  auto invalid = [](const char *name, const char *what, const char *text) {
    std::fprintf(stderr, "ptxsim: expected %s in %s, but got '%s'\n", what, name, text);
    fail(CUDA_ERROR_INVALID_VALUE, std::string("invalid value of ") + name);
  };
  auto number = [&](const char *name, unsigned fallback, unsigned least, unsigned most) {
    const char *text = std::getenv(name);
    if (!text)
      return fallback;
    char *end;
    unsigned long value = std::strtoul(text, &end, 10);
    if (!*text || *end || value < least || value > most)
      invalid(name, "a number in range", text);
    return unsigned(value);
  };
  o.race = number("PTXSIM_RACE", 0, 0, 1);
  o.definedness = number("PTXSIM_DEFINEDNESS", 1, 0, 1);
  o.threads = number("PTXSIM_THREADS", 1, 1, 1024);
  if (const char *mode = std::getenv("PTXSIM_ASYNC")) {
    static const char *const names[] = {"lazy", "eager", "random"};
    auto *found = std::find(std::begin(names), std::end(names), std::string(mode));
    if (found == std::end(names))
      invalid("PTXSIM_ASYNC", "lazy, eager or random", mode);
    o.async = AsyncMode(found - names);
  }
  return o;
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT const char *ptxsimLastError(void) { return lastError.c_str(); }

PTXSIM_EXPORT CUresult cuInit(unsigned flags) {
  if (flags)
    return remember(CUDA_ERROR_INVALID_VALUE, "expected flags of 0");
  std::lock_guard<std::recursive_mutex> lock(state().mutex);
  try {
    if (!state().initialized)
      state().device = std::make_unique<ptxsim::Device>(optionsFromEnvironment());
    state().initialized = true;
    return CUDA_SUCCESS;
  } catch (const Failure &f) {
    return remember(f.code, f.message);
  }
}
PTXSIM_EXPORT CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
PTXSIM_EXPORT CUresult cuGetErrorName(CUresult code, const char **name) {
  static const std::map<CUresult, const char *> names = {{0, "CUDA_SUCCESS"},
                                                         {1, "CUDA_ERROR_INVALID_VALUE"},
                                                         {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                         {3, "CUDA_ERROR_NOT_INITIALIZED"},
                                                         {101, "CUDA_ERROR_INVALID_DEVICE"},
                                                         {201, "CUDA_ERROR_INVALID_CONTEXT"},
                                                         {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                         {218, "CUDA_ERROR_INVALID_PTX"},
                                                         {400, "CUDA_ERROR_INVALID_HANDLE"},
                                                         {500, "CUDA_ERROR_NOT_FOUND"},
                                                         {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                         {801, "CUDA_ERROR_NOT_SUPPORTED"}};
  auto found = names.find(code);
  *name = found == names.end() ? "CUDA_ERROR_UNKNOWN" : found->second;
  return CUDA_SUCCESS;
}
PTXSIM_EXPORT CUresult cuGetErrorString(CUresult code, const char **text) {
  if (code == CUDA_SUCCESS || lastError.empty())
    return cuGetErrorName(code, text);
  *text = lastError.c_str();
  return CUDA_SUCCESS;
}

// --- Devices and contexts -----------------------------------------------------------------------

static void checkDevice(CUdevice device) {
  if (device != 0)
    fail(CUDA_ERROR_INVALID_DEVICE, "the interpreter is device 0");
}
PTXSIM_EXPORT CUresult cuDeviceGetCount(int *count) {
  return enter(false, [&] { *count = 1; });
}
PTXSIM_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return enter(false, [&] {
    checkDevice(ordinal);
    *device = 0;
  });
}
PTXSIM_EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return enter(false, [&] {
    checkDevice(device);
    std::snprintf(name, size_t(length), "PTXSim (%s)", ptxsim::executorName());
  });
}
PTXSIM_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  return enter(false, [&] {
    checkDevice(device);
    *bytes = size_t(64) << 30;
  });
}
PTXSIM_EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  return enter(false, [&] {
    checkDevice(device);
    // Compute capability 9.0: the newest one whose instructions are executed.
    static const std::map<int, int> values = {
        {1, 1024},     {2, 1024},  {3, 1024},    {4, 64},   {5, 2147483647},
        {6, 65535},    {7, 65535}, {8, 49152},   {10, 32},  {12, 65536},
        {13, 1000000}, {16, 1},    {39, 2048},   {75, 9},   {76, 0},
        {81, 233472},  {95, 1},    {97, 232448}, {106, 32}, {120, 1}};
    auto found = values.find(attribute);
    *value = found == values.end() ? 0 : found->second;
  });
}
PTXSIM_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return enter(false, [&] {
    checkDevice(device);
    state().primary.references++;
    *context = &state().primary;
  });
}
PTXSIM_EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return enter(false, [&] {
    checkDevice(device);
    state().primary.references--;
  });
}
PTXSIM_EXPORT CUresult cuCtxCreate_v2(CUcontext *context, unsigned, CUdevice device) {
  return enter(false, [&] {
    checkDevice(device);
    *context = currentContext = &state().primary;
  });
}
PTXSIM_EXPORT CUresult cuCtxDestroy_v2(CUcontext) {
  return enter(false, [&] { currentContext = nullptr; });
}
PTXSIM_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  return enter(false, [&] { currentContext = context; });
}
PTXSIM_EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
  return enter(false, [&] { *context = currentContext; });
}
PTXSIM_EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context) { return cuCtxSetCurrent(context); }
PTXSIM_EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  return enter(false, [&] {
    if (context)
      *context = currentContext;
    currentContext = nullptr;
  });
}
PTXSIM_EXPORT CUresult cuCtxGetDevice(CUdevice *device) {
  return enter(true, [&] { *device = 0; });
}
PTXSIM_EXPORT CUresult cuCtxSynchronize(void) {
  return enter(true, [] {});
}

// --- Memory -------------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  return enter(true, [&] { *pointer = device().allocate(bytes); });
}
PTXSIM_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream) {
  return cuMemAlloc_v2(pointer, bytes);
}
PTXSIM_EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return enter(true, [&] { device().free(pointer); });
}
PTXSIM_EXPORT CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream) {
  return cuMemFree_v2(pointer);
}
PTXSIM_EXPORT CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  return enter(true, [&] { *free = *total = size_t(64) << 30; });
}
PTXSIM_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size,
                                               CUdeviceptr pointer) {
  return enter(true, [&] {
    uint64_t b, s;
    if (!device().find(pointer, &b, &s))
      fail(CUDA_ERROR_NOT_FOUND, "no allocation there");
    if (base)
      *base = b;
    if (size)
      *size = s;
  });
}
PTXSIM_EXPORT CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  return enter(true, [&] {
    std::unique_ptr<uint8_t[]> memory(new uint8_t[bytes]);
    *pointer = memory.get();
    state().hostMemory[*pointer] = std::move(memory);
  });
}
PTXSIM_EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}
PTXSIM_EXPORT CUresult cuMemFreeHost(void *pointer) {
  return enter(
      true, [&] { require(state().hostMemory.erase(pointer), "not allocated by cuMemHostAlloc"); });
}

static void copyAny(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (isDevice(to) && isDevice(from))
    device().copy(to, from, bytes);
  else if (isDevice(to))
    device().write(to, reinterpret_cast<const void *>(from), bytes);
  else if (isDevice(from))
    device().read(reinterpret_cast<void *>(to), from, bytes);
  else
    std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
}
static CUresult copyOn(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return enter(true, [&] { submit(stream, [=] { copyAny(to, from, bytes); }); });
}
template <class P> static CUdeviceptr host(P pointer) {
  return CUdeviceptr(reinterpret_cast<uintptr_t>(pointer));
}
PTXSIM_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t n) {
  return copyOn(to, from, n, nullptr);
}
PTXSIM_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s) {
  return copyOn(to, from, n, s);
}
PTXSIM_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t n) {
  return copyOn(to, host(from), n, nullptr);
}
PTXSIM_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t n,
                                            CUstream s) {
  return copyOn(to, host(from), n, s);
}
PTXSIM_EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t n) {
  return copyOn(host(to), from, n, nullptr);
}
PTXSIM_EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t n, CUstream s) {
  return copyOn(host(to), from, n, s);
}
PTXSIM_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t n) {
  return copyOn(to, from, n, nullptr);
}
PTXSIM_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t n,
                                            CUstream s) {
  return copyOn(to, from, n, s);
}

template <class T> static CUresult setOn(CUdeviceptr to, T value, size_t count, CUstream stream) {
  return enter(true, [&] {
    submit(stream, [=] {
      std::vector<T> data(count, value);
      device().write(to, data.data(), count * sizeof(T));
    });
  });
}
PTXSIM_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char v, size_t n) {
  return setOn(to, v, n, nullptr);
}
PTXSIM_EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char v, size_t n, CUstream s) {
  return setOn(to, v, n, s);
}
PTXSIM_EXPORT CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short v, size_t n) {
  return setOn(to, v, n, nullptr);
}
PTXSIM_EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned v, size_t n) {
  return setOn(to, v, n, nullptr);
}
PTXSIM_EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned v, size_t n, CUstream s) {
  return setOn(to, v, n, s);
}
