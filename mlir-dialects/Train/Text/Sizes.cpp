// Formulas over sizes: evaluation, and numbers of ops computed from formulas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/Sizes.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include "mlir-dialects/Train/Text/ParseScope.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

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
      fail("expected + - * or / between sizes, but got " + text.str());
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
    Number left = factor(depth);
    while (why.empty()) {
      bool times = consume('*');
      if (!times && !consume('/'))
        break;
      left = combine(left, times ? '*' : '/', factor(depth));
    }
    return left;
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
    if (std::optional<Number> number = literal())
      return negative ? -*number : *number;
    StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty() || negative)
      return fail("expected a number or the name of a size, but got " + shown(text));
    text = text.drop_front(name.size());
    if (!isWhole && name == "sqrt" && consume('('))
      return root(inParentheses(depth));
    std::optional<int64_t> value = sizes.find(name);
    return value ? Number(*value)
                 : fail("expected the name of a size, but got " + name.str() +
                        suggestion(name, sizes.names()));
  }
  std::optional<Number> literal() {
    if (text.empty() || !(llvm::isDigit(text.front()) || (!isWhole && text.front() == '.')))
      return std::nullopt;
    bool isFloat;
    StringRef digits = isWhole ? text.take_while(llvm::isDigit) : numberAt(text, isFloat);
    text = text.drop_front(digits.size());
    Number number = 0;
    if constexpr (isWhole)
      return digits.getAsInteger(10, number)
                 ? fail("expected a size of 64 bits, but got " + digits.str())
                 : number;
    else
      return digits.getAsDouble(number) ? fail("expected a number, but got " + digits.str())
                                        : number;
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

std::optional<int64_t> Sizes::find(StringRef name) const {
  for (const Sizes *at = this; at; at = at->outer)
    if (auto found = at->values.find(name.str()); found != at->values.end())
      return found->second;
  return std::nullopt;
}

SmallVector<std::string> Sizes::names() const {
  SmallVector<std::string> all;
  for (const Sizes *at = this; at; at = at->outer)
    for (const auto &[name, value] : at->values)
      if (!llvm::is_contained(all, name))
        all.push_back(name);
  return all;
}

FailureOr<int64_t> Sizes::evaluate(StringRef formula, std::string &why) const {
  return FormulaReader<int64_t>(formula, *this, why).read();
}

FailureOr<double> Sizes::evaluateReal(StringRef formula, std::string &why) const {
  return FormulaReader<double>(formula, *this, why).read();
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

LogicalResult Sizes::declare(ArrayAttr declared, const std::map<std::string, int64_t> &given,
                             std::string &why) {
  for (Attribute each : declared ? declared.getValue() : ArrayRef<Attribute>()) {
    auto [name, formula] = cast<StringAttr>(each).getValue().split('=');
    name = name.trim();
    auto found = given.find(name.str());
    FailureOr<int64_t> value =
        found != given.end() ? FailureOr<int64_t>(found->second) : evaluate(formula, why);
    if (failed(value))
      return failure();
    if (*value < 1) {
      why = "expected a positive " + name.str() + ", but got " + std::to_string(*value);
      return failure();
    }
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

llvm::Expected<SizeNumbers> ampc::parseSizeNumbers(StringRef text) {
  SizeNumbers numbers;
  while (!text.empty()) {
    auto [each, rest] = text.split(',');
    auto [name, digits] = each.split('=');
    int64_t value = 0;
    if (name.trim().empty() || digits.trim().getAsInteger(10, value) || value < 1)
      return llvm::createStringError("expected NAME=NUMBER with a positive number, but got " +
                                     shown(each));
    if (!numbers.try_emplace(name.trim().str(), value).second)
      return llvm::createStringError("expected every size once, but got " + name.trim().str() +
                                     " twice");
    text = rest;
  }
  return numbers;
}

// ---- Ops with formulas ----

/// The type with other dimensions.
static FailureOr<Type> resize(Operation *op, Type type, StringRef formulas, const Sizes &sizes) {
  std::string why;
  auto shape = sizes.evaluateAll(formulas, why);
  if (failed(shape))
    return op->emitError() << why;
  if (llvm::any_of(*shape, [](int64_t size) { return size < 1; }))
    return op->emitError() << "expected positive sizes, but " << formulas << " is ["
                           << ArrayRef<int64_t>(*shape) << "]";
  return Type(cast<RankedTensorType>(type).clone(*shape));
}

/// Attributes that hold several numbers are written again.
static bool isText(StringRef formulas) {
  return formulas.starts_with("#") || formulas.starts_with("[");
}

/// Parses the attribute's text again with these sizes.
static FailureOr<Attribute> readAgain(Operation *op, StringRef text, const Sizes &sizes) {
  std::string why;
  Attribute read;
  {
    ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &diagnostic) {
      if (why.empty())
        why = diagnostic.str();
      return success();
    });
    ParseScope scope(op->getContext(), ParseScope::Kind::Model);
    scope.sizes = Sizes(&sizes);
    FormulasIn formulas(op->getContext());
    read = parseAttribute(text, op->getContext());
  }
  if (!read)
    return op->emitError() << why;
  return read;
}

static LogicalResult applyTo(Operation *op, StringAttr name, StringRef formulas,
                             const Sizes &sizes) {
  if (name == "result") {
    FailureOr<Type> type = resize(op, op->getResult(0).getType(), formulas, sizes);
    if (succeeded(type))
      op->getResult(0).setType(*type);
    return type;
  }
  Attribute present = op->getAttr(name);
  if (auto type = dyn_cast<TypeAttr>(present)) {
    FailureOr<Type> resized = resize(op, type.getValue(), formulas, sizes);
    if (succeeded(resized))
      op->setAttr(name, TypeAttr::get(*resized));
    return resized;
  }
  if (isText(formulas)) {
    FailureOr<Attribute> read = readAgain(op, formulas, sizes);
    if (succeeded(read))
      op->setAttr(name, *read);
    return read;
  }
  std::string why;
  if (isa<FloatAttr>(present)) {
    FailureOr<double> number = sizes.evaluateReal(formulas, why);
    if (failed(number))
      return op->emitError() << why;
    op->setAttr(name, FloatAttr::get(cast<FloatAttr>(present).getType(), *number));
    return success();
  }
  auto numbers = sizes.evaluateAll(formulas, why);
  if (failed(numbers))
    return op->emitError() << why;
  if (auto one = dyn_cast<IntegerAttr>(present); one && numbers->size() == 1)
    op->setAttr(name, IntegerAttr::get(one.getType(), numbers->front()));
  else
    op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), *numbers));
  return success();
}

static LogicalResult applyToArguments(train::FuncOp func, ArrayAttr formulas, const Sizes &sizes) {
  SmallVector<Type> types(func.getArgumentTypes());
  for (auto [i, formula] : llvm::enumerate(formulas)) {
    StringRef text = cast<StringAttr>(formula).getValue();
    if (text.empty())
      continue;
    FailureOr<Type> type = resize(func, types[i], text, sizes);
    if (failed(type))
      return failure();
    types[i] = *type;
    func.getArgument(i).setType(*type);
  }
  func.setFunctionType(FunctionType::get(func.getContext(), types, func.getResultTypes()));
  return success();
}

LogicalResult ampc::applySizes(Operation *op, const Sizes &sizes) {
  auto formulas = op->getAttrOfType<DictionaryAttr>(Sizes::key);
  for (NamedAttribute each : formulas ? formulas.getValue() : ArrayRef<NamedAttribute>()) {
    if (auto func = dyn_cast<train::FuncOp>(op)) {
      if (failed(applyToArguments(func, cast<ArrayAttr>(each.getValue()), sizes)))
        return failure();
    } else if (failed(applyTo(op, each.getName(), cast<StringAttr>(each.getValue()).getValue(),
                              sizes))) {
      return failure();
    }
  }
  return success();
}

/// Whether formulas fit an attribute or result: the counts of numbers are equal.
static bool fits(Operation *op, NamedAttribute each) {
  auto text = dyn_cast<StringAttr>(each.getValue());
  if (!text)
    return false;
  int64_t count = text.getValue().trim().empty() ? 0 : text.getValue().count(',') + 1;
  auto hasRank = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == count;
  };
  if (each.getName() == "result")
    return op->getNumResults() == 1 && hasRank(op->getResult(0).getType());
  Attribute present = op->getInherentAttr(each.getName()).value_or(Attribute());
  if (auto type = dyn_cast_or_null<TypeAttr>(present))
    return hasRank(type.getValue());
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(present))
    return array.size() == count;
  if (isText(text.getValue()))
    return present && !isa<IntegerAttr, FloatAttr, StringAttr>(present);
  return isa_and_nonnull<IntegerAttr, FloatAttr>(present) && count == 1;
}

std::optional<StringRef> ampc::misfitOfSizes(Operation *op, Attribute value) {
  auto areStrings = [](Attribute list) {
    auto array = dyn_cast<ArrayAttr>(list);
    return array && llvm::all_of(array, llvm::IsaPred<StringAttr>);
  };
  if (isa<train::ModelOp>(op))
    return areStrings(value) &&
                   llvm::all_of(cast<ArrayAttr>(value),
                                [](Attribute each) {
                                  return cast<StringAttr>(each).getValue().contains('=');
                                })
               ? std::nullopt
               : std::optional<StringRef>("[\"NAME = FORMULA\", ...]");
  auto formulas = dyn_cast<DictionaryAttr>(value);
  if (!formulas)
    return "{NAME = \"FORMULA, ...\", ...}";
  if (auto func = dyn_cast<train::FuncOp>(op)) {
    auto list = formulas.getAs<ArrayAttr>("arguments");
    auto fitsArgument = [&](auto pair) {
      StringRef text = cast<StringAttr>(std::get<0>(pair)).getValue();
      auto type = dyn_cast<RankedTensorType>(std::get<1>(pair));
      return text.empty() || (type && type.getRank() == int64_t(text.count(',') + 1));
    };
    if (formulas.size() != 1 || !list || !areStrings(list) ||
        list.size() != func.getArgumentTypes().size() ||
        !llvm::all_of(llvm::zip(list, func.getArgumentTypes()), fitsArgument))
      return "{arguments = [\"FORMULA, ...\", ...]}, one per argument and dimension";
    return std::nullopt;
  }
  if (isa<train::ExportOp>(op))
    return formulas.size() == 1 && formulas.getAs<StringAttr>("batch")
               ? std::nullopt
               : std::optional<StringRef>("{batch = \"NUMBER\"}");
  if (!llvm::all_of(formulas, [&](NamedAttribute each) { return fits(op, each); }))
    return "{NAME = \"FORMULA, ...\"}, a formula per number of an attribute or of the result's "
           "shape";
  return std::nullopt;
}
