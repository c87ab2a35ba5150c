// Recursive-descent parser for PTX modules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_PARSE_PARSER_H
#define PTXSIM_PARSE_PARSER_H

#include "lib/PTXSim/Parse/Lexer.h"

namespace ptxsim {

class Parser {
public:
  explicit Parser(ModuleImpl &module) : module(module), lexer(module.text) {}
  void run();

private:
  // Declarations (ParserDeclarations.cpp)
  void parseModuleItem();
  void parseTarget();
  void parseVersion();
  void parseFile();
  void skipSection();
  void parseFunction(bool isEntry, bool isExtern);
  void parseFunctionDirectives(Function &function);
  Dim3 parseDimensions();
  std::vector<ParameterDecl> parseParameters();
  ParameterDecl parseParameter();
  void parseRegisters(Scope &scope);
  void parseVariables(std::vector<Variable> &out, Space space, bool isExtern);
  Variable parseVariable(Space space, bool isExtern);
  void parseArraySuffix(Variable &variable);
  void parseInitializer(Variable &variable);
  Initializer parseInitializerElement(Type type);
  void recordKernel(const Function &function);

  // Bodies (Parser.cpp)
  std::unique_ptr<Scope> parseScope();
  void parseStatement(Scope &scope);
  bool parseDirective(Scope &scope);
  void parseInstruction(Scope &scope);
  void parseLocation();
  Operand parseOperand();
  Operand parsePrimary();
  Operand parseAddress(Location loc);
  void parseElements(Operand &parent, std::string_view close);
  int64_t parseSignedInteger();
  int64_t parseOffset();

  Token expect(std::string_view text);
  Token expectWord(const char *what);
  uint64_t expectInteger(const char *what, uint64_t limit);
  uint64_t expectAlignment(Location loc);
  bool accept(std::string_view text);

  ModuleImpl &module;
  Lexer lexer;
  SourceLine source;
  unsigned scopeDepth = 0, operandDepth = 0;
};

} // namespace ptxsim
#endif
