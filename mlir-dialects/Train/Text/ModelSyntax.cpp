// Models and functions as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/Text/Results.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

// ---- Models ----

/// Parses `name = formula, ...` up to the parenthesis; `declared` receives the formulas as written,
/// or the number that the command line gives.
static ParseResult parseSizeList(OpAsmParser &parser, Sizes &sizes, const SizeNumbers *settings,
                                 SmallVectorImpl<Attribute> &declared) {
  llvm::StringSet<> names;
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::OptionalParen, [&]() -> ParseResult {
        StringRef name;
        std::string formula, why;
        SizeNumber value;
        SMLoc place = parser.getCurrentLocation();
        if (parseNamedSize(parser, name, value, formula))
          return failure();
        if (name.contains('.') || name.contains('$') || !names.insert(name).second)
          return parser.emitError(place)
                 << "expected every size once, by a name of letters, digits and "
                    "_, but got "
                 << name;
        bool isDeclaredReal = isReal(value);
        if (auto set = settings ? settings->find(name.str()) : SizeNumbers::const_iterator();
            settings && set != settings->end()) {
          value = set->second;
          formula.clear();
        }
        FailureOr<SizeNumber> settled = Sizes::settle(name, isDeclaredReal, value, why);
        if (failed(settled))
          return parser.emitError(place) << why;
        sizes.set(name, *settled);
        declared.push_back(parser.getBuilder().getStringAttr(
            name + " = " + (formula.empty() ? textOf(*settled) : formula)));
        return success();
      });
}

/// Checks that every size set on the command line is a size of the model.
static ParseResult checkSettings(OpAsmParser &parser, SMLoc place, const Sizes &sizes,
                                 const SizeNumbers &settings) {
  for (const auto &[name, value] : settings)
    if (!sizes.findNumber(name))
      return parser.emitError(place) << "expected --set to name a size of this model, but got "
                                     << name << suggestion(name, sizes.names());
  return success();
}

ParseResult syntax::parseModelBody(OpAsmParser &parser, NamedAttrList &attributes, Region &body) {
  SMLoc place = parser.getCurrentLocation();
  ParseScope scope(parser.getContext(), ParseScope::Kind::Model);
  const SizeNumbers *settings =
      scope.getOuter() ? nullptr : &ParseState::of(parser.getContext()).sizes;
  SmallVector<Attribute> declared;
  if (parseSizeList(parser, scope.sizes, settings, declared) ||
      (settings && checkSettings(parser, place, scope.sizes, *settings)) ||
      parser.parseOptionalAttrDictWithKeyword(attributes))
    return failure();
  if (!declared.empty())
    attributes.set(Sizes::key, parser.getBuilder().getArrayAttr(declared));
  if (attributes.get("sym_name"))
    return parser.emitError(place) << "expected the model's name once";
  if (parser.parseRegion(body))
    return failure();
  if (body.empty())
    body.emplaceBlock();
  return success();
}

void syntax::printModelBody(OpAsmPrinter &p, Operation *op, DictionaryAttr attributes,
                            Region &body) {
  if (auto declared = dyn_cast_or_null<ArrayAttr>(attributes.get(Sizes::key))) {
    p << '(';
    llvm::interleaveComma(declared, p,
                          [&](Attribute each) { p << cast<StringAttr>(each).strref(); });
    p << ") ";
  }
  SmallVector<NamedAttribute> others(attributes.begin(), attributes.end());
  llvm::erase_if(others, [](NamedAttribute each) {
    return each.getName() == Sizes::key || each.getName() == "sym_name";
  });
  if (!others.empty()) {
    p << "attributes";
    p.printOptionalAttrDict(others);
    p << ' ';
  }
  p.printRegion(body);
}

template <> ParseResult ampc::completeOp<ModelOp>(OpAsmParser &parser, OperationState &state) {
  auto name = state.getOrAddProperties<ModelOp::Properties>().sym_name;
  if (ParseScope *outer = ParseScope::model(parser.getContext()))
    outer->modules[name.getValue()] = &state.regions.front()->front();
  return success();
}

// ---- Functions ----

namespace {
/// Names in a body, collected before parsing: only state that the body reads becomes a value.
class BodyNames {
public:
  /// Scans from the brace of the body in `text` up to the end of the buffer, which is a 0.
  explicit BodyNames(const char *text) : at(text) { scan(); }
  llvm::StringSet<> used, defined;

private:
  void scan() {
    int depth = 0;
    for (char before = 0; *at;) {
      if (llvm::isSpace(*at)) {
        ++at;
        continue;
      }
      if (at[0] == '/' && at[1] == '/') {
        skipComment();
        continue;
      }
      if (*at == '}' && depth <= 1)
        return;
      depth += (*at == '{') - (*at == '}');
      const char *begin = at;
      if (*at == '"')
        skipString();
      else if (*at == '%')
        names(before);
      else if (*at == '@')
        used.insert("@" + name().str());
      else if (llvm::isAlpha(*at))
        word();
      else
        ++at;
      before = *begin;
    }
  }
  void skipString() {
    for (++at; *at && *at != '"' && *at != '\n'; ++at)
      if (at[0] == '\\' && at[1])
        ++at;
    if (*at)
      ++at;
  }
  void skipComment() {
    while (*at && *at != '\n')
      ++at;
  }
  void skipBlanks() {
    while (*at && (llvm::isSpace(*at) || (at[0] == '/' && at[1] == '/')))
      if (*at == '/')
        skipComment();
      else
        ++at;
  }
  StringRef name() {
    const char *begin = ++at;
    while (llvm::isAlnum(*at) || (*at && StringRef("$._-").contains(*at)))
      ++at;
    return StringRef(begin, at - begin);
  }
  /// A keyword or the name of an op. `index %i` binds the number of a loop's row.
  void word() {
    const char *begin = at;
    while (llvm::isAlnum(*at) || *at == '_' || *at == '.')
      ++at;
    if (StringRef(begin, at - begin) != "index")
      return;
    skipBlanks();
    if (*at == '%')
      defined.insert(name());
  }
  /// `%a`, `%a, %b` or `%a:2`: results if = follows, else operands. In `carry %h = %h0, %c = %c0`
  /// the list %h0, %c stands behind a =, and only its last name is bound by the next.
  void names(char before) {
    SmallVector<StringRef> list;
    while (*at == '%') {
      list.push_back(name());
      if ((*at == ':' || *at == '#') && llvm::isDigit(at[1]))
        for (++at; llvm::isDigit(*at);)
          ++at;
      skipBlanks();
      if (*at != ',')
        break;
      ++at;
      skipBlanks();
    }
    bool binds = *at == '=';
    for (auto [i, name] : llvm::enumerate(list)) {
      bool isLast = i + 1 == list.size();
      (binds && (isLast || before != '=') ? defined : used).insert(name);
    }
  }

  const char *at;
};
} // namespace

/// `(%x: f32[batch, 3] {...}, ...)`; `formulas` gets a text per argument.
static ParseResult parseArguments(OpAsmParser &parser,
                                  SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                  SmallVectorImpl<std::string> &formulas) {
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseColon() ||
        parseTensorType(parser, argument.type, formulas.emplace_back()))
      return failure();
    NamedAttrList attrs;
    if (parser.parseOptionalAttrDict(attrs) ||
        (!argument.sourceLoc && parser.parseOptionalLocationSpecifier(argument.sourceLoc)))
      return failure();
    argument.attrs = attrs.getDictionary(parser.getContext());
    return success();
  });
}

/// `-> T` or `-> (T {...}, ...)`.
static ParseResult parseResults(OpAsmParser &parser, SmallVectorImpl<Type> &types,
                                SmallVectorImpl<DictionaryAttr> &attrs) {
  std::string formulas;
  if (failed(parser.parseOptionalLParen())) {
    attrs.push_back(DictionaryAttr::get(parser.getContext()));
    return parseTensorType(parser, types.emplace_back(), formulas);
  }
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  auto one = [&]() -> ParseResult {
    NamedAttrList list;
    if (parseTensorType(parser, types.emplace_back(), formulas) ||
        parser.parseOptionalAttrDict(list))
      return failure();
    attrs.push_back(list.getDictionary(parser.getContext()));
    return success();
  };
  return failure(parser.parseCommaSeparatedList(one) || parser.parseRParen());
}

/// State of the model that the body names and does not define itself: arguments for as long as the
/// body is parsed, then reads.
static void addState(OpAsmParser &parser, ArrayRef<OpAsmParser::Argument> declared, SMLoc place,
                     SmallVectorImpl<OpAsmParser::Argument> &arguments) {
  ParseScope *model = ParseScope::model(parser.getContext());
  const char *body = place.getPointer();
  if (!model || model->states.empty() || !body)
    return;
  BodyNames names(body);
  for (const OpAsmParser::Argument &argument : declared)
    names.defined.insert(argument.ssaName.name.drop_front());
  for (const auto &used : names.used) {
    StringRef name = used.getKey();
    auto state = model->states.find(name);
    if (state == model->states.end() || names.defined.contains(name))
      continue;
    OpAsmParser::Argument &argument = arguments.emplace_back();
    // The parser stores a reference to the name while the function is parsed.
    argument.ssaName = {place, StringAttr::get(state->second.getContext(), "%" + name), 0};
    argument.type = state->second;
  }
  llvm::sort(arguments,
             [](const auto &a, const auto &b) { return a.ssaName.name < b.ssaName.name; });
}

static void replaceByReads(Block &body, unsigned first, ArrayRef<OpAsmParser::Argument> states,
                           MLIRContext *context) {
  OpBuilder builder(context); // the region is not yet that of an op
  builder.setInsertionPointToStart(&body);
  for (auto [i, state] : llvm::enumerate(states)) {
    BlockArgument argument = body.getArgument(first + i);
    if (argument.use_empty())
      continue;
    // Location of the first use; a location with a name belongs to another op.
    Location loc = (*argument.getUsers().begin())->getLoc();
    if (isa<NameLoc>(loc))
      loc = argument.getLoc();
    StringRef name = state.ssaName.name.drop_front();
    name.consume_front("@"); // of a knob in place of a number
    Value read =
        ReadOp::create(builder, loc, argument.getType(), FlatSymbolRefAttr::get(context, name));
    argument.replaceAllUsesWith(read);
  }
  body.eraseArguments(first, states.size());
}

/// Moves the body to a new block; the parsed block, with all arguments, stays in a detached op.
static void keepParsedBlock(Region &region, Location loc) {
  Block &parsed = region.front(), *body = new Block();
  for (BlockArgument argument : parsed.getArguments())
    argument.replaceAllUsesWith(body->addArgument(argument.getType(), argument.getLoc()));
  body->getOperations().splice(body->end(), parsed.getOperations());
  region.getBlocks().remove(&parsed);
  region.push_back(body);
  OperationState state(loc, FuncOp::getOperationName());
  state.addRegion()->push_back(&parsed);
  Operation::create(state);
}

/// Names of arguments become names of the C interface, so `%x` is an input of that name.
static void nameInput(OpAsmParser::Argument &argument, Builder &b) {
  StringRef given = argument.ssaName.name.drop_front();
  if (argument.attrs.contains(Signature::key) || given.empty() || llvm::isDigit(given.front()))
    return;
  NamedAttrList attrs(argument.attrs);
  attrs.set(Signature::key, InputAttr::get(b.getStringAttr(given)));
  argument.attrs = attrs.getDictionary(b.getContext());
}

/// Sets the name of a result; an error if the result has a name.
static ParseResult nameResult(OpAsmParser &parser, SMLoc place, StringRef name,
                              DictionaryAttr &attrs) {
  if (name.empty())
    return success();
  NamedAttrList list(attrs);
  if (list.get(Signature::key))
    return parser.emitError(place) << "expected one name of a result, but got \"" << name
                                   << "\" beside " << list.get(Signature::key);
  auto text = StringAttr::get(parser.getContext(), name);
  list.set(Signature::key, OutputAttr::get(parser.getContext(), Output::Named, text, -1));
  attrs = list.getDictionary(parser.getContext());
  return success();
}

/// Parses the body; without written result types, `resultTypes` receives the types of the returned
/// values.
static ParseResult parseBody(OpAsmParser &parser, Region &region,
                             ArrayRef<OpAsmParser::Argument> arguments, bool areWritten,
                             SmallVectorImpl<Type> &resultTypes,
                             SmallVectorImpl<DictionaryAttr> &resultAttrs) {
  ParseScope scope(parser.getContext(), ParseScope::Kind::Function);
  SMLoc place = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> all(arguments), states;
  addState(parser, arguments, place, states);
  all.append(states);
  for (const OpAsmParser::Argument &argument : all)
    scope.recordValue(argument.ssaName.name.drop_front(), 0, argument.type);
  if (parser.parseRegion(region, all))
    return failure();
  if (region.empty())
    return parser.emitError(place) << "expected a body";
  if (ParseState::of(parser.getContext()).keepsBlocks && !states.empty())
    keepParsedBlock(region, parser.getEncodedSourceLoc(place));
  replaceByReads(region.front(), arguments.size(), states, parser.getContext());
  if (Block &block = region.front(); !areWritten && !block.empty())
    if (auto ret = dyn_cast<train::ReturnOp>(block.back()))
      llvm::append_range(resultTypes, ret.getOperandTypes());
  resultAttrs.resize(resultTypes.size(), DictionaryAttr::get(parser.getContext()));
  for (auto [name, attrs] : llvm::zip(scope.resultNames, resultAttrs))
    if (nameResult(parser, place, name, attrs))
      return failure();
  return success();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder b(parser.getContext());
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<std::string> formulas;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parseArguments(parser, arguments, formulas))
    return failure();
  bool areWritten = succeeded(parser.parseOptionalArrow());
  if (areWritten && parseResults(parser, resultTypes, resultAttrs))
    return failure();
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      failed(verifyInherentAttrs(result.name, result.attributes,
                                 [&] { return parser.emitError(place) << "train.func: "; })))
    return failure();
  if (llvm::any_of(formulas, [](const std::string &each) { return !each.empty(); }))
    recordFormulas(parser, "arguments", b.getStrArrayAttr(llvm::to_vector_of<StringRef>(formulas)));
  SmallVector<Type> types;
  for (OpAsmParser::Argument &argument : arguments) {
    types.push_back(argument.type);
    nameInput(argument, b);
  }
  if (parseBody(parser, *result.addRegion(), arguments, areWritten, resultTypes, resultAttrs))
    return failure();
  auto type = b.getFunctionType(types, resultTypes);
  result.addAttribute(getFunctionTypeAttrName(result.name), TypeAttr::get(type));
  call_interface_impl::addArgAndResultAttrs(b, result, arguments, resultAttrs,
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  if (ParseScope *model = ParseScope::model(parser.getContext()))
    model->functions[name.getValue()] = type;
  return success();
}

void FuncOp::print(OpAsmPrinter &p) {
  function_interface_impl::printFunctionOp(p, *this, /*isVariadic=*/false, "function_type",
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}
