// Checks of real attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Numbers.h"
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
  return success();
}

/// The characters of a number at the start of `text`, which MLIR's lexer takes for several tokens
/// if it has an exponent but no point; `isFloat`: for one.
static StringRef numberAt(StringRef text, bool &isFloat) {
  StringRef rest = text;
  auto digits = [&] { rest = rest.drop_while(llvm::isDigit); };
  rest.consume_front("-");
  digits();
  isFloat = rest.starts_with(".") || rest.starts_with("x");
  StringRef exponent = rest;
  if (exponent.consume_front_insensitive("e")) {
    if (!exponent.consume_front("-"))
      exponent.consume_front("+");
    if (!exponent.empty() && llvm::isDigit(exponent.front()))
      rest = exponent, digits();
  }
  return text.drop_back(rest.size());
}

FailureOr<APFloat> ampc::parseReal(AsmParser &parser) {
  const char *start = parser.getCurrentLocation().getPointer();
  bool isFloat;
  StringRef number = numberAt(StringRef(start), isFloat);
  double value;
  if (isFloat || number.empty() || !llvm::isDigit(number.back())) {
    if (parser.parseFloat(value))
      return failure();
    return APFloat(value);
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
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&letter))
      return failure();
    if (letter.size() > 1 && !number.ends_with(letter))
      return parser.emitError(place)
             << "expected a number, but got " << StringRef(start, letter.end() - start);
    (void)parser.parseOptionalPlus();
    if (letter.size() == 1 && failed(takeInteger()))
      return failure();
  }
  APFloat result(APFloat::IEEEdouble());
  auto status = result.convertFromString(number, APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    return failure();
  }
  return result;
}
