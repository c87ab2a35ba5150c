// Whole-batch numbers in the function of one micro-batch, until micro-batches are expanded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_PARTS
#define AMPC_TRAIN_PARTS
include "mlir-dialects/Train/Base.td"

def Train_CountOp : Train_CompositeOp<"count", FullPrecision, [MadeByPasses]> {
  let summary = "The number of elements of dimensions, or its reciprocal: the divisor of a mean";
  let doc = [{
    Divisor of means over rows, so that the mean over micro-batches divides by the rows of the whole batch. }];
  let arguments = (ins RealTensor:$x, DenseI64ArrayAttr:$dims, UnitAttr:$reciprocal);
  let results = (outs 0DTensorOf<[F64, F32, BF16, F16]>:$result);
  let assemblyFormat =
      "$x `over` $dims (`reciprocal` $reciprocal^)? attr-dict `:` type($x) `to` type($result)";
  let example = "%n = train.count %x over [0, 1] : tensor<4x8xf32> to tensor<f32>";
  let parts = "the constant";
  let extraClassDeclaration = [{
    /// The value, where the dimensions have `parts` times as many elements as the type says.
    double getNumber(int64_t parts = 1);
  }];
}
def Train_TotalOp : Train_Op<"total", FullPrecision, [MadeByPasses, SameOperandsAndResultType]> {
  let summary = "Sum of a value over all micro-batches of a batch";
  let doc = [{
    The divisor of a mean over labels that count, or over the classes' weights: the divisor depends on no parameter
    of the step, so that the sum is known before the first micro-batch. `train-expand-step` replaces the op by the
    sum. }];
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let example = "%n = train.total %x : tensor<f32>";
  let differentiable = 0;
  let extraClassDeclaration = "static bool stopsGradient() { return true; }";
}
def Train_ShareOp : Train_Op<"share", FullPrecision, [MadeByPasses]> {
  let summary = "Share of the batch's rows in this micro-batch; all shares add up to 1";
  let doc = [{
    Factor of a term common to all micro-batches, such as a penalty on parameters: the micro-batch's share of the
    valid rows. `train-expand-step` replaces the op. }];
  let arguments = (ins);
  let results = (outs 0DTensorOf<[F64, F32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let example = "%s = train.share : tensor<f32>";
  let differentiable = 0;
}
// Trait of exchanges whose results are equal on all ranks.
def EqualOnRanks : NativeOpTrait<"EqualOnRanks"> { let cppNamespace = "::ampc"; }
def Train_SumRanksOp
    : Train_Op<"sum_ranks",
               FullPrecision, [MadeByPasses, EqualOnRanks, SameOperandsAndResultType]> {
  let summary = "Sum of a value over all ranks, in the order of ranks";
  let doc = [{
    The terms are added from left to right, as those of micro-batches are, so that n ranks compute the bits of n
    micro-batches. The result is equal on all ranks. }];
  let arguments = (ins AnyRankedTensor:$x, SignedI64Attr:$ranks);
  let assemblyFormat = "$x `of` $ranks attr-dict `:` type($x)";
  let example = "%g = train.sum_ranks %x of 8 : tensor<4x8xf32>";
  let differentiable = 0;
}
def Train_GatherRanksOp
    : Train_Op<"gather_ranks", FullPrecision, [MadeByPasses, EqualOnRanks, InferTypeOpAdaptor]> {
  let summary = "Values of all ranks, the value of rank 0 first";
  let doc = [{
    Row r of the result is the value of rank r, so that the result is equal on all ranks. `train-expand-step`
    gathers statistics of rows, with which every rank updates state in the order of ranks. }];
  let arguments = (ins AnyRankedTensor:$x, SignedI64Attr:$ranks);
  let assemblyFormat = "$x `of` $ranks attr-dict `:` type($x)";
  let example = "%s = train.gather_ranks %x of 8 : tensor<16xf32>";
  let differentiable = 0;
}
def Train_RankOp : Train_Op<"rank", FullPrecision, [MadeByPasses]> {
  let summary = "Number of this rank, from 0 on";
  let arguments = (ins);
  let results = (outs 0DTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let example = "%r = train.rank : tensor<i32>";
  let differentiable = 0;
}
#endif
