// Layout of a tensor map in the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_TENSORMAP_H
#define PTXSIM_MACHINE_TENSORMAP_H

#include "ampc/PTXSim/PTXSim.h"

namespace ptxsim {

constexpr uint32_t tensorMapMagic = 0x50414d54; // "TMAP"

struct TensorMapData {
  uint32_t magic;
  uint8_t rank, elementBytes, type, swizzle; ///< swizzle: value of enum Swizzle
  uint64_t base;
  uint64_t stride[4]; ///< bytes, of dimensions 1..4
  uint32_t size[5];
  uint16_t box[5];
  uint8_t elementStride[5];
  uint8_t fillWithNaN;
};
static_assert(sizeof(TensorMapData) <= sizeof(TensorMap), "does not fit a tensor map");

/// Elements of a box in dimension d: every n-th for an element stride of n.
inline unsigned boxElements(const TensorMapData &map, unsigned d) {
  return (map.box[d] + map.elementStride[d] - 1u) / map.elementStride[d];
}
/// Bytes of shared memory that a box fills.
inline uint64_t boxBytes(const TensorMapData &map) {
  uint64_t bytes = map.elementBytes;
  for (unsigned d = 0; d < map.rank; d++)
    bytes *= boxElements(map, d);
  return bytes;
}

/// Swizzle: XORs the number of the 16-byte chunk with the row in the pattern.
inline uint32_t swizzleAddress(uint32_t address, Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return address;
  case Swizzle::Bytes32:
    return address ^ ((address >> 3) & 0x10);
  case Swizzle::Bytes64:
    return address ^ ((address >> 3) & 0x30);
  case Swizzle::Bytes128:
    return address ^ ((address >> 3) & 0x70);
  }
  return address;
}

} // namespace ptxsim
#endif
