// The vocabulary in which kernels of GPUs are written: loops of Common, and threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_DEVICEEMITTER_H
#define LIB_TARGET_NVPTX_DEVICEEMITTER_H

#include "lib/Target/Common/LoopEmitter.h"
#include "lib/Target/NVPTX/Chip.h"
#include <functional>
#include <optional>
#include <utility>

namespace ampc::nvptx {

/// Positions are of type index, as in all loops; numbers of threads, and what is computed from
/// them, of i32, in which divisions are short.
class DeviceEmitter : public target::LoopEmitter {
public:
  DeviceEmitter(mlir::OpBuilder &b, mlir::Location loc, const Chip &chip)
      : LoopEmitter(b, loc), chip(chip) {}

  /// Threads and blocks are numbered along x.
  Value thread();
  Value block();
  /// Number of the thread among all of the launch, whose blocks have `threads`.
  Value globalThread(int64_t threads);

  // Numbers of 32 bits; constants fold.
  Value i32(int64_t value);
  /// The first constant that was asked for and has more: such code is wrong.
  std::optional<int64_t> beyond32;
  Value add32(Value x, Value y);
  Value sub32(Value x, Value y);
  Value mul32(Value x, int64_t factor);
  Value div32(Value x, int64_t divisor); // of a value >= 0
  Value rem32(Value x, int64_t divisor);
  Value and32(Value x, int64_t mask);
  Value xor32(Value x, Value y);
  Value less32(Value x, int64_t limit);
  /// A number >= 0 as a position.
  Value position(Value number);
  /// The places along `sizes` of the point with this number, in row-major order.
  llvm::SmallVector<Value> split(Value number, llvm::ArrayRef<int64_t> sizes);

  /// A position that fits 32 bits as a number.
  Value number(Value position);
  /// Values of one of two branches.
  using Branch = llvm::function_ref<llvm::SmallVector<Value>()>;
  llvm::SmallVector<Value> either(Value condition, Branch yes, Branch no);

  Value min32(Value x, Value y);
  Value max32(Value x, Value y);

  // Memory in bytes: a pointer of any space, and offsets of 32 bits.
  Value advance(Value pointer, int64_t bytes);
  Value advance(Value pointer, Value bytes);
  /// What the launch asked for; its first byte, at a multiple of `alignment`.
  Value sharedMemory(unsigned alignment = 128);
  /// `count` neighbouring elements, which start at a multiple of their size, or of 16 bytes.
  llvm::SmallVector<Value> loadRun(Value pointer, Type element, int64_t count);
  void storeRun(llvm::ArrayRef<Value> values, Value pointer);
  /// Starts to copy 4, 8 or 16 bytes from global to shared memory: the first `present` of them (all
  /// if null), and zeros.
  void copyAsync(Value to, Value from, int64_t bytes, Value present);
  /// Copies since the last call are one group.
  void commitCopies();
  /// All but the last `groups` have arrived.
  void waitForCopies(int64_t groups);

  // Threads of a warp.
  /// Of the thread whose number in its group of `width` is `lane`; all threads of `members` take
  /// part. Of a number of 32 or 64 bits.
  Value shuffle(Value x, Value members, Value lane, int64_t width);
  /// Of the thread `distance` further on in its group of `width`.
  Value shuffleDown(Value x, Value members, int64_t distance, int64_t width);
  void syncWarp(Value members);
  /// A bit for every thread of the warp, all of which take part.
  Value ballot(Value condition);
  /// All threads of a block wait for each other; what they wrote is seen.
  void syncBlock();

  // All threads of a launch.
  /// What this thread has written is seen before what it writes from here on.
  void fence();
  /// Adds one to an i32 in global memory; what it was.
  Value increment(Value pointer);

  /// A number of the thread, which code of loops and branches may change: a register.
  Value variable(Type type);
  Value read(Value variable, Type type) { return loadScalar(variable, type, index(0)); }
  void assign(Value variable, Value value) { storeScalar(value, variable, index(0)); }

  /// Called with an element of a result of the kernel where it is stored, in launches that show
  /// them (LaunchShape::showsResults).
  std::function<void(unsigned result, Value element)> onStored;
  void stored(unsigned result, Value element) {
    if (onStored)
      onStored(result, element);
  }
  /// Called by the first `warps` of a block behind the last element that they store; at the end of
  /// the launch, by all, if not before.
  std::function<void(int64_t warps)> onAllStored;
  void allStored(int64_t warps) {
    if (onAllStored)
      std::exchange(onAllStored, nullptr)(warps);
  }

  const Chip &chip;
};

} // namespace ampc::nvptx
#endif
