// Names of operand types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Types.h"

namespace ptxsim {

namespace {
struct NamedType {
  const char *name;
  Type type;
};
constexpr NamedType table[] = {
    {"pred", Type::Pred},     {"u8", Type::U8},         {"s8", Type::S8},
    {"b8", Type::B8},         {"u16", Type::U16},       {"s16", Type::S16},
    {"b16", Type::B16},       {"f16", Type::F16},       {"bf16", Type::BF16},
    {"e4m3x2", Type::E4M3x2}, {"e5m2x2", Type::E5M2x2}, {"u32", Type::U32},
    {"s32", Type::S32},       {"b32", Type::B32},       {"f32", Type::F32},
    {"tf32", Type::TF32},     {"f16x2", Type::F16x2},   {"bf16x2", Type::BF16x2},
    {"u16x2", Type::U16x2},   {"s16x2", Type::S16x2},   {"u64", Type::U64},
    {"s64", Type::S64},       {"b64", Type::B64},       {"f64", Type::F64},
    {"f32x2", Type::F32x2},   {"b128", Type::B128},     {"e4m3", Type::E4M3},
    {"e5m2", Type::E5M2},
};
} // namespace

Type parseType(std::string_view word) {
  for (const NamedType &entry : table)
    if (word == entry.name)
      return entry.type;
  return Type::None;
}

const char *typeName(Type type) {
  for (const NamedType &entry : table)
    if (type == entry.type)
      return entry.name;
  return "none";
}

} // namespace ptxsim
