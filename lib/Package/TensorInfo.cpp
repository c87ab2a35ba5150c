// Names and types of tensors in the C interface.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Mirrors.h"
#include "lib/Package/ModelInfo.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;

/// Reserved words: fields and types of a program's structs; keywords of C up to C23, of C++ up to
/// C++20, and of common extensions.
static bool isReserved(StringRef word) {
  static const char text[] =
      "size valid lr_factor flags workspace reserved seed int8_t int16_t int32_t int64_t "
      "uint8_t uint16_t uint32_t alignas alignof and and_eq asm auto bitand bitor bool "
      "break case catch char char16_t char32_t char8_t class co_await co_return co_yield "
      "compl concept const const_cast consteval constexpr constinit continue decltype "
      "default delete do double dynamic_cast else enum explicit export extern false float "
      "for friend goto if inline int linux long mutable namespace new noexcept not not_eq "
      "NULL nullptr operator or or_eq private protected public register reinterpret_cast "
      "requires restrict return short signed sizeof static static_assert static_cast struct "
      "switch template this thread_local throw true try typedef typeid typename typeof "
      "typeof_unqual union unix unsigned using virtual void volatile wchar_t while xor "
      "xor_eq _Alignas _Alignof _Atomic _BitInt _Bool _Complex _Decimal128 _Decimal32 "
      "_Decimal64 _Generic _Imaginary _Noreturn _Static_assert _Thread_local";
  static const llvm::StringSet<> words = [] {
    SmallVector<StringRef> parts;
    llvm::SplitString(text, parts);
    llvm::StringSet<> set;
    set.insert(parts.begin(), parts.end());
    return set;
  }();
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
  if (kernel::packingOf(type)) { // opaque: the order depends on the tier
    info.dtype = AMPC_U8;
    info.dims = {info.bytes};
  }
  return info;
}

SmallVector<StringRef> ampc::piecesOf(const ModelInfo &model) {
  SmallVector<StringRef> pieces;
  for (const SlotInfo &slot : model.slots)
    if (slot.value.data)
      pieces.push_back({static_cast<const char *>(slot.value.data), size_t(slot.tensor.bytes)});
  return pieces;
}

void ampc::makeFieldsUnique(std::vector<TensorInfo> &tensors) {
  llvm::StringSet<> seen;
  for (TensorInfo &tensor : tensors)
    while (!seen.insert(tensor.field).second)
      tensor.field += "_";
}
