// Policies as tables: which op gets which treatment, and what users fix by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICYTABLE_H
#define LIB_PRECISION_POLICYTABLE_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// How a policy treats an op. TensorFlow's names in brackets.
enum class Treatment {
  Low,       ///< 16-bit operands, f32 accumulator [allow]
  Full,      ///< computes in f32 and gives f32 [deny]
  Normalize, ///< computes in f32; its result may be stored in 16 bits
  Promote,   ///< the widest of its operands [infer]
  Pass,      ///< moves data, or computes one element from one [clear]
  Narrow,    ///< gives the 16-bit type, whatever the op; numbers inside an op stay f32
  Untouched, ///< f32, and lets nothing through [in no list]
};

/// Computes in whatever its operands are stored in, so that storage is a choice.
inline bool computesAsStored(Treatment treatment) {
  return treatment == Treatment::Promote || treatment == Treatment::Pass;
}
/// How contractions of f32 values multiply where a target has units for it; storage stays f32.
/// Every operand has its own type: gradients may need more range than activations.
struct ComputeMode {
  mlir::Type forward, backward;
  /// `tf32`, `f8E4M3FN`, `f8E5M2` or `fp8` (E4M3 forward, E5M2 for gradients); nothing for another
  /// name.
  static std::optional<ComputeMode> find(llvm::StringRef name, mlir::MLIRContext *context);
};

/// What the user fixes for the ops whose names match.
struct Override {
  std::string pattern; ///< regular expression
  mlir::Type type;
  std::optional<ComputeMode> mode; ///< of contractions; the type is then f32
  /// By its name, or by that of the op that its adjoint stems from.
  bool matches(mlir::Operation *op) const;
};

/// Treatments of ops by mnemonic, and types of ops by name.
struct PolicyTable {
  llvm::StringMap<Treatment> treatments;
  llvm::SmallVector<llvm::StringRef> lists; ///< names in the ops' own lists; the first counts
  llvm::SmallVector<Override> overrides;    ///< the last that matches counts
  bool keepsKernelsFull = false;            ///< what stays within a kernel stays in f32

  /// What ops say themselves in these lists (see PrecisionOpInterface), and what holds for ops in
  /// none of them; without that it follows from their category.
  static PolicyTable ofLists(llvm::ArrayRef<llvm::StringRef> lists,
                             std::optional<Treatment> others = std::nullopt);
  /// Adds lines `MNEMONIC... = TREATMENT` and `name REGEX = TYPE`; ` #` starts a comment.
  llvm::Error add(llvm::StringRef text, mlir::MLIRContext *context);
  llvm::Error addLine(llvm::StringRef line, mlir::MLIRContext *context);
  /// The mnemonics of a line on treatments.
  static llvm::SmallVector<llvm::StringRef> wordsOf(llvm::StringRef line);
  /// Whether a mnemonic (or `*`) means the op, or the composite op that it is a part of.
  static bool matches(llvm::StringRef word, mlir::Operation *op);
  Treatment lookup(mlir::Operation *op) const;

private:
  std::optional<Treatment> lookup(llvm::StringRef name, mlir::MLIRContext *context) const;
};
} // namespace ampc
#endif
