// Plans of kernels: the choices of a target for a kernel, stored by kernel-configure.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_PLANS
#define AMPC_KERNEL_PLANS

// ---- Plans of GPUs ----
def Kernel_PlanKind : I32EnumAttr<"PlanKind", "an algorithm of a product",
                                  [I32EnumAttrCase<"wgmma", 0>, I32EnumAttrCase<"mma", 1>,
                                   I32EnumAttrCase<"simt", 2>, I32EnumAttrCase<"depthwise", 3>,
                                   I32EnumAttrCase<"plain", 4>]> {
  let cppNamespace = "::ampc::kernel";
}
def Kernel_Schedule
    : I32EnumAttr<"Schedule", "a schedule of consumer warpgroups",
                  [I32EnumAttrCase<"cooperative", 0>, I32EnumAttrCase<"pingpong", 1>]> {
  let cppNamespace = "::ampc::kernel";
}
def Kernel_PlanAttr : AttrDef<KernelDialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "Plan of a product: algorithm, tile, split-K and schedule";
  let description = [{
    The choices that a target has for a product, made once: `kernel-configure` stores the plan on the op, and code,
    workspace and reports follow the plan. A plan that the op already has, for example of a measurement, is kept;
    members that it omits are completed.

    | kind | code |
    |---|---|
    | `wgmma` | products of warpgroups, whose operands the tensor memory accelerator copies |
    | `mma` | products of warps on matrix units (`mma.sync`) |
    | `simt` | multiply-adds, thread by thread, of tiles in shared memory |
    | `depthwise` | convolutions with a filter per channel |
    | `plain` | a thread per sum |

    | member | number |
    |---|---|
    | `m`, `n` | rows and columns of the output tile of a block; of a warpgroup in the schedule `pingpong` |
    | `stages` | k-tiles in shared memory; omitted: as many as the target prefers |
    | `split_k` | slices of k, whose sums are added in order in a second launch |
    | `cluster` | blocks of a cluster: neighbours along m, which share the copies of the right operand, times slices of k |
    | `schedule` | `cooperative`: consumer warpgroups share an output tile; `pingpong`: one multiplies while the other stores |
    | `reason` | the reason against a faster kind, for reports |

    ```mlir
    #kernel.plan<wgmma, m = 64, n = 256, stages = 5, cluster = 2x1, schedule = pingpong>
    ```

    Constraints of PlanAttr:

    1. Kinds with tiles have positive `m` and `n` below 2^31; `depthwise` and `plain` have a reason at most.
    2. `stages` is at least 0, `split_k` and both sizes of the cluster are at least 1, all below 2^31.
    3. Only `wgmma` has a cluster or the schedule `pingpong`.
    4. At most one of `split_k`, slices of k in the cluster, and `pingpong` is used.
  }];
  let parameters = (ins "::ampc::kernel::PlanKind":$kind, DefaultValuedParameter<"int64_t", "0">:$m,
      DefaultValuedParameter<"int64_t", "0">:$n, DefaultValuedParameter<"int64_t", "0">:$stages,
      DefaultValuedParameter<"int64_t", "1">:$split_k,
      OptionalArrayRefParameter<"int64_t">:$cluster,
      DefaultValuedParameter<"::ampc::kernel::Schedule",
                             "::ampc::kernel::Schedule::cooperative">:$schedule,
      OptionalStringParameter:$reason);
  let assemblyFormat =
      [{`<` $kind (`,` struct($m, $n, $stages, $split_k, custom<Sizes>($cluster), $schedule, $reason)^)? `>`}];
  let genVerifyDecl = 1;
}
def Kernel_Plans : TypedArrayAttrBase<Kernel_PlanAttr, "plans, one per product of the kernel">;

def Kernel_ScoreTileAttr : AttrDef<KernelDialect, "ScoreTile"> {
  let mnemonic = "score_tile";
  let summary = "Tile of scores of a launch of attention";
  let description = [{
    A block owns `warps` times `rows` rows of the scores, and streams the other side through shared memory, `columns`
    rows at a time, in a pipeline of `stages`. Rows of the scores are queries in the forward kernel and in the sums of
    queries' cotangents, and keys in the sums of keys' and values' cotangents.

    ```mlir
    #kernel.score_tile<warps = 4, rows = 32, columns = 64, stages = 2>
    ```

    Constraints of ScoreTileAttr:

    1. `warps`, a power of 2, is 2 to 32.
    2. `rows`, a power of 2, is 16 to 64, and `columns`, a power of 2, is 16 to 256.
    3. `stages` is 2 to 8.
  }];
  let parameters = (ins "int64_t":$warps, "int64_t":$rows, "int64_t":$columns, "int64_t":$stages);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def Kernel_AttentionPlanAttr : AttrDef<KernelDialect, "AttentionPlan"> {
  let mnemonic = "attention_plan";
  let summary = "Plan of an attention on GPUs: algorithm, and a tile of scores per launch";
  let description = [{
    The choices of a GPU for `kernel.attention` or `kernel.attention_grad`, made once: `kernel-configure` stores the
    plan on the op, and code, shared memory and reports follow the plan. A plan that the op already has is kept.

    | kind | code |
    |---|---|
    | `wgmma` | products of warpgroups |
    | `mma` | products of warps on matrix units (`mma.sync`) |
    | `plain` | a lane group per row of the scores; `reason` has the reason, for reports |

    The forward kernel has one tile. The gradient has two, of the launch for cotangents of keys and values, then of the
    launch for cotangents of queries; or three, if values, keys and queries have a launch each.

    ```mlir
    #kernel.attention_plan<mma, tiles = [<warps = 8, rows = 16, columns = 32, stages = 2>]>
    ```

    Constraints of AttentionPlanAttr:

    1. The kind is `wgmma`, `mma` or `plain`.
    2. `wgmma` and `mma` have tiles and no reason, `plain` has a reason at most.
    3. Tiles of `wgmma` have 16 rows per warp, and whole warpgroups of 4 warps.
  }];
  let parameters = (ins "::ampc::kernel::PlanKind":$kind,
      OptionalArrayRefParameter<"::ampc::kernel::ScoreTileAttr">:$tiles,
      OptionalStringParameter:$reason);
  let assemblyFormat = "`<` $kind (`,` struct(custom<ScoreTiles>($tiles), $reason)^)? `>`";
  let genVerifyDecl = 1;
}

// ---- Blockings of CPUs ----
def Kernel_LhsFeed
    : I32EnumAttr<"LhsFeed", "a way of panels of the left side to the micro-kernel",
                  [I32EnumAttrCase<"Prepacked", 0, "prepacked">,
                   I32EnumAttrCase<"PackedSweep", 1, "packed_sweep">,
                   I32EnumAttrCase<"PackedPanel", 2, "packed_panel">,
                   I32EnumAttrCase<"Runs", 3, "runs">, I32EnumAttrCase<"InPlace", 4, "in_place">,
                   I32EnumAttrCase<"InPlaceTiles", 5, "in_place_tiles">]> {
  let cppNamespace = "::ampc::kernel";
}
def Kernel_RhsFeed : I32EnumAttr<"RhsFeed", "a way of panels of the right side to the micro-kernel",
                                 [I32EnumAttrCase<"InPlace", 0, "in_place">,
                                  I32EnumAttrCase<"Widened", 1, "widened">,
                                  I32EnumAttrCase<"Packed", 2, "packed">]> {
  let cppNamespace = "::ampc::kernel";
}
def Kernel_BlockingAttr : AttrDef<KernelDialect, "Blocking"> {
  let mnemonic = "blocking";
  let summary = "Blocking of a product on a tier of CPUs";
  let description = [{
    The choices of a CPU for a product of `kernel.gemm`, `kernel.conv` or attention on one tier, made once: `kernel-configure`
    stores a blocking for each tier with code of its own, and code, task grid and scratch memory follow. A blocking
    that the op already has is kept. A convolution of a dilated image has a product for each window among the phases
    of the output, in their order.

    | member | choice |
    |---|---|
    | `rows`, `columns` | sums of the register tile; panels of the left side have `rows` lines, panels of the right side `columns` |
    | `lhs` | `prepacked` by `kernel.pack`; `packed_sweep`: all panels of a task; `packed_panel`: panel by panel; `runs`: windows of neighbouring pixels, packed once; `in_place`; `in_place_tiles`: loads of AMX |
    | `rhs` | `in_place`, as `kernel.pack` wrote it; `widened`: bf16 to f32 in scratch; `packed` in scratch |
    | `depth` | points of k per block: one k, or a pair of 16-bit k |
    | `keeps_rhs` | whether packed panels of all blocks of k stay in scratch for the next task |
    | `task` | panels of both sides in a task |
    | `pixels` | of `runs`: neighbours in a row of the output, times images, of a register tile |

    ```mlir
    #kernel.blocking<avx512, rows = 12, columns = 32, lhs = in_place, rhs = packed, depth = 512, keeps_rhs = true, task = 8x4>
    ```

    Constraints of BlockingAttr:

    1. `rows`, `columns`, `depth` and both sizes of `task` are at least 1, below 2^31.
    2. `runs` have `pixels`, two sizes of at least 1 whose product is `rows`; other feeds have none.
  }];
  let parameters = (ins StringRefParameter<"tier">:$tier, "int64_t":$rows, "int64_t":$columns,
      "::ampc::kernel::LhsFeed":$lhs, "::ampc::kernel::RhsFeed":$rhs, "int64_t":$depth,
      "bool":$keeps_rhs, ArrayRefParameter<"int64_t">:$task,
      OptionalArrayRefParameter<"int64_t">:$pixels);
  let assemblyFormat =
      [{`<` custom<Tier>($tier) `,` struct($rows, $columns, $lhs, $rhs, $depth, $keeps_rhs, custom<Sizes>($task), custom<Sizes>($pixels)) `>`}];
  let genVerifyDecl = 1;
}
def Kernel_Blockings
    : TypedArrayAttrBase<Kernel_BlockingAttr, "blockings, one per product and tier">;

def Kernel_FilterKind : I32EnumAttr<"FilterKind", "an algorithm of a filter gradient on CPUs",
                                    [I32EnumAttrCase<"pixels", 0>, I32EnumAttrCase<"windows", 1>,
                                     I32EnumAttrCase<"planes", 2>, I32EnumAttrCase<"stacks", 3>]> {
  let cppNamespace = "::ampc::kernel";
}
def Kernel_FilterBlockingAttr : AttrDef<KernelDialect, "FilterBlocking"> {
  let mnemonic = "filter_blocking";
  let summary = "Blocking of a filter gradient on a tier of CPUs";
  let description = [{
    The choices of a CPU for `kernel.conv_filter` on one tier, made once: `kernel-configure` stores one for each tier
    with code of its own, and code, task grid and scratch memory follow. A blocking that the op already has is kept.

    | kind | code |
    |---|---|
    | `pixels` | register tiles of vectors, tap by tap, sum over packed pixels |
    | `windows` | windows are gathered first, for channels fewer than a vector: [pixels, (tap, channel)] |
    | `planes` | AMX tiles sum over padded planes of pixels |
    | `stacks` | AMX tiles sum over small images, each pixel a stack of pairs of images |

    A gradient whose panels are gathered element by element has a `#kernel.blocking` instead.

    | member | choice |
    |---|---|
    | `tile` | of `pixels` and `windows`: sums of the register tile, output channels by channels (of `windows`: by (tap, channel)) |
    | `block` | pixels between two loads of the sums: rows of an image by images, in a point of k: an image, or a pair of images; of `planes`: rows by 1; of `stacks`: rows by pairs of images |
    | `task` | panels of output channels and of channels in a task |

    ```mlir
    #kernel.filter_blocking<avx2, pixels, tile = 4x16, block = 9x3, task = 4x1>
    ```

    Constraints of FilterBlockingAttr:

    1. `block` and `task` are two sizes of at least 1, below 2^31.
    2. `pixels` and `windows` have a `tile` of two such sizes, other kinds have none.
  }];
  let parameters = (ins StringRefParameter<"tier">:$tier, "::ampc::kernel::FilterKind":$kind,
      OptionalArrayRefParameter<"int64_t">:$tile, ArrayRefParameter<"int64_t">:$block,
      ArrayRefParameter<"int64_t">:$task);
  let assemblyFormat =
      [{`<` custom<Tier>($tier) `,` $kind `,` struct(custom<Sizes>($tile), custom<Sizes>($block), custom<Sizes>($task)) `>`}];
  let genVerifyDecl = 1;
}
def Kernel_FilterBlockings
    : TypedArrayAttrBase<AnyAttrOf<[Kernel_BlockingAttr, Kernel_FilterBlockingAttr]>,
                         "blockings, one per tier">;

def Kernel_AttentionBlockingAttr : AttrDef<KernelDialect, "AttentionBlocking"> {
  let mnemonic = "attention_blocking";
  let summary = "Blocking of an attention on CPUs: a tile of scores";
  let description = [{
    The choice of a CPU for `kernel.attention` or `kernel.attention_grad`, made once, for all tiers: `kernel-configure`
    stores the blocking on the op, and code, task grid, scratch memory and workspace follow. A blocking that the op
    already has is kept. A tile of scores is [queries, keys]; if a tile does not divide the size, the last tile starts
    earlier. Example: 100 keys in tiles of 64 start at 0 and 36.

    ```mlir
    #kernel.attention_blocking<queries = 64, keys = 64>
    ```

    Constraints of AttentionBlockingAttr:

    1. Both sizes are at least 1, below 2^31.
  }];
  let parameters = (ins "int64_t":$queries, "int64_t":$keys);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
#endif
