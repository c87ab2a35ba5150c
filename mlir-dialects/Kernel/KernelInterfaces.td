// Interfaces of kernels for fusion, planning and emission.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_INTERFACES
#define AMPC_KERNEL_INTERFACES
include "mlir/IR/OpBase.td"

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    One launch: reads tensors and writes results, without other effects. Packed tensors come from `kernel.pack` and
    `kernel.map`, and only products read packed tensors.
  }];
  let verify = "return ::ampc::kernel::verifyKernel($_op);";
  let methods =
      [InterfaceMethod<[{
      Bytes shared by the tasks of one launch, for partial results that a last task combines: the number set by the
      target, for any tier and number of threads.}],
                       "int64_t", "getWorkspaceBytes", (ins), "", "return 0;">,
       InterfaceMethod<
           "The operand whose memory the first result has to take over; null for most kernels.",
           "::mlir::OpOperand *", "getOverwritten", (ins), "", "return nullptr;">,
       InterfaceMethod<[{
      Whether reductions of a result can be accumulated while the kernel writes the result: each element is written
      once (see kernel.fused_reduction).}],
                       "bool", "canFuseReductions", (ins "unsigned":$result), "", "return false;">,
  ];
}

def FusedKernelOpInterface : OpInterface<"FusedKernelOpInterface", [KernelOpInterface]> {
  let cppNamespace = "::ampc";
  let description = [{
    A kernel with a scalar body over an iteration space. The body's arguments are the leading values that the
    kernel itself computes (accumulators), then one element per input; and the body yields one element per result.
    Indexing maps from the space select the elements.
  }];
  let verify = "return ::ampc::kernel::verifyFused($_op);";
  let methods =
      [InterfaceMethod<"Tensors the body reads by element.", "::mlir::MutableOperandRange",
                       "getInputsMutable">,
       InterfaceMethod<"Maps from the space to the inputs.", "::mlir::ArrayAttr", "getInputMaps">,
       InterfaceMethod<"Maps from the space to the results.", "::mlir::ArrayAttr", "getResultMaps">,
       InterfaceMethod<"The scalar code.", "::mlir::Region &", "getBody">,
       InterfaceMethod<"Shape of the iteration space.", "::llvm::ArrayRef<int64_t>", "getSpace">,
       InterfaceMethod<"Number of body arguments before the inputs' arguments.", "unsigned",
                       "getNumLeadingArguments", (ins), "", "return 0;">,
  ];
}
#endif
