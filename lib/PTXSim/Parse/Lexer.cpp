// Lexer of PTX text; tokens have line and column.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Parse/Lexer.h"
#include <cerrno>
#include <cstdlib>

namespace ptxsim {

void syntaxError(Location loc, const std::string &message) {
  throw Error(ErrorKind::Syntax,
              std::to_string(loc.line) + ":" + std::to_string(loc.column) + ": " + message,
              loc.line, loc.column);
}

void unexpected(const Token &token, const std::string &expected) {
  std::string got = token.kind == Token::End ? "the end of the file"
                                             : "'" + std::string(token.text.substr(0, 60)) + "'";
  syntaxError(token.loc, "expected " + expected + ", but got " + got);
}

static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' ||
         c == '.';
}
static bool isWordPart(char c) { return isWordStart(c) || isDigit(c); }

void Lexer::step() {
  if (text[position++] == '\n') {
    line++;
    column = 1;
  } else {
    column++;
  }
}

void Lexer::skipBlanks() {
  while (position < text.size()) {
    char c = text[position];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
      step();
    } else if (text.compare(position, 2, "//") == 0) {
      while (position < text.size() && text[position] != '\n')
        step();
    } else if (text.compare(position, 2, "/*") == 0) {
      Location begin{line, column};
      size_t close = text.find("*/", position + 2);
      if (close == std::string_view::npos)
        syntaxError(begin, "expected '*/' to close this comment, but got the end of the file");
      while (position < close + 2)
        step();
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  lastEnd = position;
  skipBlanks();
  token.loc = {line, column};
  size_t begin = position;
  if (position >= text.size()) {
    token.kind = Token::End;
    token.text = text.substr(text.size());
    return;
  }
  char c = text[position];
  bool numberDot = c == '.' && position + 1 < text.size() && isDigit(text[position + 1]);
  if (c == '"') {
    step();
    while (position < text.size() && text[position] != '"' && text[position] != '\n')
      step();
    if (position >= text.size() || text[position] != '"')
      syntaxError(token.loc, "expected '\"' to close this string, but got the end of the line");
    step();
    token.kind = Token::String;
    token.text = text.substr(begin + 1, position - begin - 2);
    return;
  }
  if (isDigit(c) || numberDot) {
    while (position < text.size() &&
           (isWordPart(text[position]) ||
            ((text[position] == '+' || text[position] == '-') && begin + 1 < position &&
             (text[position - 1] == 'e' || text[position - 1] == 'E') &&
             text.substr(begin, position - begin).find('.') != std::string_view::npos)))
      step();
    token.kind = Token::Number;
  } else if (isWordStart(c)) {
    // "::" joins two words of a modifier (shared::cluster); a single ':' ends a label.
    while (position < text.size() &&
           (isWordPart(text[position]) ||
            (text.compare(position, 2, "::") == 0 && position + 2 < text.size() &&
             isWordPart(text[position + 2])))) {
      if (text[position] == ':')
        step();
      step();
    }
    token.kind = Token::Word;
  } else {
    step();
    token.kind = Token::Punctuation;
  }
  token.text = text.substr(begin, position - begin);
}

static uint64_t parseHexBits(const Token &token, size_t digits) {
  std::string_view text = token.text.substr(2);
  if (text.size() != digits)
    syntaxError(token.loc, "expected " + std::to_string(digits) +
                               " hexadecimal digits in a floating-point literal, but got '" +
                               std::string(token.text.substr(0, 60)) + "'");
  uint64_t value = 0;
  for (char c : text) {
    int digit = isDigit(c)             ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
    if (digit < 0)
      unexpected(token, "a hexadecimal digit");
    value = value << 4 | unsigned(digit);
  }
  return value;
}

Literal parseLiteral(const Token &token) {
  std::string text(token.text);
  if (text.size() > 64)
    unexpected(token, "a number");
  if (text.size() > 1 && text[0] == '0') {
    if (text[1] == 'f' || text[1] == 'F')
      return {Literal::Float, parseHexBits(token, 8)};
    if (text[1] == 'd' || text[1] == 'D')
      return {Literal::Double, parseHexBits(token, 16)};
  }
  char *end = nullptr;
  if (text.find('.') != std::string::npos) {
    double value = std::strtod(text.c_str(), &end);
    if (*end)
      unexpected(token, "a number");
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return {Literal::Double, bits};
  }
  if (text.back() == 'U')
    text.pop_back();
  errno = 0;
  bool binary = text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
  uint64_t value = std::strtoull(text.c_str() + (binary ? 2 : 0), &end, binary ? 2 : 0);
  if (*end || errno == ERANGE || text.empty())
    unexpected(token, "a 64-bit integer");
  return {Literal::Integer, value};
}

} // namespace ptxsim
