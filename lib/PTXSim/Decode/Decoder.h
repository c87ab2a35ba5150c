// Decodes a kernel and all functions that the kernel calls into a flat list of instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device functions are inlined at every call: .param variables become local memory, and `ret`
// becomes a branch behind the call, so that reconvergence has no notion of calls.
#ifndef PTXSIM_DECODE_DECODER_H
#define PTXSIM_DECODE_DECODER_H

#include "lib/PTXSim/Decode/PlainForms.h"
#include "lib/PTXSim/Machine/Memory.h"
#include "lib/PTXSim/Machine/Program.h"
#include <initializer_list>
#include <optional>
#include <unordered_map>

namespace ptxsim {

/// Addresses of a loaded module's .global and .const variables.
using SymbolTable = std::unordered_map<std::string_view, uint64_t>;

class Decoder {
public:
  Decoder(std::shared_ptr<const ModuleImpl> module, const SymbolTable &symbols, Kernel &kernel);
  void run(const Function &entry);

  using DecodeFunction = void (Decoder::*)();
  /// Decode functions of the mnemonics, or forms, that PlainForms.cpp does not describe.
  static const std::unordered_map<std::string_view, DecodeFunction> &decodeTable();

private:
  struct RegisterRef {
    uint32_t slot;
    Type type;
  };
  struct VariableRef {
    Space space;
    uint64_t offset;
    bool dynamic;
    bool kernelParameter;
  };
  struct Environment {
    Environment *parent;
    std::unordered_map<std::string_view, RegisterRef> registers;
    std::unordered_map<std::string_view, const RegisterDecl *> ranges;
    std::unordered_map<std::string_view, VariableRef> variables;
    std::unordered_map<std::string_view, int32_t> labels;
    std::unordered_map<std::string_view, const Statement *> branchTargets;
    int32_t *returnTarget = nullptr; ///< null in the kernel itself
  };
  struct Fixup {
    size_t inst;
    Environment *env;
    std::string_view label;
    Location loc;
    int32_t table, entry; ///< branch table entry, -1: Inst::target
  };

  // Decoder.cpp: scopes, statements, calls
  Environment *newEnvironment(Environment *parent);
  void declareKernelParameters(const Function &entry, Environment &env);
  void declareScope(const Scope &scope, Environment &env);
  void declareVariable(const Variable &variable, Environment &env);
  uint64_t allocateLocal(uint64_t size, uint32_t alignment, std::string_view name, Location loc);
  std::optional<VariableRef> moduleShared(std::string_view name);
  VariableRef placeShared(const Variable &variable);
  void decodeScope(const Scope &scope, Environment &env);
  void decodeStatement(const Statement &st, Environment &env);
  void decodeCall();
  void decodePrintf(const Operand *results, const Operand *arguments);
  void bindArgument(const ParameterDecl &param, const Operand &operand, Environment &callee);
  void bindResult(const ParameterDecl &param, const Operand &operand, Environment &callee);
  void copyResult(const ParameterDecl &param, const Operand &operand, Environment &callee);
  void decodeReturn();
  void resolveFixups();
  int32_t findLabel(const Environment *env, std::string_view name, Location loc) const;
  void finish();

  // Operands.cpp
  uint32_t allocateSlot(unsigned bytesPerLane, const std::string &name = "");
  uint32_t constant(unsigned width, uint64_t value, bool dynamicShared = false);
  uint32_t special(std::string_view name, unsigned width, Location loc);
  const RegisterRef *findRegister(std::string_view name);
  std::optional<VariableRef> findVariable(std::string_view name);
  uint32_t literal(const Operand &operand, Type type);
  uint32_t symbolAddress(const Operand &operand, unsigned width);
  uint32_t source(const Operand &operand, Type type, bool strict = false, bool wider = false);
  uint32_t source(size_t index, Type type, bool strict = false) {
    return source(operand(index), type, strict);
  }
  uint32_t destination(const Operand &operand, Type type, bool wider = false);
  uint32_t destination(size_t index, Type type) { return destination(operand(index), type); }
  uint32_t predicate(const Operand &operand, bool strict = false);
  uint32_t predicateOut(const Operand &operand);
  void address(const Operand &operand);
  uint32_t addressSlot(const Operand &operand, bool &is64, int64_t &offset);
  void checkRegister(const RegisterRef &ref, const Operand &operand, Type type, bool wider) const;
  const Operand &operand(size_t index) const;
  void operandCount(size_t least, size_t most);
  int64_t immediate(size_t index, const char *what);
  uint32_t beginList() const { return uint32_t(kernel.slots.size()); }

  // Modifiers (Operands.cpp)
  bool take(std::string_view word);
  /// Index of the first of `words` among the modifiers, which is then consumed, or -1.
  int takeOneOf(std::initializer_list<std::string_view> words);
  int requireOneOf(std::initializer_list<std::string_view> words, const char *what);
  Type takeType();
  Type requireType(std::initializer_list<Type> allowed);
  void takeRounding();
  void takeCacheHints();
  void takeScopeAndSemantics();
  std::string_view takePrefix(std::string_view prefix);
  [[noreturn]] void fail(ErrorKind kind, const std::string &message) const;
  [[noreturn]] void failAt(Location loc, const std::string &message) const;
  [[noreturn]] void unsupported(const std::string &what) const;

  // Decode functions, by instruction family.
  void decodeMove();
  void decodeCvta();
  void decodeIsspace();
  void decodeMapa();
  void decodeGetClusterRank();
  void decodeSelect();
  void decodePredicateLogic();
  void decodeDotProduct();
  void decodeSetp();
  void decodeSet();
  void decodeConvert();
  void decodeConvertPack();
  void decodeComparison(bool hasResultType);
  void decodeLoad();
  void decodeStore();
  void decodeAtomic();
  void vectorAtomic(size_t first, unsigned count, bool returns, AtomicOp op);
  void cachePolicy(size_t count);
  void decodeCreatePolicy();
  void decodePrefetch();
  void decodeDiscard();
  void decodeFence();
  void decodeBranch();
  void decodeBranchTable();
  void decodeExit();
  void decodeTrap();
  void decodeNop();
  void decodeBarrier();
  void decodeClusterBarrier();
  void decodeShuffle();
  void decodeVote();
  void decodeMatch();
  void decodeRedux();
  void decodeElect();
  void decodeActiveMask();
  void decodeMatrixMemory();
  void decodeMoveMatrix();
  void decodeMma();
  void decodeCp();
  void decodeCpAsync();
  void decodeCpBulk();
  void decodeCpTensor();
  void decodeMbarrier();
  void decodeStAsync();
  void decodeWgmma();
  void decodeWgmmaMma();

  // PlainForms.cpp: instructions described by a table.
  Type firstType() const;
  bool isPlain() const;
  const PlainForm *findPlainForm() const;
  void decodePlain(const PlainForm &form);
  void takeOptional(uint16_t optional);
  void useCarry(const PlainForm &form);
  [[noreturn]] void failPlain() const;
  void emit();
  void vectorOperand(const Operand &operand, Type type, bool isDestination, bool wider);
  void takeSpace();
  /// Decodes [.v2, .v4 or .v8].type of a load or store, and the registers.
  Type vectorInMemory(size_t index, bool isDestination);

  std::shared_ptr<const ModuleImpl> module;
  const SymbolTable &symbols;
  Kernel &kernel;
  std::vector<std::unique_ptr<Environment>> environments;
  std::vector<std::unique_ptr<int32_t>> returnTargets;
  std::vector<const Function *> callStack;
  std::vector<std::pair<size_t, int32_t *>> returnFixups;
  std::vector<Fixup> fixups;
  std::map<std::tuple<unsigned, uint64_t, bool>, uint32_t> constantSlots;
  std::unordered_map<std::string, uint32_t> specialSlots;
  std::unordered_map<std::string_view, uint16_t> opcodeIds;
  std::unordered_map<std::string_view, VariableRef> placedShared;
  uint32_t nextSlot = 64;                          ///< slot 0 means "no operand"
  std::unordered_map<uint32_t, uint8_t> slotWords; ///< 32-bit registers behind a named slot

  // State of the instruction being decoded.
  const Statement *st = nullptr;
  Environment *env = nullptr;
  std::string_view base; ///< opcode up to the first dot
  std::vector<std::string_view> modifiers;
  std::vector<bool> consumed;
  Inst inst;
  std::vector<uint32_t> strictUses, otherUses, definitions;
};

/// Register pressure: most 32-bit registers live at a single instruction; `words`: size by slot
/// index.
uint32_t countRegisters(const Kernel &kernel, const std::unordered_map<uint32_t, uint8_t> &words);

/// Fills Inst::reconverge of every branch with the immediate post-dominator.
void computeReconvergence(Kernel &kernel);

} // namespace ptxsim
#endif
