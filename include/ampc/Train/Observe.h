// Watching the intermediate values of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fused value has no storage, so it cannot be read from outside: values that are to be seen
// become results of the step's program, each with a key that is the same in every precision. They
// leave the compiler as outputs in the tables, which say name, type and shape; the caller of
// `ampc_rt_run_observed` gives each a place. The alternative, a call-back with the operands of
// every entry of the table, would see what fusion left over, under names of kernels. Nothing but
// storage differs from the shipped program, because rounding does not depend on fusion:
// test/Driver/numerics-observe.test compares the bits. Memory: a caller may take an output's pages
// back after the last entry that reads it.
#ifndef AMPC_TRAIN_OBSERVE_H
#define AMPC_TRAIN_OBSERVE_H

#include "mlir-dialects/Train/Train.h"
#include <string>
#include <vector>

namespace ampc {
/// What a value is to the step.
enum class ValueKind {
  Forward,
  Gradient,       ///< cotangent of an activation; carries the loss scale
  WeightGradient, ///< handed to the optimizer; carries the loss scale
  Update,         ///< clipping, optimizer, new state
};
llvm::StringRef textOf(ValueKind kind);

/// The real values of a program, in order, without constants and state.
struct KeyedValue {
  mlir::Value value;
  std::string key; ///< of the input or op; further values of an op's name get `:2`, `:3`, ...
  ValueKind kind;
  bool isStatistic; ///< a single number, or made from nothing but such: never in 16 bits
};
std::vector<KeyedValue> keyValues(train::FuncOp func);

/// A value that `train-observe` made a result.
struct ObservedValue {
  std::string key, step; ///< a 16-bit form besides the value itself: key and " as f16"
  std::string op;        ///< without the dialect
  ValueKind kind = ValueKind::Forward;
  bool isStatistic = false;
  bool mayCancel = false;             ///< a sum or difference (Profile.h)
  std::string location;               ///< FILE:LINE:COLUMN of the source op
  std::vector<std::string> producers; ///< keys, slots and names of inputs
};
/// All of them, in the order of execution; between `recompute` and `kernels`.
std::vector<ObservedValue> findObserved(mlir::ModuleOp module);
} // namespace ampc
#endif
