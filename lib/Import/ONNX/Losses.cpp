// The loss of the option --loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Losses.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
struct Kind {
  StringRef name;
  unsigned operands;
  bool hasClasses;   ///< the second operand is a class per row
  StringRef options; ///< names, with "=value" for options that the op requires
};
} // namespace

static ArrayRef<Kind> kinds() {
  static const Kind table[] = {
      {"softmax_cross_entropy", 2, true, "ignore smoothing"},
      {"weighted_cross_entropy", 3, true, "ignore smoothing"},
      {"nll", 2, true, "ignore"},
      {"bce_with_logits", 2, false, ""},
      {"focal", 2, false, "gamma=2 alpha"},
      {"mse", 2, false, ""},
      {"l1", 2, false, ""},
      {"smooth_l1", 2, false, "beta=1"},
      {"huber", 2, false, "delta=1"},
      {"kl_div", 2, false, ""},
      {"hinge", 2, false, ""},
      {"poisson_nll", 2, false, ""},
      {"cosine_loss", 2, false, "eps=1e-8"},
      {"triplet", 3, false, "margin=1"},
  };
  return table;
}
static const Kind *findKind(StringRef name) {
  auto found = llvm::find_if(kinds(), [&](const Kind &kind) { return kind.name == name; });
  return found == kinds().end() ? nullptr : &*found;
}

/// Option names with required values or "".
static SmallVector<std::pair<StringRef, StringRef>> optionsOf(const Kind &kind) {
  SmallVector<std::pair<StringRef, StringRef>> options = {{"reduce", ""}, {"weight", ""}};
  for (StringRef word : llvm::split(kind.options, ' '))
    if (!word.empty())
      options.push_back(word.split('='));
  return options;
}

/// Syntax of the loss for messages: "mse(VALUE,INPUT[,reduce=...])".
static std::string formOf(const Kind &kind) {
  std::string form = (kind.name + (kind.operands == 3 && !kind.hasClasses ? "(VALUE,VALUE,VALUE"
                                   : kind.operands == 3                   ? "(VALUE,INPUT,WEIGHTS"
                                                                          : "(VALUE,INPUT"))
                         .str();
  for (auto [name, value] : optionsOf(kind))
    form += ("[," + name + "=...]").str();
  return form + ")";
}

static llvm::Error readOption(LossTerm &loss, const Kind &kind, StringRef name, StringRef value) {
  std::vector<std::string> names;
  for (auto [known, otherwise] : optionsOf(kind))
    names.push_back(known.str());
  if (!llvm::is_contained(names, name))
    return mistake("expected --loss " + kind.name + " with one of " + llvm::join(names, ", ") +
                   ", but got " + name + didYouMean(name, names));
  if (name == "weight" && !value.empty()) {
    loss.weight = value.str();
    return llvm::Error::success();
  }
  double number;
  if (name == "reduce"
          ? value != "mean" && value != "sum"
          : value.getAsDouble(number) || (name == "ignore" && number != int64_t(number)))
    return mistake("expected --loss " + kind.name + " with " + name +
                   (name == "reduce"   ? "=mean or sum"
                    : name == "weight" ? "=VALUE"
                    : name == "ignore" ? "=INTEGER"
                                       : "=NUMBER") +
                   ", but got " + value);
  loss.options.emplace_back(name.str(), value.str());
  return llvm::Error::success();
}

std::vector<std::string> LossTerm::reads() const {
  std::vector<std::string> names = values;
  for (const std::string &name : {output, weight})
    if (!name.empty())
      names.push_back(name);
  return names;
}

static llvm::Expected<LossTerm> readTerm(StringRef text) {
  LossTerm loss;
  text = text.trim();
  loss.text = text.str();
  auto [number, product] = text.split('*');
  if (text.contains('*') && !number.trim().getAsDouble(loss.factor))
    text = product.trim();
  if (!text.contains('(')) {
    loss.output = text.str();
    return loss;
  }
  auto [name, rest] = text.split('(');
  const Kind *kind = findKind(name.trim());
  if (!kind) {
    std::vector<StringRef> names;
    for (const Kind &each : kinds())
      names.push_back(each.name);
    return mistake("expected --loss with one of " + joinWords(names) + ", but got " + name +
                   didYouMean(name.trim(), names));
  }
  loss.kind = kind->name.str();
  bool isClosed = rest.consume_back(")");
  for (StringRef part : llvm::split(rest, ',')) {
    auto [left, right] = part.split('=');
    if (!part.contains('='))
      loss.values.push_back(part.trim().str());
    else if (llvm::Error error = readOption(loss, *kind, left.trim(), right.trim()))
      return error;
  }
  if (!isClosed || loss.values.size() != kind->operands || llvm::is_contained(loss.values, ""))
    return mistake("expected --loss " + formOf(*kind) + ", but got " + text);
  return loss;
}

/// Terms of a sum: the parts between the `+` outside of parentheses.
static SmallVector<StringRef> termsOf(StringRef text) {
  SmallVector<StringRef> terms;
  int depth = 0;
  size_t from = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (text[i] != '+' || depth > 0)
      continue;
    terms.push_back(text.slice(from, i));
    from = i + 1;
  }
  terms.push_back(text.drop_front(from));
  return terms;
}

llvm::Expected<LossText> ampc::onnx::readLossText(StringRef text) {
  LossText loss;
  for (StringRef each : termsOf(text)) {
    auto term = readTerm(each);
    if (!term)
      return term.takeError();
    loss.push_back(std::move(*term));
  }
  return loss;
}

// ---- The op ----

/// Adds an argument for an operand that the file lacks: a class per row, or reals shaped like
/// `scores`.
static Value addArgument(Converter &c, const Kind &kind, Value scores, StringRef name) {
  Dims dims(Converter::shapeOf(scores));
  if (kind.hasClasses && !dims.empty())
    dims.erase(dims.size() > 3 ? dims.begin() + 1 : dims.end() - 1);
  mlir::Type element =
      kind.hasClasses ? mlir::Type(c.b.getI32Type()) : Converter::elementOf(scores);
  return c.b.getBlock()->addArgument(RankedTensorType::get(dims, element),
                                     NameLoc::get(c.b.getStringAttr(name)));
}

static SmallVector<NamedAttribute> attributesOf(Converter &c, const Kind &kind,
                                                const LossTerm &loss) {
  SmallVector<NamedAttribute> attributes;
  auto add = [&](StringRef name, StringRef value) {
    double number = 0;
    (void)value.getAsDouble(number);
    if (name == "reduce")
      attributes.push_back(c.b.getNamedAttr(
          "reduction",
          train::ReductionAttr::get(c.b.getContext(), value == "sum" ? train::Reduction::sum
                                                                     : train::Reduction::mean)));
    else if (name == "ignore")
      attributes.push_back(c.attr(name, int64_t(number)));
    else
      attributes.push_back(c.attr(name, number));
  };
  std::map<StringRef, StringRef> given(loss.options.begin(), loss.options.end());
  if (!loss.weight.empty())
    given.erase("reduce"); // the sum of weighted losses follows
  for (auto [name, otherwise] : optionsOf(kind))
    if (given.count(name) || !otherwise.empty())
      add(name, given.count(name) ? given[name] : otherwise);
  return attributes;
}

/// The weight of rows or elements, in the shape of the losses without reduction; an argument of
/// that shape if the file lacks the value.
static Value weightOf(Converter &c, const LossTerm &loss, Value losses, Scope &scope) {
  auto type = cast<RankedTensorType>(losses.getType());
  if (!scope.contains(loss.weight))
    return c.b.getBlock()->addArgument(type, NameLoc::get(c.b.getStringAttr(loss.weight)));
  Value weight =
      c.make<train::StopGradientOp>(c.cast(c.in(loss.values.size()), type.getElementType()));
  if (weight && Converter::shapeOf(weight) != type.getShape())
    return c.fail("expected weight=" + Twine(loss.weight) + " in the shape of the losses");
  return weight;
}

/// Sum of weighted losses, divided by the sum of the weights unless reduce=sum.
static Value weightedLoss(Converter &c, const LossTerm &loss, SmallVector<Value> operands,
                          Scope &scope) {
  SmallVector<NamedAttribute> attributes = attributesOf(c, *findKind(loss.kind), loss);
  attributes.push_back(c.b.getNamedAttr(
      "reduction", train::ReductionAttr::get(c.b.getContext(), train::Reduction::none)));
  auto losses = [&] {
    Operation *made = c.op("train." + loss.kind, operands, attributes);
    return made ? made->getResult(0) : Value();
  };
  Value first = losses();
  if (!first || Converter::shapeOf(first).empty())
    return c.fail("expected losses of rows or elements beside weight=" + Twine(loss.weight));
  Value weight = weightOf(c, loss, first, scope);
  if (!weight)
    return {};
  // The value behind the weight 0 may be NaN: the target takes its place.
  if (operands[0].getType() == weight.getType() && operands[1].getType() == weight.getType()) {
    first.getDefiningOp()->erase();
    Value isOut = c.compare(train::ComparePredicate::eq, weight, c.real(0, weight));
    operands[0] = c.select(isOut, operands[1], operands[0]);
    first = losses();
  }
  Dims all = llvm::to_vector(llvm::seq<int64_t>(Converter::shapeOf(weight).size()));
  Value sum = c.reduce("train.reduce_sum", c.mul(first, weight), all, false);
  bool isSum =
      llvm::is_contained(loss.options, std::pair<std::string, std::string>("reduce", "sum"));
  return isSum ? sum : c.div(sum, c.reduce("train.reduce_sum", weight, all, false));
}

Value ampc::onnx::makeLoss(Converter &c, const LossTerm &loss, Scope &scope) {
  const Kind &kind = *findKind(loss.kind);
  SmallVector<Value> operands;
  for (auto [i, name] : llvm::enumerate(loss.values)) {
    if (!scope.contains(name)) {
      if (i == 0 || !operands[0])
        return {};
      if (i == 2 && kind.hasClasses)
        return c.fail("expected the weights of the classes to be a value of the file, but got " +
                      name);
      operands.push_back(addArgument(c, kind, operands[0], name));
      continue;
    }
    Value operand = i == 2 && kind.hasClasses ? c.fixed(i) : c.in(i);
    if (operand && i > 0 && !kind.hasClasses)
      operand = c.cast(operand, Converter::elementOf(operands[0]));
    operands.push_back(operand);
    if (!operand)
      return {};
  }
  if (kind.hasClasses && c.rank(0) > 3)
    operands[0] = c.image(0);
  if (!loss.weight.empty())
    return weightedLoss(c, loss, operands, scope);
  Operation *made = c.op("train." + loss.kind, operands, attributesOf(c, kind, loss));
  return made ? made->getResult(0) : Value();
}
