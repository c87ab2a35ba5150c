// Emission of kernels for the target of a module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_CODEGEN_PASSES
#define AMPC_CODEGEN_PASSES
include "mlir/Pass/PassBase.td"

def KernelEmit : Pass<"kernel-emit", "::mlir::ModuleOp"> {
  let summary =
      "Emit the functions of every distinct kernel, by the lowerings of the module's target";
  let description = [{
    Kernels with equal text (types, maps, attributes, body) share their functions, which go into a nested module
    `@tier_NAME` with the attribute `kernel.tier`. Kernel ops get `kernel.function = I`; the module gets
    `kernel.functions`, a dictionary per I with `name`, PREFIX_kI, and `tiers`.

    CPUs: a function `PREFIX_kI_TIER` per tier with the arguments (ptr operands, i64 begin, i64 end, ptr scratch),
    and an optional `PREFIX_kI_TIER_finish`. The dictionary has `tasks` and `scratch`, a number per tier; `finish`;
    `tiers`, for every tier the name of the tier whose function runs, or "" without a function. The reference has
    the single tier `reference` and a single task per kernel: every element separately, every sum in term order in
    the accumulator's type.

    GPUs: functions with the attribute `nvvm.kernel`, named `PREFIX_kI_CHIP`, `PREFIX_kI_CHIP_1`, ..., that take a
    pointer to global memory per operand, then per result, then the workspace if the kernel has one. Sizes are
    constants. The dictionary has `form`, the chosen code and the reason, and `launches`, in execution order.

    Kernels that differ only in constants of the maps of their operands, e.g. (d0 + 20, d1) and (d0 + 40, d1),
    share functions, too: `starts` has the byte offset of each operand that the functions assume, and each kernel
    passes addresses shifted by the difference to the kernel's own offset.
  }];
  let options = [Option<"prefix", "prefix", "std::string", "",
                        "start of all symbols (default: the model's name)">,
                 ListOption<"only", "tiers", "std::string",
                            "tiers to emit, such as avx2,amx (default: all tiers of the target)">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}
#endif
