// Address resolution to host memory: bounds, alignment, definedness.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Access.h"
#include "lib/PTXSim/Machine/Race.h"
#include "lib/PTXSim/Machine/Stats.h"
#include <cstring>

namespace ptxsim {

static const char *verb(AccessKind kind) {
  return kind == AccessKind::Read    ? "read of "
         : kind == AccessKind::Write ? "write of "
                                     : "atomic access to ";
}

[[noreturn]] static void outOfBounds(Warp &w, const char *space, AccessKind kind, unsigned bytes,
                                     uint64_t address, const std::string &nearby, unsigned lane) {
  fault(w, ErrorKind::OutOfBounds,
        std::string("out of bounds: ") + verb(kind) + std::to_string(bytes) + " bytes at " + space +
            " address " + hex(address) + nearby,
        1u << lane);
}

[[noreturn]] static void misaligned(Warp &w, const char *space, AccessKind kind, unsigned bytes,
                                    uint64_t address, unsigned lane) {
  fault(w, ErrorKind::Misaligned,
        std::string("misaligned: ") + verb(kind) + std::to_string(bytes) + " bytes at " + space +
            " address " + hex(address),
        1u << lane);
}

Target resolveGlobal(Warp &w, uint64_t address, unsigned bytes, AccessKind kind, unsigned lane) {
  Worker &worker = *w.block->cluster->worker;
  Allocation *&hint = worker.hints[pcOf(w)];
  if (!hint || !hint->contains(address, bytes)) {
    Allocation *found = w.block->cluster->launch->memory->find(address);
    if (!found || !found->contains(address, bytes)) {
      Allocation *below = w.block->cluster->launch->memory->below(address);
      std::string nearby = " (no allocation there)";
      if (below)
        nearby = " (" + std::to_string(address - below->base) + " bytes into '" + below->name +
                 "', which has " + std::to_string(below->size) + ")";
      outOfBounds(w, "global", kind, bytes, address, nearby, lane);
    }
    hint = found;
  }
  if (address & (bytes - 1))
    misaligned(w, "global", kind, bytes, address, lane);
  if (hint->readOnly && kind != AccessKind::Read)
    fault(w, ErrorKind::Memory, "write to constant memory '" + hint->name + "'", 1u << lane);
  return {hint->at(address), hint->shadowAt(address)};
}

Block &sharedBlock(Warp &w, uint64_t &address, unsigned lane) {
  uint64_t tag = address >> clusterRankShift;
  if (tag == 0)
    return *w.block;
  Cluster &cluster = *w.block->cluster;
  if (tag > cluster.blocks.size())
    fault(w, ErrorKind::OutOfBounds, "out of bounds: shared address " + hex(address), 1u << lane);
  address &= sharedOffsetMask;
  return cluster.blocks[tag - 1];
}

static std::string nearShared(const Kernel &kernel, uint64_t address) {
  for (auto it = kernel.sharedVariables.rbegin(); it != kernel.sharedVariables.rend(); ++it)
    if (it->offset <= address)
      return " (" + std::to_string(address - it->offset) + " bytes into '" + it->name +
             "', which has " + std::to_string(it->size) + ")";
  return "";
}

Target resolveShared(Warp &w, uint64_t address, unsigned bytes, AccessKind kind, unsigned lane,
                     unsigned alignment) {
  uint64_t offset = address;
  Block &block = sharedBlock(w, offset, lane);
  if (offset > block.sharedBytes || bytes > block.sharedBytes - offset)
    outOfBounds(w, "shared", kind, bytes, address,
                nearShared(kernelOf(w), offset) + " (the block has " +
                    std::to_string(block.sharedBytes) + ")",
                lane);
  if (offset & ((alignment ? alignment : bytes) - 1))
    misaligned(w, "shared", kind, bytes, address, lane);
  uint8_t *shadow = block.sharedShadow.empty() ? nullptr : block.sharedShadow.data() + offset;
  return {block.shared + offset, shadow};
}

static Target resolveLocal(Warp &w, uint64_t offset, unsigned bytes, AccessKind kind,
                           unsigned lane) {
  uint64_t size = kernelOf(w).localBytes;
  if (offset > size || bytes > size - offset)
    outOfBounds(w, "local", kind, bytes, offset, " (the thread has " + std::to_string(size) + ")",
                lane);
  if (offset & (bytes - 1))
    misaligned(w, "local", kind, bytes, offset, lane);
  size_t index = (size_t(w.id) * 32 + lane) * size + offset;
  Block &block = *w.block;
  return {block.local.data() + index,
          block.localShadow.empty() ? nullptr : block.localShadow.data() + index};
}

static Target resolveParam(Warp &w, uint64_t offset, unsigned bytes, AccessKind kind,
                           unsigned lane) {
  const Kernel &kernel = kernelOf(w);
  if (kind != AccessKind::Read)
    fault(w, ErrorKind::Memory, "write to kernel parameters", 1u << lane);
  if (offset > kernel.parameterBytes || bytes > kernel.parameterBytes - offset)
    outOfBounds(w, "param", kind, bytes, offset, "", lane);
  if (offset & (bytes - 1))
    misaligned(w, "param", kind, bytes, offset, lane);
  return {const_cast<uint8_t *>(w.block->cluster->launch->parameters) + offset, nullptr};
}

Space classify(uint64_t address) {
  switch (address >> 56) {
  case sharedWindow >> 56:
    return Space::Shared;
  case localWindow >> 56:
    return Space::Local;
  case paramWindow >> 56:
    return Space::Param;
  default:
    return Space::Global;
  }
}

Target resolve(Warp &w, Space space, uint64_t address, unsigned bytes, AccessKind kind,
               unsigned lane) {
  switch (space) {
  case Space::Global:
  case Space::Const:
    return resolveGlobal(w, address, bytes, kind, lane);
  case Space::Shared:
    return resolveShared(w, address, bytes, kind, lane);
  case Space::Local:
    return resolveLocal(w, address, bytes, kind, lane);
  case Space::Param:
  case Space::Generic:
    break;
  }
  switch (classify(address)) {
  case Space::Shared:
    return resolveShared(w, address - sharedWindow, bytes, kind, lane);
  case Space::Local:
    return resolveLocal(w, address - localWindow, bytes, kind, lane);
  case Space::Param:
    return resolveParam(w, address - paramWindow, bytes, kind, lane);
  default:
    return resolveGlobal(w, address, bytes, kind, lane);
  }
}

bool explainShadow(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane,
                   uint64_t address) {
  for (unsigned k = 0; k < bytes; k++) {
    const Allocation *a = shadow[k] == Shadow::RedZone
                              ? w.block->cluster->launch->memory->find(address + k)
                              : nullptr;
    if (a)
      fault(w, ErrorKind::OutOfBounds,
            "out of bounds: global address " + hex(address + k) + " lies in a red zone (" +
                std::to_string(address + k - a->base) + " bytes into '" + a->name + "')",
            1u << lane);
    if (shadow[k] == Shadow::RedZone)
      fault(w, ErrorKind::OutOfBounds,
            "out of bounds: address " + hex(address + k) + " lies between variables" +
                nearShared(kernelOf(w), (address + k) & sharedOffsetMask),
            1u << lane);
    if (shadow[k] == Shadow::Mbarrier)
      fault(w, ErrorKind::Barrier,
            "plain access to the mbarrier object at shared address " + hex(address + k),
            1u << lane);
  }
  return false;
}

void requireOpen(Warp &w, const uint8_t *shadow, unsigned bytes, unsigned lane, uint64_t address) {
  if (shadow && std::memchr(shadow, Shadow::RedZone, bytes))
    explainShadow(w, shadow, bytes, lane, address);
}

std::string pendingCopy(const Warp &w, uint32_t address) {
  const Kernel &kernel = kernelOf(w);
  for (const AsyncOp &op : w.block->cluster->pending) {
    bool store = op.kind == AsyncOp::TensorStore || op.kind == AsyncOp::BulkStore;
    uint64_t bytes = op.kind == AsyncOp::TensorLoad ? boxBytes(op.map) : op.bytes;
    bool here = op.multicast ? op.multicast >> w.block->rank & 1 : op.targetRank == w.block->rank;
    if (store || !here || address < op.shared || address - op.shared >= bytes)
      continue;
    uint32_t pc = uint32_t(op.inst - kernel.code.data());
    return " (the copy to this address has not completed: " + describeLine(kernel, pc) + ")";
  }
  return "";
}

void observe(Warp &w, const Inst &i, Space space, const uint64_t *addresses, unsigned bytes,
             AccessKind kind) {
  uint64_t plain[32];
  uint32_t masks[2] = {0, 0}; // global, shared
  for (unsigned l = 0; l < 32; l++) {
    if (!(w.exec >> l & 1))
      continue;
    Space s = space;
    plain[l] = addresses[l];
    if (space == Space::Generic || space == Space::Param) {
      s = classify(addresses[l]);
      if (s == Space::Shared)
        plain[l] -= sharedWindow;
    }
    if (s == Space::Global)
      masks[0] |= 1u << l;
    else if (s == Space::Shared)
      masks[1] |= 1u << l;
  }
  if (optionsOf(w).statistics) {
    if (masks[0])
      countGlobal(w, plain, masks[0], bytes, kind);
    if (masks[1])
      countShared(w, plain, masks[1], bytes);
  }
  if (RaceDetector *race = raceOf(w)) {
    if (masks[0])
      race->globalAccess(w, i, plain, masks[0], bytes, kind);
    if (masks[1])
      race->sharedAccess(w, i, plain, masks[1], bytes, kind);
  }
}

} // namespace ptxsim
