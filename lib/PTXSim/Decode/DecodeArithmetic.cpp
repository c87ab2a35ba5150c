// Integer and floating-point arithmetic, logic, shifts and bit fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Decode/Decoder.h"

namespace ptxsim {

static unsigned bitsOf(Type t) { return 8 * typeSize(t); }

/// d, a, b of one type.
void Decoder::binary(Opcode op, Type type) {
  operandCount(3, 3);
  inst.op = op;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeAddSub() {
  Opcode op = base == "add" ? Opcode::Add : Opcode::Sub;
  if (take("cc"))
    return decodeCarry();
  takeRounding();
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  if (take("sat"))
    inst.flags |= InstFlag::Sat;
  take("noftz");
  Type type = requireType({Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64,
                           Type::U16x2, Type::S16x2, Type::F32, Type::F64, Type::F32x2, Type::F16,
                           Type::F16x2, Type::BF16, Type::BF16x2});
  if ((inst.flags & InstFlag::Sat) && isInteger(type) && type != Type::S32)
    unsupported(".sat needs .s32 or a floating-point type");
  binary(op, type);
}

void Decoder::decodeMul() {
  int form = takeOneOf({"lo", "hi", "wide"});
  takeRounding();
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  if (take("sat"))
    inst.flags |= InstFlag::Sat;
  Type type =
      requireType({Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64, Type::F32,
                   Type::F64, Type::F32x2, Type::F16, Type::F16x2, Type::BF16, Type::BF16x2});
  if (isInteger(type) != (form >= 0))
    fail(ErrorKind::Syntax, "expected .lo, .hi or .wide with an integer type only");
  if (form < 2)
    return binary(form == 1 ? Opcode::MulHi : Opcode::MulLo, type);
  if (bitsOf(type) == 64)
    fail(ErrorKind::Syntax, "expected a 16- or 32-bit type with .wide");
  operandCount(3, 3);
  inst.op = Opcode::MulWide;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.dst = destination(0, bitsOf(type) == 16 ? Type::B32 : Type::B64);
  emit();
}

void Decoder::decodeMad() {
  int form = takeOneOf({"lo", "hi", "wide"});
  if (form < 0)
    return decodeFma();
  if (take("cc"))
    return decodeCarry();
  if (take("sat"))
    inst.flags |= InstFlag::Sat;
  Type type = requireType({Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64});
  if (inst.flags & InstFlag::Sat && (form != 1 || type != Type::S32))
    fail(ErrorKind::Syntax, "expected .sat with mad.hi.s32 only");
  operandCount(4, 4);
  constexpr Opcode ops[] = {Opcode::MadLo, Opcode::MadHi, Opcode::MadWide};
  Type wide = form < 2 ? type : bitsOf(type) == 16 ? Type::B32 : Type::B64;
  if (form == 2 && bitsOf(type) == 64)
    fail(ErrorKind::Syntax, "expected a 16- or 32-bit type with .wide");
  inst.op = ops[form];
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.c = source(3, wide);
  inst.dst = destination(0, wide);
  emit();
}

void Decoder::decodeMul24() {
  if (requireOneOf({"lo", "hi"}, ".lo or .hi") == 1)
    unsupported("only the .lo form is supported");
  bool mad = base == "mad24";
  Type type = requireType({Type::U32, Type::S32});
  operandCount(mad ? 4 : 3, mad ? 4 : 3);
  inst.op = mad ? Opcode::Mad24Lo : Opcode::Mul24Lo;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  if (mad)
    inst.c = source(3, type);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeSad() {
  Type type = requireType({Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64});
  operandCount(4, 4);
  inst.op = Opcode::Sad;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.c = source(3, type);
  inst.dst = destination(0, type);
  emit();
}

/// add.cc, addc[.cc], sub.cc, subc[.cc], mad.{lo,hi}.cc, madc.{lo,hi}[.cc]; aux bit 0: writes the
/// carry, bit 1: reads it.
void Decoder::decodeCarry() {
  if (!kernel.carrySlot)
    kernel.carrySlot = allocateSlot(0, "the carry flag");
  bool reads = base.back() == 'c';
  bool writes = !reads; // the first form only exists with .cc, which the caller has consumed
  bool isMad = base.substr(0, 3) == "mad";
  if (reads) {
    writes = take("cc");
    otherUses.push_back(slotIndex(kernel.carrySlot));
  }
  if (writes)
    definitions.push_back(slotIndex(kernel.carrySlot));
  inst.aux = uint16_t((writes ? 1 : 0) | (reads ? 2 : 0));
  inst.imm = kernel.carrySlot;
  bool hi = false;
  if (isMad && reads)
    hi = requireOneOf({"lo", "hi"}, ".lo or .hi") == 1;
  else if (isMad)
    hi = st->text.find(".hi") != std::string_view::npos;
  inst.op = isMad                        ? (hi ? Opcode::MadCarryHi : Opcode::MadCarryLo)
            : base.substr(0, 3) == "add" ? Opcode::AddCarry
                                         : Opcode::SubCarry;
  Type type = requireType({Type::U32, Type::S32, Type::U64, Type::S64, Type::B32, Type::B64});
  operandCount(isMad ? 4 : 3, isMad ? 4 : 3);
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  if (isMad)
    inst.c = source(3, type);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeDivRem() {
  if (base == "rem")
    return binary(Opcode::Rem,
                  requireType({Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64}));
  bool approximate = takeOneOf({"approx", "full"}) >= 0;
  takeRounding();
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  Type type = requireType(
      {Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64, Type::F32, Type::F64});
  binary(approximate ? Opcode::DivApprox : Opcode::Div, type);
}

void Decoder::decodeMinMax() {
  Opcode op = base == "min" ? Opcode::Min : Opcode::Max;
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  if (take("NaN"))
    inst.flags |= InstFlag::PropagateNaN;
  if (take("xorsign"))
    take("abs"), inst.flags |= InstFlag::Xorsign;
  if (take("relu"))
    inst.flags |= InstFlag::Relu;
  Type type = requireType({Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64,
                           Type::U16x2, Type::S16x2, Type::F32, Type::F64, Type::F16, Type::F16x2,
                           Type::BF16, Type::BF16x2});
  if (st->operands.size() != 4)
    return binary(op, type);
  if (type != Type::F32 || (inst.flags & (InstFlag::Relu | InstFlag::Xorsign)))
    unsupported("the form with three inputs needs .f32");
  inst.op = Opcode::MinMax3;
  inst.aux = op == Opcode::Max;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.c = source(3, type);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeAbsNeg() {
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  Type type = requireType({Type::S16, Type::S32, Type::S64, Type::F32, Type::F64, Type::F16,
                           Type::F16x2, Type::BF16, Type::BF16x2, Type::F32x2});
  operandCount(2, 2);
  inst.op = base == "abs" ? Opcode::Abs : Opcode::Neg;
  inst.type = type;
  inst.a = source(1, type);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeLogic() {
  bool one = base == "not" || base == "cnot";
  Type type = requireType({Type::Pred, Type::B16, Type::B32, Type::B64});
  operandCount(one ? 2 : 3, one ? 2 : 3);
  Opcode op = base == "and"   ? Opcode::And
              : base == "or"  ? Opcode::Or
              : base == "xor" ? Opcode::Xor
              : base == "not" ? Opcode::Not
                              : Opcode::Cnot;
  inst.type = type;
  if (type != Type::Pred) {
    inst.op = op;
    inst.a = source(1, type);
    if (!one)
      inst.b = source(2, type);
    inst.dst = destination(0, type);
    return emit();
  }
  if (op == Opcode::Cnot)
    unsupported("cnot needs a bit type");
  inst.op = Opcode::PredicateLogic;
  inst.aux = uint16_t(op == Opcode::And ? 0 : op == Opcode::Or ? 1 : op == Opcode::Xor ? 2 : 3);
  inst.a = predicate(operand(1));
  inst.b = one ? inst.a : predicate(operand(2));
  if (operand(1).negated)
    inst.aux |= 4;
  if (!one && operand(2).negated)
    inst.aux |= 8;
  inst.dst = predicateOut(operand(0));
  emit();
}

void Decoder::decodeLop3() {
  Type type = requireType({Type::B32});
  operandCount(5, 5);
  inst.op = Opcode::Lop3;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.c = source(3, type);
  inst.aux = uint16_t(immediate(4, "a look-up table") & 0xff);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeShift() {
  Type type = base == "shl" ? requireType({Type::B16, Type::B32, Type::B64})
                            : requireType({Type::B16, Type::B32, Type::B64, Type::U16, Type::U32,
                                           Type::U64, Type::S16, Type::S32, Type::S64});
  operandCount(3, 3);
  inst.op = base == "shl" ? Opcode::Shl : Opcode::Shr;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, Type::U32);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeFunnelShift() {
  inst.op = requireOneOf({"l", "r"}, ".l or .r") == 0 ? Opcode::ShfL : Opcode::ShfR;
  inst.aux = uint16_t(requireOneOf({"clamp", "wrap"}, ".clamp or .wrap"));
  Type type = requireType({Type::B32});
  operandCount(4, 4);
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.c = source(3, Type::U32);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeBitCount() {
  if (base == "fns") {
    requireType({Type::B32});
    operandCount(4, 4);
    inst.op = Opcode::Fns;
    inst.type = Type::B32;
    inst.a = source(1, Type::B32);
    inst.b = source(2, Type::B32);
    inst.c = source(3, Type::S32);
    inst.dst = destination(0, Type::B32);
    return emit();
  }
  bool shift = take("shiftamt");
  Type type = requireType({Type::B32, Type::B64, Type::U32, Type::S32, Type::U64, Type::S64});
  if (isInteger(type) != (base == "bfind"))
    fail(ErrorKind::Syntax, "expected a bit type (bfind: an integer type)");
  operandCount(2, 2);
  inst.op = base == "popc"   ? Opcode::Popc
            : base == "clz"  ? Opcode::Clz
            : base == "brev" ? Opcode::Brev
            : shift          ? Opcode::BfindShift
                             : Opcode::Bfind;
  inst.type = type;
  inst.a = source(1, type);
  inst.dst = destination(0, base == "brev" ? type : Type::U32);
  emit();
}

void Decoder::decodeBitField() {
  if (base == "bmsk" || base == "szext") {
    inst.aux = uint16_t(requireOneOf({"clamp", "wrap"}, ".clamp or .wrap"));
    return binary(base == "bmsk" ? Opcode::Bmsk : Opcode::Szext,
                  base == "bmsk" ? requireType({Type::B32}) : requireType({Type::U32, Type::S32}));
  }
  bool insert = base == "bfi";
  Type type = insert ? requireType({Type::B32, Type::B64})
                     : requireType({Type::U32, Type::S32, Type::U64, Type::S64});
  operandCount(insert ? 5 : 4, insert ? 5 : 4);
  inst.op = insert ? Opcode::Bfi : Opcode::Bfe;
  inst.type = type;
  inst.a = source(1, type);
  if (insert) {
    inst.b = source(2, type);
    inst.c = source(3, Type::U32);
    inst.list = source(4, Type::U32); // a slot, not a list
  } else {
    inst.b = source(2, Type::U32);
    inst.c = source(3, Type::U32);
  }
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodePermute() {
  inst.aux = uint16_t(takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}) + 1);
  Type type = requireType({Type::B32});
  operandCount(4, 4);
  inst.op = Opcode::Permute;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.c = source(3, type);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeDotProduct() {
  int half = base == "dp2a" ? requireOneOf({"lo", "hi"}, ".lo or .hi") : -1;
  Type a = requireType({Type::U32, Type::S32}), b = requireType({Type::U32, Type::S32});
  operandCount(4, 4);
  inst.op = half < 0 ? Opcode::Dp4a : half == 0 ? Opcode::Dp2aLo : Opcode::Dp2aHi;
  inst.type = a;
  inst.type2 = b;
  inst.a = source(1, a);
  inst.b = source(2, b);
  inst.c = source(3, a);
  inst.dst = destination(0, a);
  emit();
}

void Decoder::decodeFma() {
  takeRounding();
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  if (take("sat"))
    inst.flags |= InstFlag::Sat;
  if (take("relu"))
    inst.flags |= InstFlag::Relu;
  Type type = requireType(
      {Type::F32, Type::F64, Type::F32x2, Type::F16, Type::F16x2, Type::BF16, Type::BF16x2});
  operandCount(4, 4);
  inst.op = Opcode::Fma;
  inst.type = type;
  inst.a = source(1, type);
  inst.b = source(2, type);
  inst.c = source(3, type);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeFloatUnary() {
  inst.op = base == "rcp"     ? Opcode::Rcp
            : base == "sqrt"  ? Opcode::Sqrt
            : base == "rsqrt" ? Opcode::Rsqrt
            : base == "ex2"   ? Opcode::Ex2
            : base == "lg2"   ? Opcode::Lg2
            : base == "sin"   ? Opcode::Sin
            : base == "cos"   ? Opcode::Cos
                              : Opcode::Tanh;
  take("approx");
  takeRounding();
  if (take("ftz"))
    inst.flags |= InstFlag::Ftz;
  Type type = requireType({Type::F32, Type::F64, Type::F16, Type::F16x2, Type::BF16, Type::BF16x2});
  operandCount(2, 2);
  inst.type = type;
  inst.a = source(1, type);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeCopySign() { binary(Opcode::CopySign, requireType({Type::F32, Type::F64})); }

void Decoder::decodeTestP() {
  inst.aux = uint16_t(requireOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}, "a class of numbers"));
  Type type = requireType({Type::F32, Type::F64});
  operandCount(2, 2);
  inst.op = Opcode::TestP;
  inst.type = type;
  inst.a = source(1, type);
  inst.dst = predicateOut(operand(0));
  emit();
}

} // namespace ptxsim
