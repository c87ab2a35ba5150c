// Passes on kernels: fusion, schedule and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_PASSES
#define AMPC_KERNEL_PASSES
include "mlir/Pass/PassBase.td"

def KernelChunkRows : Pass<"kernel-chunk-rows", "::mlir::ModuleOp"> {
  let summary = "Make large scores for some rows after the other";
  let description = [{
    The scores of a language model have one number per token and word of its vocabulary. Where nothing but kernels that work row by row, products and
    sums over rows reads the result of a product and what is computed from it with as many elements, all of these kernels become a program (`part`) for some
    of the rows, which a `kernel.call` runs for all: no tensor of all rows and columns exists, neither of scores nor of their
    gradients. Rows keep their bits; sums over rows, as gradients of weights are, carry on from one run to the next. It is done if scores take more
    than 64 MB, the other tensors of the rows are small beside them, and the rows can be cut into equal parts: of at least 512 rows (or what the target says), or down to 256 if
    that makes two parts of them, or of as many as `rows` says. What is as large but not computed from the scores, as targets are, is an input of the
    program, or made in it by copies of the kernels that make it; so numbers from all rows of it, as the sum of the targets' weights is, may be
    known before.
  }];
  let options = [Option<"rows", "rows", "int64_t", "0",
                        "least rows of a part, however small the scores are">,
                 Option<"explain", "explain", "bool", "false",
                        "a remark for every product in parts, and why scores are not">,
  ];
}

def KernelAddRows : Pass<"kernel-add-rows", "::mlir::ModuleOp"> {
  let summary = "Add rows, not a table of mostly zeros";
  let description = [{
    The gradient of a table of words that is also the output layer's weight is a sum: what the layer gives, for every row, and a
    `kernel.scatter_add` of what the lookups give. Where lookups are at most a quarter as many as rows and the table takes 1 MB and more, the rows
    that occur are taken from the one, added to, and put back; a tensor of mostly zeros is neither written nor read. Sums keep their
    order, and so their bits (but for -0, which stays -0 in rows that no lookup names).
  }];
}

def KernelFuse : Pass<"kernel-fuse", "::mlir::ModuleOp"> {
  let summary = "Fewer passes over memory";
  let description = [{
    Pointwise code moves into the kernels that read it, readers become epilogues of the kernels that they read, and
    reductions over the same inputs become one. Conversions between types stay as they are, and the order of every sum
    too: fusion does not change a bit of any result. Kernels with `kernel.barrier` (they compute gradients) keep their results
    in memory, so that every parameter's update is one pass that starts when all of its gradient is known; a number that such a
    gradient is multiplied by, as unscaling does, goes into every reader. Kernels with `kernel.recompute` make something again for the backward
    pass: they join what reads them, but nothing before it except products that are made again, too. Kernels of two micro-batches stay apart: one kernel would
    run with the later of them, and the values of the earlier would wait for it. The target limits how much one kernel holds.
  }];
  let options = [Option<"acrossGradients", "across-gradients", "bool", "false",
                        "fuse updates into the kernels of gradients">];
}

def KernelTurnResults : Pass<"kernel-turn-results", "::mlir::ModuleOp"> {
  let summary = "Write what is only read in another order in that order";
  let description = [{
    If every reader of what a `kernel.map` writes is a kernel that does nothing but put it in one other order, the map writes it so, and they are gone.
    No bit of any result changes.
  }];
}

def KernelReadImages : Pass<"kernel-read-images", "::mlir::ModuleOp"> {
  let summary = "Read images whose channels come first where they lie";
  let description = [{
    A `kernel.map` that reads an image [N, C, H, W] and writes it as [N, H, W, C], for convolutions and gradients of their filters alone, leaves the
    order to them (`channels_first`), if the target says that they read it as fast. If it computes nothing there is no kernel left; else,
    as with a conversion to 16 bits, it writes elements where it reads them. No bit of any result changes.
  }];
}

def KernelNarrowResults : Pass<"kernel-narrow-results", "::mlir::ModuleOp"> {
  let summary = "Store values as narrow as they were before they were widened";
  let description = [{
    A kernel that rounds an element to 16 bits and widens it again stores the 16 bits, if all readers can widen it themselves; also where it
    chooses between such elements and constants that 16 bits can hold, as masks of a short batch do. No bit of any result changes.
  }];
}

def KernelWinograd : Pass<"kernel-winograd", "::mlir::ModuleOp"> {
  let summary = "Compute convolutions of 3x3 taps by tiles of outputs, where that saves time";
  let description = [{
    A `kernel.conv` of f32 with strides and dilations of 1 becomes a `kernel.winograd` on a filter that a `kernel.winograd_filter` transforms, if the target
    says that this is faster: the same sums with 4 (tiles of 2 x 2 outputs) or 2.25 (4 x 4) products in place of 9, and another rounding. Convolutions that
    read one filter share its transform.
  }];
  let options = [Option<"tile", "tile", "int64_t", "2", "most outputs along each side of a tile">];
}

def KernelPackWeights : Pass<"kernel-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Keep weights in the order in which products read them, where that saves time";
  let description = [{
    A product packs its right side itself unless that is packed before. A weight (a parameter or its 16-bit copy) that products
    read as a whole right side gets a copy per order they read it in (`as working`), which every program that writes the
    weight writes, too, by a `kernel.pack` (see `kernel-fuse-packs`), and which the program `derive` rebuilds. Copies are not saved, and no bit of any
    result depends on them.

    Filters of convolutions are such right sides, too: as they are, turned for the gradient of an image (without a stride), or transformed for tiles of outputs
    (`kernel.winograd`); what turned or transformed them in every call is gone. Filters of groups, and those turned for strided convolutions, are packed by each call.

    What it is worth depends on the rows that products have. A program gains if (packs saved - packs to write the copy) * `rows` is at least
    the sum of the rows of its products, where the target says what `rows` is for numbers of that type, and how often a product packs. Products of a part
    count as often as the program that calls it runs them; the part gets the copy as one more argument. A step that
    reads a weight once per update, in a product that packs once, gains nothing: it packs once either way. A copy is made if some program gains that writes the
    weight or is an export. Where nothing but products reads the 16-bit copy of a parameter and packed ones are as small, they then take its place, one
    for every order.
  }];
  let options = [Option<"rows", "rows", "int64_t", "0", "instead of what the target says">,
                 Option<"always", "always", "bool", "false", "whatever it saves">,
  ];
}

def KernelFusePacks : Pass<"kernel-fuse-packs", "::mlir::ModuleOp"> {
  let summary = "Write weights in every order that products read from the update itself";
  let description = [{
    A `kernel.pack` of what a `kernel.map` writes becomes a packed result of that map, which has the same bytes: an optimizer's update then
    writes the parameter, its moments and its copies in one pass. A matrix that nothing else reads is no result any more. Where
    the map cannot do it, the copy stays a kernel that reads the matrix once more, and a remark says why. The program `derive`, which runs
    when a model is created or loaded, keeps its kernels.
  }];
  let options = [Option<"explain", "explain", "bool", "false",
                        "a remark for every copy that stays a pass of its own">];
}

def KernelFuseTotals : Pass<"kernel-fuse-totals", "::mlir::ModuleOp"> {
  let summary = "Add up gradients where they are written";
  let description = [{
    The sum of squares that clipping needs and the check for numbers that are not finite are sums over all elements of a gradient. They
    become part of the kernel that writes the gradient (`kernel.barrier`), as totals of a `kernel.with_totals`, on the elements as
    they are stored. Where that is not possible the sum stays a kernel that reads the gradient once more, and a remark says why. So does a
    sum whose bits depend on its order, since fusion changes no bit: one of reals that is not in f64, or of a gradient in f64.
  }];
  let options = [Option<"explain", "explain", "bool", "false",
                        "a remark for every sum that stays a pass of its own">];
}

def KernelPadRows : Pass<"kernel-pad-rows", "::mlir::ModuleOp"> {
  let summary = "Start every row of what kernels hand to each other where copies can";
  let description = [{
    A target copies whole rows at once only if they start at multiples of some bytes (`Target::getRowAlignment`), which those of a vocabulary of 50257 numbers in 16 bits do
    not. What a `kernel.map` or `kernel.gemm` writes and only other kernels read, by their maps, gets longer rows, whose last elements nobody writes or reads: its type
    has them, and spaces and maps stay as they are. State, inputs and outputs keep their shapes. No bit of any result changes.
  }];
}

def KernelConfigure : Pass<"kernel-configure", "::mlir::ModuleOp"> {
  let summary = "Set what kernels leave to their target";
  let description = [{
    In how many parts a sum over many elements is formed, and how many bytes of memory a launch shares, depends on the target: `parts` and
    `workspace_bytes` of the ops that have them. Later passes read it there.
  }];
}

def KernelPlan : Pass<"kernel-plan", "::mlir::ModuleOp"> {
  let summary = "Orders kernels and gives every buffer its place";
  let description = [{
    Every declaration of state gets `kernel.offset` (gradients last), the module `kernel.state_bytes`. In each program the
    kernels are put in an order that keeps live ranges short: a micro-batch ends before the next one begins, so that a step holds the values of one, and
    a kernel that frees as many bytes as it takes runs at once. The sum of gradients over micro-batches is written over the sum before it. The loss comes before the first write to state
    (`loss_ready`: kernels up to and with the loss), and new state is written after the last reader of the old
    value. Kernels get `kernel.places` (one per result) and `kernel.workspace`; the program gets
    `arena_bytes` and, for comparison, `unshared_bytes`, the sum of all buffers. In a program with a loss
    `saved_bytes` are the bytes of the arena that were written before the loss is known and are read after it: what
    the forward pass keeps for the backward pass (of the last micro-batch, if there are several; the sums of gradients of those before it do not count). Values that cannot be
    computed where they have to be are copied there by further kernels.
  }];
}
#endif
