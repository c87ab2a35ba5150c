// Observation of intermediate values of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fused value has no storage, and cannot be read from outside. Observed values therefore become
// results of the step's program, each with a key that is equal in every precision. The tables of
// the library list these outputs with name, type and shape; the caller of `ampc_rt_run_observed`
// supplies memory for each. The alternative, a call-back with the operands of every table entry,
// would see only the values that fusion leaves in memory, under names of kernels. The observed
// program differs from the shipped program in storage only, because rounding does not depend on
// fusion: test/Driver/numerics-observe.test compares the bits. Memory: a caller may reclaim the
// pages of an output after the last entry that reads the output. Example: key "dense.matmul", f32
// [8, 16].
#ifndef AMPC_TRAIN_OBSERVE_H
#define AMPC_TRAIN_OBSERVE_H

#include "mlir-dialects/Train/Train.h"
#include <string>
#include <vector>

namespace ampc {
/// Role of a value in the step.
enum class ValueKind {
  Forward,
  Gradient,       ///< cotangent of an activation; carries the loss scale
  WeightGradient, ///< gradient passed to the optimizer; carries the loss scale
  Update,         ///< clipping, optimizer, new state
};
llvm::StringRef textOf(ValueKind kind);

/// A real value of a program with its key, which is one for all rounds of a loop. keyValues lists
/// the values in order, without constants and state.
struct KeyedValue {
  mlir::Value value;
  std::string key; ///< name of the input or op; further values under a name get `:2`, `:3`, ...
  ValueKind kind;
  bool isStatistic; ///< scalar, or computed from scalars only; never stored in 16 bits
};
std::vector<KeyedValue> keyValues(train::FuncOp func);

/// A loop around an observed value.
struct ObservedLoop {
  unsigned number; ///< of the loop in the program, in program order
  int64_t rounds;
  bool isReverse;       ///< round 0 has the last row
  std::string location; ///< FILE:LINE:COLUMN of the loop
};

/// Value that `train-observe` turned into a program result. A value inside of loops is the tensor
/// of all rounds, with a leading dimension per loop: [4, 8] inside a loop of 35 rounds -> [35, 4,
/// 8].
struct ObservedValue {
  std::string key, step; ///< key of the value; the 16-bit copy has " as f16" appended
  std::string op;        ///< mnemonic without the dialect
  ValueKind kind = ValueKind::Forward;
  bool isStatistic = false;
  bool mayCancel = false;             ///< sum or difference that may cancel (Profile.h)
  std::string location;               ///< FILE:LINE:COLUMN of the source op
  std::vector<std::string> producers; ///< keys, slots and names of inputs
  std::vector<ObservedLoop> loops;    ///< from the outermost
};
/// All observed values in execution order; the module is between the phases `recompute` and
/// `kernels`.
std::vector<ObservedValue> findObserved(mlir::ModuleOp module);
} // namespace ampc
#endif
