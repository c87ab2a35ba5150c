// From addresses to host memory: bounds, alignment, definedness.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_ACCESS_H
#define PTXSIM_MACHINE_ACCESS_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

/// Host memory behind an address and its definedness (null with definedness off).
struct Target {
  uint8_t *data;
  uint8_t *shadow;
};

enum class AccessKind : uint8_t { Read, Write, ReadWrite };

/// One lane's access. Faults when it is out of bounds, misaligned or not permitted.
Target resolve(Warp &w, Space space, uint64_t address, unsigned bytes, AccessKind kind,
               unsigned lane);
Target resolveGlobal(Warp &w, uint64_t address, unsigned bytes, AccessKind kind, unsigned lane);
/// `address` may carry a cluster rank; `alignment` 0 means the size of the access.
Target resolveShared(Warp &w, uint64_t address, unsigned bytes, AccessKind kind, unsigned lane,
                     unsigned alignment = 0);
/// The block a shared::cluster address belongs to; strips the rank from the address.
Block &sharedBlock(Warp &w, uint64_t &address, unsigned lane);

/// Statistics and race detection, called when Block::instrumented is set.
void observe(Warp &w, const Inst &i, Space space, const uint64_t *addresses, unsigned bytes,
             AccessKind kind);
/// The space a generic address lies in.
Space classify(uint64_t address);

/// What a failed definedness check means: a fault for red zones and mbarriers, else false.
bool explainShadow(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane, uint64_t address);

/// Faults if one of these bytes of global memory is in a red zone.
void requireOpen(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane, uint64_t address);

/// " (...)" about a copy to these bytes of shared memory that has not completed, or nothing.
std::string pendingCopy(const Warp &w, uint32_t address);

/// True if all bytes are defined; may fault, see explainShadow.
inline bool checkDefined(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane,
                         uint64_t address) {
  uint8_t all = 0;
  for (unsigned k = 0; k < bytes; k++)
    all |= uint8_t(shadow[k] ^ Shadow::Defined);
  return all == 0 || explainShadow(w, shadow, bytes, lane, address);
}
/// Before a write: red zones and mbarriers must not be overwritten.
inline void checkWritable(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane,
                          uint64_t address) {
  uint8_t high = 0;
  for (unsigned k = 0; k < bytes; k++)
    high |= uint8_t(shadow[k] & 0xfe);
  if (high)
    explainShadow(w, shadow, bytes, lane, address);
}

inline uint64_t laneAddress(const Warp &w, const Inst &i, unsigned lane) {
  if (i.flags & InstFlag::Address64)
    return reinterpret_cast<const uint64_t *>(w.regs + i.a)[lane] + uint64_t(i.imm);
  return uint32_t(reinterpret_cast<const uint32_t *>(w.regs + i.a)[lane] + uint32_t(i.imm));
}

} // namespace ptxsim
#endif
