// Every type of the C interface as input and output, ranks that are hard for Fortran, rows of which the batch has several, and a call without inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
train.model @elements(batch = 4) {
  train.param @scale : f32[] = #train.ones
  train.buffer @count : i64[] = #train.zeros
  train.buffer @on : i1[3] = #train.zeros
  train.func @echo(%flag: i1[batch, 3], %tiny: i8[batch, 2], %small: i16[batch], %word: i32[batch], %wide: i64[batch, 2],
      %half: f16[batch, 3], %exact: f64[batch, 2], %number: f64[], %deep: f32[batch, 2, 1, 2, 1, 2, 1, 2], %byte: ui8[batch, 2]) {
    %bytes = train.cast %byte to i16
    %rows = train.reshape %wide to [2 * batch]
    train.return %flag, %tiny, %small, %word, %rows, %half, %exact, %number, %deep, %bytes
  }
  train.func @constant() {
    %s = train.read @scale
    train.return %s
  }
  train.export @echo as "echo"
  train.export @constant as "an_export_whose_name_has_fifty_letters_and_no_input"
}
