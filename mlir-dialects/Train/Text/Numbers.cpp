// Parsers of numbers and formulas, and checks of real attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/Numbers.h"
#include "ampc/Support/Text.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "llvm/Support/Error.h"
#include <functional>

using namespace mlir;
using namespace ampc;

LogicalResult ampc::verifyFinite(EmitError emitError, ArrayRef<NamedNumber> numbers) {
  for (const NamedNumber &n : numbers)
    if (!n.value.isFinite())
      return emitError() << "expected a finite " << n.name << ", but got " << number(n.value);
  return success();
}

LogicalResult ampc::verifyNotNegative(EmitError emitError, ArrayRef<NamedNumber> numbers) {
  for (const NamedNumber &n : numbers)
    if (!n.value.isFinite() || number(n.value) < 0)
      return emitError() << "expected a finite " << n.name << " of at least 0, but got "
                         << number(n.value);
    else if (float rounded = float(number(n.value));
             !std::isfinite(rounded) || (rounded == 0 && !n.value.isZero()))
      return emitError() << "expected f32 to hold " << n.name << ", but got " << number(n.value);
  return success();
}

// A number with an exponent but no point is several tokens of MLIR's lexer.
StringRef ampc::numberAt(StringRef text, bool &isFloat) {
  StringRef rest = text;
  auto digits = [&] { rest = rest.drop_while(llvm::isDigit); };
  rest.consume_front("-");
  digits();
  isFloat = rest.starts_with(".") || rest.starts_with("x");
  if (rest.consume_front("."))
    digits();
  StringRef exponent = rest;
  if (exponent.consume_front_insensitive("e")) {
    if (!exponent.consume_front("-"))
      exponent.consume_front("+");
    if (!exponent.empty() && llvm::isDigit(exponent.front()))
      rest = exponent, digits();
  }
  return text.drop_back(rest.size());
}

/// Text of the parser's place up to the end of a number; the text behind may be megabytes.
static StringRef numberText(AsmParser &parser) {
  const char *begin = parser.getCurrentLocation().getPointer(), *end = begin;
  while (llvm::isAlnum(*end) || *end == '.' || *end == '-' || *end == '+')
    ++end;
  return StringRef(begin, end - begin);
}

/// `number` in f64; an error at `place` if it is beyond f64, or becomes 0 there: 1.0e-400.
static FailureOr<APFloat> roundToDouble(AsmParser &parser, SMLoc place, StringRef number) {
  APFloat result(APFloat::IEEEdouble());
  auto status = result.convertFromString(number, APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return failure();
  }
  bool vanishes = result.isZero() && (*status & APFloat::opUnderflow);
  if (!vanishes && !(*status & APFloat::opOverflow))
    return result;
  parser.emitError(place) << "expected a number that f64 holds, but got " << number;
  return failure();
}

static FailureOr<APFloat> parseNumber(AsmParser &parser) {
  SMLoc place = parser.getCurrentLocation();
  const char *start = place.getPointer();
  bool isFloat;
  StringRef number = numberAt(numberText(parser), isFloat);
  double value;
  if (isFloat || number.empty() || !llvm::isDigit(number.back())) {
    if (parser.parseFloat(value))
      return failure();
    bool isDecimal = !number.empty() && llvm::isDigit(number.back()) && start[number.size()] != 'x';
    return isDecimal ? roundToDouble(parser, place, number) : APFloat(value);
  }
  auto takeInteger = [&] {
    APInt whole;
    OptionalParseResult taken = parser.parseOptionalInteger(whole);
    return success(taken.has_value() && succeeded(*taken));
  };
  if (failed(takeInteger()))
    return failure();
  // Then a word: "e", ahead of a sign and an integer, or with the digits.
  if (StringRef letter; number.contains_insensitive("e")) {
    SMLoc letterPlace = parser.getCurrentLocation();
    if (parser.parseKeyword(&letter))
      return failure();
    if (letter.size() > 1 && !number.ends_with(letter))
      return parser.emitError(letterPlace)
             << "expected a number, but got " << StringRef(start, letter.end() - start);
    (void)parser.parseOptionalPlus();
    if (letter.size() == 1 && failed(takeInteger()))
      return failure();
  }
  return roundToDouble(parser, place, number);
}

static Sizes sizesOf(AsmParser &parser) {
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  return Sizes(scope ? &scope->sizes : nullptr);
}

namespace {
/// Reader of the tokens of one number or formula: literals, names of sizes, + - * / **, sqrt(...)
/// and parentheses.
class FormulaTokens {
public:
  /// `prefersWhole`: literals without point and exponent are integers of MLIR's lexer, e.g. 0x10.
  FormulaTokens(AsmParser &parser, bool prefersWhole)
      : parser(parser), prefersWhole(prefersWhole) {}
  ParseResult read() { return sum(0); }

  std::string text;
  bool hasNames = false;
  /// Value of a text that is one real literal, rounded once.
  std::optional<APFloat> only;

private:
  ParseResult sum(unsigned depth);
  ParseResult factor(unsigned depth);
  ParseResult inParentheses(unsigned depth);
  ParseResult literal();
  ParseResult wholeLiteral();

  AsmParser &parser;
  bool prefersWhole;
};
} // namespace

ParseResult FormulaTokens::sum(unsigned depth) {
  if (depth > 100)
    return parser.emitError(parser.getCurrentLocation())
           << "expected parentheses nested at most 100 deep";
  while (true) {
    if (factor(depth))
      return failure();
    if (!parseOptionalOperator(parser, text))
      return success();
    only.reset();
  }
}

ParseResult FormulaTokens::inParentheses(unsigned depth) {
  text += '(';
  if (sum(depth + 1) || parser.parseRParen())
    return failure();
  only.reset();
  text += ')';
  return success();
}

ParseResult FormulaTokens::factor(unsigned depth) {
  StringRef name;
  const char *at = parser.getCurrentLocation().getPointer();
  if (llvm::isDigit(*at) || (*at == '-' && llvm::isDigit(at[1])))
    return literal();
  if (succeeded(parser.parseOptionalMinus())) {
    text += '-';
    return depth < 100 ? factor(depth + 1) : sum(depth + 1);
  }
  if (succeeded(parser.parseOptionalLParen()))
    return inParentheses(depth);
  if (succeeded(parser.parseOptionalQuestion())) {
    hasNames = true;
    text += "batch";
    return success();
  }
  // The list of names is for completion in editors.
  SmallVector<std::string> names = sizesOf(parser).names();
  if (failed(parser.parseOptionalKeyword(&name, llvm::to_vector_of<StringRef>(names))) &&
      failed(parser.parseOptionalKeyword(&name)))
    return literal();
  text += name;
  bool isRoot = name == "sqrt" && succeeded(parser.parseOptionalLParen());
  hasNames |= !isRoot;
  return isRoot ? inParentheses(depth) : success();
}

ParseResult FormulaTokens::wholeLiteral() {
  int64_t number;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  if (!parsed.has_value()) {
    SMLoc place = parser.getCurrentLocation();
    StringRef rest(place.getPointer());
    size_t length = rest.find_first_of(" \t\n,;()[]{}<>", 1);
    return parser.emitError(place)
           << "expected a number, the name of a size or a formula of sizes, but got "
           << shown(rest.take_front(length));
  }
  text += std::to_string(number);
  return *parsed;
}

ParseResult FormulaTokens::literal() {
  bool isFloat, isFirst = text.empty();
  StringRef number = numberAt(numberText(parser), isFloat);
  if (prefersWhole && number.find_first_of(".eE") == StringRef::npos)
    return wholeLiteral();
  FailureOr<APFloat> value = parseNumber(parser);
  if (failed(value))
    return failure();
  text += number;
  if (isFirst)
    only = *value;
  return success();
}

FailureOr<APFloat> ampc::parseReal(AsmParser &parser, std::string &formula) {
  SMLoc place = parser.getCurrentLocation();
  FormulaTokens tokens(parser, /*prefersWhole=*/false);
  if (tokens.read())
    return failure();
  if (tokens.only)
    return *tokens.only;
  std::string why;
  FailureOr<double> value = sizesOf(parser).evaluateReal(tokens.text, why);
  if (failed(value))
    return parser.emitError(place) << why, failure();
  formula = tokens.hasNames ? tokens.text : "";
  return APFloat(*value);
}

FailureOr<APFloat> ampc::parseReal(AsmParser &parser) {
  if (std::optional<FailureOr<APFloat>> knob = parseOptionalKnobNumber(parser))
    return *knob;
  SMLoc place = parser.getCurrentLocation();
  std::string formula;
  FailureOr<APFloat> value = parseReal(parser, formula);
  if (succeeded(value) && !formula.empty() && FormulasIn::note(parser, place))
    return failure();
  return value;
}

ParseResult ampc::parseFormula(AsmParser &parser, std::string &text, bool &hasNames) {
  FormulaTokens tokens(parser, /*prefersWhole=*/true);
  if (tokens.read())
    return failure();
  text = tokens.text;
  hasNames = tokens.hasNames;
  return success();
}

/// Evaluates a number or formula by `evaluate`; `formula` stays empty for a number.
template <typename Number, typename Evaluate>
static ParseResult parseNumberBy(Evaluate evaluate, AsmParser &parser, Number &value,
                                 std::string &formula) {
  SMLoc place = parser.getCurrentLocation();
  std::string text, why;
  bool hasNames;
  if (parseFormula(parser, text, hasNames))
    return failure();
  FailureOr<Number> number = evaluate(sizesOf(parser), text, why);
  if (failed(number))
    return parser.emitError(place) << why;
  value = *number;
  formula = hasNames ? text : "";
  return success();
}

ParseResult ampc::parseSize(AsmParser &parser, int64_t &value, std::string &formula) {
  return parseNumberBy(std::mem_fn(&Sizes::evaluate), parser, value, formula);
}

ParseResult ampc::parseNamedSize(AsmParser &parser, StringRef &name, SizeNumber &value,
                                 std::string &formula) {
  return failure(parser.parseKeyword(&name) || parser.parseEqual() ||
                 parseNumberBy(std::mem_fn(&Sizes::evaluateNumber), parser, value, formula));
}

FailureOr<SmallVector<int64_t>> ampc::parseWholes(AsmParser &parser) {
  SmallVector<int64_t> numbers;
  auto one = [&]() -> ParseResult {
    FailureOr<int64_t> number = parseWhole(parser);
    if (succeeded(number))
      numbers.push_back(*number);
    return failure(failed(number));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
    return failure();
  return numbers;
}

FailureOr<int64_t> ampc::parseWhole(AsmParser &parser) {
  SMLoc place = parser.getCurrentLocation();
  int64_t value;
  std::string formula;
  if (parseSize(parser, value, formula) || (!formula.empty() && FormulasIn::note(parser, place)))
    return failure();
  return value;
}
