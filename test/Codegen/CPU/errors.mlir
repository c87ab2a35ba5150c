// RUN: not %ampc-opt %s --kernel-emit="tiers=sse9" 2>&1 | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CHECK: error: expected a tier plain, avx2, avx512, avx512bf16, amx or amxfp16, but got sse9
