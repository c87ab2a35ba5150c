// Precision policies, by name: who decides which ops compute in 16 bits and which values are stored
// in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PRECISION_POLICY_H
#define AMPC_PRECISION_POLICY_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include <memory>
#include <string>

namespace ampc {
class PrecisionFacts;
struct Assignment;
struct PolicyTable;

/// One policy. The driver's help and its errors, the cost table and docs/reference/policies.md show
/// whatever is registered.
class PrecisionPolicy {
public:
  /// Both are literals. The description is one line, without a full stop.
  PrecisionPolicy(llvm::StringRef name, llvm::StringRef description)
      : name(name), description(description) {}
  virtual ~PrecisionPolicy();

  llvm::StringRef getName() const { return name; }
  llvm::StringRef getDescription() const { return description; }

  /// How it treats ops, if the 16-bit type is `low`. Users add lines to this.
  virtual PolicyTable table(mlir::Type low) const = 0;
  /// Types for one program. A failure has been reported at an op.
  virtual mlir::FailureOr<Assignment> assign(const PrecisionFacts &facts) const = 0;

  /// Keeps a single value in f32 where 16 bits do not hold it. For other policies the op that makes
  /// such a value computes in f32.
  virtual bool keepsValuesFull() const { return false; }
  /// Rounds gradients of parameters, too: the loss scale has to fit those.
  virtual bool roundsWeightGradients() const { return false; }
  /// Moves the fewest bytes, as the cost table counts them.
  virtual bool movesFewestBytes() const { return false; }
  /// Has a row in the cost table.
  virtual bool isCompared() const { return true; }

private:
  llvm::StringRef name, description;
};

/// All policies in the order in which they are listed; the first one is the default.
llvm::ArrayRef<std::unique_ptr<PrecisionPolicy>> getPolicies();
/// Null for an unknown name.
const PrecisionPolicy *findPolicy(llvm::StringRef name);
/// Adds a policy behind the ones that come with ampc. The name must be new. Before the first
/// compilation, from one thread.
void registerPolicy(std::unique_ptr<PrecisionPolicy> policy);
/// "a, b or c", for messages.
std::string policyNames();
} // namespace ampc
#endif
