// Syntax tree of a PTX file. Names are unresolved: decoding resolves names per kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_PARSE_AST_H
#define PTXSIM_PARSE_AST_H

#include "ampc/PTXSim/PTXSim.h"
#include "lib/PTXSim/Types.h"
#include <string_view>

namespace ptxsim {

struct Location {
  uint32_t line = 0, column = 0;
};

struct Operand {
  enum Kind : uint8_t { Name, Integer, Float, Double, Vector, Address, List, Sink };
  Kind kind = Sink;
  bool negated = false; ///< "!%p"
  Location loc;
  std::string_view name;
  int64_t value = 0;          ///< integer, or bits of a floating literal
  int64_t offset = 0;         ///< "+imm" behind a name or inside an address
  std::vector<Operand> parts; ///< elements of a vector or list; of an address: base, then extras
  std::vector<Operand> pair;  ///< second half of "d|p", zero or one element
};

/// Example: .reg .b32 %r<7> has count 7; -1 for a single register without "<n>".
struct RegisterDecl {
  Type type;
  std::string_view name;
  int64_t count;
  Location loc;
};

enum class Space : uint8_t { Generic, Global, Shared, Local, Const, Param };

struct Initializer {
  uint64_t bits = 0;
  std::string_view symbol; ///< address of the symbol plus `bits`, unless empty
};

struct Variable {
  Space space = Space::Global;
  Type type = Type::B8;
  std::string_view name;
  uint64_t size = 0; ///< bytes; 0 with `dynamic`
  uint32_t alignment = 1;
  bool dynamic = false; ///< "x[]": sized by the launch
  bool isExtern = false;
  uint64_t elements = 1;
  std::vector<Initializer> init;
  Location loc;
};

struct SourceLine {
  uint32_t file = 0, line = 0;
};

struct Scope;

struct Statement {
  enum Kind : uint8_t { Instruction, Label, Block, BranchTargets };
  Kind kind = Instruction;
  bool hasGuard = false, guardNegated = false;
  Location loc;
  SourceLine source;
  std::string_view text; ///< opcode with modifiers, or the label's name
  std::string_view guard;
  std::string_view spelling; ///< whole statement, for messages and traces
  std::vector<Operand> operands;
  std::vector<std::string_view> targets;
  std::unique_ptr<Scope> block;
};

struct Scope {
  std::vector<RegisterDecl> registers;
  std::vector<Variable> variables;
  std::vector<Statement> statements;
};

struct ParameterDecl {
  Type type = Type::B32;
  std::string_view name;
  uint32_t size = 4, alignment = 4;
  bool isRegister = false; ///< device functions may pass .reg
  bool isArray = false;
  uint64_t elements = 1;
  Location loc;
};

struct Function {
  std::string_view name;
  bool isEntry = false, isExtern = false;
  std::vector<ParameterDecl> results, parameters;
  Dim3 reqntid{0, 0, 0}, maxntid{0, 0, 0}, cluster{1, 1, 1};
  bool hasCluster = false;
  std::unique_ptr<Scope> body;
  Location loc;
};

struct ModuleImpl {
  std::string text, fileName, target;
  uint32_t version = 0; ///< major * 10 + minor
  Location versionLoc{1, 1}, targetLoc{1, 1};
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;
  std::map<uint32_t, std::string> sourceFiles;
  std::vector<KernelInfo> kernels;
  const Function *findFunction(std::string_view name) const;
};

/// Parses module.text into `module`. Throws Error(Syntax).
void parseModule(ModuleImpl &module);

} // namespace ptxsim
#endif
