// Formulas over sizes: evaluation, and numbers from the command line.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/Sizes.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir-dialects/Train/Text/ParseScope.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include <charconv>

using namespace mlir;
using namespace ampc;

// ---- Formulas ----

namespace {
/// Recursive-descent parser of one formula; after an error, `why` is set and numbers are invalid.
template <typename Number> class FormulaReader {
public:
  FormulaReader(StringRef text, const Sizes &sizes, std::string &why)
      : text(text), sizes(sizes), why(why) {}
  FailureOr<Number> read() {
    Number value = sum(0);
    skip();
    if (why.empty() && !text.empty())
      fail("expected + - * / or ** between sizes, but got " + text.str());
    if (!why.empty())
      return failure();
    return value;
  }

private:
  static constexpr bool isWhole = std::is_same_v<Number, int64_t>;

  Number fail(const std::string &message) {
    if (why.empty())
      why = message;
    return 1;
  }
  void skip() { text = text.ltrim(); }
  bool consume(char c) {
    skip();
    return text.consume_front(StringRef(&c, 1));
  }

  Number sum(unsigned depth) {
    Number left = product(depth);
    while (why.empty()) {
      bool plus = consume('+');
      if (!plus && !consume('-'))
        break;
      left = combine(left, plus ? '+' : '-', product(depth));
    }
    return left;
  }
  Number product(unsigned depth) {
    Number left = power(depth);
    while (why.empty()) {
      bool times = consume('*');
      if (!times && !consume('/'))
        break;
      left = combine(left, times ? '*' : '/', power(depth));
    }
    return left;
  }
  /// Powers bind closer than a sign, and from the right: -2 ** 2 is -4, 2 ** 3 ** 2 is 512.
  Number power(unsigned depth) {
    skip();
    bool hasSign = text.starts_with("-");
    Number base = factor(depth);
    if (skip(); !text.consume_front("**"))
      return base;
    if (!hasSign)
      return raise(base, power(depth + 1));
    return combine(0, '-', raise(combine(0, '-', base), power(depth + 1)));
  }
  Number raise(Number base, Number exponent) {
    if constexpr (isWhole) {
      if (exponent < 0)
        return fail("expected a power of at least 0 between whole numbers, but got " +
                    std::to_string(exponent));
      Number result = 1;
      for (; exponent > 0 && why.empty() && result != 0; --exponent) {
        if (base == 1 || base == -1)
          return exponent % 2 ? base : 1;
        result = combine(result, '*', base);
      }
      return result;
    } else {
      Number result = std::pow(base, exponent);
      return std::isfinite(result) ? result : fail("expected a finite power");
    }
  }
  Number combine(Number left, char op, Number right) {
    if constexpr (isWhole) {
      if (op == '/' ? right == 0 || right == -1 || left % right : false)
        return fail("expected a division without a rest, but got " + std::to_string(left) + " / " +
                    std::to_string(right));
      Number result = 0;
      bool tooLarge = op == '+'   ? llvm::AddOverflow(left, right, result)
                      : op == '-' ? llvm::SubOverflow(left, right, result)
                      : op == '*' ? llvm::MulOverflow(left, right, result)
                                  : (result = left / right, false);
      return tooLarge ? fail("expected a size of 64 bits") : result;
    }
    if (op == '/' && right == 0)
      return fail("expected no division by 0");
    return op == '+'   ? left + right
           : op == '-' ? left - right
           : op == '*' ? left * right
                       : left / right;
  }
  Number inParentheses(unsigned depth) {
    Number inner = sum(depth + 1);
    return consume(')') ? inner : fail("expected )");
  }
  Number factor(unsigned depth) {
    if (depth > 100)
      return fail("expected parentheses nested at most 100 deep");
    if (consume('('))
      return inParentheses(depth);
    skip();
    bool negative = text.consume_front("-");
    if (std::optional<Number> number = literal(negative))
      return *number;
    if (negative)
      return combine(0, '-', power(depth + 1));
    StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty())
      return fail("expected a number or the name of a size, but got " + shown(text));
    text = text.drop_front(name.size());
    if (!isWhole && name == "sqrt" && consume('('))
      return root(inParentheses(depth));
    std::optional<SizeNumber> value = sizes.findNumber(name);
    if (!value)
      return fail("expected the name of a size, but got " + name.str() +
                  suggestion(name, sizes.names()));
    if constexpr (isWhole)
      return std::get<int64_t>(*value); // formulas with real sizes are read as real
    else
      return realOf(*value);
  }
  /// The sign belongs to the digits: -2^63 has 64 bits, 2^63 has not.
  std::optional<Number> literal(bool negative) {
    if (text.empty() || !(llvm::isDigit(text.front()) || (!isWhole && text.front() == '.')))
      return std::nullopt;
    bool isFloat;
    StringRef digits = isWhole ? text.take_while(llvm::isDigit) : numberAt(text, isFloat);
    text = text.drop_front(digits.size());
    std::string number = (negative ? "-" : "") + digits.str();
    Number value = 0;
    if constexpr (isWhole)
      return StringRef(number).getAsInteger(10, value)
                 ? fail("expected a size of 64 bits, but got " + number)
                 : value;
    else
      return StringRef(number).getAsDouble(value) ? fail("expected a number, but got " + number)
                                                  : value;
  }
  Number root(Number square) {
    return square < 0
               ? fail("expected a root of at least 0, but got sqrt(" + std::to_string(square) + ")")
               : Number(std::sqrt(double(square)));
  }

  StringRef text;
  const Sizes &sizes;
  std::string &why;
};
} // namespace

std::string ampc::textOf(const SizeNumber &number) {
  if (!isReal(number))
    return std::to_string(std::get<int64_t>(number));
  char buffer[40];
  double value = std::get<double>(number);
  std::string text(buffer, std::to_chars(buffer, std::end(buffer), value).ptr);
  bool isWritten = StringRef(text).find_first_of(".en") != StringRef::npos; // inf, nan
  return isWritten ? text : text + ".0";
}

std::optional<SizeNumber> Sizes::findNumber(StringRef name) const {
  for (const Sizes *at = this; at; at = at->outer)
    if (auto found = at->values.find(name.str()); found != at->values.end())
      return found->second;
  return std::nullopt;
}

std::optional<int64_t> Sizes::find(StringRef name) const {
  std::optional<SizeNumber> found = findNumber(name);
  return found && !::isReal(*found) ? std::optional(std::get<int64_t>(*found)) : std::nullopt;
}

SmallVector<std::string> Sizes::names() const {
  SmallVector<std::string> all;
  for (const Sizes *at = this; at; at = at->outer)
    for (const auto &[name, value] : at->values)
      if (!llvm::is_contained(all, name))
        all.push_back(name);
  return all;
}

bool Sizes::isReal(StringRef formula) const {
  auto isWordChar = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  while (!formula.empty()) {
    bool isFloat = false;
    if (char first = formula.front(); llvm::isDigit(first) || first == '.') {
      StringRef number = numberAt(formula, isFloat);
      if (isFloat || number.contains_insensitive("e"))
        return true;
      formula = formula.drop_front(std::max<size_t>(number.size(), 1));
    } else if (StringRef word = formula.take_while(isWordChar); !word.empty()) {
      std::optional<SizeNumber> size = findNumber(word);
      formula = formula.drop_front(word.size());
      if (size ? ::isReal(*size) : word == "sqrt" && formula.ltrim().starts_with("("))
        return true;
    } else {
      formula = formula.drop_front();
    }
  }
  return false;
}

FailureOr<int64_t> Sizes::evaluate(StringRef formula, std::string &why) const {
  if (!isReal(formula))
    return FormulaReader<int64_t>(formula, *this, why).read();
  FailureOr<double> value = evaluateReal(formula, why);
  if (succeeded(value)) {
    double literal;
    bool isLiteral = !formula.trim().getAsDouble(literal);
    why = "expected a whole number, but " + (isLiteral ? "got " : formula.trim().str() + " is ") +
          textOf(*value);
  }
  return failure();
}

FailureOr<double> Sizes::evaluateReal(StringRef formula, std::string &why) const {
  return FormulaReader<double>(formula, *this, why).read();
}

template <typename Number> static FailureOr<SizeNumber> asNumber(FailureOr<Number> value) {
  if (failed(value))
    return failure();
  return SizeNumber(*value);
}

FailureOr<SizeNumber> Sizes::evaluateNumber(StringRef formula, std::string &why) const {
  return isReal(formula) ? asNumber(evaluateReal(formula, why)) : asNumber(evaluate(formula, why));
}

FailureOr<SmallVector<int64_t>> Sizes::evaluateAll(StringRef formulas, std::string &why) const {
  SmallVector<int64_t> values;
  while (!formulas.trim().empty()) {
    auto [first, rest] = formulas.split(',');
    FailureOr<int64_t> value = evaluate(first, why);
    if (failed(value))
      return failure();
    values.push_back(*value);
    formulas = rest;
  }
  return values;
}

FailureOr<SizeNumber> Sizes::settle(StringRef name, bool isDeclaredReal, SizeNumber given,
                                    std::string &why) {
  std::string got = ", but got " + textOf(given);
  if (isDeclaredReal) {
    if (std::isfinite(realOf(given)))
      return SizeNumber(realOf(given));
    why = "expected a finite " + name.str() + got;
  } else if (::isReal(given)) {
    why = "expected a whole number as " + name.str() + got;
  } else if (int64_t whole = std::get<int64_t>(given); whole < 1) {
    why = "expected a positive " + name.str() + got +
          (whole == 0 ? "; the real number 0 is written 0.0" : "");
  } else {
    return given;
  }
  return failure();
}

LogicalResult Sizes::declare(ArrayAttr declared, const SizeNumbers &given, std::string &why) {
  for (Attribute each : declared ? declared.getValue() : ArrayRef<Attribute>()) {
    auto [name, formula] = cast<StringAttr>(each).getValue().split('=');
    name = name.trim();
    auto found = given.find(name.str());
    bool isGiven = found != given.end();
    FailureOr<SizeNumber> value =
        isGiven ? FailureOr<SizeNumber>(found->second) : evaluateNumber(formula, why);
    if (succeeded(value))
      value = settle(name, isReal(formula), *value, why);
    if (failed(value))
      return failure();
    set(name, *value);
  }
  return success();
}

std::string ampc::suggestion(StringRef word, ArrayRef<std::string> words) {
  if (std::string hint = didYouMean(word, words); !hint.empty())
    return hint;
  return words.empty() ? "; there is none" : "; there is " + llvm::join(words, ", ");
}

// ---- Numbers from the command line ----

/// "12" is whole, "0.5" and "1e-3" are real.
static std::optional<SizeNumber> parseSizeNumber(StringRef text) {
  int64_t whole = 0;
  if (!text.getAsInteger(10, whole))
    return whole;
  double real = 0;
  bool isDecimal = text.find_first_not_of("0123456789+-.eE") == StringRef::npos;
  if (!isDecimal || text.getAsDouble(real) || !std::isfinite(real))
    return std::nullopt;
  return real;
}

llvm::Expected<SizeNumbers> ampc::parseSizeNumbers(StringRef text) {
  SizeNumbers numbers;
  while (!text.empty()) {
    auto [each, rest] = text.split(',');
    auto [name, digits] = each.split('=');
    std::optional<SizeNumber> value = parseSizeNumber(digits.trim());
    if (name.trim().empty() || !value)
      return llvm::createStringError("expected NAME=NUMBER, but got " + shown(each));
    if (!numbers.try_emplace(name.trim().str(), *value).second)
      return llvm::createStringError("expected every size once, but got " + name.trim().str() +
                                     " twice");
    text = rest;
  }
  return numbers;
}
