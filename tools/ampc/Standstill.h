// Trainings that go on and learn nothing: skipped steps in a row, a loss scale that leaves no
// gradient, parameters that never change.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_STANDSTILL_H
#define TOOLS_AMPC_STANDSTILL_H

#include "tools/ampc/Session.h"

namespace ampc {
/// Watches the reports of a train.step.
class Standstill {
public:
  /// Number of skipped steps at the end of a training that makes the training a failure, and of
  /// updates after which the parameters are compared.
  static constexpr unsigned lastSteps = 100;

  /// `limit`: skips in a row to warn after; 0: never.
  Standstill(Session &session, int program, unsigned limit);
  /// Warning after a run of the step; empty if there is none.
  std::string note(const ampc_train_out &out);
  /// Reason for a failed training that ends at this step; empty: no failure.
  std::string failure() const;

private:
  /// A parameter of the step.
  struct Parameter {
    int slot;
    uint64_t hash = 0; ///< hash of the parameter's bytes at the last comparison
  };
  std::string whySkipped(const ampc_train_out &out) const;
  std::string findUnchanged();
  uint64_t hashOf(int slot);

  Session &session;
  const ampc_program &program;
  unsigned limit;
  uint64_t skips = 0, updates = 0;
  bool isFlushed = false; ///< the warning of a small loss scale was given
  std::vector<Parameter> parameters;
};
} // namespace ampc
#endif
