// Allocations, pinned and managed host memory, and pointer attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include "lib/PTXSim/Machine/Memory.h"
#include <cstdlib>

namespace ptxsim {
namespace driver {

Device &ownerOf(CUdeviceptr p) {
  uint64_t ordinal = (p - globalBase) >> deviceShift;
  require(ordinal < state().devices.size(), "expected an address of device memory");
  return *state().devices[ordinal]->device;
}

/// Held memory that contains the address, or end().
static std::map<CUdeviceptr, HeldMemory>::iterator holding(CUdeviceptr p) {
  auto &memory = state().memory;
  auto it = memory.upper_bound(p);
  if (it == memory.begin())
    return memory.end();
  --it;
  return p - it->first < it->second.bytes ? it : memory.end();
}

static CUdeviceptr allocate(size_t bytes) {
  DeviceState &d = currentDevice();
  require(bytes > 0, "expected an allocation of at least 1 byte");
  if (bytes > state().settings.memory - d.used)
    fail(CUDA_ERROR_OUT_OF_MEMORY, std::to_string(bytes) +
                                       " bytes do not fit: " + std::to_string(d.used) + " of " +
                                       std::to_string(state().settings.memory) + " are in use");
  CUdeviceptr pointer = 0;
  try {
    pointer = d.device->allocate(bytes);
  } catch (const Error &e) {
    fail(CUDA_ERROR_OUT_OF_MEMORY, e.what());
  }
  d.used += bytes;
  state().memory[pointer] = {currentContext(), bytes, HeldMemory::OnDevice};
  return pointer;
}

static void *host(CUdeviceptr p) { return reinterpret_cast<void *>(uintptr_t(p)); }

/// Maps host memory to all devices at the host's address.
static void holdHost(void *pointer, size_t bytes, HeldMemory::Kind kind) {
  for (const auto &d : state().devices)
    d->device->mapHost(pointer, bytes, kind == HeldMemory::Managed ? "managed memory" : "");
  state().memory[uintptr_t(pointer)] = {currentContext(), bytes, kind};
}
static void *allocateHost(size_t bytes, HeldMemory::Kind kind) {
  require(bytes > 0, "expected an allocation of at least 1 byte");
  constexpr size_t alignment = 512;
  void *pointer = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!pointer)
    fail(CUDA_ERROR_OUT_OF_MEMORY, "no host memory of " + std::to_string(bytes) + " bytes");
  holdHost(pointer, bytes, kind);
  return pointer;
}

void freeMemory(CUdeviceptr pointer) {
  auto it = state().memory.find(pointer);
  require(it != state().memory.end(), "expected the start of an allocation");
  HeldMemory held = it->second;
  state().memory.erase(it);
  if (held.kind == HeldMemory::OnDevice) {
    held.context->device->used -= held.bytes;
    ownerOf(pointer).free(pointer);
    return;
  }
  for (const auto &d : state().devices)
    d->device->free(pointer);
  if (held.kind != HeldMemory::Registered)
    std::free(host(pointer));
}

/// Frees memory that a call of kind `a` or `b` allocated, and no other memory.
static void freeOfKind(CUdeviceptr pointer, HeldMemory::Kind a, HeldMemory::Kind b) {
  auto it = state().memory.find(pointer);
  require(it != state().memory.end() && (it->second.kind == a || it->second.kind == b),
          "expected the start of an allocation of this kind");
  freeMemory(pointer);
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  return enter([&] {
    forbidDuringCapture("cuMemAlloc");
    *pointer = allocate(bytes);
  });
}
PTXSIM_EXPORT CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width,
                                          size_t height, unsigned) {
  return enter([&] {
    forbidDuringCapture("cuMemAllocPitch");
    size_t row = (width + 511) / 512 * 512;
    require(width && height && row <= SIZE_MAX / height, "expected rows that fit memory");
    *pointer = allocate(row * height);
    *pitch = row;
  });
}
PTXSIM_EXPORT CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned) {
  return enter([&] {
    forbidDuringCapture("cuMemAllocManaged");
    *pointer = uintptr_t(allocateHost(bytes, HeldMemory::Managed));
  });
}
PTXSIM_EXPORT CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return enter([&] {
    if (pointer)
      freeOfKind(pointer, HeldMemory::OnDevice, HeldMemory::Managed);
  });
}
PTXSIM_EXPORT CUresult cuMemGetInfo_v2(size_t *free, size_t *total) {
  return enter([&] {
    *total = state().settings.memory;
    *free = *total - currentDevice().used;
  });
}
PTXSIM_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size,
                                               CUdeviceptr pointer) {
  return enter([&] {
    auto held = holding(pointer);
    if (held == state().memory.end())
      fail(CUDA_ERROR_NOT_FOUND, "no allocation there");
    if (base)
      *base = held->first;
    if (size)
      *size = held->second.bytes;
  });
}

// --- Host memory --------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  return enter([&] {
    forbidDuringCapture("cuMemHostAlloc");
    *pointer = allocateHost(bytes, HeldMemory::Pinned);
  });
}
PTXSIM_EXPORT CUresult cuMemAllocHost_v2(void **pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}
PTXSIM_EXPORT CUresult cuMemFreeHost(void *pointer) {
  return enter([&] { freeOfKind(uintptr_t(pointer), HeldMemory::Pinned, HeldMemory::Pinned); });
}
PTXSIM_EXPORT CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned) {
  return enter([&] {
    require(pointer && bytes, "expected host memory of at least 1 byte");
    if (holding(uintptr_t(pointer)) != state().memory.end())
      fail(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "the memory is registered already");
    holdHost(pointer, bytes, HeldMemory::Registered);
  });
}
PTXSIM_EXPORT CUresult cuMemHostUnregister(void *pointer) {
  return enter([&] {
    auto it = state().memory.find(uintptr_t(pointer));
    if (it == state().memory.end() || it->second.kind != HeldMemory::Registered)
      fail(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "the memory is not registered");
    freeMemory(uintptr_t(pointer));
  });
}
PTXSIM_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *pointer, unsigned) {
  return enter([&] {
    require(holding(uintptr_t(pointer)) != state().memory.end(),
            "expected memory of cuMemHostAlloc or cuMemHostRegister");
    *device = uintptr_t(pointer);
  });
}
PTXSIM_EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *pointer) {
  return enter([&] {
    require(holding(uintptr_t(pointer)) != state().memory.end(),
            "expected memory of cuMemHostAlloc or cuMemHostRegister");
    *flags = 2; // mapped
  });
}
/// Managed memory is host memory: hints move nothing.
PTXSIM_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream) {
  return enter([] {});
}
PTXSIM_EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr, size_t, uint64_t, unsigned, CUstream) {
  return enter([] {});
}
PTXSIM_EXPORT CUresult cuMemAdvise(CUdeviceptr, size_t, int, CUdevice) {
  return enter([] {});
}
PTXSIM_EXPORT CUresult cuMemAdvise_v2(CUdeviceptr, size_t, int, uint64_t) {
  return enter([] {});
}
PTXSIM_EXPORT CUresult cuStreamAttachMemAsync(CUstream, CUdeviceptr, size_t, unsigned) {
  return enter([] {});
}

// --- Pools --------------------------------------------------------------------------------------
// Stream-ordered allocation is immediate: work runs when submitted.

struct CUmemPool_st {
  uint64_t attributes[16] = {};
};
static CUmemPool_st defaultPool;

PTXSIM_EXPORT CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  return enter([&] {
    if (streamOf(stream).capture)
      fail(CUDA_ERROR_NOT_SUPPORTED, "allocations in graphs are not supported");
    *pointer = allocate(bytes);
  });
}
PTXSIM_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool,
                                               CUstream stream) {
  return cuMemAllocAsync(pointer, bytes, stream);
}
PTXSIM_EXPORT CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return enter([&] {
    if (streamOf(stream).capture)
      fail(CUDA_ERROR_NOT_SUPPORTED, "frees in graphs are not supported");
    freeOfKind(pointer, HeldMemory::OnDevice, HeldMemory::Managed);
  });
}
PTXSIM_EXPORT CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  return enter(Needs::Driver, [&] {
    deviceOf(device);
    *pool = &defaultPool;
  });
}
PTXSIM_EXPORT CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}
PTXSIM_EXPORT CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return enter(Needs::Driver, [&] {
    deviceOf(device);
    require(pool == &defaultPool, "only the default pool exists");
  });
}
/// Attributes 1 to 3 and from 9 on have 4 bytes, all others 8.
PTXSIM_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value) {
  return enter(Needs::Driver, [&] {
    require(pool == &defaultPool && attribute >= 1 && attribute <= 8 && value,
            "expected the default pool and an attribute of memory pools");
    pool->attributes[attribute] =
        attribute <= 3 ? uint64_t(*static_cast<int *>(value)) : *static_cast<uint64_t *>(value);
  });
}
PTXSIM_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value) {
  return enter(Needs::Driver, [&] {
    require(pool == &defaultPool && attribute >= 1 && attribute <= 8 && value,
            "expected the default pool and an attribute of memory pools");
    if (attribute <= 3)
      *static_cast<int *>(value) = int(pool->attributes[attribute]);
    else
      *static_cast<uint64_t *>(value) = pool->attributes[attribute];
  });
}
PTXSIM_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool, size_t) {
  return enter(Needs::Driver, [] {});
}

// --- Pointers -----------------------------------------------------------------------------------

/// Writes an attribute; false if the pointer or the attribute is unknown.
static bool pointerAttribute(void *data, int attribute, CUdeviceptr pointer) {
  auto held = holding(pointer);
  bool known = held != state().memory.end();
  HeldMemory none, &m = known ? held->second : none;
  bool onDevice = m.kind == HeldMemory::OnDevice;
  auto put = [&](auto value) {
    *static_cast<decltype(value) *>(data) = value;
    return known;
  };
  switch (attribute) {
  case 1:
    return put(m.context);
  case 2:
    return put(unsigned(!known                                      ? 0
                        : onDevice || m.kind == HeldMemory::Managed ? CU_MEMORYTYPE_DEVICE
                                                                    : CU_MEMORYTYPE_HOST));
  case 3:
    return put(CUdeviceptr(known ? pointer : 0));
  case 4: // device memory has no host pointer
    *static_cast<void **>(data) = known && !onDevice ? host(pointer) : nullptr;
    return known && !onDevice;
  case 7:
    return put(static_cast<unsigned long long>(known ? held->first : 0));
  case 8:
    return put(known && m.kind == HeldMemory::Managed);
  case 9:
    return put(known ? m.context->device->ordinal : -2);
  case 11:
    return put(CUdeviceptr(known ? held->first : 0));
  case 12:
    return put(size_t(known ? m.bytes : 0));
  case 13:
    return put(known);
  default:
    fail(CUDA_ERROR_INVALID_VALUE, "unknown attribute " + std::to_string(attribute));
  }
}
PTXSIM_EXPORT CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr pointer) {
  return enter([&] {
    require(data && pointerAttribute(data, attribute, pointer), "not memory of this driver");
  });
}
/// Unlike cuPointerGetAttribute, accepts pointers unknown to the driver.
PTXSIM_EXPORT CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **data,
                                              CUdeviceptr pointer) {
  return enter([&] {
    require(attributes && data, "expected attributes and pointers to results");
    for (unsigned k = 0; k < count; k++)
      pointerAttribute(data[k], attributes[k], pointer);
  });
}
