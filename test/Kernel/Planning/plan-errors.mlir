// RUN: ampc-opt %s --kernel-plan --split-input-file --verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expected-error@+1 {{expected a declaration of state "w"}}
kernel.program @undeclared(%w: tensor<4xf32> {train.is = #train.state<@w>}) {
  kernel.return
}

// -----

train.model @m {
  train.param @w : tensor<4xf32> = #train.zeros
}
// expected-error@+1 {{expected one new value of state "w", but got two}}
kernel.program @twice(%w: tensor<4xf32> {train.is = #train.state<@w>}, %x: tensor<4xf32>)
    -> (tensor<4xf32> {train.is = #train.state<@w>}, tensor<4xf32> {train.is = #train.state<@w>}) {
  kernel.return %x, %w : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{attribute 'role' failed to satisfy constraint: the role of a program}}
kernel.program @role() attributes {role = "sing"} {
  kernel.return
}

// -----

// expected-error@+1 {{expected one argument for state @w, but got two}}
kernel.program @state(%v: tensor<4xf32> {train.is = #train.state<@w>}, %w: tensor<4xf32> {train.is = #train.state<@w>}) {
  kernel.return
}
