// Recomputation under a budget is the least work with which a step never holds more bytes of the forward pass.
// RUN: %ampc-opt %s --amp-recompute=budget=100% --mlir-print-local-scope | FileCheck %s --check-prefixes=CHECK,ALL --implicit-check-not=amp.recompute
// RUN: %ampc-opt %s --amp-recompute=budget=600 --mlir-print-local-scope | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: %ampc-opt %s --amp-recompute=budget=85.3% --mlir-print-local-scope | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: %ampc-opt %s --amp-recompute=budget=0.4kB --mlir-print-local-scope | FileCheck %s --check-prefixes=CHECK,LEAST
// RUN: %ampc-opt %s --amp-recompute="budget=0.4kB explain=true" 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not %ampc-opt %s --amp-recompute=budget=383 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: not %ampc-opt %s --amp-recompute=budget=some 2>&1 | FileCheck %s --check-prefix=TEXT
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LESS: error: expected a budget of at least 384 bytes for the residuals of step 'fit', but got 383; residuals without a budget: 704
// TEXT: error: expected a number of bytes, as in 800MB, or of percent, as in 50%, but got some

#back = #train.origin<"back", stage = backward>
train.model @budget {
  // Three layers. The adjoints read the three exponentials, of 192 bytes each, and two of the values between layers, of 64 bytes.
  // REMARK: remark: with a budget the backward pass of @layers keeps 384 bytes in place of 704, and computes 19.5 % of the step's operations again
  // CHECK-LABEL: train.func @layers
  // ALL-SAME:    amp.budget = {bytes = 704 : i64, held = 704 : i64, held_without = 704 : i64}
  // FIRST-SAME:  amp.budget = {bytes = 600 : i64, held = 512 : i64, held_without = 704 : i64}
  // LEAST-SAME:  amp.budget = {bytes = 400 : i64, held = 384 : i64, held_without = 704 : i64}
  // CHECK:       %[[H1:.*]] = train.matmul %[[V1:.*]], %arg2
  // CHECK:       %[[V2:.*]] = train.exp
  // CHECK-NEXT:  %[[H2:.*]] = train.matmul %[[V2]], %arg2
  // CHECK:       %[[V3:.*]] = train.exp
  // CHECK:       train.seed
  // CHECK:       train.mul %{{.*}}, %[[V3]]
  // The last layer's value is read first and so kept; the value that the backward pass reads last is recomputed, when only that value is live.
  // FIRST:       train.mul %{{.*}}, %[[H2]]
  // FIRST:       train.mul %{{.*}}, %[[V2]]
  // FIRST:       train.mul %{{.*}}, %[[H1]]
  // FIRST:       %[[U:.*]] = train.matmul %arg0, %arg1 {amp.recompute}
  // FIRST-NEXT:  %[[V:.*]] = train.exp %[[U]] {amp.recompute}
  // FIRST-NEXT:  train.mul %{{.*}}, %[[V]]
  // Two exponentials are kept; values between layers are recomputed from the exponentials.
  // LEAST:       %[[H:.*]] = train.matmul %[[V2]], %arg2 {amp.recompute}
  // LEAST-NEXT:  train.mul %{{.*}}, %[[H]]
  // LEAST:       train.mul %{{.*}}, %[[V2]]
  // LEAST:       %[[U:.*]] = train.matmul %arg0, %arg1 {amp.recompute}
  // LEAST-NEXT:  %[[V:.*]] = train.exp %[[U]] {amp.recompute}
  // LEAST-NEXT:  %[[H:.*]] = train.matmul %[[V]], %arg2 {amp.recompute}
  // LEAST-NEXT:  train.mul %{{.*}}, %[[H]]
  // LEAST:       train.mul %{{.*}}, %[[V]]
  train.func @layers(%x: tensor<4x4xf32>, %a: tensor<4x12xf32>, %b: tensor<12x4xf32>) -> (tensor<f32>, tensor<4x4xf32>) attributes {role = #train.role<train>, step = "fit"} {
    %u1 = train.matmul %x, %a : (tensor<4x4xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %v1 = train.exp %u1 : tensor<4x12xf32>
    %h1 = train.matmul %v1, %b : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
    %u2 = train.matmul %h1, %a : (tensor<4x4xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %v2 = train.exp %u2 : tensor<4x12xf32>
    %h2 = train.matmul %v2, %b : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
    %u3 = train.matmul %h2, %a : (tensor<4x4xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %v3 = train.exp %u3 : tensor<4x12xf32>
    %h3 = train.matmul %v3, %b : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
    %s = train.reduce_sum %h3 over [0, 1] : tensor<4x4xf32>
    %seed = train.seed 1.0 {train.origin = #back} : tensor<f32>
    %g3 = train.broadcast_to %seed {train.origin = #back} : tensor<f32> to tensor<4x4xf32>
    %gv3 = train.matmul %g3, %b transpose_rhs {train.origin = #back} : (tensor<4x4xf32>, tensor<12x4xf32>) -> tensor<4x12xf32>
    %gu3 = train.mul %gv3, %v3 {train.origin = #back} : tensor<4x12xf32>, tensor<4x12xf32>
    %gh3 = train.matmul %gu3, %a transpose_rhs {train.origin = #back} : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x4xf32>
    %g2 = train.mul %gh3, %h2 {train.origin = #back} : tensor<4x4xf32>, tensor<4x4xf32>
    %gv2 = train.matmul %g2, %b transpose_rhs {train.origin = #back} : (tensor<4x4xf32>, tensor<12x4xf32>) -> tensor<4x12xf32>
    %gu2 = train.mul %gv2, %v2 {train.origin = #back} : tensor<4x12xf32>, tensor<4x12xf32>
    %gh2 = train.matmul %gu2, %a transpose_rhs {train.origin = #back} : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x4xf32>
    %g1 = train.mul %gh2, %h1 {train.origin = #back} : tensor<4x4xf32>, tensor<4x4xf32>
    %gv1 = train.matmul %g1, %b transpose_rhs {train.origin = #back} : (tensor<4x4xf32>, tensor<12x4xf32>) -> tensor<4x12xf32>
    %gu1 = train.mul %gv1, %v1 {train.origin = #back} : tensor<4x12xf32>, tensor<4x12xf32>
    %gh1 = train.matmul %gu1, %a transpose_rhs {train.origin = #back} : (tensor<4x12xf32>, tensor<4x12xf32>) -> tensor<4x4xf32>
    %g0 = train.mul %gh1, %x {train.origin = #back} : tensor<4x4xf32>, tensor<4x4xf32>
    train.return %s, %g0 : tensor<f32>, tensor<4x4xf32>
  }
}
