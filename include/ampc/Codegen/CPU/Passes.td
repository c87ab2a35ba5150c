// Emission of CPU code: kernel dialect -> LLVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_CPU_PASSES
#define AMPC_TARGET_CPU_PASSES
include "mlir/Pass/PassBase.td"

def KernelEmitCPU : Pass<"kernel-emit-cpu", "::mlir::ModuleOp"> {
  let summary = "Emit a function per distinct kernel and tier";
  let description = [{
    Kernels with equal text (types, maps, attributes, body) share a function. The functions of a tier go into a
    nested module `@tier_NAME` with the attribute `kernel.tier`; their names are `PREFIX_kI_TIER`, and their
    arguments are (ptr operands, i64 begin, i64 end, ptr scratch), with an optional `PREFIX_kI_TIER_finish`. Kernel
    ops get `kernel.function = I`; the module gets `kernel.functions`, a dictionary per I: `name`; `tasks` and
    `scratch`, a number per tier; `finish`; `tiers`, for every tier the name of the tier whose function runs, or ""
    without a function. Kernels that differ only in constants of the maps of their operands, e.g. (d0 + 20, d1) and
    (d0 + 40, d1), share a function, too: `starts` has the byte offset of each operand that the function assumes,
    and each kernel passes addresses shifted by the difference to the kernel's own offset.
  }];
  let options =
      [Option<"prefix", "prefix", "std::string", "",
              "start of all symbols (default: the model's name)">,
       ListOption<"only", "tiers", "std::string",
                  "tiers to write: plain, avx2, avx512, avx512bf16, amx, amxfp16 (default: all)">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::math::MathDialect"];
}
def CPUExpandMath : Pass<"cpu-expand-math", "::mlir::ModuleOp"> {
  let summary = "Replace math by code that needs no library in a tier";
  let description = [{
    Runs on a module with `kernel.tier`. Transcendental functions of f32 become polynomials. Conversions of 16-bit
    types, rounding and fused multiply-add become integer or plain code on tiers without the instruction. Functions
    of f64 become calls of libm, restricted to the functions in `libmFunctions()`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}
#endif
