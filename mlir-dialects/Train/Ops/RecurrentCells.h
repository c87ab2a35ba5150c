// Decomposition of recurrent layers and cells: rounds of Elman networks, GRU and LSTM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPS_RECURRENTCELLS_H
#define MLIR_DIALECTS_TRAIN_OPS_RECURRENTCELLS_H

#include "mlir-dialects/Train/Ops/Recurrent.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

namespace ampc::train {
/// Operands of a layer or cell; null: absent.
struct LayerOperands {
  mlir::Value x, wx, wh, bias, biasH, h0, c0, lengths, projection, peepholes;
};
/// Sizes of a layer or cell; `time` is 1 in a cell.
struct LayerSizes {
  int64_t time, batch, in;
  int64_t cells;  ///< H: columns of a gate
  int64_t states; ///< P: columns of h
  int64_t gates;
};

/// Tensor code of one layer or cell. States are computed in `wide`, f32 at least, and passed on in
/// the element type, but for c.
class Recurrence {
public:
  Recurrence(GradBuilder &b, const LayerOperands &o, const LayerSizes &s)
      : b(b), o(o), s(s), element(tensorOf(o.x).getElementType()), wide(accumulatorOf(element)) {}
  virtual ~Recurrence() = default;

  /// x Wx + bias of all rounds, [..., gates H], in the wide type.
  mlir::Value fromInput(mlir::Value x);
  /// States of the next round from `before` and the round's row of fromInput.
  virtual llvm::SmallVector<mlir::Value> next(mlir::Value fromX,
                                              llvm::ArrayRef<mlir::Value> before) = 0;
  /// First states; zeros where the op has none. c is wide.
  llvm::SmallVector<mlir::Value> first();

protected:
  /// Columns [number * H, (number + 1) * H) of the last dimension.
  mlir::Value block(mlir::Value x, int64_t number, int64_t count = 1);
  mlir::Value widened(mlir::Value v) { return v ? b.castTo(v, wide) : mlir::Value(); }
  mlir::Value plus(mlir::Value x, mlir::Value bias) { return bias ? b.add(x, widened(bias)) : x; }
  /// h W in the wide type.
  mlir::Value product(mlir::Value h, mlir::Value weight) {
    return b.matmul(h, weight, false, false, wide);
  }
  mlir::Value sigmoid(mlir::Value x) { return b.op<SigmoidOp>(x); }
  mlir::Value tanh(mlir::Value x) { return b.op<TanhOp>(x); }

  GradBuilder &b;
  LayerOperands o;
  LayerSizes s;
  mlir::Type element, wide;
};

class Elman final : public Recurrence {
public:
  Elman(GradBuilder &b, const LayerOperands &o, const LayerSizes &s, RnnActivation activation)
      : Recurrence(b, o, s), activation(activation) {}
  llvm::SmallVector<mlir::Value> next(mlir::Value fromX,
                                      llvm::ArrayRef<mlir::Value> before) override;

private:
  RnnActivation activation;
};

class Gru final : public Recurrence {
public:
  Gru(GradBuilder &b, const LayerOperands &o, const LayerSizes &s, bool resetAfter,
      llvm::StringRef gates);
  llvm::SmallVector<mlir::Value> next(mlir::Value fromX,
                                      llvm::ArrayRef<mlir::Value> before) override;

private:
  /// The product with the state of n's gate.
  mlir::Value newFromState(mlir::Value h, mlir::Value r, mlir::Value fromH);

  bool resetAfter;
  int64_t r, z;             ///< blocks; n's is the last
  mlir::Value gateWeights;  ///< of r and z, or of all gates with reset_after
  mlir::Value resetWeights; ///< of n, without reset_after
};

class Lstm final : public Recurrence {
public:
  Lstm(GradBuilder &b, const LayerOperands &o, const LayerSizes &s, llvm::StringRef gates)
      : Recurrence(b, o, s), gates(gates) {}
  llvm::SmallVector<mlir::Value> next(mlir::Value fromX,
                                      llvm::ArrayRef<mlir::Value> before) override;

private:
  /// Columns of a gate before its function, with the part of the cell state.
  mlir::Value gate(char letter, mlir::Value sums, mlir::Value state);
  mlir::Value cellState(mlir::Value sums, mlir::Value before);

  llvm::StringRef gates;
};

/// Results of a layer; c is rounded to the element type.
llvm::SmallVector<mlir::Value> buildLayer(GradBuilder &b, Recurrence &cell, const LayerOperands &o,
                                          bool reverse, bool batchFirst);
/// Results of a cell: the states of the round.
llvm::SmallVector<mlir::Value> buildCell(GradBuilder &b, Recurrence &cell, const LayerOperands &o);

} // namespace ampc::train
#endif
