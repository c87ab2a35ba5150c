// Operands of recurrent layers and cells that do not fit together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

train.model @m {
  train.func @f(%x: f32[4, 3], %wx: f32[3, 32], %wh: f32[8, 32]) {
    // expected-error @below {{expected an input of 3 dimensions, but got 'tensor<4x3xf32>'}}
    %y, %h, %c = train.lstm %x, %wx, %wh
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 32], %wh: f32[8, 32], %h0: f32[4, 8]) {
    // expected-error @below {{expected an input of 2 dimensions, but got 'tensor<7x4x3xf32>'}}
    %h, %c = train.lstm_cell %x, %wx, %wh from %h0, %h0
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 31], %wh: f32[8, 32]) {
    // expected-error @below {{expected weights of the input of type 'tensor<3x28xf32>', 4 blocks of columns, but got 'tensor<3x31xf32>'}}
    %y, %h, %c = train.lstm %x, %wx, %wh
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f16[3, 32], %wh: f32[8, 32]) {
    // expected-error @below {{expected weights of the input of type 'tensor<3x32xf32>', 4 blocks of columns, but got 'tensor<3x32xf16>'}}
    %y, %h, %c = train.lstm %x, %wx, %wh
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 24], %wh: f32[8, 32]) {
    // expected-error @below {{expected weights of the state of type 'tensor<8x24xf32>', but got 'tensor<8x32xf32>'}}
    %y, %h = train.gru %x, %wx, %wh
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 32], %wh: f32[6, 32]) {
    // expected-error @below {{expected weights of the state of type 'tensor<8x32xf32>', but got 'tensor<6x32xf32>'}}
    %y, %h, %c = train.lstm %x, %wx, %wh
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 8], %wh: f32[8, 8], %b: f32[7]) {
    // expected-error @below {{expected a bias of type 'tensor<8xf32>', but got 'tensor<7xf32>'}}
    %y, %h = train.rnn %x, %wx, %wh, %b
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 24], %wh: f32[8, 24], %b: f32[24], %c: f32[8]) {
    // expected-error @below {{expected a bias of the state of type 'tensor<24xf32>', but got 'tensor<8xf32>'}}
    %y, %h = train.gru %x, %wx, %wh, %b, %c
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 8], %wh: f32[8, 8], %h0: f32[1, 4, 8]) {
    // expected-error @below {{expected an initial state of type 'tensor<4x8xf32>', but got 'tensor<1x4x8xf32>'}}
    %y, %h = train.rnn %x, %wx, %wh from %h0
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 32], %wh: f32[8, 32], %h0: f32[4, 8], %c0: f16[4, 8]) {
    // expected-error @below {{expected an initial cell state of type 'tensor<4x8xf32>', but got 'tensor<4x8xf16>'}}
    %y, %h, %c = train.lstm %x, %wx, %wh from %h0, %c0
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 8], %wh: f32[8, 8], %n: i32[7]) {
    // expected-error @below {{expected lengths of type 'tensor<4xi32>', but got 'tensor<7xi32>'}}
    %y, %h = train.rnn %x, %wx, %wh lengths %n
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 32], %wh: f32[6, 32], %p: f32[6, 8]) {
    // expected-error @below {{expected a projection of type 'tensor<8x6xf32>', but got 'tensor<6x8xf32>'}}
    %y, %h, %c = train.lstm %x, %wx, %wh project %p
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 32], %wh: f32[8, 32], %p: f32[32]) {
    // expected-error @below {{expected peepholes of type 'tensor<24xf32>', but got 'tensor<32xf32>'}}
    %y, %h, %c = train.lstm %x, %wx, %wh peepholes %p
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 32], %wh: f32[8, 32]) {
    // expected-error @below {{expected gates with the letters i, f, g and o, but got "iifo"}}
    %y, %h, %c = train.lstm %x, %wx, %wh gates "iifo"
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 24], %wh: f32[8, 24]) {
    // expected-error @below {{expected gates "rzn" or "zrn", but got "nrz"}}
    %y, %h = train.gru %x, %wx, %wh gates "nrz"
    train.return %y
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 32], %wh: f32[8, 32], %c0: f32[4, 8]) {
    // expected-error @below {{expected initial states h and c, but got one of the two}}
    // expected-error @below {{failed to infer returned types}}
    %y, %h, %c = "train.lstm"(%x, %wx, %wh, %c0) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 0, 0, 0>}> : (tensor<7x4x3xf32>, tensor<3x32xf32>, tensor<8x32xf32>, tensor<4x8xf32>) -> (tensor<7x4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>)
    train.return %y : tensor<7x4x8xf32>
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[7, 4, 3], %wx: f32[3, 24], %wh: f32[8, 24], %b: f32[24]) {
    // expected-error @below {{expected a bias beside the bias of the state}}
    // expected-error @below {{failed to infer returned types}}
    %y, %h = "train.gru"(%x, %wx, %wh, %b) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0>}> : (tensor<7x4x3xf32>, tensor<3x24xf32>, tensor<8x24xf32>, tensor<24xf32>) -> (tensor<7x4x8xf32>, tensor<4x8xf32>)
    train.return %y : tensor<7x4x8xf32>
  }
}
