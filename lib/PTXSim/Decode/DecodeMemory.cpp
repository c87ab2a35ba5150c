// Loads, stores, atomics, fences and branches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"
#include <algorithm>

namespace ptxsim {

static bool isMemoryType(Type t) {
  return typeSize(t) > 0 && t != Type::TF32 && t != Type::E4M3 && t != Type::E5M2;
}

/// Registers of a scalar or {vector} operand of ld and st. Example: {%r1, _, %r3} -> 3 slots; the
/// sink `_` of a load is slot 0.
void Decoder::vectorOperand(const Operand &op, Type type, bool isDestination, bool wider) {
  std::vector<const Operand *> parts;
  if (op.kind == Operand::Vector)
    for (const Operand &p : op.parts)
      parts.push_back(&p);
  else
    parts.push_back(&op);
  if (parts.empty())
    failAt(op.loc, "expected at least one register");
  std::vector<uint32_t> slots;
  unsigned width = 0;
  for (const Operand *p : parts) {
    if (p->kind == Operand::Sink && isDestination) {
      slots.push_back(0);
      continue;
    }
    const RegisterRef *ref = p->kind == Operand::Name ? findRegister(p->name) : nullptr;
    unsigned own = ref ? registerSize(ref->type) : registerSize(type);
    if (width && own != width)
      failAt(p->loc, "expected registers of one size");
    width = own;
    slots.push_back(isDestination ? destination(*p, type, wider) : source(*p, type, false, wider));
  }
  inst.aux = uint16_t(width ? width : registerSize(type));
  inst.count = uint16_t(slots.size());
  inst.list = beginList();
  kernel.slots.insert(kernel.slots.end(), slots.begin(), slots.end());
}

static bool takeSpaceWord(std::string_view word, Space &space) {
  if (word == "global")
    space = Space::Global;
  else if (word == "shared" || word == "shared::cta" || word == "shared::cluster")
    space = Space::Shared;
  else if (word == "local")
    space = Space::Local;
  else if (word == "const")
    space = Space::Const;
  else if (word == "param" || word == "param::entry" || word == "param::func")
    space = Space::Param;
  else
    return false;
  return true;
}

void Decoder::takeSpace() {
  for (size_t k = 0; k < modifiers.size(); k++)
    if (takeSpaceWord(modifiers[k], inst.space)) {
      consumed[k] = true;
      break;
    }
}

/// Decodes the cache policy operand behind `count` operands; present with .L2::cache_hint, without
/// effect here.
void Decoder::cachePolicy(size_t count) {
  bool hint = take("L2::cache_hint");
  operandCount(count + hint, count + hint);
  if (hint)
    source(count, Type::B64);
}

/// createpolicy: caches are not modelled, so all policies have one value.
void Decoder::decodeCreatePolicy() {
  int form = requireOneOf({"fractional", "range", "cvt"}, ".fractional, .range or .cvt");
  take("global");
  bool primary = takeOneOf({"L2::evict_last", "L2::evict_normal", "L2::evict_first",
                            "L2::evict_unchanged", "L2"}) >= 0;
  if (!primary)
    fail(ErrorKind::Syntax, "expected a priority such as .L2::evict_last");
  takeOneOf({"L2::evict_first", "L2::evict_unchanged"});
  requireType({Type::B64});
  if (form == 0)
    operandCount(1, 2);
  else
    operandCount(form == 1 ? 4 : 2, form == 1 ? 4 : 2);
  if (form == 1) {
    address(operand(1));
    source(2, Type::U32);
    source(3, Type::U32);
    inst.flags = 0;
    inst.imm = 0;
  }
  if (form == 2)
    source(1, Type::B64);
  inst.op = Opcode::Move;
  inst.type = Type::B64;
  inst.dst = destination(0, Type::B64);
  inst.a = constant(8, 0);
  emit();
}

Type Decoder::vectorInMemory(size_t index, bool isDestination) {
  int vector = takeOneOf({"v2", "v4", "v8"});
  Type type = takeType();
  if (!isMemoryType(type))
    fail(ErrorKind::Syntax, "expected a type with a size in memory");
  cachePolicy(2);
  inst.type = type;
  vectorOperand(operand(index), type, isDestination, true);
  if (inst.count != (vector < 0 ? 1 : 2u << vector) || typeSize(type) * inst.count > 32)
    failAt(operand(index).loc, "expected as many registers as the vector modifier says");
  return type;
}

void Decoder::decodeLoad() {
  takeSpace();
  takeScopeAndSemantics();
  take("nc");
  takeCacheHints();
  inst.op = Opcode::Load;
  inst.flags |= InstFlag::OwnDefined;
  Type type = vectorInMemory(0, true);
  address(operand(1));
  const Operand &inner = operand(1).parts[0];
  if (inner.kind == Operand::Name && inst.space == Space::Param) {
    std::optional<VariableRef> variable = findVariable(inner.name);
    if (variable && variable->kernelParameter) {
      inst.op = Opcode::LoadParam; // uniform address, known at decoding
      inst.imm += int64_t(variable->offset);
      if (inst.imm < 0 || inst.imm + typeSize(type) * inst.count > kernel.parameterBytes)
        failAt(inner.loc, "expected an offset inside the kernel's parameters");
      inst.flags &= uint16_t(~InstFlag::OwnDefined);
    }
  }
  emit();
}

void Decoder::decodeStore() {
  if (take("async"))
    return decodeStAsync();
  takeSpace();
  takeScopeAndSemantics();
  takeCacheHints();
  inst.op = Opcode::Store;
  if (inst.space == Space::Const)
    fail(ErrorKind::Syntax, "expected a writable state space");
  vectorInMemory(1, false);
  address(operand(0));
  emit();
}

/// List: the values, then the destinations of atom; inst.dst is nonzero if there are destinations.
void Decoder::vectorAtomic(size_t first, unsigned count, bool returns, AtomicOp op) {
  Type type = inst.type;
  bool half = type == Type::F16 || type == Type::BF16;
  bool pair = type == Type::F16x2 || type == Type::BF16x2;
  bool known = type == Type::F32 ? op == AtomicOp::Add && count <= 4
                                 : (half || (pair && count <= 4)) && op <= AtomicOp::Max;
  if (!known || inst.space == Space::Shared)
    unsupported("vector atomics are add of f32, or add, min or max of f16, bf16 and pairs of f16 "
                "or bf16, in global memory");
  vectorOperand(operand(first + 1), type, false, false);
  std::vector<uint32_t> slots(kernel.slots.begin() + inst.list, kernel.slots.end());
  size_t got = slots.size();
  strictUses.insert(strictUses.end(), otherUses.begin(), otherUses.end());
  otherUses.clear();
  if (returns) {
    vectorOperand(operand(0), type, true, false);
    slots.insert(slots.end(), kernel.slots.begin() + inst.list, kernel.slots.end());
    got = std::max(got, slots.size() - got);
    inst.dst = 1;
  }
  if (got != count || slots.size() != count * (returns ? 2u : 1u))
    failAt(operand(first + 1).loc, "expected as many registers as the vector modifier says");
  inst.list = beginList();
  inst.count = uint16_t(count);
  kernel.slots.insert(kernel.slots.end(), slots.begin(), slots.end());
}

void Decoder::decodeAtomic() {
  bool returns = base == "atom";
  if (take("async"))
    unsupported("red.async is not supported");
  takeScopeAndSemantics();
  takeSpace();
  int op = requireOneOf({"add", "min", "max", "exch", "cas", "and", "or", "xor", "inc", "dec"},
                        "an atomic operation");
  take("noftz");
  takeCacheHints();
  int vector = takeOneOf({"v2", "v4", "v8"});
  Type type = requireType({Type::B32, Type::B64, Type::U32, Type::S32, Type::U64, Type::S64,
                           Type::F32, Type::F64, Type::F16, Type::BF16, Type::F16x2, Type::BF16x2,
                           Type::B16, Type::B128});
  AtomicOp atomic = AtomicOp(op);
  size_t first = returns ? 1 : 0, values = atomic == AtomicOp::Cas ? 2 : 1;
  cachePolicy(first + 1 + values);
  if (inst.space != Space::Generic && inst.space != Space::Global && inst.space != Space::Shared)
    fail(ErrorKind::Syntax, "expected .global or .shared");
  inst.op = Opcode::Atomic;
  inst.type = type;
  inst.flags |= InstFlag::Strong;
  if (vector >= 0) {
    vectorAtomic(first, 2u << vector, returns, atomic);
  } else {
    inst.count = 1;
    inst.b = source(first + 1, type, true);
    if (values == 2)
      inst.c = source(first + 2, type, true);
  }
  inst.aux = uint16_t(op);
  address(operand(first));
  if (returns && vector < 0)
    inst.dst = destination(0, type);
  bool exact = isInteger(type) || isBits(type);
  bool commutes = exact && atomic != AtomicOp::Exch && atomic != AtomicOp::Cas && !inst.dst;
  if (inst.space != Space::Shared && !commutes)
    kernel.orderedAtomics = true;
  emit();
}

void Decoder::decodePrefetch() {
  // A cache hint only; operands are checked nevertheless.
  inst.op = Opcode::Prefetch;
  for (size_t k = 0; k < modifiers.size(); k++)
    consumed[k] = true;
  operandCount(1, 2);
  address(operand(0));
  emit();
}

/// discard[.global].L2 [a], 128: the bytes become undefined. aux: 1.
void Decoder::decodeDiscard() {
  take("global");
  requireOneOf({"L2"}, ".L2");
  operandCount(2, 2);
  if (immediate(1, "a size") != 128)
    failAt(operand(1).loc, "expected a size of 128");
  inst.op = Opcode::Prefetch;
  inst.aux = 1;
  address(operand(0));
  emit();
}

void Decoder::decodeFence() {
  if (base == "membar") {
    requireOneOf({"cta", "gl", "sys"}, ".cta, .gl or .sys");
    inst.op = Opcode::Fence;
    inst.flags |= InstFlag::Acquire | InstFlag::Release;
    operandCount(0, 0);
    return emit();
  }
  if (take("mbarrier_init")) {
    take("release");
    take("cluster");
    operandCount(0, 0);
    inst.op = Opcode::Fence;
    inst.aux = 1; // mbarrier_init only
    return emit();
  }
  if (take("proxy")) {
    if (takeOneOf({"async", "async::generic", "async.global"}) >= 0) {
      takeOneOf({"global", "shared::cta", "shared::cluster", "shared"});
      takeOneOf({"acquire", "release"});
      takeOneOf({"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
      takeOneOf({"cta", "cluster", "gpu", "sys"});
      inst.op = Opcode::ProxyFence;
    } else if (take("alias")) {
      inst.op = Opcode::Nop;
    } else if (takeOneOf({"tensormap::generic"}) >= 0) {
      takeOneOf({"acquire", "release"});
      takeOneOf({"cta", "cluster", "gpu", "sys"});
      for (const Operand &op : st->operands)
        if (op.kind == Operand::Address)
          address(op);
      inst.op = Opcode::Nop;
    } else {
      fail(ErrorKind::Syntax, "expected a proxy");
    }
    return emit();
  }
  int semantics = takeOneOf({"sc", "acq_rel", "acquire", "release"});
  takeOneOf({"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  requireOneOf({"cta", "cluster", "gpu", "sys"}, "a scope");
  operandCount(0, 0);
  inst.op = Opcode::Fence;
  inst.flags |= semantics == 2   ? InstFlag::Acquire
                : semantics == 3 ? InstFlag::Release
                                 : InstFlag::Acquire | InstFlag::Release;
  emit();
}

// --- Control flow -----------------------------------------------------------------------------

void Decoder::decodeBranch() {
  take("uni");
  operandCount(1, 1);
  const Operand &target = operand(0);
  if (target.kind != Operand::Name || target.offset)
    failAt(target.loc, "expected a label");
  inst.op = Opcode::Branch;
  inst.flags |= InstFlag::Control;
  fixups.push_back({kernel.code.size(), env, target.name, target.loc, -1, -1});
  emit();
}

void Decoder::decodeBranchTable() {
  requireOneOf({"idx"}, "brx.idx");
  take("uni");
  operandCount(2, 2);
  const Statement *targets = nullptr;
  for (Environment *e = env; e && !targets; e = e->parent) {
    auto found = e->branchTargets.find(operand(1).name);
    if (found != e->branchTargets.end())
      targets = found->second;
  }
  if (!targets)
    failAt(operand(1).loc, "expected the label of a .branchtargets directive");
  inst.op = Opcode::BranchTable;
  inst.flags |= InstFlag::Control;
  inst.a = source(0, Type::U32, true);
  inst.list = uint32_t(kernel.branchTables.size());
  kernel.branchTables.emplace_back(targets->targets.size(), -1);
  for (size_t k = 0; k < targets->targets.size(); k++)
    fixups.push_back({kernel.code.size(), env, targets->targets[k], targets->loc,
                      int32_t(inst.list), int32_t(k)});
  emit();
}

void Decoder::decodeExit() {
  take("uni");
  operandCount(0, 0);
  inst.op = Opcode::Exit;
  inst.flags |= InstFlag::Control;
  emit();
}

void Decoder::decodeTrap() {
  operandCount(0, 0);
  inst.op = Opcode::Trap;
  emit();
}

void Decoder::decodeNop() {
  for (size_t k = 0; k < modifiers.size(); k++)
    consumed[k] = true;
  inst.op = Opcode::Nop;
  emit();
}

} // namespace ptxsim
