// Groups of parameters in the text of a step: lists, and repeated groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/AttributeText.h"
#include "mlir-dialects/Train/Text/Syntax.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

namespace {
/// Parser of the groups of a step: `[GROUP, times N index I GROUP, ...]`.
class GroupList {
public:
  explicit GroupList(OpAsmParser &parser) : parser(parser), knobs(parser, "groups") {}
  ParseResult parse(ArrayAttr &groups);

private:
  ParseResult one();
  ParseResult repeated();
  FailureOr<GroupAttr> parseAgain(SMLoc place, StringRef text);

  OpAsmParser &parser;
  FormulasIn formulas{parser.getContext()};
  KnobsIn knobs;
  SmallVector<Attribute> groups;
  std::string text = "["; ///< of all groups, with numbers in place of each I
};
} // namespace

/// Text of a group with the number in place of the name: as a word of formulas, and as {name} in
/// strings. Example for i: "lr = 0.1 * i", but no parameter, "i = 4".
static std::string withIndex(StringRef group, StringRef name, int64_t number) {
  std::string result, value = std::to_string(number);
  auto isWordChar = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  bool isQuoted = false;
  while (!group.empty()) {
    StringRef part = group.take_while(isWordChar);
    if (part.empty())
      part = group.take_front(isQuoted && group.front() == '\\' ? 2 : 1);
    isQuoted ^= part == "\"";
    std::string braced = ("{" + name + "}").str();
    bool isInside = isQuoted && group.starts_with(braced);
    bool isParameter = group.drop_front(part.size()).ltrim().starts_with("=");
    bool isWord = !isQuoted && part == name && !isParameter;
    result += isInside || isWord ? value : part.str();
    group = group.drop_front(isInside ? braced.size() : part.size());
  }
  return result;
}

/// Parses text that was made from a group, with errors at the group.
FailureOr<GroupAttr> GroupList::parseAgain(SMLoc place, StringRef made) {
  std::string why;
  Attribute read = parseAttributeText(made, parser.getContext(), why);
  if (auto group = dyn_cast_or_null<GroupAttr>(read))
    return group;
  return parser.emitError(place) << (why.empty() ? "expected a #train.group" : why), failure();
}

/// `N index I GROUP`, behind `times`.
ParseResult GroupList::repeated() {
  int64_t count = 0;
  std::string formula;
  StringRef name;
  SMLoc place = parser.getCurrentLocation();
  ParseScope *scope = ParseScope::innermost(parser.getContext());
  if (!scope)
    return parser.emitError(place) << "expected groups behind times inside of a train.model";
  if (parseSize(parser, count, formula) || parser.parseKeyword("index"))
    return failure();
  if (count < 1 || count > 4096)
    return parser.emitError(place) << "expected 1 to 4096 times, but got " << count;
  SMLoc named = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  if (scope->sizes.findNumber(name))
    return parser.emitError(named) << "expected a name that no size has, but got " << name;
  SMLoc begin = parser.getCurrentLocation();
  Sizes outer = scope->sizes;
  scope->sizes.set(name, SizeNumber(int64_t(0)));
  GroupAttr first;
  ParseResult parsed = parser.parseAttribute(first);
  scope->sizes = outer;
  if (parsed)
    return failure();
  StringRef group = textSince(parser, begin);
  if (knobs.hasUses(group))
    return parser.emitError(begin) << "expected numbers in groups behind times, but got a knob";
  for (int64_t i = 0; i < count; ++i) {
    std::string made = withIndex(group, name, i);
    FailureOr<GroupAttr> read = parseAgain(begin, made);
    if (failed(read))
      return failure();
    groups.push_back(*read);
    text += (i ? ", " : "") + made;
  }
  return success();
}

ParseResult GroupList::one() {
  text += text.size() > 1 ? ", " : "";
  if (succeeded(parser.parseOptionalKeyword("times")))
    return repeated();
  SMLoc begin = parser.getCurrentLocation();
  GroupAttr group;
  if (parser.parseAttribute(group))
    return failure();
  std::string path = "groups." + std::to_string(groups.size());
  groups.push_back(group);
  StringRef written = textSince(parser, begin);
  text += knobs.getNumbers(written);
  return knobs.note(parser, group, path, written);
}

ParseResult GroupList::parse(ArrayAttr &result) {
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return one(); }))
    return failure();
  result = parser.getBuilder().getArrayAttr(groups);
  if (formulas.found)
    recordFormulas(parser, "groups", parser.getBuilder().getStringAttr(text + "]"));
  return success();
}

ParseResult syntax::parseGroups(OpAsmParser &parser, ArrayAttr &groups) {
  return GroupList(parser).parse(groups);
}
