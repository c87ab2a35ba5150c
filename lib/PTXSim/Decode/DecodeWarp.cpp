// Warp collectives, barriers, matrix loads and mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"

namespace ptxsim {

/// Barrier: bit 0 of aux says that b holds a thread count. BarrierRed: imm is the operation, c the
/// predicate.
void Decoder::decodeBarrier() {
  if (base == "barrier" && take("cluster"))
    return decodeClusterBarrier();
  take("cta");
  if (base == "bar" && take("warp")) {
    requireOneOf({"sync"}, "bar.warp.sync");
    operandCount(1, 1);
    inst.op = Opcode::WarpBarrier;
    inst.a = source(0, Type::B32, true);
    return emit();
  }
  int form = requireOneOf({"sync", "arrive", "red"}, ".sync, .arrive or .red");
  take("aligned");
  size_t next = 0;
  if (form == 2) {
    int op = requireOneOf({"popc", "and", "or"}, ".popc, .and or .or");
    inst.type = op == 0 ? requireType({Type::U32}) : requireType({Type::Pred});
    inst.op = Opcode::BarrierRed;
    inst.imm = op;
    operandCount(3, 4);
    inst.dst = op == 0 ? destination(0, Type::U32) : predicateOut(operand(0));
    const Operand &p = operand(st->operands.size() - 1);
    inst.c = predicate(p, true);
    inst.aux |= p.negated ? 2 : 0;
    inst.a = source(1, Type::U32, true);
    if (st->operands.size() == 4) {
      inst.b = source(2, Type::U32, true);
      inst.aux |= 1;
    }
    inst.flags |= InstFlag::OwnDefined;
    return emit();
  }
  inst.op = form == 0 ? Opcode::Barrier : Opcode::BarrierArrive;
  operandCount(form == 0 ? 1 : 2, 2);
  inst.a = source(next, Type::U32, true);
  if (st->operands.size() == 2) {
    inst.b = source(1, Type::U32, true);
    inst.aux = 1;
  }
  emit();
}

/// aux: 1 for an arrive with release or a wait with acquire semantics (both defaults).
void Decoder::decodeClusterBarrier() {
  int form = requireOneOf({"arrive", "wait"}, ".arrive or .wait");
  inst.aux = !take("relaxed");
  takeOneOf({"release", "acquire"});
  take("aligned");
  operandCount(0, 0);
  inst.op = form == 0 ? Opcode::ClusterArrive : Opcode::ClusterWait;
  inst.flags |= InstFlag::Control;
  emit();
}

/// aux: mode; imm: slot of the predicate result, or 0; list: slot of the member mask.
void Decoder::decodeShuffle() {
  requireOneOf({"sync"}, "shfl.sync");
  inst.aux = uint16_t(requireOneOf({"up", "down", "bfly", "idx"}, "a mode"));
  Type type = requireType({Type::B32});
  operandCount(5, 5);
  inst.op = Opcode::Shuffle;
  inst.type = type;
  inst.flags |= InstFlag::OwnDefined;
  inst.list = source(4, Type::B32, true);
  inst.b = source(2, Type::B32, true);
  inst.c = source(3, Type::B32, true);
  inst.a = source(1, Type::B32);
  inst.dst = destination(0, Type::B32);
  if (!operand(0).pair.empty())
    inst.imm = predicateOut(operand(0).pair[0]);
  emit();
}

void Decoder::decodeVote() {
  requireOneOf({"sync"}, "vote.sync");
  int mode = requireOneOf({"all", "any", "uni", "ballot"}, "a mode");
  Type type = requireType({Type::Pred, Type::B32});
  if ((mode == 3) != (type == Type::B32))
    fail(ErrorKind::Syntax, "expected .b32 with .ballot and .pred otherwise");
  operandCount(3, 3);
  inst.op = mode == 3 ? Opcode::Ballot : Opcode::Vote;
  inst.aux = uint16_t(mode);
  inst.a = predicate(operand(1), true);
  inst.imm = operand(1).negated ? -1 : 0;
  inst.b = source(2, Type::B32, true);
  inst.dst = mode == 3 ? destination(0, Type::B32) : predicateOut(operand(0));
  emit();
}

void Decoder::decodeMatch() {
  bool all = requireOneOf({"any", "all"}, ".any or .all") == 1;
  requireOneOf({"sync"}, "match.sync");
  Type type = requireType({Type::B32, Type::B64});
  operandCount(3, 3);
  inst.op = all ? Opcode::MatchAll : Opcode::Match;
  inst.type = type;
  inst.a = source(1, type, true);
  inst.b = source(2, Type::B32, true);
  inst.dst = destination(0, Type::B32);
  if (!operand(0).pair.empty())
    inst.imm = predicateOut(operand(0).pair[0]);
  emit();
}

void Decoder::decodeRedux() {
  requireOneOf({"sync"}, "redux.sync");
  inst.aux = uint16_t(requireOneOf({"add", "min", "max", "and", "or", "xor"}, "an operation"));
  if (take("abs"))
    inst.flags |= InstFlag::Xorsign; // |a| before the comparison
  if (take("NaN"))
    inst.flags |= InstFlag::PropagateNaN;
  Type type = requireType({Type::U32, Type::S32, Type::B32, Type::F32});
  operandCount(3, 3);
  inst.op = Opcode::Redux;
  inst.type = type;
  inst.a = source(1, type, true);
  inst.b = source(2, Type::B32, true);
  inst.dst = destination(0, type);
  emit();
}

void Decoder::decodeElect() {
  requireOneOf({"sync"}, "elect.sync");
  operandCount(2, 2);
  if (operand(0).pair.empty())
    failAt(operand(0).loc, "expected a register and a predicate, d|p");
  inst.op = Opcode::Elect;
  inst.b = source(1, Type::B32, true);
  inst.dst = destination(0, Type::B32);
  inst.a = predicateOut(operand(0).pair[0]);
  emit();
}

void Decoder::decodeActiveMask() {
  requireType({Type::B32});
  operandCount(1, 1);
  inst.op = Opcode::ActiveMask;
  inst.dst = destination(0, Type::B32);
  emit();
}

/// aux bit 1: .trans.
void Decoder::decodeMatrixMemory() {
  bool load = base == "ldmatrix";
  requireOneOf({"sync"}, ".sync.aligned");
  requireOneOf({"aligned"}, ".sync.aligned");
  requireOneOf({"m8n8"}, "shape .m8n8");
  int number = requireOneOf({"x1", "x2", "x4"}, ".x1, .x2 or .x4");
  bool transpose = take("trans");
  takeOneOf({"shared", "shared::cta"});
  requireType({Type::B16});
  operandCount(2, 2);
  inst.op = load ? Opcode::LoadMatrix : Opcode::StoreMatrix;
  inst.type = Type::B32;
  inst.space = Space::Shared;
  const Operand &registers = operand(load ? 0 : 1);
  vectorOperand(registers, Type::B32, load, false);
  if (inst.count != 1u << number)
    failAt(registers.loc, "expected " + std::to_string(1 << number) + " registers");
  inst.aux = transpose ? 2 : 0;
  address(operand(load ? 1 : 0));
  if (load)
    inst.flags |= InstFlag::OwnDefined;
  emit();
}

void Decoder::decodeMoveMatrix() {
  requireOneOf({"sync"}, ".sync.aligned");
  requireOneOf({"aligned"}, ".sync.aligned");
  requireOneOf({"m8n8"}, "shape .m8n8");
  requireOneOf({"trans"}, ".trans");
  requireType({Type::B16});
  operandCount(2, 2);
  inst.op = Opcode::MoveMatrix;
  inst.a = source(1, Type::B32, true);
  inst.dst = destination(0, Type::B32);
  emit();
}

/// Registers of 32 bits (64 for f64) per fragment: A = M*K, B = K*N, C = M*N elements over 32
/// lanes. Example: m16n8k16 of f16 -> A 4, B 2, C (f32) 4. imm: M | N << 8 | K << 16; type: D and
/// C; type2: A; aux: type of B.
void Decoder::decodeMma() {
  if (take("sp"))
    unsupported("sparse mma is not supported");
  requireOneOf({"sync"}, ".sync.aligned");
  requireOneOf({"aligned"}, ".sync.aligned");
  if (takePrefix("kind::").size())
    unsupported("block-scaled mma is not supported");
  std::string_view shape = takePrefix("m");
  unsigned m = 0, n = 0, k = 0;
  if (std::sscanf(std::string(shape).c_str(), "m%un%uk%u", &m, &n, &k) != 3)
    fail(ErrorKind::Syntax, "expected a shape such as .m16n8k16");
  requireOneOf({"row"}, ".row.col");
  requireOneOf({"col"}, ".row.col");
  if (take("satfinite"))
    inst.flags |= InstFlag::SatFinite;
  auto elementType = [&]() -> Type { return takeType(); };
  Type d = elementType(), a = elementType(), b = elementType(), c = elementType();
  struct Form {
    Type a;
    unsigned m, n, k;
  };
  static const Form forms[] = {
      {Type::F16, 16, 8, 8},   {Type::F16, 16, 8, 16},  {Type::BF16, 16, 8, 8},
      {Type::BF16, 16, 8, 16}, {Type::TF32, 16, 8, 4},  {Type::TF32, 16, 8, 8},
      {Type::F64, 8, 8, 4},    {Type::F64, 16, 8, 4},   {Type::F64, 16, 8, 8},
      {Type::F64, 16, 8, 16},  {Type::E4M3, 16, 8, 32}, {Type::E5M2, 16, 8, 32},
      {Type::E4M3, 16, 8, 16}, {Type::E5M2, 16, 8, 16}, {Type::S8, 16, 8, 16},
      {Type::S8, 16, 8, 32},   {Type::U8, 16, 8, 16},   {Type::U8, 16, 8, 32},
      {Type::S8, 8, 8, 16},    {Type::U8, 8, 8, 16}};
  bool known = false;
  for (const Form &f : forms)
    known |= f.a == a && f.m == m && f.n == n && f.k == k;
  bool eight = a == Type::E4M3 || a == Type::E5M2, integer = a == Type::S8 || a == Type::U8;
  bool bOk = eight     ? (b == Type::E4M3 || b == Type::E5M2)
             : integer ? (b == Type::S8 || b == Type::U8)
                       : b == a;
  bool dOk = c == d && (integer                   ? d == Type::S32
                        : a == Type::F64          ? d == Type::F64
                        : a == Type::F16 || eight ? d == Type::F16 || d == Type::F32
                                                  : d == Type::F32);
  if (!known || !bOk || !dOk)
    unsupported("this shape and these types are not supported");
  operandCount(4, 4);
  unsigned ab = a == Type::F64 ? 8 : a == Type::TF32 ? 4 : eight || integer ? 1 : 2;
  unsigned cd = d == Type::F64 ? 8 : d == Type::F16 ? 2 : 4;
  unsigned word = a == Type::F64 ? 8 : 4, cword = d == Type::F64 ? 8 : 4;
  const unsigned counts[4] = {m * n * cd / 32 / cword, m * k * ab / 32 / word,
                              k * n * ab / 32 / word, m * n * cd / 32 / cword};
  inst.op = Opcode::Mma;
  inst.type = d;
  inst.type2 = a;
  inst.aux = uint16_t(b);
  inst.imm = m | n << 8 | k << 16;
  inst.flags |= InstFlag::OwnDefined;
  std::vector<uint32_t> all;
  for (size_t op = 0; op < 4; op++) {
    const Operand &v = operand(op);
    std::vector<const Operand *> parts;
    for (const Operand &p : v.parts)
      parts.push_back(&p);
    if (v.kind != Operand::Vector) // ptxas accepts a single register without braces
      parts.assign(1, &v);
    if (parts.size() != counts[op])
      failAt(v.loc, "expected " + std::to_string(counts[op]) + " registers, but got " +
                        std::to_string(parts.size()));
    Type t = word == 8 ? Type::B64 : Type::B32;
    for (const Operand *p : parts)
      all.push_back(op == 0 ? destination(*p, t) : source(*p, t));
  }
  inst.list = beginList();
  inst.count = uint16_t(all.size());
  kernel.slots.insert(kernel.slots.end(), all.begin(), all.end());
  emit();
}

} // namespace ptxsim
