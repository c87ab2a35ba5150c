// Dot products of bytes, and logic on predicates; PlainForms.cpp describes all other arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"

namespace ptxsim {

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

/// aux: Logic of the operation (None: not); bits 2 and 3 negate the inputs.
void Decoder::decodePredicateLogic() {
  bool isNot = base == "not";
  if (firstType() != Type::Pred)
    failPlain();
  requireType({Type::Pred});
  size_t sources = isNot ? 1 : 2;
  operandCount(1 + sources, 1 + sources);
  inst.op = Opcode::PredicateLogic;
  inst.type = Type::Pred;
  inst.aux = uint16_t(isNot           ? Logic::None
                      : base == "and" ? Logic::And
                      : base == "or"  ? Logic::Or
                                      : Logic::Xor);
  inst.a = predicate(operand(1));
  inst.b = isNot ? inst.a : predicate(operand(2));
  for (size_t k = 1; k <= sources; k++)
    if (operand(k).negated)
      inst.aux |= uint16_t(2 << k);
  inst.dst = predicateOut(operand(0));
  emit();
}

} // namespace ptxsim
