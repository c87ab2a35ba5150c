// Training loop: a schedule of steps on batches of data, with validation, logs and saves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/TrainLoop.h"
#include "ampc/Data/Mapping.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/Endings.h"
#include "tools/ampc/Knobs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace ampc;

uint64_t TrainLoop::stepsDone(Session &session, llvm::ArrayRef<ScheduleSlot> schedule) {
  uint64_t done = ~uint64_t(0);
  for (const ScheduleSlot &slot : schedule)
    done = std::min(done, ampc_rt_runs(session.getState(), slot.program) / slot.times);
  return done;
}

int TrainLoop::save() {
  if (options.output.empty())
    return 0;
  progress->stop();
  ampc_status status = ampc_rt_save(session.getState(), options.output.c_str());
  if (status != AMPC_OK)
    return fail(session.describe(status));
  progress->say("saved " + options.output);
  return 0;
}

/// A save that fails leaves the one before it, and the next one may go well: training goes on.
void TrainLoop::saveSometimes(uint64_t done) {
  const SaveInterval &every = options.saveEvery;
  auto now = std::chrono::steady_clock::now();
  if (options.output.empty() ||
      (every.steps ? done % every.steps != 0 : now - lastSave < every.time))
    return;
  lastSave = now;
  ampc_status status = ampc_rt_save(session.getState(), options.output.c_str());
  if (status != AMPC_OK)
    progress->say("ampc: warning: " + session.describe(status));
}

/// Some rows make a loss that is not finite. An evaluation of full batches sees rows repeatedly.
bool TrainLoop::isBad(int evaluation, Batches &batches, llvm::ArrayRef<int64_t> rows) {
  const ampc_program &tables = session.getModel().programs[evaluation];
  Outputs outputs(tables);
  Converter wide(elementOf(tables.outputs[0].dtype), AMPC_F64);
  while (!rows.empty()) {
    size_t count = std::min(rows.size(), size_t(tables.batch));
    batches.fillRows(rows.take_front(count));
    ampc_status status =
        session.runFunction(evaluation, batches.getInputs(), outputs.get(),
                            tables.short_batch ? uint32_t(count) : uint32_t(tables.batch));
    double loss = 0;
    wide.convert(outputs.get()[0], &loss, 1);
    if (status >= 0 && !std::isfinite(loss))
      return true;
    rows = rows.drop_front(count);
  }
  return false;
}

/// "; x.npy holds nan there", if it does: data may be infinite and NaN.
std::string TrainLoop::findBadData(const ampc_program &program, int64_t row) const {
  for (const ampc_tensor &input : llvm::ArrayRef(program.inputs, program.input_count)) {
    if (isSupplied(input))
      continue;
    const Dataset::Field &field = data.get(input.name);
    if (!field.tensor.batched || row >= field.rows)
      continue;
    auto *start = static_cast<const char *>(field.array.data) +
                  row * field.width * bytesOf(field.array.element);
    int64_t place = field.converter.findMisfit(start, field.width, {});
    if (place >= 0)
      return "; " + field.source.path + " holds " + field.converter.text(start, place) + " there";
  }
  return "";
}

/// By halves, in inference mode, with the state from before the step.
std::string TrainLoop::findBadRow(ScheduleSlot &slot, uint64_t run) {
  int evaluation = findEvaluation(session, slot.program);
  const ampc_program &tables = session.getModel().programs[evaluation];
  std::vector<int64_t> all = slot.batches.rowsOf(run);
  Batches batches;
  std::string error;
  if (!tables.batch || !batches.open(tables, data, {}, error))
    return "";
  llvm::ArrayRef<int64_t> rows = all;
  if (!isBad(evaluation, batches, rows))
    return "\n  the same rows in inference mode have a finite loss";
  while (rows.size() > 1) {
    llvm::ArrayRef<int64_t> half = rows.take_front(rows.size() / 2);
    if (!isBad(evaluation, batches, half)) {
      half = rows.drop_front(rows.size() / 2);
      if (!isBad(evaluation, batches, half))
        break;
    }
    rows = half;
  }
  if (rows.size() > 1)
    return "\n  " + std::to_string(rows.size()) + " of the " + std::to_string(all.size()) +
           " rows together give such a loss, and no half of these rows alone";
  return "\n  row " + std::to_string(rows.front()) + " alone gives such a loss" +
         findBadData(tables, rows.front());
}

/// "rank 1: " where there are several.
std::string TrainLoop::rankName() const {
  return ranks.getCount() > 1 ? "rank " + std::to_string(ranks.getRank()) + ": " : "";
}

/// Ends at a batch that no step can take, and saves the state before it, unless an exchange failed
/// and left the state between two steps.
int TrainLoop::endOnData(const std::string &message, uint64_t run) {
  progress->stop();
  fail(rankName() + message);
  if (run && !ranks.isLost())
    save();
  return 1;
}

/// As endOnData(). The other ranks are in the training call, which this rank refuses by a call
/// without inputs.
int TrainLoop::endOnLostData(const std::string &message, const ScheduleSlot &slot, uint64_t run) {
  ampc_train_out out;
  if (ranks.getCount() > 1)
    session.runStep(slot.program, {}, out);
  return endOnData(message, run);
}

/// A failed step changes the count of runs only; with the count restored, the state is the state
/// before the step, and a resumed training repeats the step.
int TrainLoop::explain(ScheduleSlot &slot, uint64_t run, ampc_status status,
                       const std::string &message) {
  progress->stop();
  std::string where = nameOf(slot, run);
  if (!isNonFinite(status))
    return endOnData(where + ": " + ampc_rt_status_string(status) + ": " + message, run);
  if (!ranks.isFirst()) // the loss is that of all ranks
    return 1;
  bool isBack = session.takeBack(slot.program) == AMPC_OK;
  fail(where + ": " + ampc_rt_status_string(status) + ": " + message +
       (status == AMPC_E_NONFINITE_LOSS ? findBadRow(slot, run) : std::string()));
  if (!isBack)
    return fail("the state before the step is lost: " + llvm::Twine(session.lastError()));
  if (save() != 0 || slot.tracker)
    return 1;
  std::string command = options.output.empty() ? commandWithout({})
                                               : commandWithout({"resume", "weights"}) +
                                                     " --resume " + quotedWord(options.output);
  progress->stop();
  messages() << "to find the first value that is not finite:\n  " << command
             << " --track-nonfinite\n";
  return 1;
}

std::string TrainLoop::nameOf(const ScheduleSlot &slot, uint64_t run) const {
  return "step " + std::to_string(run / slot.times + 1) +
         (schedule.size() > 1 ? " (" + slot.name + ")" : "");
}

/// How to find the first value that is not finite, unless this run does so.
std::string TrainLoop::trackingText(const ScheduleSlot &slot) const {
  if (slot.tracker)
    return "";
  return "\n  to find the first value that is not finite:\n  " + commandWithout({}) +
         " --track-nonfinite";
}

/// Once each: such steps seldom come alone.
void TrainLoop::note(size_t slot, uint64_t run, const ampc_train_out &out) {
  outs[slot] = out;
  if (out.numbers) { // those of the state are overwritten by the next call
    const ampc_program &program = session.getModel().programs[schedule[slot].program];
    numbers[slot].assign(out.numbers, out.numbers + program.number_count);
    outs[slot]->numbers = numbers[slot].data();
  }
  skipped[slot] += out.skipped;
  allSkipped += out.skipped;
  std::string where = "ampc: warning: " + nameOf(schedule[slot], run) + ": ";
  if (out.skipped && !std::isfinite(out.loss_double) && !badLosses++ && ranks.isFirst())
    progress->say(where + "skipped, since the loss is not finite, which no loss scale mends" +
                  findBadRow(schedule[slot], run) + trackingText(schedule[slot]));
  if (std::string what = schedule[slot].standstill->note(out); !what.empty())
    progress->say(where + what + (out.skipped ? trackingText(schedule[slot]) : ""));
  if (out.found_inf && !out.skipped && !spoilt++)
    progress->say(
        where + std::to_string(out.nonfinite) +
        " elements of gradients are infinite or NaN, and the update used these elements: nonfinite "
        "= \"skip\" on the step keeps the state, --track-nonfinite names the cause");
}

int TrainLoop::runBatch(size_t number, uint64_t run) {
  ScheduleSlot &slot = schedule[number];
  uint32_t valid = slot.batches.fill(run);
  if (std::string lost = shortenedFile(); !lost.empty())
    return endOnLostData(nameOf(slot, run) + ": " + lost, slot, run);
  ampc_train_out out;
  if (slot.tracker)
    slot.tracker->before();
  uint32_t flags = slot.batches.lacksRows(run) ? AMPC_RUN_NO_ROWS : 0;
  ampc_status status = session.runStep(slot.program, slot.batches.getInputs(), out, valid, flags);
  std::string message = session.lastError();
  if (slot.tracker)
    slot.tracker->after(status, out, slot.batches.getInputs(), valid, run + 1);
  if (status < 0)
    return explain(slot, run, status, message);
  note(number, run, out);
  return 0;
}

/// Runs the slots of step `step`, counted from 0; slots that an earlier run completed are skipped.
int TrainLoop::runSchedule(uint64_t step) {
  llvm::fill(skipped, 0);
  llvm::fill(outs, std::nullopt);
  for (size_t i = 0; i < schedule.size(); ++i)
    for (uint64_t run = ampc_rt_runs(session.getState(), schedule[i].program);
         run < (step + 1) * schedule[i].times; ++run)
      if (int status = runBatch(i, run))
        return status;
  for (size_t i = 0; i < schedule.size(); ++i)
    if (outs[i])
      outs[i]->skipped = uint8_t(std::min(skipped[i], 255u));
  return 0;
}

void TrainLoop::show(uint64_t done) {
  std::string losses, more;
  llvm::raw_string_ostream os(losses), further(more);
  for (auto [slot, out] : llvm::zip_equal(schedule, outs)) {
    if (!out)
      continue;
    os << (losses.empty() ? "" : "  ") << (schedule.size() > 1 ? slot.name : "loss")
       << llvm::format(" %.5g", double(out->loss));
    const ampc_program &program = session.getModel().programs[slot.program];
    for (int32_t i = 0; i < program.number_count; ++i)
      os << "  " << program.outputs[program.loss_output + 1 + i].name
         << llvm::format(" %.5g", out->numbers[i]);
  }
  if (validation)
    further << textOf(validation->getScores(), "val_");
  auto count = [&](unsigned number, const char *what) {
    if (number)
      further << (more.empty() ? "" : "  ") << number << what;
  };
  count(allSkipped, " skipped");
  count(spoilt, " with gradients that are not finite");
  progress->show(done, losses, more);
}

bool TrainLoop::validatesAfter(uint64_t done) const {
  return options.validates && (done == options.total || done % options.validateEvery == 0);
}

/// `done` steps, of which the last one is finished here: evaluated, logged, shown, saved.
bool TrainLoop::finishStep(uint64_t done, std::string &error) {
  bool isLast = done == options.total;
  bool validates = validation && validatesAfter(done);
  if (validates && !validation->run(done, error))
    return false;
  if (!log.write(done, outs, knobValues(session),
                 validates ? validation->getScores() : llvm::ArrayRef<Score>(), error))
    return false;
  show(done);
  if (isLast) // saved at the end
    return true;
  if (validates && options.plateau) {
    std::string change = options.plateau->see(validation->isBest(), session, error);
    if (!error.empty())
      return false;
    if (!change.empty())
      progress->say(change);
  }
  saveSometimes(done);
  return true;
}

int TrainLoop::finish(uint64_t done) {
  progress->stop();
  if (stop)
    progress->say(stopReason(stop));
  else if (done < options.total && validation)
    progress->say("stopped at step " + std::to_string(done) + ": no better score in the last " +
                  std::to_string(validation->getPatience()) + " validations");
  int status = save();
  if (validation && !validation->getBestText().empty())
    progress->say(validation->getBestText());
  for (const ScheduleSlot &slot : schedule)
    if (std::string why = slot.standstill->failure(); !why.empty() && !stop) {
      if (!ranks.isFirst())
        return 1;
      std::string name = schedule.size() > 1 ? slot.name + ": " : "";
      return fail(name + why + trackingText(slot));
    }
  return stop ? 128 + stop : status;
}

/// Agrees with the other ranks, behind `done` steps, on a stop. False if a rank has failed. A
/// validation of rank 0 takes as long as it takes.
bool TrainLoop::meet(uint64_t done, bool isGood) {
  RankMessage own;
  own.failed = !isGood;
  own.signal = stopSignal();
  own.finished = validation && validation->isOutOfPatience();
  std::vector<RankMessage> all =
      ranks.gather(own, "step " + llvm::Twine(done + 1),
                   validatesAfter(done) ? Ranks::Limit::None : Ranks::Limit::Seconds);
  int stopped = findRank(all, [](const RankMessage &m) { return m.signal; });
  stop = stopped < 0 ? 0 : all[stopped].signal;
  isFinished = findRank(all, [](const RankMessage &m) { return m.finished; }) >= 0;
  return !all.empty() && findRank(all, [](const RankMessage &m) { return m.failed; }) < 0;
}

int TrainLoop::run() {
  uint64_t done = stepsDone(session, schedule), first = done;
  uint64_t perEpoch =
      (schedule[0].batches.getPerEpoch() + schedule[0].times - 1) / schedule[0].times;
  progress = std::make_unique<Progress>(first, options.total, perEpoch, options.epochs);
  std::string error;
  lastSave = std::chrono::steady_clock::now();
  bool isGood = true;
  while (meet(done, isGood)) {
    if (done >= options.total || stop || isFinished)
      return finish(done);
    if (int status = runSchedule(done))
      return status;
    isGood = finishStep(++done, error);
    if (isGood)
      continue;
    progress->stop();
    fail(error);
    save(); // a fault of a log loses no training
  }
  progress->stop();
  return 1;
}
