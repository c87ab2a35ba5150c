// Lexer of PTX text; tokens have line and column.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_PARSE_LEXER_H
#define PTXSIM_PARSE_LEXER_H

#include "lib/PTXSim/Parse/AST.h"

namespace ptxsim {

struct Token {
  enum Kind : uint8_t { End, Word, Number, String, Punctuation };
  Kind kind = End;
  std::string_view text;
  Location loc;
  bool is(std::string_view s) const { return text == s && kind != String; }
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) { advance(); }
  const Token &peek() const { return token; }
  Token next() {
    Token result = token;
    advance();
    return result;
  }
  /// Offset of the current token in the text.
  size_t offset() const { return token.text.data() - text.data(); }
  /// Offset behind the token that next() last returned.
  size_t endOfLast() const { return lastEnd; }

private:
  void advance();
  void skipBlanks();
  void step();
  std::string_view text;
  size_t position = 0, lastEnd = 0;
  uint32_t line = 1, column = 1;
  Token token;
};

[[noreturn]] void syntaxError(Location loc, const std::string &message);
/// Throws "expected X, but got 'Y'".
[[noreturn]] void unexpected(const Token &token, const std::string &expected);

struct Literal {
  enum Kind : uint8_t { Integer, Float, Double } kind;
  uint64_t bits;
};
/// Decimal, hexadecimal, octal and binary integers, 0f/0d bit patterns, decimal floats.
Literal parseLiteral(const Token &token);

} // namespace ptxsim
#endif
