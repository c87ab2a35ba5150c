// Ways of compiling and running a model that must give equal bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Checks.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir/Parser/Parser.h"
#include "test/Fuzz/MicroBatches.h"
#include "test/Fuzz/PlantedFaults.h"
#include "test/Fuzz/Random.h"
#include "test/Fuzz/Trial.h"
#include "test/Fuzz/Written.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

namespace {
/// Checks of a model, with shared state.
class Checks {
public:
  Checks(StringRef text, const CheckRequest &request, MLIRContext *context)
      : text(text), request(request), context(context), random(request.seed ^ 0xC4EC) {
    chooseOptions();
  }
  Verdict run();

private:
  void chooseOptions();
  bool wants(StringRef check);
  void fail(StringRef check, const Twine &what);
  void compare(StringRef check, const Record &other);
  bool isCompared(ModuleOp plan, bool observed);
  void compileOtherwise(StringRef check, CompileOptions other, bool observed = false);
  void replay();
  void callOtherwise();
  void shortBatches();
  void otherTarget();
  void writtenOut();
  void otherText();
  void boundArena();
  void seedCalls();
  void joinBatches();
  const Code *compileWide(StringRef text, const std::string &target, std::string &message);
  std::unique_ptr<Code> loadWithFault(CompileOptions inF64);
  bool writeForOracle();
  /// Code of a configuration that is not the plain configuration.
  std::unique_ptr<Code> load(ModuleOp module) const { return Code::load(module, levelOfOthers); }
  /// Tiers to compile for a target; the reference has a single one.
  std::vector<std::string> tiersOf(StringRef target) const {
    return target == "cpu" ? tiers : std::vector<std::string>();
  }
  /// Name of the tier, or target, that runs.
  std::string tierName() const {
    return options.targets.front() == "cpu" ? options.tiers.back() : options.targets.front();
  }

  StringRef text;
  const CheckRequest &request;
  MLIRContext *context;
  Random random;
  CompileOptions options;
  std::vector<std::string> tiers; // of the CPU, lowest first
  std::string replayed;           // the phase whose text is fed back
  // LLVM's level for all but the plain configuration: their subject is graph, kernels and plan.
  CodeLevel levelOfOthers = CodeLevel::Quick;
  Compiled compiled;
  Stages stages;                               // of the plain configuration
  std::vector<OwningOpRef<ModuleOp>> compared; // plans of other configurations
  std::unique_ptr<Code> code;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Code>> wide; // by text and target
  Record plain;
  std::string running; // the check on the clock
  double since = 0;    // the beginning of this check, in seconds of the processor
  Verdict verdict = Verdict::Good;
};
} // namespace

/// Chooses the compile options of this seed.
void Checks::chooseOptions() {
  static const char *precisions[] = {"f32", "f32", "bf16", "bf16", "f16", "f64"};
  static const char *policies[] = {"mincut",       "mincut",    "mincut", "autocast",
                                   "autocast-cpu", "propagate", "narrow"};
  static const char *scalings[] = {"torch", "tf", "apex", "paddle", "none"};
  // The best tier runs. A model without code for avx512bf16 runs avx512.
  std::vector<std::vector<std::string>> known = {{"plain"}};
  if (__builtin_cpu_supports("avx2"))
    known.push_back({"avx2"});
  if (__builtin_cpu_supports("avx512f"))
    known.push_back({"avx512"});
  if (__builtin_cpu_supports("avx512bf16"))
    known.push_back({"avx512", "avx512bf16"});
  options.precision = random.pick(precisions);
  options.policy = random.pick(policies);
  options.lossScaling = random.pick(scalings);
  options.masterWeights = random.chance(0.85);
  tiers = random.pick(known);
  if (random.chance(0.15))
    options.precisionOverrides = {"#1$=f32"};
  auto phases = getPhases().drop_back();
  replayed = random.pick(phases).name.str();
  // A separate random stream, so that other choices of a seed stay the same.
  if (Random(request.seed ^ 0x4EF).chance(0.1))
    options.targets = {"reference"};
  options.tiers = tiersOf(options.targets.front());
  if (Random(request.seed ^ 0x0B7).chance(0.1))
    levelOfOthers = CodeLevel::Optimized;
}

/// Also says where a crash was, and ends the clock of the check before.
bool Checks::wants(StringRef check) {
  double now = double(std::clock()) / CLOCKS_PER_SEC;
  if (!running.empty())
    llvm::outs() << llvm::formatv("# cost {0} {1:F3}\n", running, now - since);
  running = check.str();
  since = now;
  llvm::outs() << "# " << check << "\n";
  llvm::outs().flush();
  return request.only.empty() || request.only == check;
}

void Checks::fail(StringRef check, const Twine &what) {
  llvm::outs() << check << ": " << what << " (--precision=" << options.precision
               << " --policy=" << options.policy << " --loss-scaling=" << options.lossScaling
               << " --master-weights=" << (options.masterWeights ? "true" : "false") << " tier "
               << tierName();
  for (const std::string &override : options.precisionOverrides)
    llvm::outs() << " --precision-override=" << override;
  llvm::outs() << ")\n";
  verdict = Verdict::Wrong;
}

void Checks::compare(StringRef check, const Record &other) {
  std::vector<std::string> names = differences(plain, other);
  if (names.empty() && !other.empty())
    return;
  std::string list;
  for (size_t i = 0; i < names.size() && i < 8; ++i)
    list += (i ? ", " : "") + names[i];
  if (!names.empty())
    list += firstDifference(plain[names[0]], other.at(names[0]));
  fail(check, other.empty() ? Twine("no state could be made")
                            : std::to_string(names.size()) + " of " + std::to_string(plain.size()) +
                                  " results differ: " + list);
}

/// Whether the results of code of this plan have been compared, in the plain or another
/// configuration. Otherwise the plan counts as compared from now on.
bool Checks::isCompared(ModuleOp plan, bool observed) {
  if (areSame(plan, *stages["plan"]))
    return true;
  if (observed) // calls differ: all values of a step are outputs
    return false;
  if (llvm::any_of(compared, [&](auto &known) { return areSame(plan, *known); }))
    return true;
  compared.push_back(plan.clone());
  return false;
}

void Checks::compileOtherwise(StringRef check, CompileOptions other, bool observed) {
  if (!wants(check))
    return;
  PhaseRange range;
  std::string shared = sharedPhase(options, other);
  range.after = shared;
  range.until = "plan";
  Compiled again = shared.empty() ? compileText(text, other, context, range)
                                  : compileModule(stages[shared]->clone(), other, range);
  if (again.module && isCompared(*again.module, observed))
    return; // the same code
  range.after = "plan";
  range.until = "emit";
  if (again.module)
    again = compileModule(std::move(again.module), other, range);
  if (!again.module)
    return fail(check, "does not compile: " + again.message);
  std::unique_ptr<Code> changed = load(*again.module);
  if (!changed)
    return fail(check, "cannot be loaded");
  Calls calls;
  calls.seed = request.seed;
  calls.observed = observed;
  compare(check, runCalls(*changed, calls));
}

/// First line of two texts that differs, as `LINE: FIRST | SECOND`.
static std::string firstDifferentLine(StringRef a, StringRef b) {
  for (int line = 1; !a.empty() || !b.empty(); ++line) {
    auto [first, restOfA] = a.split('\n');
    auto [second, restOfB] = b.split('\n');
    if (first != second)
      return (Twine(line) + ": " + first.trim() + " | " + second.trim()).str();
    a = restOfA, b = restOfB;
  }
  return "";
}

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// The text of a phase, fed back.
void Checks::replay() {
  if (!wants("replay"))
    return;
  PhaseRange range;
  range.after = replayed;
  Compiled again = compileText(compiled.text, options, context, range);
  if (!again.module)
    return fail("replay", "text of phase " + replayed + " does not compile: " + again.message);
  if (!areSame(*again.module, *compiled.module) &&
      textOf(*again.module) != textOf(*compiled.module))
    fail("replay", "text of phase " + replayed + " gives other code, line " +
                       firstDifferentLine(textOf(*compiled.module), textOf(*again.module)));
}

void Checks::callOtherwise() {
  Calls calls;
  calls.seed = request.seed;
  for (int threads : {2, 5})
    if (wants("threads")) {
      calls.threads = threads;
      calls.shares = threads == 5 ? AMPC_SHARES_DYNAMIC : AMPC_SHARES_FIXED;
      compare("threads", runCalls(*code, calls));
    }
  calls.threads = 1;
  calls.shares = AMPC_SHARES_FIXED;
  calls.savedAfter = random.between(1, 2);
  if (wants("resume"))
    compare("resume", runCalls(*code, calls));
}

/// Rows beyond the valid rows are neither read nor written: memory may be missing, or NaN.
void Checks::shortBatches() {
  int64_t batch = 0;
  for (int i = 0; i < code->model().program_count; ++i)
    if (code->model().programs[i].short_batch)
      batch = std::max<int64_t>(batch, code->model().programs[i].batch);
  if (batch < 2 || !wants("short"))
    return;
  Calls calls;
  calls.seed = request.seed;
  calls.valid = random.between(1, batch - 1);
  Record whole = runCalls(*code, calls);
  calls.shortBuffers = true;
  Record cut = runCalls(*code, calls);
  std::swap(plain, whole);
  compare("short", cut);
  std::swap(plain, whole);
}

/// Moves gradients and states of steps out of both records. True if a gradient, or an element, is 0
/// except for rounding: a rule that divides by the gradient's size turns such rounding into
/// arbitrary numbers or NaN.
static bool takeGradients(Record (&records)[2]) {
  bool isRounding = false;
  for (auto it = records[0].begin(); it != records[0].end();) {
    StringRef name = it->first;
    bool isGradient = name.contains("/gradient/");
    auto other = records[1].find(it->first);
    if (isGradient && other != records[1].end())
      isRounding |=
          isRoundingAlone(it->second, other->second) || hasCancelled(it->second, other->second);
    bool isDetail = isGradient || name.contains("/before/") || name.contains("/after/");
    it = isDetail ? records[0].erase(it) : std::next(it);
  }
  return isRounding;
}

/// Removes the names of results that a change of the inputs by 64 units in the last place of f64
/// changes by more than `share`, too: the condition of the model is above share * 2^46 there, as in
/// a recurrence of 31 rounds whose weights are far above 1, and the order of sums decides.
static void dropIllConditioned(std::vector<std::string> &names, const Code &code, Calls calls,
                               const Record &plain, double share) {
  if (names.empty())
    return;
  calls.nudge = 0x1p-46;
  std::vector<std::string> moved = farDifferences(plain, runCalls(code, calls), share);
  llvm::erase_if(names, [&](const std::string &name) { return llvm::is_contained(moved, name); });
}

/// Compares the model in f64 on the CPU with plain loops: rounding stays far below the bound, wrong
/// code does not. Values that the model keeps in 16 bits may round to either side.
void Checks::otherTarget() {
  if (text.contains("f16") || !wants("target"))
    return;
  Calls calls;
  calls.seed = request.seed;
  calls.detailed = true;
  Record records[2];
  const Code *loaded[2];
  for (auto [target, code, record] :
       llvm::zip(std::array<const char *, 2>{"cpu", "reference"}, loaded, records)) {
    std::string message;
    code = compileWide(text, target, message);
    if (!code)
      return fail("target", Twine(target) + " does not compile: " + message);
    record = runCalls(*code, calls);
  }
  bool isRounding = takeGradients(records);
  if (request.plantFault == "target")
    records[1].begin()->second.bytes.back() ^= 0x40;
  std::vector<std::string> names = farDifferences(records[0], records[1]);
  if (isRounding) // evaluations and exports came before all steps
    llvm::erase_if(names, [](StringRef name) {
      return name.count('/') > 1 || name.starts_with("state/") || name.starts_with("gradient/");
    });
  dropIllConditioned(names, *loaded[0], calls, records[0], 1e-6);
  if (!names.empty())
    fail("target", std::to_string(names.size()) + " of " + std::to_string(records[0].size()) +
                       " results are far apart: " + names[0] +
                       firstDifference(records[0][names[0]], records[1][names[0]]));
}

/// Compares loops that are differentiated as loops with loops that are written out first, in f64.
void Checks::writtenOut() {
  if (!text.contains("train.scan") || text.contains("f16") || !wants("unroll"))
    return;
  std::string message;
  std::unique_ptr<Code> planted;
  if (isLoopFault(request.plantFault)) {
    CompileOptions keepsLoops;
    keepsLoops.tiers = tiersOf("cpu");
    keepsLoops.loops = "keep";
    planted = loadWithFault(keepsLoops);
  }
  const Code *looped = planted ? planted.get() : compileWide(text, "cpu", message);
  CompileOptions inF64;
  inF64.precision = "f64";
  inF64.tiers = tiersOf("cpu");
  inF64.loops = "unroll";
  Compiled made = compileText(text, inF64, context);
  std::unique_ptr<Code> unrolled = made.module ? load(*made.module) : nullptr;
  // Whether a loss depends on a carried parameter is asked for any number of rounds in a loop, and
  // for the rounds there are without: a dependence that begins in a later round is none then.
  if (looped && StringRef(made.message).contains("to depend on @"))
    return;
  if (!looped || !unrolled)
    return fail("unroll", "does not compile: " + message + made.message);
  Calls calls;
  calls.seed = request.seed;
  calls.detailed = true;
  calls.rounds = 1;
  Record records[2] = {runCalls(*unrolled, calls), runCalls(*looped, calls)};
  std::vector<std::string> names = farDifferences(records[0], records[1], 1e-9);
  llvm::erase_if(names, [&](StringRef name) {
    bool isGradient = name.contains("/gradient/");
    return (name.count('/') > 1 && !isGradient && !name.ends_with("/0/loss")) ||
           name.starts_with("state/") || name.starts_with("gradient/") ||
           isRoundingAlone(records[0][name.str()], records[1][name.str()]);
  });
  dropIllConditioned(names, *unrolled, calls, records[0], 1e-9);
  if (!names.empty())
    fail("unroll", std::to_string(names.size()) + " of " + std::to_string(records[0].size()) +
                       " results are not those of the rounds written out: " + names[0] +
                       firstDifference(records[0][names[0]], records[1][names[0]]));
}

/// Compares the same model written with a module, sizes, and inferred types, from equal initial
/// values.
void Checks::otherText() {
  if (!options.precisionOverrides.empty() || !wants("written"))
    return;
  std::string written = asWritten(text, request.seed, context);
  if (written.empty())
    return;
  Compiled made = compileText(written, options, context);
  std::unique_ptr<Code> loaded = made.module ? load(*made.module) : nullptr;
  if (!loaded)
    return fail("written", "does not compile: " + made.message + "\n" + written);
  Record initial = withModule(plain);
  Calls calls;
  calls.seed = request.seed;
  calls.initial = &initial;
  Record results = withoutModule(runCalls(*loaded, calls));
  if (request.plantFault == "written")
    results.begin()->second.bytes[0] ^= 1;
  compare("written", results);
}

/// Bounds the arena: a step holds the values of one micro-batch at a time, the gradient sums, new
/// rows of buffers per row of the batch, and values independent of the batch. A step of one
/// micro-batch, or of two, holds these values as well. Models are small, so the scalars of a
/// micro-batch, each of 64 bytes, count beside the tensors.
void Checks::boundArena() {
  if (!text.contains("micro_batches = ") || !wants("micro-batches"))
    return;
  auto planWith = [&](int64_t count) {
    PhaseRange range;
    range.until = "plan";
    Compiled made = compileText(withMicroBatches(text, count), options, context, range);
    return made.module ? readPlan(*made.module) : PlannedBytes();
  };
  PlannedBytes one = planWith(1), two = planWith(2), six = planWith(6);
  for (auto &[step, bytes] : six.arenas)
    if (int64_t least = std::max(one.arenas[step], two.arenas[step]),
        bound = least + least / 10 + two.gradients + six.rows + 64 * 64;
        bytes > bound)
      fail("micro-batches", step + " has an arena of " + std::to_string(bytes) +
                                " bytes with 6 micro-batches, more than " + std::to_string(bound));
}

/// A call with a seed draws the numbers of a new state with that seed.
void Checks::seedCalls() {
  if (!(text.contains("train.random_") || text.contains("train.dropout")) || !wants("seeds"))
    return;
  for (uint64_t seed : {7, 8}) {
    Calls calls;
    calls.seed = request.seed;
    calls.initial = &plain;
    calls.trains = false;
    calls.stateSeed = seed;
    Record ofState = runCalls(*code, calls);
    calls.stateSeed = 1;
    calls.callSeed = seed;
    Record ofCall = runCalls(*code, calls);
    for (Record *record : {&ofState, &ofCall})
      for (auto it = record->begin(); it != record->end();)
        it = StringRef(it->first).starts_with("state") ? record->erase(it) : std::next(it);
    std::swap(plain, ofState);
    if (!plain.empty())
      compare("seeds", ofCall);
    std::swap(plain, ofState);
  }
}

/// Code in f64, compiled once per text and target: several checks run the same. Null, with a
/// message, where the text does not compile.
const Code *Checks::compileWide(StringRef text, const std::string &target, std::string &message) {
  auto [place, isNew] = wide.try_emplace({text.str(), target});
  if (!isNew)
    return place->second.get();
  CompileOptions inF64;
  inF64.precision = "f64";
  inF64.tiers = tiersOf(target);
  inF64.targets = {target};
  Compiled made = compileText(text, inF64, context);
  if (made.module)
    place->second = load(*made.module);
  message = made.message;
  return place->second.get();
}

/// Loss and gradients of micro-batches equal the whole batch's.
void Checks::joinBatches() {
  std::string joined = joinMicroBatches(text);
  if (joined.empty() || text.contains("f16") || !wants("whole"))
    return;
  std::string message;
  const Code *cut = compileWide(text, "cpu", message), *whole = compileWide(joined, "cpu", message);
  if (!cut || !whole)
    return;
  Calls calls;
  calls.seed = request.seed;
  calls.initial = &plain;
  calls.detailed = true;
  calls.rounds = 1;
  Record ofParts = runCalls(*cut, calls), ofWhole = runCalls(*whole, calls);
  std::vector<std::string> names = farDifferences(ofWhole, ofParts, 1e-12);
  llvm::erase_if(names, [&](StringRef name) {
    bool isGradient = name.contains("/gradient/");
    return !(isGradient || name.ends_with("/0/loss")) ||
           isRoundingAlone(ofWhole[name.str()], ofParts[name.str()]);
  });
  if (!names.empty())
    fail("whole", std::to_string(names.size()) +
                      " losses and gradients of micro-batches are not those of the whole batch: " +
                      names[0] + firstDifference(ofWhole[names[0]], ofParts[names[0]]));
}

/// Code in f64 with the planted fault; null if the model has no place for the fault.
std::unique_ptr<Code> Checks::loadWithFault(CompileOptions inF64) {
  inF64.precision = "f64";
  OwningOpRef<ModuleOp> module = compileWithFault(text, request.plantFault, inF64, context);
  return module ? load(*module) : nullptr;
}

/// Writes the model in f64 and the results in every precision, for comparison with the oracle.
bool Checks::writeForOracle() {
  wants("f64");
  std::string message;
  std::unique_ptr<Code> planted;
  if (request.plantFault == "sign" || isStateFault(request.plantFault)) {
    CompileOptions sameTiers;
    sameTiers.tiers = options.tiers;
    sameTiers.targets = options.targets;
    planted = loadWithFault(sameTiers);
  }
  const Code *loaded =
      planted ? planted.get() : compileWide(text, options.targets.front(), message);
  if (!loaded) {
    fail("f64", "does not compile: " + message);
    return false;
  }
  Calls detailed;
  detailed.seed = request.seed;
  detailed.detailed = true;
  // The last batch of a model with rows in buffers may be short.
  Random lasts(request.seed ^ 0x1A57);
  if (text.contains(RowState::key) && lasts.chance(0.5))
    detailed.lastShare = lasts.unit();
  Calls calls = detailed;
  calls.initial = &plain;
  wants("f64");
  Record wideRecord = runCalls(*loaded, calls);
  Record steps = runCalls(*code, detailed);
  std::string model;
  llvm::raw_string_ostream os(model);
  auto module = parseSourceString<ModuleOp>(text, context);
  module->print(os, OpPrintingFlags().printGenericOpForm().elideLargeElementsAttrs(1 << 20));
  SmallString<128> path(request.folder);
  llvm::sys::fs::create_directories(path);
  std::error_code error;
  llvm::raw_fd_ostream(request.folder + "/model.mlir", error) << model;
  llvm::json::Object about{{"precision", options.precision},
                           {"policy", options.policy},
                           {"tier", tierName()},
                           {"seed", int64_t(request.seed)}};
  llvm::raw_fd_ostream(request.folder + "/about.json", error)
      << llvm::json::Value(std::move(about));
  return !error && writeRecord(plain, request.folder + "/own.safetensors") &&
         writeRecord(steps, request.folder + "/steps.safetensors") &&
         writeRecord(wideRecord, request.folder + "/f64.safetensors");
}

Verdict Checks::run() {
  wants("compile");
  PhaseRange range;
  range.keepTextOf = replayed;
  range.stages = &stages;
  compiled = compileText(text, options, context, range);
  if (!compiled.module) {
    // An op that a pass has left over is a fault of the compiler, not of the model.
    if (StringRef(compiled.message).contains("expected a kernel for")) {
      fail("compile", compiled.message);
      return verdict;
    }
    llvm::outs() << "refused: " << compiled.message << "\n";
    return Verdict::Refused;
  }
  wants("load");
  code = Code::load(*compiled.module, CodeLevel::Optimized);
  if (!code) {
    fail("load", "cannot be loaded");
    return verdict;
  }
  Calls calls;
  calls.seed = request.seed;
  wants("plain");
  plain = runCalls(*code, calls);
  if (plain.empty())
    fail("plain", "no state could be made");
  if (request.plantFault == "bit")
    plain.begin()->second.bytes[0] ^= 1;
  if (!request.folder.empty() && !writeForOracle())
    fail("f64", "cannot be written");
  replay();
  callOtherwise();
  auto otherwise = [&](StringRef check, auto change, bool observed = false) {
    CompileOptions other = options;
    change(other);
    compileOtherwise(check, other, observed);
  };
  otherwise("fuse", [](CompileOptions &o) { o.fuse = false; });
  otherwise("pack-always", [](CompileOptions &o) { o.packWeights = "always"; });
  otherwise("pack-never", [](CompileOptions &o) { o.packWeights = "never"; });
  otherwise("fuse-packs", [](CompileOptions &o) { o.fusePacks = false; });
  otherwise("recompute", [](CompileOptions &o) { o.recompute = false; });
  otherwise("budget", [](CompileOptions &o) { o.activationBudget = "100%"; });
  otherwise("observe", [](CompileOptions &o) { o.observe = true; }, true);
  shortBatches();
  otherTarget();
  writtenOut();
  otherText();
  boundArena();
  seedCalls();
  joinBatches();
  wants("end");
  return verdict;
}

Verdict fuzz::checkModel(StringRef text, const CheckRequest &request, MLIRContext *context) {
  return Checks(text, request, context).run();
}
