// Compilation options shared by several commands, mostly on precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/PrecisionOptions.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Text.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/Regex.h"
#include <cstdlib>

using namespace ampc;
namespace cl = llvm::cl;

namespace {
/// Meaning of an Apex preset; empty: unchanged.
struct Level {
  llvm::StringLiteral name, precision, policy, lossScaling;
  bool masterWeights;
};
} // namespace

static constexpr Level levels[] = {
    {"O0", "f32", "", "", true},
    {"O1", "", "autocast", "", true},
    {"O2", "", "mincut", "", true},
    {"O3", "", "narrow", "none", false},
};

namespace {
/// Command-line option that sets a member of CompileOptions.
template <typename Parsed, typename Member> struct Parser : PrecisionOptions::Entry {
  template <typename... Args>
  Parser(const OptionDefinition &definition, cl::SubCommand &command, Member member,
         const Args &...more)
      : Entry(definition),
        parsed(llvm::StringRef(definition.name), cl::desc(help), cl::sub(command), more...),
        member(member) {
    if (!definition.placeholder.empty())
      parsed.setValueStr(definition.placeholder);
    if (definition.scope == OptionScope::Hidden)
      parsed.setHiddenFlag(cl::ReallyHidden);
  }
  const cl::Option &option() const override { return parsed; }

  Parsed parsed;
  Member member;
};

template <typename T> struct OneValue : Parser<cl::opt<T>, T CompileOptions::*> {
  OneValue(const OptionDefinition &definition, cl::SubCommand &command, T CompileOptions::*member)
      : Parser<cl::opt<T>, T CompileOptions::*>(definition, command, member,
                                                cl::init(CompileOptions().*member)) {}
  void read(CompileOptions &options) const override { options.*this->member = this->parsed; }
};

/// Flag with an optional regular expression. Example: --explain-precision=matmul.
struct ExplainValue : Parser<cl::opt<std::string>, bool CompileOptions::*> {
  ExplainValue(const OptionDefinition &definition, cl::SubCommand &command)
      : Parser(definition, command, &CompileOptions::explain, cl::ValueOptional) {}
  void read(CompileOptions &options) const override {
    options.explain = isGiven() && parsed != "false";
    options.explained = parsed == "true" || parsed == "false" ? "" : parsed.getValue();
  }
};

using Words = std::vector<std::string>;
struct ManyValues : Parser<cl::list<std::string>, Words CompileOptions::*> {
  ManyValues(const OptionDefinition &definition, cl::SubCommand &command,
             Words CompileOptions::*member)
      : Parser(definition, command, member) {
    if (definition.placeholder == "LIST")
      parsed.setMiscFlag(cl::CommaSeparated);
  }
  void read(CompileOptions &options) const override {
    if (isGiven())
      (options.*member).assign(parsed.begin(), parsed.end());
  }
};
} // namespace

template <typename T>
static std::unique_ptr<PrecisionOptions::Entry>
makeEntry(const OptionDefinition &definition, cl::SubCommand &command, T CompileOptions::*member) {
  if (definition.member == OptionMember(&CompileOptions::explain))
    return std::make_unique<ExplainValue>(definition, command);
  return std::make_unique<OneValue<T>>(definition, command, member);
}
static std::unique_ptr<PrecisionOptions::Entry> makeEntry(const OptionDefinition &definition,
                                                          cl::SubCommand &command,
                                                          Words CompileOptions::*member) {
  return std::make_unique<ManyValues>(definition, command, member);
}

PrecisionOptions::Entry::Entry(const OptionDefinition &definition)
    : definition(definition), help(definition.helpText()) {}
PrecisionOptions::Entry::~Entry() = default;

/// Static text, because the option keeps a reference.
static llvm::StringRef levelHelp() {
  static const std::string text = [] {
    std::string all;
    for (const Level &level : levels) {
      Words parts;
      if (!level.precision.empty())
        parts.push_back("precision " + level.precision.str());
      if (!level.policy.empty())
        parts.push_back("policy " + level.policy.str());
      if (!level.masterWeights)
        parts.push_back("no master weights");
      if (!level.lossScaling.empty())
        parts.push_back("loss scaling " + level.lossScaling.str());
      all += (all.empty() ? "" : "; ") + level.name.str() + ": " + llvm::join(parts, ", ");
    }
    return all;
  }();
  return text;
}

PrecisionOptions::PrecisionOptions(cl::SubCommand &command)
    : level("amp-level", cl::desc(levelHelp()), cl::value_desc("LEVEL"), cl::sub(command)) {
  for (const OptionDefinition &definition : getOptionDefinitions())
    if (definition.scope != OptionScope::Internal)
      entries.push_back(std::visit(
          [&](auto member) { return makeEntry(definition, command, member); }, definition.member));
}

bool PrecisionOptions::areGiven() const {
  const OptionMember numberless[] = {&CompileOptions::targets, &CompileOptions::noCache};
  return level.getNumOccurrences() || llvm::any_of(entries, [&](const auto &entry) {
           return entry->definition.scope == OptionScope::User && entry->isGiven() &&
                  !llvm::is_contained(numberless, entry->definition.member);
         });
}

const PrecisionOptions::Entry &PrecisionOptions::entryOf(OptionMember member) const {
  return **llvm::find_if(entries,
                         [&](const auto &entry) { return entry->definition.member == member; });
}

/// Checks combinations of options that are valid separately.
llvm::Error PrecisionOptions::checkTogether(const CompileOptions &options) const {
  using O = CompileOptions;
  for (auto file : {&O::policyFile, &O::profile})
    if (entryOf(file).isGiven() && (options.*file).empty())
      return mistake("expected --" + entryOf(file).definition.name + "=FILE, but got \"\"");
  if (std::string why; !options.explained.empty() && !llvm::Regex(options.explained).isValid(why))
    return mistake("expected --explain-precision with a regular expression, but got " +
                   options.explained + ": " + why);
  if (!level.empty() && entryOf(&O::policy).isGiven())
    return mistake("expected --amp-level, which has a policy, or --policy, but got both");
  if (!options.profile.empty() &&
      ((options.precision != "f16" && options.precision != "bf16") || level == "O0"))
    return mistake("expected --precision=f16 or bf16 with --precision-profile, whose types are f16 "
                   "and bf16, but got " +
                   (level == "O0" ? "--amp-level=O0" : "--precision=" + options.precision));
  for (OptionMember member : {OptionMember(&O::precisionOverrides), OptionMember(&O::policyEdits),
                              OptionMember(&O::policyFile)})
    if (const Entry &entry = entryOf(member); options.precision == "f64" && entry.isGiven())
      return mistake("expected a --precision below f64, where nothing is rounded, with --" +
                     entry.definition.name + ", but got --precision=f64");
  return llvm::Error::success();
}

static void apply(const Level &level, CompileOptions &options) {
  auto set = [](std::string &value, llvm::StringRef preset) {
    if (!preset.empty())
      value = preset.str();
  };
  set(options.precision, level.precision);
  set(options.policy, level.policy);
  set(options.lossScaling, level.lossScaling);
  options.masterWeights &= level.masterWeights;
}

llvm::Expected<CompileOptions> PrecisionOptions::get() const {
  CompileOptions options;
  for (const std::unique_ptr<Entry> &entry : entries)
    entry->read(options);
  if (llvm::Error error = checkValues(options))
    return std::move(error);
  if (std::string expected = expectedTargets(options.targets); !expected.empty())
    return mistake("expected --target to be " + expected);
  const Level *preset =
      llvm::find_if(levels, [&](const Level &known) { return known.name == level; });
  if (level.getNumOccurrences()) {
    auto names = llvm::map_to_vector(levels, [](const Level &known) { return known.name.str(); });
    if (llvm::Error error = checkValue("amp-level", level, names))
      return std::move(error);
  }
  if (llvm::Error error = checkTogether(options))
    return std::move(error);
  if (preset != std::end(levels))
    apply(*preset, options);
  return options;
}

CompileOptions ampc::inF32(CompileOptions options) {
  options.precision = "f32";
  options.profile.clear();
  options.precisionOverrides.clear();
  options.policyEdits.clear();
  options.policyFile.clear();
  options.masterWeights = true;
  options.explain = false;
  options.explained.clear();
  return options;
}
