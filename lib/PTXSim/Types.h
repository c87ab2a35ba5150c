// Operand types of PTX instructions and their properties.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_TYPES_H
#define PTXSIM_TYPES_H

#include <cstdint>
#include <string_view>

namespace ptxsim {

enum class Type : uint8_t {
  None,
  Pred,
  U8,
  S8,
  B8,
  U16,
  S16,
  B16,
  F16,
  BF16,
  E4M3x2,
  E5M2x2,
  U32,
  S32,
  B32,
  F32,
  TF32,
  F16x2,
  BF16x2,
  U16x2,
  S16x2,
  U64,
  S64,
  B64,
  F64,
  F32x2,
  B128,
  E4M3,
  E5M2 ///< only as tensor-core input types
};

/// Type of a word, or Type::None.
Type parseType(std::string_view word);
const char *typeName(Type type);

inline unsigned typeSize(Type t) {
  if (t <= Type::Pred)
    return 0;
  if (t <= Type::B8 || t >= Type::E4M3)
    return 1;
  if (t <= Type::E5M2x2)
    return 2;
  if (t <= Type::S16x2)
    return 4;
  return t == Type::B128 ? 16 : 8;
}
inline bool isSigned(Type t) {
  return t == Type::S8 || t == Type::S16 || t == Type::S32 || t == Type::S64;
}
inline bool isInteger(Type t) {
  switch (t) {
  case Type::U8:
  case Type::S8:
  case Type::U16:
  case Type::S16:
  case Type::U32:
  case Type::S32:
  case Type::U64:
  case Type::S64:
    return true;
  default:
    return false;
  }
}
inline bool isBits(Type t) {
  return t == Type::B8 || t == Type::B16 || t == Type::B32 || t == Type::B64 || t == Type::B128;
}
inline bool isFloat(Type t) {
  return t == Type::F16 || t == Type::BF16 || t == Type::F32 || t == Type::F64;
}
/// Bytes of a lane in a register of this type: sub-word registers take 16 bits.
inline unsigned registerSize(Type t) {
  unsigned size = typeSize(t);
  return size == 1 ? 2 : size;
}

} // namespace ptxsim
#endif
