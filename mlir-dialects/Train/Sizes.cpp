// Formulas over sizes: their values, and the numbers of ops that follow from them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Sizes.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace ampc;

// ---- Formulas ----

namespace {
/// Descends through one formula; after an error `why` is set and numbers mean nothing.
class FormulaReader {
public:
  FormulaReader(StringRef text, const Sizes &sizes, std::string &why)
      : text(text), sizes(sizes), why(why) {}
  FailureOr<int64_t> read() {
    int64_t value = sum(0);
    skip();
    if (why.empty() && !text.empty())
      fail("expected + - * or / between sizes, but got " + text.str());
    if (!why.empty())
      return failure();
    return value;
  }

private:
  int64_t fail(const std::string &message) {
    if (why.empty())
      why = message;
    return 1;
  }
  void skip() { text = text.ltrim(); }
  bool consume(char c) {
    skip();
    return text.consume_front(StringRef(&c, 1));
  }

  int64_t sum(unsigned depth) {
    int64_t left = product(depth);
    while (why.empty()) {
      bool plus = consume('+');
      if (!plus && !consume('-'))
        break;
      int64_t right = product(depth);
      if (plus ? llvm::AddOverflow(left, right, left) : llvm::SubOverflow(left, right, left))
        return fail("expected a size of 64 bits");
    }
    return left;
  }
  int64_t product(unsigned depth) {
    int64_t left = factor(depth);
    while (why.empty()) {
      bool times = consume('*');
      if (!times && !consume('/'))
        break;
      int64_t right = factor(depth);
      if (times) {
        if (llvm::MulOverflow(left, right, left))
          return fail("expected a size of 64 bits");
      } else if (right == 0 || right == -1 || left % right) {
        return fail("expected a division without a rest, but got " + std::to_string(left) + " / " +
                    std::to_string(right));
      } else {
        left /= right;
      }
    }
    return left;
  }
  int64_t factor(unsigned depth) {
    if (depth > 100)
      return fail("expected parentheses nested at most 100 deep");
    if (consume('(')) {
      int64_t inner = sum(depth + 1);
      return consume(')') ? inner : fail("expected )");
    }
    skip();
    bool negative = text.consume_front("-");
    StringRef digits = text.take_while(llvm::isDigit);
    if (int64_t number = 0; !digits.empty()) {
      text = text.drop_front(digits.size());
      return digits.getAsInteger(10, number)
                 ? fail("expected a size of 64 bits, but got " + digits.str())
             : negative ? -number
                        : number;
    }
    StringRef name = text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (name.empty() || negative)
      return fail("expected a number or the name of a size, but got " + shown(text));
    text = text.drop_front(name.size());
    std::optional<int64_t> value = sizes.find(name);
    return value ? *value
                 : fail("expected the name of a size, but got " + name.str() +
                        suggestion(name, sizes.names()));
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
  return FormulaReader(formula, *this, why).read();
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

static thread_local const SizeSettings::Numbers *settings = nullptr;

SizeSettings::SizeSettings(Numbers given) : numbers(std::move(given)), outer(settings) {
  settings = &numbers;
}
SizeSettings::~SizeSettings() { settings = outer; }
const SizeSettings::Numbers *SizeSettings::current() { return settings; }

llvm::Expected<SizeSettings::Numbers> SizeSettings::parse(StringRef text) {
  Numbers numbers;
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
  std::string why;
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

/// Whether a formula can stand for this attribute or result: as many numbers as there are.
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
  return isa_and_nonnull<IntegerAttr>(present) && count == 1;
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
