// Policy tables: the treatment of each op, and the types that users fix by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICYTABLE_H
#define LIB_PRECISION_POLICYTABLE_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Treatment of an op by a policy. TensorFlow's names in brackets.
enum class Treatment {
  Low,       ///< 16-bit operands, f32 accumulator [allow]
  Full,      ///< computes in f32 and gives f32 [deny]
  Normalize, ///< computes in f32; the result may be stored in 16 bits
  Promote,   ///< computes in the widest type of the operands [infer]
  Pass,      ///< moves data, or maps elements to elements [clear]
  Narrow,    ///< gives the 16-bit type, for any op; intermediates inside an op stay f32
  Untouched, ///< f32, and propagates no type [in no list]
};

/// Whether the op computes in the storage type of the operands, so that storage is a choice.
inline bool computesAsStored(Treatment treatment) {
  return treatment == Treatment::Promote || treatment == Treatment::Pass;
}
/// Compute mode: how contractions of f32 values multiply where a target has units for the mode;
/// storage stays f32. Forward and backward values have separate types, because gradients may need
/// more range than activations.
struct ComputeMode {
  mlir::Type forward, backward;
  /// Mode by name: `tf32`, `f8E4M3FN`, `f8E5M2` or `fp8` (E4M3 forward, E5M2 for gradients);
  /// nothing for another name.
  static std::optional<ComputeMode> find(llvm::StringRef name, mlir::MLIRContext *context);
};

/// Type that the user fixes for all ops with a matching name. Example: `layer2.* = f32`.
struct Override {
  std::string pattern; ///< regular expression
  mlir::Type type;
  std::optional<ComputeMode> mode; ///< mode of contractions; `type` is then f32
  /// Matches the op's name, or the name of the forward op of an adjoint.
  bool matches(mlir::Operation *op) const;
};

/// Treatments of ops by mnemonic, and types of ops by name.
struct PolicyTable {
  llvm::StringMap<Treatment> treatments;
  llvm::SmallVector<llvm::StringRef> lists; ///< names of lists in the ops' entries; the first list
                                            ///< with the op decides
  llvm::SmallVector<Override> overrides;    ///< the last match decides
  bool keepsKernelsFull = false;            ///< values within a kernel stay in f32

  /// Table of the ops' own lists (see PrecisionOpInterface), with treatment `others` for ops in
  /// none of the lists; without `others` the treatment follows from the op's category.
  static PolicyTable ofLists(llvm::ArrayRef<llvm::StringRef> lists,
                             std::optional<Treatment> others = std::nullopt);
  /// Adds lines `MNEMONIC... = TREATMENT` and `name REGEX = TYPE`; ` #` starts a comment.
  llvm::Error add(llvm::StringRef text, mlir::MLIRContext *context);
  llvm::Error addLine(llvm::StringRef line, mlir::MLIRContext *context);
  /// Mnemonics of a line on treatments, e.g. `matmul conv2d = low` -> [matmul, conv2d].
  static llvm::SmallVector<llvm::StringRef> wordsOf(llvm::StringRef line);
  /// Whether a mnemonic (or `*`) names the op, or the composite op from which the op was expanded.
  static bool matches(llvm::StringRef word, mlir::Operation *op);
  Treatment lookup(mlir::Operation *op) const;

private:
  std::optional<Treatment> lookup(llvm::StringRef name, mlir::MLIRContext *context) const;
};
} // namespace ampc
#endif
