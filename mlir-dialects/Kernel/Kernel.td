// Fused kernels with explicit accumulators, in execution order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL
#define AMPC_KERNEL
include "mlir-dialects/SignedIntegers.td"
include "mlir-dialects/Kernel/KernelInterfaces.td"
include "mlir-dialects/Train/Program/Program.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/TensorEncoding.td"

def KernelDialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::ampc::kernel";
  let summary = "Kernels: one pass over memory each, on planned buffers";
  let description = [{
    Bodies are arith and math ops on scalars. Storage of 16 bits is widened right after a body's argument and
    rounded right before its yield; the code between computes in f32 (or f64).

    Attributes specific to one kind of op belong to the op. The following attributes belong to the dialect, which
    verifies op and content, because phases attach the attributes to ops of any kind, including ops of other
    dialects: kernels, declarations of state, and the MLIR module. The attributes describe the use of kernels in a
    program; kernels that differ in these attributes only share one function:

    | attribute | on | says |
    |---|---|---|
    | `kernel.barrier` | a kernel | the kernel computes a gradient, which stays in memory for the parameter's update |
    | `kernel.recompute` | a kernel | the kernel recomputes values for the backward pass |
    | `kernel.places` | a kernel, a constant | buffer of each result |
    | `kernel.workspace` | a kernel with a workspace | offset of the workspace in the arena |
    | `kernel.function` | a kernel | number of its code in `kernel.functions` |
    | `kernel.offset` | a declaration of state | byte offset in the state |
    | `kernel.state_bytes` | a module | bytes of the state |
    | `kernel.functions` | a module | the code of kernels, by number |
    | `kernel.tier` | a nested module | the tier of the code |
    | `kernel.target` | a module | the target of the module's kernels; by default the first registered target |

    Constraints of KernelOpInterface, that is of every kernel:

    1. Operands and results are tensors of static shape, of at least one and at most 2^40 elements of f64, f32, bf16, f16 or an integer of 1, 8, 16, 32 or 64 bits.
    2. Operands are not packed, except the sides of a `kernel.gemm`, the filters of `kernel.conv` and
       `kernel.winograd`, and operands that a `kernel.call` passes on.
    3. Results are not packed, except results of `kernel.pack`, `kernel.map` and `kernel.winograd_filter`.

    Constraints of FusedKernelOpInterface, that is of every kernel with maps and a body:

    1. The space has less than 32 dimensions of at least one point each, and 64 bits count its points.
    2. There is one map per input and one per result.
    3. A map goes from the dimensions of the space to those of its tensor, without symbols.
    4. A map without divisions is inside the tensor for every point.
    5. The body has the arguments that the op defines, then one per input.
    6. The argument of an input has the type of its elements.
    7. The body is made of ops of arith and math that work element by element, on scalars, and of the ops of bodies of this dialect.
    8. The body ends by a `kernel.yield` of one value per result.
    9. A yielded value has the type of the result's elements.
    10. A result is constant along every dimension that its map omits, except dimensions that a reduction sums
        over.
    11. Points that differ in a dimension of a result's map write different elements of the result. Maps with
        divisions are assumed valid.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Registers a target that `kernel.target` may name. Targets outlive all contexts.
    void addTarget(::llvm::StringRef name, const ::ampc::Target *target) { targets.push_back({name, target}); }
    /// Target of this name, or the first target for an empty name; null if absent.
    const ::ampc::Target *findTarget(::llvm::StringRef name) const;
    using NamedTarget = ::std::pair<::llvm::StringRef, const ::ampc::Target *>;
    ::llvm::ArrayRef<NamedTarget> getTargets() const { return targets; }

  private:
    ::llvm::SmallVector<NamedTarget> targets;

  public:
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}
class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<KernelDialect, mnemonic, traits>;

def Kernel_Count : ConfinedAttr<SignedI64Attr, [IntNonNegative]>;
// Choices of a target for split reductions: number of slices and workspace.
defvar Kernel_Parts = DefaultValuedAttr<ConfinedAttr<SignedI64Attr, [IntPositive]>, "1">;
defvar Kernel_Workspace = DefaultValuedAttr<Kernel_Count, "0">;
// Text: a quoted string, omitted if empty.
def OptionalStringParameter : StringRefParameter<"text", [{""}]>;
// Compute types of a target's multiplication, one per operand: tf32 or 8 bits, e.g. f32 -> tf32.
defvar Kernel_Compute = OptionalAttr<TypeArrayAttr>;

// ---- Buffer assignment ----
def Kernel_Space : I32EnumAttr<"Space", "a memory of the step",
                               [I32EnumAttrCase<"state", 0>, I32EnumAttrCase<"arena", 1>,
                                I32EnumAttrCase<"input", 2>, I32EnumAttrCase<"output", 3>,
                                I32EnumAttrCase<"constant", 4>, I32EnumAttrCase<"control", 5>]> {
  let cppNamespace = "::ampc::kernel";
}
def Kernel_PlaceAttr : AttrDef<KernelDialect, "Place"> {
  let mnemonic = "place";
  let summary = "Buffer of a value: space, number of the input, output or constant (else 0), "
                "and byte offset";
  let parameters = (ins "::ampc::kernel::Space":$space, "int64_t":$number, "int64_t":$offset);
  let assemblyFormat = "`<` $space `,` $number `,` $offset `>`";
}

// ---- Device code ----
def Kernel_TensorMapAttr : AttrDef<KernelDialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "Tensor map: descriptor of a tensor of which a device copies boxes";
  let description = [{
    Descriptor by which a device copies a box of a tensor, given by coordinates, and fills elements outside with
    zeros. The tensor begins `offset` bytes into the kernel's `operand` of that number (results, then the
    workspace, follow the operands), has 2 to 5 dimensions, the innermost first, and `strides` in bytes of all
    outer dimensions. The `box` is dense in shared memory, except for the order of 16-byte chunks in rows of
    `swizzle` bytes (0: no swizzle), by which the elements of a column are in different banks.

    ```mlir
    #kernel.tensor_map<operand = 0, element = bf16, offset = 0, sizes = [768, 4096], strides = [1536], box = [64, 128], swizzle = 128>
    ```
  }];
  let parameters = (ins "int64_t":$operand, "::mlir::FloatType":$element, "int64_t":$offset,
      ArrayRefParameter<"int64_t">:$sizes, ArrayRefParameter<"int64_t">:$strides,
      ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat =
      [{`<` `operand` `=` $operand `,` `element` `=` $element `,` `offset` `=` $offset `,` `sizes` `=` `[` $sizes `]` `,`
    `strides` `=` `[` $strides `]` `,` `box` `=` `[` $box `]` `,` `swizzle` `=` $swizzle `>`}];
  let genVerifyDecl = 1;
}

def Kernel_LaunchAttr : AttrDef<KernelDialect, "Launch"> {
  let mnemonic = "launch";
  let summary = "A device function and its launch configuration";
  let description = [{
    Blocks in the grid, threads in a block, and blocks in a cluster, by x, y and z; `shared` is the dynamic shared
    memory of the launch in bytes, in addition to static shared memory. A kernel's launches run one after the
    other.

    The function's parameters are pointers to the kernel's operands, then to its results, then to its workspace, if
    any: the operands whose numbers `parameters` lists, or all. After all pointers follow the tensor maps, at most
    8, of 128 bytes each.

    ```mlir
    #kernel.launch<"model_k0_sm_80", grid = [12, 1, 1], block = [256, 1, 1], cluster = [1, 1, 1], shared = 0>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$function, ArrayRefParameter<"int64_t">:$grid,
      ArrayRefParameter<"int64_t">:$block, ArrayRefParameter<"int64_t">:$cluster, "int64_t":$shared,
      OptionalArrayRefParameter<"int64_t">:$parameters,
      OptionalArrayRefParameter<"::ampc::kernel::TensorMapAttr">:$maps);
  let assemblyFormat =
      [{`<` $function `,` `grid` `=` `[` $grid `]` `,` `block` `=` `[` $block `]` `,` `cluster` `=` `[` $cluster `]`
    `,` `shared` `=` $shared (`parameters` `=` `[` $parameters^ `]`)? (`maps` `=` `[` $maps^ `]`)? `>`}];
  let genVerifyDecl = 1;
}

include "mlir-dialects/Kernel/KernelPlans.td"

// ---- Packed operands of products ----
def Kernel_Side
    : I32EnumAttr<"Side",
                  "a side of a product", [I32EnumAttrCase<"lhs", 0>, I32EnumAttrCase<"rhs", 1>]> {
  let cppNamespace = "::ampc::kernel";
}
def Kernel_PackedAttr
    : AttrDef<KernelDialect, "Packed", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "packed";
  let summary = "Encoding of a packed matrix or filter, one side of a product";
  let description = [{
    A role, not a layout: every tier of a target has its own order, written by its `kernel.pack` or `kernel.map`
    and read by its `kernel.gemm` or `kernel.conv`. `depth` is the contracted dimension, `bytes` the size of the
    packed matrix, an upper bound over the target's tiers.

    A filter OHWI is the right side of convolutions. With a `depth` of 1 the lines are outputs, and (tap, channel)
    is summed over. With 0 the filter is rotated by 180 degrees for the gradient of an image: the lines are
    channels, and (tap, output) is summed over, the last tap first. In 16 bits the number of outputs is then even,
    so that no pair of outputs spans two taps.

    ```mlir
    tensor<384x1536xbf16, #kernel.packed<rhs, depth = 0, bytes = 1179648>>
    ```
  }];
  let parameters = (ins "::ampc::kernel::Side":$side, "unsigned":$depth, "int64_t":$bytes);
  let assemblyFormat = "`<` $side `,` `depth` `=` $depth `,` `bytes` `=` $bytes `>`";
  let extraClassDeclaration = [{
    /// Dimension other than k: rows of a left-hand side, columns of a right-hand side.
    unsigned getLine() const { return 1 - getDepth(); }
  }];
}

def Kernel_ProgramOp
    : Kernel_Op<"program", [FunctionOpInterface, ProgramOpInterface, IsolatedFromAbove]> {
  let summary = "Kernels in execution order";
  let description = [{
    Attributes of the program, and of arguments and results, are those of `train.func`. After planning,
    `arena_bytes` is the peak memory, and `unshared_bytes` the sum of all buffers without sharing. With a loss,
    `loss_ready` counts the kernels up to and including the loss, and `saved_bytes` are the arena bytes of
    residuals.

    Constraints:

    1. The body has one block.
    2. Arguments and results are ranked tensors.
    3. Arguments and results have static shapes, with sizes and elements valid for kernels.

    ```mlir
    kernel.program @twice(%x: tensor<4x8xf32> {train.is = #train.input<"x">})
        -> (tensor<4x8xf32> {train.is = #train.output<named, name = "y">}) {
      %y = kernel.map(%x : tensor<4x8xf32>) space [4, 8] maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] {
      ^bb0(%a: f32):
        %0 = arith.addf %a, %a : f32
        kernel.yield %0 : f32
      } : tensor<4x8xf32>
      kernel.return %y : tensor<4x8xf32>
    }
    ```
  }];
  let arguments =
      !con((ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
               OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs),
           programAttributes,
           (ins OptionalAttr<Kernel_Count>:$arena_bytes, OptionalAttr<Kernel_Count>:$unshared_bytes,
               OptionalAttr<Kernel_Count>:$saved_bytes, OptionalAttr<Kernel_Count>:$loss_ready));
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "const ::llvm::Twine &":$name, "::mlir::FunctionType":$type)>];
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}
def Kernel_ReturnOp : Kernel_Op<"return", [Pure, Terminator, HasParent<"ProgramOp">]> {
  let summary = "Ends a program";
  let description = [{
    Constraints:

    1. The values have the types of the program's results.

    ```mlir
    kernel.program @same(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      kernel.return %x : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}
def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator]> {
  let summary = "Ends a body";
  let description = [{
    ```mlir
    %y, %squares = kernel.map(%x : tensor<8xf32>) space [8] maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] {
    ^bb0(%a: f32):
      %0 = arith.mulf %a, %a : f32
      kernel.yield %a, %0 : f32, f32
    } : tensor<8xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

// ---- Values without a launch ----
def Kernel_ConstantOp
    : Kernel_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "Constant data of the object file";
  let description = [{
    Constraints:

    1. The tensor has a size and elements valid for kernels.
    2. The tensor is not packed.

    ```mlir
    %y = kernel.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Kernel_ViewOp : Kernel_Op<"view", [Pure]> {
  let summary = "View of a tensor's bytes with another shape";
  let description = [{
    Constraints:

    1. Both tensors have static shapes, with sizes and elements valid for kernels.
    2. Neither tensor is packed.
    3. Both tensors have equal numbers of elements, of one type.

    ```mlir
    %y = kernel.view %x : tensor<4x8xf32> to tensor<32xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `to` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

// ---- Ops of bodies ----
def Kernel_Combine : I32EnumAttr<"Combine", "an associative operation",
                                 [I32EnumAttrCase<"sum", 0>, I32EnumAttrCase<"max", 1>,
                                  I32EnumAttrCase<"min", 2>]> {
  let cppNamespace = "::ampc::kernel";
  let genSpecializedAttr = 0;
}
def Kernel_CombineAttr : EnumAttr<KernelDialect, Kernel_Combine, "combine">;
def Kernel_RowReduceOp
    : Kernel_Op<"row_reduce", [Pure, SameOperandsAndResultType, HasParent<"MapOp">]> {
  let summary = "Reduces a body value along the last dimension of the space";
  let description = [{
    Constraints:

    1. The value has at least 32 bits.

    ```mlir
    %sums = kernel.map(%x : tensor<4x8xf32>) space [4, 8] maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0)>] {
    ^bb0(%a: f32):
      %0 = kernel.row_reduce sum %a : f32
      kernel.yield %0 : f32
    } : tensor<4xf32>
    ```
  }];
  let arguments = (ins Kernel_CombineAttr:$kind, AnyFloat:$x);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$kind $x attr-dict `:` type($x)";
  let hasVerifier = 1;
}
def Kernel_RowIndexOp : Kernel_Op<"row_index", [Pure, HasParent<"MapOp">]> {
  let summary = "Index in the last dimension of the space";
  let description = [{
    ```mlir
    %columns = kernel.map() space [4, 8] maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0:
      %0 = kernel.row_index
      kernel.yield %0 : i32
    } : tensor<4x8xi32>
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def Kernel_LinearIndexOp
    : Kernel_Op<"linear_index", [Pure, ParentOneOf<["MapOp", "ReduceOp", "GemmOp", "ConvOp",
                                                    "ConvFilterOp"]>]> {
  let summary = "Row-major index of the point in the iteration domain";
  let description = [{
    ```mlir
    %numbers = kernel.map() space [4, 8] maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0:
      %0 = kernel.linear_index
      kernel.yield %0 : i32
    } : tensor<4x8xi32>
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

// ---- Kernels ----
class Kernel_LaunchOp<string mnemonic, list<Trait> traits = []>
    : Kernel_Op<mnemonic, traits#[Pure]> {
  let results = (outs Variadic<AnyRankedTensor>:$outs);
}
def Kernel_MapOp
    : Kernel_LaunchOp<
          "map", [FusedKernelOpInterface, IsolatedFromAbove,
                  DeclareOpInterfaceMethods<KernelOpInterface, ["canFuseReductions"]>]> {
  let summary =
      "One body per point of the iteration domain; a row kernel with `kernel.row_reduce` inside";
  let description = [{
    Covers pointwise ops, row-wise ops (softmax, norms, losses), transposes, slices and broadcasts. A result
    whose map drops the last dimension is one number per row.

    A result may be packed, for the right side of products: the bytes equal the result of a `kernel.pack` of the
    matrix, written in the same pass. The space then has the shape of that matrix or filter, the result's map is
    the identity, and the body reduces nothing.

    Constraints:

    1. A packed result is a right side of the shape of the space, its map the identity, and the body reduces nothing.
    2. A body that works along rows has a space of at least one dimension.

    ```mlir
    %y = kernel.map(%x, %bias : tensor<4x8xf16>, tensor<8xf32>) space [4, 8]
        maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] {
    ^bb0(%a: f16, %b: f32):
      %0 = arith.extf %a : f16 to f32
      %1 = arith.addf %0, %b : f32
      kernel.yield %1 : f32
    } : tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, DenseI64ArrayAttr:$space,
      AffineMapArrayAttr:$input_maps, AffineMapArrayAttr:$result_maps);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      [{`(` ($inputs^ `:` type($inputs))? `)` `space` $space `maps` $input_maps `->` $result_maps
    attr-dict-with-keyword $body `:` type($outs)}];
  let hasVerifier = 1;
}
def Kernel_ReduceOp
    : Kernel_LaunchOp<
          "reduce", [FusedKernelOpInterface, IsolatedFromAbove,
                     DeclareOpInterfaceMethods<KernelOpInterface, ["canFuseReductions"]>]> {
  let summary = "Reduction of the yielded values over the middle dimension of a space [outer, "
                "reduced, inner]";
  let description = [{
    Every yielded value has the type of its accumulator and gives a result over [outer, inner].

    The order of a sum is fixed (see the page on numerics), on every target and for any number of threads.
    `reduced` is cut into `parts`: chunks of 256 rows where `inner` is more than 1, else of 8192 columns. A tree
    adds their sums: chunk i and chunk i + n/2, n the next power of two, then n/4, and so on.

    Constraints:

    1. The space has three dimensions.
    2. Results have at least 32 bits.
    3. Maps of results leave out the middle dimension.

    ```mlir
    %columns = kernel.reduce sum(%x : tensor<16x8xf32>) space [1, 16, 8]
        maps [affine_map<(d0, d1, d2) -> (d1, d2)>] -> [affine_map<(d0, d1, d2) -> (d2)>] {
    ^bb0(%a: f32):
      kernel.yield %a : f32
    } : tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, DenseI64ArrayAttr:$space,
      AffineMapArrayAttr:$input_maps, AffineMapArrayAttr:$result_maps, Kernel_CombineAttr:$kind,
      Kernel_Parts:$parts, Kernel_Workspace:$workspace_bytes);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      [{$kind `(` ($inputs^ `:` type($inputs))? `)` `space` $space `maps` $input_maps `->` $result_maps
    attr-dict-with-keyword $body `:` type($outs)}];
  let hasVerifier = 1;
}
def Kernel_FusedReductionOp
    : Kernel_LaunchOp<"fused_reduction", [IsolatedFromAbove,
                                          DeclareOpInterfaceMethods<KernelOpInterface>]> {
  let summary =
      "A kernel with reductions: sums over the stored elements, accumulated while the kernel writes";
  let description = [{
    The first region holds one kernel and yields its results; its arguments are the first inputs. The other inputs
    are scalars (tensors of one element). The body's arguments are one element of every result as it is stored,
    then the scalars. Each value that the body yields, a real number of 32 bits or more or an integer, is summed
    over all elements of the single result on which the value depends. These sums, of one element each, follow the
    kernel's results. Each sum combines at most `parts` partial sums; the order depends on the tier, not on the
    number of threads. Partial sums are in the workspace, after the kernel's own workspace.

    Constraints:

    1. The first region holds one kernel, which has memory of its own and no reductions, and yields its results.
    2. The kernel's arguments are the first inputs.
    3. The kernel's results are the first results.
    4. The other inputs have one element.
    5. The body's arguments are one element of every result, then of every other input.
    6. The body is scalar code like that of other kernels.
    7. The body yields one value per reduction.
    8. A reduction has one element, of the type of its value.
    9. A real reduction has at least 32 bits.
    10. A reduction depends on one result of the kernel, each element of which the kernel writes once.

    ```mlir
    %y, %squares = kernel.fused_reduction(%x, %index, %factor : tensor<12x8xf32>, tensor<12xi32>, tensor<f32>) of {
    ^bb0(%a: tensor<12x8xf32>, %b: tensor<12xi32>):
      %0 = kernel.scatter_add %a, %b : tensor<12x8xf32>, tensor<12xi32> -> tensor<100x8xf32>
      kernel.yield %0 : tensor<100x8xf32>
    } sum {
    ^bb0(%element: f32, %scalar: f32):
      %0 = arith.mulf %element, %scalar : f32
      %1 = arith.mulf %0, %0 : f32
      kernel.yield %1 : f32
    } : tensor<100x8xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Kernel_Parts:$parts,
      Kernel_Workspace:$workspace_bytes);
  let regions = (region SizedRegion<1>:$launch, SizedRegion<1>:$body);
  let assemblyFormat =
      "`(` ($inputs^ `:` type($inputs))? `)` `of` $launch `sum` $body attr-dict `:` type($outs)";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    KernelOpInterface getKernel();
    unsigned getNumReductions() { return getNumResults() - getKernel()->getNumResults(); }
  }];
}
include "mlir-dialects/Kernel/KernelDataOps.td"
include "mlir-dialects/Kernel/KernelProductOps.td"
include "mlir-dialects/Kernel/KernelAttentionOps.td"
include "mlir-dialects/Kernel/KernelCall.td"
#endif
