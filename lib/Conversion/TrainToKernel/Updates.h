// Parameter updates: a kernel per parameter where the optimizer's rule is pointwise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_TRAINTOKERNEL_UPDATES_H
#define LIB_CONVERSION_TRAINTOKERNEL_UPDATES_H

#include "lib/Conversion/TrainToKernel/Converter.h"
#include "mlir-dialects/Train/Optimizer/Update.h"

namespace ampc {
/// Converts the updates of a program. Values that a rule computes from step number and learning
/// rate alone are computed once for all parameters of the rule. The rest becomes the body of a
/// kernel.map per parameter, built once and cloned for parameters of the same type. A rule that
/// adds up elements, or has moments of another shape, becomes a kernel per op, as in any function;
/// fusion then merges such kernels.
class Updates {
public:
  Updates(ConversionRules &families, Converter &converter)
      : families(families), converter(converter) {}
  llvm::LogicalResult convert(train::UpdateOp op);

private:
  /// An input of the kernel: an operand of the update by index, or a value shared by all parameters
  /// (operand -1).
  struct Input {
    int operand;
    Value value;
  };
  /// Cache entry: a kernel and the kernel's inputs.
  struct CachedKernel {
    kernel::MapOp map;
    llvm::SmallVector<Input> inputs;
  };
  struct DecomposedUpdate;
  /// Cache key: rule, names of numbers, type of the parameter, element type of the moments, and the
  /// shared operands.
  using Key = std::tuple<mlir::Attribute, mlir::Attribute, mlir::Type, mlir::Type,
                         llvm::SmallVector<Value, 4>>;

  CachedKernel make(train::UpdateOp op, const DecomposedUpdate &parts);
  bool copy(train::UpdateOp op, const CachedKernel &code);
  llvm::LogicalResult convertEach(train::UpdateOp op, const DecomposedUpdate &parts);

  ConversionRules &families;
  Converter &converter;
  llvm::DenseMap<Key, CachedKernel> known;
};
} // namespace ampc
#endif
