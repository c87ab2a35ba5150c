// Numbers below 1.2e-38 as results of a map, of a product and of a sum, and as operands; small numbers in f16 are none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @denormals(n = 40) {
  train.func @parts(%x: f32[n, n], %tiny: f32[n, n]) {
    %square = train.mul %x, %x
    %product = train.matmul %x, %x
    %twice = train.add %tiny, %tiny
    %sum = train.reduce_sum %tiny over [1]
    %half = train.cast %x to f16
    %moved = train.transpose %tiny [1, 0]
    train.return %square, %product, %twice, %sum, %half, %moved
  }
  train.export @parts as "parts"
}
