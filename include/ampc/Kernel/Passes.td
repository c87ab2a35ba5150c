// Passes on kernels: fusion, schedule and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_PASSES
#define AMPC_KERNEL_PASSES
include "mlir/Pass/PassBase.td"

def KernelChunkRows : Pass<"kernel-chunk-rows", "::mlir::ModuleOp"> {
  let summary = "Make large scores for some rows after the other";
  let description = [{
    Chunked logits: the scores of a language model, [rows, vocabulary], are never materialized. If a product's
    result, and all values of equal size computed from the result, are consumed only by row-wise kernels, products
    and sums over rows, all of these kernels become a program (role `part`) for a chunk of rows. A `kernel.call`
    runs the program for every chunk: neither scores nor their gradients exist for all rows at once. Rows keep
    their bits; sums over rows, e.g. gradients of weights, carry on from one run to the next. The pass applies if
    the scores take more than 64 MB, all other tensors of the rows are small in comparison, and the rows can be cut
    into equal chunks: of at least 512 rows (or the target's number), or of as few as 256 if the rows then form two
    chunks, or of `rows` rows. Tensors as large as the scores but not computed from the scores, such as targets,
    are inputs of the program, or recomputed inside by copies of their producers; sums over all rows of such a
    tensor, e.g. the total weight of the targets, may therefore be known before the first run.
  }];
  let options = [Option<"rows", "rows", "int64_t", "0",
                        "least rows of a part, however small the scores are">,
                 Option<"explain", "explain", "bool", "false",
                        "a remark for every product in parts, and why scores are not">,
  ];
}

def KernelSparseAdd : Pass<"kernel-sparse-add", "::mlir::ModuleOp"> {
  let summary = "Add rows, not a table of mostly zeros";
  let description = [{
    The gradient of a tied embedding, a table that is also the output layer's weight, is the sum of the output
    layer's dense gradient and a `kernel.scatter_add` of the lookup gradients. If lookups are at most a quarter of
    the rows, and the table takes at least 1 MB, the rows that occur are taken from the dense gradient, added to,
    and put back; no mostly-zero tensor is written or read. Sums keep their order and so their bits (except -0,
    which stays -0 in rows without a lookup).
  }];
}

def KernelFuse : Pass<"kernel-fuse", "::mlir::ModuleOp"> {
  let summary = "Fewer passes over memory";
  let description = [{
    Producer-consumer fusion: pointwise kernels are fused into their consumers, consumers become epilogues of their
    producers, and reductions over equal inputs are merged (sibling fusion). Type conversions and the order of
    every sum are unchanged: fusion changes no bit of any result. Kernels with `kernel.barrier` compute gradients
    and keep their results in memory, so that every parameter's update is one pass, which starts when the whole
    gradient is known; a scalar factor of such a gradient, e.g. of unscaling, is fused into every consumer. Kernels
    with `kernel.recompute` rematerialize values for the backward pass: such a kernel is fused with its consumers,
    but not with producers, except for products that are recomputed as well. Kernels of two micro-batches are not
    fused: the fused kernel would run with the later micro-batch, and the values of the earlier micro-batch would
    stay live until then. The target limits the size of a fused kernel; on devices, where launches take longer, kernels of
    one point may have more tensors.
  }];
  let options = [Option<"acrossGradients", "across-gradients", "bool", "false",
                        "fuse updates into the kernels of gradients">];
}

def KernelFoldTransposes : Pass<"kernel-fold-transposes", "::mlir::ModuleOp"> {
  let summary = "Fold transposes into their producer";
  let description = [{
    Folds transposes into their producer: if every consumer of a `kernel.map` result is the same permuting copy,
    the map stores the permuted layout, and the copies are removed. Example: [4, 8] with two consumers that copy to
    [8, 4] -> stored as [8, 4]. No bit of any result changes.
  }];
}

def KernelFoldImageTransposes : Pass<"kernel-fold-image-transposes", "::mlir::ModuleOp"> {
  let summary = "Let convolutions read NCHW images in place";
  let description = [{
    Removes the layout conversion of a `kernel.map` from [N, C, H, W] to [N, H, W, C] whose consumers are
    convolutions and filter gradients only, if the target reports that reading NCHW (`channels_first`) is as fast.
    A pure conversion is removed; a map that also computes, e.g. a cast to 16 bits, stores elements in the order in
    which the map loads elements. No bit of any result changes.
  }];
}

def KernelSinkCasts : Pass<"kernel-sink-casts", "::mlir::ModuleOp"> {
  let summary = "Store widened values in their original 16-bit type";
  let description = [{
    A kernel that rounds an element to 16 bits and widens the element again (f32 -> bf16 -> f32) stores the 16
    bits, if all consumers can widen the element themselves. This includes a selection between such elements and
    constants that are exact in 16 bits, e.g. by the mask of a short batch. No bit of any result changes.
  }];
}

def KernelWinograd : Pass<"kernel-winograd", "::mlir::ModuleOp"> {
  let summary = "Compute convolutions of 3x3 taps by tiles of outputs, where that saves time";
  let description = [{
    A `kernel.conv` of f32 with strides and dilations of 1 becomes a `kernel.winograd` on a filter transformed by
    `kernel.winograd_filter`, if the target's cost model prefers this: equal sums with 4 (tiles of 2 x 2 outputs)
    or 2.25 (4 x 4) products in place of 9, rounded differently. Convolutions with the same filter share one
    transformation.
  }];
  let options = [Option<"tile", "tile", "int64_t", "2", "most outputs along each side of a tile">];
}

def KernelPackWeights : Pass<"kernel-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Keep prepacked copies of weights";
  let description = [{
    A product packs its right-hand side on every call unless the operand is prepacked. A weight (a parameter or its
    16-bit copy) that products read as a whole right-hand side gets one prepacked copy per packed layout (`as
    working`). Every program that writes the weight writes the copies, too, by a `kernel.pack` (see
    `kernel-fuse-packs`), and the program `derive` rebuilds the copies. Copies are not saved in checkpoints, and no
    bit of any result depends on the copies.

    Convolution filters are right-hand sides as well: in their own order, rotated for the gradient of an image
    (stride 1), or transformed for Winograd tiles (`kernel.winograd`); the rotation or transformation in every call
    is removed. Filters of groups, and rotated filters of strided convolutions, are packed on each call.

    Profitability depends on the rows of the products. A program gains if (packs saved - packs to write the copy) *
    `rows` is at least the sum of the rows of the program's products, where the target defines `rows` for the
    element type and the number of packs per product. Products of a called program count once per run; the called
    program gets the copy as an additional argument. A step that reads a weight once per update, in a product that
    packs once, gains nothing: the weight is packed once either way. A copy is made if a program gains that writes
    the weight or is an export. If only products read the 16-bit copy of a parameter, and the prepacked copies take
    no more memory, the prepacked copies replace the 16-bit copy.
  }];
  let options = [Option<"rows", "rows", "int64_t", "0", "overrides the target's number">,
                 Option<"always", "always", "bool", "false", "regardless of savings">,
  ];
}

def KernelFusePacks : Pass<"kernel-fuse-packs", "::mlir::ModuleOp"> {
  let summary = "Write weights in every order that products read from the update itself";
  let description = [{
    A `kernel.pack` of a `kernel.map` result becomes a packed result of the map with equal bytes: an optimizer's
    update then writes the parameter, its moments and its copies in one pass. An unpacked result without other
    consumers is removed. If the map cannot store the packed layout, the copy stays a kernel that reads the matrix
    again, and a remark has the reason. The program `derive`, which runs when a model is created or loaded, keeps
    its kernels.
  }];
  let options = [Option<"explain", "explain", "bool", "false",
                        "a remark for every copy that stays a separate kernel">];
}

def KernelFuseReductions : Pass<"kernel-fuse-reductions", "::mlir::ModuleOp"> {
  let summary = "Fuse gradient reductions into the producers of gradients";
  let description = [{
    The sum of squares for clipping and the check for non-finite numbers are reductions over all elements of a
    gradient. Both become reductions of the kernel that writes the gradient (`kernel.barrier`, wrapped in a
    `kernel.fused_reduction`), on the elements as stored. If this is impossible, the reduction stays a kernel that
    reads the gradient again, and a remark has the reason. The same applies to sums whose bits depend on their
    order, because fusion changes no bit: sums of reals outside f64, and sums of a gradient in f64.
  }];
  let options = [Option<"explain", "explain", "bool", "false",
                        "a remark for every sum that stays a separate kernel">];
}

def KernelFuseHorizontally : Pass<"kernel-fuse-horizontally", "::mlir::ModuleOp"> {
  let summary = "One launch for independent pointwise kernels with one body";
  let description = [{
    Horizontal fusion, for targets whose launches take longer than small kernels: independent pointwise
    `kernel.map`s with equal bodies become one `kernel.multi_map` ("multi-tensor apply"). Example: the update rule of
    all vectors of a model. Members differ in their number of points and in their tensors; scalars are the same
    tensor in all of them. No bit of any result changes. The kernel runs with its last member, so that the tensors of
    other members might live longer; members are therefore maps of few bytes, and maps that read a scalar which is
    known after all of their tensors: a factor of clipping, or the flag that refuses a step. A kernel takes at most
    `pointers` tensors: parameters of a launch have 4 KB before PTX 8.1.
  }];
  let options = [Option<"pointers", "pointers", "int64_t", "504", "most tensors of a kernel">];
}

def KernelPadLeadingDimension : Pass<"kernel-pad-leading-dimension", "::mlir::ModuleOp"> {
  let summary = "Pad rows of intermediate tensors to the target's alignment";
  let description = [{
    A target copies whole rows at once only if rows start at multiples of `Target::getRowAlignment` bytes, unlike
    rows of a vocabulary of 50257 numbers in 16 bits. Results of a `kernel.map` or `kernel.gemm` that only other
    kernels read by indexing maps get padded rows, whose trailing elements are neither written nor read: [8, 50257]
    -> [8, 50264] for 16 bytes. The type has the padding; iteration domains and maps are unchanged. State, inputs
    and outputs keep their shapes. No bit of any result changes.
  }];
}

def KernelConfigure : Pass<"kernel-configure", "::mlir::ModuleOp"> {
  let summary = "Set kernel parameters that the target chooses";
  let description = [{
    The algorithm of a product, the number of slices of a split reduction, and the workspace of a launch depend on
    the target: sets `plan`, `parts` and `workspace_bytes` of ops with these attributes, which later passes read.
    A plan that an op already has is kept, with all members, or is an error if the target has no code for it.
  }];
}

def KernelPlan : Pass<"kernel-plan", "::mlir::ModuleOp"> {
  let summary = "Order kernels and assign buffers";
  let description = [{
    Kernel scheduling and buffer assignment. Every declaration of state gets `kernel.offset` (gradients last), and
    the module `kernel.state_bytes`. In each program, kernels are ordered for short live ranges: a micro-batch ends
    before the next begins, so that a step holds the values of one micro-batch, and a kernel that frees as many
    bytes as it allocates runs at once. The sum of gradients over micro-batches is accumulated in place. The loss
    precedes the first write to state (`loss_ready`: number of kernels up to and including the loss), and new state
    is written after the last consumer of the old value. Kernels get `kernel.places` (one per result) and
    `kernel.workspace`; the program gets `arena_bytes` and, for comparison, `unshared_bytes`, the sum of all
    buffers. In a program with a loss, `saved_bytes` are the arena bytes written before the loss is known and read
    afterwards: the residuals (of the last micro-batch, if there are several; accumulated gradients of earlier
    micro-batches are excluded). Values that cannot be computed in their assigned buffer are copied into the buffer
    by additional kernels.
  }];
}
#endif
