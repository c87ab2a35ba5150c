// Knobs in place of numbers of attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir-dialects/Train/Program/Follow.h"
#include "mlir-dialects/Train/Text/AttributeText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;

FlatSymbolRefAttr ampc::knobOf(Operation *op, StringRef path) {
  auto knobs = op->getAttrOfType<DictionaryAttr>(knobsKey);
  return knobs ? knobs.getAs<FlatSymbolRefAttr>(path) : FlatSymbolRefAttr();
}

void ampc::keepKnobsOfGroups(Operation *step, ArrayRef<int64_t> kept) {
  auto knobs = step->getAttrOfType<DictionaryAttr>(knobsKey);
  NamedAttrList renumbered;
  for (NamedAttribute each : knobs ? knobs.getValue() : ArrayRef<NamedAttribute>()) {
    auto [list, rest] = each.getName().getValue().split('.');
    auto [digits, parameter] = rest.split('.');
    int64_t number;
    if (list != "groups" || digits.getAsInteger(10, number))
      renumbered.append(each);
    else if (auto found = llvm::find(kept, number); found != kept.end())
      renumbered.append(("groups." + Twine(found - kept.begin()) + "." + parameter).str(),
                        each.getValue());
  }
  if (knobs && renumbered.empty())
    step->removeAttr(knobsKey);
  else if (knobs)
    step->setAttr(knobsKey, renumbered.getDictionary(step->getContext()));
}

std::optional<StringRef> ampc::misfitOfKnobs(Operation *op, Attribute value) {
  auto knobs = dyn_cast<DictionaryAttr>(value);
  bool isList = knobs && llvm::all_of(knobs, [](NamedAttribute each) {
                  return isa<FlatSymbolRefAttr>(each.getValue());
                });
  if (isList && isa<train::StepOp, train::DropoutOp, train::FollowOp>(op))
    return std::nullopt;
  return "{PATH = @KNOB, ...}, on a train.step, train.dropout or train.follow";
}

/// The knob of a name, or an error.
static FailureOr<KnobRange> findKnob(AsmParser &parser, SMLoc place, StringRef name) {
  ParseScope *model = ParseScope::model(parser.getContext());
  if (auto known = model ? model->knobs.find(name) : decltype(model->knobs.end())();
      model && known != model->knobs.end())
    return known->second;
  return parser.emitError(place) << "expected a number or a knob, which train.knob declares "
                                    "before, but got @"
                                 << name,
         failure();
}

/// Records the knob of the op that is being parsed.
static void record(AsmParser &parser, StringRef path, StringRef knob) {
  if (NamedAttrList *knobs = ParseState::of(parser.getContext()).knobs)
    knobs->set(path, FlatSymbolRefAttr::get(parser.getContext(), knob));
}

static std::string rangeText(const KnobRange &range) {
  return "[" + textOf(SizeNumber(range.low)) + ", " + textOf(SizeNumber(range.high)) + "]";
}

// ---- Clauses of ops ----

namespace {
/// Clause that takes a knob, and the interval in which the range of the knob lies.
struct KnobClause {
  StringLiteral op, name, interval;
  bool (*holds)(const KnobRange &range);
};
} // namespace

static bool isPositive(const KnobRange &range) { return range.low > 0; }
static bool isShare(const KnobRange &range) { return range.low >= 0 && float(range.high) < 1; }

static bool isWeight(const KnobRange &range) { return range.low >= 0 && range.high <= 1; }

static constexpr KnobClause clauses[] = {
    {"train.step", "clip_norm", "above 0", isPositive},
    {"train.step", "clip_value", "above 0", isPositive},
    {"train.step", "ema_decay", "in [0, 1)", isShare},
    {"train.dropout", "rate", "in [0, 1)", isShare},
    {"train.follow", "decay", "in [0, 1]", isWeight},
};

static const KnobClause *findClause(OpAsmParser &parser, StringRef name) {
  StringRef text(parser.getNameLoc().getPointer());
  return llvm::find_if(clauses, [&](const KnobClause &clause) {
    return clause.name == name && text.starts_with(clause.op);
  });
}

OptionalParseResult ampc::parseOptionalKnobClause(OpAsmParser &parser, double &value,
                                                  StringRef name) {
  SMLoc place = parser.getCurrentLocation();
  StringAttr knob;
  if (failed(parser.parseOptionalSymbolName(knob)))
    return std::nullopt;
  const KnobClause *clause = findClause(parser, name);
  if (clause == std::end(clauses))
    return ParseResult(parser.emitError(place) << "expected a number as " << name
                                               << ", but got the knob @" << knob.getValue());
  FailureOr<KnobRange> range = findKnob(parser, place, knob.getValue());
  if (failed(range))
    return ParseResult(failure());
  if (!clause->holds(*range))
    return ParseResult(parser.emitError(place)
                       << "expected a knob with a range " << clause->interval << " as " << name
                       << ", but @" << knob.getValue() << " is in " << rangeText(*range));
  value = range->getRepresentative();
  record(parser, name, knob.getValue());
  return ParseResult(success());
}

// ---- Parameters of rules ----

KnobsIn::KnobsIn(AsmParser &parser, StringRef name)
    : state(ParseState::of(parser.getContext())), outer(state.allowsKnobs), name(name) {
  state.allowsKnobs = this;
}
KnobsIn::~KnobsIn() { state.allowsKnobs = outer; }

std::optional<FailureOr<APFloat>> ampc::parseOptionalKnobNumber(AsmParser &parser) {
  SMLoc place = parser.getCurrentLocation();
  StringAttr knob;
  if (failed(parser.parseOptionalSymbolName(knob)))
    return std::nullopt;
  KnobsIn *allowed = ParseState::of(parser.getContext()).allowsKnobs;
  if (!allowed || (allowed->name != "optimizer" && allowed->name != "groups"))
    return FailureOr<APFloat>(parser.emitError(place)
                              << "expected a number, but got the knob @" << knob.getValue());
  FailureOr<KnobRange> range = findKnob(parser, place, knob.getValue());
  if (failed(range))
    return FailureOr<APFloat>(failure());
  allowed->uses.push_back({place, knob.getValue().str(), *range});
  return FailureOr<APFloat>(APFloat(range->getRepresentative()));
}

ArrayRef<KnobsIn::Use> KnobsIn::usesIn(StringRef text) const {
  auto isIn = [&](const Use &use) {
    return use.place.getPointer() >= text.begin() && use.place.getPointer() < text.end();
  };
  const Use *first = llvm::find_if(uses, isIn);
  return {first, std::find_if_not(first, uses.end(), isIn)};
}

/// Text up to the knob, without comments, which may have the words of attributes.
static std::string textBefore(StringRef text, SMLoc knob) {
  StringRef rest(text.data(), knob.getPointer() - text.data());
  std::string code;
  bool isQuoted = false;
  while (!rest.empty()) {
    if (!isQuoted && rest.starts_with("//")) {
      rest = rest.drop_until([](char c) { return c == '\n'; });
      continue;
    }
    size_t length = isQuoted && rest.front() == '\\' ? 2 : 1;
    isQuoted ^= rest.front() == '"';
    code += rest.take_front(length);
    rest = rest.drop_front(length);
  }
  return code;
}

namespace {
/// Place of a knob in the text of an attribute. Example: `#train.group<params = [@w], optimizer =
/// #train.sgd<lr = @rate`: owner "sgd", parameter "lr".
struct KnobPlace {
  StringRef owner, parameter;
};
} // namespace

/// Reads the text of an attribute up to the knob, without comments.
static KnobPlace placeIn(StringRef code) {
  SmallVector<StringRef> owners; // of open <
  bool isQuoted = false;
  for (size_t at = 0; at < code.size(); ++at) {
    char c = code[at];
    if (isQuoted && c == '\\')
      ++at;
    else if (c == '"')
      isQuoted = !isQuoted;
    else if (!isQuoted && c == '<') {
      StringRef before = code.take_front(at).rtrim();
      owners.push_back(before.substr(before.find_last_of("#. ") + 1));
    } else if (!isQuoted && c == '>' && !owners.empty())
      owners.pop_back();
  }
  StringRef word = code.rtrim();
  word.consume_back("=");
  word = word.rtrim();
  return {owners.empty() ? StringRef() : owners.back(),
          word.substr(word.find_last_of("<, \t\n") + 1)};
}

/// Checks that `owner`, a rule or group, takes a knob as `parameter`.
ParseResult KnobsIn::checkOwner(OpAsmParser &parser, const Use &use, StringRef owner,
                                StringRef parameter, OptimizerAttrInterface rule) const {
  SmallVector<StringRef> taken;
  if (owner == "group") {
    taken = {"clip_norm", "clip_value", "ema_decay"};
  } else if (rule.getAbstractAttribute().getName().substr(StringRef("train.").size()) == owner) {
    taken = {"lr"};
    llvm::append_range(taken, rule.getVariableNumbers());
  }
  if (llvm::is_contained(taken, parameter))
    return success();
  InFlightDiagnostic error = parser.emitError(use.place)
                             << "expected a number as " << parameter << " of #train." << owner;
  if (!taken.empty())
    error << ", which takes knobs as " << llvm::join(taken, ", ");
  return error << ", but got the knob @" << use.knob;
}

std::string KnobsIn::replaceBy(double KnobRange::*number, StringRef text) const {
  std::string replaced;
  const char *from = text.data();
  for (const Use &use : usesIn(text)) {
    replaced.append(from, use.place.getPointer());
    double value = number ? use.range.*number : use.range.getRepresentative();
    replaced += textOf(SizeNumber(value));
    from = use.place.getPointer() + 1 + use.knob.size();
  }
  return replaced.append(from, text.end());
}

std::string KnobsIn::getNumbers(StringRef text) const { return replaceBy(nullptr, text); }

/// Checks that rules take both bounds of their knobs.
ParseResult KnobsIn::checkBounds(OpAsmParser &parser, StringRef text) const {
  for (auto [word, bound] : {std::pair("lower", &KnobRange::low), {"upper", &KnobRange::high}})
    if (std::string why; !parseAttributeText(replaceBy(bound, text), parser.getContext(), why))
      return parser.emitError(usesIn(text).front().place)
             << "expected knobs with ranges that the rule takes, but for the " << word
             << " bounds: " << why;
  return success();
}

ParseResult KnobsIn::note(OpAsmParser &parser, Attribute attribute, StringRef path,
                          StringRef text) const {
  auto rule = dyn_cast<OptimizerAttrInterface>(attribute);
  if (auto group = dyn_cast<train::GroupAttr>(attribute))
    rule = group.getOptimizer();
  for (const Use &use : usesIn(text)) {
    std::string code = textBefore(text, use.place);
    KnobPlace place = placeIn(code);
    if (checkOwner(parser, use, place.owner, place.parameter, rule))
      return failure();
    record(parser, (path + "." + place.parameter).str(), use.knob);
  }
  return usesIn(text).empty() ? ParseResult(success()) : checkBounds(parser, text);
}
