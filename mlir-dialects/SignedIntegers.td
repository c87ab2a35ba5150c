// Integer attributes with a signed C++ type; MLIR's own attributes return uint64_t.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SIGNED_INTEGERS
#define AMPC_SIGNED_INTEGERS
include "mlir/IR/CommonAttrConstraints.td"

class SignedIntegerAttr<I type, string cppType, string text>
    : TypedSignlessIntegerAttrBase<type, cppType, text> {
  let convertFromStorage = "$_self.getValue().getSExtValue()";
}
def SignedI64Attr : SignedIntegerAttr<I64, "int64_t", "64-bit integer attribute">;
def SignedI32Attr : SignedIntegerAttr<I32, "int32_t", "32-bit integer attribute">;
// Class or row index in the range of i32: labels and indices are i32 tensors, and a value out of
// range would never match.
def IndexValueAttr : SignedIntegerAttr<I64, "int64_t", "integer attribute that i32 holds"> {
  let predicate =
      And<[SignedI64Attr.predicate,
           CPred<"::llvm::cast<::mlir::IntegerAttr>($_self).getValue().isSignedIntN(32)">]>;
}
#endif
