// The optimizer of the option --optimizer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Reference.h"
#include "ampc/Support/Text.h"
#include "lib/Import/ONNX/Print.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Parsed rule, e.g. `sgd(lr=0.1, momentum=0.9)`.
struct Rule {
  std::string kind;
  std::vector<std::pair<std::string, std::string>> numbers; ///< by name
};
} // namespace

static std::vector<std::string> rulesOf(MLIRContext &context) {
  std::vector<std::string> rules;
  for (const std::string &name : attributesOf("train"))
    if (auto known = AbstractAttribute::lookup("train." + name, &context);
        known && known->get().hasInterface(OptimizerAttrInterface::getInterfaceID()))
      rules.push_back(name);
  return rules;
}

static llvm::Expected<Rule> readRule(StringRef text, MLIRContext &context) {
  auto [kind, list] = text.trim().split('(');
  Rule rule{kind.trim().str(), {}};
  std::vector<std::string> rules = rulesOf(context);
  if (!llvm::is_contained(rules, rule.kind))
    return mistake("expected --optimizer with one of " + joinWords(rules) + ", but got " +
                   shown(rule.kind) + didYouMean(rule.kind, rules));
  if (!list.consume_back(")"))
    return mistake("expected --optimizer " + rule.kind + "(lr=NUMBER,...), but got " + text);
  for (StringRef part : llvm::split(list, ',')) {
    auto [name, value] = part.split('=');
    rule.numbers.emplace_back(name.trim(), value.trim());
  }
  return rule;
}

/// Syntax of a value, for the C++ type of a rule's parameter.
static StringRef formOf(StringRef type) {
  return llvm::StringSwitch<StringRef>(type)
      .Case("bool", "true or false")
      .Case("::mlir::Type", "bf16 or f32")
      .Case("int64_t", "INTEGER")
      .Default("NUMBER");
}
static bool hasForm(StringRef value, StringRef form) {
  double number;
  int64_t whole;
  if (form == "NUMBER")
    return !value.getAsDouble(number);
  if (form == "INTEGER")
    return !value.getAsInteger(10, whole);
  auto [one, other] = form.split(" or ");
  return value == one || value == other;
}

static llvm::Error checkNumbers(const Rule &rule) {
  std::vector<Parameter> parameters = parametersOf("train." + rule.kind);
  std::vector<std::string> names, given;
  for (const Parameter &parameter : parameters)
    names.push_back(parameter.name);
  for (const auto &[name, value] : rule.numbers) {
    auto found = llvm::find(names, name);
    if (found == names.end() || llvm::is_contained(given, name))
      return mistake("expected --optimizer " + rule.kind + " with " + joinWords(names) +
                     ", each at most once, but got " + shown(name) +
                     (found == names.end() ? didYouMean(name, names) : " again"));
    given.push_back(name);
    StringRef form = formOf(parameters[found - names.begin()].type);
    if (!hasForm(value, form))
      return mistake("expected --optimizer " + rule.kind + " with " + name + "=" + form +
                     ", but got " + shown(value));
  }
  if (!llvm::is_contained(given, "lr")) // required by every rule, without default
    return mistake("expected --optimizer " + rule.kind + " with lr=NUMBER, but got none");
  return llvm::Error::success();
}

llvm::Expected<std::string> onnx::optimizerText(StringRef text, MLIRContext &context) {
  llvm::Expected<Rule> rule = readRule(text, context);
  if (!rule)
    return rule.takeError();
  if (llvm::Error error = checkNumbers(*rule))
    return error;
  std::vector<std::string> parts;
  for (const auto &[name, value] : rule->numbers) {
    double number;
    int64_t whole; // integers stay as written: the rule may require an integer
    bool isReal = StringRef(value).getAsInteger(10, whole) && !StringRef(value).getAsDouble(number);
    parts.push_back(name + " = " + (isReal ? llvm::formatv("{0:e6}", number).str() : value));
  }
  std::string attribute = "#train." + rule->kind + "<" + llvm::join(parts, ", ") + ">";
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (said.empty())
      said = diagnostic.str();
    return success();
  });
  if (!parseAttribute(attribute, &context))
    return mistake("--optimizer " + text + ": " + said);
  return attribute;
}
