// Functions in the approximations of the GPU's special function unit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_APPROXIMATEFUNCTIONS_H
#define LIB_CODEGEN_NVPTX_APPROXIMATEFUNCTIONS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

namespace ampc::nvptx {
/// Whether functions of f32 in a kernel may be approximations: all results are numbers of 16 bits,
/// or statistics of such a result, with fewer elements. The approximations are within 2^-21 of the
/// function's value, exp(x) within 2^-21 + 2^-23 |x|; a 16-bit result rounds at 2^-9 (bf16) or
/// 2^-12 (f16). Examples:
///
///   product + GELU: bf16 [16384, 3072]                              yes
///   layer norm: bf16 [16384, 768], f32 [16384] (mean)               yes
///   AdamW: f32 [768, 768] (weights), bf16 [768, 768] (their copy)   no
///   GELU of f32: f32 [16384, 3072]                                  no: the bits of CPUs
bool mayApproximateFunctions(mlir::Operation *kernel);

/// Marks exponentials, divisions and reciprocal square roots of a device function with the
/// fast-math flag `afn`, but not those on which a rounding to integers or a comparison depends:
/// floor(6 / 3) is 2 for exact quotients only.
void allowApproximations(mlir::LLVM::LLVMFuncOp func);

/// 2^x of an f32 by `ex2.approx.ftz`: within 2^-22.5, and 0 below 2^-126.
Value approximateExp2(mlir::OpBuilder &b, mlir::Location loc, Value x);

/// Patterns for functions of f32 with the flag `afn`, with the instruction's error bound (PTX ISA):
///
///   exp(x)     -> ex2.approx.ftz(x log2(e))   2^-22.5, and 2^-24 |x| of the product
///   1 / x      -> rcp.approx                  1 ulp
///   1 / (1 + exp(x)) -> rcp.approx.ftz        1 ulp; 0 below 2^-126
///   x / y      -> div.full                    2 ulp
///   1/sqrt(x)  -> rsqrt.approx                2^-22.9
void addApproximateFunctions(mlir::RewritePatternSet &patterns);
} // namespace ampc::nvptx

#endif
