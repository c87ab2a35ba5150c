// Gather, scatter, sort and argmax along a dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_INDEXING
#define AMPC_TRAIN_INDEXING
include "mlir-dialects/Train/Base.td"

defvar elementsDoc = [{
    An index outside [0, size of the dimension) is an error that the runtime reports for inputs; for other indices,
    the element is skipped, or read as zero. With `from_end`, indices from -size to -1 count from the end, as in
    NumPy. }];
defvar alongMethods = [{
    ::mlir::Value getIndices() { return getIndex(); }
    bool countsFromEnd() { return getFromEnd(); }
    void setStartIndices(::mlir::Value index) {
      getIndexMutable().assign(index);
      setFromEnd(false);
    }
    int64_t getIndexLimit() {
      return ::llvm::cast<::mlir::RankedTensorType>(getX().getType()).getDimSize(getDim());
    }
  }];

def Train_TakeAlongAxisOp : Train_Op<"take_along_axis", Passthrough,
                                     [InferTypeOpAdaptor, IndexOpInterface,
                                      DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Gather along a dimension: the elements that the index names";
  let lists = ["propagate=clear"];
  let range = [{ return ::ampc::hull(x(0), Interval{0, 0}); }];
  let doc = !strconcat(elementsDoc, "Elements without a valid index are 0.");
  let arguments = (ins AnyRankedTensor:$x, IndexNumbers:$index, SignedI64Attr:$dim,
      UnitAttr:$from_end);
  let assemblyFormat =
      [{$x `at` $index `along` custom<Dim>($dim) (`from_end` $from_end^)? attr-dict
      custom<Types>(ref($x), type($x), ref($index), type($index))}];
  let example = "%y = train.take_along_axis %x at %i along 1 : tensor<4x8xf32>, tensor<4x3xi32>";
  let saves = ["1"];
  let adjoint = [{
    int64_t size = getIndexLimit();
    return {b.op<AddAlongAxisOp>(g, getIndex(), getDim(), size), Value()}; }];
  let extraClassDeclaration = alongMethods;
}
def Train_AddAlongAxisOp
    : Train_Op<"add_along_axis",
               FullPrecision, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Scatter-add along a dimension to a tensor of zeros, which has size `of` there";
  let lists = ["autocast=promote", "propagate-bf16=clear"];
  let doc = "Adds in the order of the updates, for any number of threads. Updates that name no "
            "element are left out.";
  let arguments = (ins RealTensor:$updates, RowNumbers:$index, SignedI64Attr:$dim,
      SignedI64Attr:$of);
  let assemblyFormat =
      [{$updates `at` $index `along` custom<Dim>($dim) `of` custom<Of>($of) attr-dict
      custom<Types>(ref($updates), type($updates), ref($index), type($index))}];
  let example =
      "%y = train.add_along_axis %u at %i along 1 of 8 : tensor<4x3xf32>, tensor<4x3xi32>";
  let saves = ["1"];
  let adjoint = [{
    return {b.op<TakeAlongAxisOp>(g, getIndex(), getDim(), /*from_end=*/false), Value()}; }];
}
def Train_ArgsortOp
    : Train_Op<"argsort",
               FullPrecision, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Indices that sort every row in ascending or descending order, as i32";
  let lists = ["mincut=pass", "propagate=clear"];
  let doc = [{
    Along the last dimension. The sort is stable; NaN is greater than any number, and -0 equals 0. `below` asserts
    that the elements are integers in [0, `below`), which is faster; other elements are then sorted last. }];
  let arguments = (ins NumberTensor:$x, UnitAttr:$descending, OptionalAttr<SignedI64Attr>:$below);
  let assemblyFormat =
      [{$x (`descending` $descending^)? (`below` custom<Below>($below)^)? attr-dict
      custom<Types>(ref($x), type($x))}];
  let example = "%i = train.argsort %x descending : tensor<4x8xf32>";
  let differentiable = 0;
  let hasVerifier = 1;
}

class Train_OrderOp<string mnemonic>
    : Train_CompositeOp<
          mnemonic,
          Passthrough, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let lists = ["propagate=clear"];
  let range = [{ return x(0); }];
  let results = (outs AnyRankedTensor:$values, RowNumbers:$indices);
  let parts = "`train.argsort` and `train.take_along_axis`";
  string orderDoc = "Equal elements keep their order; NaN counts as greater than any number. "
                    "A gradient goes to the places that the values come from.";
}
def Train_SortOp : Train_OrderOp<"sort"> {
  let summary = "Sorted elements along a dimension, and their original indices, as i32";
  let doc = orderDoc;
  let arguments = (ins NumberTensor:$x, SignedI64Attr:$dim, UnitAttr:$descending);
  let assemblyFormat = [{$x `along` custom<Dim>($dim) (`descending` $descending^)? attr-dict
      custom<Types>(ref($x), type($x))}];
  let example = "%y, %i = train.sort %x along 1 descending : tensor<4x8xf32>";
}
def Train_TopKOp : Train_OrderOp<"top_k"> {
  let summary = "The k greatest elements along a dimension in descending order, or with `smallest` "
                "the least in ascending order, and their original indices, as i32";
  let doc = orderDoc;
  let arguments = (ins NumberTensor:$x, SignedI64Attr:$k, SignedI64Attr:$dim, UnitAttr:$smallest);
  let assemblyFormat =
      [{$x `of` custom<K>($k) `along` custom<Dim>($dim) (`smallest` $smallest^)? attr-dict
      custom<Types>(ref($x), type($x))}];
  let example = "%y, %i = train.top_k %x of 3 along 1 : tensor<4x8xf32>";
}

def Train_ScatterMode
    : I32EnumAttr<"ScatterMode", "combination of an element with its updates",
                  [I32EnumAttrCase<"set", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"mul", 2>,
                   I32EnumAttrCase<"max", 3>, I32EnumAttrCase<"min", 4>]> {
  let cppNamespace = "::ampc::train";
}
def Train_ScatterOp : Train_CompositeOp<"scatter", Passthrough,
                                        [InferTypeOpAdaptor, IndexOpInterface,
                                         DeclareOpInterfaceMethods<BatchedOpInterface>]> {
  let summary = "Scatter along a dimension: updates change the elements that the index names";
  let lists = ["propagate=clear"];
  let doc = !strconcat(elementsDoc, [{
    `set` takes the last of several updates of one element; all other modes combine all updates with the element.
    Equal values share the gradient of `max` and `min`. }]);
  let arguments = (ins Train_ScatterMode:$mode, RealTensor:$updates, IndexNumbers:$index,
      RealTensor:$x, SignedI64Attr:$dim, UnitAttr:$from_end);
  let assemblyFormat =
      [{$mode $updates `at` $index `into` $x `along` custom<Dim>($dim) (`from_end` $from_end^)?
      attr-dict custom<Types>(ref($updates), type($updates), ref($index), type($index), ref($x), type($x))}];
  let example = "%y = train.scatter max %u at %i into %x along 1 : tensor<4x3xf32>, "
                "tensor<4x3xi32>, tensor<4x8xf32>";
  let parts =
      "`train.add_along_axis`; for modes other than `add`, after `train.argsort` and steps of doubling  "
      "distance";
  let extraClassDeclaration = alongMethods;
}

def Train_BagMode : I32EnumAttr<"BagMode", "reduction of the vectors of a bag",
                                [I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"mean", 1>,
                                 I32EnumAttrCase<"max", 2>]> {
  let cppNamespace = "::ampc::train";
}
def Train_EmbeddingBagOp
    : Train_CompositeOp<"embedding_bag", FullPrecision,
                        [AttrSizedOperandSegments, InferTypeOpAdaptor, IndexOpInterface,
                         DeclareOpInterfaceMethods<BatchedOpInterface>,
                         DeclareOpInterfaceMethods<FanOpInterface>]> {
  let summary = "Sum, mean or maximum of vectors of a table, one bag per row";
  let doc = [{
    A bag is a row of the index, or, with `bags`, all indices with equal number in `bags`, which is less than `of`.
    An index outside [0, number of rows), or a number of a bag outside [0, `of`), is an error that the runtime
    reports for inputs; for other indices, zeros are read, or the index is skipped. With `from_end`, indices from
    -number of rows to -1 count from the end. The vector `padding` belongs to no bag and gets no gradient. A bag
    without vectors is 0. Weights, one per index, are for sums. }];
  let arguments = (ins Train_BagMode:$mode, RealTensor:$table, IndexNumbers:$index,
      Optional<RowNumbers>:$bags, Optional<RealTensor>:$weights, OptionalAttr<SignedI64Attr>:$of,
      OptionalAttr<IndexValueAttr>:$padding, UnitAttr:$from_end);
  let assemblyFormat =
      [{$mode $table `at` $index (`bags` $bags^ `of` custom<Of>($of))? (`weights` $weights^)?
      (`padding` custom<Padding>($padding)^)? (`from_end` $from_end^)? attr-dict custom<BagTypes>(ref($table), type($table),
      ref($index), type($index), ref($bags), type($bags), ref($weights), type($weights))}];
  let example = "%y = train.embedding_bag mean %table at %i padding 0 : tensor<100x8xf32>, "
                "tensor<4x3xi32>";
  let parts = "`train.embedding` and a reduction, or with `bags` `train.scatter_add`, of maxima "
              "behind `train.argsort`";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getIndices() { return getIndex(); }
    bool countsFromEnd() { return getFromEnd(); }
    void setStartIndices(::mlir::Value index);
    int64_t getIndexLimit() { return getTable().getType().getDimSize(0); }
    ::llvm::SmallVector<std::pair<::mlir::Value, int64_t>> getOtherIndices() {
      if (!getBags())
        return {};
      return {{getBags(), *getOf()}};
    }
  }];
}
#endif
