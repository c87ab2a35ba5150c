// Builder of loops: train.scan from the ops of one round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_LOOPBUILDER_H
#define LIB_IMPORT_ONNX_LOOPBUILDER_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// A loop under construction: while the object lives, the converter's builder adds ops to the
/// round. The op follows at the end, since the types of its results follow from the round.
class LoopBuilder {
public:
  /// Sequences are [rounds, ...].
  LoopBuilder(Converter &c, mlir::ValueRange inits, mlir::ValueRange sequences, int64_t rounds);

  mlir::Value index() { return block->getArgument(0); }
  mlir::ValueRange carried();
  mlir::ValueRange rows();
  /// Ends the round with the next carried values and the values to keep. Returns the last carried
  /// values, then every kept value as [rounds, ...]; empty, with a fault recorded, for other types.
  llvm::SmallVector<mlir::Value> finish(mlir::ValueRange next, mlir::ValueRange each,
                                        bool isReverse);

private:
  Converter &c;
  llvm::SmallVector<mlir::Value> inits, sequences;
  int64_t rounds;
  std::optional<mlir::OpBuilder::InsertionGuard> guard;
  mlir::Region region;
  mlir::Block *block;
};
} // namespace ampc::onnx
#endif
