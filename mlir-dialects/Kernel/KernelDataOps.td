// Kernels without a body that move rows, parts and windows of tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_DATA_OPS
#define AMPC_KERNEL_DATA_OPS

class Kernel_DataOp<string mnemonic, list<Trait> traits = [], list<string> methods = []>
    : Kernel_Op<mnemonic, traits#[Pure, DeclareOpInterfaceMethods<KernelOpInterface, methods>]> {
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
}

def Kernel_GatherOp : Kernel_DataOp<"gather"> {
  let summary = "Gather of rows of a table";
  let description = [{
    An index outside the table reads zeros, never memory outside.

    Constraints:

    1. The table is a matrix [m, width], the index of i32 and [n], and the rows are [n, width].
    2. The result has the table's elements.

    ```mlir
    %y = kernel.gather %table, %index : tensor<100x8xf32>, tensor<12xi32> -> tensor<12x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$table, AnyRankedTensor:$index);
  let assemblyFormat =
      "$table `,` $index attr-dict `:` type($table) `,` type($index) `->` type($result)";
}
def Kernel_ScatterAddOp : Kernel_DataOp<"scatter_add", [], ["canFuseReductions"]> {
  let summary = "Scatter-add of rows to a table of zeros: row i of the updates is added to row "
                "index[i]";
  let description = [{
    The table's type is that of the accumulator. Every range of table rows belongs to one task, which adds in the
    order of the updates: the sums do not depend on the number of threads. Updates of row `padding`, or of rows out
    of range, are skipped.

    Constraints:

    1. The table is a matrix [m, width], the index of i32 and [n], and the rows are [n, width].
    2. Updates are real; the result is of at least 32 bits, and at least as wide as the updates.

    ```mlir
    %y = kernel.scatter_add %updates, %index padding 0 : tensor<12x8xf32>, tensor<12xi32> -> tensor<100x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$updates, AnyRankedTensor:$index,
      OptionalAttr<IndexValueAttr>:$padding, Kernel_Workspace:$workspace_bytes);
  let assemblyFormat = [{$updates `,` $index (`padding` $padding^)? attr-dict
                         `:` type($updates) `,` type($index) `->` type($result)}];
}
def Kernel_SortByKeyOp : Kernel_DataOp<"sort_by_key"> {
  let summary = "Grouping of equal indices: distinct indices in ascending order, and the "
                "positions of each";
  let description = [{
    `rows` holds the distinct indices in [0, `of`), then -1. The positions of index `rows[k]` are
    `order[starts[k]]` to `order[starts[k + 1] - 1]`, ascending. Example: index [3, 0, 3] -> rows [0, 3, -1], order
    [1, 0, 2], starts [0, 1, 3, 3].

    Constraints:

    1. The index is of i32 and [n], n and `of` are at least 1; with m = min(n, `of`) the results are of i32 and [m], [n] and [m + 1].

    ```mlir
    %rows, %order, %starts = kernel.sort_by_key %index of 100 : tensor<12xi32> -> tensor<12xi32>, tensor<12xi32>, tensor<13xi32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$index, SignedI64Attr:$of,
      Kernel_Workspace:$workspace_bytes);
  let results = (outs AnyRankedTensor:$rows, AnyRankedTensor:$order, AnyRankedTensor:$starts);
  let assemblyFormat = "$index `of` $of attr-dict `:` type($index) `->` type(results)";
}
def Kernel_SegmentSumOp : Kernel_DataOp<"segment_sum", [], ["canFuseReductions"]> {
  let summary = "Segment sum: row k is the sum of the updates order[starts[k]] to "
                "order[starts[k + 1] - 1]";
  let description = [{
    The sums' type is that of the accumulator. A row belongs to one task, which adds in the order given. If the
    updates are wider than the sums, columns `from` to from + width - 1 are read.

    Constraints:

    1. The updates are [n, at least from + width], the order of i32 and [n], the starts of i32 and [m + 1], and the sums [m, width].
    2. Updates are real; the sums are of at least 32 bits, and at least as wide as the updates.

    ```mlir
    %sums = kernel.segment_sum %updates, %order, %starts from 16 : tensor<12x48xbf16>, tensor<12xi32>, tensor<13xi32> -> tensor<12x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$updates, AnyRankedTensor:$order, AnyRankedTensor:$starts,
      DefaultValuedAttr<IndexValueAttr, "0">:$from);
  let assemblyFormat = [{$updates `,` $order `,` $starts (`from` $from^)? attr-dict
                         `:` type(operands) `->` type($result)}];
}
def Kernel_ScatterRowsOp
    : Kernel_DataOp<"scatter_rows", [AllTypesMatch<["table", "result"]>], ["getOverwritten"]> {
  let summary =
      "Overwrites the rows of a table that the index names; the result has the table's memory";
  let description = [{
    No index occurs twice. Rows that go outside are left out.

    Constraints:

    1. The table is a matrix [m, width], the index of i32 and [n], and the rows are [n, width].
    2. The rows have the table's elements.

    ```mlir
    %y = kernel.scatter_rows %rows, %index into %table : tensor<12x8xf32>, tensor<12xi32>, tensor<100x8xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$rows, AnyRankedTensor:$index, AnyRankedTensor:$table);
  let assemblyFormat =
      "$rows `,` $index `into` $table attr-dict `:` type($rows) `,` type($index) `,` type($table)";
}
def Kernel_AssembleOp : Kernel_DataOp<"assemble"> {
  let summary = "Concatenation with strides: element i of a part goes to offset + i * stride";
  let description = [{
    `offsets` and `strides` hold one number per part and dimension, part by part. Parts do not overlap; uncovered
    elements are `fill`.

    Constraints:

    1. There is one offset and one stride per part and dimension.
    2. Parts have the rank and the elements of the result.
    3. Offsets are at least 0, strides at least 1, and a part ends inside the result.
    4. Parts do not overlap.

    ```mlir
    %y = kernel.assemble(%a, %b : tensor<4x8xf32>, tensor<4x3xf32>) offsets [0, 0, 0, 8] strides [1, 1, 1, 1] fill 0.0
      -> tensor<4x11xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$parts, DenseI64ArrayAttr:$offsets,
      DenseI64ArrayAttr:$strides, F64Attr:$fill);
  let assemblyFormat =
      [{`(` $parts `:` type($parts) `)` `offsets` $offsets `strides` $strides `fill` $fill attr-dict
                         `->` type($result)}];
}
def Kernel_PackOp : Kernel_DataOp<"pack"> {
  let summary =
      "Packs a matrix or filter in the order in which the tier's products read the operand";
  let description = [{
    The result's encoding has the side and the contracted dimension.

    Constraints:

    1. The result is the operand's type with a packed encoding.

    ```mlir
    %y = kernel.pack %x : tensor<384x1536xbf16> to tensor<384x1536xbf16, #kernel.packed<rhs, depth = 0, bytes = 1179648>>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
}

// Windows of NHWC images; padding is [top, bottom, left, right].
defvar windowKinds = [{
    `kind` is `max` or `sum`. With `max` a second tensor holds the row-major number of the first maximum in each window, as i8;
    `sum` is multiplied by `scale`.

    Constraints:

    1. Image and windows have four dimensions.
    2. There are 2 sizes and 2 strides of at least 1 and 4 paddings of at least 0, all below 2^31.
    3. There are as many windows as fit into the padded image.
    4. Image and windows are of one real type.
    5. `kind` is `max` with the second tensor, or `sum` without.
    6. The second tensor is of i8 and has the shape of the windows.
    7. The window of a maximum has at most 127 elements.

}];
def Kernel_PoolOp : Kernel_DataOp<"pool"> {
  let summary = "Pooling: maximum or scaled sum of every window";
  let description = !strconcat(windowKinds, [{
    ```mlir
    %y, %where = kernel.pool max %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] scale 1.0 : tensor<2x4x6x3xf32>
      -> tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>
    ```
  }]);
  let arguments = (ins AnyRankedTensor:$x, Kernel_CombineAttr:$kind, DenseI64ArrayAttr:$window,
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding, F64Attr:$scale);
  let results = (outs AnyRankedTensor:$result, Variadic<AnyRankedTensor>:$where);
  let assemblyFormat =
      [{$kind $x `window` $window `strides` $strides `padding` $padding `scale` $scale attr-dict
                         `:` type($x) `->` type(results)}];
}
def Kernel_PoolGradOp : Kernel_DataOp<"pool_grad"> {
  let summary = "Cotangent of the image from the cotangent of the windows";
  let description = !strconcat(windowKinds, [{
    ```mlir
    %dx = kernel.pool_grad max(%g, %where : tensor<2x2x3x3xf32>, tensor<2x2x3x3xi8>) window [2, 2] strides [2, 2]
      padding [0, 0, 0, 0] scale 1.0 -> tensor<2x4x6x3xf32>
    ```
  }]);
  let arguments = (ins AnyRankedTensor:$g, Variadic<AnyRankedTensor>:$where,
      Kernel_CombineAttr:$kind, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
      DenseI64ArrayAttr:$padding, F64Attr:$scale);
  let assemblyFormat =
      [{$kind `(` operands `:` type(operands) `)` `window` $window `strides` $strides `padding` $padding
                         `scale` $scale attr-dict `->` type($result)}];
}
#endif
