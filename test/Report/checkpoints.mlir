// Checkpoints in the report and in the summary of a compilation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc report %s -o %t.html --json %t.json && FileCheck %s --input-file %t.json
// RUN: rm -rf %t && ampc compile %s -o %t | FileCheck %s --check-prefix=LINE
// RUN: sed "s/ checkpoint$//" %s > %t.mlir && ampc report %t.mlir -o %t.html --json %t.json && FileCheck %s --check-prefix=NONE --input-file %t.json

// Of two layers of 8x4 each keeps the input in place of three values. A product of a layer has 256 operations, and one of the two products of the
// forward pass is recomputed, as are the 32 operations of the other op.
// CHECK:      "checkpoints": {
// CHECK-NEXT:   "f32": {"flops":[[#FLOPS:]],"flops_again":576,"saved_value_bytes_without":[[#BYTES:]]},
// CHECK-NEXT:   "mixed": {"flops":[[#FLOPS]],"flops_again":576,"saved_value_bytes_without":[[#BYTES]]}
// LINE: checkpoints of fit: the backward pass reads values of {{[0-9]+}} bytes in place of {{[0-9]+}}; {{[0-9.]+}} % of the operations are done again
// NONE: "checkpoints": {"f32":null,"mixed":null}
train.model @net(batch = 8, width = 4) {
  train.model @layer {
    train.param @up : f32[width, width] = #train.xavier_uniform
    train.param @down : f32[width, width] = #train.xavier_uniform
    train.func @apply(%x: f32[batch, width]) {
      %u = train.matmul %x, %up
      %t = train.tanh %u
      %y = train.matmul %t, %down
      train.return %y
    }
  }
  train.use @layer times 2
  train.func @loss(%x: f32[batch, width]) {
    %y = train.apply @layer(%x) checkpoint
    %l = train.mse %y, %x
    train.return %l
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
