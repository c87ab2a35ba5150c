// Attributes of programs, for train.func and kernel.program alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_PROGRAM
#define AMPC_TRAIN_PROGRAM
include "mlir-dialects/SignedIntegers.td"
include "mlir-dialects/Train/Interfaces.td"

// Attribute of an enum of the train dialect, for dialects that must not define the enum again.
class Train_EnumValue<string enum, string text>
    : Attr<CPred<"::llvm::isa<::ampc::train::"#enum#"Attr>($_self)">, text> {
  let storageType = "::ampc::train::"#enum#"Attr";
  let returnType = "::ampc::train::"#enum;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::ampc::train::"#enum#"Attr::get($_builder.getContext(), $0)";
}

// See ProgramOpInterface.
defvar programAttributes =
    (ins OptionalAttr<Train_EnumValue<"Role", "the role of a program">>:$role,
        OptionalAttr<StrAttr>:$step, OptionalAttr<StrAttr>:$export_name,
        OptionalAttr<ConfinedAttr<SignedI64Attr, [IntPositive]>>:$batch, UnitAttr:$short_batch,
        OptionalAttr<Train_EnumValue<"NonFinite", "allow, skip or fail">>:$nonfinite,
        OptionalAttr<OptimizerAttrInterface>:$optimizer, OptionalAttr<ArrayAttr>:$groups);
#endif
