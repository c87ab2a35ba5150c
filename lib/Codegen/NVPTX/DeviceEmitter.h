// Emitter for GPU kernels: the loops of target::LoopEmitter, plus threads, shared memory and
// barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_DEVICEEMITTER_H
#define LIB_CODEGEN_NVPTX_DEVICEEMITTER_H

#include "lib/Codegen/Common/LoopEmitter.h"
#include "lib/Codegen/NVPTX/Chip.h"
#include <functional>
#include <utility>

namespace ampc::nvptx {

/// Positions are of type index, as in all loops. Thread numbers and index arithmetic on them are
/// i32, because 32-bit division is much shorter than 64-bit division.
class DeviceEmitter : public target::LoopEmitter {
public:
  DeviceEmitter(mlir::OpBuilder &b, mlir::Location loc, const Chip &chip)
      : LoopEmitter(b, loc), chip(chip) {}

  /// Threads and blocks are numbered along x.
  Value thread();
  Value block();
  /// Number of the thread in the launch: block() * threads + thread(), for blocks of `threads`.
  Value globalThread(int64_t threads);

  // Integer arithmetic beside that of all loops; constants fold.
  Value i32(int64_t value);
  Value bitAnd(Value x, int64_t mask);
  Value bitXor(Value x, Value y);
  /// Whether x < limit, both unsigned.
  Value isBelow(Value x, int64_t limit);
  /// A number >= 0 as a value of type index.
  Value position(Value number);
  /// Delinearizes a row-major number into indices along `sizes`. Example: 7 along [2, 5] -> (1, 2).
  llvm::SmallVector<Value> split(Value number, llvm::ArrayRef<int64_t> sizes);

  /// A position that fits 32 bits as an i32.
  Value number(Value position);
  /// Values of a conditional with results (scf.if).
  using Branch = llvm::function_ref<llvm::SmallVector<Value>()>;
  llvm::SmallVector<Value> either(Value condition, Branch yes, Branch no);

  // Memory in bytes: a pointer of any address space, and 32-bit offsets.
  Value advance(Value pointer, int64_t bytes);
  Value advance(Value pointer, Value bytes);
  /// First byte of the launch's dynamic shared memory, at a multiple of `alignment`.
  Value sharedMemory(unsigned alignment = 128);
  /// Vector access to `count` neighbouring elements, aligned to the vector's size or to 16 bytes.
  llvm::SmallVector<Value> loadVector(Value pointer, Type element, int64_t count);
  void storeVector(llvm::ArrayRef<Value> values, Value pointer);
  /// cp.async of 4, 8 or 16 bytes from global to shared memory: copies the first `present` bytes
  /// (all if null) and fills the rest with zeros.
  void copyAsync(Value to, Value from, int64_t bytes, Value present);
  /// Closes a group of all cp.async since the last call.
  void commitCopies();
  /// Waits until all but the last `groups` groups have arrived.
  void waitForCopies(int64_t groups);

  // Warp operations. Value of `x` in lane `lane` of the thread's segment of `width` lanes; all
  // threads of `members` take part. `x` has 32 or 64 bits.
  Value shuffle(Value x, Value members, Value lane, int64_t width);
  /// Value of `x` in the lane `distance` above within the segment of `width` lanes.
  Value shuffleDown(Value x, Value members, int64_t distance, int64_t width);
  void syncWarp(Value members);
  /// Mask with a bit per thread of the warp; all threads take part.
  Value ballot(Value condition);
  /// Barrier of the block (bar.sync); writes before the barrier are visible after.
  void syncBlock();

  // Whole launch: memory fence at device scope. Writes of this thread before the fence are seen
  // before writes after the fence.
  void fence();
  /// Atomic increment of an i32 in global memory; returns the old value.
  Value increment(Value pointer);

  /// Mutable variable of the thread, assignable in loops and branches; becomes a register.
  Value variable(Type type);
  Value read(Value variable, Type type) { return loadScalar(variable, type, index(0)); }
  void assign(Value variable, Value value) { storeScalar(value, variable, index(0)); }

  /// Called with each element of a result at the store, in launches that write the final results
  /// (LaunchShape::writesFinalResults).
  std::function<void(unsigned result, Value element)> onStored;
  void stored(unsigned result, Value element) {
    if (onStored)
      onStored(result, element);
  }
  /// Called once by the first `warps` warps of a block after the warps' last store; otherwise by
  /// all warps at the end of the launch.
  std::function<void(int64_t warps)> onAllStored;
  void allStored(int64_t warps) {
    if (onAllStored)
      std::exchange(onAllStored, nullptr)(warps);
  }

  const Chip &chip;
};

} // namespace ampc::nvptx
#endif
