// Calls of programs by programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_CALL
#define AMPC_KERNEL_CALL
include "mlir-dialects/Kernel/Kernel.td"

def Kernel_CallOp : Kernel_LaunchOp<"call", [KernelOpInterface,
                                             DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a program of the module, once or repeatedly";
  let description = [{
    Without `times`, the program's arguments are the operands, and the program's results are the op's results. With
    `times`, an operand is either read whole by every run, or has one more leading dimension of that size, and run
    i reads slice i. Results are gathered in the same way. The first `carried` results of one run are the first
    arguments of the next; the op yields the carried results of the last run. `reverse` makes run i work on slice
    times - 1 - i.

    The workspace of the call has a second buffer per carried result, because runs alternate between two buffers
    (double buffering), followed by the arena of the called program. If every run may overwrite its input, the
    buffers in the workspace are the result buffers.

    Constraints:
    1. The callee is a `kernel.program` of the module with the role `part`, whose arguments are inputs and whose results are outputs.
    2. There is one operand per argument and one result per result of the callee.
    3. An operand has the type of its argument; with `times`, it may have one more leading dimension of that size.
    4. A result has the type of the callee's; with `times`, one more leading dimension of that size, unless it is carried.
    5. `carried` is at most the number of arguments and of results; carried arguments and results have equal types,
       and carried operands do not move.
    6. `reverse` and `carried` come with `times`.
    7. Programs do not call themselves, directly or through other programs.

    ```mlir
    kernel.program @step(%sum: tensor<4xf32> {train.is = #train.input<"sum">}, %x: tensor<4xf32> {train.is = #train.input<"x">})
        -> (tensor<4xf32> {train.is = #train.output<named, name = "next">}) attributes {role = #train.role<part>} {
      %next = kernel.map(%sum, %x : tensor<4xf32>, tensor<4xf32>) space [4]
          maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.addf %a, %b : f32
        kernel.yield %0 : f32
      } : tensor<4xf32>
      kernel.return %next : tensor<4xf32>
    }
    kernel.program @total(%zero: tensor<4xf32>, %rows: tensor<10x4xf32>) -> tensor<4xf32> {
      %total = kernel.call @step(%zero, %rows : tensor<4xf32>, tensor<10x4xf32>) times 10 carried 1 : tensor<4xf32>
      kernel.return %total : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$inputs,
      OptionalAttr<ConfinedAttr<SignedI64Attr, [IntPositive]>>:$times,
      DefaultValuedAttr<Kernel_Count, "0">:$carried, UnitAttr:$reverse,
      Kernel_Workspace:$workspace_bytes);
  let assemblyFormat =
      [{$callee `(` ($inputs^ `:` type($inputs))? `)` (`times` $times^)? (`carried` $carried^)?
    (`reverse` $reverse^)? attr-dict `:` type($outs)}];
  let extraClassDeclaration = [{
    /// Callee; null in a module without the program.
    ProgramOp getProgram();
    /// Number of runs of the callee.
    int64_t getRuns() { return getTimes().value_or(1); }
    /// Whether run i reads slice i of the operand.
    bool moves(unsigned operand);
    /// Whether run i writes slice i of the result.
    bool gathers(unsigned result) { return getTimes() && int64_t(result) >= getCarried(); }
  }];
}
#endif
