// Description of a model for the tables, the header and the manifest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_MODELINFO_H
#define LIB_PACKAGE_MODELINFO_H

#include "ampc/Codegen/Target.h"
#include "ampc/Data/Array.h"
#include "ampc/Package/Package.h"
#include "ampc/Runtime/Model.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include <array>
#include <string>
#include <vector>

namespace ampc {
/// Fields follow the structs in ampc/Runtime/Model.h.
struct TensorInfo {
  std::string name, field; ///< user's name, and the C identifier derived from the name
  int32_t dtype = AMPC_F32;
  std::vector<int64_t> dims;
  int64_t bytes = 0;
  bool batched = false;
  int64_t labelLimit = 0, labelIgnore = 0, labelLeast = 0;
  std::vector<int64_t> memoryDims, memoryStrides; ///< empty: row-major
  std::vector<int64_t> labelRuns;                 ///< four numbers per run, as in ampc_tensor
};
/// Slot: the runtime's name for a state tensor with an offset.
struct SlotInfo {
  TensorInfo tensor;
  int32_t role = AMPC_ROLE_PARAM;
  Initializer init = {Initializer::Constant, 0, 0};
  Array value; ///< initial value, if a file holds one
  int64_t offset = 0;
  std::vector<double> range; ///< of a knob: least and greatest value; else empty
  int32_t source = -1;       ///< slot whose first value the slot takes, or -1
};
struct EntryInfo {
  int32_t kind = AMPC_ENTRY_KERNEL, number = 0, firstOperand = 0, operandCount = 0;
  int32_t times = 1, carried = 0;
  bool writesState = false;
  std::string name;
};
struct ProgramInfo {
  std::string name;      ///< of the C function, without the model's prefix
  std::string optimizer; ///< "adamw, sgd of @b", for messages; empty: none
  std::string step;      ///< train.step of the program; empty: none
  std::string mixing; ///< op that mixes rows: "train.reduce_sum (loss/reduce_sum#0)"; empty: none
  int32_t kind = AMPC_PROGRAM_EXPORT;
  int32_t stepSlot = -1, lossOutput = -1, lossReady = -1, normOutput = -1, rateOutput = -1,
          nonfiniteOutput = -1, nonfinite = AMPC_NONFINITE_ALLOW, scaleSlot = -1, numberCount = 0;
  int32_t batch = 0;
  bool shortBatch = false;
  bool drawsRandom = false; ///< reads the slot of role RANDOM
  std::vector<TensorInfo> inputs, outputs;
  std::vector<EntryInfo> entries;
  std::vector<ampc_operand> operands;
  int64_t arenaBytes = 0;
  int64_t savedBytes = 0; ///< kept from the forward to the backward pass
};
struct CodeInfo {
  std::string run, finish; ///< symbols; empty: none
  int64_t tasks = 0, finishTasks = 0, scratch = 0;
};
struct LaunchInfo {
  std::string function;
  std::array<uint32_t, 3> grid, block, cluster;
  uint32_t sharedBytes;
  std::vector<int32_t> parameters; ///< empty: all
  std::vector<ampc_tensor_map> maps;
};
struct KernelInfo {
  std::string name;
  std::vector<CodeInfo> code; ///< by tier of the target; empty for a device
  std::vector<LaunchInfo> launches;
  llvm::SmallVector<int64_t> starts; ///< kernel::startsOf the source kernel, or empty
};
struct ImageInfo {
  int32_t kind, capability;
  std::string bytes;
};
struct ModelInfo {
  std::string name; ///< prefix of files and C functions
  uint32_t tiers = 0;
  std::vector<SlotInfo> slots;
  std::vector<ProgramInfo> programs;
  std::vector<KernelInfo> kernels;
  std::vector<std::string> constants; ///< bytes
  std::vector<ImageInfo> images;      ///< device images
  int64_t stateBytes = 0, arenaBytes = 0;
  uint64_t stateHash = 0, planHash = 0; ///< the plan's hash excludes the kernels' code
  std::string contentHash;              ///< of tables and code; part of symbols
  const Target *target = nullptr;
};

/// Bytes of initial values that files hold, in the order of slots.
llvm::SmallVector<llvm::StringRef> piecesOf(const ModelInfo &model);
/// True for programs of the C interface. Internal programs have the last numbers.
inline bool isPublic(const ProgramInfo &program) { return program.kind < AMPC_PROGRAM_DERIVE; }
/// Outputs that a training program reports in ampc_train_out.numbers, in order.
inline llvm::ArrayRef<TensorInfo> numbersOf(const ProgramInfo &program) {
  return llvm::ArrayRef(program.outputs).slice(program.lossOutput + 1, program.numberCount);
}
/// Valid C identifier of a name; keywords are not avoided. Example: "layer.0/w" -> layer_0_w.
std::string toIdentifier(llvm::StringRef name);
/// Description of a tensor under the user's name; an error for a type without a C equivalent.
llvm::FailureOr<TensorInfo> readTensor(mlir::Operation *op, llvm::StringRef name, mlir::Type type);
/// Renames fields with equal identifiers, which different names may have.
void makeFieldsUnique(std::vector<TensorInfo> &tensors);
/// Sets kernels and tiers of a model whose target is known.
llvm::LogicalResult readKernels(mlir::ModuleOp module, ModelInfo &model);
/// Reads the module; errors name the op at fault. `name`: see PackageOptions.
llvm::FailureOr<ModelInfo> readModel(mlir::ModuleOp module, llvm::StringRef name);
/// Models of all targets; an error if the interfaces of the targets differ.
llvm::FailureOr<std::vector<ModelInfo>> readModels(mlir::ModuleOp module, llvm::StringRef name);

/// Text of the C header. `functions`: exported functions of the library.
std::string writeHeader(const ModelInfo &model, llvm::ArrayRef<std::string> functions);
/// Second symbol of a function, used by the header of the same library only.
std::string symbolForHeader(const ModelInfo &model, llvm::StringRef function);
/// Text of the manifest. `externals`: symbols that the library leaves to the C library.
std::string writeManifest(llvm::ArrayRef<ModelInfo> targets, llvm::ArrayRef<std::string> externals,
                          const MemoryTable &memory);
} // namespace ampc
#endif
