// Issue of TMA and bulk copies: checks, poisoning, queues.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Access.h"
#include "lib/PTXSim/Machine/BulkTransfer.h"
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/Mbarrier.h"
#include "lib/PTXSim/Machine/Race.h"
#include <algorithm>
#include <cstring>

namespace ptxsim {

namespace {

struct Addresses {
  const Inst &inst;
  const uint32_t *list;
  unsigned count;
  uint64_t at(const Warp &w, unsigned which, unsigned lane) const {
    int64_t offset = int32_t(list[count + which]);
    if (inst.aux >> which & 1)
      return reinterpret_cast<const uint64_t *>(w.regs + list[which])[lane] + uint64_t(offset);
    return uint32_t(reinterpret_cast<const uint32_t *>(w.regs + list[which])[lane] +
                    uint32_t(offset));
  }
};

/// Strips the shared window from a generic address.
uint64_t toShared(uint64_t address) {
  return classify(address) == Space::Shared ? address - sharedWindow : address;
}

bool exited(const Block &block) {
  return std::all_of(block.warps.begin(), block.warps.end(),
                     [](const Warp &x) { return x.state == WarpState::Done; });
}

void checkTarget(Warp &w, Block &block, uint32_t offset, uint64_t bytes, unsigned lane) {
  if (offset > block.sharedBytes || bytes > block.sharedBytes - offset)
    fault(w, ErrorKind::OutOfBounds,
          "out of bounds: copy of " + std::to_string(bytes) + " bytes at shared address " +
              hex(offset) + " (the block has " + std::to_string(block.sharedBytes) + ")",
          1u << lane);
  if (&block != w.block && exited(block))
    fault(w, ErrorKind::Async, "copy into the shared memory of a block that has exited",
          1u << lane);
  if (!block.sharedShadow.empty())
    checkWritable(w, &block.sharedShadow[offset], unsigned(bytes), lane, offset);
}

void poison(Block &block, uint32_t offset, uint64_t bytes) {
  std::memset(block.shared + offset, 0xff, bytes);
  if (!block.sharedShadow.empty())
    std::memset(&block.sharedShadow[offset], Shadow::Undefined, bytes);
}

/// Issues a copy into shared memory: checks and poisons all destination blocks, and reports writes
/// by the mbarrier's agent to the race detector.
void issueLoad(Warp &w, AsyncOp op, uint64_t bytes, unsigned lane) {
  Cluster &cluster = *w.block->cluster;
  uint32_t mask = op.multicast ? op.multicast : 1u << op.targetRank;
  if (mask >> cluster.blocks.size())
    fault(w, ErrorKind::Memory,
          "multicast mask " + hex(mask) + " names a block outside the cluster", 1u << lane);
  for (Block &block : cluster.blocks) {
    if (!(mask >> block.rank & 1))
      continue;
    checkTarget(w, block, op.shared, bytes, lane);
    MbarrierRef ref = findMbarrier(w, uint64_t(block.rank + 1) << clusterRankShift | op.mbarrier,
                                   lane, "copy that signals an mbarrier");
    if (RaceDetector *race = cluster.race) {
      if (op.kind != AsyncOp::StoreRemote)
        race->mbarrierAsyncUse(w, block, op.mbarrier);
      uint32_t agent = race->mbarrierAgent(*ref.object);
      uint32_t clock = op.clocks[block.rank] = race->tick(agent);
      op.agent = agent;
      op.clock = clock;
      race->sharedRange(w, block, op.shared, unsigned(bytes), {agent, clock, true, true, -1});
      if (&block != w.block)
        race->remoteUse(w, block, agent, clock, "copy");
    }
    if (optionsOf(w).async != AsyncMode::Eager)
      poison(block, op.shared, bytes);
  }
  cluster.worker->statistics.bulkBytesRead += op.kind == AsyncOp::BulkToCluster ? 0 : bytes;
  cluster.pending.push_back(op);
  w.block->stamp++;
  if (optionsOf(w).async == AsyncMode::Eager)
    completePending(cluster, cluster.pending.size() - 1);
}

/// Issues a copy out of shared memory as part of the warp's bulk group.
void issueStore(Warp &w, AsyncOp op, uint64_t bytes, unsigned lane) {
  Cluster &cluster = *w.block->cluster;
  if (op.shared > w.block->sharedBytes || bytes > w.block->sharedBytes - op.shared)
    fault(w, ErrorKind::OutOfBounds,
          "out of bounds: copy of " + std::to_string(bytes) + " bytes from shared address " +
              hex(op.shared),
          1u << lane);
  if (RaceDetector *race = cluster.race) {
    uint32_t reader = race->agentOf(w, RaceDetector::BulkAgent);
    w.bulk.open.readClock = race->tick(reader);
    race->sharedRange(w, *w.block, op.shared, unsigned(bytes),
                      {reader, w.bulk.open.readClock, false, true, -1});
    op.agent = race->agentOf(w, RaceDetector::BulkWriteAgent);
    op.clock = w.bulk.open.writeClock = race->tick(op.agent);
  }
  cluster.worker->statistics.bulkBytesWritten += bytes;
  op.id = nextOperationId(cluster);
  w.bulk.open.ids.push_back(op.id);
  cluster.pending.push_back(op);
  AsyncMode mode = optionsOf(w).async;
  if (mode == AsyncMode::Eager)
    completePending(cluster, cluster.pending.size() - 1);
}

AsyncOp startOp(const Warp &w, const Inst &i, AsyncOp::Kind kind) {
  AsyncOp op;
  op.kind = kind;
  op.rank = op.targetRank = w.block->rank;
  op.warp = w.id;
  op.inst = &i;
  op.reduce = i.aux >> 8;
  if (op.reduce)
    op.reduction = AtomicOp((i.aux >> 8) - 1);
  op.type = i.type;
  return op;
}

const TensorMapData *readMap(Warp &w, uint64_t address, unsigned lane) {
  if (address & 63)
    fault(w, ErrorKind::Misaligned, "misaligned: tensor map at address " + hex(address),
          1u << lane);
  // Checks 128 bytes by an access of 16 bytes at each end, a size that `resolve` accepts.
  Target first = resolve(w, Space::Generic, address, 16, AccessKind::Read, lane);
  resolve(w, Space::Generic, address + 112, 16, AccessKind::Read, lane);
  return reinterpret_cast<const TensorMapData *>(first.data);
}

/// An H200 raises an illegal instruction unless the box starts at a multiple of 16 bytes in the
/// innermost dimension; other coordinates are free.
void checkInnermost(Warp &w, const AsyncOp &op, unsigned lane) {
  if (int64_t(op.coordinates[0]) * op.map.elementBytes % 16)
    fault(w, ErrorKind::Instruction,
          "illegal instruction: TMA needs an innermost coordinate that is a multiple of " +
              std::to_string(16 / op.map.elementBytes) + " (16 bytes), but got " +
              std::to_string(op.coordinates[0]),
          1u << lane);
}

void tensorCopy(Warp &w, const Inst &i) {
  unsigned rank = i.count & 255;
  bool store = i.count & 0x100;
  Addresses addresses{i, slotsOf(w, i), store ? 2u : 3u};
  const uint32_t *coordinates = addresses.list + 2 * addresses.count;
  for (uint32_t m = w.exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    AsyncOp op = startOp(w, i, store ? AsyncOp::TensorStore : AsyncOp::TensorLoad);
    std::memcpy(&op.map, readMap(w, addresses.at(w, 0, l), l), sizeof op.map);
    if (op.map.magic != tensorMapMagic)
      fault(w, ErrorKind::Memory, "address " + hex(addresses.at(w, 0, l)) + " holds no tensor map",
            1u << l);
    if (op.map.rank != rank)
      fault(w, ErrorKind::Memory,
            "the tensor map has rank " + std::to_string(op.map.rank) +
                ", but the instruction has " + std::to_string(rank),
            1u << l);
    for (unsigned d = 0; d < rank; d++)
      op.coordinates[d] = w.reg<int32_t>(coordinates[d])[l];
    checkInnermost(w, op, l);
    uint64_t shared = toShared(addresses.at(w, 1, l));
    op.targetRank = sharedBlock(w, shared, l).rank;
    op.shared = uint32_t(shared);
    if (op.shared & 127)
      fault(w, ErrorKind::Misaligned,
            "misaligned: TMA needs shared addresses aligned to 128 bytes, "
            "but got " +
                hex(op.shared),
            1u << l);
    if (store) {
      if (op.targetRank != w.block->rank)
        fault(w, ErrorKind::Memory, "TMA store from another block's shared memory", 1u << l);
      issueStore(w, op, boxBytes(op.map), l);
      continue;
    }
    uint64_t mbarrier = toShared(addresses.at(w, 2, l));
    sharedBlock(w, mbarrier, l);
    op.mbarrier = uint32_t(mbarrier);
    op.multicast = i.c ? w.reg<uint16_t>(i.c)[l] : 0;
    issueLoad(w, op, boxBytes(op.map), l);
  }
}

void checkBulkAlignment(Warp &w, uint64_t a, uint64_t b, uint64_t bytes, unsigned lane) {
  if ((a | b | bytes) & 15)
    fault(w, ErrorKind::Misaligned,
          "misaligned: bulk copies need addresses and sizes that are "
          "multiples of 16",
          1u << lane);
}

/// count: 0 global -> shared, 1 shared -> global, 2 shared -> another block.
void bulkCopy(Warp &w, const Inst &i) {
  Addresses addresses{i, slotsOf(w, i), i.count == 1 ? 2u : 3u};
  for (uint32_t m = w.exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    uint64_t to = addresses.at(w, 0, l), from = addresses.at(w, 1, l);
    uint32_t bytes = w.reg<uint32_t>(i.b)[l];
    checkBulkAlignment(w, to, from, bytes, l);
    constexpr AsyncOp::Kind kinds[] = {AsyncOp::BulkLoad, AsyncOp::BulkStore,
                                       AsyncOp::BulkToCluster};
    AsyncOp op = startOp(w, i, kinds[i.count]);
    op.bytes = bytes;
    if (bytes == 0)
      fault(w, ErrorKind::Memory, "bulk copy of 0 bytes", 1u << l);
    if (i.count != 2) {
      uint64_t global = i.count == 1 ? to : from;
      resolveGlobal(w, global, 16, i.count == 1 ? AccessKind::Write : AccessKind::Read, l);
      resolveGlobal(w, global + bytes - 16, 16, i.count == 1 ? AccessKind::Write : AccessKind::Read,
                    l);
      op.global = global;
    }
    uint64_t shared = toShared(i.count == 1 ? from : to);
    op.targetRank = sharedBlock(w, shared, l).rank;
    op.shared = uint32_t(shared);
    if (i.count == 1) {
      issueStore(w, op, bytes, l);
      continue;
    }
    if (i.count == 2)
      op.global = toShared(from) & sharedOffsetMask; // the source, in the issuing block
    uint64_t mbarrier = toShared(addresses.at(w, 2, l));
    sharedBlock(w, mbarrier, l);
    op.mbarrier = uint32_t(mbarrier);
    op.multicast = i.c ? w.reg<uint16_t>(i.c)[l] : 0;
    if (i.count == 2) {
      checkTarget(w, *w.block, uint32_t(op.global), bytes, l);
      if (RaceDetector *race = raceOf(w)) {
        uint32_t agent = race->agentOf(w, RaceDetector::BulkAgent);
        race->sharedRange(w, *w.block, uint32_t(op.global), bytes,
                          {agent, race->tick(agent), false, true, -1});
      }
    }
    issueLoad(w, op, bytes, l);
  }
}

void storeAsync(Warp &w, const Inst &i) {
  Addresses addresses{i, slotsOf(w, i), 2};
  unsigned size = typeSize(i.type);
  for (uint32_t m = w.exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    AsyncOp op = startOp(w, i, AsyncOp::StoreRemote);
    op.reduce = false;
    op.bytes = size * i.count;
    uint64_t to = toShared(addresses.at(w, 0, l)), mbarrier = toShared(addresses.at(w, 1, l));
    if (to & (op.bytes - 1))
      fault(w, ErrorKind::Misaligned, "misaligned: st.async at shared address " + hex(to), 1u << l);
    op.targetRank = sharedBlock(w, to, l).rank;
    if (sharedBlock(w, mbarrier, l).rank != op.targetRank)
      fault(w, ErrorKind::Barrier, "st.async needs data and mbarrier in one block", 1u << l);
    op.shared = uint32_t(to);
    op.mbarrier = uint32_t(mbarrier);
    for (unsigned k = 0; k < i.count; k++)
      std::memcpy(reinterpret_cast<uint8_t *>(op.value) + k * size,
                  w.regs + addresses.list[4 + k] + l * size, size);
    issueLoad(w, op, op.bytes, l);
  }
}

void bulkCommit(Warp &w, const Inst &) {
  w.bulk.committed.push_back(std::move(w.bulk.open));
  w.bulk.open = BulkGroup();
}

/// wait_group and wait_group.read both perform the group; only the former makes the writes visible.
void bulkWait(Warp &w, const Inst &i) {
  Cluster &cluster = *w.block->cluster;
  while (w.bulk.committed.size() > size_t(i.imm)) {
    const BulkGroup &group = w.bulk.committed.front();
    for (uint64_t id : group.ids)
      for (size_t k = 0; k < cluster.pending.size(); k++)
        if (cluster.pending[k].id == id) {
          completePending(cluster, k);
          break;
        }
    if (RaceDetector *race = raceOf(w)) {
      race->acquireAgent(w, race->agentOf(w, RaceDetector::BulkAgent), group.readClock);
      if (!i.aux)
        race->acquireAgent(w, race->agentOf(w, RaceDetector::BulkWriteAgent), group.writeClock);
    }
    w.bulk.committed.pop_front();
  }
}

} // namespace

uint64_t nextOperationId(Cluster &cluster) { return ++cluster.operations; }

Handler selectBulk(const Inst &i) {
  switch (i.op) {
  case Opcode::TensorCopy:
    return tensorCopy;
  case Opcode::BulkCopy:
    return bulkCopy;
  case Opcode::StoreAsync:
    return storeAsync;
  case Opcode::BulkCommit:
    return bulkCommit;
  case Opcode::BulkWait:
    return bulkWait;
  default:
    return nullptr;
  }
}

} // namespace ptxsim
