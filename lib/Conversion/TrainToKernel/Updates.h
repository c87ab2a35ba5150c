// Updates of parameters: one kernel each where the rule is pointwise.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_TRAINTOKERNEL_UPDATES_H
#define LIB_CONVERSION_TRAINTOKERNEL_UPDATES_H

#include "lib/Conversion/TrainToKernel/Converter.h"
#include "mlir-dialects/Train/Update.h"

namespace ampc {
/// Converts the updates of one program. What a rule computes from step number and learning rate
/// alone is computed once for all parameters that it is used on; the rest becomes the code of one
/// kernel.map per parameter, which is made once and copied for others of the same shape. A rule
/// that adds up elements, or has moments of another shape, becomes one kernel per op as in any
/// function: fusion joins those.
class Updates {
public:
  Updates(const Families &families, Converter &converter)
      : families(families), converter(converter) {}
  llvm::LogicalResult convert(train::UpdateOp op);

private:
  /// An input of the kernel: an operand of the update by number, or one value for all parameters.
  struct Input {
    int operand;
    Value value;
  };
  /// A kernel, and what its inputs are.
  struct Code {
    kernel::MapOp map;
    llvm::SmallVector<Input> inputs;
  };
  struct Parts;
  /// Rule, type of the parameter, type of its moments' elements, and the operands that are shared.
  using Key = std::tuple<mlir::Attribute, mlir::Type, mlir::Type, Value, Value, Value, Value>;

  Code make(train::UpdateOp op, const Parts &parts);
  bool copy(train::UpdateOp op, const Code &code);
  llvm::LogicalResult convertEach(train::UpdateOp op, const Parts &parts);

  const Families &families;
  Converter &converter;
  llvm::DenseMap<Key, Code> known;
};
} // namespace ampc
#endif
