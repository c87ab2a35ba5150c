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
  SmallVector<std::pair<StringRef, StringRef>> options = {{"reduce", ""}};
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

static llvm::Error readOption(LossText &loss, const Kind &kind, StringRef name, StringRef value) {
  std::vector<std::string> names;
  for (auto [known, otherwise] : optionsOf(kind))
    names.push_back(known.str());
  if (!llvm::is_contained(names, name))
    return mistake("expected --loss " + kind.name + " with one of " + llvm::join(names, ", ") +
                   ", but got " + name + didYouMean(name, names));
  double number;
  if (name == "reduce"
          ? value != "mean" && value != "sum"
          : value.getAsDouble(number) || (name == "ignore" && number != int64_t(number)))
    return mistake("expected --loss " + kind.name + " with " + name +
                   (name == "reduce"   ? "=mean or sum"
                    : name == "ignore" ? "=INTEGER"
                                       : "=NUMBER") +
                   ", but got " + value);
  loss.options.emplace_back(name.str(), value.str());
  return llvm::Error::success();
}

llvm::Expected<LossText> ampc::onnx::readLossText(StringRef text) {
  LossText loss;
  text = text.trim();
  loss.text = text.str();
  auto [name, rest] = text.split('(');
  if (!text.contains('(')) {
    loss.output = text.str();
    return loss;
  }
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
                                                const LossText &loss) {
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
  for (auto [name, otherwise] : optionsOf(kind))
    if (given.count(name) || !otherwise.empty())
      add(name, given.count(name) ? given[name] : otherwise);
  return attributes;
}

Value ampc::onnx::makeLoss(Converter &c, const LossText &loss, Scope &scope) {
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
  Operation *made = c.op("train." + loss.kind, operands, attributesOf(c, kind, loss));
  return made ? made->getResult(0) : Value();
}
