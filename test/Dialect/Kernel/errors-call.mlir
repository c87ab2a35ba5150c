// RUN: ampc-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 1
  // expected-error @below {{expected a kernel.program of role part, but got @h}}
  %0 = kernel.call @h(%x, %x : tensor<4xf32>, tensor<4xf32>) : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<derive>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 1
  // expected-error @below {{expected a kernel.program of role part, but got @f}}
  %0 = kernel.call @f(%x, %x : tensor<4xf32>, tensor<4xf32>) : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<i32> {train.is = #train.control<valid>})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 1
  // expected-error @below {{expected @f to have inputs as arguments, but number 1 is none}}
  %0 = kernel.call @f(%x, %x : tensor<4xf32>, tensor<4xf32>) : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32>) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 1
  // expected-error @below {{expected @f to have outputs as results, but number 0 is none}}
  %0 = kernel.call @f(%x, %x : tensor<4xf32>, tensor<4xf32>) : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 2
  // expected-error @below {{expected 2 operands and 1 results for @f, but got 1 and 1}}
  %0 = kernel.call @f(%x : tensor<4xf32>) : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 3
  // expected-error @below {{expected operand 1 to be 'tensor<4xf32>', but got 'tensor<5x4xf32>'}}
  %0 = kernel.call @f(%x, %y : tensor<4xf32>, tensor<5x4xf32>) : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 3
  // expected-error @below {{expected operand 1 to be 'tensor<4xf32>' or a stack of rows, one per run, but got 'tensor<5x4xf32>'}}
  %0 = kernel.call @f(%x, %y : tensor<4xf32>, tensor<5x4xf32>) times 4 : tensor<4x4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 4
  // expected-error @below {{expected result 0 to be 'tensor<5x4xf32>', but got 'tensor<4xf32>'}}
  %0 = kernel.call @f(%x, %y : tensor<4xf32>, tensor<5x4xf32>) times 5 : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 4
  // expected-error @below {{expected result 0 to be 'tensor<4xf32>', but got 'tensor<5x4xf32>'}}
  %0 = kernel.call @f(%x, %y : tensor<4xf32>, tensor<5x4xf32>) times 5 carried 1 : tensor<5x4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 5
  // expected-error @below {{expected at most as many carried values as operands and results, but got 2}}
  %0 = kernel.call @f(%x, %y : tensor<4xf32>, tensor<5x4xf32>) times 5 carried 2 : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 5
  // expected-error @below {{expected carried value 0 to be 'tensor<4xf32>' as operand and argument, too}}
  %0 = kernel.call @f(%y, %y : tensor<5x4xf32>, tensor<5x4xf32>) times 5 carried 1 : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 6
  // expected-error @below {{expected times beside carried and reverse}}
  %0 = kernel.call @f(%x, %x : tensor<4xf32>, tensor<4xf32>) carried 1 : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}, %b: tensor<4xf32> {train.is = #train.input<"b">})
    -> (tensor<4xf32> {train.is = #train.output<named, name = "c">}) attributes {role = #train.role<part>} {
  kernel.return %a : tensor<4xf32>
}
kernel.program @g(%x: tensor<4xf32>, %y: tensor<5x4xf32>) {
  // constraint kernel.call 6
  // expected-error @below {{expected times beside carried and reverse}}
  %0 = kernel.call @f(%x, %x : tensor<4xf32>, tensor<4xf32>) reverse : tensor<4xf32>
  kernel.return
}

// -----

kernel.program @f(%a: tensor<4xf32> {train.is = #train.input<"a">}) -> (tensor<4xf32> {train.is = #train.output<named, name = "c">})
    attributes {role = #train.role<part>} {
  // constraint kernel.call 7
  // expected-error @below {{expected programs that do not call themselves, but @f leads back}}
  %0 = kernel.call @f(%a : tensor<4xf32>) : tensor<4xf32>
  kernel.return %0 : tensor<4xf32>
}
