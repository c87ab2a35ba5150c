// Reader of a module after `emit`: state, programs, entries and constants for the runtime's tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_MODELREADER_H
#define LIB_PACKAGE_MODELREADER_H

#include "lib/Package/ModelInfo.h"
#include "lib/Package/TensorFiles.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// Reads a module once. Errors are at the op that cannot be read.
class ModelReader {
public:
  ModelReader(mlir::ModuleOp module, llvm::StringRef name) : module(module), publicName(name) {}
  llvm::FailureOr<ModelInfo> run();

private:
  llvm::LogicalResult readSlots(train::ModelOp model);
  llvm::LogicalResult readSources(train::ModelOp model);
  llvm::LogicalResult readProgram(kernel::ProgramOp program);
  llvm::LogicalResult readArguments(kernel::ProgramOp program, ProgramInfo &info);
  llvm::LogicalResult readResults(kernel::ProgramOp program, ProgramInfo &info);
  llvm::LogicalResult readEntries(kernel::ProgramOp program, ProgramInfo &info);
  llvm::LogicalResult readOperands(KernelOpInterface op, ProgramInfo &info);
  llvm::LogicalResult readLaunch(KernelOpInterface op, EntryInfo &entry, ProgramInfo &info);
  llvm::LogicalResult readCall(kernel::CallOp op, EntryInfo &entry, ProgramInfo &info);
  llvm::LogicalResult readExchange(mlir::Operation *op, EntryInfo &entry, ProgramInfo &info);
  llvm::LogicalResult readEntry(KernelOpInterface op, EntryInfo &entry, ProgramInfo &info);
  llvm::LogicalResult readConstant(kernel::ConstantOp op);
  bool isKeptState(const ampc_operand &place);
  llvm::LogicalResult findLoss(kernel::ProgramOp program, ProgramInfo &info);
  llvm::FailureOr<ampc_operand> placeOf(mlir::Operation *user, mlir::Value value);
  llvm::LogicalResult checkNames(train::ModelOp model);
  int32_t findSlot(const llvm::Twine &name) {
    auto found = slotNumbers.find(name.str());
    return found == slotNumbers.end() ? -1 : found->second;
  }

  mlir::ModuleOp module;
  llvm::StringRef publicName;
  ModelInfo result;
  TensorFiles files;
  mlir::SymbolTableCollection symbols;
  llvm::StringMap<int32_t> slotNumbers;
  llvm::StringMap<int32_t> counters; ///< slots of the number of updates, by step
  llvm::DenseSet<int64_t> keptOffsets;
  llvm::DenseMap<mlir::Value, ampc_operand> argumentPlaces;
  llvm::DenseMap<mlir::Operation *, int32_t> programNumbers;
  llvm::DenseMap<mlir::Operation *, int32_t> exchangeNumbers; ///< of starts, over all programs
  unsigned stepCount = 0;
  int64_t constantCount = 0;
};

/// Checked conversion: tables of the runtime count in 32 bits, where 2^32 rows would be 0.
llvm::LogicalResult readCount(mlir::Operation *op, llvm::StringRef of, int64_t count,
                              int32_t &result);

} // namespace ampc
#endif
