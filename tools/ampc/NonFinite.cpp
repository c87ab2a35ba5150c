// Search for the first value of a step that is infinite or NaN.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/NonFinite.h"
#include "ampc/Data/Array.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/PrecisionOptions.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace ampc;

NonFiniteTracker::Range NonFiniteTracker::rangeOf(llvm::ArrayRef<double> values) {
  Range range;
  range.seen = true;
  range.elements = values.size();
  for (size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k])) {
      range.max = std::max(range.max, std::fabs(values[k]));
      continue;
    }
    ++(std::isnan(values[k]) ? range.nan : range.infinite);
    if (range.first < 0)
      range.first = k;
  }
  return range;
}

/// Range of a value with the rounds of the loops around it.
NonFiniteTracker::Range NonFiniteTracker::rangeInLoops(llvm::ArrayRef<double> values,
                                                       const ObservedRounds &rounds) {
  Range range = rangeOf(values);
  bool isFinite = true;
  for (int64_t round = 0; rounds.count() > 1 && round < rounds.count(); ++round) {
    Range own = rangeOf(rounds.elementsOf(round, values));
    range.roundMaxima.push_back(own.max);
    if (isFinite && !own.isFinite())
      range.firstRound = round;
    isFinite &= own.isFinite();
  }
  return range;
}

/// Range of a value's rounds that ran before a time, all of which are finite if that time is the
/// first at which a value was not.
NonFiniteTracker::Range NonFiniteTracker::rangeBefore(const Range &range,
                                                      const ObservedOrder &order, size_t value,
                                                      const ObservedOrder::Time &end) {
  if (range.roundMaxima.empty())
    return range;
  Range before;
  size_t rounds = range.roundMaxima.size();
  for (size_t round = 0; round < rounds && order.timeOf(value, round) < end; ++round) {
    before.max = std::max(before.max, range.roundMaxima[round]);
    before.elements += range.elements / rounds;
    before.seen = true;
  }
  return before;
}

/// Checks the state as well: an optimizer may produce infinities from finite gradients.
bool NonFiniteTracker::wentWrong(ampc_status status, const ampc_train_out &out) {
  if (isNonFinite(status) || out.found_inf || !std::isfinite(out.loss_double))
    return true;
  const ampc_model &model = session.getModel();
  for (int i = 0; i < model.slot_count; ++i) {
    const ampc_slot &slot = model.slots[i];
    if (slot.role == AMPC_ROLE_GRADIENT || !isReal(slot.tensor))
      continue;
    if (!rangeOf(readReals(slot.tensor, session.slotData(i))).isFinite())
      return true;
  }
  return false;
}

std::vector<NonFiniteTracker::Range> NonFiniteTracker::rangesOf(Observer &from,
                                                                llvm::ArrayRef<const void *> inputs,
                                                                uint32_t valid,
                                                                ampc_train_out &out) {
  std::vector<Range> ranges(from.getValues().size());
  snapshot.restore(from.getSession());
  from.run(inputs, out, valid, [&](size_t value, const void *data) {
    ranges[value] = rangeInLoops(readReals(from.getTensor(value), data),
                                 ObservedRounds(from.getValues()[value]));
  });
  return ranges;
}

bool NonFiniteTracker::openObservers() {
  if (observer)
    return true;
  std::string step = stepNameOf(session.getModel(), program);
  auto open = [&](std::unique_ptr<Observer> &into, const CompileRequest &wanted) {
    into = std::make_unique<Observer>();
    return into->open(wanted, options, step);
  };
  request.shown = Shown::Errors;
  CompileRequest wide = request;
  wide.options = inF32(request.options);
  bool isMixed = request.options.precision == "bf16" || request.options.precision == "f16";
  return open(observer, request) && (!isMixed || open(reference, wide));
}

static std::string countText(int64_t infinite, int64_t nan, int64_t elements) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (infinite)
    os << infinite << " infinite";
  if (nan)
    os << (infinite ? " and " : "") << nan << " NaN";
  os << " of " << elements << (elements == 1 ? " element" : " elements");
  return text;
}

static double lossScaleOf(const Snapshot &snapshot, const ampc_model &model,
                          const ampc_program &program) {
  if (program.scale_slot < 0)
    return 1;
  return snapshot.read(model.slots[program.scale_slot].tensor.name).front();
}

/// Range of an input; rows beyond `valid` are padding.
NonFiniteTracker::Range NonFiniteTracker::rangeOfInput(int number,
                                                       llvm::ArrayRef<const void *> inputs,
                                                       uint32_t valid) const {
  const ampc_tensor &input = session.getModel().programs[program].inputs[number];
  std::vector<double> values = readReals(input, inputs[number]);
  if (input.batched && valid)
    values.resize(values.size() / input.dims[0] * valid);
  return rangeOf(values);
}

bool NonFiniteTracker::reportInputs(llvm::ArrayRef<const void *> inputs, uint32_t valid) {
  const ampc_program &tables = session.getModel().programs[program];
  bool found = false;
  for (int i = 0; i < tables.input_count; ++i) {
    const ampc_tensor &input = tables.inputs[i];
    if (!isReal(input))
      continue;
    Range range = rangeOfInput(i, inputs, valid);
    if (range.isFinite())
      continue;
    found = true;
    int64_t width = input.rank ? elementCount(input) / std::max<int64_t>(1, input.dims[0]) : 1;
    messages() << "  the value came with the data: input " << input.name << " holds "
               << countText(range.infinite, range.nan, range.elements);
    if (input.batched)
      messages() << ", the first in row " << range.first / std::max<int64_t>(1, width)
                 << " of the batch";
    messages() << "\n";
  }
  return found;
}

bool NonFiniteTracker::reportState() {
  const ampc_model &model = session.getModel();
  bool found = false;
  for (int i = 0; i < model.slot_count; ++i) {
    const ampc_slot &slot = model.slots[i];
    if (slot.role == AMPC_ROLE_GRADIENT)
      continue;
    std::vector<double> values = snapshot.read(slot.tensor.name);
    Range range = rangeOf(values);
    if (range.isFinite())
      continue;
    found = true;
    messages() << "  the value was in the state before the step: " << slot.tensor.name << " holds "
               << countText(range.infinite, range.nan, range.elements) << "\n";
  }
  return found;
}

void NonFiniteTracker::reportProducers(size_t what, llvm::ArrayRef<Range> ranges,
                                       llvm::ArrayRef<const void *> inputs, uint32_t valid) {
  const ObservedValue &value = observer->getValues()[what];
  ObservedOrder order(observer->getValues());
  ObservedOrder::Time now = order.timeOf(what, ranges[what].firstRound);
  const ampc_program &tables = session.getModel().programs[program];
  messages() << (value.producers.empty() ? "" : "  made from\n");
  for (const std::string &name : value.producers) {
    int number = observer->find(name);
    Range range;
    const char *type = "";
    if (number >= 0) {
      range = rangeBefore(ranges[number], order, number, now);
      type = nameOf(ampc_dtype(observer->getTensor(number).dtype));
    }
    for (int i = 0; number < 0 && i < tables.input_count; ++i)
      if (name == tables.inputs[i].name && isReal(tables.inputs[i])) {
        range = rangeOfInput(i, inputs, valid);
        type = nameOf(ampc_dtype(tables.inputs[i].dtype));
      }
    if (int slot = session.findSlot(name); number < 0 && !range.seen && slot >= 0) {
      range = rangeOf(snapshot.read(name));
      type = nameOf(ampc_dtype(session.getModel().slots[slot].tensor.dtype));
    }
    messages() << "    " << name;
    if (range.seen && range.elements)
      messages() << " (" << type << "): largest magnitude " << llvm::format("%.4g", range.max)
                 << (range.isFinite()
                         ? std::string()
                         : ", " + countText(range.infinite, range.nan, range.elements));
    messages() << "\n";
  }
}

/// Index of the value in the f32 reference, or -1.
int NonFiniteTracker::findInF32(size_t value) const {
  llvm::StringRef key = observer->getValues()[value].key;
  return reference->find(key.substr(0, key.rfind(" as ")));
}

/// Whether a select discards the value, such as the quotient at the root of 0: infinite in every
/// type, without effect. Evidence: the same step in f32 has the infinity, and finite gradients.
bool NonFiniteTracker::isLeftOut(size_t value, const WideStep &wide) const {
  if (!reference || !wide.isFinite)
    return false;
  int number = findInF32(value);
  return number >= 0 && wide.ranges[number].seen && !wide.ranges[number].isFinite();
}

/// Values that are not finite and whose infinities or NaN get through their consumers to the end of
/// the step. A value whose consumers are all finite is without effect: 0/0 in a branch that a
/// select discards.
std::vector<bool> NonFiniteTracker::findEffective(llvm::ArrayRef<Range> ranges) const {
  llvm::ArrayRef<ObservedValue> values = observer->getValues();
  std::vector<std::vector<size_t>> consumers(values.size());
  for (size_t v = 0; v < values.size(); ++v)
    for (const std::string &name : values[v].producers)
      if (int number = observer->find(name); number >= 0 && ranges[v].seen)
        consumers[number].push_back(v);
  std::vector<bool> effective(values.size());
  for (size_t v = 0; v < values.size(); ++v)
    effective[v] = ranges[v].seen && !ranges[v].isFinite();
  auto hasEffect = [&](size_t v) {
    return consumers[v].empty() ||
           llvm::any_of(consumers[v], [&](size_t user) { return effective[user]; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t v = values.size(); v-- > 0;)
      if (effective[v] && !hasEffect(v)) {
        effective[v] = false;
        changed = true;
      }
  }
  return effective;
}

/// Numbers of the values by the time of their first round that is not finite.
std::vector<size_t> NonFiniteTracker::inOrder(llvm::ArrayRef<Range> ranges) const {
  ObservedOrder order(observer->getValues());
  std::vector<std::pair<ObservedOrder::Time, size_t>> times;
  for (size_t v = 0; v < ranges.size(); ++v)
    times.emplace_back(order.timeOf(v, ranges[v].firstRound), v);
  llvm::sort(times);
  auto numbers = llvm::make_second_range(times);
  return {numbers.begin(), numbers.end()};
}

NonFiniteTracker::WideStep NonFiniteTracker::runInF32(llvm::ArrayRef<const void *> inputs,
                                                      uint32_t valid) {
  WideStep wide;
  if (!reference)
    return wide;
  ampc_train_out out;
  wide.ranges = rangesOf(*reference, inputs, valid, out);
  wide.isFinite = !out.found_inf && std::isfinite(out.loss_double);
  return wide;
}

/// Reports whether the 16-bit type is the cause, by comparison with the same step in f32.
void NonFiniteTracker::reportCause(size_t value, const WideStep &step,
                                   llvm::ArrayRef<const void *> inputs, uint32_t valid,
                                   double scale) {
  if (reportInputs(inputs, valid) || reportState())
    return;
  const ObservedValue &what = observer->getValues()[value];
  int dtype = observer->getTensor(value).dtype;
  if (!reference) {
    messages() << "  data and state were finite: the op itself computes the value in f32\n";
    return;
  }
  int number = findInF32(value);
  llvm::ArrayRef<Range> wide = step.ranges;
  bool isScaled =
      (what.kind == ValueKind::Gradient || what.kind == ValueKind::WeightGradient) && scale != 1;
  if (number < 0 || !wide[number].seen) {
    messages() << "  f32 did not compute this value\n";
  } else if (!wide[number].isFinite()) {
    messages() << "  data and state were finite, and the value is not finite in f32 either: the op "
                  "itself computes the value\n";
  } else if (dtype == AMPC_F16 && wide[number].max * (isScaled ? scale : 1) > 65504) {
    messages()
        << "  the value overflowed in f16, which ends at 65504: the same step in f32 reaches "
        << llvm::format("%.4g", wide[number].max);
    if (isScaled)
      messages() << ", times the loss scale of " << llvm::format("%.6g", scale) << " "
                 << llvm::format("%.4g", wide[number].max * scale);
    messages() << "\n";
  } else {
    messages() << "  in f32 the value is finite, with a largest magnitude of "
               << llvm::format("%.4g", wide[number].max) << "\n";
  }
}

void NonFiniteTracker::report(size_t value, llvm::ArrayRef<Range> ranges, const WideStep &wide,
                              llvm::ArrayRef<const void *> inputs, uint32_t valid,
                              uint64_t number) {
  const ObservedValue &what = observer->getValues()[value];
  const Range &range = ranges[value];
  const ampc_program &tables = session.getModel().programs[program];
  double scale = lossScaleOf(snapshot, session.getModel(), tables);
  messages() << "step " << number << ": the first value that is not finite is " << what.key << " ("
             << what.op << ", " << textOf(what.kind) << ", "
             << nameOf(ampc_dtype(observer->getTensor(value).dtype))
             << "): " << countText(range.infinite, range.nan, range.elements)
             << (what.loops.empty() ? "" : ", the first")
             << ObservedRounds(what).textOf(range.firstRound) << "\n  at " << what.location << "\n";
  reportCause(value, wide, inputs, valid, scale);
  reportProducers(value, ranges, inputs, valid);
}

bool NonFiniteTracker::after(ampc_status status, const ampc_train_out &out,
                             llvm::ArrayRef<const void *> inputs, uint32_t valid, uint64_t number) {
  if (!wentWrong(status, out))
    return true;
  any = true;
  if (!openObservers())
    return false;
  ampc_train_out again;
  std::vector<Range> ranges = rangesOf(*observer, inputs, valid, again);
  std::optional<WideStep> wide; // runs for the first value without a description
  std::vector<bool> effective = findEffective(ranges);
  for (size_t v : inOrder(ranges)) {
    const std::string &key = observer->getValues()[v].key;
    if (!effective[v] || leftOut.count(key))
      continue;
    if (reported.count(key)) {
      messages() << "step " << number << ": " << key << " is not finite again\n";
      return true;
    }
    if (!wide)
      wide = runInF32(inputs, valid);
    if (isLeftOut(v, *wide)) {
      leftOut.insert(key);
      continue;
    }
    reported.insert(key);
    report(v, ranges, *wide, inputs, valid, number);
    return true;
  }
  messages() << "step " << number << ": something is not finite, but no value of the step is\n";
  bool known = reportInputs(inputs, valid);
  return reportState() || known;
}
