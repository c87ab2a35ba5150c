// Execution of bulk copies: moves the bytes, then signals the mbarrier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/BulkTransfer.h"
#include "lib/PTXSim/Machine/Access.h"
#include "lib/PTXSim/Machine/Atomic.h"
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/Mbarrier.h"
#include "lib/PTXSim/Machine/Race.h"
#include "lib/PTXSim/Machine/Stats.h"
#include <algorithm>
#include <cstring>

namespace ptxsim {

namespace {

/// Element type of a tensor map for reductions.
Type elementType(const TensorMapData &map) {
  switch (TensorType(map.type)) {
  case TensorType::U32:
    return Type::U32;
  case TensorType::S32:
    return Type::S32;
  case TensorType::U64:
    return Type::U64;
  case TensorType::S64:
    return Type::S64;
  case TensorType::F16:
    return Type::F16;
  case TensorType::BF16:
    return Type::BF16;
  case TensorType::F32:
    return Type::F32;
  case TensorType::F64:
    return Type::F64;
  default:
    return Type::None;
  }
}

/// Fill value of elements outside the tensor: zero, or NaN of the element type.
void fillElement(uint8_t *to, const TensorMapData &map) {
  std::memset(to, 0, map.elementBytes);
  if (!map.fillWithNaN)
    return;
  TensorType type = TensorType(map.type);
  const uint8_t top = 0x7f;
  const uint8_t next = type == TensorType::F16 ? 0x7e : type == TensorType::F64 ? 0xf8 : 0xc0;
  to[map.elementBytes - 1] = top;
  if (type == TensorType::F16)
    to[1] = next, to[0] = 0;
  else if (map.elementBytes > 1)
    to[map.elementBytes - 2] = next;
}

void moveRun(Warp &w, const AsyncOp &op, uint8_t *shared, uint8_t *sharedShadow, uint64_t address,
             unsigned bytes, bool store, Type type) {
  Allocation *a = w.block->cluster->launch->memory->find(address);
  if (!a || !a->contains(address, bytes))
    fault(w, ErrorKind::OutOfBounds,
          "out of bounds: the copy touches " + std::to_string(bytes) + " bytes at global address " +
              hex(address),
          1);
  uint8_t *global = a->at(address), *globalShadow = a->shadowAt(address);
  requireOpen(w, globalShadow, bytes, 0, address);
  if (optionsOf(w).statistics)
    countBulk(w, address, bytes, store);
  if (RaceDetector *race = w.block->cluster->race)
    if (op.agent)
      race->globalRange(w, *a, address, bytes, {op.agent, op.clock, store, false, -1});
  if (!store) {
    std::memcpy(shared, global, bytes);
    if (sharedShadow)
      std::memcpy(sharedShadow, globalShadow, bytes);
    return;
  }
  if (a->readOnly)
    fault(w, ErrorKind::Memory, "write to constant memory '" + a->name + "'", 1);
  if (sharedShadow)
    for (unsigned k = 0; k < bytes; k++)
      if (sharedShadow[k] != Shadow::Defined) {
        explainShadow(w, sharedShadow, bytes, 0, uint64_t(shared - w.block->shared));
        fault(w, ErrorKind::Memory,
              "the copy stores uninitialized shared memory, at shared address " +
                  hex(uint64_t(shared - w.block->shared) + k),
              1);
      }
  if (op.reduce) {
    unsigned size = typeSize(type);
    uint8_t old[16];
    for (unsigned k = 0; k < bytes; k += size)
      atomicUpdate(global + k, op.reduction, type, shared + k, nullptr, old);
  } else {
    std::memcpy(global, shared, bytes);
  }
  if (globalShadow)
    std::memset(globalShadow, Shadow::Defined, bytes);
}

/// Reports the part of a row inside the tensor to the race detector, as a single access; `base`:
/// address of the row.
void observeRow(Warp &w, const AsyncOp &op, uint64_t base, bool store) {
  RaceDetector *race = w.block->cluster->race;
  int64_t from = std::max<int64_t>(op.coordinates[0], 0);
  int64_t to =
      std::min<int64_t>(int64_t(op.coordinates[0]) + op.map.box[0], int64_t(op.map.size[0]) + 1);
  if (!race || !op.agent || from >= to)
    return;
  uint64_t address = base + uint64_t(from) * op.map.elementBytes;
  unsigned bytes = unsigned(to - from) * op.map.elementBytes;
  Allocation *a = w.block->cluster->launch->memory->find(address);
  if (a && a->contains(address, bytes)) // else the copy itself fails
    race->globalRange(w, *a, address, bytes, {op.agent, op.clock, store, false, -1});
}

/// Walks the box in chunks of 16 bytes, the unit of the swizzle.
void transferTensor(Warp &w, const AsyncOp &op, Block &block, bool store) {
  const TensorMapData &map = op.map;
  unsigned element = map.elementBytes, perChunk = 16 / element;
  uint64_t rows = 1;
  for (unsigned d = 1; d < map.rank; d++)
    rows *= boxElements(map, d);
  uint32_t linear = op.shared;
  AsyncOp quiet = op; // rows are reported as a whole
  quiet.agent = 0;
  Type type = elementType(map);
  if (op.reduce && type == Type::None)
    fault(w, ErrorKind::Unsupported, "reductions need an element type of 32 bits or f16, bf16", 1);
  for (uint64_t row = 0; row < rows; row++) {
    uint64_t rest = row, base = map.base;
    bool rowInside = true;
    for (unsigned d = 1; d < map.rank; d++) {
      unsigned count = boxElements(map, d);
      int64_t x = op.coordinates[d] + int64_t(rest % count) * map.elementStride[d];
      rest /= count;
      rowInside &= x >= 0 && x <= int64_t(map.size[d]);
      base += uint64_t(x) * map.stride[d - 1];
    }
    if (rowInside)
      observeRow(w, op, base, store);
    for (unsigned first = 0; first < map.box[0]; first += perChunk, linear += 16) {
      uint32_t at = swizzleAddress(linear, Swizzle(map.swizzle));
      uint8_t *shared = block.shared + at;
      uint8_t *shadow = block.sharedShadow.empty() ? nullptr : &block.sharedShadow[at];
      int64_t x = int64_t(op.coordinates[0]) + first;
      bool whole = rowInside && x >= 0 && x + perChunk - 1 <= int64_t(map.size[0]);
      if (whole) {
        moveRun(w, quiet, shared, shadow, base + uint64_t(x) * element, 16, store, type);
        continue;
      }
      for (unsigned k = 0; k < perChunk; k++, x++) {
        uint8_t *to = shared + k * element;
        if (rowInside && x >= 0 && x <= int64_t(map.size[0])) {
          moveRun(w, quiet, to, shadow ? shadow + k * element : nullptr,
                  base + uint64_t(x) * element, element, store, type);
        } else if (!store) { // outside: loads fill, stores skip
          fillElement(to, map);
          if (shadow)
            std::memset(shadow + k * element, Shadow::Defined, element);
        }
      }
    }
  }
}

void transferPlain(Warp &w, const AsyncOp &op, Block &block) {
  uint8_t *shared = block.shared + op.shared;
  uint8_t *shadow = block.sharedShadow.empty() ? nullptr : &block.sharedShadow[op.shared];
  switch (op.kind) {
  case AsyncOp::StoreRemote:
    std::memcpy(shared, op.value, op.bytes);
    if (shadow)
      std::memset(shadow, Shadow::Defined, op.bytes);
    return;
  case AsyncOp::BulkToCluster: {
    const Block &source = w.block->cluster->blocks[op.rank];
    std::memcpy(shared, source.shared + op.global, op.bytes);
    if (shadow)
      std::memcpy(shadow, &source.sharedShadow[op.global], op.bytes);
    return;
  }
  default:
    moveRun(w, op, shared, shadow, op.global, op.bytes, op.kind == AsyncOp::BulkStore, op.type);
  }
}

} // namespace

void completePending(Cluster &cluster, size_t index) {
  AsyncOp op = cluster.pending[index];
  cluster.pending.erase(cluster.pending.begin() + long(index));
  Warp &w = cluster.blocks[op.rank].warps[op.warp];
  const Inst *current = w.current;
  w.current = op.inst; // messages name the copy instruction
  bool tensor = op.kind == AsyncOp::TensorLoad || op.kind == AsyncOp::TensorStore;
  bool store = op.kind == AsyncOp::TensorStore || op.kind == AsyncOp::BulkStore;
  uint32_t mask = op.multicast ? op.multicast : 1u << op.targetRank;
  for (Block &block : cluster.blocks) {
    if (!(mask >> block.rank & 1))
      continue;
    if (tensor)
      transferTensor(w, op, block, store);
    else
      transferPlain(w, op, block);
    if (store)
      continue;
    MBarrier *object = block.findMbarrier(op.mbarrier);
    if (!object)
      fault(w, ErrorKind::Barrier, "the mbarrier of this copy is gone", 1);
    if (cluster.race)
      cluster.race->mbarrierSignal(block, op.mbarrier, object->agent, op.clocks[block.rank]);
    // Elements outside the tensor count as well: the transaction covers the whole box.
    completeTransaction(w, {&block, object}, int64_t(tensor ? boxBytes(op.map) : op.bytes));
  }
  w.current = current;
}

} // namespace ptxsim
