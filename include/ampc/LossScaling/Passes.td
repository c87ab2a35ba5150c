// Passes for loss scaling and for skipping steps whose gradients are not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LOSSSCALING_PASSES
#define AMPC_LOSSSCALING_PASSES
include "mlir/Pass/PassBase.td"

def AmpInsertLossScaling : Pass<"amp-insert-loss-scaling", "::mlir::ModuleOp"> {
  let summary = "Scale losses whose gradients pass through f16; count non-finite elements in "
                "gradients, and skip such steps";
  let description = [{
    The seed of the backward pass is multiplied by the scale; every gradient is marked as scaled, and unscaled
    before clipping and update. `grad` programs store unscaled gradients; `apply` programs check their input
    gradients. Without an f16 value between loss and gradients, no scale is inserted, with a remark if the step
    names a scaler.

    Every program of a step, with a scale or without, gets the result `nonfinite` (found_inf): the number of
    gradient elements that are infinite or NaN. If the number is positive, and the step's attribute
    `train.nonfinite` is `skip` or `fail`, all state keeps its old value (parameters, moments, step counter,
    averages, buffers of the model); only the scale changes (see `amp.update_scale`). A missing attribute becomes
    `skip` in a step with a scale, else `allow`.
  }];
  let options = [Option<"scaling", "scaling", "std::string", "\"torch\"",
                        "constants of steps without amp.scaler: torch, tf, apex, paddle or none">,
                 Option<"profile", "profile", "std::string", "",
                        "file of `ampc profile` that the initial scale is chosen from">,
                 Option<"explain", "explain", "bool", "false",
                        "a remark for every step without scaling">,
  ];
  let dependentDialects = ["::ampc::amp::AmpDialect"];
}
def AmpLowerLossScaling : Pass<"amp-lower-loss-scaling", "::mlir::ModuleOp"> {
  let summary = "Express loss scaling in train ops";
}
#endif
