// Error recovery: further errors of a text after the first error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc-lsp-server/Recovery.h"
#include "mlir-dialects/Train/Text/ParseState.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace ampc;

/// Limit of errors per text: every error costs a parse of the text.
static constexpr unsigned mostErrors = 30;

namespace {
/// Text split into statements: runs of lines that start with an op, results or a brace.
class Statements {
public:
  explicit Statements(StringRef text);
  std::string text() const { return llvm::join(lines, "\n"); }

  /// First line of the statement that contains a line, or the number of lines.
  size_t begin(size_t line) const;
  /// Line after the statement and after the block that the statement opens.
  size_t end(size_t begin) const;
  /// First line of the statement whose block contains the line.
  std::optional<size_t> opener(size_t line) const;
  std::string textOf(size_t begin) const;
  size_t indentation(size_t line) const { return StringRef(lines[line]).find_first_not_of(' '); }
  bool closes(size_t line) const { return StringRef(lines[line]).ltrim().starts_with("}"); }
  bool isBlank(size_t line) const { return StringRef(lines[line]).trim().empty(); }
  /// Whether lines in the statement's block were blanked.
  bool hasBlanked(size_t begin) const;
  /// Blanks the statement, and marks all symbols and values that the statement defines as missing.
  void blank(size_t begin);
  /// Whether the statement refers to a missing symbol or value: a follow-on error.
  bool isConsequence(size_t begin) const;
  size_t size() const { return lines.size(); }

private:
  static bool isStart(StringRef line);
  static int braces(StringRef line);
  std::string valueKey(size_t begin, StringRef name) const;
  void loseSymbol(size_t begin);
  void loseUses();

  std::vector<std::string> lines;
  std::vector<bool> blanked;
  llvm::StringSet<> missing; ///< symbols, and values by function, up to the first dot
};
} // namespace

Statements::Statements(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, '\n');
  for (StringRef part : parts)
    lines.push_back(part.str());
  blanked.resize(lines.size());
}

bool Statements::isStart(StringRef line) {
  line = line.ltrim();
  if (line.empty() || StringRef("}^#!").contains(line.front()) || line.starts_with("//"))
    return true;
  if (line.starts_with("%")) // results, not operands of the previous line
    return line.contains('=') && line.split('=').first.find_first_of("([{") == StringRef::npos;
  StringRef word = line.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  return word.contains('.') && !llvm::isDigit(word.front());
}

/// Opening minus closing braces, outside of strings and comments. Example: "func {" -> 1.
int Statements::braces(StringRef line) {
  int count = 0;
  bool isQuoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"')
      isQuoted = !isQuoted;
    else if (!isQuoted && line.substr(i).starts_with("//"))
      break;
    else if (!isQuoted)
      count += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
  }
  return count;
}

size_t Statements::begin(size_t line) const {
  if (line >= lines.size())
    return lines.size();
  while (line > 0 && !isStart(lines[line]))
    --line;
  return line;
}

size_t Statements::end(size_t begin) const {
  int open = 0;
  for (size_t line = begin; line < lines.size(); ++line) {
    if (line > begin && open <= 0 && isStart(lines[line]))
      return line;
    open += braces(lines[line]);
    if (line > begin && open <= 0 && closes(line))
      return line + 1;
  }
  return lines.size();
}

std::optional<size_t> Statements::opener(size_t line) const {
  int open = 0;
  while (line-- > 0)
    if ((open += braces(lines[line])) > 0)
      return begin(line);
  return std::nullopt;
}

std::string Statements::textOf(size_t begin) const {
  std::string text;
  for (size_t line = begin; line < lines.size() && (line == begin || !isStart(lines[line])); ++line)
    text += lines[line] + "\n";
  return text;
}

bool Statements::hasBlanked(size_t begin) const {
  for (size_t line = begin; line < end(begin); ++line)
    if (blanked[line])
      return true;
  return false;
}

/// Calls `work` with the name after each % and @.
static void forEachName(StringRef text, llvm::function_ref<void(char, StringRef)> work) {
  for (size_t at; (at = text.find_first_of("%@")) != StringRef::npos;) {
    char sign = text[at];
    text = text.drop_front(at + 1);
    StringRef name = text.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '-'; });
    if (!name.empty())
      work(sign, name);
  }
}

static std::string symbolKey(StringRef name) { return ("@" + name).str(); }

/// Value names are local to functions, so the key contains the function's line.
std::string Statements::valueKey(size_t begin, StringRef name) const {
  return "%" + std::to_string(opener(begin).value_or(0)) + ":" + name.str();
}

/// Marks the symbol that a statement defines as missing: the first, or the alias in "X as @Y".
void Statements::loseSymbol(size_t begin) {
  StringRef text = StringRef(lines[begin]).ltrim();
  if (text.contains(" as \"")) // an export refers to a function
    return;
  if (text.contains(" as @"))
    text = text.split(" as ").second;
  bool isDone = false;
  forEachName(text.take_front(text.find_first_of("({=")), [&](char, StringRef name) {
    if (!std::exchange(isDone, true))
      missing.insert(symbolKey(name));
  });
}

/// Propagates missing symbols: a use of an incomplete module is missing, too.
void Statements::loseUses() {
  for (size_t line = 0; line < lines.size(); ++line)
    if (StringRef(lines[line]).contains(" as @") && isConsequence(line))
      loseSymbol(line);
}

void Statements::blank(size_t begin) {
  StringRef first = StringRef(lines[begin]).ltrim();
  if (first.starts_with("%"))
    forEachName(first.split('=').first,
                [&](char, StringRef name) { missing.insert(valueKey(begin, name)); });
  else
    loseSymbol(begin);
  // Without a return a function's results are unknown, and so is the surrounding module.
  if (first.split(' ').first.ends_with(".return"))
    for (std::optional<size_t> around = opener(begin); around; around = opener(*around))
      if (opener(*around))
        loseSymbol(*around);
  for (size_t line = begin, last = end(begin); line < last; ++line) {
    blanked[line] = true;
    lines[line].assign(lines[line].size(), ' ');
  }
  loseUses();
}

bool Statements::isConsequence(size_t begin) const {
  bool found = false;
  forEachName(textOf(begin), [&](char sign, StringRef name) {
    found |= missing.contains(symbolKey(name)) ||
             (sign == '%' && missing.contains(valueKey(begin, name)));
  });
  return found;
}

namespace {
struct Error {
  size_t line, column; ///< from 0
  Diagnostic diagnostic;
};
} // namespace

/// Errors of a text, by MLIR's parser.
static std::vector<Error> errorsOf(StringRef text, StringRef name, MLIRContext *context) {
  std::vector<Error> errors;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    if (place && place.getLine() > 0 && diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.push_back(
          {place.getLine() - 1, std::max(place.getColumn(), 1u) - 1, std::move(diagnostic)});
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name), llvm::SMLoc());
  Block block;
  (void)parseAsmSourceFile(sources, &block, ParserConfig(context, /*verifyAfterParse=*/false));
  return errors;
}

/// Blanks the statement that caused an error. Returns whether the error is original, not a
/// consequence of earlier blanking; nullopt if there is nothing to blank.
static std::optional<bool> blankCauseOf(const Error &error, Statements &statements) {
  size_t begin = statements.begin(error.line);
  if (begin >= statements.size() || statements.isBlank(begin))
    return std::nullopt;
  bool isOwn = true;
  if (statements.closes(begin)) { // the block's content was blanked, or was never there
    std::optional<size_t> opener = statements.opener(begin);
    if (!opener || statements.isBlank(*opener))
      return std::nullopt;
    begin = *opener;
  }
  isOwn = !statements.isConsequence(begin) && !statements.hasBlanked(begin);
  // A missing end of a statement is reported at the start of the next statement.
  if (begin > 0 && error.line == begin && error.column == statements.indentation(begin) &&
      StringRef(error.diagnostic.str()).starts_with("expected '")) {
    size_t before = statements.begin(begin - 1);
    if (!statements.isBlank(before) && statements.end(before) == begin)
      statements.blank(before);
  }
  statements.blank(begin);
  return isOwn;
}

void ampc::findMoreErrors(OpAsmParser &parser) {
  ParseState &state = ParseState::of(parser.getContext());
  auto self = std::exchange(state.onFailure, nullptr); // the parses below fail, too
  llvm::scope_exit again([&] { state.onFailure = self; });
  Location at = parser.getEncodedSourceLoc(parser.getNameLoc());
  auto place = dyn_cast<FileLineColLoc>(at);
  if (!place || place.getLine() == 0)
    return;
  // Buffers of MLIR's parser end with a zero. The text before the op has been parsed.
  Statements statements(std::string(place.getLine() - 1, '\n') +
                        std::string(place.getColumn() - 1, ' ') + parser.getNameLoc().getPointer());
  llvm::StringSet<> told;
  bool isFirst = true;
  for (unsigned round = 0; round < mostErrors; ++round) {
    std::vector<Error> errors =
        errorsOf(statements.text(), place.getFilename(), place.getContext());
    if (errors.empty())
      return;
    for (Error &error : errors) {
      std::optional<bool> isOwn = blankCauseOf(error, statements);
      bool isNew = told.insert(std::to_string(error.line) + error.diagnostic.str()).second;
      if (isOwn && *isOwn && isNew && !isFirst)
        place.getContext()->getDiagEngine().emit(std::move(error.diagnostic));
      if (!isOwn && &error == &errors.front())
        return;
      isFirst = false; // MLIR has reported the first error
    }
  }
}
