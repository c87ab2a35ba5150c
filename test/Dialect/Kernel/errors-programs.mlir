// Constraints of programs of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

// constraint kernel.program 1
// expected-error @below {{expected one block, but got 2}}
kernel.program @blocks() {
  kernel.return
^bb1:
  kernel.return
}

// -----

// constraint kernel.program 2
// expected-error @below {{expected arguments and results that are ranked tensors, but got 'f32'}}
kernel.program @scalar(%x: f32) {
  kernel.return
}

// -----

// constraint kernel.program 3
// expected-error @below {{expected static shapes, but got 'tensor<?xf32>'}}
kernel.program @dynamic(%x: tensor<?xf32>) {
  kernel.return
}

// -----

kernel.program @type(%x: tensor<8xf32>) -> tensor<4xf32> {
  // constraint kernel.return 1
  // expected-error @below {{expected values of types ('tensor<4xf32>'), but got ('tensor<8xf32>')}}
  kernel.return %x : tensor<8xf32>
}

// -----

// constraint ProgramOpInterface 2
// expected-error @below {{expected one argument for state @w, but got two}}
kernel.program @twice(%x: tensor<f32> {train.is = #train.state<@w>}, %y: tensor<f32> {train.is = #train.state<@w>}) {
  kernel.return
}

// -----

// constraint kernel.program 1
// expected-error @below {{expected one block, but got 0}}
kernel.program private @declared(tensor<4xf32>)
