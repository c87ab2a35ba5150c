// Diagnostics for users: MLIR's own messages in the terms of a model's author.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Messages.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Reference.h"
#include "ampc/Support/Text.h"
#include "lib/Pipelines/SyntaxMessages.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;

FileLineColLoc ampc::lineOf(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    if (found && found.getLine() == 0)
      found = {};
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

bool ampc::isEcho(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef own = text;
  if (own.consume_front("custom op '"))
    own = own.split("' ").second;
  return own == "expected a parameter name in struct" ||
         (own.starts_with("failed to parse ") && own.contains("which is to be a `"));
}

/// Text of the model before a location, and from the location on.
static TextAt textAt(Location location, llvm::SourceMgr &sources) {
  FileLineColLoc line = lineOf(location);
  if (!line || !sources.getNumBuffers())
    return {};
  unsigned buffer = sources.getMainFileID();
  StringRef text = sources.getMemoryBuffer(buffer)->getBuffer();
  SMLoc at = sources.FindLocForLineAndColumn(buffer, line.getLine(), line.getColumn());
  if (!at.isValid())
    return {};
  size_t offset = at.getPointer() - text.data();
  return {text.take_front(offset), text.drop_front(offset)};
}

/// Names of a dialect's ops without the dialect, e.g. relu.
static std::vector<StringRef> opsOf(StringRef dialect, MLIRContext *context) {
  std::vector<StringRef> known;
  for (RegisteredOperationName registered : context->getRegisteredOperations())
    if (registered.getDialectNamespace() == dialect)
      known.push_back(registered.stripDialect());
  return known;
}

/// custom op 'train.mull' is unknown
static std::optional<std::string> unknownOp(StringRef text, MLIRContext *context) {
  if (!text.consume_front("custom op '") || !text.contains("' is unknown"))
    return std::nullopt;
  StringRef name = text.split('\'').first;
  auto [dialect, op] = name.split('.');
  std::string best = op.empty() ? "" : nearest(op, opsOf(dialect, context));
  return "there is no op '" + name.str() + "'" +
         (best.empty() ? "" : "; did you mean " + (dialect + "." + best).str() + "?");
}

/// unknown attribute `sdg` in dialect `train`
static std::optional<std::string> unknownAttribute(StringRef text) {
  if (!text.consume_front("unknown attribute `"))
    return std::nullopt;
  auto [name, rest] = text.split('`');
  StringRef dialect = rest.split('`').second.split('`').first;
  std::vector<std::string> known = attributesOf(dialect);
  std::string best = nearest(name, known), prefix = ("#" + dialect + ".").str();
  return "there is no attribute " + prefix + name.str() +
         (best.empty() ? "" : "; did you mean " + prefix + best + "?");
}

/// duplicate or unknown struct parameter name: rate; `before` ends in the attribute's name.
static std::optional<std::string> unknownParameter(StringRef text, StringRef before) {
  if (!text.consume_front("duplicate or unknown struct parameter name: "))
    return std::nullopt;
  size_t depth = 0, at = before.size();
  for (; at > 0; --at)
    if (before[at - 1] == '>')
      ++depth;
    else if (before[at - 1] == '<' && depth-- == 0)
      break;
  StringRef head = at ? before.take_front(at - 1).rtrim() : "";
  StringRef name = head.drop_front(head.rfind('#') + 1);
  std::vector<std::string> known;
  for (const Parameter &parameter : parametersOf(name))
    known.push_back(parameter.name);
  if (known.empty())
    return std::nullopt;
  return "expected " + joinWords(known) + ", each at most once, in #" + name.str() + ", but got " +
         text.str() + (llvm::is_contained(known, text) ? " again" : didYouMean(text, known));
}

/// Message for text where a statement should begin.
static std::optional<std::string> noStatement(StringRef text, TextAt at, MLIRContext *context) {
  StringRef named = text.split("Dialect `' not found for custom op '").second;
  if (!named.empty()) // an editor has no text, but the message has the word
    return wordInsteadOfOp(named.split('\'').first, at, opsOf("train", context));
  if (text != "expected operation name in quotes" || !at.before.data())
    return std::nullopt;
  if (at.after.trim().empty())
    return "expected an op or '}', but the text ends";
  StringRef got = at.after.ltrim().take_until([](char c) { return llvm::isSpace(c); });
  return wordInsteadOfOp(got.take_front(40), at, opsOf("train", context));
}

/// Names behind any of the signs, e.g. `%`; letters, digits, points and underscores belong to a
/// name.
static std::vector<StringRef> namesIn(StringRef text, StringRef signs) {
  std::vector<StringRef> names;
  for (size_t at; (at = text.find_first_of(signs)) != StringRef::npos;) {
    text = text.drop_front(at + 1);
    names.push_back(
        text.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }));
  }
  return names;
}

/// expected the type of %wieght at the end of the op, as no earlier op defines the value
static std::optional<std::string> unknownValue(StringRef text, StringRef before) {
  auto [start, rest] = text.split("expected the type of %");
  StringRef name = rest.split(' ').first;
  if (name.empty() || !rest.contains(" at the end of the op"))
    return std::nullopt;
  // Operands of the same op stand before the location, too, and are no candidates.
  StringRef earlier = before.take_front(before.rfind('\n'));
  std::vector<StringRef> known = namesIn(earlier, "%@");
  if (llvm::is_contained(known, name))
    return std::nullopt; // the op's own syntax does not infer this type
  std::string best = nearest(name, known);
  return "expected an earlier value or parameter, but %" + name.str() + " is none" +
         (best.empty() ? "" : "; did you mean %" + best + "?");
}

/// expected a function, but @los is none
static std::optional<std::string> unknownFunction(StringRef text, StringRef all) {
  auto [start, rest] = text.split("expected a function, but @");
  if (rest.empty() || !rest.consume_back(" is none"))
    return std::nullopt;
  std::vector<StringRef> known;
  while (!(all = all.split("train.func @").second).empty())
    known.push_back(
        all.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; }));
  std::string hint = didYouMean(rest, known);
  return hint.empty() ? std::nullopt : std::optional(text.str() + hint);
}

/// Message for text that MLIR's parser rejects in terms of MLIR, such as regions and blocks.
static std::optional<std::string> otherTerms(StringRef text, StringRef after) {
  StringRef own = text;
  if (own.consume_front("custom op '"))
    own = own.split("' ").second;
  if (own.starts_with("block with no terminator"))
    return "expected train.return behind the last op of the function";
  if (own == "expected non-function type")
    return "expected a type, such as f32[3, 4], i32[4] or f32[], but got " + wordAt(after);
  if (own == "expected attribute value")
    return "expected a number, a text in quotes, @name or #train.name, but got " + wordAt(after);
  if (own != text && own.starts_with("expected --set"))
    return own.str();
  if (own == "invalid kind of attribute specified")
    return "expected a value of another kind, such as #train.zeros for a first value, but got " +
           wordAt(after);
  auto [results, names] = own.split(" results but was provided ");
  if (results.consume_front("operation defines ") && names.consume_back(" to bind"))
    return "expected " + results.str() + " names before '=', one for each result, but got " +
           names.str();
  return std::nullopt;
}

/// 'train.step' op attribute 'micro_batches' failed to satisfy constraint: 64-bit integer attribute
static std::optional<std::string> otherKind(StringRef text, StringRef after) {
  auto [subject, kind] = text.split("' failed to satisfy constraint: ");
  StringRef name = subject.rsplit(" attribute '").second;
  if (name.empty())
    return std::nullopt;
  static constexpr std::pair<StringRef, StringRef> kinds[] = {
      {"integer attribute", "a whole number such as 4"},
      {"float attribute", "a number such as 0.5"},
      {"string attribute", "a text in quotes"},
      {"bool attribute", "true or false"},
      {"reference attribute", "a name such as @scale"},
      {"unit attribute", "no value"},
  };
  auto known = llvm::find_if(kinds, [&](auto pair) { return kind.ends_with(pair.first); });
  if (known == std::end(kinds))
    return std::nullopt;
  StringRef value = after.split(name).second.ltrim();
  std::string got = value.consume_front("=") ? ", but got " + wordAt(value) : "";
  return ("expected " + known->second + " for " + name).str() + got;
}

/// expected a, b or c, but got the attribute x
static std::optional<std::string> withNearest(StringRef text) {
  auto [list, word] = text.rsplit(", but got ");
  word.consume_front("the attribute ");
  size_t start = list.find("expected ");
  if (word.empty() || start == StringRef::npos || word.contains(' ') || !list.contains(" or "))
    return std::nullopt;
  SmallVector<StringRef> known;
  std::string words = list.drop_front(start + 9).str();
  for (size_t at; (at = words.find(" or ")) != std::string::npos;)
    words.replace(at, 4, ", ");
  StringRef(words).split(known, ", ");
  std::string hint = didYouMean(word, known);
  return hint.empty() ? std::nullopt : std::optional(text.str() + hint);
}

std::optional<std::string> ampc::clearerText(Diagnostic &diagnostic, llvm::SourceMgr &sources) {
  std::string original = diagnostic.str();
  StringRef text = original;
  MLIRContext *context = diagnostic.getLocation().getContext();
  auto [before, after] = textAt(diagnostic.getLocation(), sources);
  if (auto clearer = unknownOp(text, context))
    return clearer;
  if (auto clearer = unknownAttribute(text))
    return clearer;
  if (auto clearer = unknownParameter(text, before))
    return clearer;
  if (auto clearer = noStatement(text, {before, after}, context))
    return clearer;
  if (auto clearer = clearerSyntax(text, {before, after}))
    return clearer;
  if (auto clearer = unknownValue(text, before))
    return clearer;
  if (auto clearer = unknownFunction(text, (before + after).str()))
    return clearer;
  if (auto clearer = otherTerms(text, after))
    return clearer;
  if (auto clearer = otherKind(text, after))
    return clearer;
  // MLIR names the op twice: "custom op 'train.step' 'train.step' op attribute ...".
  StringRef once = text;
  if (once.consume_front("custom op ") && once.starts_with("'")) {
    auto [name, rest] = once.drop_front().split("' ");
    if (rest.starts_with(("'" + name + "' ").str()))
      return rest.str();
  }
  return withNearest(text);
}

/// Location of the error for a reader: the end of the preceding line if its op is incomplete.
static Location locationOf(Diagnostic &diagnostic, llvm::SourceMgr &sources) {
  Location location = diagnostic.getLocation();
  TextAt at = textAt(location, sources);
  size_t distance = distanceToEarlyEnd(diagnostic.str(), at);
  if (!distance)
    return location;
  const char *end = at.before.end() - distance;
  auto [line, column] = sources.getLineAndColumn(SMLoc::getFromPointer(end));
  return FileLineColLoc::get(lineOf(location).getFilename(), line, column);
}

std::optional<Diagnostic> ampc::clearer(Diagnostic &diagnostic, llvm::SourceMgr &sources) {
  std::optional<std::string> text = clearerText(diagnostic, sources);
  if (!text)
    return std::nullopt;
  Diagnostic ours(locationOf(diagnostic, sources), diagnostic.getSeverity());
  ours << *text;
  for (Diagnostic &note : diagnostic.getNotes())
    if (std::string said = note.str(); !StringRef(said).starts_with("Available dialects: "))
      ours.attachNote(note.getLocation()) << said;
  return ours;
}
