// Tensors as the C interface names and types them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Mirrors.h"
#include "lib/Package/ModelInfo.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;

/// Words that a struct of a program already has, or that C and C++ keep for themselves.
static bool isReserved(StringRef word) {
  static const llvm::StringSet<> words = {
      "size",    "valid",     "lr_factor", "flags",    "workspace", "reserved", "auto",
      "break",   "case",      "char",      "const",    "continue",  "default",  "do",
      "double",  "else",      "enum",      "extern",   "float",     "for",      "goto",
      "if",      "inline",    "int",       "long",     "register",  "restrict", "return",
      "short",   "signed",    "sizeof",    "static",   "struct",    "switch",   "typedef",
      "union",   "unsigned",  "void",      "volatile", "while",     "and",      "asm",
      "bool",    "catch",     "class",     "delete",   "explicit",  "export",   "false",
      "friend",  "mutable",   "namespace", "new",      "not",       "operator", "or",
      "private", "protected", "public",    "template", "this",      "throw",    "true",
      "try",     "typename",  "using",     "virtual",  "xor",       "concept",  "requires",
      "nullptr"};
  return words.contains(word);
}

std::string ampc::toIdentifier(StringRef name) {
  std::string out = name.str();
  for (char &c : out)
    if (!llvm::isAlnum(c) && c != '_')
      c = '_';
  if (out.empty() || llvm::isDigit(out[0]))
    out = "_" + out;
  return isReserved(out) ? out + "_" : out;
}

std::string ampc::expectedName(StringRef name) {
  if (toIdentifier(name) != name)
    return "a C identifier";
  bool isTaken = name == "ampc" || name.starts_with("ampc_");
  return isTaken ? "none of the library's own, which begin with ampc" : "";
}

FailureOr<TensorInfo> ampc::readTensor(Operation *op, StringRef name, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::optional<int32_t> dtype = dtypeOf(tensor.getElementType());
  if (!dtype)
    return op->emitError() << "expected an element type of the C interface, but got "
                           << tensor.getElementType();
  TensorInfo info;
  info.name = name.str();
  info.field = toIdentifier(name);
  info.dtype = *dtype;
  info.dims = tensor.getShape().vec();
  info.bytes = kernel::byteSize(type);
  if (kernel::packingOf(type)) { // in an order that only the tier knows
    info.dtype = AMPC_U8;
    info.dims = {info.bytes};
  }
  return info;
}

void ampc::makeFieldsUnique(std::vector<TensorInfo> &tensors) {
  llvm::StringSet<> seen;
  for (TensorInfo &tensor : tensors)
    while (!seen.insert(tensor.field).second)
      tensor.field += "_";
}
