// Parsing of function bodies: statements and operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Parse/Parser.h"

namespace ptxsim {

static constexpr unsigned maximumScopeDepth = 64, maximumOperandDepth = 8;

Token Parser::expect(std::string_view text) {
  if (!lexer.peek().is(text))
    unexpected(lexer.peek(), "'" + std::string(text) + "'");
  return lexer.next();
}

Token Parser::expectWord(const char *what) {
  if (lexer.peek().kind != Token::Word)
    unexpected(lexer.peek(), what);
  return lexer.next();
}

uint64_t Parser::expectInteger(const char *what, uint64_t limit) {
  Token token = lexer.peek();
  if (token.kind != Token::Number)
    unexpected(token, what);
  Literal literal = parseLiteral(lexer.next());
  if (literal.kind != Literal::Integer)
    unexpected(token, what);
  if (literal.bits > limit)
    syntaxError(token.loc, std::string("expected ") + what + " of at most " +
                               std::to_string(limit) + ", but got " + std::to_string(literal.bits));
  return literal.bits;
}

bool Parser::accept(std::string_view text) {
  if (!lexer.peek().is(text))
    return false;
  lexer.next();
  return true;
}

void Parser::run() {
  while (lexer.peek().kind != Token::End)
    parseModuleItem();
  if (module.version == 0)
    syntaxError({1, 1}, "expected a .version directive, but got none");
}

/// Parses a scope behind the opening brace.
std::unique_ptr<Scope> Parser::parseScope() {
  auto scope = std::make_unique<Scope>();
  if (++scopeDepth > maximumScopeDepth)
    syntaxError(lexer.peek().loc, "expected at most " + std::to_string(maximumScopeDepth) +
                                      " nested scopes, but got more");
  while (!accept("}")) {
    if (lexer.peek().kind == Token::End)
      unexpected(lexer.peek(), "'}'");
    parseStatement(*scope);
  }
  scopeDepth--;
  return scope;
}

void Parser::parseStatement(Scope &scope) {
  if (accept(";"))
    return;
  if (lexer.peek().is("{")) {
    Statement block;
    block.kind = Statement::Block;
    block.loc = lexer.next().loc;
    block.block = parseScope();
    scope.statements.push_back(std::move(block));
    return;
  }
  const Token &token = lexer.peek();
  if (token.kind == Token::Word && token.text[0] == '.') {
    if (!parseDirective(scope))
      unexpected(token, "a statement");
    return;
  }
  parseInstruction(scope);
}

void Parser::parseLocation() {
  // .loc file line column [, function_name label [, inlined_at file line column]]
  lexer.next();
  source.file = uint32_t(expectInteger("a file number", UINT32_MAX));
  Token lineToken = lexer.peek();
  source.line = uint32_t(expectInteger("a line number", UINT32_MAX));
  if (lexer.peek().kind == Token::Number && lexer.peek().loc.line == lineToken.loc.line)
    lexer.next();
  if (lexer.peek().is(",") && lexer.peek().loc.line == lineToken.loc.line)
    while (lexer.peek().kind != Token::End && lexer.peek().loc.line == lineToken.loc.line)
      lexer.next();
}

bool Parser::parseDirective(Scope &scope) {
  std::string_view text = lexer.peek().text;
  if (text == ".reg") {
    lexer.next();
    parseRegisters(scope);
  } else if (text == ".shared" || text == ".local" || text == ".param" || text == ".global" ||
             text == ".const") {
    Space space = text == ".shared"  ? Space::Shared
                  : text == ".local" ? Space::Local
                  : text == ".param" ? Space::Param
                  : text == ".const" ? Space::Const
                                     : Space::Global;
    lexer.next();
    parseVariables(scope.variables, space, false);
  } else if (text == ".extern") {
    lexer.next();
    expect(".shared");
    parseVariables(scope.variables, Space::Shared, true);
  } else if (text == ".loc") {
    parseLocation();
  } else if (text == ".file") {
    parseFile();
  } else if (text == ".pragma") {
    while (!accept(";"))
      if (lexer.next().kind == Token::End)
        unexpected(lexer.peek(), "';'");
  } else if (text == ".branchtargets") {
    Statement targets;
    targets.kind = Statement::BranchTargets;
    targets.loc = lexer.next().loc;
    do
      targets.targets.push_back(expectWord("a label").text);
    while (accept(","));
    expect(";");
    scope.statements.push_back(std::move(targets));
  } else {
    return false;
  }
  return true;
}

void Parser::parseInstruction(Scope &scope) {
  Statement statement;
  Token first = lexer.peek();
  size_t begin = lexer.offset();
  statement.loc = first.loc;
  statement.source = source;
  if (accept("@")) {
    statement.hasGuard = true;
    statement.guardNegated = accept("!");
    statement.guard = expectWord("a predicate register").text;
  }
  statement.text = expectWord("an instruction").text;
  if (!statement.hasGuard && accept(":")) {
    statement.kind = Statement::Label;
    scope.statements.push_back(std::move(statement));
    return;
  }
  if (!lexer.peek().is(";")) {
    do
      statement.operands.push_back(parseOperand());
    while (accept(","));
  }
  expect(";");
  statement.spelling = std::string_view(module.text).substr(begin, lexer.endOfLast() - begin);
  scope.statements.push_back(std::move(statement));
}

int64_t Parser::parseSignedInteger() {
  bool negative = accept("-");
  int64_t value = int64_t(expectInteger("an integer", UINT64_MAX));
  return negative ? int64_t(0 - uint64_t(value)) : value;
}

/// Parses any number of "+imm" and "-imm" behind a name. Example: "+8-4" -> 4.
int64_t Parser::parseOffset() {
  uint64_t offset = 0;
  while (lexer.peek().is("+") || lexer.peek().is("-")) {
    bool negative = lexer.next().is("-");
    uint64_t value = uint64_t(parseSignedInteger());
    offset = negative ? offset - value : offset + value;
  }
  return int64_t(offset);
}

Operand Parser::parseOperand() {
  Operand operand = parsePrimary();
  if (accept("|"))
    operand.pair.push_back(parsePrimary());
  return operand;
}

void Parser::parseElements(Operand &parent, std::string_view close) {
  if (++operandDepth > maximumOperandDepth)
    syntaxError(lexer.peek().loc, "expected at most " + std::to_string(maximumOperandDepth) +
                                      " nested operands, but got more");
  if (!accept(close)) {
    do
      parent.parts.push_back(parseOperand());
    while (accept(","));
    expect(close);
  }
  operandDepth--;
}

Operand Parser::parseAddress(Location loc) {
  Operand operand;
  operand.kind = Operand::Address;
  operand.loc = loc;
  operand.parts.push_back(parsePrimary());
  Operand &base = operand.parts[0];
  if (base.kind != Operand::Name && base.kind != Operand::Integer)
    syntaxError(base.loc, "expected a register, a variable or an integer as address");
  operand.offset = base.offset;
  base.offset = 0;
  operand.offset += parseOffset();
  while (accept(","))
    operand.parts.push_back(parseOperand());
  expect("]");
  return operand;
}

Operand Parser::parsePrimary() {
  Token token = lexer.peek();
  Operand operand;
  operand.loc = token.loc;
  if (accept("{")) {
    operand.kind = Operand::Vector;
    parseElements(operand, "}");
    return operand;
  }
  if (accept("(")) {
    operand.kind = Operand::List;
    parseElements(operand, ")");
    return operand;
  }
  if (accept("["))
    return parseAddress(token.loc);
  bool minus = accept("-");
  operand.negated = !minus && accept("!");
  token = lexer.peek();
  if (token.kind == Token::Number) {
    Literal literal = parseLiteral(lexer.next());
    operand.kind = literal.kind == Literal::Integer ? Operand::Integer
                   : literal.kind == Literal::Float ? Operand::Float
                                                    : Operand::Double;
    operand.value = int64_t(literal.bits);
    if (minus)
      operand.value = literal.kind == Literal::Integer ? int64_t(0 - literal.bits)
                      : literal.kind == Literal::Float
                          ? int64_t(literal.bits ^ 0x80000000u)
                          : int64_t(literal.bits ^ (uint64_t(1) << 63));
    return operand;
  }
  if (minus || token.kind != Token::Word || token.text[0] == '.')
    unexpected(token, "an operand");
  lexer.next();
  if (token.text == "_")
    return operand;
  operand.kind = Operand::Name;
  operand.name = token.text;
  operand.offset = parseOffset();
  return operand;
}

void parseModule(ModuleImpl &module) { Parser(module).run(); }

} // namespace ptxsim
