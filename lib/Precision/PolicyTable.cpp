// Policy tables: the treatment of each op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/PolicyTable.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "lib/Precision/Pattern.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace ampc;

PolicyTable PolicyTable::ofLists(ArrayRef<StringRef> lists, std::optional<Treatment> others) {
  PolicyTable table;
  llvm::append_range(table.lists, lists);
  if (others)
    table.treatments["*"] = *others;
  return table;
}

bool Override::matches(Operation *op) const {
  train::OriginAttr origin = originOf(op);
  llvm::Regex regex(pattern);
  return origin && (regex.match(origin.getText()) || regex.match(origin.getName()));
}

std::optional<ComputeMode> ComputeMode::find(StringRef name, MLIRContext *context) {
  Type tf32 = FloatTF32Type::get(context), fine = Float8E4M3FNType::get(context),
       wide = Float8E5M2Type::get(context);
  return llvm::StringSwitch<std::optional<ComputeMode>>(name)
      .Case("tf32", ComputeMode{tf32, tf32})
      .Case("fp8", ComputeMode{fine, wide})
      .Case("f8E4M3FN", ComputeMode{fine, fine})
      .Case("f8E5M2", ComputeMode{wide, wide})
      .Default(std::nullopt);
}

static std::optional<Treatment> parseTreatment(StringRef word) {
  return llvm::StringSwitch<std::optional<Treatment>>(word)
      .Cases({"low", "allow"}, Treatment::Low)
      .Cases({"full", "deny"}, Treatment::Full)
      .Case("normalize", Treatment::Normalize)
      .Cases({"promote", "infer"}, Treatment::Promote)
      .Cases({"pass", "clear"}, Treatment::Pass)
      .Case("narrow", Treatment::Narrow)
      .Case("untouched", Treatment::Untouched)
      .Default(std::nullopt);
}

static Type parseFloatType(StringRef word, MLIRContext *context) {
  return llvm::StringSwitch<Type>(word)
      .Case("f32", Float32Type::get(context))
      .Case("bf16", BFloat16Type::get(context))
      .Case("f16", Float16Type::get(context))
      .Default(Type());
}

/// Text in front of a comment. Names of ops hold a `#` (`matmul#2`), so a comment starts only with
/// a `#` at the start of a word.
static StringRef withoutComment(StringRef line) {
  size_t at = line.find('#');
  while (at != StringRef::npos && at > 0 && !llvm::isSpace(line[at - 1]))
    at = line.find('#', at + 1);
  return line.take_front(at);
}

/// Parses `name REGEX = TYPE` without the first word.
static llvm::Expected<Override> parseOverride(StringRef line, MLIRContext *context) {
  if (!line.contains('='))
    return mistake("expected REGEX=TYPE, but got " + shown(line));
  auto [pattern, value] = line.rsplit('=');
  pattern = pattern.trim(), value = value.trim();
  auto mode = ComputeMode::find(value, context);
  Type type = mode ? Float32Type::get(context) : parseFloatType(value, context);
  std::string problem;
  if (!type)
    return mistake("expected f32, bf16, f16, or a mode of contractions (tf32, fp8, f8E4M3FN, "
                   "f8E5M2), but got " +
                   shown(value));
  if (auto expected = boundedInstead(pattern))
    return mistake("expected a regular expression " + *expected);
  if (!llvm::Regex(pattern).isValid(problem))
    return mistake("expected a regular expression, but got " + shown(pattern) + ": " + problem);
  return Override{pattern.str(), type, mode};
}

SmallVector<StringRef> PolicyTable::wordsOf(StringRef line) {
  SmallVector<StringRef> words;
  line.rsplit('=').first.split(words, ' ', -1, /*KeepEmpty=*/false);
  return words;
}

/// Names of the train ops, e.g. matmul.
static std::vector<StringRef> knownOps(MLIRContext *context) {
  std::vector<StringRef> known;
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (op.getDialectNamespace() == "train")
      known.push_back(op.stripDialect());
  return known;
}

llvm::Error PolicyTable::addLine(StringRef line, MLIRContext *context) {
  StringRef rest = line.trim();
  if (rest == "name" || rest.starts_with("name ") || rest.starts_with("name\t")) {
    llvm::Expected<Override> parsed = parseOverride(rest.drop_front(4).trim(), context);
    if (!parsed)
      return parsed.takeError();
    overrides.push_back(*parsed);
    return llvm::Error::success();
  }
  SmallVector<StringRef> words = wordsOf(rest);
  if (!rest.contains('=') || words.empty())
    return mistake("expected OP=TREATMENT, but got " + shown(rest));
  StringRef value = rest.rsplit('=').second.trim();
  auto treatment = parseTreatment(value);
  if (!treatment)
    return mistake("expected low, full, normalize, promote, pass, narrow or untouched, but got " +
                   shown(value));
  for (StringRef word : words) {
    auto kind = findOp(word, context);
    if (word != "*" && !kind)
      return mistake("expected the name of an op, such as matmul, or *, but got " + word +
                     didYouMean(word, knownOps(context)));
    treatments[kind ? shortName(*kind) : word] = *treatment;
  }
  return llvm::Error::success();
}

llvm::Error PolicyTable::add(StringRef text, MLIRContext *context) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (auto [number, line] : llvm::enumerate(lines)) {
    line = withoutComment(line).trim();
    if (line.empty())
      continue;
    if (llvm::Error error = addLine(line, context))
      return mistake("line " + Twine(number + 1) + ": " + llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

/// Mnemonic of the composite op that a forward op was expanded from, or empty.
static StringRef sourceOf(Operation *op) {
  train::OriginAttr origin = originOf(op);
  return origin && origin.getOrder() == 0 && origin.getSource() ? origin.getSource().getValue()
                                                                : StringRef();
}

bool PolicyTable::matches(StringRef word, Operation *op) {
  word.consume_front("train.");
  return word == "*" || word == shortName(op->getName()) || word == sourceOf(op);
}

/// Treatment of a mnemonic: by a line of the table, else by the op's own lists.
std::optional<Treatment> PolicyTable::lookup(StringRef name, MLIRContext *context) const {
  if (auto found = treatments.find(name); found != treatments.end())
    return found->second;
  auto kind = findOp(name, context);
  auto *precision = kind ? kind->getInterface<PrecisionOpInterface>() : nullptr;
  for (StringRef policy : lists)
    if (StringRef list = precision ? precision->getLists().find(policy) : ""; !list.empty())
      return parseTreatment(list);
  return std::nullopt;
}

Treatment PolicyTable::lookup(Operation *op) const {
  for (StringRef name : {sourceOf(op), shortName(op->getName())})
    if (auto found = lookup(name, op->getContext()))
      return *found;
  if (auto all = treatments.find("*"); all != treatments.end())
    return all->second;
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (!precision)
    return Treatment::Untouched;
  switch (precision.getCategory()) {
  case Category::LowPrecision:
    return Treatment::Low;
  case Category::FullPrecision:
    return Treatment::Full;
  case Category::Promote:
    return Treatment::Promote;
  case Category::Passthrough:
    return Treatment::Pass;
  }
  llvm_unreachable("all categories are handled");
}
