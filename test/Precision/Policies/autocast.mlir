// Types of results as in torch.autocast (aten/src/ATen/autocast_mode.{h,cpp}).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --train-name-ops --amp-flatten-regions --amp-assign-precision="policy=autocast precision=f16" --train-strip-origins | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: %ampc-opt %s --train-name-ops --amp-flatten-regions --amp-assign-precision="policy=autocast-cpu precision=f16" --train-strip-origins | FileCheck %s --check-prefixes=CHECK,CPU

train.model @lists {
  train.param @w : tensor<8x8xf32> = #train.zeros {frozen}
  train.param @b : tensor<8xf32> = #train.zeros {frozen}

  // The list of 16-bit ops casts operands of every type; relu, in no list, keeps the type of the operand.
  // CHECK-LABEL: train.func @low
  // CHECK-SAME:  %[[W:[a-z0-9]+]]: tensor<8x8xf16> {train.is = #train.state<@w.f16>}, %[[X:[a-z0-9]+]]: tensor<8x8xf32>
  train.func @low(%w: tensor<8x8xf32> {train.is = #train.state<@w>}, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    // CHECK-NEXT: %[[C:.*]] = train.cast %[[X]] {{.*}}: tensor<8x8xf32> to tensor<8x8xf16>
    // CHECK-NEXT: %[[M:.*]] = train.matmul %[[C]], %[[W]] {{.*}}amp.decision<"list-low"{{.*}} : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf32>
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK-NEXT: %[[R:.*]] = train.cast %[[M]] {{.*}}: tensor<8x8xf32> to tensor<8x8xf16>
    // CHECK-NEXT: train.relu %[[R]] {{.*}}amp.decision<"unlisted"{{.*}} : tensor<8x8xf16>
    %1 = train.relu %0 : tensor<8x8xf32>
    train.return %1 : tensor<8x8xf32>
  }

  // A separate bias is f32, and so is the sum; a number does not count for the widest type. Scale factors are not rounded.
  // CHECK-LABEL: train.func @promotion
  train.func @promotion(%w: tensor<8x8xf32> {train.is = #train.state<@w>}, %b: tensor<8xf32> {train.is = #train.state<@b>}, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %half = train.constant dense<0.5> : tensor<f32>
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.mul {{.*}} : tensor<8x8xf32>, tensor<f32>
    // CHECK-NEXT: train.cast {{.*}} {{.*}}: tensor<8x8xf32> to tensor<8x8xf16>
    %1 = train.mul %0, %half : tensor<8x8xf32>, tensor<f32>
    // CHECK: train.add {{.*}} : tensor<8x8xf32>, tensor<8xf32>
    %2 = train.add %1, %b : tensor<8x8xf32>, tensor<8xf32>
    train.return %2 : tensor<8x8xf32>
  }

  // CUDA computes softmax, norms, exp and sum in f32 and gives f32; the CPU's list has none of these ops.
  // CHECK-LABEL: train.func @full
  train.func @full(%w: tensor<8x8xf32> {train.is = #train.state<@w>}, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CUDA: %[[S:.*]] = train.softmax {{.*}}amp.decision<"list-f32"{{.*}} : tensor<8x8xf32>
    // CUDA-NEXT: train.tanh %[[S]] {{.*}} : tensor<8x8xf32>
    // CPU:  %[[S:.*]] = train.softmax {{.*}}amp.decision<"unlisted"{{.*}} : tensor<8x8xf32>
    // CPU-NEXT: %[[N:.*]] = train.cast %[[S]] {{.*}}: tensor<8x8xf32> to tensor<8x8xf16>
    // CPU-NEXT: train.tanh %[[N]] {{.*}} : tensor<8x8xf16>
    %1 = train.softmax %0 : tensor<8x8xf32>
    %2 = train.tanh %1 : tensor<8x8xf32>
    train.return %2 : tensor<8x8xf32>
  }

  // A sum of rows is in the widest type of the operands; a mean is no sum for the lists and keeps the operand's type.
  // CHECK-LABEL: train.func @scatter
  train.func @scatter(%w: tensor<8x8xf32> {train.is = #train.state<@w>}, %x: tensor<8x8xf32>, %i: tensor<8xi32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CUDA: %[[N:.*]] = train.scatter_add {{.*}}amp.decision<"list-promote"
    // CUDA: train.cast %[[N]] {{.*}}: tensor<4x8xf32> to tensor<4x8xf16>
    %1 = train.scatter_add %0 at %i : tensor<8x8xf32>, tensor<8xi32> to tensor<4x8xf32>
    // CUDA: %[[F:.*]] = train.scatter_add %{{.*}}amp.decision<"list-promote"
    // CUDA-NOT: train.cast %[[F]]
    %2 = train.scatter_add %x at %i : tensor<8x8xf32>, tensor<8xi32> to tensor<4x8xf32>
    train.return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  }

  // A loss is f32 on both.
  // CHECK-LABEL: train.func @loss
  train.func @loss(%w: tensor<8x8xf32> {train.is = #train.state<@w>}, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // CHECK: train.mse {{.*}}amp.decision<"list-f32"{{.*}} : tensor<8x8xf32>, tensor<8x8xf32>
    %1 = train.mse %0, %x reduce none : tensor<8x8xf32>, tensor<8x8xf32>
    train.return %1 : tensor<8x8xf32>
  }

  // Under a disabled region values keep the type, f16 values too; inside, a region can be enabled again.
  // CHECK-LABEL: train.func @regions
  train.func @regions(%w: tensor<8x8xf32> {train.is = #train.state<@w>}, %x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1, %6 = amp.autocast disabled -> tensor<8x8xf32>, tensor<8x8xf32> {
      // CHECK: train.exp {{.*}}amp.decision<"region"
      %2 = train.exp %0 : tensor<8x8xf32>
      // CHECK: train.matmul {{.*}}amp.decision<"region"{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %3 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %4 = amp.autocast bf16 -> tensor<8x8xf32> {
        // CHECK: train.matmul {{.*}}amp.decision<"list-low"{{.*}} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xf32>
        %5 = train.matmul %3, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
        amp.yield %5 : tensor<8x8xf32>
      }
      amp.yield %4, %2 : tensor<8x8xf32>, tensor<8x8xf32>
    }
    train.return %1, %6 : tensor<8x8xf32>, tensor<8x8xf32>
  }

  // A region in f32 widens operands; a disabled region keeps the operands' types.
  // CHECK-LABEL: train.func @wide
  train.func @wide(%w: tensor<8x8xf32> {train.is = #train.state<@w>}, %x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
    %0 = train.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = amp.autocast f32 -> tensor<8x8xf32> {
      // CHECK: train.tanh {{.*}} : tensor<8x8xf32>
      %2 = train.tanh %0 : tensor<8x8xf32>
      amp.yield %2 : tensor<8x8xf32>
    }
    %3 = amp.autocast disabled -> tensor<8x8xf32> {
      // CHECK: train.tanh {{.*}} : tensor<8x8xf16>
      %4 = train.tanh %0 : tensor<8x8xf32>
      amp.yield %4 : tensor<8x8xf32>
    }
    train.return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
  }

  // Types that are not eligible: f64 and integers stay.
  // CHECK-LABEL: train.func @ignored
  train.func @ignored(%x: tensor<8x8xf64>, %i: tensor<8xi32>) -> (tensor<8x8xf64>, tensor<8xi32>) {
    // CHECK-NEXT: train.matmul {{.*}} : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    %0 = train.matmul %x, %x : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
    // CHECK-NEXT: train.exp {{.*}} : tensor<8x8xf64>
    %1 = train.exp %0 : tensor<8x8xf64>
    // CHECK-NEXT: train.add {{.*}} : tensor<8xi32>, tensor<8xi32>
    %2 = train.add %i, %i : tensor<8xi32>, tensor<8xi32>
    train.return %1, %2 : tensor<8x8xf64>, tensor<8xi32>
  }
}
