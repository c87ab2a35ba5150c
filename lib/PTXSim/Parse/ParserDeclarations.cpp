// Parsing of module directives, function headers and variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Parse/Parser.h"

namespace ptxsim {

static constexpr uint64_t maximumRegisters = 1 << 20, maximumAlignment = 1 << 16,
                          maximumVariable = uint64_t(1) << 34, maximumParameter = 32764;

void Parser::parseVersion() {
  Token token = lexer.peek();
  std::string text(token.text);
  size_t dot = text.find('.');
  if (token.kind != Token::Number || dot == std::string::npos || text.size() > 8)
    unexpected(token, "a version such as 8.0");
  lexer.next();
  module.versionLoc = token.loc;
  unsigned minor = unsigned(std::atoi(&text[dot + 1]));
  if (text.size() - dot != 2) // minor version has one digit
    unexpected(token, "a version such as 8.0");
  module.version = unsigned(std::atoi(text.c_str())) * 10 + minor;
}

void Parser::parseTarget() {
  uint32_t line = lexer.peek().loc.line;
  module.targetLoc = lexer.peek().loc;
  module.target = std::string(expectWord("a target such as sm_80").text);
  while (lexer.peek().loc.line == line && accept(","))
    expectWord("a target option");
}

void Parser::parseFile() {
  lexer.next();
  uint32_t line = lexer.peek().loc.line;
  uint32_t number = uint32_t(expectInteger("a file number", UINT32_MAX));
  if (lexer.peek().kind != Token::String)
    unexpected(lexer.peek(), "a file name");
  module.sourceFiles[number] = std::string(lexer.next().text);
  while (lexer.peek().kind != Token::End && lexer.peek().loc.line == line)
    lexer.next();
}

void Parser::skipSection() {
  expectWord("a section name");
  expect("{");
  while (!accept("}"))
    if (lexer.next().kind == Token::End)
      unexpected(lexer.peek(), "'}'");
}

void Parser::parseModuleItem() {
  if (lexer.peek().is(".file"))
    return parseFile();
  Token token = lexer.next();
  std::string_view text = token.text;
  if (token.kind != Token::Word)
    unexpected(token, "a module directive");
  if (text == ".version")
    return parseVersion();
  if (module.version == 0)
    unexpected(token, "the .version directive first");
  if (text == ".target")
    return parseTarget();
  if (text == ".address_size") {
    uint64_t bits = expectInteger("an address size", 64);
    if (bits != 64)
      syntaxError(token.loc, "expected .address_size 64, but got " + std::to_string(bits));
    return;
  }
  if (text == ".section")
    return skipSection();
  if (text == ".pragma") {
    while (!accept(";"))
      if (lexer.next().kind == Token::End)
        unexpected(lexer.peek(), "';'");
    return;
  }
  bool isExtern = false;
  while (text == ".visible" || text == ".extern" || text == ".weak" || text == ".common") {
    isExtern |= text == ".extern";
    token = lexer.next();
    text = token.text;
  }
  if (text == ".entry" || text == ".func")
    return parseFunction(text == ".entry", isExtern);
  if (text == ".global")
    return parseVariables(module.variables, Space::Global, isExtern);
  if (text == ".const")
    return parseVariables(module.variables, Space::Const, isExtern);
  if (text == ".shared")
    return parseVariables(module.variables, Space::Shared, isExtern);
  unexpected(token, "a module directive");
}

Dim3 Parser::parseDimensions() {
  Dim3 result;
  result.x = uint32_t(expectInteger("a dimension", 1 << 20));
  if (accept(","))
    result.y = uint32_t(expectInteger("a dimension", 1 << 20));
  if (accept(","))
    result.z = uint32_t(expectInteger("a dimension", 1 << 20));
  return result;
}

void Parser::parseFunctionDirectives(Function &function) {
  while (lexer.peek().kind == Token::Word && lexer.peek().text[0] == '.') {
    Token token = lexer.next();
    if (token.text == ".reqntid") {
      function.reqntid = parseDimensions();
    } else if (token.text == ".maxntid") {
      function.maxntid = parseDimensions();
    } else if (token.text == ".reqnctapercluster") {
      function.cluster = parseDimensions();
      function.hasCluster = true;
    } else if (token.text == ".minnctapersm" || token.text == ".maxnreg" ||
               token.text == ".maxclusterrank" || token.text == ".maxnctapersm") {
      expectInteger("an integer", UINT32_MAX);
    } else if (token.text == ".pragma") {
      while (!accept(";"))
        if (lexer.next().kind == Token::End)
          unexpected(lexer.peek(), "';'");
    } else if (token.text != ".noreturn" && token.text != ".explicitcluster" &&
               token.text != ".blocksareclusters") {
      unexpected(token, "a function directive or '{'");
    }
  }
}

void Parser::parseFunction(bool isEntry, bool isExtern) {
  auto function = std::make_unique<Function>();
  function->isEntry = isEntry;
  function->isExtern = isExtern;
  function->loc = lexer.peek().loc;
  if (lexer.peek().is("("))
    function->results = parseParameters();
  function->name = expectWord("a function name").text;
  if (lexer.peek().is("("))
    function->parameters = parseParameters();
  parseFunctionDirectives(*function);
  if (accept("{")) {
    for (const auto &other : module.functions)
      if (other->body && other->name == function->name)
        syntaxError(function->loc, "expected one definition of '" + std::string(function->name) +
                                       "', but got two");
    source = SourceLine();
    function->body = parseScope();
    if (isEntry)
      recordKernel(*function);
  } else {
    expect(";");
  }
  module.functions.push_back(std::move(function));
}

void Parser::recordKernel(const Function &function) {
  KernelInfo info;
  info.name = std::string(function.name);
  uint32_t offset = 0;
  for (const ParameterDecl &p : function.parameters) {
    Parameter parameter;
    parameter.name = std::string(p.name);
    parameter.type = typeName(p.type);
    if (p.isArray)
      parameter.type += "[" + std::to_string(p.elements) + "]";
    parameter.size = p.size;
    parameter.alignment = p.alignment;
    parameter.offset = offset = (offset + p.alignment - 1) / p.alignment * p.alignment;
    offset += p.size;
    info.parameters.push_back(std::move(parameter));
  }
  if (offset > maximumParameter)
    syntaxError(function.loc, "expected at most " + std::to_string(maximumParameter) +
                                  " bytes of parameters, but got " + std::to_string(offset));
  info.requiredBlock = function.reqntid;
  info.maximumBlock = function.maxntid;
  info.cluster = function.cluster;
  info.hasRequiredCluster = function.hasCluster;
  module.kernels.push_back(std::move(info));
}

std::vector<ParameterDecl> Parser::parseParameters() {
  std::vector<ParameterDecl> result;
  expect("(");
  if (accept(")"))
    return result;
  do
    result.push_back(parseParameter());
  while (accept(","));
  expect(")");
  return result;
}

static bool isPowerOfTwo(uint64_t x) { return x && !(x & (x - 1)); }

uint64_t Parser::expectAlignment(Location loc) {
  uint64_t alignment = expectInteger("an alignment", maximumAlignment);
  if (!isPowerOfTwo(alignment))
    syntaxError(loc, "expected a power of two as alignment");
  return alignment;
}

ParameterDecl Parser::parseParameter() {
  ParameterDecl result;
  result.loc = lexer.peek().loc;
  if (accept(".reg"))
    result.isRegister = true;
  else
    expect(".param");
  uint64_t alignment = 0;
  bool typed = false;
  while (lexer.peek().kind == Token::Word && lexer.peek().text[0] == '.') {
    Token token = lexer.next();
    if (token.text == ".align") {
      alignment = expectAlignment(token.loc);
    } else if (token.text == ".ptr") {
      // .ptr [.space] [.align N] describes the pointee, not the parameter.
      while (lexer.peek().is(".global") || lexer.peek().is(".shared") ||
             lexer.peek().is(".const") || lexer.peek().is(".local"))
        lexer.next();
      if (accept(".align"))
        expectInteger("an alignment", UINT32_MAX);
    } else {
      result.type = parseType(token.text.substr(1));
      if (result.type == Type::None)
        unexpected(token, "a parameter type");
      typed = true;
    }
  }
  Token name = expectWord("a parameter name");
  if (!typed)
    syntaxError(name.loc, "expected a type for parameter '" + std::string(name.text) + "'");
  result.name = name.text;
  result.size = typeSize(result.type);
  result.alignment = alignment ? uint32_t(alignment) : std::max(1u, result.size);
  if (accept("[")) {
    result.isArray = true;
    result.elements = lexer.peek().is("]") ? 0 : expectInteger("an array size", maximumParameter);
    result.size *= uint32_t(result.elements);
    expect("]");
  }
  return result;
}

void Parser::parseRegisters(Scope &scope) {
  Token token = lexer.peek();
  if (token.kind == Token::Word && (token.text == ".v2" || token.text == ".v4"))
    syntaxError(token.loc, "expected scalar registers, but got vector registers");
  token = expectWord("a register type");
  Type type = parseType(token.text.substr(1));
  if (type == Type::None || token.text[0] != '.')
    unexpected(token, "a register type");
  do {
    RegisterDecl decl;
    Token name = expectWord("a register name");
    decl.type = type;
    decl.name = name.text;
    decl.loc = name.loc;
    decl.count = -1;
    if (accept("<")) {
      decl.count = int64_t(expectInteger("a register count", maximumRegisters));
      expect(">");
    }
    scope.registers.push_back(decl);
  } while (accept(","));
  expect(";");
}

void Parser::parseVariables(std::vector<Variable> &out, Space space, bool isExtern) {
  out.push_back(parseVariable(space, isExtern));
  // "a, b" shares only the type, and compilers emit one variable per directive: not supported.
  expect(";");
}

Variable Parser::parseVariable(Space space, bool isExtern) {
  Variable result;
  result.space = space;
  result.isExtern = isExtern;
  uint64_t alignment = 0, vector = 1;
  bool typed = false;
  while (lexer.peek().kind == Token::Word && lexer.peek().text[0] == '.') {
    Token token = lexer.next();
    if (token.text == ".align") {
      alignment = expectAlignment(token.loc);
    } else if (token.text == ".v2" || token.text == ".v4") {
      vector = token.text == ".v2" ? 2 : 4;
    } else if (token.text == ".attribute") {
      expect("(");
      while (!accept(")"))
        if (lexer.next().kind == Token::End)
          unexpected(lexer.peek(), "')'");
    } else {
      result.type = parseType(token.text.substr(1));
      if (result.type == Type::None || result.type == Type::Pred)
        unexpected(token, "a variable type");
      typed = true;
    }
  }
  Token name = expectWord("a variable name");
  result.name = name.text;
  result.loc = name.loc;
  if (!typed)
    syntaxError(name.loc, "expected a type for variable '" + std::string(name.text) + "'");
  uint32_t element = typeSize(result.type) * uint32_t(vector);
  result.elements = vector;
  result.alignment = alignment ? uint32_t(alignment) : element;
  parseArraySuffix(result);
  if (accept("="))
    parseInitializer(result);
  result.size = result.dynamic ? 0 : result.elements * typeSize(result.type);
  if (result.size > maximumVariable)
    syntaxError(result.loc, "expected a variable of at most " + std::to_string(maximumVariable) +
                                " bytes, but got " + std::to_string(result.size));
  return result;
}

void Parser::parseArraySuffix(Variable &variable) {
  while (accept("[")) {
    if (accept("]")) {
      variable.dynamic = true;
      continue;
    }
    uint64_t count = expectInteger("an array size", maximumVariable);
    expect("]");
    variable.elements *= count;
    if (variable.elements > maximumVariable)
      syntaxError(variable.loc, "expected at most " + std::to_string(maximumVariable) +
                                    " array elements, but got more");
  }
}

Initializer Parser::parseInitializerElement(Type type) {
  Initializer result;
  if (lexer.peek().kind == Token::Word) {
    Token word = lexer.next();
    bool generic = word.text == "generic" && accept("(");
    result.symbol = generic ? expectWord("a variable").text : word.text;
    if (generic)
      expect(")");
    result.bits = uint64_t(parseOffset());
    return result;
  }
  bool negative = accept("-");
  Token token = lexer.peek();
  if (token.kind != Token::Number)
    unexpected(token, "an initial value");
  Literal literal = parseLiteral(lexer.next());
  result.bits = literal.bits;
  if (literal.kind == Literal::Double && typeSize(type) == 4) {
    double wide;
    std::memcpy(&wide, &literal.bits, 8);
    float narrow = float(wide);
    uint32_t bits;
    std::memcpy(&bits, &narrow, 4);
    result.bits = bits;
  }
  if (negative)
    result.bits =
        isFloat(type) ? result.bits ^ (uint64_t(1) << (8 * typeSize(type) - 1)) : 0 - result.bits;
  return result;
}

void Parser::parseInitializer(Variable &variable) {
  if (!accept("{")) {
    variable.init.push_back(parseInitializerElement(variable.type));
  } else {
    unsigned depth = 1;
    while (depth) {
      if (accept("{")) {
        depth++;
      } else if (accept("}")) {
        depth--;
      } else if (!accept(",")) {
        variable.init.push_back(parseInitializerElement(variable.type));
      }
    }
  }
  if (variable.dynamic) {
    variable.dynamic = false;
    variable.elements *= variable.init.size();
  }
  if (variable.init.size() > variable.elements)
    syntaxError(variable.loc, "expected at most " + std::to_string(variable.elements) +
                                  " initial values, but got " +
                                  std::to_string(variable.init.size()));
}

const Function *ModuleImpl::findFunction(std::string_view name) const {
  const Function *declaration = nullptr;
  for (const auto &function : functions) {
    if (function->name != name)
      continue;
    if (function->body)
      return function.get();
    declaration = function.get();
  }
  return declaration;
}

Module Module::parse(const std::string &text, const std::string &fileName) {
  bool binary = text.compare(0, 4,
                             "\x7f"
                             "ELF") == 0;
  for (char c : text.substr(0, 64)) // bytes that no text starts with
    binary |= uint8_t(c) < 32 && !std::strchr("\t\n\v\f\r", c);
  if (binary)
    syntaxError({1, 1}, "expected PTX, but got a binary file");
  auto impl = std::make_shared<ModuleImpl>();
  impl->text = text;
  impl->fileName = fileName;
  size_t end = impl->text.find('\0');
  if (end != std::string::npos) // images may end with a zero
    impl->text.resize(end);
  parseModule(*impl);
  Module result;
  result.pimpl = impl;
  return result;
}

const std::vector<KernelInfo> &Module::kernels() const { return pimpl->kernels; }
const std::string &Module::target() const { return pimpl->target; }
unsigned Module::version() const { return pimpl->version; }

} // namespace ptxsim
