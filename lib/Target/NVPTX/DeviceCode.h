// The functions of one kernel, and how they are launched.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_DEVICECODE_H
#define LIB_TARGET_NVPTX_DEVICECODE_H

#include "lib/Target/Common/PlainLoops.h"
#include "lib/Target/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

using target::KernelPointers;

/// Threads of a block of a plain form: enough warps to fill a multiprocessor with any number of
/// registers.
constexpr int64_t plainThreads = 256;

/// Blocks along x, y and z, threads along x, and blocks of a cluster along x.
struct LaunchShape {
  int64_t grid[3] = {1, 1, 1};
  int64_t threads = 1;
  int64_t numbersPerThread = 1; // of points: all of a launch have 32 bits
  int64_t cluster = 1;
  int64_t sharedBytes = 0; // asked for at the launch
  int64_t registers = 0;   // most that a thread may have; 0: the assembler decides
  /// Registers go before a second block on a multiprocessor: the assembler else spills some of them
  /// for one.
  bool needsRegisters = false;
  /// This launch alone stores the kernel's results, and passes each element to
  /// DeviceEmitter::stored.
  bool showsResults = false;

  /// Blocks of plain threads, one for each point; the last may have threads without one.
  static LaunchShape perPoint(int64_t points);
  int64_t warps() const { return grid[0] * threads / 32; }
};

/// What goes along with the launches of a kernel inside another.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  /// Around what the kernel does in a launch, for all threads: `first` if none came before it.
  virtual void begin(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
                     bool first) = 0;
  virtual void end(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
                   bool first) = 0;
  /// Shared memory that its end needs in such a launch.
  virtual int64_t sharedBytes(const LaunchShape &shape) = 0;
};

/// Collects the launches of a kernel. Each is a function of the module of the chip.
class DeviceCode {
public:
  using Value = mlir::Value;
  using Write = llvm::function_ref<void(DeviceEmitter &e, const KernelPointers &pointers)>;
  using WriteWithMaps = llvm::function_ref<void(DeviceEmitter &e, const KernelPointers &pointers,
                                                mlir::ValueRange maps)>;
  using TensorMaps = llvm::ArrayRef<kernel::TensorMapAttr>;

  DeviceCode(mlir::ModuleOp code, mlir::Operation *kernel, const Chip &chip, llvm::StringRef symbol)
      : chip(chip), code(code), kernel(kernel), symbol(symbol) {}

  /// Adds a function that runs after those before it. Of more blocks or threads than 32 bits number
  /// it is an error at the kernel instead.
  void launch(const LaunchShape &shape, Write write);
  /// The same with maps of tensors in operands of the kernel; `write` gets a pointer to each.
  void launch(const LaunchShape &shape, TensorMaps maps, WriteWithMaps write);
  llvm::ArrayRef<mlir::Attribute> getLaunches() const { return launches; }
  /// Failure if a launch was one.
  llvm::LogicalResult getResult() const { return result; }
  /// Which code was chosen, and why, for people: of a kernel inside another, its.
  void describe(const llvm::Twine &form) { description = form.str(); }
  llvm::StringRef getDescription() const { return description; }

  /// While `write` runs, launches see what `view` makes of the kernel's pointers: for a kernel
  /// inside another.
  using View = std::function<KernelPointers(const KernelPointers &)>;
  void within(View view, LaunchObserver *observer, llvm::function_ref<void()> write);

  const Chip &chip;

private:
  mlir::ModuleOp code;
  mlir::Operation *kernel;
  std::string symbol, description = "plain";
  View view;
  LaunchObserver *observer = nullptr;
  llvm::SmallVector<mlir::Attribute> launches;
  llvm::LogicalResult result = llvm::success();
};

/// Points of plain kernels, each in a thread of its own; a launch for every call.
class ThreadPerPoint : public target::Points {
public:
  explicit ThreadPerPoint(DeviceCode &code, bool showsResults = false)
      : Points(/*fusesMultiplyAdd=*/true), code(code), showsResults(showsResults) {}
  void forEach(llvm::ArrayRef<int64_t> sizes, Body body) override;
  void forEachOnDevice(llvm::ArrayRef<int64_t> sizes,
                       llvm::function_ref<void(DeviceEmitter &e, const KernelPointers &pointers,
                                               llvm::ArrayRef<Value> dims)>
                           body);
  Value toMode(target::LoopEmitter &e, mlir::Type mode, Value factor) override;

private:
  DeviceCode &code;
  bool showsResults;
};

} // namespace ampc::nvptx
#endif
