// ampc check --against: compares a step in mixed precision with the same step in f32 or f64, value
// by value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Against.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/AgainstReport.h"
#include "tools/ampc/Batches.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/NonFinite.h"
#include "tools/ampc/ObservedRounds.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/Rounding.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace ampc;

/// Bytes of reference values that are kept per run; more values need further runs of the step.
static constexpr size_t keptBytes = size_t(1) << 30;

/// Random perturbations that are tried before an error counts as a divergence.
static constexpr unsigned directions = 16;

/// Skipped steps in which a loss scale may decrease before the comparison.
static constexpr unsigned mostSkipped = 24;

static double unitOf(llvm::StringRef precision) {
  return precision == "bf16" ? 0x1p-8 : precision == "f16" ? 0x1p-11 : 0x1p-24;
}

/// Tolerance: some units of rounding on top of the model's sensitivity. For f32 against f64 the
/// inputs are equal, so sensitivity is unknown: rounding moves a share of elements of about one
/// unit across the kink of a relu or a maximum, and the effect on gradients grows with the square
/// root of this share.
static double defaultTolerance(llvm::StringRef precision) {
  double unit = unitOf(precision);
  return precision == "f32" ? 4 * std::sqrt(unit) : 16 * unit;
}

/// Errors relative to values that are exact for this purpose; `scale`: loss scale in the gradients.
static Deviation deviationOf(llvm::ArrayRef<double> got, llvm::ArrayRef<double> exact,
                             double scale) {
  double difference = 0, norm = 0, largestDifference = 0, largest = 0;
  for (size_t k = 0; k < exact.size(); ++k) {
    double d = got[k] / scale - exact[k];
    if (got[k] / scale == exact[k])
      d = 0; // infinities are equal
    difference += d * d;
    norm += exact[k] * exact[k];
    // Keeps NaN, which std::max would drop.
    largestDifference = std::fabs(d) <= largestDifference ? largestDifference : std::fabs(d);
    largest = std::max(largest, std::fabs(exact[k]));
  }
  Deviation result;
  result.norm = difference == 0 ? 0 : std::sqrt(difference / norm);
  result.max = largestDifference == 0 ? 0 : largestDifference / largest;
  result.largest = largest;
  return result;
}

/// Comparison with the errors of single rounds of a value inside loops.
static Deviation deviationInLoops(llvm::ArrayRef<double> got, llvm::ArrayRef<double> exact,
                                  double scale, const ObservedRounds &rounds) {
  Deviation result = deviationOf(got, exact, scale);
  for (int64_t round = 0; rounds.count() > 1 && round < rounds.count(); ++round)
    result.roundNorms.push_back(
        deviationOf(rounds.elementsOf(round, got), rounds.elementsOf(round, exact), scale).norm);
  return result;
}

namespace {
/// Perturbation of a real tensor, in place.
using Change = llvm::function_ref<void(const ampc_tensor &tensor, void *data)>;

/// Inputs of both programs: equal data, in each program's types.
class PairedInputs {
public:
  PairedInputs(const AgainstOptions &options, uint64_t seed)
      : options(options), random(seed), seed(seed) {}
  bool open(const ampc_program &tables, const ampc_program *other) {
    narrow = &tables;
    wide = other;
    std::string error;
    if (options.data.empty() || (dataset.open({&tables}, options.data, {"data", false}, error) &&
                                 batches.open(tables, dataset, {seed, options.shuffle}, error)))
      return true;
    fail(error);
    return false;
  }
  /// Fills the inputs; returns the number of valid rows.
  uint32_t next(uint64_t step) {
    uint32_t valid = 0;
    if (options.data.empty()) {
      made = std::make_unique<RandomInputs>(*narrow, random);
      inputs = made->get();
    } else {
      valid = batches.fill(step);
      inputs = batches.getInputs();
    }
    widen();
    return valid;
  }
  llvm::ArrayRef<const void *> getInputs() const { return inputs; }
  llvm::ArrayRef<const void *> getWideInputs() const { return wideInputs; }
  /// Inputs of the reference, with real inputs perturbed by `change`.
  llvm::ArrayRef<const void *> change(Change change) {
    changedInputs.assign(wideInputs.begin(), wideInputs.end());
    changedStorage.clear();
    for (int i = 0; i < wide->input_count; ++i)
      if (isReal(wide->inputs[i])) {
        auto *bytes = static_cast<const char *>(wideInputs[i]);
        changedStorage.emplace_back(bytes, bytes + wide->inputs[i].bytes);
        change(wide->inputs[i], changedStorage.back().data());
        changedInputs[i] = changedStorage.back().data();
      }
    return changedInputs;
  }

private:
  void widen() {
    wideInputs.assign(inputs.begin(), inputs.end());
    storage.clear();
    for (int i = 0; wide && i < wide->input_count; ++i)
      if (wide->inputs[i].dtype == AMPC_F64 && narrow->inputs[i].dtype != AMPC_F64) {
        storage.push_back(readReals(narrow->inputs[i], inputs[i]));
        wideInputs[i] = storage.back().data();
      }
  }

  const AgainstOptions &options;
  Random random;
  uint64_t seed;
  Dataset dataset;
  Batches batches;
  std::unique_ptr<RandomInputs> made;
  const ampc_program *narrow = nullptr, *wide = nullptr;
  llvm::ArrayRef<const void *> inputs;
  std::vector<const void *> wideInputs, changedInputs;
  std::vector<std::vector<double>> storage;
  std::vector<std::vector<char>> changedStorage;
};

class Comparison {
public:
  Comparison(const CompileRequest &request, const ampc_options &state,
             const AgainstOptions &options)
      : request(request), state(state), options(options), feed(options, state.seed) {}
  int run();

private:
  bool open();
  void matchValues();
  bool runStep(unsigned number);
  unsigned settleScale(uint32_t valid);
  void compareGroup(llvm::ArrayRef<size_t> rows, unsigned number, uint32_t valid, StepLoss &loss);
  std::vector<double> changes(const std::vector<std::vector<double>> &kept, uint32_t valid,
                              const Snapshot &start, Change change, bool changesInputs = true);
  void findWithoutParameters(llvm::MutableArrayRef<Deviation> deviations,
                             const std::vector<std::vector<double>> &kept, uint32_t valid,
                             const Snapshot &start, Change change);
  void explain(llvm::MutableArrayRef<Deviation> deviations,
               const std::vector<std::vector<double>> &kept, uint32_t valid, const Snapshot &start,
               unsigned number);
  std::vector<std::vector<size_t>> groups() const;

  CompileRequest request;
  ampc_options state;
  const AgainstOptions &options;
  Observer mixed, exact;
  PairedInputs feed;
  AgainstReport report;
  std::vector<int> partner;  ///< per row: index of the reference value
  std::vector<size_t> value; ///< per row: index of the mixed value
  std::unique_ptr<NonFiniteTracker> tracker;
};
} // namespace

bool Comparison::open() {
  if (!mixed.open(request, state, options.step))
    return false;
  CompileRequest reference = request;
  reference.options = inF32(reference.options);
  reference.options.precision = options.reference;
  reference.shown = Shown::Errors;
  if (!exact.open(reference, state, options.step))
    return false;
  Snapshot start;
  start.take(mixed.getSession());
  start.restore(exact.getSession());
  if (options.trackNonFinite)
    tracker =
        std::make_unique<NonFiniteTracker>(mixed.getSession(), mixed.getProgram(), request, state);
  matchValues();
  return feed.open(mixed.getTables(), &exact.getTables());
}

void Comparison::matchValues() {
  for (auto [number, what] : llvm::enumerate(mixed.getValues())) {
    int other = what.kind == ValueKind::Update ? -1 : exact.find(what.key);
    if (other < 0 || elementCount(mixed.getTensor(number)) != elementCount(exact.getTensor(other)))
      continue;
    partner.push_back(other);
    value.push_back(number);
    report.add(what, mixed.getTensor(number));
  }
}

/// Groups of rows whose reference values fit into `keptBytes`.
std::vector<std::vector<size_t>> Comparison::groups() const {
  std::vector<std::vector<size_t>> result;
  size_t bytes = keptBytes + 1;
  for (size_t row = 0; row < value.size(); ++row) {
    size_t more = elementCount(exact.getTensor(partner[row])) * sizeof(double);
    if (bytes + more > keptBytes) {
      result.emplace_back();
      bytes = 0;
    }
    bytes += more;
    result.back().push_back(row);
  }
  if (result.empty())
    result.emplace_back();
  return result;
}

/// Per reference value: deviation caused by perturbed parameters and, with `changesInputs`,
/// perturbed inputs.
std::vector<double> Comparison::changes(const std::vector<std::vector<double>> &kept,
                                        uint32_t valid, const Snapshot &start, Change change,
                                        bool changesInputs) {
  std::vector<double> result(kept.size());
  Session &session = exact.getSession();
  start.restore(session);
  for (int i = 0; i < session.getModel().slot_count; ++i)
    if (const ampc_slot &slot = session.getModel().slots[i];
        slot.role == AMPC_ROLE_PARAM && isReal(slot.tensor))
      change(slot.tensor, session.slotData(i));
  session.refresh();
  ampc_train_out out;
  llvm::ArrayRef<const void *> inputs = changesInputs ? feed.change(change) : feed.getWideInputs();
  exact.run(inputs, out, valid, [&](size_t v, const void *data) {
    if (!kept[v].empty())
      result[v] = deviationOf(readReals(exact.getTensor(v), data), kept[v], 1).norm;
  });
  return result;
}

/// Marks errors beyond the tolerance in values that do not depend on any parameter. Takes a further
/// run if there is such an error.
void Comparison::findWithoutParameters(llvm::MutableArrayRef<Deviation> deviations,
                                       const std::vector<std::vector<double>> &kept, uint32_t valid,
                                       const Snapshot &start, Change change) {
  auto isSuspect = [&](size_t row) {
    return !kept[partner[row]].empty() && deviations[row].norm > report.getTolerance();
  };
  if (llvm::none_of(llvm::seq<size_t>(0, value.size()), isSuspect))
    return;
  std::vector<double> changed = changes(kept, valid, start, change, /*changesInputs=*/false);
  for (size_t row = 0; row < value.size(); ++row)
    if (isSuspect(row))
      deviations[row].isWithoutParameters = changed[partner[row]] == 0;
}

/// A single rounding of parameters and inputs moves other elements across the kinks of relus and
/// maxima than the roundings between ops, and in a small model a single such element is visible. If
/// rounding does not explain an error, random perturbations of similar size are tried until all
/// errors are explained, at most `directions` times.
void Comparison::explain(llvm::MutableArrayRef<Deviation> deviations,
                         const std::vector<std::vector<double>> &kept, uint32_t valid,
                         const Snapshot &start, unsigned number) {
  const FloatFormat &type = *findFormat(request.options.precision);
  auto explains = [&](Change change, double Deviation::*field) {
    std::vector<double> changed = changes(kept, valid, start, change);
    bool explained = true;
    for (size_t row = 0; row < value.size(); ++row)
      if (!kept[partner[row]].empty()) {
        double &most = deviations[row].*field;
        most = std::max(most, changed[partner[row]]);
        explained &= !std::isfinite(deviations[row].norm) || !report.isBad(deviations[row]);
      }
    return explained;
  };
  Random random(state.seed * 1000003 + number);
  auto perturb = [&](const ampc_tensor &t, void *data) { perturbReals(t, data, type, random); };
  findWithoutParameters(deviations, kept, valid, start, perturb);
  bool explained = explains([&](const ampc_tensor &t, void *data) { roundReals(t, data, type); },
                            &Deviation::sensitivity);
  if (request.options.precision == "f32") // the inputs are equal
    return;
  for (unsigned tried = 0; tried < directions && !explained; ++tried)
    explained = explains(perturb, &Deviation::reached);
}

void Comparison::compareGroup(llvm::ArrayRef<size_t> rows, unsigned number, uint32_t valid,
                              StepLoss &loss) {
  std::vector<std::vector<double>> kept(exact.getValues().size());
  std::vector<int> rowOf(mixed.getValues().size(), -1);
  std::vector<bool> wanted(kept.size());
  for (size_t row : rows) {
    rowOf[value[row]] = int(row);
    wanted[partner[row]] = true;
  }
  double scale = readLossScale(mixed.getSession(), mixed.getTables());
  ampc_train_out out;
  Snapshot start, end;
  start.take(exact.getSession());
  exact.run(feed.getWideInputs(), out, valid, [&](size_t v, const void *data) {
    if (wanted[v])
      kept[v] = readReals(exact.getTensor(v), data);
  });
  loss.exact = out.loss_double;
  end.take(exact.getSession());
  std::vector<Deviation> deviations(value.size());
  std::vector<size_t> seen;
  loss.status = mixed.run(feed.getInputs(), loss.out, valid, [&](size_t v, const void *data) {
    int row = rowOf[v];
    if (row < 0 || kept[partner[row]].empty())
      return;
    ValueKind kind = mixed.getValues()[v].kind;
    bool isScaled = kind == ValueKind::Gradient || kind == ValueKind::WeightGradient;
    deviations[row] = deviationInLoops(readReals(mixed.getTensor(v), data), kept[partner[row]],
                                       isScaled ? scale : 1, ObservedRounds(mixed.getValues()[v]));
    seen.push_back(row);
  });
  explain(deviations, kept, valid, start, number);
  end.restore(exact.getSession());
  for (size_t row : seen)
    report.note(row, number, deviations[row]);
}

/// Runs steps until the loss scale has settled: a scale starts high and decreases by skipped steps,
/// which say nothing about the model. A step that no scale helps is compared unchanged. Returns the
/// number of skipped steps.
unsigned Comparison::settleScale(uint32_t valid) {
  Snapshot start;
  start.take(mixed.getSession());
  for (unsigned skipped = 0; skipped <= mostSkipped; ++skipped) {
    Snapshot before;
    before.take(mixed.getSession());
    ampc_train_out out;
    mixed.run(feed.getInputs(), out, valid, [](size_t, const void *) {});
    if (!out.skipped) {
      before.restore(mixed.getSession());
      return skipped;
    }
  }
  start.restore(mixed.getSession());
  return 0;
}

bool Comparison::runStep(unsigned number) {
  uint32_t valid = feed.next(number - 1);
  StepLoss loss;
  if (!tracker && readLossScale(mixed.getSession(), mixed.getTables()) != 1)
    loss.skippedBefore = settleScale(valid);
  Snapshot mixedStart, exactStart;
  mixedStart.take(mixed.getSession());
  mixedStart.restore(exact.getSession());
  exactStart.take(exact.getSession());
  if (tracker)
    tracker->before();
  bool first = true;
  for (const std::vector<size_t> &rows : groups()) {
    if (!first) {
      mixedStart.restore(mixed.getSession());
      exactStart.restore(exact.getSession());
    }
    first = false;
    compareGroup(rows, number, valid, loss);
  }
  if (loss.status < 0 && !isNonFinite(loss.status)) {
    fail(llvm::Twine(ampc_rt_status_string(loss.status)) + ": " + mixed.getSession().lastError());
    return false;
  }
  report.addLoss(loss);
  return !tracker || tracker->after(loss.status, loss.out, feed.getInputs(), valid, number);
}

int Comparison::run() {
  if (!open())
    return 1;
  double tolerance =
      options.tolerance > 0 ? options.tolerance : defaultTolerance(request.options.precision);
  report.begin(request.options.precision, options.reference, tolerance);
  for (unsigned number = 1; number <= options.steps; ++number)
    if (!runStep(number))
      return 1;
  report.finish(unitOf(request.options.precision));
  report.print(results(), options.byError, options.data.empty());
  std::string error;
  if ((!options.jsonFile.empty() && !report.writeJson(options.jsonFile, error)) ||
      (!options.csvFile.empty() && !report.writeCsv(options.csvFile, error)))
    return fail(error);
  for (const std::string &file : {options.jsonFile, options.csvFile})
    if (!file.empty() && !isQuiet())
      messages() << "wrote " << file << "\n";
  return report.passed() ? 0 : 1;
}

/// Mode without comparison: only searches for non-finite values.
static int trackAlone(const CompileRequest &request, const ampc_options &state,
                      const AgainstOptions &options) {
  Session session{SessionOptions::ofCommandLine()};
  if (!session.open(request, state))
    return 1;
  int program = findStep(session, options.step);
  if (program < 0)
    return 1;
  PairedInputs feed(options, state.seed);
  const ampc_program &tables = session.getModel().programs[program];
  if (!feed.open(tables, nullptr))
    return 1;
  NonFiniteTracker tracker(session, program, request, state);
  for (unsigned number = 1; number <= options.steps; ++number) {
    uint32_t valid = feed.next(number - 1);
    tracker.before();
    ampc_train_out out;
    ampc_status status = session.runStep(program, feed.getInputs(), out, valid);
    if (status < 0 && !isNonFinite(status))
      return fail(llvm::Twine(ampc_rt_status_string(status)) + ": " + session.lastError());
    if (!tracker.after(status, out, feed.getInputs(), valid, number))
      return 1;
  }
  if (!tracker.foundAny())
    results() << "every value of " << options.steps << (options.steps == 1 ? " step" : " steps")
              << " is finite\n";
  return tracker.foundAny() ? 1 : 0;
}

int ampc::runAgainst(const CompileRequest &request, const ampc_options &state,
                     const AgainstOptions &options) {
  if (options.reference.empty())
    return trackAlone(request, state, options);
  if (options.reference != "f32" && options.reference != "f64")
    return fail("expected --against=f32 or f64, but got " + shown(options.reference));
  if (request.options.precision == options.reference || request.options.precision == "f64")
    return fail("expected a --precision below " + options.reference + ", but got " +
                request.options.precision);
  return Comparison(request, state, options).run();
}
