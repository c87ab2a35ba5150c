// Running sums and products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SCAN
#define AMPC_TRAIN_SCAN
include "mlir-dialects/Train/Base.td"

// Scan in log2(n) steps, each of which combines every element with the element 1, 2, 4, ...
// positions before: a triangular matrix product would take n operations per element, in 16 bits.
class Train_ScanOp<string mnemonic>
    : Train_CompositeOp<mnemonic, FullPrecision,
                        [SameOperandsAndResultType,
                         DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let lists = ["autocast=full"];
  let doc = [{
    With `exclusive`, the element itself is excluded; with `reverse`, the scan runs from the last element. Example:
    [1, 2, 3] -> [1, 3, 6], exclusive [0, 1, 3], reverse [6, 5, 3]. Computed in the accumulator's type. }];
  let arguments = (ins NumberTensor:$x, SignedI64Attr:$dim, UnitAttr:$exclusive, UnitAttr:$reverse);
  let assemblyFormat =
      [{$x `along` custom<Dim>($dim) (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict
      custom<Types>(ref($x), type($x))}];
  let example = "%y = train."#mnemonic#" %x along 1 exclusive : tensor<4x8xf32>";
  let hasVerifier = 1;
}
def Train_CumsumOp : Train_ScanOp<"cumsum"> {
  let summary = "Cumulative sum along a dimension, an inclusive scan by default";
  let parts = "`train.pad` and `train.add`";
}
def Train_CumprodOp : Train_ScanOp<"cumprod"> {
  let summary = "Cumulative product along a dimension, an inclusive scan by default";
  let parts = "`train.pad` and `train.mul`";
}
#endif
