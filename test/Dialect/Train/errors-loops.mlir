// Loops that are none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %ampc-opt %s --split-input-file --verify-diagnostics

train.model @m {
  train.func @f(%h0: f32[4]) {
    // constraint train.scan 1
    // expected-error @below {{expected 1 to 2^24 rounds, by times or by the rows of `over`, but got 0}}
    %h = "train.scan"(%h0) <{operandSegmentSizes = array<i32: 1, 0>}> ({
    ^bb0(%a: tensor<4xf32>):
      "train.next"(%a) <{operandSegmentSizes = array<i32: 1, 0>}> : (tensor<4xf32>) -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    train.return %h : tensor<4xf32>
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // expected-error @below {{expected 1 to 2^24 rounds, by times or by the rows of `over`, but got 16777217}}
    %h = train.scan carry %a = %h0 times 16777217 {
      train.next %a
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // expected-error @below {{expected 1 to 2^24 rounds, by times or by the rows of `over`, but got 0}}
    %h = train.scan carry %a = %h0 {
      train.next %a
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%xs: f32[3, 4], %ys: f32[2, 4]) {
    // constraint train.scan 2
    // expected-error @below {{expected 3 rows in each tensor behind over, one per round, but number 1 is 'tensor<2x4xf32>'}}
    %s = train.scan over %x = %xs, %y = %ys {
      %z = train.add %x, %y
      train.next each %z
    }
    train.return %s
  }
}

// -----

train.model @m {
  train.func @f(%xs: f32[3, 4]) {
    // constraint train.scan 2
    // expected-error @below {{expected 5 rows in each tensor behind over, one per round, but number 0 is 'tensor<3x4xf32>'}}
    %s = train.scan over %x = %xs times 5 {
      train.next each %x
    }
    train.return %s
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // constraint train.scan 3
    // expected-error @below {{expected a checkpoint of at least 1 round, but got 0}}
    %h = train.scan carry %a = %h0 times 4 checkpoint every 0 {
      train.next %a
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[4]) {
    %r = train.scan carry %a = %x times 2 {
     %s = train.scan carry %b = %a times 2 {
      %t = train.scan carry %c = %b times 2 {
       %u = train.scan carry %d = %c times 2 {
        %v = train.scan carry %e = %d times 2 {
         %w = train.scan carry %f = %e times 2 {
          %y = train.scan carry %g = %f times 2 {
           %z = train.scan carry %h = %g times 2 {
            // expected-error @below {{expected loops nested at most 8 deep}}
            %0 = train.scan carry %i = %h times 2 {
             train.next %i
            }
            train.next %0
           }
           train.next %z
          }
          train.next %y
         }
         train.next %w
        }
        train.next %v
       }
       train.next %u
      }
      train.next %t
     }
     train.next %s
    }
    train.return %r
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[4]) {
    %r = train.scan carry %a = %x times 2 {
     %s = train.scan carry %b = %a times 2 {
      %t = train.scan carry %c = %b times 2 {
       %u = train.scan carry %d = %c times 2 {
        %v = train.scan carry %e = %d times 2 {
         %w = train.scan carry %f = %e times 2 {
          %y = train.scan carry %g = %f times 2 {
           %z = train.scan carry %h = %g times 2 {
            // constraint train.scan 4
            // expected-error @below {{expected loops nested at most 8 deep}}
            %0 = "train.scan"(%h) <{operandSegmentSizes = array<i32: 1, 0>, times = 2 : i64}> ({
            ^bb0(%i: tensor<4xf32>):
              "train.next"(%i) <{operandSegmentSizes = array<i32: 1, 0>}> : (tensor<4xf32>) -> ()
            }) : (tensor<4xf32>) -> tensor<4xf32>
            train.next %0 : tensor<4xf32>
           }
           train.next %z
          }
          train.next %y
         }
         train.next %w
        }
        train.next %v
       }
       train.next %u
      }
      train.next %t
     }
     train.next %s
    }
    train.return %r
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // constraint train.scan 5
    // expected-error @below {{expected arguments of the types ('tensor<4xf32>'), but got ('tensor<3xf32>')}}
    %h = "train.scan"(%h0) <{operandSegmentSizes = array<i32: 1, 0>, times = 2 : i64}> ({
    ^bb0(%a: tensor<3xf32>):
      "train.next"(%h0) <{operandSegmentSizes = array<i32: 1, 0>}> : (tensor<4xf32>) -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    train.return %h : tensor<4xf32>
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // constraint train.scan 6
    // expected-error @below {{expected a block that ends with train.next}}
    %h = "train.scan"(%h0) <{operandSegmentSizes = array<i32: 1, 0>, times = 2 : i64}> ({
    ^bb0(%a: tensor<4xf32>):
      "llvm.unreachable"() : () -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    train.return %h : tensor<4xf32>
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // expected-error @below {{expected a block that ends with train.next}}
    %h = train.scan carry %a = %h0 times 2 {
      %b = train.tanh %a
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    %h = train.scan carry %a = %h0 times 2 {
      %b = train.reduce_sum %a over [0]
      // constraint train.scan 7
      // expected-error @below {{expected carried values of the types ('tensor<4xf32>'), but got ('tensor<f32>')}}
      train.next %b
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    %h = train.scan carry %a = %h0 times 2 {
      // constraint train.scan 7
      // expected-error @below {{expected carried values of the types ('tensor<4xf32>'), but got ()}}
      train.next each %a
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // constraint train.scan 8
    // expected-error @below {{expected results of the types ('tensor<2x4xf32>'), but got ('tensor<3x4xf32>')}}
    %h = "train.scan"() <{operandSegmentSizes = array<i32: 0, 0>, times = 2 : i64}> ({
      "train.next"(%h0) <{operandSegmentSizes = array<i32: 0, 1>}> : (tensor<4xf32>) -> ()
    }) : () -> tensor<3x4xf32>
    train.return %h : tensor<3x4xf32>
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // constraint train.scan 9
    // expected-error @below {{expected a carried value, or a value behind each}}
    train.scan times 2 {
      train.next
    }
    train.return %h0
  }
}

// -----

train.model @m {
  train.buffer @b : f32[4] = #train.zeros
  train.func @f(%h0: f32[4]) {
    %h = train.scan carry %a = %h0 times 2 {
      %c = train.tanh %a
      // constraint train.scan 10
      // expected-error @below {{expected outside of loops}}
      train.write @b, %c
      train.next %c
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[]) {
    // expected-error @below {{expected a tensor with rows to go over, but got a scalar}}
    %h = train.scan over %a = %x times 2 {
      train.next each %a
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%x: f32[4]) {
    // A name of the block may not hide one outside.
    // expected-error @+2 {{region entry argument '%x' is already in use}}
    // expected-note @-3 {{previously referenced here}}
    %h = train.scan carry %x = %x times 2 {
      train.next %x
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // A word may stand once.
    // expected-error @below {{expected '{'}}
    %h = train.scan carry %a = %h0 times 2 times 3 {
      train.next %a
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4]) {
    // expected-error @below {{'train.next' op expects parent op 'train.scan'}}
    train.next %h0
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4], %more: i1[]) {
    // expected-error @below {{expected a fixed number of rounds, but got a condition: train.select between the new and the old value keeps a value from a round on}}
    %h = train.scan carry %a = %h0 times 2 while %more {
      train.next %a
    }
    train.return %h
  }
}

// -----

train.model @m {
  train.func @f(%h0: f32[4], %n: i32[]) {
    // expected-error @below {{expected a fixed number of rounds, but got a value of the function}}
    %h = train.scan carry %a = %h0 times %n {
      train.next %a
    }
    train.return %h
  }
}
