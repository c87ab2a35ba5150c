// Checks of real attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir-dialects/Train/Text/ParseScope.h"
#include "llvm/Support/Error.h"

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
  StringRef number = numberAt(StringRef(start), isFloat);
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

/// Copies the tokens of a formula into `text`; `only` is set for a formula that is a single number.
static ParseResult collectReals(AsmParser &parser, std::string &text, bool &hasNames,
                                std::optional<APFloat> &only, unsigned depth) {
  if (depth > 100)
    return parser.emitError(parser.getCurrentLocation())
           << "expected parentheses nested at most 100 deep";
  auto inParentheses = [&]() -> ParseResult {
    text += '(';
    if (collectReals(parser, text, hasNames, only, depth + 1) || parser.parseRParen())
      return failure();
    only.reset();
    text += ')';
    return success();
  };
  while (true) {
    StringRef rest(parser.getCurrentLocation().getPointer()), name;
    if (succeeded(parser.parseOptionalLParen())) {
      if (inParentheses())
        return failure();
    } else if (succeeded(parser.parseOptionalQuestion())) {
      hasNames = true;
      text += "batch";
    } else if (succeeded(parser.parseOptionalKeyword(&name))) {
      text += name;
      bool isRoot = name == "sqrt" && succeeded(parser.parseOptionalLParen());
      hasNames |= !isRoot;
      if (isRoot && inParentheses())
        return failure();
    } else {
      bool isFloat, isFirst = text.empty();
      FailureOr<APFloat> value = parseNumber(parser);
      if (failed(value))
        return failure();
      text += numberAt(rest, isFloat);
      if (isFirst)
        only = *value;
    }
    if (!parseOptionalOperator(parser, text))
      return success();
    only.reset();
  }
}

FailureOr<APFloat> ampc::parseReal(AsmParser &parser) {
  SMLoc place = parser.getCurrentLocation();
  std::string text, why;
  bool hasNames = false;
  std::optional<APFloat> only;
  if (collectReals(parser, text, hasNames, only, 0))
    return failure();
  if (only)
    return *only;
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  FailureOr<double> value = (scope ? scope->sizes : Sizes()).evaluateReal(text, why);
  if (failed(value))
    return parser.emitError(place) << why, failure();
  if (hasNames && FormulasIn::note(parser, place))
    return failure();
  return APFloat(*value);
}

FailureOr<int64_t> ampc::parseWhole(AsmParser &parser) {
  SMLoc place = parser.getCurrentLocation();
  int64_t value;
  std::string formula;
  if (parseSize(parser, value, formula) || (!formula.empty() && FormulasIn::note(parser, place)))
    return failure();
  return value;
}
