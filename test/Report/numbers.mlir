// Numbers beside the loss in a report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: ampc report %s --precision=bf16 -o %t.html --json %t.json && FileCheck %s --input-file %t.json
// RUN: %python %S/Inputs/check-page.py %t.html %t.json

// CHECK:      "numbers": {
// CHECK-NEXT:   "a penalty": {"from":"loss/reduce_sum#0:reduce_sum#0","place":1,"type":"f32"},
// CHECK-NEXT:   "fit": {"from":"loss/mse#0:div#0","place":0,"type":"f32"}
// CHECK-NEXT: },

// Another name, another place and another maker differ.
// RUN: sed 's/"fit"/"error"/' %s > %t.mlir && ampc report %t.mlir --precision=bf16 -o %t.other.html --json %t.other.json
// RUN: not ampc report --diff %t.json %t.other.json | FileCheck %s --check-prefix=NAME
// NAME-DAG:  fit numbers error from: none -> "loss/mse#0:div#0"
// NAME-DAG:  fit numbers fit from: "loss/mse#0:div#0" -> none
// RUN: sed 's/"fit"/"_"/; s/"a penalty"/"fit"/; s/"_"/"a penalty"/' %s > %t.mlir && ampc report %t.mlir --precision=bf16 -o %t.other.html --json %t.other.json
// RUN: not ampc report --diff %t.json %t.other.json | FileCheck %s --check-prefix=SWAP
// SWAP:      fit numbers a penalty from: "loss/reduce_sum#0:reduce_sum#0" -> "loss/mse#0:div#0"
// SWAP-NEXT: fit numbers a penalty place: 1 -> 0
// SWAP-NEXT: fit numbers fit from: "loss/mse#0:div#0" -> "loss/reduce_sum#0:reduce_sum#0"

// Without any there is an empty object.
// RUN: sed 's/, %fit as .*/ /' %s > %t.mlir && ampc report %t.mlir -o %t.none.html --json %t.none.json && FileCheck %s --check-prefix=NONE --input-file %t.none.json
// NONE: "numbers": {},
train.model @net(batch = 8, width = 4) {
  train.param @w : f32[width, width] = #train.xavier_uniform
  train.func @loss(%x: f32[batch, width]) {
    %y = train.matmul %x, %w
    %t = train.tanh %y
    %z = train.matmul %t, %w
    %fit = train.mse %z, %x
    %square = train.mul %w, %w
    %penalty = train.reduce_sum %square over [0, 1]
    %total = train.add %fit, %penalty
    train.return %total, %fit as "fit", %penalty as "a penalty"
  }
  train.step @fit minimize @loss over all with #train.sgd<lr = 0.1>
}
