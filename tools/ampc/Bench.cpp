// ampc bench: time of a step or an export on random data, in total and by kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/Calibrate.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/HostOptions.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/KernelProfile.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/Session.h"
#include "tools/ampc/ThreadsModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cmath>

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::benchCommand("bench", "time a training step or an export on random data");

static cl::opt<std::string> input(cl::Positional, cl::desc("MODEL.mlir"), cl::sub(benchCommand));
static cl::opt<std::string>
    exportName("export", cl::desc("time this export (default: the first training step)"),
               cl::sub(benchCommand));
static cl::opt<std::string> stepName("step",
                                     cl::desc("time this training step (default: the first)"),
                                     cl::sub(benchCommand));
static CountOption steps("steps",
                         cl::desc("timed runs, after a fifth as many to warm up (default: 20)"),
                         cl::init(20), cl::sub(benchCommand));
static HostOptions hostOptions(benchCommand);
static cl::opt<bool> profile("profile", cl::desc("time per kernel"), cl::sub(benchCommand));
static cl::opt<std::string> jsonOutput(
    "json",
    cl::desc("also write the times of the step and of every kernel, for ampc report --times"),
    cl::value_desc("FILE.json"), cl::sub(benchCommand));
static cl::opt<std::string> svgOutput("svg",
                                      cl::desc("also draw every kernel as a rectangle with the "
                                               "time as width, below ops, modules and stages"),
                                      cl::value_desc("FILE.svg"), cl::sub(benchCommand));
static cl::opt<std::string> machineFile(
    "machine",
    cl::desc("predict times of kernels by the figures in this file (default: built-in figures)"),
    cl::value_desc("FILE.json"), cl::sub(benchCommand));
static CountOption threadsModel("threads-model",
                                cl::desc("in place of times: predicted times of kernels on N "
                                         "threads, from the time of every task alone"),
                                cl::value_desc("N"), cl::init(0), cl::sub(benchCommand));
static cl::opt<bool> calibrate("calibrate",
                               cl::desc("in place of a model: measure this machine, and write a "
                                        "file for --machine"),
                               cl::sub(benchCommand));
static cl::opt<std::string> calibrated("o", cl::desc("the file that --calibrate writes"),
                                       cl::value_desc("FILE.json"), cl::Prefix,
                                       cl::sub(benchCommand));
static PrecisionOptions precision(benchCommand);

/// Runs the program; false after an error message.
static bool runOnce(Session &session, int number, RandomInputs &inputs,
                    std::vector<std::vector<char>> &outputs) {
  ampc_status status;
  if (session.getModel().programs[number].kind == AMPC_PROGRAM_TRAIN) {
    ampc_train_out out;
    status = session.runStep(number, inputs.get(), out);
  } else {
    std::vector<void *> pointers;
    for (auto &output : outputs)
      pointers.push_back(output.data());
    status = session.runFunction(number, inputs.get(), pointers);
  }
  if (status >= 0)
    return true;
  messages() << "ampc: error: " << ampc_rt_status_string(status) << ": " << session.lastError()
             << "\n";
  return false;
}

/// Number of the program to measure, or -1 after an error message.
static int findProgram(const Session &session) {
  if (stepName.getNumOccurrences())
    return findStep(session, stepName);
  int number = exportName.empty() ? session.findProgram(AMPC_PROGRAM_TRAIN)
                                  : session.findProgram(AMPC_PROGRAM_EXPORT, exportName);
  if (number >= 0)
    return number;
  std::vector<std::string> names;
  for (int i = 0; i < session.getModel().program_count; ++i)
    if (const ampc_program &program = session.getModel().programs[i];
        program.kind == AMPC_PROGRAM_EXPORT)
      names.push_back(program.name);
  fail(exportName.empty() ? "expected a training step, but the model has none"
       : names.empty()    ? "expected --export of a model with exports, but the model has none"
                          : "expected --export with one of: " + llvm::join(names, ", ") +
                                ", but got " + shown(exportName) + didYouMean(exportName, names));
  return -1;
}

static int64_t threadCount() {
  int threads = hostOptions.threads;
  return threads > 0 ? threads : llvm::hardware_concurrency().compute_thread_count();
}

/// Writes the file that `ampc report --times` reads. `seconds`: ascending.
static int writeTimes(Session &session, int number, const CompileOptions &options,
                      llvm::ArrayRef<double> seconds, const KernelProfile &kernels,
                      llvm::StringRef machine) {
  const ampc_model &model = session.getModel();
  llvm::json::Object times{{"schema", "ampc-bench"},
                           {"version", 1},
                           {"name", model.name},
                           {"step", stepNameOf(model, number)},
                           {"program", model.programs[number].name},
                           {"precision", options.precision},
                           {"tier", ampc_rt_tier(session.getState())},
                           {"threads", threadCount()},
                           {"runs", int64_t(seconds.size())},
                           {"median_nanoseconds", std::llround(1e9 * seconds[seconds.size() / 2])},
                           {"least_nanoseconds", std::llround(1e9 * seconds[0])},
                           {"kernel_nanoseconds", kernels.measured()},
                           {"kernels", kernels.toJson()}};
  if (auto predicted = kernels.predicted()) {
    times["machine"] = machine;
    times["predicted_nanoseconds"] = std::llround(*predicted);
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(times)));
  if (llvm::Error error = writeFile(jsonOutput, text))
    return fail("cannot write " + jsonOutput + ": " + llvm::toString(std::move(error)));
  return 0;
}

/// Costs of the program's kernels; predicted times only if the machine has rates for the tier in
/// use.
static llvm::Expected<std::vector<KernelCost>> findCosts(Session &session, int number,
                                                         const ProgramCosts &programs,
                                                         const cost::Machine &machine) {
  llvm::StringRef tier = ampc_rt_tier(session.getState());
  std::optional<size_t> place = programs.findTier(tier);
  if (!place || size_t(number) >= programs.getPrograms().size())
    return std::vector<KernelCost>();
  llvm::Expected<const cost::Rates *> rates = machine.ratesOf(tier);
  if (!rates && !machineFile.empty())
    return mistake(machineFile + ": " + llvm::toString(rates.takeError()));
  if (!rates) // the built-in machine may lack rates of this tier
    llvm::consumeError(rates.takeError());
  return costsOf(programs.getPrograms()[number], *place, tier, rates ? &machine : nullptr,
                 threadCount());
}

/// Seconds of all runs, ascending, and the median time of every kernel.
struct Measured {
  std::vector<double> seconds;
  std::vector<TimedKernel> kernels;
};

/// Warms up, calls `start`, then runs the program and calls `endRun` after every run. False after
/// an error message.
static bool runSteps(Session &session, int number, llvm::function_ref<void()> start,
                     llvm::function_ref<void(double seconds)> endRun) {
  const ampc_program &program = session.getModel().programs[number];
  Random random(1);
  RandomInputs inputs(program, random);
  std::vector<std::vector<char>> outputs;
  for (int i = 0; i < program.output_count; ++i)
    outputs.emplace_back(program.outputs[i].bytes);
  for (unsigned i = 0; i < steps / 5 + 1; ++i)
    if (!runOnce(session, number, inputs, outputs))
      return false;
  start();
  for (unsigned i = 0; i < steps; ++i) {
    auto begin = std::chrono::steady_clock::now();
    if (!runOnce(session, number, inputs, outputs))
      return false;
    endRun(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return true;
}

static std::optional<Measured> measure(Session &session, int number, bool withKernels) {
  KernelTimes kernels;
  ampc_hooks hooks = kernels.hooks();
  Measured measured;
  auto watch = [&] {
    if (withKernels)
      ampc_rt_set_hooks(session.getState(), &hooks);
  };
  bool isDone = runSteps(session, number, watch, [&](double seconds) {
    measured.seconds.push_back(seconds);
    kernels.endRun();
  });
  if (!isDone)
    return std::nullopt;
  llvm::sort(measured.seconds);
  measured.kernels = kernels.medians();
  return measured;
}

static int writeSvg(const Session &session, int number, const KernelProfile &kernels) {
  const ampc_model &model = session.getModel();
  std::string text;
  llvm::raw_string_ostream os(text);
  kernels.writeSvg(os, std::string(model.name) + " " + model.programs[number].name);
  if (llvm::Error error = writeFile(svgOutput, text))
    return fail("cannot write " + svgOutput + ": " + llvm::toString(std::move(error)));
  return 0;
}

/// Prints the line of every bench, and the requested outputs on kernels.
static int report(Session &session, int number, const CompileOptions &options,
                  const ProgramCosts &programs, const cost::Machine &machine) {
  bool withKernels = profile || !jsonOutput.empty() || !svgOutput.empty();
  auto measured = measure(session, number, withKernels);
  if (!measured)
    return 1;
  const std::vector<double> &seconds = measured->seconds;
  llvm::outs() << "{\"name\": \"" << session.getModel().name << "\", \"program\": \""
               << session.getModel().programs[number].name << "\", \"tier\": \""
               << ampc_rt_tier(session.getState())
               << "\", \"arena_bytes\": " << session.getModel().arena_bytes
               << llvm::format(", \"median_seconds\": %.6g, \"least_seconds\": %.6g",
                               seconds[seconds.size() / 2], seconds[0])
               << llvm::format(", \"quartile_seconds\": [%.6g, %.6g]}\n",
                               seconds[seconds.size() / 4], seconds[3 * seconds.size() / 4]);
  if (!withKernels)
    return 0;
  auto costs = findCosts(session, number, programs, machine);
  if (!costs)
    return fail(llvm::toString(costs.takeError()));
  KernelProfile kernels(std::move(measured->kernels), std::move(*costs));
  if (profile) {
    if (kernels.predicted())
      messages() << "predicted for " << machine.name << ", threads: " << threadCount() << "\n";
    kernels.print(messages());
  }
  if (!jsonOutput.empty() && writeTimes(session, number, options, seconds, kernels, machine.name))
    return 1;
  return svgOutput.empty() ? 0 : writeSvg(session, number, kernels);
}

/// Measures task times, and prints predicted times with more threads.
static int modelThreads(Session &session, int number, ShareTimes &shares,
                        const ProgramCosts &programs, const cost::Machine &machine) {
  auto costs = findCosts(session, number, programs, machine);
  if (!costs)
    return fail(llvm::toString(costs.takeError()));
  ampc_hooks hooks = shares.hooks();
  auto watch = [&] {
    shares.endRun();
    ampc_rt_set_hooks(session.getState(), &hooks);
  };
  if (!runSteps(session, number, watch, [&](double) { shares.endRun(); }))
    return 1;
  if (costs->size() != shares.getKernels().size())
    return fail("expected --threads-model of a step on a CPU that skips nothing");
  printThreadsModel(shares.getKernels(), *costs, threadsModel, machine.forkNanoseconds, results());
  return 0;
}

static int runCalibration() {
  if (!input.empty() || calibrated.empty())
    return fail("expected --calibrate with -o FILE.json and without a model");
  auto machine = calibrateMachine();
  if (!machine)
    return fail(llvm::toString(machine.takeError()));
  if (llvm::Error error = writeFile(calibrated, llvm::formatv("{0:2}\n", machine->toJson()).str()))
    return fail("cannot write " + calibrated + ": " + llvm::toString(std::move(error)));
  return 0;
}

int ampc::runBench() {
  if (calibrate)
    return runCalibration();
  if (input.empty())
    return fail("expected a model, or --calibrate");
  if (stepName.getNumOccurrences() && exportName.getNumOccurrences())
    return fail("expected --step or --export, but got both");
  if (threadsModel && (profile || !jsonOutput.empty() || !svgOutput.empty()))
    return fail("expected --threads-model without --profile, --json and --svg");
  if (threadsModel && (hostOptions.shares.getNumOccurrences() || hostOptions.pin))
    return fail("expected --threads-model, which shows both ways to share, without --shares and "
                "--pin-threads");
  ShareTimes shares; // referenced by the session's state
  Session session{SessionOptions::ofCommandLine()};
  ampc_options options = {};
  hostOptions.apply(options);
  CompileRequest request = requestFor(input);
  auto chosen = precision.get();
  if (!chosen) {
    messages() << "ampc: error: " << llvm::toString(chosen.takeError()) << "\n";
    return 1;
  }
  request.options = *chosen;
  if (llvm::Error mistake = checkOutputs({jsonOutput, svgOutput}, {input, machineFile}))
    return fail(llvm::toString(std::move(mistake)));
  auto machine = readMachine(machineFile);
  if (!machine)
    return fail(llvm::toString(machine.takeError()));
  ProgramCosts programs;
  programs.watch(request);
  if (threadsModel > 0)
    shares.setUp(options);
  if (!session.open(request, options))
    return 1;
  int number = findProgram(session);
  if (number < 0)
    return 1;
  if (threadsModel > 0)
    return modelThreads(session, number, shares, programs, *machine);
  return report(session, number, *chosen, programs, *machine);
}
