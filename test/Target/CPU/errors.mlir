// RUN: not %ampc-opt %s --kernel-emit-cpu="tiers=sse9" 2>&1 | FileCheck %s
// CHECK: error: expected a tier plain, avx2, avx512, avx512bf16 or amx, but got sse9
