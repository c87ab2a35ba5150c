// ampc train: trains a model from the command line, with the object code that `ampc compile`
// writes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Import/ONNX.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/Endings.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/Knobs.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/Ranks.h"
#include "tools/ampc/RunOptions.h"
#include "tools/ampc/TrainLoop.h"
#include "tools/ampc/TrainedModel.h"
#include "tools/ampc/Weights.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <unistd.h>

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::trainCommand("train", "train a model on data from files");

namespace {
/// "100" steps or "600s".
class SaveIntervalParser : public cl::parser<SaveInterval> {
public:
  using parser::parser;
  bool parse(cl::Option &option, llvm::StringRef, llvm::StringRef text, SaveInterval &value) {
    unsigned number;
    llvm::StringRef digits = text;
    bool isTime = digits.consume_back("s");
    if (digits.getAsInteger(10, number) || number == 0)
      return option.error("'" + text + "' value invalid for interval argument!");
    value.steps = isTime ? 0 : number;
    value.time = std::chrono::seconds(number);
    return false;
  }
};
} // namespace

static RunOptions runOptions(trainCommand);
static WholeOption<unsigned>
    steps("steps",
          cl::desc("steps of the whole training, including steps before --resume (default: 100)"),
          cl::init(100), cl::sub(trainCommand));
static CountOption epochs("epochs", cl::desc("instead of --steps: passes over the data"),
                          cl::init(0), cl::sub(trainCommand));
static cl::opt<std::string> stepNames(
    "step",
    cl::desc("the train.step to run (default: the only train.step), or an alternating schedule of "
             "several steps: critic:5,generator runs critic five times, then generator"),
    cl::value_desc("NAME"), cl::sub(trainCommand));
static cl::opt<std::string>
    output("out", cl::desc("checkpoint to write at the end and when a signal ends the training"),
           cl::value_desc("FILE.safetensors"), cl::sub(trainCommand));
static cl::opt<SaveInterval, false, SaveIntervalParser>
    saveEvery("save-every",
              cl::desc("write --out during training, too: after every N-th step, or every N "
                       "seconds (default: 600s)"),
              cl::value_desc("N|Ns"), cl::sub(trainCommand));
static cl::opt<std::string> resume("resume", cl::desc("checkpoint to continue from"),
                                   cl::value_desc("FILE.safetensors"), cl::sub(trainCommand));
static KnobOption knobs(trainCommand);
static Plateau plateau(trainCommand);
static cl::opt<std::string> weights(
    "weights",
    cl::desc("initial values of parameters and buffers, by name and shape, from any program's "
             "file; tensors that the file lacks keep the initial values of the model"),
    cl::value_desc("FILE"), cl::sub(trainCommand));
static cl::list<std::string>
    validate("validate", cl::desc("rows to evaluate on, as in --data; a file for every input"),
             cl::value_desc("INPUT=FILE"), cl::sub(trainCommand));
static CountOption validateEvery(
    "validate-every",
    cl::desc("steps between evaluations (default: an epoch); the last evaluation is at the end"),
    cl::value_desc("N"), cl::init(0), cl::sub(trainCommand));
static cl::list<std::string> metrics("metrics",
                                     cl::desc("accuracy, perplexity, auc or mean_error of an "
                                              "export's result (default: all metrics that fit)"),
                                     cl::value_desc("LIST"), cl::CommaSeparated,
                                     cl::sub(trainCommand));
static cl::opt<std::string> monitor("monitor",
                                    cl::desc("score that picks the best state (default: loss)"),
                                    cl::value_desc("SCORE"), cl::sub(trainCommand));
static cl::opt<std::string>
    bestFile("best",
             cl::desc("checkpoint of the best state by --validate (default: as --out, with .best)"),
             cl::value_desc("FILE.safetensors"), cl::sub(trainCommand));
static CountOption
    patience("patience",
             cl::desc("end after N evaluations in a row that are no better (default: never)"),
             cl::value_desc("N"), cl::init(0), cl::sub(trainCommand));
static cl::opt<bool> averages("ema",
                              cl::desc("--validate, and so --best, is of the averages of "
                                       "ema_decay; ampc eval --ema reads the checkpoints"),
                              cl::sub(trainCommand));
static cl::opt<std::string> logFile("log", cl::desc("a line per step"), cl::value_desc("FILE.csv"),
                                    cl::sub(trainCommand));
static cl::opt<std::string>
    boardDir("tensorboard",
             cl::desc("events for TensorBoard: loss, scores of --validate, and, if the step "
                      "computes these values, learning rate, norm of gradients, loss scale, "
                      "skipped steps and number of non-finite elements of gradients"),
             cl::value_desc("DIR"), cl::sub(trainCommand));
static cl::opt<bool>
    trackNonFinite("track-nonfinite",
                   cl::desc("name the first value that becomes infinite or NaN, and the operands "
                            "of that value; the state is kept before every step"),
                   cl::sub(trainCommand));
static WholeOption<unsigned>
    warnSkips("warn-skips", cl::desc("warn after N skipped steps in a row (default: 20; 0: never)"),
              cl::value_desc("N"), cl::init(AMPC_SKIPS_TO_LOG), cl::sub(trainCommand));
static WholeOption<unsigned>
    commSeconds("comm-seconds",
                cl::desc("limit of each wait for another rank, under a launcher such as mpiexec "
                         "(default: 600; 0: none)"),
                cl::value_desc("N"), cl::init(600), cl::sub(trainCommand));
static PrecisionOptions precision(trainCommand);

/// Checks options that depend on other options; returns the fault, or an empty text.
static std::string checkOptions() {
  if (saveEvery.getNumOccurrences() && output.empty())
    return "expected --out, the checkpoint to write, with --save-every, but got none";
  if (epochs && steps.getNumOccurrences())
    return "expected --steps or --epochs, but got both";
  if (!weights.empty() && !resume.empty())
    return "expected --weights, to start a training, or --resume, to continue a training, but got "
           "both";
  const cl::Option *const needs[] = {
      &validateEvery, std::addressof(metrics), &monitor, &bestFile, &patience, &averages};
  for (const cl::Option *option : needs)
    if (option->getNumOccurrences() && validate.empty())
      return "expected --validate, data to evaluate on, with --" + option->ArgStr.str() +
             ", but got none";
  return "";
}

static std::string bestPath() {
  if (!bestFile.empty() || validate.empty() || output.empty())
    return bestFile;
  llvm::StringRef stem = output;
  stem.consume_back(".safetensors");
  return (stem + ".best.safetensors").str();
}

/// Said before the first step, not after the last one.
static bool canSave(const std::string &file, std::string &error) {
  llvm::StringRef folder = llvm::sys::path::parent_path(file);
  if (file.empty() || access(folder.empty() ? "." : folder.str().c_str(), W_OK | X_OK) == 0)
    return true;
  error = "cannot write " + file + ": " + std::strerror(errno);
  return false;
}

namespace {
/// A training from its options to its loop.
class Training {
public:
  int run();

private:
  bool open();
  void follow();
  bool chooseRanks();
  bool build();
  bool openRest();
  bool compareRanks();
  bool openData();
  bool openState();
  bool openLog();
  uint64_t perEpoch() const {
    return (schedule[0].batches.getPerEpoch() + schedule[0].times - 1) / schedule[0].times;
  }
  bool failed(const llvm::Twine &message) { return fail(message), false; }

  Ranks ranks; // first: the state ends before its engine
  Session session{SessionOptions::ofCommandLine()};
  CompileRequest request;
  Sources trainingData, validationData;
  ampc_options state = runOptions.stateOptions();
  std::vector<ScheduleSlot> schedule;
  Dataset data;
  std::unique_ptr<Validation> validation;
  TrainLog log;
};
} // namespace

/// Rows of a buffer continue the rows of the batch before, which a shuffle exchanges.
static void noteShuffledStates(const ampc_model &model) {
  for (const ampc_slot &slot : llvm::ArrayRef(model.slots, model.slot_count))
    if (slot.tensor.batched)
      return note(
          llvm::Twine("rows of the buffer ") + slot.tensor.name +
          " continue the rows of the batch before: --shuffle=false keeps the data in order");
}

bool Training::openData() {
  std::string error;
  bool finite = !runOptions.data.allowNonFinite;
  std::vector<const ampc_program *> programs;
  std::vector<int> numbers;
  for (const ScheduleSlot &slot : schedule) {
    programs.push_back(&session.getModel().programs[slot.program]);
    numbers.push_back(slot.program);
  }
  if (!data.open(programs, trainingData, {"data", finite}, error))
    return failed(error);
  for (ScheduleSlot &slot : schedule)
    if (!slot.batches.open(session.getModel().programs[slot.program], data,
                           {runOptions.seed, runOptions.shuffle, ranks.getRank(), ranks.getCount()},
                           error))
      return failed(error);
  if (runOptions.shuffle)
    noteShuffledStates(session.getModel());
  if (std::string mistake = plateau.open(session.getModel()); !mistake.empty())
    return failed(mistake);
  if (plateau.isGiven() && validate.empty())
    return failed("expected --validate, the data of the scores, with --at-plateau, but got none");
  // Only rank 0 validates.
  if (plateau.isGiven() && ranks.getCount() > 1)
    return failed("expected a single process with --at-plateau, but got " +
                  llvm::Twine(ranks.getCount()));
  if (validationData.empty() || !ranks.isFirst())
    return true;
  validation = std::make_unique<Validation>();
  if (averages && !session.hasAverages())
    return failed(
        "expected a step with ema_decay, and averages of the parameters' type, for --ema, "
        "but the model has none");
  Validation::Options options{
      {metrics.begin(), metrics.end()}, monitor, bestPath(), averages, patience};
  if (!validation->open(session, numbers, validationData, data, finite, options, error))
    return failed(error);
  const Evaluation &evaluation = validation->getEvaluation();
  if (std::string source = evaluation.getSource(); !source.empty())
    note("metrics are of " + source);
  evaluation.noteMixedRows(" of --validate");
  return true;
}

/// Warning for frozen parameters that start, and stay, at random values.
static void warnOfRandomFrozen(const Session &session) {
  std::string random = weights.empty() && !isQuiet() ? randomFrozen(session) : "";
  if (!random.empty())
    messages() << "ampc: warning: expected --weights, a file with values of the frozen parameters, "
                  "but these parameters stay random: "
               << random << "\n";
}

/// Initial values, or those of a checkpoint.
bool Training::openState() {
  std::string error, warning;
  if (!weights.empty()) {
    std::vector<std::string> notes;
    if (!loadWeights(session, weights, notes, error))
      return failed(error);
    for (const std::string &text : notes)
      note(text);
  }
  if (resume.empty()) {
    warnOfRandomFrozen(session);
    return knobs.apply(session);
  }
  if (validation && !validation->recall(warning, error))
    return failed(error);
  if (!warning.empty() && !isQuiet())
    messages() << "ampc: warning: " << warning << "\n";
  ampc_status status = ampc_rt_load(session.getState(), resume.c_str(), AMPC_LOAD_ALL);
  if (status == AMPC_OK)
    return knobs.apply(session);
  reportLoad(session, status);
  if (status == AMPC_E_CKPT_MISMATCH)
    note("--weights instead of --resume takes parameters and buffers alone, by name and shape");
  return false;
}

bool Training::openLog() {
  std::string error;
  std::vector<TrainLog::ScheduleSlot> columns;
  for (const ScheduleSlot &slot : schedule)
    columns.push_back({slot.name, &session.getModel().programs[slot.program]});
  std::optional<uint64_t> done;
  if (!resume.empty())
    done = TrainLoop::stepsDone(session, schedule);
  if (!canSave(output, error) || !canSave(bestPath(), error) ||
      !log.open({logFile, boardDir}, columns, knobNames(session.getModel()),
                validation ? validation->getNames() : std::vector<std::string>(), done, error))
    return failed(error);
  if (output.empty() && bestPath().empty())
    note("nothing of this training is kept without --out=FILE.safetensors");
  return true;
}

/// Errors only; rank 0 writes all files.
void Training::follow() {
  setQuiet();
  session.followRankZero();
  for (cl::opt<std::string> *file : {&output, &bestFile, &logFile, &boardDir})
    *file = "";
}

/// As many ranks as the launcher has started processes.
bool Training::chooseRanks() {
  int count = ranks.getCount();
  std::string &wanted = request.options.ranks;
  if (trainCommand.OptionsMap.lookup("ranks")->getNumOccurrences() &&
      wanted != std::to_string(count))
    return failed("expected a launcher of " + wanted + " processes with --ranks=" + wanted +
                  ", as in mpiexec -n " + wanted + " ampc train, but got " + llvm::Twine(count));
  wanted = std::to_string(count);
  if (count > 1 && trackNonFinite)
    return failed("expected a single process with --track-nonfinite, but got " +
                  llvm::Twine(count));
  if (llvm::Error mistake = checkValues(request.options)) // targets of several ranks
    return failed(llvm::toString(std::move(mistake)));
  state.comm = ranks.getEngine();
  state.comm_seconds = commSeconds ? int32_t(commSeconds) : -1;
  if (!state.threads)
    state.threads = ranks.getThreads();
  return true;
}

/// Reads options and compiles.
bool Training::build() {
  if (std::string mistake = checkOptions(); !mistake.empty())
    return failed(mistake);
  if (!ranks.isFirst())
    follow();
  auto chosen = precision.get();
  if (!chosen)
    return failed(llvm::toString(chosen.takeError()));
  auto training = runOptions.data.read();
  if (!training)
    return failed(llvm::toString(training.takeError()));
  auto validating = runOptions.data.read(validate, "validate");
  if (!validating)
    return failed(llvm::toString(validating.takeError()));
  request = requestFor(runOptions.input);
  request.options = *chosen;
  request.options.dataTotals = !validate.empty();
  if (!chooseRanks())
    return false;
  trainingData = std::move(*training);
  validationData = std::move(*validating);
  Sources all = trainingData;
  llvm::append_range(all, validationData);
  std::vector<std::string> others = request.inputs();
  others.push_back(weights);
  if (llvm::Error mistake = checkOutputs({output, bestPath(), logFile}, all, others))
    return failed(llvm::toString(std::move(mistake)));
  return session.build(request, state.device);
}

bool Training::openRest() {
  schedule = findTurns(session, stepNames);
  return !schedule.empty() && openData() && openState() && openLog();
}

/// Ranks that start from other numbers, or see another number of rows, would part without a word.
bool Training::compareRanks() {
  if (ranks.getCount() == 1)
    return true;
  std::string numbers = llvm::formatv("{0} {1} {2} {3} {4}", unsigned(steps), unsigned(epochs),
                                      bool(runOptions.shuffle), unsigned(validateEvery),
                                      TrainLoop::stepsDone(session, schedule));
  for (const ScheduleSlot &slot : schedule)
    numbers += llvm::formatv(" {0} {1} {2}", slot.program, slot.times, slot.batches.getRows());
  return ranks.compare(llvm::xxh3_64bits(numbers), "rows of --data, steps and schedule") &&
         ranks.compare(session.hashOfState(), "values of the state at the start");
}

bool Training::open() {
  const char *where = "start";
  return ranks.open(commSeconds) && ranks.inTurn([&] { return build(); }, where) &&
         ranks.agree(session.create(state), where) &&
         ranks.inTurn([&] { return openRest(); }, where) && compareRanks();
}

int Training::run() {
  if (!open())
    return 1;
  for (ScheduleSlot &slot : schedule) {
    slot.standstill = std::make_unique<Standstill>(session, slot.program, warnSkips);
    if (trackNonFinite)
      slot.tracker = std::make_unique<NonFiniteTracker>(session, slot.program, request, state);
  }
  LoopOptions options;
  options.total = epochs ? epochs * perEpoch() : uint64_t(steps);
  options.epochs = epochs;
  options.output = output;
  options.saveEvery = saveEvery;
  options.validateEvery = validateEvery ? uint64_t(validateEvery) : perEpoch();
  options.validates = !validate.empty();
  uint64_t done = TrainLoop::stepsDone(session, schedule);
  if (!resume.empty() && done >= options.total)
    note(resume + " has done " + llvm::Twine(done) + " steps, and " + llvm::Twine(options.total) +
         " were requested: --steps and --epochs count the steps of the whole training");
  catchStopSignals();
  options.plateau = plateau.isGiven() ? &plateau : nullptr;
  return TrainLoop(session, schedule, data, log, validation.get(), ranks, options).run();
}

int ampc::runTrain() { return Training().run(); }
