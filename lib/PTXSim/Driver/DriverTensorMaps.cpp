// Encoding of tensor maps (cuTensorMapEncode*).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include "lib/PTXSim/Machine/TensorMap.h"

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *out, int type, uint32_t rank, void *base,
                                              const uint64_t *size, const uint64_t *stride,
                                              const uint32_t *box, const uint32_t *elementStride,
                                              int interleave, int swizzle, int, int fill) {
  return enter(Needs::Driver, [&] {
    require(out && size && box && elementStride && rank >= 1 && rank <= 5 && (rank == 1 || stride),
            "expected a rank of 1 to 5 and arrays of that length");
    require(reinterpret_cast<uintptr_t>(out) % 64 == 0,
            "expected a tensor map at an address that is a multiple of 64");
    require(interleave == 0, "interleaved layouts are not supported");
    require(swizzle >= 0 && swizzle <= 3, "expected no swizzle, 32, 64 or 128 bytes");
    using ptxsim::TensorType;
    constexpr TensorType types[] = {
        TensorType::U8,  TensorType::U16, TensorType::U32, TensorType::S32, TensorType::U64,
        TensorType::S64, TensorType::F16, TensorType::F32, TensorType::F64, TensorType::BF16,
        TensorType::F32, TensorType::F32, TensorType::F32};
    require(type >= 0 && type < 13, "unknown element type " + std::to_string(type));
    ptxsim::TensorMapInfo info;
    info.type = types[type];
    info.base = reinterpret_cast<uintptr_t>(base);
    info.rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
      info.size[d] = size[d];
      info.box[d] = box[d];
      info.elementStride[d] = elementStride[d];
      info.stride[d] = d ? stride[d - 1] : 0;
    }
    info.swizzle = ptxsim::Swizzle(swizzle);
    info.fillWithNaN = fill;
    ptxsim::TensorMap map = ptxsim::encodeTensorMap(info);
    std::memcpy(out, &map, sizeof map);
  });
}

PTXSIM_EXPORT CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *base) {
  return enter(Needs::Driver, [&] {
    ptxsim::TensorMapData data;
    require(map, "expected a tensor map");
    std::memcpy(&data, map, sizeof data);
    require(data.magic == ptxsim::tensorMapMagic, "expected a tensor map of this library");
    require(reinterpret_cast<uintptr_t>(base) % 16 == 0, "expected a base aligned to 16 bytes");
    data.base = reinterpret_cast<uintptr_t>(base);
    std::memcpy(map, &data, sizeof data);
  });
}
/// im2col maps are not supported; modules whose kernels use such a map fail to load.
PTXSIM_EXPORT CUresult cuTensorMapEncodeIm2col(CUtensorMap *, int, uint32_t, void *,
                                               const uint64_t *, const uint64_t *, const int *,
                                               const int *, uint32_t, uint32_t, const uint32_t *,
                                               int, int, int, int) {
  return enter(Needs::Driver,
               [] { fail(CUDA_ERROR_NOT_SUPPORTED, "im2col tensor maps are not supported"); });
}
