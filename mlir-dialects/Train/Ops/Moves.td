// Composite data-movement ops, made of the ops in Shape.td and Table.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_MOVES
#define AMPC_TRAIN_MOVES
include "mlir-dialects/Train/Base.td"

class Train_MoveOp<string mnemonic, list<Trait> traits = []>
    : Train_CompositeOp<mnemonic, Passthrough,
                        traits#[DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let lists = ["propagate=clear"];
  let range = [{ return x(0); }];
}
def Train_ReverseOp : Train_MoveOp<"reverse", [SameOperandsAndResultType]> {
  let summary = "Reversal of dimensions";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x `over` custom<Dims>($dims) attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train.reverse %x over [1] : tensor<4x8xf32>";
  let parts = "`train.gather` ops";
  let hasVerifier = 1;
}
def Train_RollOp : Train_MoveOp<"roll", [SameOperandsAndResultType]> {
  let summary = "Rotation of a dimension: element i moves to i + shift, modulo the size";
  let arguments = (ins AnyRankedTensor:$x, SignedI64Attr:$shift, SignedI64Attr:$dim);
  let assemblyFormat =
      "$x `by` custom<Shift>($shift) `along` custom<Dim>($dim) attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train.roll %x by -1 along 1 : tensor<4x8xf32>";
  let parts = "`train.slice` and `train.concat`";
  let hasVerifier = 1;
}
def Train_TileOp : Train_MoveOp<"tile", [InferTypeOpAdaptor]> {
  let summary = "Tiling: repeats the tensor a given number of times along every dimension";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$times);
  let assemblyFormat =
      "$x `times` custom<Times>($times) attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train.tile %x times [2, 1] : tensor<4x8xf32>";
  let parts = "`train.broadcast_to` between reshapes";
}
def Train_TriluOp : Train_MoveOp<"trilu", [SameOperandsAndResultType]> {
  let summary = "Lower triangle of matrices, or with `upper` the upper triangle; 0 elsewhere";
  let doc =
      "Up to and including the diagonal of that number: 0 (the default) is the main diagonal, 1  "
      "the diagonal above.";
  let range = [{ return ::ampc::hull(x(0), Interval{0, 0}); }];
  let arguments = (ins AnyRankedTensor:$x, UnitAttr:$upper,
      DefaultValuedAttr<SignedI64Attr, "0">:$diagonal);
  let assemblyFormat = [{$x (`upper` $upper^)? (`diagonal` custom<Diagonal>($diagonal)^)? attr-dict
      custom<Types>(ref($x), type($x))}];
  let example = "%y = train.trilu %x upper diagonal 1 : tensor<4x8xf32>";
  let parts = "`train.iota`, `train.compare` and `train.select`";
  let hasVerifier = 1;
}
#endif
