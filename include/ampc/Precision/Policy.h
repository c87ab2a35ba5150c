// Precision policies by name: assignment of 16-bit compute types to ops and storage types to
// values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PRECISION_POLICY_H
#define AMPC_PRECISION_POLICY_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include <memory>
#include <string>

namespace ampc {
class PrecisionAnalysis;
struct Assignment;
struct PolicyTable;

/// One precision policy. All registered policies appear in the driver's help and errors, in the
/// cost table and in docs/reference/policies.md.
class PrecisionPolicy {
public:
  /// Both arguments are string literals. The description is one line without a full stop.
  PrecisionPolicy(llvm::StringRef name, llvm::StringRef description)
      : name(name), description(description) {}
  virtual ~PrecisionPolicy();

  llvm::StringRef getName() const { return name; }
  llvm::StringRef getDescription() const { return description; }

  /// Treatment of each op if the 16-bit type is `low`. Users append lines to this table.
  virtual PolicyTable table(mlir::Type low) const = 0;
  /// Assigns types to one program. A failure has been reported at an op.
  virtual mlir::FailureOr<Assignment> assign(const PrecisionAnalysis &facts) const = 0;

  /// Whether the policy keeps a single value in f32 if it does not fit 16 bits. Under other
  /// policies the defining op computes in f32.
  virtual bool keepsValuesFull() const { return false; }
  /// Whether gradients of parameters are rounded, too; the loss scale must then fit them.
  virtual bool roundsWeightGradients() const { return false; }
  /// Whether the assignment minimizes bytes moved, as counted by the cost table.
  virtual bool movesFewestBytes() const { return false; }
  /// Whether the cost table has a row for this policy.
  virtual bool isCompared() const { return true; }

private:
  llvm::StringRef name, description;
};

/// All policies in listing order; the first is the default.
llvm::ArrayRef<std::unique_ptr<PrecisionPolicy>> getPolicies();
/// Policy of a name; null if unknown.
const PrecisionPolicy *findPolicy(llvm::StringRef name);
/// Registers a policy behind the built-in policies. The name must be new; call before the first
/// compilation, from a single thread.
void registerPolicy(std::unique_ptr<PrecisionPolicy> policy);
/// Names of all policies as text, for messages: "a, b or c".
std::string policyNames();
} // namespace ampc
#endif
