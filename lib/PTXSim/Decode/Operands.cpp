// Operands and modifiers of an instruction: registers, constants, symbols, addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"

namespace ptxsim {

static constexpr uint32_t maximumRegisterBytes = 64 << 20;

void Decoder::fail(ErrorKind kind, const std::string &message) const {
  Location loc = st ? st->loc : Location();
  std::string where = std::to_string(loc.line) + ":" + std::to_string(loc.column) + ": ";
  std::string what = st ? std::string(st->text) + ": " : "";
  throw Error(kind, where + what + message, loc.line, loc.column);
}

void Decoder::failAt(Location loc, const std::string &message) const {
  throw Error(ErrorKind::Syntax,
              std::to_string(loc.line) + ":" + std::to_string(loc.column) + ": " + message,
              loc.line, loc.column);
}

void Decoder::unsupported(const std::string &what) const { fail(ErrorKind::Unsupported, what); }

uint32_t Decoder::allocateSlot(unsigned bytesPerLane, const std::string &name) {
  uint32_t bytes = bytesPerLane ? bytesPerLane * 32 : 4;
  uint32_t slot = nextSlot;
  nextSlot += (bytes + 63) / 64 * 64;
  if (nextSlot > maximumRegisterBytes)
    fail(ErrorKind::Unsupported, "kernel '" + kernel.info.name + "' needs more than " +
                                     std::to_string(maximumRegisterBytes >> 20) +
                                     " MiB of registers per warp");
  if (!name.empty()) {
    kernel.slotNames[slotIndex(slot)] = name;
    slotWords[slotIndex(slot)] = uint8_t((bytesPerLane + 3) / 4);
  }
  return slot;
}

uint32_t Decoder::constant(unsigned width, uint64_t value, bool dynamicShared) {
  if (width < 8)
    value &= (uint64_t(1) << (8 * width)) - 1;
  auto key = std::make_tuple(width, value, dynamicShared);
  auto found = constantSlots.find(key);
  if (found != constantSlots.end())
    return found->second;
  uint32_t slot = allocateSlot(width);
  constantSlots.emplace(key, slot);
  kernel.constants.push_back({slot, uint8_t(width), dynamicShared, value});
  return slot;
}

static std::optional<SpecialRegister> specialByName(std::string_view name) {
  static const std::unordered_map<std::string_view, SpecialRegister> table = {
      {"%tid.x", SpecialRegister::TidX},
      {"%tid.y", SpecialRegister::TidY},
      {"%tid.z", SpecialRegister::TidZ},
      {"%ntid.x", SpecialRegister::NtidX},
      {"%ntid.y", SpecialRegister::NtidY},
      {"%ntid.z", SpecialRegister::NtidZ},
      {"%ctaid.x", SpecialRegister::CtaidX},
      {"%ctaid.y", SpecialRegister::CtaidY},
      {"%ctaid.z", SpecialRegister::CtaidZ},
      {"%nctaid.x", SpecialRegister::NctaidX},
      {"%nctaid.y", SpecialRegister::NctaidY},
      {"%nctaid.z", SpecialRegister::NctaidZ},
      {"%laneid", SpecialRegister::LaneId},
      {"%warpid", SpecialRegister::WarpId},
      {"%nwarpid", SpecialRegister::NWarpId},
      {"%smid", SpecialRegister::SmId},
      {"%nsmid", SpecialRegister::NSmId},
      {"%gridid", SpecialRegister::GridId},
      {"%lanemask_eq", SpecialRegister::LanemaskEq},
      {"%lanemask_le", SpecialRegister::LanemaskLe},
      {"%lanemask_lt", SpecialRegister::LanemaskLt},
      {"%lanemask_ge", SpecialRegister::LanemaskGe},
      {"%lanemask_gt", SpecialRegister::LanemaskGt},
      {"%clusterid.x", SpecialRegister::ClusterIdX},
      {"%clusterid.y", SpecialRegister::ClusterIdY},
      {"%clusterid.z", SpecialRegister::ClusterIdZ},
      {"%nclusterid.x", SpecialRegister::NClusterIdX},
      {"%nclusterid.y", SpecialRegister::NClusterIdY},
      {"%nclusterid.z", SpecialRegister::NClusterIdZ},
      {"%cluster_ctaid.x", SpecialRegister::ClusterCtaidX},
      {"%cluster_ctaid.y", SpecialRegister::ClusterCtaidY},
      {"%cluster_ctaid.z", SpecialRegister::ClusterCtaidZ},
      {"%cluster_nctaid.x", SpecialRegister::ClusterNctaidX},
      {"%cluster_nctaid.y", SpecialRegister::ClusterNctaidY},
      {"%cluster_nctaid.z", SpecialRegister::ClusterNctaidZ},
      {"%cluster_ctarank", SpecialRegister::ClusterCtarank},
      {"%cluster_nctarank", SpecialRegister::ClusterNctarank},
      {"%is_explicit_cluster", SpecialRegister::IsExplicitCluster},
      {"%dynamic_smem_size", SpecialRegister::DynamicSharedSize},
      {"%total_smem_size", SpecialRegister::TotalSharedSize},
      {"%clock", SpecialRegister::Clock},
      {"%clock_hi", SpecialRegister::Clock},
      {"%clock64", SpecialRegister::Clock64},
      {"%globaltimer", SpecialRegister::GlobalTimer}};
  auto found = table.find(name);
  if (found == table.end())
    return std::nullopt;
  return found->second;
}

uint32_t Decoder::special(std::string_view name, unsigned width, Location loc) {
  std::optional<SpecialRegister> which = specialByName(name);
  if (!which)
    failAt(loc, "expected a declared register or a special register, but got '" +
                    std::string(name) + "'");
  std::string key = std::string(name) + "/" + std::to_string(width);
  auto found = specialSlots.find(key);
  if (found != specialSlots.end())
    return found->second;
  uint32_t slot = allocateSlot(width);
  specialSlots.emplace(key, slot);
  kernel.specials.push_back({slot, uint8_t(width), *which});
  return slot;
}

/// Splits the digits off the end of a name: "%r12" -> prefix "%r", index 12 of the range "%r<n>".
static bool splitIndex(std::string_view name, std::string_view &prefix, uint64_t &index) {
  size_t end = name.size();
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
    end--;
  if (end == name.size() || name.size() - end > 8)
    return false;
  if (name[end] == '0' && name.size() - end > 1)
    return false; // "%r01" is not register 1
  prefix = name.substr(0, end);
  index = 0;
  for (size_t k = end; k < name.size(); k++)
    index = index * 10 + unsigned(name[k] - '0');
  return true;
}

const Decoder::RegisterRef *Decoder::findRegister(std::string_view name) {
  std::string_view prefix;
  uint64_t index = 0;
  bool indexed = splitIndex(name, prefix, index);
  for (Environment *e = env; e; e = e->parent) {
    auto exact = e->registers.find(name);
    if (exact != e->registers.end())
      return &exact->second;
    if (!indexed)
      continue;
    auto range = e->ranges.find(prefix);
    if (range != e->ranges.end() && index < uint64_t(range->second->count)) {
      Type type = range->second->type;
      uint32_t slot = allocateSlot(registerSize(type), std::string(name));
      return &e->registers.emplace(name, RegisterRef{slot, type}).first->second;
    }
  }
  return nullptr;
}

std::optional<Decoder::VariableRef> Decoder::findVariable(std::string_view name) {
  for (Environment *e = env; e; e = e->parent) {
    auto found = e->variables.find(name);
    if (found != e->variables.end())
      return found->second;
  }
  if (std::optional<VariableRef> shared = moduleShared(name))
    return shared;
  auto global = symbols.find(name);
  if (global != symbols.end())
    return VariableRef{Space::Global, global->second, false, false};
  return std::nullopt;
}

const Operand &Decoder::operand(size_t index) const {
  if (index >= st->operands.size())
    fail(ErrorKind::Syntax, "expected at least " + std::to_string(index + 1) +
                                " operands, but got " + std::to_string(st->operands.size()));
  return st->operands[index];
}

void Decoder::operandCount(size_t least, size_t most) {
  size_t n = st->operands.size();
  if (n < least || n > most)
    fail(ErrorKind::Syntax, "expected " + std::to_string(least) +
                                (most != least ? " to " + std::to_string(most) : std::string()) +
                                " operands, but got " + std::to_string(n));
}

int64_t Decoder::immediate(size_t index, const char *what) {
  const Operand &op = operand(index);
  if (op.kind != Operand::Integer)
    failAt(op.loc, std::string("expected ") + what + " as an integer literal");
  return op.value;
}

uint32_t Decoder::literal(const Operand &op, Type type) {
  uint64_t value = uint64_t(op.value);
  unsigned width = registerSize(type);
  if (width == 0 || width > 8)
    failAt(op.loc, std::string("expected a register of type .") + typeName(type));
  if (op.kind == Operand::Float && width == 8) {
    float narrow;
    uint32_t bits = uint32_t(value);
    std::memcpy(&narrow, &bits, 4);
    double wide = narrow;
    std::memcpy(&value, &wide, 8);
  } else if (op.kind == Operand::Double && width == 4) {
    double wide;
    std::memcpy(&wide, &value, 8);
    float narrow = float(wide);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    value = bits;
  } else if (op.kind != Operand::Integer && width < 4) {
    failAt(op.loc, "expected an integer literal for a 16-bit operand");
  } else if (op.kind == Operand::Integer && (type == Type::F32 || type == Type::F64)) {
    double wide = double(op.value);
    float narrow = float(wide);
    if (width == 8)
      std::memcpy(&value, &wide, 8);
    else
      std::memcpy(&value, &narrow, 4), value &= 0xffffffffu;
  }
  return constant(width, value);
}

uint32_t Decoder::symbolAddress(const Operand &op, unsigned width) {
  std::optional<VariableRef> variable = findVariable(op.name);
  if (!variable) {
    const Function *function = module->findFunction(op.name);
    if (function)
      unsupported("the address of function '" + std::string(op.name) + "' is not supported");
    failAt(op.loc, "expected a declared name, but got '" + std::string(op.name) + "'");
  }
  uint64_t value = variable->offset;
  if (variable->space == Space::Param)
    value += variable->kernelParameter ? paramWindow : localWindow;
  if (width < 8 && (variable->space == Space::Global || variable->space == Space::Param))
    failAt(op.loc, "expected a 64-bit register for the address of '" + std::string(op.name) + "'");
  return constant(width, value + uint64_t(op.offset), variable->dynamic);
}

void Decoder::checkRegister(const RegisterRef &ref, const Operand &op, Type type,
                            bool wider) const {
  unsigned have = registerSize(ref.type), want = registerSize(type);
  if ((ref.type == Type::Pred) != (type == Type::Pred) || (wider ? have < want : have != want))
    failAt(op.loc, "expected a register of type ." + std::string(typeName(type)) + ", but got '" +
                       std::string(op.name) + "' of type ." + typeName(ref.type));
}

uint32_t Decoder::source(const Operand &op, Type type, bool strict, bool wider) {
  unsigned width = registerSize(type);
  if (op.negated || !op.pair.empty())
    failAt(op.loc, "expected a plain source operand");
  switch (op.kind) {
  case Operand::Integer:
  case Operand::Float:
  case Operand::Double:
    return literal(op, type);
  case Operand::Name:
    break;
  default:
    failAt(op.loc, std::string("expected a register or a constant of type .") + typeName(type));
  }
  if (const RegisterRef *ref = findRegister(op.name)) {
    if (op.offset)
      failAt(op.loc, "expected a register without an offset");
    checkRegister(*ref, op, type, wider);
    (strict ? strictUses : otherUses).push_back(slotIndex(ref->slot));
    return ref->slot;
  }
  if (op.name == "WARP_SZ")
    return constant(width, 32);
  if (op.name[0] == '%')
    return special(op.name, width, op.loc);
  return symbolAddress(op, width);
}

uint32_t Decoder::destination(const Operand &op, Type type, bool wider) {
  if (op.kind == Operand::Sink)
    return allocateSlot(wider ? 8 : registerSize(type));
  const RegisterRef *ref = op.kind == Operand::Name ? findRegister(op.name) : nullptr;
  if (!ref || op.negated || op.offset)
    failAt(op.loc,
           std::string("expected a register of type .") + typeName(type) + " as destination");
  checkRegister(*ref, op, type, wider);
  definitions.push_back(slotIndex(ref->slot));
  return ref->slot;
}

uint32_t Decoder::predicate(const Operand &op, bool strict) {
  if (op.kind == Operand::Integer) {
    // wgmma and inline assembly may pass a literal predicate.
    uint32_t slot = constant(4, op.value ? 0xffffffffu : 0);
    return slot;
  }
  const RegisterRef *ref = op.kind == Operand::Name ? findRegister(op.name) : nullptr;
  if (!ref || ref->type != Type::Pred)
    failAt(op.loc, "expected a predicate register");
  (strict ? strictUses : otherUses).push_back(slotIndex(ref->slot));
  return ref->slot;
}

uint32_t Decoder::predicateOut(const Operand &op) {
  if (op.kind == Operand::Sink)
    return allocateSlot(0);
  const RegisterRef *ref = op.kind == Operand::Name ? findRegister(op.name) : nullptr;
  if (!ref || ref->type != Type::Pred || op.negated)
    failAt(op.loc, "expected a predicate register as destination");
  definitions.push_back(slotIndex(ref->slot));
  return ref->slot;
}

/// Slot of the base of "[base+offset]"; a base is a register of 32 or 64 bits.
uint32_t Decoder::addressSlot(const Operand &op, bool &is64, int64_t &offset) {
  if (op.kind != Operand::Address)
    failAt(op.loc, "expected an address in brackets");
  const Operand &inner = op.parts[0];
  offset = op.offset;
  is64 = true;
  if (inner.kind == Operand::Integer)
    return constant(8, uint64_t(inner.value));
  if (const RegisterRef *ref = findRegister(inner.name)) {
    is64 = registerSize(ref->type) == 8;
    if (!is64 && registerSize(ref->type) != 4)
      failAt(inner.loc, "expected a 32- or 64-bit register as address, but got '" +
                            std::string(inner.name) + "'");
    strictUses.push_back(slotIndex(ref->slot));
    return ref->slot;
  }
  return symbolAddress(inner, 8);
}

void Decoder::address(const Operand &op) {
  bool is64;
  inst.a = addressSlot(op, is64, inst.imm);
  if (is64)
    inst.flags |= InstFlag::Address64;
}

bool Decoder::take(std::string_view word) {
  for (size_t k = 0; k < modifiers.size(); k++)
    if (!consumed[k] && modifiers[k] == word) {
      consumed[k] = true;
      return true;
    }
  return false;
}

int Decoder::takeOneOf(std::initializer_list<std::string_view> words) {
  int index = 0;
  for (std::string_view word : words) {
    if (take(word))
      return index;
    index++;
  }
  return -1;
}

int Decoder::requireOneOf(std::initializer_list<std::string_view> words, const char *what) {
  int index = takeOneOf(words);
  if (index < 0)
    fail(ErrorKind::Syntax, std::string("expected ") + what);
  return index;
}

std::string_view Decoder::takePrefix(std::string_view prefix) {
  for (size_t k = 0; k < modifiers.size(); k++)
    if (!consumed[k] && modifiers[k].substr(0, prefix.size()) == prefix) {
      consumed[k] = true;
      return modifiers[k];
    }
  return {};
}

Type Decoder::takeType() {
  for (size_t k = 0; k < modifiers.size(); k++) {
    if (consumed[k])
      continue;
    Type type = parseType(modifiers[k]);
    if (type != Type::None) {
      consumed[k] = true;
      return type;
    }
  }
  return Type::None;
}

Type Decoder::requireType(std::initializer_list<Type> allowed) {
  Type type = takeType();
  for (Type t : allowed)
    if (t == type)
      return type;
  if (type == Type::None)
    fail(ErrorKind::Syntax, "expected a type");
  unsupported(std::string("type .") + typeName(type) + " is not supported here");
}

void Decoder::takeRounding() {
  int index = takeOneOf({"rn", "rz", "rm", "rp"});
  constexpr Rounding table[] = {Rounding::Nearest, Rounding::Zero, Rounding::Down, Rounding::Up};
  if (index >= 0)
    inst.rounding = table[index];
}

void Decoder::takeCacheHints() {
  while (takeOneOf({"ca", "cg", "cs", "lu", "cv", "wb", "wt", "L1::evict_last", "L1::evict_first",
                    "L1::evict_normal", "L1::evict_unchanged", "L1::no_allocate", "L2::64B",
                    "L2::128B", "L2::256B", "L2::evict_last", "L2::evict_first",
                    "L2::evict_normal"}) >= 0)
    ;
}

void Decoder::takeScopeAndSemantics() {
  switch (takeOneOf({"volatile", "relaxed", "acquire", "release", "acq_rel", "weak", "mmio"})) {
  case 0:
  case 1:
  case 6:
    inst.flags |= InstFlag::Strong;
    break;
  case 2:
    inst.flags |= InstFlag::Strong | InstFlag::Acquire;
    break;
  case 3:
    inst.flags |= InstFlag::Strong | InstFlag::Release;
    break;
  case 4:
    inst.flags |= InstFlag::Strong | InstFlag::Acquire | InstFlag::Release;
    break;
  default:
    break;
  }
  takeOneOf({"cta", "cluster", "gpu", "sys"});
}

} // namespace ptxsim
