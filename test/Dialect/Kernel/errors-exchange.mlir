// RUN: ampc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

kernel.program @f(%a: tensor<12x8xf32>) {
  // constraint kernel.start 1
  // expected-error @below {{expected [ranks, elements] of 'tensor<12x8xf32>', but got 'tensor<4x24xf32>'}}
  %0 = kernel.start %a : tensor<12x8xf32> to tensor<4x24xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<12x8xf32>) {
  // constraint kernel.start 1
  // expected-error @below {{expected [ranks, elements / ranks], ranks dividing the elements of 'tensor<12x8xf32>', but got 'tensor<5x19xf32>'}}
  %0 = kernel.start scatter %a : tensor<12x8xf32> to tensor<5x19xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<12x8xf32>) {
  // constraint kernel.start 1
  // expected-error @below {{expected [ranks, elements] of 'tensor<12x8xf32>', but got 'tensor<2x96xbf16>'}}
  %0 = kernel.start %a : tensor<12x8xf32> to tensor<2x96xbf16>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<2x8xf32>, %b: tensor<8xf32>) {
  // constraint kernel.wait 1
  // expected-error @below {{expected the result of a kernel.start, and the sent tensor}}
  %0 = kernel.wait %a sent %b : tensor<2x8xf32>, tensor<8xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<8xf32>, %b: tensor<8xf32>) {
  %0 = kernel.start %a : tensor<8xf32> to tensor<2x8xf32>
  // constraint kernel.wait 1
  // expected-error @below {{expected the result of a kernel.start, and the sent tensor}}
  %1 = kernel.wait %0 sent %b : tensor<2x8xf32>, tensor<8xf32>
  kernel.return
}
