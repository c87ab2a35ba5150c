// cp.async, bulk copies, TMA, mbarrier and wgmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operand lists of the copies hold slots first and then the constant offsets of the addresses, in
// the same order; bit k of Inst::aux says that address k is a 64-bit register.
#include "lib/PTXSim/Decode/Decoder.h"
#include <cstdio>

namespace ptxsim {

namespace {
/// Address operands of a copy, in the executor's order.
struct AddressList {
  std::vector<uint32_t> slots, offsets;
  uint16_t wide = 0;
  void add(uint32_t slot, bool is64, int64_t offset) {
    if (is64)
      wide |= uint16_t(1 << slots.size());
    slots.push_back(slot);
    offsets.push_back(uint32_t(int32_t(offset)));
  }
};
} // namespace

void Decoder::decodeCp() {
  bool reduce = take("reduce");
  requireOneOf({"async"}, "cp.async");
  if (take("bulk")) {
    if (reduce)
      inst.aux = 0x100;
    return decodeCpBulk();
  }
  if (reduce)
    fail(ErrorKind::Syntax, "expected .bulk with cp.reduce.async");
  decodeCpAsync();
}

void Decoder::decodeCpAsync() {
  if (take("commit_group")) {
    operandCount(0, 0);
    inst.op = Opcode::CopyCommit;
    return emit();
  }
  if (take("wait_group") || take("wait_all")) {
    bool all = st->operands.empty();
    operandCount(all ? 0 : 1, all ? 0 : 1);
    inst.op = Opcode::CopyWait;
    inst.imm = all ? 0 : immediate(0, "a number of groups");
    inst.aux = all; // wait_all also waits for copies without a group
    return emit();
  }
  if (take("mbarrier")) {
    requireOneOf({"arrive"}, ".arrive");
    inst.aux = take("noinc");
    takeOneOf({"shared", "shared::cta"});
    requireType({Type::B64});
    operandCount(1, 1);
    inst.op = Opcode::CopyMbarrierArrive;
    address(operand(0));
    return emit();
  }
  bool bypass = requireOneOf({"ca", "cg"}, ".ca or .cg") == 1;
  requireOneOf({"shared", "shared::cta"}, ".shared");
  requireOneOf({"global"}, ".global");
  bool policy = take("L2::cache_hint");
  takeCacheHints();
  operandCount(3, 5);
  AddressList list;
  bool is64;
  int64_t offset;
  for (size_t k = 0; k < 2; k++) {
    uint32_t slot = addressSlot(operand(k), is64, offset);
    list.add(slot, is64, offset);
  }
  int64_t bytes = immediate(2, "a size");
  if (bytes != 16 && (bypass || (bytes != 4 && bytes != 8)))
    failAt(operand(2).loc,
           "expected a size of 4, 8 or 16 bytes (.cg: 16), but got " + std::to_string(bytes));
  inst.op = Opcode::CopyAsync;
  inst.count = uint16_t(bytes);
  inst.b = 0;
  size_t extra = st->operands.size() - 3 - (policy ? 1 : 0);
  if (extra > 1)
    fail(ErrorKind::Syntax, "expected at most a source size");
  if (extra == 1) {
    const Operand &op = operand(3);
    const RegisterRef *ref = op.kind == Operand::Name ? findRegister(op.name) : nullptr;
    if (ref && ref->type == Type::Pred) { // ignore-src
      inst.c = predicate(op, true);
      inst.imm = op.negated ? -1 : 0;
    } else {
      inst.b = source(op, Type::U32, true);
    }
  }
  inst.aux = list.wide;
  inst.list = beginList();
  kernel.slots.insert(kernel.slots.end(), list.slots.begin(), list.slots.end());
  kernel.slots.insert(kernel.slots.end(), list.offsets.begin(), list.offsets.end());
  emit();
}

/// aux: bits from 8 on hold the reduction, 0 for none, else 1 + AtomicOp.
void Decoder::decodeCpBulk() {
  bool reduce = inst.aux == 0x100;
  inst.aux = 0;
  if (take("commit_group")) {
    operandCount(0, 0);
    inst.op = Opcode::BulkCommit;
    return emit();
  }
  if (take("wait_group")) {
    inst.aux = take("read");
    operandCount(1, 1);
    inst.op = Opcode::BulkWait;
    inst.imm = immediate(0, "a number of groups");
    return emit();
  }
  if (take("prefetch")) {
    for (size_t k = 0; k < modifiers.size(); k++)
      consumed[k] = true;
    inst.op = Opcode::Nop;
    for (const Operand &op : st->operands)
      if (op.kind == Operand::Address)
        address(op);
    return emit();
  }
  bool tensor = take("tensor");
  if (reduce) {
    inst.aux = uint16_t(
        requireOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor"}, "a reduction"));
    constexpr AtomicOp ops[] = {AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::Inc,
                                AtomicOp::Dec, AtomicOp::And, AtomicOp::Or,  AtomicOp::Xor};
    inst.aux = uint16_t((unsigned(ops[inst.aux]) + 1) << 8);
    take("noftz");
    kernel.orderedAtomics = true;
  }
  if (tensor)
    return decodeCpTensor();
  bool mbarrier = take("mbarrier::complete_tx::bytes");
  bool group = take("bulk_group");
  bool multicast = take("multicast::cluster"), policy = take("L2::cache_hint");
  // The destination space comes first: "cp.async.bulk.global.shared::cta" stores.
  bool toGlobal = !modifiers.empty() && st->text.find(".global.shared") != std::string_view::npos;
  bool fromShared = st->text.find(".shared::cluster.shared::cta") != std::string_view::npos;
  take("global");
  take("shared::cta");
  take("shared::cluster");
  if (reduce)
    inst.type = requireType({Type::U32, Type::S32, Type::U64, Type::S64, Type::F16, Type::BF16,
                             Type::B32, Type::B64, Type::F32, Type::F64});
  if (mbarrier == toGlobal || group != toGlobal)
    fail(ErrorKind::Syntax, "expected .bulk_group with a global destination, else "
                            ".mbarrier::complete_tx::bytes");
  if (reduce && !toGlobal)
    unsupported("reductions into shared memory are not supported");
  size_t n = (mbarrier ? 4 : 3) + (multicast ? 1 : 0) + (policy ? 1 : 0);
  operandCount(n, n);
  AddressList list;
  bool is64;
  int64_t offset;
  for (size_t k : {size_t(0), size_t(1), size_t(3)}) {
    if (k == 3 && !mbarrier)
      break;
    uint32_t slot = addressSlot(operand(k), is64, offset);
    list.add(slot, is64, offset);
  }
  inst.op = Opcode::BulkCopy;
  inst.b = source(2, Type::U32, true);
  if (multicast)
    inst.c = source(4, Type::B16, true);
  inst.count = uint16_t(toGlobal ? 1 : fromShared ? 2 : 0);
  inst.aux |= list.wide;
  inst.list = beginList();
  kernel.slots.insert(kernel.slots.end(), list.slots.begin(), list.slots.end());
  kernel.slots.insert(kernel.slots.end(), list.offsets.begin(), list.offsets.end());
  emit();
}

/// List: map, shared address, [mbarrier], offsets of these addresses, then the coordinates. count:
/// rank | store << 8; aux: as for bulk copies.
void Decoder::decodeCpTensor() {
  unsigned rank = 1 + unsigned(requireOneOf({"1d", "2d", "3d", "4d", "5d"}, ".1d to .5d"));
  bool store = st->text.find(".global.shared::cta") != std::string_view::npos;
  take("shared::cluster");
  take("shared::cta");
  requireOneOf({"global"}, ".global");
  for (std::string_view m : modifiers)
    if (m.substr(0, 6) == "im2col" || m.substr(0, 4) == "tile")
      if (m != "tile")
        unsupported("only .tile mode is supported");
  take("tile");
  bool multicast = take("multicast::cluster"), policy = take("L2::cache_hint");
  if (store != take("bulk_group") || store == take("mbarrier::complete_tx::bytes"))
    fail(ErrorKind::Syntax, "expected .bulk_group with a global destination, else "
                            ".mbarrier::complete_tx::bytes");
  size_t n = (store ? 2 : 3) + (multicast ? 1 : 0) + (policy ? 1 : 0);
  operandCount(n, n);
  const Operand &map = operand(store ? 0 : 1), &shared = operand(store ? 1 : 0);
  if (map.kind != Operand::Address || map.parts.size() != 2 ||
      map.parts[1].kind != Operand::Vector || map.parts[1].parts.size() != rank)
    failAt(map.loc, "expected [map, {" + std::to_string(rank) + " coordinates}]");
  AddressList list;
  bool is64;
  int64_t offset;
  uint32_t slot = addressSlot(map, is64, offset);
  list.add(slot, is64, offset);
  slot = addressSlot(shared, is64, offset);
  list.add(slot, is64, offset);
  if (!store) {
    slot = addressSlot(operand(2), is64, offset);
    list.add(slot, is64, offset);
    if (multicast)
      inst.c = source(3, Type::B16, true);
  }
  std::vector<uint32_t> coordinates;
  for (const Operand &c : map.parts[1].parts)
    coordinates.push_back(source(c, Type::S32, true));
  inst.op = Opcode::TensorCopy;
  inst.count = uint16_t(rank | (store ? 0x100 : 0));
  inst.aux |= list.wide;
  inst.list = beginList();
  for (const auto *part : {&list.slots, &list.offsets, &coordinates})
    kernel.slots.insert(kernel.slots.end(), part->begin(), part->end());
  emit();
}

/// aux: bit 0 expect_tx, bit 1 drop, bit 2 noComplete, bit 3 parity, bit 4 test without waiting.
void Decoder::decodeMbarrier() {
  if (take("pending_count")) {
    requireType({Type::B64});
    operandCount(2, 2);
    inst.op = Opcode::MbarrierPending;
    inst.a = source(1, Type::B64, true);
    inst.dst = destination(0, Type::U32);
    return emit();
  }
  int form =
      requireOneOf({"init", "inval", "arrive", "arrive_drop", "expect_tx", "test_wait", "try_wait"},
                   "an mbarrier operation");
  if (form == 2 || form == 3)
    inst.aux =
        uint16_t((take("expect_tx") ? 1 : 0) | (form == 3 ? 2 : 0) | (take("noComplete") ? 4 : 0));
  if (form >= 5)
    inst.aux = uint16_t((take("parity") ? 8 : 0) | (form == 5 ? 16 : 0));
  bool release = !take("relaxed");
  takeOneOf({"release", "acquire"});
  takeOneOf({"cta", "cluster"});
  if (release)
    inst.flags |= form >= 5 ? InstFlag::Acquire : InstFlag::Release;
  takeOneOf({"shared", "shared::cta", "shared::cluster"});
  requireType({Type::B64});
  size_t n = st->operands.size();
  switch (form) {
  case 0:
    operandCount(2, 2);
    inst.op = Opcode::MbarrierInit;
    inst.b = source(1, Type::U32, true);
    address(operand(0));
    break;
  case 1:
    operandCount(1, 1);
    inst.op = Opcode::MbarrierInval;
    address(operand(0));
    break;
  case 4:
    operandCount(2, 2);
    inst.op = Opcode::MbarrierExpectTx;
    inst.b = source(1, Type::U32, true);
    address(operand(0));
    break;
  case 2:
  case 3: {
    operandCount(1, 3);
    size_t at = operand(0).kind == Operand::Address ? 0 : 1;
    if (at == 1 && operand(0).kind != Operand::Sink)
      inst.dst = destination(0, Type::B64);
    inst.op = Opcode::MbarrierArrive;
    if (n > at + 1)
      inst.b = source(at + 1, Type::U32, true);
    else if (inst.aux & 1)
      fail(ErrorKind::Syntax, "expected a transaction count");
    address(operand(at));
    break;
  }
  default:
    operandCount(3, 4);
    inst.op = Opcode::MbarrierTest;
    inst.b = source(2, inst.aux & 8 ? Type::U32 : Type::B64, true);
    address(operand(1));
    inst.dst = predicateOut(operand(0));
    break;
  }
  emit();
}

/// List: address, mbarrier, offsets of both, then the values.
void Decoder::decodeStAsync() {
  take("weak");
  take("shared::cluster");
  requireOneOf({"mbarrier::complete_tx::bytes"}, ".mbarrier::complete_tx::bytes");
  int vector = takeOneOf({"v2", "v4"});
  Type type = requireType(
      {Type::B32, Type::U32, Type::S32, Type::F32, Type::B64, Type::U64, Type::S64, Type::F64});
  operandCount(3, 3);
  AddressList list;
  bool is64;
  int64_t offset;
  for (size_t k : {size_t(0), size_t(2)}) {
    uint32_t slot = addressSlot(operand(k), is64, offset);
    list.add(slot, is64, offset);
  }
  vectorOperand(operand(1), type, false, false);
  if (inst.count != (vector < 0 ? 1u : 2u << vector) || inst.count * typeSize(type) > 16)
    failAt(operand(1).loc, "expected as many registers as the vector modifier says");
  strictUses.insert(strictUses.end(), otherUses.begin(), otherUses.end());
  otherUses.clear();
  std::vector<uint32_t> values(kernel.slots.begin() + inst.list, kernel.slots.end());
  inst.op = Opcode::StoreAsync;
  inst.type = type;
  inst.aux = list.wide;
  inst.list = beginList();
  for (const auto *part : {&list.slots, &list.offsets, &values})
    kernel.slots.insert(kernel.slots.end(), part->begin(), part->end());
  emit();
}

void Decoder::decodeWgmma() {
  int form =
      requireOneOf({"fence", "commit_group", "wait_group", "mma_async"}, "a wgmma operation");
  requireOneOf({"sync"}, ".sync.aligned");
  requireOneOf({"aligned"}, ".sync.aligned");
  kernel.usesWgmma = true;
  if (form == 3)
    return decodeWgmmaMma();
  operandCount(form == 2 ? 1 : 0, form == 2 ? 1 : 0);
  inst.op = form == 0 ? Opcode::WgmmaFence : form == 1 ? Opcode::WgmmaCommit : Opcode::WgmmaWait;
  if (form == 2)
    inst.imm = immediate(0, "a number of groups");
  emit();
}

/// List: registers of D, then of A when A is in registers. imm: N | K << 16.
/// aux: bit 0 A transposed, 1 B transposed, 2 A in registers, 3 A negated, 4 B negated; type of B
/// from bit 8 on.
void Decoder::decodeWgmmaMma() {
  if (take("sp"))
    unsupported("sparse wgmma is not supported");
  std::string_view shape = takePrefix("m64");
  unsigned n = 0, k = 0;
  if (std::sscanf(std::string(shape).c_str(), "m64n%uk%u", &n, &k) != 2 || n < 8 || n > 256 ||
      n % 8)
    fail(ErrorKind::Syntax, "expected a shape such as .m64n128k16");
  Type d = takeType(), a = takeType(), b = takeType();
  bool eight = a == Type::E4M3 || a == Type::E5M2;
  bool typesOk = (a == Type::F16 || a == Type::BF16 || a == Type::TF32 || eight) &&
                 (eight ? b == Type::E4M3 || b == Type::E5M2 : b == a) &&
                 (d == Type::F32 || (d == Type::F16 && (a == Type::F16 || eight)));
  unsigned wantK = eight ? 32 : a == Type::TF32 ? 8 : 16;
  if (!typesOk || k != wantK)
    unsupported("this shape and these types are not supported");
  bool transposable = a == Type::F16 || a == Type::BF16;
  bool registers = operand(1).kind == Operand::Vector;
  size_t most = 6 + (transposable ? (registers ? 1 : 2) : 0);
  operandCount(6, most);
  size_t dRegisters = d == Type::F32 ? n / 2 : n / 4;
  const Operand &dst = operand(0);
  if (dst.kind != Operand::Vector || dst.parts.size() != dRegisters)
    failAt(dst.loc, "expected " + std::to_string(dRegisters) + " registers, but got " +
                        std::to_string(dst.parts.size()));
  if (registers && operand(1).parts.size() != 4)
    failAt(operand(1).loc, "expected 4 registers");
  auto flag = [&](size_t index, int64_t zero, int64_t one, const char *what) {
    int64_t value = immediate(index, what);
    if (value != zero && value != one)
      failAt(operand(index).loc, std::string("expected ") + what + " of " + std::to_string(zero) +
                                     " or " + std::to_string(one));
    return value == one;
  };
  inst.op = Opcode::WgmmaMma;
  inst.type = d;
  inst.type2 = a;
  inst.imm = n | k << 16;
  inst.flags |= InstFlag::OwnDefined | InstFlag::WgmmaOperands;
  unsigned aux = unsigned(b) << 8 | (registers ? 4 : 0);
  aux |= flag(4, 1, -1, "a scale") ? 8 : 0;
  aux |= flag(5, 1, -1, "a scale") ? 16 : 0;
  size_t next = 6;
  if (!registers && next < st->operands.size())
    aux |= flag(next++, 0, 1, "a transpose flag") ? 1 : 0;
  if (next < st->operands.size())
    aux |= flag(next, 0, 1, "a transpose flag") ? 2 : 0;
  inst.aux = uint16_t(aux);
  std::vector<uint32_t> slots;
  for (const Operand &p : dst.parts)
    slots.push_back(destination(p, Type::B32));
  if (registers)
    for (const Operand &p : operand(1).parts)
      slots.push_back(source(p, Type::B32, true));
  else
    inst.a = source(1, Type::B64, true);
  inst.b = source(2, Type::B64, true);
  inst.c = predicate(operand(3), true);
  inst.list = beginList();
  inst.count = uint16_t(dRegisters);
  kernel.slots.insert(kernel.slots.end(), slots.begin(), slots.end());
  emit();
}

} // namespace ptxsim
