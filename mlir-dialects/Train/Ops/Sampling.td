// Tensors at other places: padded by their own elements, cut backwards, resized.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SAMPLING
#define AMPC_TRAIN_SAMPLING
include "mlir-dialects/Train/Base.td"

class Train_SamplingOp<string mnemonic, Category category>
    : Train_CompositeOp<
          mnemonic, category, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]>;

class Train_SamplingEnum<string name, string text, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, text, cases> {
  let cppNamespace = "::ampc::train";
}
def Train_PadMode
    : Train_SamplingEnum<"PadMode", "values of padding",
                         [I32EnumAttrCase<"constant", 0>, I32EnumAttrCase<"reflect", 1>,
                          I32EnumAttrCase<"edge", 2>, I32EnumAttrCase<"wrap", 3>]>;
def Train_PadModeOp : Train_SamplingOp<"pad_mode", Passthrough> {
  let summary = "Padding by `low` elements before and `high` behind every dimension; negative "
                "numbers crop";
  let lists = ["propagate=clear"];
  let doc = [{
    `constant` is 0 or `value`; `reflect` mirrors at the last element without repeating that element; `edge`
    repeats the last element, and `wrap` continues at the other end. Example: [1, 2, 3] with two elements behind:
    `reflect` 2 1, `edge` 3 3, `wrap` 1 2. }];
  let arguments = (ins Train_PadMode:$mode, AnyRankedTensor:$x, DenseI64ArrayAttr:$low,
      DenseI64ArrayAttr:$high, DefaultValuedAttr<F64Attr, "0.0">:$value);
  let assemblyFormat =
      [{$mode $x `low` custom<Numbers>($low, "\"low\"") `high` custom<Numbers>($high, "\"high\"")
      (`value` custom<Value>($value)^)? attr-dict custom<Types>(ref($x), type($x))}];
  let example = "%y = train.pad_mode reflect %x low [0, 2] high [0, -1] : tensor<4x8xf32>";
  let parts = "`train.pad`, `train.slice` and `train.gather`";
}
def Train_StridedSliceOp : Train_SamplingOp<"strided_slice", Passthrough> {
  let summary = "Slice with strides of any sign: in every dimension `size` elements from "
                "`offset` on, `stride` apart";
  let lists = ["propagate=clear"];
  let range = [{ return x(0); }];
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes,
      DenseI64ArrayAttr:$strides);
  let assemblyFormat =
      [{$x `from` custom<Numbers>($offsets, "\"offsets\"") `sizes` custom<Numbers>($sizes, "\"sizes\"")
      `strides` custom<Numbers>($strides, "\"strides\"") attr-dict custom<Types>(ref($x), type($x))}];
  let example =
      "%y = train.strided_slice %x from [1, 7] sizes [3, 4] strides [1, -2] : tensor<4x8xf32>";
  let parts = "`train.slice` and `train.reverse`";
}

def Train_ResizeMode
    : Train_SamplingEnum<"ResizeMode", "interpolation between elements",
                         [I32EnumAttrCase<"nearest", 0>, I32EnumAttrCase<"linear", 1>,
                          I32EnumAttrCase<"cubic", 2>]>;
def Train_ResizeCoordinates
    : Train_SamplingEnum<"ResizeCoordinates", "where an element of the result lies in the operand",
                         [I32EnumAttrCase<"half_pixel", 0>, I32EnumAttrCase<"asymmetric", 1>,
                          I32EnumAttrCase<"align_corners", 2>,
                          I32EnumAttrCase<"pytorch_half_pixel", 3>,
                          I32EnumAttrCase<"half_pixel_symmetric", 4>]>;
def Train_ResizeRounding
    : Train_SamplingEnum<"ResizeRounding", "which of two elements is the nearest",
                         [I32EnumAttrCase<"round_prefer_floor", 0>,
                          I32EnumAttrCase<"round_prefer_ceil", 1>, I32EnumAttrCase<"floor", 2>,
                          I32EnumAttrCase<"ceil", 3>]>;
def Train_ResizeOp : Train_SamplingOp<"resize", Promote> {
  let summary = "Resizes a tensor by nearest-neighbour, linear or cubic interpolation";
  let doc = [{
    Dimension by dimension. Element i of n that were m lies at (i + 0.5) / scale - 0.5 (`half_pixel`, and
    `pytorch_half_pixel`, which gives 0 for n = 1), i / scale (`asymmetric`) or i (m - 1) / (n - 1)
    (`align_corners`); `half_pixel_symmetric` keeps the middle where scale is not n / m. `scales` are n / m by
    default. `nearest` rounds a coordinate by `rounding`. `linear` and `cubic` (Keys 1981, with `coefficient`)
    repeat the border element beyond the ends, or exclude elements beyond the ends with `exclude_outside`, where a
    coordinate without any element takes the nearest element; `antialias` widens the interpolation kernel for
    downscaling. }];
  let arguments = (ins Train_ResizeMode:$mode, AnyRankedTensor:$x, DenseI64ArrayAttr:$sizes,
      OptionalAttr<DenseF64ArrayAttr>:$scales,
      DefaultValuedAttr<Train_ResizeCoordinates,
                        "::ampc::train::ResizeCoordinates::half_pixel">:$coordinates,
      DefaultValuedAttr<Train_ResizeRounding,
                        "::ampc::train::ResizeRounding::round_prefer_floor">:$rounding,
      DefaultValuedAttr<F64Attr, "-0.75">:$coefficient, UnitAttr:$exclude_outside,
      UnitAttr:$antialias);
  let assemblyFormat =
      [{$mode $x `to` custom<Numbers>($sizes, "\"sizes\"") (`scales` $scales^)? (`coordinates` $coordinates^)?
      (`rounding` $rounding^)? (`coefficient` custom<Coefficient>($coefficient)^)? (`exclude_outside` $exclude_outside^)? (`antialias` $antialias^)?
      attr-dict custom<Types>(ref($x), type($x))}];
  let example =
      "%y = train.resize linear %x to [2, 16, 16, 3] coordinates align_corners : tensor<2x8x8x3xf32>";
  let parts = "`train.matmul` with a constant, or of nearest elements `train.gather`";
}
#endif
