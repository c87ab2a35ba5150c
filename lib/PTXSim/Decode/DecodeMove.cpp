// Moves, selections, comparisons and conversions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"

namespace ptxsim {

/// Register type of an element when mov packs or unpacks a vector, low part first. Example: 4 bytes
/// -> b32.
static Type partType(unsigned bytes) {
  return bytes == 1 ? Type::B8 : bytes == 2 ? Type::B16 : bytes == 4 ? Type::B32 : Type::B64;
}

void Decoder::decodeMove() {
  Type type = takeType();
  operandCount(2, 2);
  const Operand &to = operand(0), &from = operand(1);
  inst.type = type;
  if (type == Type::Pred) {
    inst.op = Opcode::MovePredicate;
    inst.a = predicate(from);
    inst.aux = from.negated;
    inst.dst = predicateOut(to);
    return emit();
  }
  if (typeSize(type) < 2)
    fail(ErrorKind::Syntax, "expected a type of 16 bits or more, or .pred");
  bool pack = from.kind == Operand::Vector, unpack = to.kind == Operand::Vector;
  if (pack && unpack)
    unsupported("expected one vector operand, but got two");
  if (pack || unpack) {
    const Operand &vector = pack ? from : to;
    size_t n = vector.parts.size();
    if ((n != 2 && n != 4) || typeSize(type) % n)
      failAt(vector.loc, "expected a vector of 2 or 4 registers");
    Type part = partType(typeSize(type) / unsigned(n));
    if (part == Type::B8)
      unsupported("vectors of 8-bit registers are not supported");
    inst.op = pack ? Opcode::Pack : Opcode::Unpack;
    inst.count = uint16_t(n);
    inst.aux = uint16_t(typeSize(part));
    std::vector<uint32_t> parts;
    for (const Operand &p : vector.parts)
      parts.push_back(pack ? source(p, part) : p.kind == Operand::Sink ? 0 : destination(p, part));
    inst.list = beginList();
    kernel.slots.insert(kernel.slots.end(), parts.begin(), parts.end());
    if (pack)
      inst.dst = destination(to, type);
    else
      inst.a = source(from, type);
    return emit();
  }
  inst.op = Opcode::Move;
  if (from.kind == Operand::Name && (from.name == "%clock" || from.name == "%clock64" ||
                                     from.name == "%clock_hi" || from.name == "%globaltimer")) {
    inst.op = Opcode::Clock;
    inst.aux = from.name == "%clock_hi";
  } else {
    inst.a = source(from, type);
  }
  inst.dst = destination(to, type);
  emit();
}

static int spaceModifier(const std::string_view *words, size_t count) {
  for (size_t k = 0; k < count; k++) {
    std::string_view w = words[k];
    if (w == "shared" || w == "shared::cta" || w == "shared::cluster")
      return int(Space::Shared);
    if (w == "global")
      return int(Space::Global);
    if (w == "local")
      return int(Space::Local);
    if (w == "const")
      return int(Space::Const);
    if (w == "param" || w == "param::entry")
      return int(Space::Param);
  }
  return -1;
}

void Decoder::decodeCvta() {
  bool to = take("to");
  int space = spaceModifier(modifiers.data(), modifiers.size());
  if (space < 0)
    fail(ErrorKind::Syntax, "expected a state space");
  takeOneOf({"shared", "shared::cta", "shared::cluster", "global", "local", "const", "param",
             "param::entry"});
  Type type = requireType({Type::U64});
  operandCount(2, 2);
  inst.op = to ? Opcode::CvtaTo : Opcode::CvtaFrom;
  inst.space = Space(space);
  inst.type = type;
  inst.a = source(1, type);
  inst.dst = destination(0, type);
  // .param addresses are generic already: see symbolAddress.
  inst.imm = inst.space == Space::Shared  ? int64_t(sharedWindow)
             : inst.space == Space::Local ? int64_t(localWindow)
                                          : 0;
  emit();
}

void Decoder::decodeIsspace() {
  int space = spaceModifier(modifiers.data(), modifiers.size());
  bool cta = take("shared::cta") || take("shared");
  takeOneOf({"shared::cluster", "global", "local", "const", "param", "param::entry"});
  operandCount(2, 2);
  if (space < 0)
    fail(ErrorKind::Syntax, "expected a state space");
  inst.op = Opcode::IsSpace;
  inst.space = Space(space);
  inst.aux = cta;
  inst.a = source(1, Type::U64);
  inst.dst = predicateOut(operand(0));
  emit();
}

void Decoder::decodeMapa() {
  bool shared = take("shared::cluster");
  Type type = requireType({Type::U32, Type::U64});
  operandCount(3, 3);
  if (!shared && type != Type::U64)
    fail(ErrorKind::Syntax, "expected .shared::cluster or .u64");
  inst.op = Opcode::MapShared;
  inst.type = type;
  inst.aux = !shared; // generic addresses
  inst.a = source(1, type, true);
  inst.b = source(2, Type::U32, true);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeGetClusterRank() {
  bool shared = take("shared::cluster");
  Type type = requireType({Type::U32, Type::U64});
  operandCount(2, 2);
  inst.op = Opcode::ClusterRank;
  inst.type = type;
  inst.aux = !shared;
  inst.a = source(1, type, true);
  inst.dst = destination(0, Type::U32);
  emit();
}

void Decoder::decodeSelect() {
  bool bySign = base == "slct";
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  Type type = takeType();
  operandCount(4, 4);
  if (typeSize(type) < 2 || typeSize(type) > 8)
    fail(ErrorKind::Syntax, "expected a type of 16, 32 or 64 bits");
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  if (bySign) {
    inst.type2 = requireType({Type::S32, Type::F32});
    inst.op = Opcode::SelectSign;
    inst.c = source(3, inst.type2);
  } else {
    inst.op = Opcode::Select;
    inst.c = predicate(operand(3));
    inst.aux = operand(3).negated;
  }
  inst.dst = destination(0, type);
  emit();
}

static bool parseCompare(std::string_view word, Type type, Compare &out) {
  static const std::unordered_map<std::string_view, Compare> table = {
      {"eq", Compare::Eq},   {"ne", Compare::Ne},   {"lt", Compare::Lt},   {"le", Compare::Le},
      {"gt", Compare::Gt},   {"ge", Compare::Ge},   {"lo", Compare::Lt},   {"ls", Compare::Le},
      {"hi", Compare::Gt},   {"hs", Compare::Ge},   {"equ", Compare::Equ}, {"neu", Compare::Neu},
      {"ltu", Compare::Ltu}, {"leu", Compare::Leu}, {"gtu", Compare::Gtu}, {"geu", Compare::Geu},
      {"num", Compare::Num}, {"nan", Compare::Nan}};
  auto found = table.find(word);
  if (found == table.end())
    return false;
  out = found->second;
  bool floating = isFloat(type) || type == Type::F16x2 || type == Type::BF16x2;
  return floating || out <= Compare::Ge;
}

/// CmpOp[.BoolOp][.ftz] of setp and set, and the predicate c that BoolOp combines with. aux:
/// Compare | Logic << 4 | (c negated) << 6; list: the slot of c.
void Decoder::decodeComparison(bool hasResultType) {
  std::string_view word = modifiers.empty() ? std::string_view() : modifiers[0];
  if (!consumed.empty())
    consumed[0] = true;
  int logic = takeOneOf({"and", "or", "xor"});
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  if (hasResultType)
    inst.type2 = requireType({Type::U32, Type::S32, Type::F32, Type::U16, Type::S16, Type::F16,
                              Type::BF16, Type::F16x2, Type::BF16x2});
  Type type = requireType({Type::B16, Type::B32, Type::B64, Type::U16, Type::U32, Type::U64,
                           Type::S16, Type::S32, Type::S64, Type::F32, Type::F64, Type::F16,
                           Type::BF16, Type::F16x2, Type::BF16x2});
  Compare compare;
  if (!parseCompare(word, type, compare))
    fail(ErrorKind::Syntax, "expected a comparison, but got '." + std::string(word) + "'");
  if (isBits(type) && compare != Compare::Eq && compare != Compare::Ne)
    fail(ErrorKind::Syntax, "expected .eq or .ne with a bit type");
  operandCount(logic >= 0 ? 4 : 3, logic >= 0 ? 4 : 3);
  inst.type = type;
  inst.aux = uint16_t(unsigned(compare) | unsigned(logic + 1) << 4);
  inst.a = source(1, type);
  inst.b = source(2, type);
  if (logic >= 0) {
    inst.list = predicate(operand(3));
    if (operand(3).negated)
      inst.aux |= 1 << 6;
  }
}

/// setp.CmpOp[.BoolOp][.ftz].type p[|q], a, b[, [!]c]
void Decoder::decodeSetp() {
  decodeComparison(false);
  inst.op = Opcode::Setp;
  inst.dst = predicateOut(operand(0));
  if (!operand(0).pair.empty())
    inst.c = predicateOut(operand(0).pair[0]);
  if ((inst.type == Type::F16x2 || inst.type == Type::BF16x2) && !inst.c)
    fail(ErrorKind::Syntax, "expected two predicates for a packed comparison");
  emit();
}

/// set.CmpOp[.BoolOp][.ftz].dtype.stype d, a, b[, [!]c]
void Decoder::decodeSet() {
  decodeComparison(true);
  inst.op = Opcode::Set;
  bool packed = inst.type == Type::F16x2 || inst.type == Type::BF16x2;
  // A packed comparison has a packed result (or bits of the same layout).
  if (packed ? inst.type2 != inst.type && inst.type2 != Type::U32 && inst.type2 != Type::S32
             : inst.type2 == Type::F16x2 || inst.type2 == Type::BF16x2)
    unsupported("this pair of types is not supported");
  inst.dst = destination(0, inst.type2);
  emit();
}

/// cvt.pack.sat.convertType.abType[.cType] d, a, b[, c]: with 8-bit types, c supplies the upper
/// half.
void Decoder::decodeConvertPack() {
  requireOneOf({"sat"}, ".sat");
  inst.type = requireType({Type::S16, Type::U16, Type::S8, Type::U8});
  inst.type2 = requireType({Type::S32});
  bool bytes = typeSize(inst.type) == 1;
  if (bytes)
    requireOneOf({"b32"}, ".b32 for the third source");
  operandCount(bytes ? 4 : 3, bytes ? 4 : 3);
  inst.op = Opcode::ConvertPackInt;
  inst.a = source(1, Type::S32);
  inst.b = source(2, Type::S32);
  if (bytes)
    inst.c = source(3, Type::B32);
  inst.dst = destination(0, Type::B32);
  emit();
}

/// cvt[.rounding][.relu][.satfinite][.ftz][.sat].d.s; aux bit 0: rounds to an integral value.
void Decoder::decodeConvert() {
  if (take("pack"))
    return decodeConvertPack();
  int integral = takeOneOf({"rni", "rzi", "rmi", "rpi"});
  takeRounding();
  if (integral >= 0) {
    constexpr Rounding table[] = {Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up};
    inst.rounding = table[integral];
    inst.aux = 1;
  }
  if (take("rna"))
    inst.rounding = Rounding::NearestAway;
  if (take("relu"))
    inst.flags |= InstFlag::Relu;
  if (take("satfinite"))
    inst.flags |= InstFlag::SatFinite;
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  if (take("sat"))
    inst.flags |= InstFlag::Sat;
  Type to = takeType(), from = takeType();
  if (to == Type::None || from == Type::None || to == Type::Pred || from == Type::Pred)
    fail(ErrorKind::Syntax, "expected a destination and a source type");
  inst.type = to;
  inst.type2 = from;
  bool packs = from == Type::F32 && (to == Type::F16x2 || to == Type::BF16x2 ||
                                     to == Type::E4M3x2 || to == Type::E5M2x2);
  operandCount(packs ? 3 : 2, packs ? 3 : 2);
  bool fp8 =
      to == Type::E4M3x2 || to == Type::E5M2x2 || from == Type::E4M3x2 || from == Type::E5M2x2;
  if (fp8) {
    inst.op = Opcode::ConvertFp8;
    inst.a = source(1, from);
    if (packs)
      inst.b = source(2, from);
    inst.dst = destination(0, to);
    return emit();
  }
  if (packs) {
    inst.op = Opcode::ConvertPack2;
    inst.a = source(1, from);
    inst.b = source(2, from);
    inst.dst = destination(0, to);
    return emit();
  }
  inst.op = Opcode::Convert;
  inst.a = source(operand(1), from, false, true);
  // Integer sources narrower than the source register: the low bits count.
  const Operand &src = operand(1), &dst = operand(0);
  const RegisterRef *s = src.kind == Operand::Name ? findRegister(src.name) : nullptr;
  const RegisterRef *d = dst.kind == Operand::Name ? findRegister(dst.name) : nullptr;
  unsigned sourceBytes = s ? registerSize(s->type) : registerSize(from);
  unsigned targetBytes = d ? registerSize(d->type) : registerSize(to);
  if (isFloat(to) && targetBytes != typeSize(to))
    unsupported("expected a destination register as wide as the floating-point type");
  inst.count = uint16_t(sourceBytes | targetBytes << 8);
  inst.dst = destination(operand(0), to, true);
  emit();
}

} // namespace ptxsim
