// Scopes, variables, statements and calls of a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"
#include "lib/PTXSim/Decode/Targets.h"
#include <algorithm>

namespace ptxsim {

static constexpr uint64_t maximumShared = 256 << 10, maximumLocal = 1 << 20;
static constexpr size_t maximumInstructions = 4 << 20, maximumCallDepth = 64;
static constexpr uint32_t redZone = 16;

Decoder::Decoder(std::shared_ptr<const ModuleImpl> module, const SymbolTable &symbols,
                 Kernel &kernel)
    : module(std::move(module)), symbols(symbols), kernel(kernel) {
  kernel.module = this->module;
}

Decoder::Environment *Decoder::newEnvironment(Environment *parent) {
  environments.push_back(std::make_unique<Environment>());
  Environment *result = environments.back().get();
  result->parent = parent;
  if (parent)
    result->returnTarget = parent->returnTarget;
  return result;
}

void Decoder::run(const Function &entry) {
  kernel.trueSlot = allocateSlot(0);
  Environment *top = newEnvironment(nullptr);
  env = top;
  declareKernelParameters(entry, *top);
  callStack.push_back(&entry);
  decodeScope(*entry.body, *top);
  callStack.pop_back();
  // The end of the body is an implicit return.
  st = nullptr;
  Inst exit;
  exit.op = Opcode::Exit;
  exit.flags = InstFlag::Control;
  exit.guard = kernel.trueSlot;
  kernel.code.push_back(exit);
  kernel.codeInfo.push_back({entry.loc, SourceLine(), "ret", "ret;"});
  resolveFixups();
  computeReconvergence(kernel);
  finish();
}

void Decoder::declareKernelParameters(const Function &entry, Environment &top) {
  for (const KernelInfo &info : module->kernels)
    if (info.name == entry.name)
      kernel.info = info;
  for (size_t k = 0; k < entry.parameters.size(); k++) {
    const Parameter &p = kernel.info.parameters[k];
    top.variables[entry.parameters[k].name] = {Space::Param, p.offset, false, true};
    kernel.parameterBytes = std::max(kernel.parameterBytes, p.offset + p.size);
  }
}

uint64_t Decoder::allocateLocal(uint64_t size, uint32_t alignment, std::string_view name,
                                Location loc) {
  uint64_t offset = (kernel.localBytes + uint64_t(alignment) - 1) / alignment * alignment;
  if (offset + size + redZone > maximumLocal)
    failAt(loc, "expected at most " + std::to_string(maximumLocal) +
                    " bytes of local memory per thread, but got more");
  kernel.localVariables.push_back({std::string(name), offset, size});
  kernel.localBytes = uint32_t(offset + size + redZone);
  return offset;
}

Decoder::VariableRef Decoder::placeShared(const Variable &variable) {
  if (variable.dynamic || (variable.isExtern && variable.size == 0)) {
    kernel.hasDynamicShared = true;
    kernel.dynamicAlignment = std::max(kernel.dynamicAlignment, variable.alignment);
    return {Space::Shared, 0, true, false};
  }
  uint64_t offset = (kernel.sharedStatic + uint64_t(variable.alignment) - 1) / variable.alignment *
                    variable.alignment;
  if (offset + variable.size > maximumShared)
    failAt(variable.loc, "expected at most " + std::to_string(maximumShared) +
                             " bytes of shared memory, but got more");
  kernel.sharedVariables.push_back({std::string(variable.name), offset, variable.size});
  kernel.sharedDeclared = uint32_t((kernel.sharedDeclared + uint64_t(variable.alignment) - 1) /
                                       variable.alignment * variable.alignment +
                                   variable.size);
  kernel.sharedStatic = uint32_t(offset + variable.size + redZone);
  return {Space::Shared, offset, false, false};
}

/// Module-level shared variables take space only in kernels that use the variable.
std::optional<Decoder::VariableRef> Decoder::moduleShared(std::string_view name) {
  auto placed = placedShared.find(name);
  if (placed != placedShared.end())
    return placed->second;
  for (const Variable &variable : module->variables)
    if (variable.space == Space::Shared && variable.name == name)
      return placedShared.emplace(name, placeShared(variable)).first->second;
  return std::nullopt;
}

void Decoder::declareVariable(const Variable &variable, Environment &scopeEnv) {
  switch (variable.space) {
  case Space::Shared: {
    // A function's static shared variable is a single object, however often the function is
    // inlined.
    auto placed = placedShared.find(variable.name);
    scopeEnv.variables[variable.name] =
        placed != placedShared.end()
            ? placed->second
            : placedShared.emplace(variable.name, placeShared(variable)).first->second;
    return;
  }
  case Space::Local:
  case Space::Param:
    scopeEnv.variables[variable.name] = {
        variable.space,
        allocateLocal(variable.size, variable.alignment, variable.name, variable.loc), false,
        false};
    return;
  default:
    failAt(variable.loc, "expected a .reg, .local, .param or .shared variable in a function");
  }
}

void Decoder::declareScope(const Scope &scope, Environment &scopeEnv) {
  for (const RegisterDecl &decl : scope.registers) {
    if (decl.count >= 0) {
      scopeEnv.ranges[decl.name] = &decl;
    } else {
      uint32_t slot = allocateSlot(registerSize(decl.type), std::string(decl.name));
      scopeEnv.registers[decl.name] = {slot, decl.type};
    }
  }
  for (const Variable &variable : scope.variables)
    declareVariable(variable, scopeEnv);
}

void Decoder::decodeScope(const Scope &scope, Environment &scopeEnv) {
  Environment *saved = env;
  env = &scopeEnv;
  declareScope(scope, scopeEnv);
  const Statement *label = nullptr;
  for (const Statement &statement : scope.statements) {
    if (statement.kind == Statement::BranchTargets) {
      if (!label)
        failAt(statement.loc, "expected a label in front of .branchtargets");
      scopeEnv.branchTargets[label->text] = &statement;
    }
    if (statement.kind == Statement::Label)
      label = &statement;
  }
  for (const Statement &statement : scope.statements)
    decodeStatement(statement, scopeEnv);
  env = saved;
}

void Decoder::decodeStatement(const Statement &statement, Environment &scopeEnv) {
  switch (statement.kind) {
  case Statement::Block:
    decodeScope(*statement.block, *newEnvironment(&scopeEnv));
    return;
  case Statement::Label:
    if (!scopeEnv.labels.emplace(statement.text, int32_t(kernel.code.size())).second)
      failAt(statement.loc,
             "expected one definition of label '" + std::string(statement.text) + "', but got two");
    return;
  case Statement::BranchTargets:
    return;
  case Statement::Instruction:
    break;
  }
  st = &statement;
  env = &scopeEnv;
  modifiers.clear();
  std::string_view text = statement.text;
  size_t dot = text.find('.');
  base = text.substr(0, dot);
  while (dot != std::string_view::npos) {
    size_t next = text.find('.', dot + 1);
    modifiers.push_back(text.substr(dot + 1, next == std::string_view::npos ? std::string_view::npos
                                                                            : next - dot - 1));
    dot = next;
  }
  consumed.assign(modifiers.size(), false);
  inst = Inst();
  inst.guard = kernel.trueSlot;
  strictUses.clear();
  otherUses.clear();
  definitions.clear();
  if (statement.hasGuard) {
    const RegisterRef *guard = findRegister(statement.guard);
    if (!guard || guard->type != Type::Pred)
      failAt(statement.loc, "expected a predicate register as guard, but got '" +
                                std::string(statement.guard) + "'");
    inst.guard = guard->slot;
    inst.guardFlip = statement.guardNegated ? ~0u : 0;
  }
  std::string missing = missingFeature(*module, base, modifiers);
  if (!missing.empty())
    unsupported(missing);
  if (base == "call")
    return decodeCall();
  if (base == "ret" && env->returnTarget)
    return decodeReturn();
  if (const PlainForm *form = findPlainForm())
    return decodePlain(*form);
  auto found = decodeTable().find(base);
  if (found == decodeTable().end())
    isPlain() ? failPlain() : unsupported("unknown instruction");
  (this->*found->second)();
}

/// Checks that every modifier was decoded, records uses and definitions, selects the handler.
void Decoder::emit() {
  for (size_t k = 0; k < modifiers.size(); k++)
    if (!consumed[k])
      fail(ErrorKind::Unsupported,
           "modifier '." + std::string(modifiers[k]) + "' is not supported here");
  if (kernel.code.size() >= maximumInstructions)
    unsupported("kernel '" + kernel.info.name + "' has too many instructions after inlining");
  inst.uses = uint32_t(kernel.useDef.size());
  inst.strictCount = uint16_t(strictUses.size());
  inst.useCount = uint16_t(strictUses.size() + otherUses.size());
  inst.defCount = uint16_t(definitions.size());
  for (const auto *list : {&strictUses, &otherUses, &definitions})
    kernel.useDef.insert(kernel.useDef.end(), list->begin(), list->end());
  auto id = opcodeIds.emplace(st->text, uint16_t(kernel.opcodeNames.size()));
  if (id.second)
    kernel.opcodeNames.emplace_back(st->text);
  inst.opcodeId = id.first->second;
  inst.execute = hostExecutor().select(inst);
  if (!inst.execute)
    unsupported("this combination of types and modifiers is not supported");
  kernel.code.push_back(inst);
  kernel.codeInfo.push_back({st->loc, st->source, st->text, st->spelling});
}

// --- Calls ------------------------------------------------------------------------------------

void Decoder::decodeCall() {
  take("uni");
  const auto &ops = st->operands;
  size_t k = 0;
  const Operand *results = nullptr, *arguments = nullptr;
  if (k < ops.size() && ops[k].kind == Operand::List)
    results = &ops[k++];
  if (k >= ops.size() || ops[k].kind != Operand::Name)
    fail(ErrorKind::Syntax, "expected a function name");
  const Operand &name = ops[k++];
  if (k < ops.size() && ops[k].kind == Operand::List)
    arguments = &ops[k++];
  if (k != ops.size())
    unsupported("indirect calls are not supported");
  if (name.name == "__assertfail") {
    inst.op = Opcode::Trap;
    return emit();
  }
  if (name.name == "vprintf")
    return decodePrintf(results, arguments);
  const Function *function = module->findFunction(name.name);
  if (!function || !function->body || function->isEntry)
    unsupported("function '" + std::string(name.name) + "' has no definition in this module");
  if (std::find(callStack.begin(), callStack.end(), function) != callStack.end())
    unsupported("recursive call of '" + std::string(name.name) + "'");
  if (callStack.size() >= maximumCallDepth)
    unsupported("calls nest too deeply");
  size_t nargs = arguments ? arguments->parts.size() : 0;
  size_t nresults = results ? results->parts.size() : 0;
  if (nargs != function->parameters.size() || nresults != function->results.size())
    fail(ErrorKind::Syntax, "expected " + std::to_string(function->parameters.size()) +
                                " arguments and " + std::to_string(function->results.size()) +
                                " results, but got " + std::to_string(nargs) + " and " +
                                std::to_string(nresults));
  const Statement *call = st;
  Environment *caller = env;
  size_t skip = SIZE_MAX;
  if (call->hasGuard) { // jumps over the inlined body where the guard is off
    inst.op = Opcode::Branch;
    inst.flags |= InstFlag::Control;
    inst.guardFlip = ~inst.guardFlip;
    strictUses.push_back(slotIndex(inst.guard));
    skip = kernel.code.size();
    emit();
  }
  Environment *callee = newEnvironment(nullptr);
  returnTargets.push_back(std::make_unique<int32_t>(-1));
  callee->returnTarget = returnTargets.back().get();
  for (size_t n = 0; n < nargs; n++)
    bindArgument(function->parameters[n], arguments->parts[n], *callee);
  for (size_t n = 0; n < nresults; n++)
    bindResult(function->results[n], results->parts[n], *callee);
  callStack.push_back(function);
  decodeScope(*function->body, *callee);
  callStack.pop_back();
  *callee->returnTarget = int32_t(kernel.code.size());
  st = call;
  env = caller;
  for (size_t n = 0; n < nresults; n++)
    copyResult(function->results[n], results->parts[n], *callee);
  if (skip != SIZE_MAX)
    kernel.code[skip].target = int32_t(kernel.code.size());
}

/// vprintf(format, arguments), provided by the driver; compilers pass all three in .param
/// variables.
void Decoder::decodePrintf(const Operand *results, const Operand *arguments) {
  auto offsetOf = [&](const Operand &op) {
    std::optional<VariableRef> variable =
        op.kind == Operand::Name ? findVariable(op.name) : std::nullopt;
    if (!variable || variable->space != Space::Param || variable->kernelParameter)
      failAt(op.loc, "expected a .param variable of this function");
    return uint32_t(variable->offset);
  };
  if (!arguments || arguments->parts.size() != 2 || (results && results->parts.size() != 1))
    fail(ErrorKind::Syntax, "expected two arguments and at most one result of vprintf");
  std::vector<uint32_t> offsets;
  for (const Operand &op : arguments->parts)
    offsets.push_back(offsetOf(op));
  if (results)
    offsets.push_back(offsetOf(results->parts[0]));
  inst.op = Opcode::Printf;
  inst.count = results ? 1 : 0;
  inst.list = beginList();
  kernel.slots.insert(kernel.slots.end(), offsets.begin(), offsets.end());
  kernel.orderedAtomics = true; // output has an order, too
  emit();
}

/// Registers pass scalars by value; a .param variable of the caller becomes the callee's variable.
void Decoder::bindArgument(const ParameterDecl &param, const Operand &op, Environment &callee) {
  if (op.kind == Operand::Name && !param.isRegister)
    if (std::optional<VariableRef> variable = findVariable(op.name)) {
      if (variable->space != Space::Param)
        failAt(op.loc, "expected a .param variable as argument");
      callee.variables[param.name] = *variable;
      return;
    }
  inst = Inst();
  inst.guard = kernel.trueSlot;
  strictUses.clear();
  otherUses.clear();
  definitions.clear();
  if (param.isRegister) {
    uint32_t slot = allocateSlot(registerSize(param.type), std::string(param.name));
    callee.registers[param.name] = {slot, param.type};
    inst.op = param.type == Type::Pred ? Opcode::MovePredicate : Opcode::Move;
    inst.type = param.type;
    inst.dst = slot;
    inst.a = param.type == Type::Pred ? predicate(op) : source(op, param.type);
    definitions.push_back(slotIndex(slot));
    return emit();
  }
  uint64_t offset = allocateLocal(param.size, param.alignment, param.name, op.loc);
  callee.variables[param.name] = {Space::Param, offset, false, false};
  inst.op = Opcode::Store;
  inst.type = param.type;
  inst.space = Space::Local;
  inst.flags |= InstFlag::Address64;
  inst.a = constant(8, offset);
  inst.list = beginList();
  inst.count = 1;
  inst.aux = uint16_t(registerSize(param.type));
  uint32_t slot = source(op, param.type);
  kernel.slots.push_back(slot);
  emit();
}

void Decoder::bindResult(const ParameterDecl &param, const Operand &op, Environment &callee) {
  if (op.kind == Operand::Name && !param.isRegister)
    if (std::optional<VariableRef> variable = findVariable(op.name)) {
      callee.variables[param.name] = *variable;
      return;
    }
  if (!param.isRegister)
    failAt(op.loc, "expected a .param variable for a result passed in .param space");
  uint32_t slot = allocateSlot(registerSize(param.type), std::string(param.name));
  callee.registers[param.name] = {slot, param.type};
}

void Decoder::copyResult(const ParameterDecl &param, const Operand &op, Environment &callee) {
  if (!param.isRegister)
    return;
  modifiers.clear();
  consumed.clear();
  inst = Inst();
  inst.guard = kernel.trueSlot;
  strictUses.clear();
  otherUses.clear();
  definitions.clear();
  uint32_t slot = callee.registers[param.name].slot;
  inst.op = param.type == Type::Pred ? Opcode::MovePredicate : Opcode::Move;
  inst.type = param.type;
  inst.a = slot;
  otherUses.push_back(slotIndex(slot));
  inst.dst = param.type == Type::Pred ? predicateOut(op) : destination(op, param.type);
  emit();
}

void Decoder::decodeReturn() {
  take("uni");
  operandCount(0, 0);
  inst.op = Opcode::Branch;
  inst.flags |= InstFlag::Control;
  if (st->hasGuard)
    strictUses.push_back(slotIndex(inst.guard));
  returnFixups.push_back({kernel.code.size(), env->returnTarget});
  emit();
}

// --- Labels and the end -----------------------------------------------------------------------

int32_t Decoder::findLabel(const Environment *from, std::string_view name, Location loc) const {
  for (const Environment *e = from; e; e = e->parent) {
    auto found = e->labels.find(name);
    if (found != e->labels.end())
      return found->second;
  }
  failAt(loc, "expected a label of this function, but got '" + std::string(name) + "'");
}

void Decoder::resolveFixups() {
  for (const Fixup &fixup : fixups) {
    int32_t target = findLabel(fixup.env, fixup.label, fixup.loc);
    if (fixup.table < 0)
      kernel.code[fixup.inst].target = target;
    else
      kernel.branchTables[size_t(fixup.table)][size_t(fixup.entry)] = target;
  }
  for (const auto &fixup : returnFixups)
    kernel.code[fixup.first].target = *fixup.second;
}

void Decoder::finish() {
  kernel.registers = countRegisters(kernel, slotWords);
  kernel.registerBytes = (nextSlot + 63) / 64 * 64;
  kernel.constants.push_back({kernel.trueSlot, 0, false, ~uint64_t(0)});
  if (kernel.carrySlot)
    kernel.constants.push_back({kernel.carrySlot, 0, false, 0});
  kernel.localBytes = (kernel.localBytes + 15) / 16 * 16;
}

} // namespace ptxsim
