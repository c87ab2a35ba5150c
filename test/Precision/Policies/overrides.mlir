// Names, attributes, files and regions fix types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: printf '# attention in full\ntanh relu = full\nname ^scores$ = f32\n' > %t.policy
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 override=^logits$=f32" --train-strip-origins | FileCheck %s
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 policy-file=%t.policy" --train-strip-origins | FileCheck %s --check-prefix=FILE
// RUN: %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 policy-file=%t.policy override=^scores$=bf16,^last$=bf16,^low$=bf16" --train-strip-origins | FileCheck %s --check-prefix=LAST
// RUN: not %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 override=logits=i8" --train-strip-origins 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 override=(=f32" --train-strip-origins 2>&1 | FileCheck %s --check-prefix=REGEX
// RUN: not %ampc-opt %s --train-name-ops --amp-assign-precision="precision=bf16 edit=tanh=sometimes" --train-strip-origins 2>&1 | FileCheck %s --check-prefix=EDIT
// RUN: not %ampc-opt %s --train-name-ops --amp-assign-precision="precision=f8" --train-strip-origins 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not %ampc-opt %s --train-name-ops --amp-assign-precision="policy=best" --train-strip-origins 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not %ampc-opt %s --train-name-ops --amp-assign-precision="policy-file=%t.none" --train-strip-origins 2>&1 | FileCheck %s --check-prefix=MISSING
// TYPE: error: override logits=i8: expected f32, bf16, f16, or a mode of contractions (tf32, fp8, f8E4M3FN, f8E5M2), but got i8
// REGEX: error: override (=f32: expected a regular expression, but got (
// EDIT: error: edit tanh=sometimes: expected low, full, normalize, promote, pass, narrow or untouched, but got sometimes
// PRECISION: error: expected precision f32, bf16, f16, tf32 or fp8, but got f8
// POLICY: error: expected policy mincut, autocast, autocast-cpu, propagate or narrow, but got best
// MISSING: error: cannot read {{.*}}.none

train.model @named {
  // CHECK-LABEL: train.func @f
  // FILE-LABEL:  train.func @f
  // An option counts more than a line of a file, and a name more than an attribute.
  // LAST-LABEL:  train.func @f
  // LAST: train.matmul {{.*}}the override \22^scores$\22 fixes the type{{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>)
  // LAST: train.matmul {{.*}}the override \22^last$\22 fixes the type{{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>)
  train.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK: train.matmul {{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>)
    // FILE:  train.matmul {{.*}}the override \22^scores$\22 fixes the type{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)
    %0 = train.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("scores")
    // CHECK: train.tanh {{.*}}amp.decision<"cut"{{.*}} : tensor<8x8xf32>
    // CHECK-NEXT: train.cast {{.*}} to tensor<8x8xbf16>
    // FILE:  train.tanh {{.*}}amp.decision<"full-precision"{{.*}} : tensor<8x8xf32>
    %1 = train.tanh %0 : tensor<8x8xf32> loc("act")
    // CHECK: train.matmul {{.*}}amp.decision<"override"{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>)
    // FILE:  train.matmul {{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>)
    %2 = train.matmul %1, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("logits")
    // An attribute on the op counts as well.
    // CHECK: train.matmul {{.*}}amp.decision<"compute"{{.*}}} : (tensor<8x8xf32>, tensor<8x8xf32>)
    %3 = train.matmul %2, %x {compute = f32} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc("last")
    train.return %3 : tensor<8x8xf32>
  }

  // A fixed type counts more than the bytes that another type would save.
  // LAST-LABEL: train.func @g
  train.func @g(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // LAST: train.tanh {{.*}}amp.decision<"override"{{.*}} : tensor<8x8xbf16>
    %0 = train.tanh %x : tensor<8x8xf32> loc("low")
    %1 = train.add %0, %x : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %1 : tensor<8x8xf32>
  }
}
