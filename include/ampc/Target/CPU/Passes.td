// Emission of CPU code: kernel dialect -> LLVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_CPU_PASSES
#define AMPC_TARGET_CPU_PASSES
include "mlir/Pass/PassBase.td"

def KernelEmitCPU : Pass<"kernel-emit-cpu", "::mlir::ModuleOp"> {
  let summary = "Write one function per distinct kernel and tier";
  let description = [{
    Kernels with equal text (types, maps, attributes, body) share one function. The functions of a tier go into a nested
    module `@tier_NAME` with the attribute `kernel.tier`; they are called `PREFIX_kI_TIER` and take
    (ptr operands, i64 begin, i64 end, ptr scratch), with an optional `PREFIX_kI_TIER_finish`. Kernel ops get `kernel.function = I`;
    the module gets `kernel.functions`, one dictionary per I: `name`; `tasks` and `scratch`, one number per
    tier; `finish`; `tiers`, for every tier the name of the tier whose function it runs, or "" if it was not emitted.
    Sixteen kernels or more that differ in the constants of their input maps alone, as (d0, 5, d2) and (d0, 6, d2), share a function, too: `starts` says
    where that takes each operand to start, in bytes, and each kernel gives it addresses as far from there as its own constants are.
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
    Runs on a module with `kernel.tier`. Transcendental functions of f32 become polynomials, 16-bit conversions integer code where
    the tier has no instruction, and rounding and fused multiply-add likewise. Functions of f64 become calls to libm, and
    only to those that `libmFunctions()` lists.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::vector::VectorDialect", "::mlir::math::MathDialect"];
}
#endif
