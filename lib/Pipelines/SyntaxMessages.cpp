// Diagnostics of the parser about clauses of ops: the op's syntax in the reference gives the names
// of the clauses and examples.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Pipelines/SyntaxMessages.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Reference.h"
#include "ampc/Support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <vector>

using namespace ampc;
using llvm::StringRef;

static bool isWordChar(char c) { return llvm::isAlnum(c) || c == '_'; }

std::string ampc::wordAt(StringRef after) {
  StringRef word = after.ltrim();
  size_t length = 0;
  while (length < word.size() && !llvm::isSpace(word[length]) &&
         !StringRef(",;()[]{}<>").contains(word[length]))
    ++length;
  return "'" + word.take_front(std::clamp<size_t>(length, 1, 40)).str() + "'";
}

/// Text without the comment of its last line and without white space at the end.
static StringRef withoutEnd(StringRef text) {
  for (size_t comment;; text = text.take_front(comment)) {
    text = text.rtrim();
    size_t line = text.rfind('\n') + 1;
    comment = text.find("//", line);
    if (comment == StringRef::npos)
      return text;
  }
}

/// Name of the last op of the text, e.g. train.relu; empty if a brace closes behind the op.
static StringRef lastOp(StringRef text) {
  size_t at = text.rfind("train.");
  while (at != StringRef::npos && at > 0 && !llvm::isSpace(text[at - 1]))
    at = text.take_front(at).rfind("train.");
  StringRef op = at == StringRef::npos ? "" : text.drop_front(at);
  bool isClosed = op.rtrim().ends_with("}");
  return isClosed ? "" : op.take_while([](char c) { return isWordChar(c) || c == '.'; });
}

/// Words in backquotes of the syntax `operation ::= ...`, without the op's name: smoothing, reduce.
static std::vector<std::string> clausesOf(StringRef op) {
  std::vector<std::string> clauses;
  StringRef syntax = documentationOf(op).split("operation ::= ").second.split("```").first;
  for (StringRef rest = syntax.split('`').second.split('`').second; !rest.empty();) {
    auto [word, behind] = rest.split('`').second.split('`');
    if (!word.empty() && llvm::all_of(word, isWordChar))
      clauses.push_back(word.str());
    rest = behind;
  }
  return clauses;
}

/// Text up to the end of its first value: a list in brackets, or a word.
static StringRef firstValue(StringRef text) {
  if (text.starts_with("["))
    return text.take_front(text.find(']') + 1);
  return text.take_until([](char c) { return llvm::isSpace(c) || StringRef(",)<").contains(c); });
}

/// A clause in an example of the op: "eps 1.0e-5"; empty without such an example.
static std::string exampleOf(StringRef op, StringRef clause) {
  StringRef examples = documentationOf(op).split("```mlir").second.split("```").first;
  std::string word = " " + clause.str() + " ";
  size_t at = examples.find(word);
  if (at == StringRef::npos)
    return "";
  return word.substr(1) + firstValue(examples.drop_front(at + word.size())).str();
}

static std::string asIn(StringRef op, StringRef clause) {
  std::string example = exampleOf(op, clause);
  return example.empty() ? "" : ", as in " + example;
}

static bool beginsLine(StringRef before) {
  return before.drop_front(before.rfind('\n') + 1).trim().empty();
}

/// The clause that ends the text: smoothing of `train.mse %x, %y smoothing`; empty if there is
/// none.
static StringRef clauseAtEnd(StringRef before) {
  StringRef text = withoutEnd(before);
  size_t length = 0;
  while (length < text.size() && isWordChar(text[text.size() - 1 - length]))
    ++length;
  StringRef word = text.take_back(length);
  return llvm::is_contained(clausesOf(lastOp(text)), word) ? word : "";
}

size_t ampc::distanceToEarlyEnd(StringRef text, TextAt at) {
  if (!at.before.data() || !beginsLine(at.before))
    return 0;
  bool isClause = text.contains("expected ") && !clauseAtEnd(at.before).empty();
  bool isMissing = text.contains("' expected '") || text.starts_with("expected '");
  return isClause || isMissing ? at.before.size() - withoutEnd(at.before).size() : 0;
}

/// The word that follows, or the end of the line.
static std::string found(TextAt at) {
  bool isLast = at.after.take_while(llvm::isSpace).contains('\n');
  return isLast || beginsLine(at.before) ? "the line ends" : "got " + wordAt(at.after);
}

/// Rewrites: custom op 'train.layer_norm' expected 'eps'
static std::optional<std::string> missingClause(StringRef text, TextAt at) {
  auto [op, rest] = text.split("' expected '");
  if (!op.consume_front("custom op '") || !rest.consume_back("'") || rest.contains('\''))
    return std::nullopt;
  return "expected the clause " + rest.str() + " of " + op.str() + asIn(op, rest) + ", but " +
         found(at);
}

/// Rewrites: expected '[' behind `strides`; a missing number at the end of a line.
static std::optional<std::string> valueOfClause(StringRef text, TextAt at) {
  StringRef clause = clauseAtEnd(at.before);
  bool isList = text == "expected '['";
  if (clause.empty() || !text.contains("expected ") || !(isList || beginsLine(at.before)))
    return std::nullopt;
  return "expected " + StringRef(isList ? "a list in brackets" : "a value").str() + " behind " +
         clause.str() + asIn(lastOp(at.before), clause) + ", but " + found(at);
}

/// Rewrites: expected '[' behind operands, as in `train.transpose %x`; the example is the first
/// list in the op's examples.
static std::optional<std::string> missingList(StringRef text, TextAt at) {
  StringRef op = text == "expected '['" ? lastOp(at.before) : "";
  StringRef examples = documentationOf(op).split("```mlir").second.split("```").first;
  size_t list = examples.find('[');
  if (op.empty() || list == StringRef::npos)
    return std::nullopt;
  return "expected a list in brackets behind the operands of " + op.str() + ", as in " +
         firstValue(examples.drop_front(list)).str() + ", but " + found(at);
}

/// Rewrites expectations that the parser states in terms of its lexer.
static std::optional<std::string> otherToken(StringRef text, TextAt at) {
  StringRef expected = llvm::StringSwitch<StringRef>(text)
                           .Case("expected floating point literal", "a number")
                           .Case("expected integer literal", "a whole number")
                           .Case("expected integer value", "a whole number")
                           .Case("expected SSA operand", "a value, as in %x")
                           .Case("expected valid keyword", "a name")
                           .Default("");
  if (expected.empty())
    return std::nullopt;
  bool isList = text == "expected valid keyword" && withoutEnd(at.before).ends_with(",");
  return "expected " + (isList ? "a parameter behind the comma" : expected.str()) + ", but got " +
         wordAt(at.after);
}

/// Rewrites: expected ::ampc::train::Reduction to be one of: mean, sum, none
static std::optional<std::string> unknownCase(StringRef text, TextAt at) {
  auto [type, list] = text.split(" to be one of: ");
  if (list.empty() || !type.contains("expected ::"))
    return std::nullopt;
  llvm::SmallVector<StringRef> words;
  list.split(words, ", ");
  std::string got = wordAt(at.after), expected = "expected " + joinWords(words);
  return at.after.empty()
             ? expected
             : expected + ", but got " + got + didYouMean(StringRef(got).trim('\''), words);
}

std::optional<std::string> ampc::clearerSyntax(StringRef text, TextAt at) {
  if (auto clearer = unknownCase(text, at))
    return clearer;
  if (!at.before.data()) // without the model's text, as in an editor
    return std::nullopt;
  if (auto clearer = missingClause(text, at))
    return clearer;
  if (auto clearer = valueOfClause(text, at))
    return clearer;
  if (auto clearer = missingList(text, at))
    return clearer;
  return otherToken(text, at);
}

std::string ampc::wordInsteadOfOp(StringRef word, TextAt at, llvm::ArrayRef<StringRef> operations) {
  StringRef line = at.before.drop_front(at.before.rfind('\n') + 1);
  std::vector<std::string> clauses = clausesOf(lastOp(line));
  if (std::string hint = didYouMean(word, clauses); !hint.empty())
    return "expected a clause of " + lastOp(line).str() + ", but got '" + word.str() + "'" + hint;
  bool isName = llvm::is_contained(operations, word);
  return "expected an op, such as train.add, but got '" + word.str() + "'" +
         (isName ? "; did you mean train." + word.str() + "?" : "");
}
