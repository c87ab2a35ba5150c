// Encoding of tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/TensorMap.h"

namespace ptxsim {

static void require(bool condition, const std::string &message) {
  if (!condition)
    throw Error(ErrorKind::Argument, "tensor map: " + message);
}

static unsigned elementSize(TensorType type) {
  switch (type) {
  case TensorType::U8:
    return 1;
  case TensorType::U16:
  case TensorType::F16:
  case TensorType::BF16:
    return 2;
  case TensorType::U32:
  case TensorType::S32:
  case TensorType::F32:
    return 4;
  default:
    return 8;
  }
}

/// Rules: cuTensorMapEncodeTiled of the CUDA driver API.
TensorMap encodeTensorMap(const TensorMapInfo &info) {
  TensorMapData data{};
  require(info.rank >= 1 && info.rank <= 5,
          "expected a rank of 1 to 5, but got " + std::to_string(info.rank));
  require(info.base % 16 == 0, "expected a base aligned to 16 bytes");
  data.magic = tensorMapMagic;
  data.rank = uint8_t(info.rank);
  data.elementBytes = uint8_t(elementSize(info.type));
  data.type = uint8_t(info.type);
  data.swizzle = uint8_t(info.swizzle);
  data.base = info.base;
  data.fillWithNaN = info.fillWithNaN;
  for (unsigned d = 0; d < info.rank; d++) {
    std::string dim = " in dimension " + std::to_string(d);
    require(info.size[d] >= 1 && info.size[d] <= uint64_t(1) << 32,
            "expected a size of 1 to 2^32" + dim);
    require(info.box[d] >= 1 && info.box[d] <= 256,
            "expected a box of 1 to 256 elements, but got " + std::to_string(info.box[d]) + dim);
    require(info.elementStride[d] >= 1 && info.elementStride[d] <= 8,
            "expected an element stride of 1 to 8, but got " +
                std::to_string(info.elementStride[d]) + dim);
    data.size[d] = uint32_t(info.size[d] - 1); // 2^32 does not fit
    data.box[d] = uint16_t(info.box[d]);
    data.elementStride[d] =
        uint8_t(d ? info.elementStride[d] : 1); // hardware ignores dimension 0's stride
    if (d == 0)
      continue;
    require(info.stride[d] % 16 == 0 && info.stride[d] < uint64_t(1) << 40,
            "expected a stride that is a multiple of 16 and below 2^40, but got " +
                std::to_string(info.stride[d]) + dim);
    data.stride[d - 1] = info.stride[d];
  }
  uint64_t inner = uint64_t(boxElements(data, 0)) * data.elementBytes;
  require(inner % 16 == 0,
          "expected an innermost box of a multiple of 16 bytes, but got " + std::to_string(inner));
  uint64_t limit = info.swizzle == Swizzle::None      ? 0
                   : info.swizzle == Swizzle::Bytes32 ? 32
                   : info.swizzle == Swizzle::Bytes64 ? 64
                                                      : 128;
  require(limit == 0 || inner <= limit,
          "expected an innermost box of at most " + std::to_string(limit) +
              " bytes with this swizzle, but got " + std::to_string(inner));
  TensorMap map{};
  std::memcpy(map.bytes, &data, sizeof data);
  return map;
}

} // namespace ptxsim
