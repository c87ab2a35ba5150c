// Rows of tables, by number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_TABLE
#define AMPC_TRAIN_TABLE
include "mlir-dialects/Train/Base.td"

defvar rowsDoc = [{
    An index outside [0, number of rows) is an error that the runtime reports for inputs; for other indices, zeros
    are read. With `from_end`, indices from -number of rows to -1 count from the end, as in NumPy. }];
def Train_GatherOp
    : Train_Op<"gather", Passthrough,
               [InferTypeOpAdaptor, IndexOpInterface, DeclareOpInterfaceMethods<BatchedOpInterface>,
                DeclareOpInterfaceMethods<FanOpInterface>]> {
  let summary = "Gather of rows of a table";
  let lists = ["propagate=clear"];
  let doc = !strconcat(rowsDoc, "The row `padding` gets no gradient.");
  let arguments = (ins AnyRankedTensor:$table, IndexNumbers:$index,
      OptionalAttr<IndexValueAttr>:$padding, UnitAttr:$from_end);
  let assemblyFormat =
      [{$table `at` $index (`padding` custom<Padding>($padding)^)? (`from_end` $from_end^)? attr-dict
      custom<Types>(ref($table), type($table), ref($index), type($index))}];
  let example = "%y = train.gather %table at %i : tensor<100x8xf32>, tensor<4x3xi32>";
  let saves = ["1"];
  let adjoint =
      [{ return {b.op<ScatterAddOp>(getTable().getType(), g, getIndex(), getPaddingAttr()), Value()}; }];
  let extraClassDeclaration = [{
    ::mlir::Value getIndices() { return getIndex(); }
    bool countsFromEnd() { return getFromEnd(); }
    void setStartIndices(::mlir::Value index);
    int64_t getIndexLimit() { return getTable().getType().getDimSize(0); }
  }];
}
def Train_ScatterAddOp : Train_Op<"scatter_add", FullPrecision, [RowSumsOpInterface]> {
  let summary = "Scatter-add of rows to a table of zeros: row i of the updates is added to row "
                "index[i]";
  let lists = ["autocast=promote", "propagate-bf16=clear"];
  let doc = "Adds in the order of the rows, for any number of threads. Rows that go to `padding` "
            "or nowhere are left out.";
  let arguments = (ins RealTensor:$updates, RowNumbers:$index,
      OptionalAttr<IndexValueAttr>:$padding);
  let assemblyFormat = [{$updates `at` $index (`padding` custom<Padding>($padding)^)? attr-dict
                         `:` type($updates) `,` type($index) `to` type($result)}];
  let example =
      "%y = train.scatter_add %u at %i : tensor<3x8xf32>, tensor<3xi32> to tensor<100x8xf32>";
  let saves = ["1"];
  let hasVerifier = 1;
}
def Train_SegmentSumOp : Train_Op<"segment_sum", FullPrecision, [RowSumsOpInterface]> {
  let summary = "Sparse gradient of a table: a segment sum of updates per distinct index";
  let lists = ["autocast=promote"];
  let doc = [{
    The result of `train.scatter_add` without zero rows. `rows` holds the distinct indices in ascending order, at
    most as many as updates or rows of the table, and `sums` the sums, each in the order of the updates. Unused
    elements of `rows` are -1, of `sums` 0. Example: indices [7, 3, 7] -> rows [3, 7, -1]. Updates with an index
    outside [0, `of`) are left out. Time and memory depend on the number of updates, not on `of`, the number of
    rows of the table. }];
  let arguments = (ins RealTensor:$updates, RowNumbers:$index, SignedI64Attr:$of);
  let results = (outs RealTensor:$sums, RowNumbers:$rows);
  let assemblyFormat = "$updates `at` $index `of` $of attr-dict `:` type($updates) `,` "
                       "type($index) `to` type(results)";
  let example = "%s, %r = train.segment_sum %u at %i of 100 : tensor<3x8xf32>, tensor<3xi32> to "
                "tensor<3x8xf32>, tensor<3xi32>";
  let differentiable = 0;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getRowNumbers() { return getRows(); }
  }];
}
def Train_ScatterRowsOp
    : Train_Op<"scatter_rows",
               Passthrough, [RowWritesOpInterface, AllTypesMatch<["table", "result"]>]> {
  let summary = "Row update: a table in which row index[i] is replaced by row i";
  let doc = "No index in [0, number of rows) occurs twice. Rows that go nowhere are left out; the "
            "all other rows keep their bits.";
  let arguments = (ins AnyRankedTensor:$rows, RowNumbers:$index, AnyRankedTensor:$table);
  let assemblyFormat =
      "$rows `at` $index `into` $table attr-dict `:` type($rows) `,` type($index) `,` type($table)";
  let example = "%y = train.scatter_rows %r at %i into %table : tensor<3x8xf32>, tensor<3xi32>, "
                "tensor<100x8xf32>";
  let differentiable = 0;
  let hasVerifier = 1;
}
def Train_EmbeddingOp : Train_CompositeOp<"embedding", Passthrough,
                                          [InferTypeOpAdaptor, IndexOpInterface,
                                           DeclareOpInterfaceMethods<BatchedOpInterface>,
                                           DeclareOpInterfaceMethods<FanOpInterface>]> {
  let summary = "Embedding lookup: vectors of a table, one per index; the vector `padding` gets "
                "no gradient";
  let doc = rowsDoc;
  let arguments = (ins RealTensor:$table, IndexNumbers:$index,
      OptionalAttr<IndexValueAttr>:$padding, UnitAttr:$from_end);
  let assemblyFormat =
      [{$table `at` $index (`padding` custom<Padding>($padding)^)? (`from_end` $from_end^)? attr-dict
      custom<Types>(ref($table), type($table), ref($index), type($index))}];
  let example = "%y = train.embedding %table at %i padding 0 : tensor<100x8xf32>, tensor<4x3xi32>";
  let parts = "`train.gather`";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getIndices() { return getIndex(); }
    bool countsFromEnd() { return getFromEnd(); }
    void setStartIndices(::mlir::Value index);
    int64_t getIndexLimit() { return getTable().getType().getDimSize(0); }
  }];
}
#endif
