// RUN: ampc-opt %S/../../Integration/Inputs/scan.mlir -kernel-plan | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A single buffer of the program.
// CHECK-LABEL: kernel.program @step({{.*}}arena_bytes = 64 : i64
// The buffer, and a second place for the carried value.
// CHECK-LABEL: kernel.program @chunk({{.*}}arena_bytes = 128 : i64
// CHECK: kernel.call @step{{.*}} times 5 carried 1 {kernel.places = [#kernel.place<output, 0, 0>, #kernel.place<output, 1, 0>], kernel.workspace = 0 : i64, workspace_bytes = 128 : i64}
// CHECK-LABEL: kernel.program @forward({{.*}}arena_bytes = 192 : i64
// CHECK: kernel.call @chunk{{.*}} workspace_bytes = 192 : i64
// Workspaces of successive calls share bytes.
// CHECK-LABEL: kernel.program @backward({{.*}}arena_bytes = 192 : i64, {{.*}}unshared_bytes = 320 : i64
