// Copies, fills, and marks of memory (undefined, defined, red zone).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"

namespace ptxsim {
namespace driver {

void copyAny(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  countCopy(to, from, bytes);
  if (bytes == 0)
    return;
  if (isDevice(to) && isDevice(from)) {
    if (&ownerOf(to) == &ownerOf(from))
      return ownerOf(to).copy(to, from, bytes);
    std::vector<uint8_t> between(bytes);
    ownerOf(from).read(between.data(), from, bytes);
    ownerOf(to).write(to, between.data(), bytes);
  } else if (isDevice(to)) {
    require(from, "expected host memory, but got a null pointer");
    ownerOf(to).write(to, reinterpret_cast<const void *>(from), bytes);
  } else if (isDevice(from)) {
    require(to, "expected host memory, but got a null pointer");
    ownerOf(from).read(reinterpret_cast<void *>(to), from, bytes);
  } else {
    require(to && from, "expected host memory, but got a null pointer");
    std::memmove(reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
  }
}

/// First byte of one operand of a copy, and strides between rows and layers.
struct Side {
  CUdeviceptr base;
  size_t row, layer;
};
static Side sideOf(const CUcopySide3D &s, const CUDA_MEMCPY3D &copy) {
  Side side;
  switch (s.memoryType) {
  case CU_MEMORYTYPE_HOST:
    side.base = uintptr_t(s.host);
    break;
  case CU_MEMORYTYPE_DEVICE:
  case CU_MEMORYTYPE_UNIFIED:
    side.base = s.device;
    break;
  default:
    fail(CUDA_ERROR_NOT_SUPPORTED, "expected a copy between linear memory, but got an array");
  }
  size_t pitch = s.pitch ? s.pitch : copy.widthInBytes + s.xInBytes;
  size_t height = s.height ? s.height : copy.height + s.y;
  require(pitch >= copy.widthInBytes + s.xInBytes || (copy.height == 1 && copy.depth == 1),
          "expected a pitch of at least the width, but got " + std::to_string(pitch));
  side.row = pitch;
  side.layer = pitch * height;
  side.base += s.z * side.layer + s.y * side.row + s.xInBytes;
  return side;
}

void copyRows(const CUDA_MEMCPY3D &copy) {
  Side from = sideOf(copy.src, copy), to = sideOf(copy.dst, copy);
  for (size_t z = 0; z < copy.depth; z++)
    for (size_t y = 0; y < copy.height; y++)
      copyAny(to.base + z * to.layer + y * to.row, from.base + z * from.layer + y * from.row,
              copy.widthInBytes);
}

static void fillRow(CUdeviceptr to, unsigned value, unsigned size, size_t count) {
  if (count == 0)
    return;
  require(to % size == 0, "expected an address that is a multiple of the element size");
  std::vector<uint8_t> data(size * count);
  for (size_t k = 0; k < data.size(); k++)
    data[k] = uint8_t(value >> 8 * (k % size));
  if (isDevice(to))
    ownerOf(to).write(to, data.data(), data.size());
  else
    std::memcpy(reinterpret_cast<void *>(to), data.data(), data.size());
}
void fillRows(const CUDA_MEMSET_NODE_PARAMS &fill) {
  for (size_t y = 0; y < fill.height; y++)
    fillRow(fill.dst + y * fill.pitch, fill.value, fill.elementSize, fill.width);
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

static CUresult copyOn(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return enter([&] { submit(stream, Work::Copy, [=] { copyAny(to, from, bytes); }); });
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
PTXSIM_EXPORT CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                                    size_t n) {
  return copyOn(to, from, n, nullptr);
}
PTXSIM_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                                         size_t n, CUstream s) {
  return copyOn(to, from, n, s);
}

// --- Rows ---------------------------------------------------------------------------------------

static CUDA_MEMCPY3D oneLayer(const CUDA_MEMCPY2D &c) {
  auto side = [](const CUcopySide2D &s) {
    return CUcopySide3D{s.xInBytes, s.y,     0,       0, s.memoryType, s.host, s.device,
                        s.array,    nullptr, s.pitch, 0};
  };
  return {side(c.src), side(c.dst), c.widthInBytes, c.height, 1};
}
static CUresult copyRowsOn(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return enter([&] {
    require(copy, "expected the parameters of a copy");
    CUDA_MEMCPY3D c = *copy;
    submit(stream, Work::Copy, [=] { copyRows(c); });
  });
}
PTXSIM_EXPORT CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  return copyRowsOn(copy, nullptr);
}
PTXSIM_EXPORT CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return copyRowsOn(copy, stream);
}
PTXSIM_EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  if (!copy)
    return copyRowsOn(nullptr, stream);
  CUDA_MEMCPY3D c = oneLayer(*copy);
  return copyRowsOn(&c, stream);
}
PTXSIM_EXPORT CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2DAsync_v2(copy, nullptr);
}
PTXSIM_EXPORT CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return cuMemcpy2DAsync_v2(copy, nullptr);
}

// --- Fills --------------------------------------------------------------------------------------

static CUresult fillOn(const CUDA_MEMSET_NODE_PARAMS &fill, CUstream stream) {
  return enter([&] { submit(stream, Work::Fill, [=] { fillRows(fill); }); });
}
PTXSIM_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char v, size_t n) {
  return fillOn({to, 0, v, 1, n, 1}, nullptr);
}
PTXSIM_EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char v, size_t n, CUstream s) {
  return fillOn({to, 0, v, 1, n, 1}, s);
}
PTXSIM_EXPORT CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short v, size_t n) {
  return fillOn({to, 0, v, 2, n, 1}, nullptr);
}
PTXSIM_EXPORT CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short v, size_t n, CUstream s) {
  return fillOn({to, 0, v, 2, n, 1}, s);
}
PTXSIM_EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned v, size_t n) {
  return fillOn({to, 0, v, 4, n, 1}, nullptr);
}
PTXSIM_EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned v, size_t n, CUstream s) {
  return fillOn({to, 0, v, 4, n, 1}, s);
}
PTXSIM_EXPORT CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char v, size_t width,
                                       size_t height) {
  return fillOn({to, pitch, v, 1, width, height}, nullptr);
}
PTXSIM_EXPORT CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char v,
                                         size_t width, size_t height, CUstream s) {
  return fillOn({to, pitch, v, 1, width, height}, s);
}
PTXSIM_EXPORT CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned v, size_t width,
                                        size_t height) {
  return fillOn({to, pitch, v, 4, width, height}, nullptr);
}
PTXSIM_EXPORT CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned v, size_t width,
                                          size_t height, CUstream s) {
  return fillOn({to, pitch, v, 4, width, height}, s);
}

// --- Marks --------------------------------------------------------------------------------------

static CUresult markOn(CUdeviceptr address, size_t bytes, ptxsim::Mark mark, CUstream stream) {
  return enter([&] {
    if (!state().settings.options.definedness)
      fail(CUDA_ERROR_NOT_SUPPORTED, "marks need PTXSIM_DEFINEDNESS=1");
    ptxsim::Device &owner = isDevice(address) ? ownerOf(address) : device();
    submit(stream, Work::Empty, [=, &owner] { owner.mark(address, bytes, mark); });
  });
}
#define PTXSIM_MARK(name, mark)                                                                    \
  PTXSIM_EXPORT CUresult name(CUdeviceptr address, size_t bytes) {                                 \
    return markOn(address, bytes, mark, nullptr);                                                  \
  }                                                                                                \
  PTXSIM_EXPORT CUresult name##Async(CUdeviceptr address, size_t bytes, CUstream stream) {         \
    return markOn(address, bytes, mark, stream);                                                   \
  }
PTXSIM_MARK(ptxsimMarkUndefined, ptxsim::Mark::Undefined)
PTXSIM_MARK(ptxsimMarkDefined, ptxsim::Mark::Defined)
PTXSIM_MARK(ptxsimMarkRedZone, ptxsim::Mark::RedZone)
PTXSIM_MARK(ptxsimClearRedZone, ptxsim::Mark::Undefined)

PTXSIM_EXPORT CUresult ptxsimCountUndefined(CUdeviceptr address, size_t bytes, size_t *count) {
  return enter([&] {
    require(count, "expected a place for the count");
    *count = (isDevice(address) ? ownerOf(address) : device()).undefinedBytes(address, bytes);
  });
}
