// ampc bench: how long a step or an export takes, on random data, and which kernels take it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Commands.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/Session.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <map>

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::benchCommand("bench", "time a training step or an export on random data");

static cl::opt<std::string> input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required,
                                  cl::sub(benchCommand));
static cl::opt<std::string>
    exportName("export", cl::desc("time this export (default: the first training step)"),
               cl::sub(benchCommand));
static cl::opt<std::string> stepName("step",
                                     cl::desc("time this training step (default: the first)"),
                                     cl::sub(benchCommand));
static cl::opt<unsigned>
    steps("steps", cl::desc("timed runs, after a fifth as many to warm up (default: 20)"),
          cl::init(20), cl::sub(benchCommand));
static cl::opt<int> threads("threads", cl::desc("default: as many as the process may use"),
                            cl::init(0), cl::sub(benchCommand));
static cl::opt<bool> profile("profile", cl::desc("time per kernel"), cl::sub(benchCommand));
static PrecisionOptions precision(benchCommand);

namespace {
struct Span {
  double seconds = 0;
  unsigned count = 0;
};
using Profile = llvm::MapVector<std::string, Span, std::map<std::string, unsigned>>;
} // namespace

static void addSpan(void *context, const char *name, uint64_t begin, uint64_t end) {
  Span &span = (*static_cast<Profile *>(context))[name];
  span.seconds += double(end - begin) * 1e-9;
  ++span.count;
}

static void print(Profile &spans, unsigned runs) {
  auto sorted = spans.takeVector();
  llvm::sort(sorted, [](auto &a, auto &b) { return a.second.seconds > b.second.seconds; });
  double total = 0;
  for (auto &[name, span] : sorted)
    total += span.seconds;
  llvm::errs() << "  ms/run   share  launches  kernel\n";
  for (auto &[name, span] : sorted)
    llvm::errs() << llvm::format("%8.3f  %5.1f%%  %8u  ", span.seconds / runs * 1e3,
                                 100 * span.seconds / total, span.count / runs)
                 << name << "\n";
}

/// One run; false after a message.
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
  llvm::errs() << "ampc: error: " << ampc_rt_status_string(status) << ": " << session.lastError()
               << "\n";
  return false;
}

/// Names of the exports, for a message.
static std::string namesOfExports(const ampc_model &model) {
  std::string names;
  for (int i = 0; i < model.program_count; ++i)
    if (model.programs[i].kind == AMPC_PROGRAM_EXPORT)
      names += (names.empty() ? "" : ", ") + std::string(model.programs[i].name);
  return names;
}

/// Number of the program to measure, or -1 after a message.
static int findProgram(const Session &session) {
  if (stepName.getNumOccurrences())
    return findStep(session, stepName);
  int number = exportName.empty() ? session.findProgram(AMPC_PROGRAM_TRAIN)
                                  : session.findProgram(AMPC_PROGRAM_EXPORT, exportName);
  if (number >= 0)
    return number;
  std::string names = namesOfExports(session.getModel());
  llvm::errs() << "ampc: error: expected "
               << (exportName.empty() ? "a training step, but the model has none"
                   : names.empty()    ? "--export of a model that has exports, but it has none"
                                      : "--export with one of: " + names)
               << "\n";
  return -1;
}

int ampc::runBench() {
  if (stepName.getNumOccurrences() && exportName.getNumOccurrences())
    return fail("expected --step or --export, but got both");
  if (steps == 0) {
    llvm::errs() << "ampc: error: expected --steps of at least 1, but got 0\n";
    return 1;
  }
  Session session;
  ampc_options options = {};
  options.threads = threads;
  CompileRequest request;
  request.input = input;
  auto chosen = precision.get();
  if (!chosen) {
    llvm::errs() << "ampc: error: " << llvm::toString(chosen.takeError()) << "\n";
    return 1;
  }
  request.options = *chosen;
  if (!session.open(request, options))
    return 1;
  int number = findProgram(session);
  if (number < 0)
    return 1;
  const ampc_program &program = session.getModel().programs[number];
  Random random(1);
  RandomInputs inputs(program, random);
  std::vector<std::vector<char>> outputs;
  for (int i = 0; i < program.output_count; ++i)
    outputs.emplace_back(program.outputs[i].bytes);
  for (unsigned i = 0; i < steps / 5 + 1; ++i)
    if (!runOnce(session, number, inputs, outputs))
      return 1;
  Profile spans;
  ampc_hooks hooks = {};
  hooks.size = sizeof hooks;
  hooks.context = &spans;
  hooks.on_span = addSpan;
  if (profile)
    ampc_rt_set_hooks(session.getState(), &hooks);
  std::vector<double> seconds;
  for (unsigned i = 0; i < std::max(1u, unsigned(steps)); ++i) {
    auto start = std::chrono::steady_clock::now();
    if (!runOnce(session, number, inputs, outputs))
      return 1;
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  llvm::sort(seconds);
  llvm::outs() << "{\"name\": \"" << session.getModel().name << "\", \"program\": \""
               << program.name << "\", \"tier\": \"" << ampc_rt_tier(session.getState())
               << "\", \"arena_bytes\": " << session.getModel().arena_bytes
               << llvm::format(", \"median_seconds\": %.6g, \"least_seconds\": %.6g}\n",
                               seconds[seconds.size() / 2], seconds[0]);
  if (profile)
    print(spans, seconds.size());
  return 0;
}
