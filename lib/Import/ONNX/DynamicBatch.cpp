// Import of models with an open batch size. Shapes inside such a graph are computed from the batch
// size by nodes, so the graph is imported for several sizes, and numbers that differ between the
// texts become formulas of the size `batch`: 20, 40, 100 -> batch; 60, 120, 300 -> 3 * batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/DynamicBatch.h"
#include "ampc/Support/Mistake.h"
#include "lib/Import/ONNX/Nodes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace ampc;
using namespace ampc::onnx;
using llvm::StringRef;

namespace {
/// Batch sizes of the probes: two determine a formula, the third checks. Even, because some graphs
/// split the batch.
constexpr int64_t probes[] = {20, 40, 100};
constexpr size_t many = std::size(probes);
constexpr int64_t usualBatch = 32;
} // namespace

bool ampc::onnx::hasDynamicBatch(const Model &model, const ImportOptions &options) {
  for (const ValueInfo &input : model.graph.inputs) {
    bool isInitial = llvm::any_of(model.graph.initializers,
                                  [&](const Tensor &tensor) { return tensor.name == input.name; });
    if (isInitial || input.dims.empty())
      continue;
    const Dim &rows = input.dims.front();
    return rows.size < 1 && (rows.symbol.empty() || !options.dims.count(rows.symbol));
  }
  return false;
}

/// Formula `factor * batch / divisor + rest` through the numbers; "" if there is none.
static std::string formulaOf(const int64_t (&numbers)[many]) {
  int64_t run = probes[1] - probes[0], rise = numbers[1] - numbers[0];
  if (rise <= 0)
    return "";
  int64_t common = std::gcd(rise, run), factor = rise / common, divisor = run / common;
  if (probes[0] % divisor)
    return "";
  int64_t rest = numbers[0] - probes[0] / divisor * factor;
  for (size_t i = 0; i < many; ++i)
    if (probes[i] % divisor || probes[i] / divisor * factor + rest != numbers[i])
      return "";
  std::string text = factor == 1 ? "batch" : std::to_string(factor) + " * batch";
  if (divisor != 1)
    text += " / " + std::to_string(divisor);
  if (rest)
    text += (rest < 0 ? " - " : " + ") + std::to_string(std::abs(rest));
  return text;
}

namespace {
/// Corresponding lines of all probes' texts, read from left to right.
class Line {
public:
  explicit Line(const StringRef (&texts)[many]) { llvm::copy(texts, rest); }
  /// The line with formulas; nothing if the texts differ in more than numbers that may be formulas.
  std::optional<std::string> join();

private:
  bool isDone() const { return rest[0].empty(); }
  /// Takes the number at the front of all texts.
  bool takeNumber();
  bool takeCharacter();

  StringRef rest[many];
  std::string result;
  std::string open; ///< open brackets at the position
  bool isQuoted = false, takesFormulas = false;
};
} // namespace

/// Whether `before` precedes a shape, or an attribute whose numbers the language reads as formulas.
static bool listTakesFormulas(StringRef before) {
  static const StringRef words[] = {"to ",      "from ", "sizes ", "strides ",  "window ",
                                    "padding ", "low ",  "high ",  "interior ", "into "};
  static const StringRef types[] = {"f64", "f32", "i1", "i8", "i16", "i32", "i64"};
  auto endsIt = [&](StringRef word) { return before.ends_with(word); };
  return llvm::any_of(words, endsIt) || llvm::any_of(types, endsIt);
}

bool Line::takeNumber() {
  int64_t numbers[many];
  StringRef digits[many];
  for (size_t i = 0; i < many; ++i) {
    digits[i] = rest[i].take_while(llvm::isDigit);
    if (digits[i].getAsInteger(10, numbers[i]))
      return false;
    rest[i] = rest[i].drop_front(digits[i].size());
  }
  if (llvm::all_equal(digits)) {
    result += digits[0];
    return true;
  }
  bool isFree = result.empty() || !(llvm::isAlnum(result.back()) || result.back() == '.');
  bool mayBeFormula = !isQuoted && isFree && takesFormulas && !open.empty() && open.back() == '[' &&
                      open.find('<') == std::string::npos &&
                      !llvm::any_of(rest, [](StringRef text) { return text.starts_with("."); });
  std::string formula = mayBeFormula ? formulaOf(numbers) : "";
  result += formula;
  return !formula.empty();
}

bool Line::takeCharacter() {
  char c = rest[0].front();
  for (StringRef &text : rest)
    if (text.empty() || text.front() != c)
      return false;
  bool isArrow = c == '>' && StringRef(result).ends_with("-");
  isQuoted ^= c == '"';
  if (c == '[')
    takesFormulas = listTakesFormulas(result);
  if (!isQuoted && StringRef("[<({").contains(c))
    open += c;
  else if (!isQuoted && StringRef("]>)}").contains(c) && !isArrow && !open.empty())
    open.pop_back();
  result += c;
  for (StringRef &text : rest)
    text = text.drop_front();
  return true;
}

std::optional<std::string> Line::join() {
  while (!isDone())
    if (llvm::isDigit(rest[0].front()) ? !takeNumber() : !takeCharacter())
      return std::nullopt;
  for (StringRef text : rest)
    if (!text.empty())
      return std::nullopt;
  return result;
}

/// Splits a constant with equal elements, whose type cannot contain formulas, into a scalar and a
/// broadcast; `before` is put in front of the lines. Example: dense<0> : tensor<20x8xi32> -> a
/// scalar 0 and a broadcast to [20, 8].
static bool splitConstant(StringRef (&lines)[many], std::string (&broadcasts)[many],
                          std::string &before) {
  for (size_t i = 0; i < many; ++i) {
    std::string constant;
    auto [left, type] = lines[i].split(" : tensor<");
    auto [name, value] = left.split(" = train.constant dense<");
    if (value.empty() || value.contains('[') || !type.consume_back(">"))
      return false;
    auto [shape, element] = type.rsplit('x');
    // A name of digits takes no suffix.
    StringRef word = name.ltrim().drop_front();
    std::string indent = name.take_front(name.size() - name.ltrim().size()).str();
    std::string number =
        (llvm::isDigit(word.front()) ? "%value." + word : "%" + word + ".value").str();
    std::string sizes = shape.str();
    constant = indent + number + " = train.constant dense<" + value.str() + " : tensor<" +
               element.str() + ">\n";
    if (element.empty() || (i > 0 && constant != before))
      return false;
    before = constant;
    for (size_t at = 0; (at = sizes.find('x', at)) != std::string::npos;)
      sizes.replace(at, 1, ", ");
    broadcasts[i] = name.str() + " = train.broadcast_to " + number + " to [" + sizes + "]";
  }
  llvm::copy(broadcasts, lines);
  return true;
}

/// Joins the texts of all probes into a text with formulas.
static llvm::Expected<std::string> join(const std::string (&texts)[many]) {
  StringRef rest[many];
  llvm::copy(texts, rest);
  std::string result;
  while (!rest[0].empty()) {
    StringRef lines[many];
    for (size_t i = 0; i < many; ++i)
      std::tie(lines[i], rest[i]) = rest[i].split('\n');
    StringRef first = lines[0].trim();
    std::string broadcasts[many], before;
    if (!llvm::all_equal(lines) && splitConstant(lines, broadcasts, before))
      result += before;
    auto line = Line(lines).join();
    if (!line)
      return mistake("a model for any number of rows cannot have `" + first.take_front(100) +
                     (first.size() > 100 ? "..." : "") + "`, which is the text for " +
                     llvm::Twine(probes[0]) + " rows");
    result += *line + "\n";
  }
  return result;
}

/// An error that does not depend on the batch size. Its message may contain the size, which becomes
/// a formula.
static std::string withoutRows(const std::string &first, const ImportOptions &options,
                               Import import) {
  std::string texts[many]{first};
  for (size_t i = 1; i < many; ++i) {
    ImportOptions probe = options;
    probe.batch = probes[i];
    auto model = import(probe);
    if (model)
      return first;
    texts[i] = llvm::toString(model.takeError());
  }
  StringRef same[many];
  llvm::copy(texts, same);
  return Line(same).join().value_or(first);
}

llvm::Expected<ImportedModel> ampc::onnx::importForAnyBatch(const ImportOptions &options,
                                                            Import import) {
  std::string texts[many], reason, hint = "; --batch N fixes the number of rows";
  std::optional<ImportedModel> result;
  for (size_t i = 0; i < many && reason.empty(); ++i) {
    ImportOptions probe = options;
    probe.batch = probes[i];
    auto model = import(probe);
    if (!model) {
      hint = "";
      llvm::handleAllErrors(
          model.takeError(),
          [&](const NodeFaults &faults) {
            reason = faults.message();
            if (faults.mayFollowFromSizes)
              hint =
                  "\n  with " + std::to_string(probes[i]) + " rows; --batch N sets another number";
          },
          [&](const llvm::ErrorInfoBase &error) {
            reason = i == 0 ? withoutRows(error.message(), options, import) : error.message();
          });
      break;
    }
    texts[i] = model->text;
    if (i == 0)
      result = std::move(*model);
  }
  if (reason.empty()) {
    auto text = join(texts);
    if (text)
      result->text = std::move(*text);
    else
      reason = llvm::toString(text.takeError());
  }
  if (!reason.empty() && !options.batch)
    return mistake(reason + hint);
  if (!reason.empty()) {
    auto model = import(options);
    if (model)
      model->remarks.push_back("the number of rows is " + std::to_string(options.batch) +
                               ", and not the size batch: " + reason);
    return model;
  }
  int64_t rows = options.batch ? options.batch : usualBatch;
  size_t brace = result->text.find(" {", result->text.find("\ntrain.model "));
  result->text.insert(brace, "(batch = " + std::to_string(rows) + ")");
  if (!options.batch)
    result->remarks.push_back("the number of rows is the size batch, " + std::to_string(rows) +
                              " unless --set batch=N or --batch N sets another number");
  return std::move(*result);
}
