// Passes that assign compute types and storage types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PRECISION_PASSES
#define AMPC_PRECISION_PASSES
include "mlir/Pass/PassBase.td"

def AmpFlattenRegions : Pass<"amp-flatten-regions", "::mlir::ModuleOp"> {
  let summary = "Dissolve amp.autocast regions into the origins of their ops";
  let description = [{
    The origin of an op in a region gets the innermost region's type. Inlining, decomposition and differentiation
    propagate origins, so that the region of every derived op is known.
  }];
}
def AmpAssignPrecision : Pass<"amp-assign-precision", "::mlir::ModuleOp"> {
  let summary = "Choose the type that every op computes in and every value is stored in";
  let description = [{
    Runs on whole programs: forward, backward and update. Contractions take 16-bit operands and return f32, the
    accumulator type; every rounding is a `train.cast`. The attribute `amp.decision` of an op has the reason.
    [Policies](policies.md) are registered by name (include/ampc/Precision/Policy.h).

    Parameters are rounded in their update: 16-bit working copies of master weights are state (`as working`), which
    the program `derive` rebuilds. With `precision=f32` only autocast regions of the model have an effect. `tf32`
    and `fp8` are modes of contractions on GPUs: values stay f32, and `amp.compute` on a contraction names the type
    in which each operand is multiplied (for fp8: E4M3, and E5M2 for gradients).

    A value that a round of a `train.scan` passes on or keeps has one type in the block, in the next round, behind
    the loop and in other loops; the init is cast in front of the loop. Costs count every round. The default policy
    carries a state in f32 that reaches the next round by other ops than contractions, bounded functions and moves
    (rule `recurrent`).
  }];
  let options =
      [Option<"policy", "policy", "std::string", "\"mincut\"", "name of a policy">,
       Option<"precision", "precision", "std::string", "\"bf16\"", "f32, bf16, f16, tf32 or fp8">,
       ListOption<"overrides", "override", "std::string", "REGEX=TYPE: the type of ops by name">,
       ListOption<"edits", "edit", "std::string",
                  "MNEMONIC=TREATMENT: a line of the policy's table">,
       Option<"policyFile", "policy-file", "std::string", "",
              "lines that are added to the policy's table">,
       Option<"masterWeights", "master-weights", "bool", "true",
              "false: parameters are rounded after every update, for comparisons">,
       Option<"profile", "profile", "std::string", "",
              "file of `ampc profile`: values that do not fit the 16-bit type stay in f32">,
       Option<"explain", "explain", "bool", "false",
              "a remark for every decision, and the cost of every policy">,
       Option<"costs", "costs", "bool", "false",
              "attach the cost of every policy to programs, as `amp.costs`">,
  ];
  let dependentDialects = ["::ampc::amp::AmpDialect"];
}
def AmpLowerAccumulation : Pass<"amp-lower-accumulation", "::mlir::ModuleOp"> {
  let summary = "Give sums of 16-bit values an accumulator in f32";
  let description = [{
    Reductions, norms, losses, scatters and sums of cotangents of one value become casts to f32, the op, and one
    cast back. Contractions have the accumulator as result type, which their verifiers check.
  }];
  let options = [Option<"verify", "verify", "bool", "false",
                        "report ops without an f32 accumulator instead">];
  let dependentDialects = ["::ampc::amp::AmpDialect"];
}
def AmpExplainCasts : Pass<"amp-explain-casts", "::mlir::ModuleOp"> {
  let summary = "A remark for every inserted cast";
  let description = [{
    A remark per cast at the source line, with the reason recorded by the pass that inserted the cast. Runs at the
    end of the phase `precision`, before `recompute`, which reports its own casts.
  }];
}
def AmpRecompute : Pass<"amp-recompute", "::mlir::ModuleOp"> {
  let summary = "Recompute values in the backward pass in place of keeping residuals";
  let description = [{
    Ops of a checkpoint (`segment` of their origin) are repeated, at any cost, where adjoints of ops of the
    checkpoint read the results. Values that other ops of the backward pass read as well are kept, and so are the
    inputs of a checkpoint, which the repeated ops read. A copy is placed as late as possible, and has the types of
    the original, so that no bit changes. `amp.checkpoints` on a program has the savings and the cost.

    Casts, masks, data movement and pointwise ops without exponentials are rematerialized where the backward pass
    reads the result, if the operands take fewer bytes than the result, or are kept anyway. In particular, the
    16-bit version of a value is kept in place of a widened f32 version. `amp.saved_bytes` on a program has the
    remaining residuals. Ops with `amp.in_parts` run for a chunk of rows at a time, in the chunk loop of a loss,
    where the backward pass follows the forward pass at once: their operands are no residuals.

    A value that a `train.scan` keeps of every round for the loop of its adjoint is repeated in the rounds of the
    adjoint by the same rule. With `checkpoint` on the loop all ops of a round are repeated, and the loop keeps the
    carried values and the rows. Rows that are a product x W of all rounds, computed in front of the loop, are
    multiplied again from the rows of x. A loop over blocks of rounds, of `checkpoint every k`, keeps the carried
    values of every block, and repeats the loop over the rounds of a block.

    With an activation budget, any op of the forward pass may be repeated. A minimum cut chooses the repeated ops
    of least work, such that the peak of live forward values, kept or recomputed, is within the budget; percent are
    relative to the peak with cheap ops repeated only. Values at which the forward pass is narrow, e.g. between
    layers, may have to be kept, so that the copies of two layers are not live at once. `amp.budget` on a program
    has the budget and the peak.
  }];
  let options =
      [Option<"repeat", "repeat", "bool", "true", "false: only report the residuals">,
       Option<"budget", "budget", "std::string", "",
              "most bytes to hold for the backward pass, as in 800MB or 50%; empty: no limit">,
       Option<"explain", "explain", "bool", "false",
              "a remark with the bytes saved, and a remark for every recomputed cast">,
  ];
  let dependentDialects = ["::ampc::amp::AmpDialect"];
}
#endif
