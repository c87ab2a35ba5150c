// Compilation of the executor per instruction set, in a namespace of that name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions between PTXSIM_ISA_BEGIN and PTXSIM_ISA_END carry the instruction set as an attribute,
// not as a compiler flag: inline functions of the standard library, which the linker merges with
// the program's copies, stay free of instructions that the processor may lack.
#ifndef PTXSIM_EXEC_ISA_H
#define PTXSIM_EXEC_ISA_H

#include "lib/PTXSim/Machine/Machine.h"
#include <cmath>
#include <cstring>
#include <immintrin.h>
#include <type_traits>

#ifdef PTXSIM_AVX512
#define PTXSIM_NS avx512
// clang-format off: _Pragma takes one string literal.
#define PTXSIM_ISA_BEGIN                                                                           \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,fma,f16c,avx512f,avx512vl,avx512bw,avx512dq\"))), apply_to = function)")
// clang-format on
#else
#define PTXSIM_NS avx2
#define PTXSIM_ISA_BEGIN                                                                           \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,fma,f16c\"))), apply_to = function)")
#endif
#define PTXSIM_ISA_END _Pragma("clang attribute pop")

namespace ptxsim {
namespace PTXSIM_NS {
#include "lib/PTXSim/Exec/Selectors.inc"
} // namespace PTXSIM_NS
} // namespace ptxsim
#endif
