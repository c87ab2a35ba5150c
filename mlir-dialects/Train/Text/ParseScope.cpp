// Scopes of the parsed text, and parsers of formulas and sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/ParseScope.h"
#include "mlir-dialects/Train/Text/Constants.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ampc;

ParseState &ParseState::of(MLIRContext *context) {
  return *context->getOrLoadDialect<train::TrainDialect>()->getRegisteredInterface<ParseState>();
}

ParseScope::ParseScope(MLIRContext *context, Kind kind)
    : sizes(innermost(context) ? &innermost(context)->sizes : nullptr),
      state(ParseState::of(context)), kind(kind), outer(state.innermost) {
  state.innermost = this;
}
ParseScope::~ParseScope() { state.innermost = outer; }
ParseScope *ParseScope::innermost(MLIRContext *context) {
  return ParseState::of(context).innermost;
}
ParseScope *ParseScope::model(MLIRContext *context) {
  ParseScope *scope = innermost(context);
  while (scope && scope->kind != Kind::Model)
    scope = scope->outer;
  return scope;
}

void ParseScope::recordValue(StringRef name, unsigned number, Type type) {
  SmallVector<Type, 1> &types = values[name];
  if (types.size() <= number)
    types.resize(number + 1);
  types[number] = type;
}

Type ParseScope::valueType(const OpAsmParser::UnresolvedOperand &value) const {
  auto found = values.find(value.name.drop_front());
  if (found == values.end() || value.number >= found->second.size())
    return {};
  return found->second[value.number];
}

void ampc::recordFormulas(AsmParser &parser, StringRef name, Attribute formulas) {
  if (NamedAttrList *noted = ParseState::of(parser.getContext()).formulas)
    noted->set(name, formulas);
}

ParseResult ampc::parseRecorded(OpAsmParser &parser, OperationState &state, ParseFunction parse,
                                ParseFunction complete) {
  ParseState &shared = ParseState::of(parser.getContext());
  NamedAttrList formulas, knobs;
  SmallVector<ScalarOperand> scalars;
  NamedAttrList *before = std::exchange(shared.formulas, &formulas);
  NamedAttrList *knobsBefore = std::exchange(shared.knobs, &knobs);
  auto *scalarsBefore = std::exchange(shared.scalars, &scalars);
  SMLoc placeBefore = std::exchange(shared.scalarsOf, parser.getNameLoc());
  ParseResult parsed = failure(parse(parser, state) || complete(parser, state) ||
                               addScalars(parser, scalars, state));
  shared.formulas = before;
  shared.knobs = knobsBefore;
  shared.scalars = scalarsBefore;
  shared.scalarsOf = placeBefore;
  if (parsed) {
    if (!shared.innermost && shared.onFailure)
      shared.onFailure(parser);
    return failure();
  }
  if (llvm::is_contained(state.types, Type()))
    return parser.emitError(parser.getNameLoc()) << "expected the types at the end of the op";
  if (!formulas.empty())
    state.attributes.set(Sizes::key, formulas.getDictionary(parser.getContext()));
  if (!knobs.empty())
    state.attributes.set(knobsKey, knobs.getDictionary(parser.getContext()));
  for (auto [i, type] : llvm::enumerate(state.types))
    if (auto [name, number] = parser.getResultName(i); shared.innermost && !name.empty())
      shared.innermost->recordValue(name, number, type);
  return success();
}

// ---- Formulas and types ----

FormulasIn::FormulasIn(MLIRContext *context)
    : state(ParseState::of(context)), outer(state.allowsFormulas) {
  state.allowsFormulas = this;
}
FormulasIn::~FormulasIn() { state.allowsFormulas = outer; }
ParseResult FormulasIn::note(AsmParser &parser, SMLoc place) {
  FormulasIn *allowed = ParseState::of(parser.getContext()).allowsFormulas;
  if (!allowed)
    return parser.emitError(place) << "expected a number, but got a formula";
  allowed->found = true;
  return success();
}

StringRef ampc::textSince(AsmParser &parser, SMLoc begin) {
  const char *end = parser.getCurrentLocation().getPointer();
  StringRef text(begin.getPointer(), end - begin.getPointer());
  int depth = 0;
  bool isQuoted = false;
  for (auto [i, c] : llvm::enumerate(text)) {
    isQuoted ^= c == '"';
    if (!isQuoted && StringRef("<[({").contains(c))
      ++depth;
    else if (!isQuoted && StringRef(">])}").contains(c) && --depth == 0 &&
             (text.front() == '#' || text.front() == '['))
      return text.take_front(i + 1);
  }
  return text.split("//").first.rtrim();
}

bool ampc::parseOptionalOperator(AsmParser &parser, std::string &text) {
  if (succeeded(parser.parseOptionalPlus()))
    text += " + ";
  else if (succeeded(parser.parseOptionalMinus()))
    text += " - ";
  else if (succeeded(parser.parseOptionalStar()))
    text += succeeded(parser.parseOptionalStar()) ? " ** " : " * ";
  else if (succeeded(parser.parseOptionalSlash()))
    text += " / ";
  else
    return false;
  return true;
}

ParseResult ampc::parseSizesInBrackets(AsmParser &parser, SmallVectorImpl<int64_t> &values,
                                       std::string &formulas) {
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  SmallVector<std::string> texts;
  bool hasNames = false;
  auto one = [&]() -> ParseResult {
    if (parseSize(parser, values.emplace_back(), texts.emplace_back()))
      return failure();
    hasNames |= !texts.back().empty();
    if (texts.back().empty())
      texts.back() = std::to_string(values.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(one) || parser.parseRSquare())
    return failure();
  if (hasNames)
    formulas = llvm::join(texts, ", ");
  return success();
}

ParseResult ampc::parseTensorType(AsmParser &parser, Type &type, std::string &formulas) {
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  if (failed(parser.parseOptionalLSquare()))
    return success();
  SmallVector<int64_t> shape;
  SMLoc inside = parser.getCurrentLocation();
  if (parseSizesInBrackets(parser, shape, formulas))
    return failure();
  if (!type.isIntOrFloat())
    return parser.emitError(place) << "expected the type of an element before [, but got " << type;
  for (int64_t size : shape)
    if (size < 1)
      return parser.emitError(inside) << "expected positive sizes, but got " << size;
  type = RankedTensorType::get(shape, type);
  return success();
}
