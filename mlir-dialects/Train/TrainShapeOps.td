// Constants and ops that move data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SHAPE_OPS
#define AMPC_TRAIN_SHAPE_OPS
include "mlir-dialects/Train/TrainBase.td"

def Train_ConstantOp : Train_Op<"constant", Passthrough, [AllTypesMatch<["value", "result"]>, ConstantLike]> {
  let summary = "A tensor known when the model is compiled";
  let arguments = (ins ElementsAttr:$value);
  let assemblyFormat = "$value attr-dict";
  let example = "%c = train.constant dense<[1.0, 2.0]> : tensor<2xf32>";
  let differentiable = 0;
  let hasFolder = 1;
}
def Train_IotaOp : Train_Op<"iota", Passthrough, [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Position along one dimension";
  let arguments = (ins SignedI64Attr:$dim);
  let assemblyFormat = "`along` $dim attr-dict `:` type($result)";
  let example = "%i = train.iota along 0 : tensor<4x8xi32>";
  let differentiable = 0;
  let hasVerifier = 1;
}
def Train_StopGradientOp : Train_UnaryOp<"stop_gradient", Passthrough> {
  let summary = "The operand, through which no gradient flows";
  let scalar  = [{ return x[0]; }];
  let adjoint = [{ return {Value()}; }];
}
def Train_ReshapeOp : Train_Op<"reshape", Passthrough, [DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "The same elements in the same order with another shape";
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let example = "%y = train.reshape %x : tensor<4x8xf32> to tensor<2x2x8xf32>";
  let adjoint = [{ return {b.reshape(g, getX().getType())}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_TransposeOp : Train_Op<"transpose", Passthrough,
    [InferTypeOpAdaptor, DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>]> {
  let summary = "Permutes dimensions: result dimension i is operand dimension permutation[i]";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$x $permutation attr-dict `:` type($x)";
  let example = "%y = train.transpose %x [1, 0] : tensor<4x8xf32>";
  let scalar  = [{ return x[0]; }];
  let adjoint = [{ return {b.transpose(g, ::ampc::inversePermutation(getPermutation()))}; }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferTranspose(loc, adaptor.getX().getType(), adaptor.getPermutation(), types);
    }
  }];
  let hasFolder = 1;
}
def Train_BroadcastToOp : Train_Op<"broadcast_to", Passthrough, [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Repeats along new leading dimensions and dimensions of size 1";
  let arguments = (ins AnyRankedTensor:$x);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let example = "%y = train.broadcast_to %x : tensor<1x8xf32> to tensor<4x8xf32>";
  let scalar  = [{ return x[0]; }];
  let adjoint = [{ return {g}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

// ---- Parts of tensors ----
def Train_SliceOp : Train_Op<"slice", Passthrough,
    [InferTypeOpAdaptor, DeclareOpInterfaceMethods<ScalarOpInterface, ["getOperandMap"]>]> {
  let summary = "In every dimension `size` elements from `offset` on, `stride` apart";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$offsets, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$strides);
  let assemblyFormat = "$x `from` $offsets `sizes` $sizes `strides` $strides attr-dict `:` type($x)";
  let example = "%y = train.slice %x from [1, 0] sizes [3, 4] strides [1, 2] : tensor<4x8xf32>";
  let scalar  = [{ return x[0]; }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor a, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferSlice(loc, a.getX().getType(), a.getOffsets(), a.getSizes(), a.getStrides(), types);
    }
  }];
  let hasFolder = 1;
}
def Train_PadOp : Train_Op<"pad", Passthrough, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Adds `low` elements before, `high` after and `interior` between the elements of every dimension";
  let arguments = (ins AnyRankedTensor:$x, F64Attr:$value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DenseI64ArrayAttr:$interior);
  let assemblyFormat = "$x `value` $value `low` $low `high` $high `interior` $interior attr-dict `:` type($x)";
  let example = "%y = train.pad %x value 0.0 low [1, 0] high [1, 0] interior [0, 1] : tensor<4x8xf32>";
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor a, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferPad(loc, a.getX().getType(), a.getLow(), a.getHigh(), a.getInterior(), types);
    }
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_ConcatOp : Train_Op<"concat", Passthrough, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Tensors one after the other along a dimension";
  let arguments = (ins Variadic<AnyRankedTensor>:$parts, SignedI64Attr:$dim);
  let assemblyFormat = "$parts `along` $dim attr-dict `:` type($parts)";
  let example = "%y = train.concat %a, %b along 1 : tensor<4x8xf32>, tensor<4x3xf32>";
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferConcat(loc, adaptor.getParts(), adaptor.getDim(), types);
    }
  }];
  let hasFolder = 1;
}
def Train_SplitOp : Train_CompositeOp<"split", Passthrough, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Consecutive parts along a dimension";
  let arguments = (ins AnyRankedTensor:$x, DenseI64ArrayAttr:$sizes, SignedI64Attr:$dim);
  let results = (outs Variadic<AnyRankedTensor>:$parts);
  let assemblyFormat = "$x `into` $sizes `along` $dim attr-dict `:` type($x)";
  let example = "%a, %b = train.split %x into [3, 5] along 1 : tensor<4x8xf32>";
  let parts = "`train.slice` ops";
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferSplit(loc, adaptor.getX().getType(), adaptor.getSizes(), adaptor.getDim(), types);
    }
  }];
}

// ---- Rows by number ----
defvar rowsDoc = [{
    An index outside [0, number of rows) is an error that the runtime reports for inputs; elsewhere it reads zeros. }];
def Train_GatherOp : Train_Op<"gather", Passthrough, [InferTypeOpAdaptor, IndexOpInterface, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Rows of a table";
  let doc = !strconcat(rowsDoc, "The row `padding` gets no gradient.");
  let arguments = (ins AnyRankedTensor:$table, RowNumbers:$index, OptionalAttr<IndexValueAttr>:$padding);
  let assemblyFormat = "$table `at` $index (`padding` $padding^)? attr-dict `:` type($table) `,` type($index)";
  let example = "%y = train.gather %table at %i : tensor<100x8xf32>, tensor<4x3xi32>";
  let saves   = ["1"];
  let adjoint = [{ return {b.op<ScatterAddOp>(getTable().getType(), g, getIndex(), getPaddingAttr()), Value()}; }];
  let extraClassDeclaration = [{
    ::mlir::Value getIndices() { return getIndex(); }
    int64_t getIndexLimit() { return getTable().getType().getDimSize(0); }
  }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferGather(loc, adaptor.getTable().getType(), adaptor.getIndex().getType(), types);
    }
  }];
}
def Train_ScatterAddOp : Train_Op<"scatter_add", FullPrecision, []> {
  let summary = "Zeros, to whose row index[i] row i of the updates is added";
  let doc = "Adds in the order of the rows, for any number of threads. Rows that go to `padding` or nowhere are left out.";
  let arguments = (ins RealTensor:$updates, RowNumbers:$index, OptionalAttr<IndexValueAttr>:$padding);
  let assemblyFormat = [{$updates `at` $index (`padding` $padding^)? attr-dict
                         `:` type($updates) `,` type($index) `to` type($result)}];
  let example = "%y = train.scatter_add %u at %i : tensor<3x8xf32>, tensor<3xi32> to tensor<100x8xf32>";
  let saves   = ["1"];
  let hasVerifier = 1;
}
def Train_SumRowsOp : Train_Op<"sum_rows", FullPrecision, []> {
  let summary = "The gradient of a table as rows: for every index that occurs, the sum of its updates";
  let doc = [{
    The sums of `train.scatter_add` without its zeros. `rows` holds the distinct indices in ascending order, at most as many as there
    are updates or rows of the table, and `sums` their sums, each added up in the order of the updates. What is left of `rows`
    is -1, of `sums` 0. Updates with an index outside [0, `of`) are left out. Time and memory depend on the number of updates,
    not on `of`, the number of rows of the table. }];
  let arguments = (ins RealTensor:$updates, RowNumbers:$index, SignedI64Attr:$of);
  let results = (outs RealTensor:$sums, RowNumbers:$rows);
  let assemblyFormat = "$updates `at` $index `of` $of attr-dict `:` type($updates) `,` type($index) `to` type(results)";
  let example = "%s, %r = train.sum_rows %u at %i of 100 : tensor<3x8xf32>, tensor<3xi32> to tensor<3x8xf32>, tensor<3xi32>";
  let differentiable = 0;
  let hasVerifier = 1;
}
def Train_PutRowsOp : Train_Op<"put_rows", Passthrough, [AllTypesMatch<["table", "result"]>]> {
  let summary = "A table in which row index[i] is replaced by row i";
  let doc = "No index in [0, number of rows) occurs twice. Rows that go nowhere are left out; the others keep their bits.";
  let arguments = (ins AnyRankedTensor:$rows, RowNumbers:$index, AnyRankedTensor:$table);
  let assemblyFormat = "$rows `at` $index `into` $table attr-dict `:` type($rows) `,` type($index) `,` type($table)";
  let example = "%y = train.put_rows %r at %i into %table : tensor<3x8xf32>, tensor<3xi32>, tensor<100x8xf32>";
  let differentiable = 0;
  let hasVerifier = 1;
}
def Train_EmbeddingOp : Train_CompositeOp<"embedding", Passthrough, [InferTypeOpAdaptor,
    IndexOpInterface, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Vectors of a table, one per index; the vector `padding` gets no gradient";
  let doc = rowsDoc;
  let arguments = (ins RealTensor:$table, RowNumbers:$index, OptionalAttr<IndexValueAttr>:$padding);
  let assemblyFormat = "$table `at` $index (`padding` $padding^)? attr-dict `:` type($table) `,` type($index)";
  let example = "%y = train.embedding %table at %i padding 0 : tensor<100x8xf32>, tensor<4x3xi32>";
  let parts = "`train.gather`";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getIndices() { return getIndex(); }
    int64_t getIndexLimit() { return getTable().getType().getDimSize(0); }
  }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::ampc::inferGather(loc, adaptor.getTable().getType(), adaptor.getIndex().getType(), types);
    }
  }];
}
#endif
