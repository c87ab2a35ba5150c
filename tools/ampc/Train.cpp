// ampc train: trains a model from the command line, with the object code that `ampc compile`
// writes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Log.h"
#include "tools/ampc/Batches.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/NonFinite.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/RunOptions.h"
#include "tools/ampc/Session.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <unistd.h>

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::trainCommand("train", "train a model on data from files");

static RunOptions runOptions(trainCommand);
static cl::opt<unsigned> steps("steps", cl::desc("number of steps (default: 100)"), cl::init(100),
                               cl::sub(trainCommand));
static cl::opt<std::string> stepName("step",
                                     cl::desc("the train.step to run (default: the only one)"),
                                     cl::sub(trainCommand));
static cl::opt<std::string>
    output("out", cl::desc("checkpoint to write at the end, on Ctrl-C and on SIGTERM"),
           cl::value_desc("FILE.safetensors"), cl::sub(trainCommand));
static cl::opt<unsigned> saveEvery("save-every",
                                   cl::desc("write it after every N-th step of the state, too"),
                                   cl::value_desc("N"), cl::init(0), cl::sub(trainCommand));
static cl::opt<std::string> resume("resume", cl::desc("checkpoint to go on from"),
                                   cl::value_desc("FILE.safetensors"), cl::sub(trainCommand));
static cl::opt<std::string> logFile("log", cl::desc("one line per step"),
                                    cl::value_desc("FILE.csv"), cl::sub(trainCommand));
static cl::opt<std::string> boardDir(
    "tensorboard",
    cl::desc(
        "events for TensorBoard: the loss, and the learning rate, the gradients' "
        "norm, loss scale and skipped steps of a step that has them, and elements of gradients "
        "that are not finite"),
    cl::value_desc("DIR"), cl::sub(trainCommand));
static cl::opt<bool>
    trackNonFinite("track-nonfinite",
                   cl::desc("name the first value that becomes infinite or NaN, and what it was "
                            "made from; the state is kept before every step"),
                   cl::sub(trainCommand));
static PrecisionOptions precision(trainCommand);

static volatile std::sig_atomic_t stopSignal = 0; ///< that asked for the end; 0: none

static void stopTraining(int signal) { stopSignal = signal; }

namespace {
/// What the user sees while training: a bar on a terminal, else a line now and then.
class Progress {
public:
  explicit Progress(unsigned total) : total(total), terminal(isatty(STDERR_FILENO)) {}
  void show(unsigned done, const ampc_train_out &out) {
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    skipped += out.skipped;
    if (out.found_inf && !out.skipped && !spoilt++)
      warnOf(done, out);
    bool last = done == total;
    if (!last && seconds - shown < (terminal ? 0.1 : 2.0) && done != 1)
      return;
    shown = seconds;
    llvm::errs() << (terminal ? "\r" : "");
    if (terminal) {
      unsigned filled = total ? 30 * done / total : 30;
      llvm::errs() << "[" << std::string(filled, '#') << std::string(30 - filled, '.') << "] ";
    }
    llvm::errs() << llvm::format("step %u/%u  loss %.5g  %.2f steps/s", done, total,
                                 double(out.loss), done / seconds);
    if (skipped)
      llvm::errs() << "  " << skipped << " skipped";
    if (spoilt)
      llvm::errs() << "  " << spoilt << " with gradients that are not finite";
    llvm::errs() << (terminal && !last ? "   " : "\n");
  }

private:
  using Clock = std::chrono::steady_clock;
  void warnOf(unsigned step, const ampc_train_out &out) {
    llvm::errs()
        << (terminal ? "\r" : "") << "ampc: warning: step " << step << ": " << out.nonfinite
        << " elements of gradients are infinite or NaN, and the update was done with them: "
           "nonfinite = \"skip\" on the step keeps its state, --track-nonfinite names the "
           "cause\n";
  }
  unsigned total, skipped = 0;
  unsigned spoilt = 0; ///< steps that updated, but not with finite gradients
  bool terminal;
  Clock::time_point start = Clock::now();
  double shown = 0;
};

/// The files a run writes.
class Logs {
public:
  bool open(const ampc_program &tables, std::string &error) {
    program = &tables;
    if (!logFile.empty() && !csv.open(logFile,
                                      {"step", "loss", "grad_norm", "loss_scale", "skipped",
                                       "learning_rate", "nonfinite"},
                                      !resume.empty(), error))
      return false;
    return boardDir.empty() || board.open(boardDir, error);
  }
  bool write(const ampc_train_out &out, std::string &error) {
    if (!logFile.empty() &&
        !csv.row({double(out.step), out.loss, out.grad_norm, out.loss_scale, double(out.skipped),
                  out.learning_rate, double(out.nonfinite)},
                 error))
      return false;
    skipped += out.skipped;
    return boardDir.empty() || writeBoard(out, error);
  }

private:
  /// A chart of what the step does not have would be a line at 0.
  bool writeBoard(const ampc_train_out &out, std::string &error) {
    auto chart = [&](bool has, const char *tag, float value) {
      return !has || board.scalar(tag, out.step, value, error);
    };
    bool scales = program->scale_slot >= 0, skips = program->nonfinite != AMPC_NONFINITE_ALLOW;
    return chart(true, "loss", out.loss) &&
           chart(program->rate_output >= 0, "learning_rate", out.learning_rate) &&
           chart(program->norm_output >= 0, "grad_norm", out.grad_norm) &&
           chart(scales, "loss_scale", out.loss_scale) && chart(skips, "skipped_steps", skipped) &&
           chart(out.found_inf, "nonfinite", out.nonfinite);
  }

  const ampc_program *program = nullptr;
  unsigned skipped = 0; ///< in this run
  CsvWriter csv;
  TensorBoardWriter board;
};
} // namespace

/// Said before the first step, not after the last one.
static bool canSave(std::string &error) {
  llvm::StringRef folder = llvm::sys::path::parent_path(output);
  if (output.empty() || access(folder.empty() ? "." : folder.str().c_str(), W_OK | X_OK) == 0)
    return true;
  error = "cannot write " + output + ": " + std::strerror(errno);
  return false;
}

static llvm::Error write(Session &session) {
  ampc_status status = ampc_rt_save(session.getState(), output.c_str());
  if (status == AMPC_OK)
    return llvm::Error::success();
  return llvm::createStringError(llvm::Twine(ampc_rt_status_string(status)) + ": " +
                                 session.lastError());
}

static int save(Session &session) {
  if (output.empty())
    return 0;
  if (llvm::Error error = write(session))
    return fail(llvm::toString(std::move(error)));
  llvm::errs() << "saved " << output << "\n";
  return 0;
}

/// A save that fails leaves the one before it, and the next one may go well: training goes on.
static void saveSometimes(Session &session, uint64_t done) {
  if (!saveEvery || done % saveEvery)
    return;
  if (llvm::Error error = write(session))
    llvm::errs() << "ampc: warning: " << llvm::toString(std::move(error)) << "\n";
}

/// `tracker` may be null.
static int trainSteps(Session &session, int number, Batches &batches, Logs &logs,
                      NonFiniteTracker *tracker) {
  std::string error;
  Progress progress(steps);
  // Skipped steps use up data too, so runs give the place in the data, not updates.
  uint64_t first = ampc_rt_runs(session.getState(), number);
  for (unsigned i = 0; i < steps && !stopSignal; ++i) {
    uint32_t valid = batches.fill(first + i);
    ampc_train_out out;
    if (tracker)
      tracker->before();
    ampc_status status = session.runStep(number, batches.getInputs(), out, valid);
    std::string message = session.lastError();
    if (tracker)
      tracker->after(status, out, batches.getInputs(), valid, first + i + 1);
    if (status < 0) {
      fail(llvm::Twine(ampc_rt_status_string(status)) + ": " + message);
      if (i) // The failed step changed nothing: what was learned before it is not lost.
        save(session);
      return 1;
    }
    if (!logs.write(out, error))
      return fail(error);
    progress.show(i + 1, out);
    if (i + 1 < steps) // the last one is saved below
      saveSometimes(session, first + i + 1);
  }
  if (stopSignal)
    llvm::errs() << (stopSignal == SIGINT ? "\ninterrupted\n" : "\nterminated\n");
  int status = save(session);
  return stopSignal ? 128 + stopSignal : status;
}

int ampc::runTrain() {
  auto chosen = precision.get();
  if (!chosen)
    return fail(llvm::toString(chosen.takeError()));
  if (saveEvery.getNumOccurrences() && saveEvery == 0)
    return fail("expected --save-every of at least 1, but got 0");
  if (saveEvery && output.empty())
    return fail("expected --out, the checkpoint to write, with --save-every, but got none");
  auto sources = readSources(runOptions.data);
  if (!sources)
    return fail(llvm::toString(sources.takeError()));
  Session session;
  ampc_options options = runOptions.stateOptions();
  CompileRequest request;
  request.input = runOptions.input;
  request.options = *chosen;
  if (llvm::Error mistake = checkOutputs({output, logFile}, *sources, request.inputs()))
    return fail(llvm::toString(std::move(mistake)));
  if (!session.open(request, options))
    return 1;
  int number = findStep(session, stepName);
  if (number < 0)
    return 1;
  std::string error;
  Batches batches;
  if (!batches.open(session.getModel().programs[number], *sources, runOptions.seed,
                    runOptions.shuffle, error))
    return fail(error);
  if (!resume.empty()) {
    ampc_status status = ampc_rt_load(session.getState(), resume.c_str(), AMPC_LOAD_ALL);
    if (status != AMPC_OK)
      return fail(llvm::Twine(ampc_rt_status_string(status)) + ": " + session.lastError());
  }
  Logs logs;
  if (!canSave(error) || !logs.open(session.getModel().programs[number], error))
    return fail(error);
  std::signal(SIGINT, stopTraining);
  std::signal(SIGTERM, stopTraining);
  NonFiniteTracker tracker(session, number, request, options);
  return trainSteps(session, number, batches, logs, trackNonFinite ? &tracker : nullptr);
}
