// What precision policies know about a function, and what they decide.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_PRECISION_H
#define LIB_PRECISION_PRECISION_H

#include "ampc/Precision/Profile.h"
#include "lib/Precision/Casts.h"
#include "mlir-dialects/Amp/Amp.h"
#include "llvm/ADT/SetVector.h"
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
inline bool isGray(Treatment treatment) {
  return treatment == Treatment::Promote || treatment == Treatment::Pass;
}
inline int64_t elements(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType()).getNumElements();
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

/// What a regular expression must be instead, if matching it may take too much memory or stack.
std::optional<std::string> boundedInstead(llvm::StringRef pattern);

/// Treatments of ops by mnemonic, and types of ops by name.
struct PolicyTable {
  llvm::StringMap<Treatment> treatments;
  llvm::SmallVector<Override> overrides; ///< the last that matches counts
  bool keepsChains = false;              ///< what stays within a kernel stays in f32

  /// The table that comes with a policy for a 16-bit type; null for an unknown policy.
  static std::optional<PolicyTable> builtin(llvm::StringRef policy, mlir::Type low);
  /// Adds lines `MNEMONIC... = TREATMENT` and `name REGEX = TYPE`; ` #` starts a comment.
  llvm::Error add(llvm::StringRef text, mlir::MLIRContext *context);
  llvm::Error addLine(llvm::StringRef line, mlir::MLIRContext *context);
  /// The mnemonics of a line on treatments.
  static llvm::SmallVector<llvm::StringRef> wordsOf(llvm::StringRef line);
  /// Whether a mnemonic (or `*`) means the op, or the composite op that it is a part of.
  static bool matches(llvm::StringRef word, mlir::Operation *op);
  Treatment lookup(mlir::Operation *op) const;
};

/// Why an op got its type.
struct Reason {
  llvm::StringRef rule;
  std::string text;
};

/// A region's or an override's word on one op.
struct Demand {
  mlir::Type type;       ///< null: none
  bool disabled = false; ///< not under autocast
  bool forced = false;   ///< the op computes in `type`; else that is only its 16-bit type
  std::string source;    ///< for the reason
  std::optional<ComputeMode> mode = std::nullopt;
  llvm::StringRef rule = "override";
  bool roundsOnce = false; ///< forced, but computes in f32 and only rounds its result to `type`
};

/// Facts on the f32 values and the ops of one program.
class PrecisionFacts {
public:
  /// `profile` may be null; `scale` is what its gradients will carry.
  PrecisionFacts(train::FuncOp func, mlir::Type low, const PolicyTable &table,
                 const StepProfile *profile = nullptr, double scale = 1);

  mutable train::FuncOp func; ///< MLIR ops have no const methods
  mlir::Type low, f32;
  llvm::SmallVector<mlir::Operation *> ops; ///< in order, without the terminator

  /// The pass decides over f32 only: other types were chosen by the model's author.
  bool isReal(mlir::Value v) const { return real.contains(v); }
  /// Reads or makes f32 and no other float type.
  bool isDecided(mlir::Operation *op) const { return decided.contains(op); }
  Treatment treatment(mlir::Operation *op) const { return treatments.lookup(op); }
  /// Parameters, constants and what only moves them: they exist in every type and do not vote.
  bool isWeak(mlir::Value v) const { return weak.contains(v); }
  bool isBackward(mlir::Operation *op) const { return backward.contains(op); }
  Demand demand(mlir::Operation *op) const { return demands.lookup(op); }
  mlir::Type lowOf(mlir::Operation *op) const;
  /// Ops that stem from one source op (an adjoint, a decomposed op) share a name.
  llvm::StringRef group(mlir::Operation *op) const { return groups.lookup(op); }
  /// All readers belong to the op's own group: a partial result, which is not rounded.
  bool isInner(mlir::Value v) const { return inner.contains(v); }
  /// Why a profile wants the value in f32; null: it does not.
  const std::string *misfit(mlir::Value v) const {
    auto found = misfits.find(v);
    return found == misfits.end() ? nullptr : &found->second;
  }
  /// Only pointwise ops of the same kernel read it, or the backward pass makes it again.
  bool staysInKernel(mlir::Value v) const;
  /// Inner for that reason alone.
  bool isChained(mlir::Value v) const { return chained.contains(v); }
  /// Why rounding the value would ruin what reads it, whatever the policy; null: it would not.
  const std::string *magnified(mlir::Value v) const {
    auto found = magnifications.find(v);
    return found == magnifications.end() ? nullptr : &found->second;
  }
  /// What the user fixed to a type that cannot hold it: a warning per op.
  llvm::ArrayRef<std::pair<mlir::Location, std::string>> getWarnings() const { return warnings; }
  /// For policies without pins: ops whose results do not fit compute in f32.
  void forceMisfits();
  /// The forward op that an adjoint op stems from, or null.
  mlir::Operation *forwardOf(mlir::Operation *op) const;

private:
  void findWeak();
  void findInner();
  void findMagnified();
  bool isFree(mlir::Operation *op) const;
  bool isRemade(mlir::Value v) const;
  bool joinsEpilogue(mlir::Operation *op, mlir::Value accumulator) const;
  void narrow();
  std::optional<Reason> whyInternal(mlir::Operation *op,
                                    const llvm::DenseSet<mlir::Value> &statistics) const;
  void widenMisfits();
  void widenContractions();
  void readProfile(const StepProfile &profile, double scale);

  llvm::DenseSet<mlir::Operation *> decided, backward;
  llvm::DenseSet<mlir::Value> real, weak, inner, chained, remade;
  llvm::DenseMap<mlir::Operation *, Treatment> treatments;
  llvm::DenseMap<mlir::Operation *, Demand> demands;
  llvm::DenseMap<mlir::Value, std::string> misfits, magnifications;
  std::vector<std::pair<mlir::Location, std::string>> warnings;
  llvm::DenseMap<mlir::Operation *, llvm::StringRef> groups;
  llvm::StringMap<mlir::Operation *> byName;
  bool keepsChains = false;
};

/// What a policy decides about one function.
struct Assignment {
  /// Type in which the op takes its operands. A contraction in 16 bits gives f32, every other op
  /// this type.
  llvm::DenseMap<mlir::Operation *, mlir::Type> compute;
  /// Operands from outside the op's group are rounded to this type first, if present.
  llvm::DenseMap<mlir::Operation *, mlir::Type> entry;
  /// Type in which a value exists for its readers.
  llvm::DenseMap<mlir::Value, mlir::Type> storage;
  /// Type of the copy of an f32 value that the backward pass reads instead, if present.
  llvm::DenseMap<mlir::Value, mlir::Type> kept;
  llvm::DenseMap<mlir::Operation *, Reason> reasons;

  mlir::Type storageOf(mlir::Value v) const {
    mlir::Type type = storage.lookup(v);
    return type ? type : mlir::getElementTypeOrSelf(v);
  }
};

/// Values that must stay in f32, with the reason; what is in neither list is for the policy to
/// choose.
struct Pins {
  llvm::DenseMap<mlir::Value, Reason> full, low;
  /// The cut's own: f32 so that its error stays within that of autocast.
  llvm::DenseMap<mlir::Value, Reason> sensitive;
  /// Of those: the backward pass reads a copy in 16 bits.
  llvm::DenseSet<mlir::Value> keptLow;
  bool isFull(mlir::Value v) const { return full.contains(v) || sensitive.contains(v); }
};
Pins findPins(const PrecisionFacts &facts);
/// Adds `sensitive` and `keptLow`.
void findSensitive(const PrecisionFacts &facts, Pins &pins);
/// Whether the op gives elements of its operand as they are: rounding before it and after it are
/// the same.
bool movesElements(mlir::Operation *op);
/// Values that only a parameter's gradient reads, directly or through ops that move or add them.
llvm::DenseSet<mlir::Value> gradientsOf(const PrecisionFacts &facts);

llvm::FailureOr<Assignment> assignAutocast(const PrecisionFacts &facts);
Assignment assignPropagate(const PrecisionFacts &facts);
/// The storage types that move the fewest bytes under the pins.
Assignment assignMinCut(const PrecisionFacts &facts, const Pins &pins);
/// Bytes moved by casts, stores, reads and saved activations if values are stored as `assignment`
/// says, pins first.
int64_t storageCost(const PrecisionFacts &facts, const Pins &pins, const Assignment &assignment);

/// Interval of a value's finite elements that holds whatever the inputs are.
struct Interval {
  double low, high;
  double magnitude() const { return std::max(std::abs(low), std::abs(high)); }
};
std::optional<Interval> rangeOf(mlir::Value v);
/// The largest finite number of a float type.
double largestOf(mlir::Type type);
/// Whether some element of a constant becomes infinite or 0 in the type; the text says which.
std::optional<std::string> constantMisfit(mlir::Value v, mlir::Type type);
/// The same for the constants that an op reads, and for the numbers in its attributes if it works
/// with those in the type of its elements.
std::optional<std::string> constantMisfit(mlir::Operation *op, mlir::Type type);
/// Whether a value is known to leave the type's range.
std::optional<std::string> rangeMisfit(mlir::Value v, mlir::Type type);

/// The largest magnitude that a norm of rows gives before gain and bias; nothing for other ops.
std::optional<double> normalizedBound(mlir::Operation *norm);

/// A constant without dimensions: what an op that computes in f32 reads as it is.
bool isNumber(mlir::Value v);

/// Parameters that programs read in a 16-bit type.
using WorkingCopies = llvm::SetVector<std::pair<mlir::StringAttr, mlir::Type>>;
std::string workingSlot(llvm::StringRef param, mlir::Type type);
/// Rewrites the function; parameters wanted in 16 bits become further arguments and are added to
/// `copies`.
void emitAssignment(const PrecisionFacts &facts, const Assignment &assignment,
                    WorkingCopies &copies);
/// Makes programs that write parameters write their working copies too, and declares and derives
/// those. Without master weights a parameter holds no more than its copy.
void addWorkingCopies(train::ModelOp model, const WorkingCopies &copies, bool masterWeights);

std::string nameOf(mlir::Operation *op);
/// A name without the suffixes that adjoints add.
llvm::StringRef sourceName(llvm::StringRef name);
} // namespace ampc
#endif
