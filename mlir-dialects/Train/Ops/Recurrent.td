// Recurrent layers and their cells, composites over loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_RECURRENT
#define AMPC_TRAIN_RECURRENT
include "mlir-dialects/Train/Base.td"

// Trait of composites whose decomposition has a loop: train-unroll-scans decomposes them.
def MadeOfLoops : NativeOpTrait<"MadeOfLoops"> { let cppNamespace = "::ampc"; }

defvar weightDoc = [{
    Gates are blocks of H columns of the weights: Wx is [in, gates H] and Wh [H, gates H], biases are [gates H].}];
defvar layerDoc = [{
    `%x` is [time, batch, in]; with `batch_first`, [batch, time, in]. The first result is the state h after every
    round, [time, batch, H] or [batch, time, H]; the last results are the states after the last round, [batch, H]. Without
    `from`, the initial states are 0. With `reverse`, the rounds go from the last row to the first.

    With `lengths`, i32[batch] with numbers from 0 to time, a sequence has that many rows: after its last row the
    states stay, and the first result is 0. With `reverse`, a sequence begins with its own last row.}];
defvar cellDoc = [{
    A round of the layer: `%x` is [batch, in], the states are [batch, H].}];

class Train_RecurrentOp<string mnemonic, list<Trait> traits>
    : Train_CompositeOp<mnemonic, LowPrecision,
                        traits#[InferTypeOpAdaptor, DeclareOpInterfaceMethods<FanOpInterface>]> {
  let lists = ["autocast=low"];
}
class Train_LayerOp<string mnemonic, string gates>
    : Train_RecurrentOp<mnemonic, [MadeOfLoops, AttrSizedOperandSegments]> {
  let doc = layerDoc#"\n\n"#gates;
  let parts = "`train.linear` and `train.scan`";
}
class Train_CellOp<string mnemonic, string gates, list<Trait> traits = []>
    : Train_RecurrentOp<mnemonic, traits#[DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let doc = cellDoc#" "#gates;
  let parts = "products, `train.sigmoid` and `train.tanh`";
}

// ---- Elman ----

def Train_RnnActivation : I32EnumAttr<"RnnActivation", "the function of a recurrent layer",
                                      [I32EnumAttrCase<"tanh", 0>, I32EnumAttrCase<"relu", 1>]> {
  let cppNamespace = "::ampc::train";
}
defvar rnnDoc = weightDoc#" There is one block.";

def Train_RnnOp : Train_LayerOp<"rnn", rnnDoc> {
  let summary = "Recurrent layer: h = tanh(x Wx + bias + h Wh) in every round (Elman 1990)";
  let arguments = (ins RealTensor:$x, RealTensor:$wx, RealTensor:$wh, Optional<RealTensor>:$bias,
      Optional<RealTensor>:$h0, Optional<RowNumbers>:$lengths,
      DefaultValuedAttr<Train_RnnActivation, "RnnActivation::tanh">:$activation, UnitAttr:$reverse,
      UnitAttr:$batch_first);
  let results = (outs AnyRankedTensor:$all, AnyRankedTensor:$h);
  let assemblyFormat = [{$x `,` $wx `,` $wh (`,` $bias^)? (`from` $h0^)? (`lengths` $lengths^)?
      (`activation` $activation^)? (`reverse` $reverse^)? (`batch_first` $batch_first^)? attr-dict
      custom<LayerTypes>(ref($x), type($x), ref($wx), type($wx), ref($wh), type($wh), ref($bias), type($bias),
      ref($h0), type($h0), ref($lengths), type($lengths))}];
  let example = "%y, %h = train.rnn %x, %wx, %wh, %b : tensor<7x4x3xf32>, tensor<3x8xf32>, "
                "tensor<8x8xf32>, tensor<8xf32>";
}
def Train_RnnCellOp : Train_CellOp<"rnn_cell", rnnDoc> {
  let summary = "Cell of a recurrent layer: tanh(x Wx + bias + h Wh)";
  let arguments = (ins RealTensor:$x, RealTensor:$wx, RealTensor:$wh, Optional<RealTensor>:$bias,
      RealTensor:$h0, DefaultValuedAttr<Train_RnnActivation, "RnnActivation::tanh">:$activation);
  let results = (outs AnyRankedTensor:$h);
  let assemblyFormat =
      [{$x `,` $wx `,` $wh (`,` $bias^)? `from` $h0 (`activation` $activation^)? attr-dict
      custom<LayerTypes>(ref($x), type($x), ref($wx), type($wx), ref($wh), type($wh), ref($bias), type($bias),
      ref($h0), type($h0))}];
  let example = "%h1 = train.rnn_cell %x, %wx, %wh from %h : tensor<4x3xf32>, tensor<3x8xf32>, "
                "tensor<8x8xf32>, tensor<4x8xf32>";
}

// ---- GRU ----

defvar gruDoc =
    weightDoc#[{ The three blocks are r, z, n, or with `gates "zrn"` z, r, n (ONNX, Keras).
    r = sigmoid(x Wr + br + h Ur + bhr), z = sigmoid(x Wz + bz + h Uz + bhz), n = tanh(x Wn + bn + (r h) Un + bhn); with
    `reset_after` (cuDNN, PyTorch), n = tanh(x Wn + bn + r (h Un + bhn)). The state is n + z (h - n). The second bias
    belongs to h.}];

def Train_GruOp : Train_LayerOp<"gru", gruDoc> {
  let summary = "Gated recurrent layer: h = n + z (h - n) in every round, with gates r and z "
                "(Cho et al. 2014)";
  let arguments = (ins RealTensor:$x, RealTensor:$wx, RealTensor:$wh, Optional<RealTensor>:$bias,
      Optional<RealTensor>:$bias_h, Optional<RealTensor>:$h0, Optional<RowNumbers>:$lengths,
      UnitAttr:$reset_after, OptionalAttr<StrAttr>:$gates, UnitAttr:$reverse,
      UnitAttr:$batch_first);
  let results = (outs AnyRankedTensor:$all, AnyRankedTensor:$h);
  let assemblyFormat =
      [{$x `,` $wx `,` $wh (`,` $bias^ (`,` $bias_h^)?)? (`from` $h0^)? (`lengths` $lengths^)?
      (`reset_after` $reset_after^)? (`gates` $gates^)? (`reverse` $reverse^)? (`batch_first` $batch_first^)? attr-dict
      custom<LayerTypes>(ref($x), type($x), ref($wx), type($wx), ref($wh), type($wh), ref($bias), type($bias),
      ref($bias_h), type($bias_h), ref($h0), type($h0), ref($lengths), type($lengths))}];
  let example = "%y, %h = train.gru %x, %wx, %wh, %b, %bh reset_after : tensor<7x4x3xf32>, "
                "tensor<3x24xf32>, tensor<8x24xf32>, tensor<24xf32>, tensor<24xf32>";
  let hasVerifier = 1;
}
def Train_GruCellOp : Train_CellOp<"gru_cell", gruDoc, [AttrSizedOperandSegments]> {
  let summary = "Cell of a gated recurrent layer: n + z (h - n)";
  let arguments = (ins RealTensor:$x, RealTensor:$wx, RealTensor:$wh, Optional<RealTensor>:$bias,
      Optional<RealTensor>:$bias_h, RealTensor:$h0, UnitAttr:$reset_after,
      OptionalAttr<StrAttr>:$gates);
  let results = (outs AnyRankedTensor:$h);
  let assemblyFormat =
      [{$x `,` $wx `,` $wh (`,` $bias^ (`,` $bias_h^)?)? `from` $h0 (`reset_after` $reset_after^)?
      (`gates` $gates^)? attr-dict
      custom<LayerTypes>(ref($x), type($x), ref($wx), type($wx), ref($wh), type($wh), ref($bias), type($bias),
      ref($bias_h), type($bias_h), ref($h0), type($h0))}];
  let example = "%h1 = train.gru_cell %x, %wx, %wh, %b from %h : tensor<4x3xf32>, "
                "tensor<3x24xf32>, tensor<8x24xf32>, tensor<24xf32>, tensor<4x8xf32>";
  let hasVerifier = 1;
}

// ---- LSTM ----

defvar lstmDoc =
    weightDoc#[{ The four blocks are i, f, g, o, or in the order of `gates`, e.g. "iofg" (ONNX).
    i, f, o = sigmoid, g = tanh of their columns of x Wx + bias + h Wh, c = f c + i g, h = o tanh(c). With
    `project %wp`, [H, P], the state h is (o tanh(c)) Wp, [batch, P], and Wh is [P, 4 H] (Sak et al. 2014). `peepholes %p`,
    [3 H] in the order of i, f, o among the gates, adds p c to i and f, with the c of the round before, and to o, with
    the new c (Gers et al. 2002). The cell state c is computed in f32 at least, in every precision.}];

def Train_LstmOp : Train_LayerOp<"lstm", lstmDoc> {
  let summary = "Long short-term memory: c = f c + i g, h = o tanh(c) in every round "
                "(Hochreiter and Schmidhuber 1997)";
  let arguments = (ins RealTensor:$x, RealTensor:$wx, RealTensor:$wh, Optional<RealTensor>:$bias,
      Optional<RealTensor>:$h0, Optional<RealTensor>:$c0, Optional<RowNumbers>:$lengths,
      Optional<RealTensor>:$projection, Optional<RealTensor>:$peepholes,
      OptionalAttr<StrAttr>:$gates, UnitAttr:$reverse, UnitAttr:$batch_first);
  let results = (outs AnyRankedTensor:$all, AnyRankedTensor:$h, AnyRankedTensor:$c);
  let assemblyFormat =
      [{$x `,` $wx `,` $wh (`,` $bias^)? (`from` $h0^ `,` $c0)? (`lengths` $lengths^)? (`project` $projection^)?
      (`peepholes` $peepholes^)? (`gates` $gates^)? (`reverse` $reverse^)? (`batch_first` $batch_first^)? attr-dict
      custom<LayerTypes>(ref($x), type($x), ref($wx), type($wx), ref($wh), type($wh), ref($bias), type($bias),
      ref($h0), type($h0), ref($c0), type($c0), ref($lengths), type($lengths), ref($projection), type($projection),
      ref($peepholes), type($peepholes))}];
  let example = "%y, %h, %c = train.lstm %x, %wx, %wh, %b : tensor<7x4x3xf32>, tensor<3x32xf32>, "
                "tensor<8x32xf32>, tensor<32xf32>";
  let hasVerifier = 1;
}
def Train_LstmCellOp : Train_CellOp<"lstm_cell", lstmDoc, [AttrSizedOperandSegments]> {
  let summary = "Cell of a long short-term memory: c = f c + i g, h = o tanh(c)";
  let arguments = (ins RealTensor:$x, RealTensor:$wx, RealTensor:$wh, Optional<RealTensor>:$bias,
      RealTensor:$h0, RealTensor:$c0, Optional<RealTensor>:$projection,
      Optional<RealTensor>:$peepholes, OptionalAttr<StrAttr>:$gates);
  let results = (outs AnyRankedTensor:$h, AnyRankedTensor:$c);
  let assemblyFormat =
      [{$x `,` $wx `,` $wh (`,` $bias^)? `from` $h0 `,` $c0 (`project` $projection^)?
      (`peepholes` $peepholes^)? (`gates` $gates^)? attr-dict
      custom<LayerTypes>(ref($x), type($x), ref($wx), type($wx), ref($wh), type($wh), ref($bias), type($bias),
      ref($h0), type($h0), ref($c0), type($c0), ref($projection), type($projection), ref($peepholes), type($peepholes))}];
  let example =
      "%h1, %c1 = train.lstm_cell %x, %wx, %wh, %b from %h, %c : tensor<4x3xf32>, "
      "tensor<3x32xf32>, tensor<8x32xf32>, tensor<32xf32>, tensor<4x8xf32>, tensor<4x8xf32>";
  let hasVerifier = 1;
}
#endif
