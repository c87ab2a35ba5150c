// Passes that assign compute types and storage types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PRECISION_PASSES
#define AMPC_PRECISION_PASSES
include "mlir/Pass/PassBase.td"

def AmpFlattenRegions : Pass<"amp-flatten-regions", "::mlir::ModuleOp"> {
  let summary = "Dissolve amp.autocast regions into the origins of their ops";
  let description = [{
    The origin of an op in a region gets the innermost region's type. Inlining, decomposition and
    differentiation hand origins on, so that whatever an op becomes, its region stays known.
  }];
}
def AmpAssignPrecision : Pass<"amp-assign-precision", "::mlir::ModuleOp"> {
  let summary = "Choose the type that every op computes in and every value is stored in";
  let description = [{
    Runs on whole programs: forward, backward and update. Contractions take 16-bit operands and give f32, their accumulator; a
    rounding is always a `train.cast`. The attribute `amp.decision` of an op says why. [Policies](policies.md)
    are registered by name (include/ampc/Precision/Policy.h).

    Parameters are rounded where they are updated: their 16-bit copies are state (`as working`), which the program `derive` rebuilds.
    With `precision=f32` only regions of the model change anything. `tf32` and `fp8` are modes of contractions on GPUs: values stay
    f32, and `amp.compute` on a contraction names the type that each operand is multiplied in (for fp8 E4M3, gradients E5M2).
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
    Reductions, norms, losses, scatters and sums of gradients over the uses of a value become casts to f32, the op, and one cast
    back. Contractions have their accumulator as result type and verify it themselves.
  }];
  let options = [Option<"verify", "verify", "bool", "false",
                        "report what has no f32 accumulator instead">];
  let dependentDialects = ["::ampc::amp::AmpDialect"];
}
def AmpExplainCasts : Pass<"amp-explain-casts", "::mlir::ModuleOp"> {
  let summary = "A remark for every inserted cast";
  let description = [{
    At the source line, with the reason that the pass which inserted the cast gave it. Runs at the end of the phase
    `precision`: what `recompute` repeats it explains itself.
  }];
}
def AmpRecompute : Pass<"amp-recompute", "::mlir::ModuleOp"> {
  let summary = "Make values again in the backward pass instead of keeping them";
  let description = [{
    Ops that lie in a checkpoint (`segment` of their origin) are repeated where adjoints of its ops read their results, whatever they cost. What other
    ops of the backward pass read as well stays, as the inputs of a checkpoint do, which its repeated ops read. A copy stands as late as
    it can, and has the types of the first op, so that no bit changes. `amp.checkpoints` on a program says what that saves and costs.

    Casts, masks, data movement and pointwise ops without exponentials are repeated where the backward pass reads their result, if what
    they read takes fewer bytes than the result or is kept anyway. In particular the 16-bit form of a value is kept, not the f32 form
    that some op widens it to. `amp.saved_bytes` on a program says what remains to be kept. Ops with `amp.in_parts` run for some rows at a time,
    in a loop over those of a loss, where the backward pass follows the forward pass at once: what they read does not wait for them.

    Under a budget any op of the forward pass may be repeated. A minimum cut chooses those that take the least work among those that leave no
    more bytes of the forward pass's values, kept or made again, alive at any time; percent are of what is alive if only cheap ops are repeated. Values
    at which the forward pass is narrow, as between layers, may have to stay, so that a copy of a layer does not live beside that of another one. `amp.budget`
    on a program has the budget and what is held.
  }];
  let options =
      [Option<"repeat", "repeat", "bool", "true", "false: only say what is kept">,
       Option<"budget", "budget", "std::string", "",
              "most bytes to hold for the backward pass, as in 800MB or 50%; empty: no limit">,
       Option<"explain", "explain", "bool", "false",
              "a remark with the bytes saved, and one for every cast that is made again">,
  ];
  let dependentDialects = ["::ampc::amp::AmpDialect"];
}
#endif
