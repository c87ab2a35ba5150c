// Table of the instructions whose operand types all follow from a single type, and the lookup.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows follow the PTX ISA, sections "Integer Arithmetic" to "Logic and Shift Instructions".
#include "lib/PTXSim/Decode/PlainForms.h"
#include "lib/PTXSim/Decode/Decoder.h"
#include <algorithm>
#include <set>

namespace ptxsim {

namespace {

using O = Opcode;
using T = Type;
constexpr TypeSet signedIntegers = setOf(T::S16, T::S32, T::S64),
                  integers = signedIntegers | setOf(T::U16, T::U32, T::U64),
                  words = setOf(T::U32, T::S32), longIntegers = words | setOf(T::U64, T::S64),
                  narrowIntegers = words | setOf(T::U16, T::S16),
                  integerPairs = setOf(T::U16x2, T::S16x2), bits = setOf(T::B16, T::B32, T::B64),
                  longBits = setOf(T::B32, T::B64), half = setOf(T::F16, T::F16x2),
                  bfloat = setOf(T::BF16, T::BF16x2), f32 = setOf(T::F32), f64 = setOf(T::F64),
                  f32x2 = setOf(T::F32x2), b32 = setOf(T::B32), s32 = setOf(T::S32);
constexpr uint16_t rn = Optional::Nearest, rounding = rn | Optional::Directed, ftz = Optional::Ftz,
                   sat = Optional::Sat, relu = Optional::Relu, nan = Optional::NaN,
                   xorsign = Optional::XorsignAbs;

const PlainForm rows[] = {
    {"add", O::Add, "ttt", integers | integerPairs, 0, 0},
    {"add.sat", O::Add, "ttt", s32, 0, 0},
    {"sub.sat", O::Sub, "ttt", s32, 0, 0},
    {"sub", O::Sub, "ttt", integers | integerPairs, 0, 0},
    {"mul.lo", O::MulLo, "ttt", integers, 0, 0},
    {"mul.hi", O::MulHi, "ttt", integers, 0, 0},
    {"mul.wide", O::MulWide, "wtt", narrowIntegers, 0, 0},
    {"mad.lo", O::MadLo, "tttt", integers, 0, 0},
    {"mad.hi.sat", O::MadHi, "tttt", s32, 0, 0},
    {"mad.hi", O::MadHi, "tttt", integers, 0, 0},
    {"mad.wide", O::MadWide, "wttw", narrowIntegers, 0, 0},
    {"mad", O::Fma, "tttt", f32, rounding | ftz | sat, 0},
    {"mad", O::Fma, "tttt", f64, rounding, 0},
    {"fma", O::Fma, "tttt", f32, rounding | ftz | sat, 0},
    {"fma", O::Fma, "tttt", f64, rounding, 0},
    {"fma", O::Fma, "tttt", f32x2, rounding | ftz, 0},
    {"fma", O::Fma, "tttt", half, rn | ftz | sat | relu, 0},
    {"fma", O::Fma, "tttt", bfloat, rn | relu, 0},
    // Integer arithmetic; aux of the 24-bit forms: 1 for .hi.
    {"mul24.lo", O::Mul24, "ttt", words, 0, 0},
    {"mul24.hi", O::Mul24, "ttt", words, 0, 1},
    {"mad24.lo", O::Mad24, "tttt", words, 0, 0},
    {"mad24.hi.sat", O::Mad24, "tttt", s32, 0, 1},
    {"mad24.hi", O::Mad24, "tttt", words, 0, 1},
    {"sad", O::Sad, "tttt", integers, 0, 0},
    {"div", O::Div, "ttt", integers, 0, 0},
    {"rem", O::Rem, "ttt", integers, 0, 0},
    {"abs", O::Abs, "tt", signedIntegers, 0, 0},
    {"neg", O::Neg, "tt", signedIntegers, 0, 0},
    // min and max; aux of the form with three inputs: 1 for max.
    {"min", O::Min, "ttt", integers | integerPairs, 0, 0},
    {"max", O::Max, "ttt", integers | integerPairs, 0, 0},
    {"min.relu", O::Min, "ttt", setOf(T::S32, T::S16x2), 0, 0},
    {"max.relu", O::Max, "ttt", setOf(T::S32, T::S16x2), 0, 0},
    {"min", O::Min, "ttt", f32 | half, ftz | nan | xorsign, 0},
    {"max", O::Max, "ttt", f32 | half, ftz | nan | xorsign, 0},
    {"min", O::Min, "ttt", bfloat, nan | xorsign, 0},
    {"max", O::Max, "ttt", bfloat, nan | xorsign, 0},
    {"min", O::Min, "ttt", f64, 0, 0},
    {"max", O::Max, "ttt", f64, 0, 0},
    {"min", O::MinMax3, "tttt", f32, ftz | nan, 0},
    {"max", O::MinMax3, "tttt", f32, ftz | nan, 1},
    // Carry chains; aux: bit 0 writes the carry flag, bit 1 reads the carry flag.
    {"add.cc", O::AddCarry, "ttt", longIntegers, 0, 1},
    {"addc", O::AddCarry, "ttt", longIntegers, 0, 2},
    {"addc.cc", O::AddCarry, "ttt", longIntegers, 0, 3},
    {"sub.cc", O::SubCarry, "ttt", longIntegers, 0, 1},
    {"subc", O::SubCarry, "ttt", longIntegers, 0, 2},
    {"subc.cc", O::SubCarry, "ttt", longIntegers, 0, 3},
    {"mad.lo.cc", O::MadCarryLo, "tttt", longIntegers, 0, 1},
    {"mad.hi.cc", O::MadCarryHi, "tttt", longIntegers, 0, 1},
    {"madc.lo", O::MadCarryLo, "tttt", longIntegers, 0, 2},
    {"madc.hi", O::MadCarryHi, "tttt", longIntegers, 0, 2},
    {"madc.lo.cc", O::MadCarryLo, "tttt", longIntegers, 0, 3},
    {"madc.hi.cc", O::MadCarryHi, "tttt", longIntegers, 0, 3},
    // Floating point
    {"div.approx", O::DivApprox, "ttt", f32, ftz, 0},
    {"div.full", O::DivApprox, "ttt", f32, ftz, 0},
    {"div", O::Div, "ttt", f32, rounding | ftz, 0},
    {"div", O::Div, "ttt", f64, rounding, 0},
    {"abs", O::Abs, "tt", f32 | half, ftz, 0},
    {"neg", O::Neg, "tt", f32 | half, ftz, 0},
    {"abs", O::Abs, "tt", f64 | bfloat, 0, 0},
    {"neg", O::Neg, "tt", f64 | bfloat, 0, 0},
    {"rcp.approx", O::Rcp, "tt", f32, ftz, 0},
    {"rcp.approx.ftz", O::RcpGross, "tt", f64, 0, 0},
    {"rcp", O::Rcp, "tt", f32, rounding | ftz, 0},
    {"rcp", O::Rcp, "tt", f64, rounding, 0},
    {"sqrt.approx", O::Sqrt, "tt", f32, ftz, 0},
    {"sqrt", O::Sqrt, "tt", f32, rounding | ftz, 0},
    {"sqrt", O::Sqrt, "tt", f64, rounding, 0},
    {"rsqrt.approx", O::Rsqrt, "tt", f32, ftz, 0},
    {"rsqrt.approx", O::Rsqrt, "tt", f64, 0, 0},
    {"rsqrt.approx.ftz", O::RsqrtGross, "tt", f64, 0, 0},
    {"ex2.approx", O::Ex2, "tt", f32 | bfloat, ftz, 0},
    {"ex2.approx", O::Ex2, "tt", half, 0, 0},
    {"lg2.approx", O::Lg2, "tt", f32, ftz, 0},
    {"sin.approx", O::Sin, "tt", f32, ftz, 0},
    {"cos.approx", O::Cos, "tt", f32, ftz, 0},
    {"tanh.approx", O::Tanh, "tt", f32 | half | bfloat, 0, 0},
    {"copysign", O::CopySign, "ttt", f32 | f64, 0, 0},
    // aux: index of the class, in the order finite, infinite, number, notanumber, normal,
    // subnormal.
    {"testp.finite", O::TestP, "pt", f32 | f64, 0, 0},
    {"testp.infinite", O::TestP, "pt", f32 | f64, 0, 1},
    {"testp.number", O::TestP, "pt", f32 | f64, 0, 2},
    {"testp.notanumber", O::TestP, "pt", f32 | f64, 0, 3},
    {"testp.normal", O::TestP, "pt", f32 | f64, 0, 4},
    {"testp.subnormal", O::TestP, "pt", f32 | f64, 0, 5},
    // Logic and shifts; aux of the funnel shifts: 1 for .wrap.
    {"and", O::And, "ttt", bits, 0, 0},
    {"or", O::Or, "ttt", bits, 0, 0},
    {"xor", O::Xor, "ttt", bits, 0, 0},
    {"not", O::Not, "tt", bits, 0, 0},
    {"cnot", O::Cnot, "tt", bits, 0, 0},
    {"lop3", O::Lop3, "tttti", b32, 0, 0},
    {"shl", O::Shl, "ttu", bits, 0, 0},
    {"shr", O::Shr, "ttu", bits | integers, 0, 0},
    {"shf.l.clamp", O::ShfL, "tttu", b32, 0, 0},
    {"shf.l.wrap", O::ShfL, "tttu", b32, 0, 1},
    {"shf.r.clamp", O::ShfR, "tttu", b32, 0, 0},
    {"shf.r.wrap", O::ShfR, "tttu", b32, 0, 1},
    // Bit counts and fields
    {"popc", O::Popc, "ut", longBits, 0, 0},
    {"clz", O::Clz, "ut", longBits, 0, 0},
    {"brev", O::Brev, "tt", longBits, 0, 0},
    {"bfind.shiftamt", O::BfindShift, "ut", longIntegers, 0, 0},
    {"bfind", O::Bfind, "ut", longIntegers, 0, 0},
    {"fns", O::Fns, "ttts", b32, 0, 0},
    {"bfe", O::Bfe, "ttuu", longIntegers, 0, 0},
    {"bfi", O::Bfi, "tttuu", longBits, 0, 0},
    {"bmsk.clamp", O::Bmsk, "ttt", b32, 0, 0},
    {"bmsk.wrap", O::Bmsk, "ttt", b32, 0, 1},
    {"szext.clamp", O::Szext, "ttu", words, 0, 0},
    {"szext.wrap", O::Szext, "ttu", words, 0, 1},
    {"prmt.f4e", O::Permute, "tttu", b32, 0, 1},
    {"prmt.b4e", O::Permute, "tttu", b32, 0, 2},
    {"prmt.rc8", O::Permute, "tttu", b32, 0, 3},
    {"prmt.ecl", O::Permute, "tttu", b32, 0, 4},
    {"prmt.ecr", O::Permute, "tttu", b32, 0, 5},
    {"prmt.rc16", O::Permute, "tttu", b32, 0, 6},
    {"prmt", O::Permute, "tttu", b32, 0, 0},
};

/// All rows, plus the floating-point forms that add, sub and mul share.
const std::vector<PlainForm> table = [] {
  std::vector<PlainForm> forms(std::begin(rows), std::end(rows));
  for (auto [name, opcode] :
       {std::pair("add", O::Add), std::pair("sub", O::Sub), std::pair("mul", O::MulLo)}) {
    forms.push_back({name, opcode, "ttt", f32, rounding | ftz | sat, 0});
    forms.push_back({name, opcode, "ttt", f64, rounding, 0});
    forms.push_back({name, opcode, "ttt", f32x2, rounding | ftz, 0});
    forms.push_back({name, opcode, "ttt", half, rn | ftz | sat, 0});
    forms.push_back({name, opcode, "ttt", bfloat, rn, 0});
  }
  return forms;
}();

Type twiceAsWide(Type type) { return typeSize(type) == 2 ? Type::B32 : Type::B64; }

} // namespace

const std::vector<PlainForm> &plainForms() { return table; }

std::vector<std::string_view> selectingWords(const PlainForm &form) {
  std::vector<std::string_view> result;
  for (size_t dot = form.name.find('.'); dot != std::string_view::npos;) {
    size_t next = form.name.find('.', dot + 1);
    result.push_back(form.name.substr(dot + 1, next - dot - 1));
    dot = next;
  }
  return result;
}

std::vector<std::string> decodableMnemonics() {
  std::set<std::string> names;
  for (const PlainForm &form : table)
    names.emplace(form.mnemonic());
  for (const auto &entry : Decoder::decodeTable())
    names.emplace(entry.first);
  return {names.begin(), names.end()};
}

using FormsByMnemonic = std::unordered_multimap<std::string_view, const PlainForm *>;
static const FormsByMnemonic &formsByMnemonic() {
  static const FormsByMnemonic result = [] {
    FormsByMnemonic map;
    for (const PlainForm &form : table)
      map.emplace(form.mnemonic(), &form);
    return map;
  }();
  return result;
}

Type Decoder::firstType() const {
  for (std::string_view modifier : modifiers)
    if (Type type = parseType(modifier); type != Type::None)
      return type;
  return Type::None;
}

bool Decoder::isPlain() const { return formsByMnemonic().count(base) != 0; }

/// Best fit: a form whose words are all present and whose types include the instruction's. Among
/// several, most words win, then the right number of operands. Example: mul.wide.s32 -> form
/// "mul.wide".
const PlainForm *Decoder::findPlainForm() const {
  Type type = firstType();
  const PlainForm *best = nullptr;
  size_t bestScore = 0;
  auto range = formsByMnemonic().equal_range(base);
  for (auto entry = range.first; entry != range.second; ++entry) {
    const PlainForm &form = *entry->second;
    std::vector<std::string_view> words = selectingWords(form);
    bool fits = form.types >> unsigned(type) & 1;
    for (std::string_view word : words)
      fits &= std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
    size_t score = 1 + 2 * words.size() + (form.operands.size() == st->operands.size());
    if (fits && score > bestScore)
      best = &form, bestScore = score;
  }
  return best;
}

void Decoder::takeOptional(uint16_t optional) {
  if (optional & Optional::Directed)
    takeRounding();
  else if (optional & Optional::Nearest && take("rn"))
    inst.rounding = Rounding::Nearest;
  struct {
    uint16_t bit;
    const char *word;
    uint16_t flag;
  } const flags[] = {{Optional::Ftz, "ftz", InstFlag::Ftz},
                     {Optional::Sat, "sat", InstFlag::Sat},
                     {Optional::NaN, "NaN", InstFlag::PropagateNaN},
                     {Optional::Relu, "relu", InstFlag::Relu}};
  for (const auto &f : flags)
    if (optional & f.bit && take(f.word))
      inst.flags |= f.flag;
  if (optional & Optional::XorsignAbs && take("xorsign")) {
    requireOneOf({"abs"}, ".xorsign.abs");
    inst.flags |= InstFlag::Xorsign;
  }
}

/// The carry flag is a predicate slot of the kernel, named in Inst::imm.
void Decoder::useCarry(const PlainForm &form) {
  if (form.opcode < Opcode::AddCarry || form.opcode > Opcode::MadCarryHi)
    return;
  if (!kernel.carrySlot)
    kernel.carrySlot = allocateSlot(0, "the carry flag");
  inst.imm = kernel.carrySlot;
  if (form.aux & 1)
    definitions.push_back(slotIndex(kernel.carrySlot));
  if (form.aux & 2)
    otherUses.push_back(slotIndex(kernel.carrySlot));
}

/// Error for a known mnemonic without a form of this type and these words.
void Decoder::failPlain() const {
  std::set<std::string_view> names;
  Type type = firstType();
  if (type == Type::None)
    fail(ErrorKind::Syntax, "expected a type");
  for (const PlainForm &form : table)
    if (form.mnemonic() == base && form.types >> unsigned(type) & 1)
      names.insert(form.name);
  if (names.empty())
    unsupported(std::string("type .") + typeName(type) + " is not supported here");
  std::string list;
  for (std::string_view name : names)
    list += (list.empty() ? "" : ", ") + std::string(name);
  fail(ErrorKind::Syntax, "expected one of " + list + " with type ." + typeName(type));
}

void Decoder::decodePlain(const PlainForm &form) {
  for (std::string_view word : selectingWords(form)) {
    take(word);
    if (word == "sat")
      inst.flags |= InstFlag::Sat;
    if (word == "relu")
      inst.flags |= InstFlag::Relu;
  }
  takeOptional(form.optional);
  Type type = takeType();
  operandCount(form.operands.size(), form.operands.size());
  inst.op = form.opcode;
  inst.type = type;
  inst.aux = form.aux;
  uint32_t *const sources[] = {&inst.a, &inst.b, &inst.c, &inst.list}; // list: a slot, not a list
  auto typeOf = [&](char letter) {
    return letter == 'w'   ? twiceAsWide(type)
           : letter == 'u' ? Type::U32
           : letter == 's' ? Type::S32
                           : type;
  };
  for (size_t k = 1; k < form.operands.size(); k++) {
    char letter = form.operands[k];
    if (letter == 'i') {
      int64_t value = immediate(k, "a look-up table");
      if (value < -128 || value > 255)
        failAt(operand(k).loc, "expected a look-up table of 8 bits");
      inst.aux = uint16_t(value & 0xff);
    } else {
      *sources[k - 1] = source(k, typeOf(letter));
    }
  }
  useCarry(form);
  char first = form.operands[0];
  inst.dst = first == 'p' ? predicateOut(operand(0)) : destination(0, typeOf(first));
  emit();
}

} // namespace ptxsim
