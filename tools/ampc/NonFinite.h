// Finds the first value of a step that became infinite or NaN.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_NONFINITE_H
#define TOOLS_AMPC_NONFINITE_H

#include "tools/ampc/ObservedRounds.h"
#include "tools/ampc/Observer.h"
#include "llvm/ADT/StringSet.h"

namespace ampc {
/// Errors that a tracker explains: the step ran and rejected a result that is not finite.
inline bool isNonFinite(ampc_status status) {
  return status == AMPC_E_NONFINITE_LOSS || status == AMPC_E_NONFINITE_GRADIENT;
}

/// Runs beside a session that trains at full speed: keeps the state before each step. After a step
/// with numbers that are not finite, compiles the model again with all values visible, and repeats
/// the step. The repeated step has the same numbers, because storing a value does not change the
/// value.
class NonFiniteTracker {
public:
  NonFiniteTracker(Session &session, int program, const CompileRequest &request,
                   const ampc_options &options)
      : session(session), program(program), request(request), options(options) {}
  /// Call before a step.
  void before() { snapshot.take(session); }
  /// Call after the step; reports on standard error. `number` counts steps from 1.
  /// False if something is not finite and no value could be named as the cause.
  bool after(ampc_status status, const ampc_train_out &out, llvm::ArrayRef<const void *> inputs,
             uint32_t valid, uint64_t number);
  /// Whether some step had a value that is not finite.
  bool foundAny() const { return any; }

private:
  struct Range {
    bool seen = false;
    int64_t elements = 0, infinite = 0, nan = 0, first = -1;
    double max = 0; ///< of finite magnitudes
    bool isFinite() const { return infinite + nan == 0; }
    /// First round of a value inside loops that is not finite, in the order of execution, and
    /// the largest finite magnitudes of the rounds.
    int64_t firstRound = 0;
    std::vector<double> roundMaxima;
  };
  /// Values of this step computed in f32 from the same state.
  struct WideStep {
    std::vector<Range> ranges; ///< of the reference's values
    bool isFinite = false;     ///< loss and gradients of the step
  };
  static Range rangeOf(llvm::ArrayRef<double> values);
  static Range rangeInLoops(llvm::ArrayRef<double> values, const ObservedRounds &rounds);
  static Range rangeBefore(const Range &range, const ObservedOrder &order, size_t value,
                           const ObservedOrder::Time &end);
  bool wentWrong(ampc_status status, const ampc_train_out &out);
  std::vector<Range> rangesOf(Observer &observer, llvm::ArrayRef<const void *> inputs,
                              uint32_t valid, ampc_train_out &out);
  bool openObservers();
  Range rangeOfInput(int number, llvm::ArrayRef<const void *> inputs, uint32_t valid) const;
  bool reportInputs(llvm::ArrayRef<const void *> inputs, uint32_t valid);
  bool reportState();
  WideStep runInF32(llvm::ArrayRef<const void *> inputs, uint32_t valid);
  int findInF32(size_t value) const;
  bool isLeftOut(size_t value, const WideStep &wide) const;
  std::vector<bool> findEffective(llvm::ArrayRef<Range> ranges) const;
  std::vector<size_t> inOrder(llvm::ArrayRef<Range> ranges) const;
  void report(size_t value, llvm::ArrayRef<Range> ranges, const WideStep &wide,
              llvm::ArrayRef<const void *> inputs, uint32_t valid, uint64_t number);
  void reportCause(size_t value, const WideStep &step, llvm::ArrayRef<const void *> inputs,
                   uint32_t valid, double scale);
  void reportProducers(size_t value, llvm::ArrayRef<Range> ranges,
                       llvm::ArrayRef<const void *> inputs, uint32_t valid);

  Session &session;
  int program;
  CompileRequest request;
  ampc_options options;
  Snapshot snapshot;
  std::unique_ptr<Observer> observer, reference; ///< reference: the model in f32
  llvm::StringSet<> reported, leftOut;
  bool any = false;
};
} // namespace ampc
#endif
