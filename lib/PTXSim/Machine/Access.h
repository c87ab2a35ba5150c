// Address resolution to host memory: bounds, alignment, definedness.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_ACCESS_H
#define PTXSIM_MACHINE_ACCESS_H

#include "lib/PTXSim/Machine/Machine.h"

namespace ptxsim {

/// Host memory of an address, with the definedness shadow (null with definedness off).
struct Target {
  uint8_t *data;
  uint8_t *shadow;
};

enum class AccessKind : uint8_t { Read, Write, ReadWrite };

/// Resolves a lane's access; faults if out of bounds, misaligned or not permitted.
Target resolve(Warp &w, Space space, uint64_t address, unsigned bytes, AccessKind kind,
               unsigned lane);
Target resolveGlobal(Warp &w, uint64_t address, unsigned bytes, AccessKind kind, unsigned lane);
/// `address` may carry a cluster rank; `alignment` 0 means the access size.
Target resolveShared(Warp &w, uint64_t address, unsigned bytes, AccessKind kind, unsigned lane,
                     unsigned alignment = 0);
/// Block of a shared::cluster address; strips the rank from the address.
Block &sharedBlock(Warp &w, uint64_t &address, unsigned lane);

/// Records an access for statistics and race detection, if Block::instrumented.
void observe(Warp &w, const Inst &i, Space space, const uint64_t *addresses, unsigned bytes,
             AccessKind kind);
/// Space of a generic address.
Space classify(uint64_t address);

/// Handles a failed definedness check: faults on red zones and mbarriers, else returns false.
bool explainShadow(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane, uint64_t address);

/// Faults if any of the bytes in global memory is in a red zone.
void requireOpen(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane, uint64_t address);

/// Suffix " (...)" for messages, if an unfinished copy writes these bytes of shared memory.
std::string pendingCopy(const Warp &w, uint32_t address);

/// Whether all bytes are defined; may fault, see explainShadow.
inline bool checkDefined(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane,
                         uint64_t address) {
  uint8_t all = 0;
  for (unsigned k = 0; k < bytes; k++)
    all |= uint8_t(shadow[k] ^ Shadow::Defined);
  return all == 0 || explainShadow(w, shadow, bytes, lane, address);
}
/// Check before a write: red zones and mbarriers must not be overwritten.
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
