// Device functions of a kernel, and their launch shapes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_DEVICECODE_H
#define LIB_CODEGEN_NVPTX_DEVICECODE_H

#include "lib/Codegen/Common/PlainLoops.h"
#include "lib/Codegen/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

using target::KernelPointers;

/// Threads per block of a plain kernel: enough warps to fill a multiprocessor at any number of
/// registers.
constexpr int64_t plainThreads = 256;

/// Shape of a launch: blocks along x, y and z, threads along x, and blocks per cluster along x.
/// Example: {{128, 1, 1}, 256 threads}.
struct LaunchShape {
  int64_t grid[3] = {1, 1, 1};
  int64_t threads = 1;
  int64_t numbersPerThread = 1; // points per thread; all points of a launch are numbered in 32 bits
  int64_t cluster = 1;
  int64_t sharedBytes = 0; // dynamic shared memory of the launch, in bytes
  int64_t registers = 0;   // most registers per thread (.maxnreg); 0: the assembler decides
  /// Prefers registers to a second block per multiprocessor (.minnctapersm 1); otherwise the
  /// assembler spills to fit two blocks.
  bool needsRegisters = false;
  /// This launch alone writes the final results, and passes each element to DeviceEmitter::stored.
  bool writesFinalResults = false;

  /// A thread per point, in blocks of plainThreads; the last block may have idle threads.
  static LaunchShape perPoint(int64_t points);
  int64_t warps() const { return grid[0] * threads / 32; }
};

/// Code added around the launches of a kernel nested in another kernel, such as a fused reduction.
class LaunchObserver {
public:
  virtual ~LaunchObserver() = default;
  /// Called before and after the kernel's code in a launch, for all threads; `first` in the first
  /// launch.
  virtual void begin(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
                     bool first) = 0;
  virtual void end(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
                   bool first) = 0;
  /// Shared memory that `end` needs in such a launch, in bytes.
  virtual int64_t sharedBytes(const LaunchShape &shape) = 0;
};

/// Collects the launches of a kernel. Each launch is a function in the chip's module.
class DeviceCode {
public:
  using Value = mlir::Value;
  using Write = llvm::function_ref<void(DeviceEmitter &e, const KernelPointers &pointers)>;
  using WriteWithMaps = llvm::function_ref<void(DeviceEmitter &e, const KernelPointers &pointers,
                                                mlir::ValueRange maps)>;
  using TensorMaps = llvm::ArrayRef<kernel::TensorMapAttr>;

  DeviceCode(mlir::ModuleOp code, mlir::Operation *kernel, const Chip &chip, llvm::StringRef symbol)
      : chip(chip), code(code), kernel(kernel), symbol(symbol) {}

  /// Adds a launch that runs after all launches before. More blocks or threads than 32 bits can
  /// number are an error at the kernel.
  void launch(const LaunchShape &shape, Write write);
  /// As above, with tensor maps of operands of the kernel; `write` gets a pointer per map.
  void launch(const LaunchShape &shape, TensorMaps maps, WriteWithMaps write);
  llvm::ArrayRef<mlir::Attribute> getLaunches() const { return launches; }
  /// Failure if any launch failed.
  llvm::LogicalResult getResult() const { return result; }
  /// Name of the chosen form and the reason, for reports. A nested kernel describes the outer
  /// kernel.
  void describe(const llvm::Twine &form) { description = form.str(); }
  llvm::StringRef getDescription() const { return description; }

  /// While `write` runs, launches see the kernel's pointers mapped by `view`: for a kernel nested
  /// in another kernel.
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

/// Points of plain kernels, a thread per point and a launch per call.
class ThreadPerPoint : public target::Points {
public:
  explicit ThreadPerPoint(DeviceCode &code, bool writesFinalResults = false)
      : Points(/*fusesMultiplyAdd=*/true), code(code), writesFinalResults(writesFinalResults) {}
  void forEach(llvm::ArrayRef<int64_t> sizes, Body body) override;
  void forEachOnDevice(llvm::ArrayRef<int64_t> sizes,
                       llvm::function_ref<void(DeviceEmitter &e, const KernelPointers &pointers,
                                               llvm::ArrayRef<Value> dims)>
                           body);
  Value toMode(target::LoopEmitter &e, mlir::Type mode, Value factor) override;

private:
  DeviceCode &code;
  bool writesFinalResults;
};

} // namespace ampc::nvptx
#endif
