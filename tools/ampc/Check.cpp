// ampc check: gradients against central differences in f64, or a step against the same step in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/GradientNames.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/Against.h"
#include "tools/ampc/Batches.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/NarrowGradients.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/Session.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::checkCommand("check",
                                  "compare gradients with central differences in f64, or mixed "
                                  "precision with f32 (--against)");

static cl::opt<std::string> input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required,
                                  cl::sub(checkCommand));
static cl::opt<bool> full("full", cl::desc("check every element of every parameter"),
                          cl::sub(checkCommand));
static cl::list<std::string>
    also("also", cl::desc("also compare gradients in bf16 or f16 with the gradients in f64"),
         cl::value_desc("TYPE,..."), cl::CommaSeparated, cl::sub(checkCommand));
static cl::opt<std::string> against("against",
                                    cl::desc("instead of gradient checks, compare a step in "
                                             "--precision with the same step in f32 or f64"),
                                    cl::value_desc("TYPE"), cl::sub(checkCommand));
static cl::list<std::string> data("data",
                                  cl::desc("an input's rows (default: random); without --against "
                                           "the gradients of the first batch are checked"),
                                  cl::value_desc("INPUT=FILE"), cl::sub(checkCommand));
static CountOption steps("steps", cl::desc("with --against: number of steps (default: 1)"),
                         cl::init(1), cl::sub(checkCommand));
static cl::opt<std::string>
    stepName("step",
             cl::desc("with --against: the train.step to run (default: the only train.step)"),
             cl::sub(checkCommand));
static cl::opt<double> tolerance(
    "tolerance",
    cl::desc("with --against: relative error that is always allowed (default: 16 units of "
             "rounding, which is 0.0625 for bf16 and 0.0078 for f16; 0.00098 for f32)"),
    cl::init(0), cl::sub(checkCommand));
static cl::opt<std::string>
    order("sort", cl::desc("with --against: execution (default), or error, largest first"),
          cl::init("execution"), cl::sub(checkCommand));
static cl::opt<std::string> jsonFile("json", cl::desc("with --against: all errors"),
                                     cl::value_desc("FILE"), cl::sub(checkCommand));
static cl::opt<std::string> csvFile("csv", cl::desc("with --against: all errors"),
                                    cl::value_desc("FILE"), cl::sub(checkCommand));
static cl::opt<bool> shuffle("shuffle", cl::desc("with --data: new order in every epoch"),
                             cl::init(true), cl::sub(checkCommand));
static cl::opt<bool>
    trackNonFinite("track-nonfinite",
                   cl::desc("run --precision, alone or with --against, and name the first value "
                            "that becomes infinite or NaN"),
                   cl::sub(checkCommand));
static PrecisionOptions precision(checkCommand);
static WholeOption<unsigned> seed("seed", cl::desc("of parameters and inputs (default: 1)"),
                                  cl::init(1), cl::sub(checkCommand));
static cl::opt<double> eps("eps", cl::desc("half the step of a difference (default: 1e-6)"),
                           cl::init(1e-6), cl::sub(checkCommand));
static cl::opt<double> absolute("atol", cl::desc("absolute tolerance (default: 1e-7)"),
                                cl::init(1e-7), cl::sub(checkCommand));
static cl::opt<double> relative("rtol", cl::desc("relative tolerance (default: 1e-5)"),
                                cl::init(1e-5), cl::sub(checkCommand));

namespace {
/// Result of the checks of a parameter.
struct Outcome {
  int64_t elements = 0, directions = 0;
  double worst = 0; // share of the tolerance used
  int64_t worstElement = -1;
  double analytic = 0, numeric = 0;
};

class GradientCheck {
public:
  GradientCheck(Session &session, int program, const std::string &step)
      : session(session), program(program), step(step), random(seed),
        inputs(session.getModel().programs[program], random) {}
  /// Takes the first batch of `data` instead of random inputs.
  bool takeBatch(const Dataset &data, std::string &error);
  bool run();

private:
  void perturbParameters();
  bool loss(double &value, llvm::function_ref<void()> move);
  bool compare(Outcome &outcome, int64_t element, llvm::ArrayRef<double> direction, double *param,
               llvm::ArrayRef<double> gradient);
  bool checkParameter(int slot, llvm::ArrayRef<double> gradient, Outcome &outcome);

  Session &session;
  int program;
  std::string step;
  Random random;
  RandomInputs inputs;
  Batches batches;    ///< not open with random inputs
  uint32_t valid = 0; ///< rows of the first batch; 0: all
  Snapshot start;
};
} // namespace

bool GradientCheck::takeBatch(const Dataset &rows, std::string &error) {
  if (!batches.open(session.getModel().programs[program], rows, {seed, shuffle}, error))
    return false;
  valid = batches.fill(0);
  return true;
}

/// Perturbs initial values, since zeros and ones hide errors.
void GradientCheck::perturbParameters() {
  const ampc_model &model = session.getModel();
  for (int i = 0; i < model.slot_count; ++i)
    if (model.slots[i].role == AMPC_ROLE_PARAM && model.slots[i].tensor.dtype == AMPC_F64) {
      auto *values = static_cast<double *>(session.slotData(i));
      for (int64_t k = 0, count = elementCount(model.slots[i].tensor); k < count; ++k)
        values[k] += 0.2 * random.unit() - 0.1;
    }
  session.refresh();
}

/// Loss of the start state with perturbed parameters. Every run starts from the same state, because
/// runs write state (random counter, running statistics, buffers), and a gradient belongs to a
/// single state.
bool GradientCheck::loss(double &value, llvm::function_ref<void()> move) {
  start.restore(session);
  move();
  session.refresh();
  ampc_train_out out;
  ampc_status status =
      session.runStep(program, batches.isOpen() ? batches.getInputs() : inputs.get(), out, valid);
  if (status < 0) {
    messages() << "ampc: error: " << ampc_rt_status_string(status) << ": " << session.lastError()
               << "\n";
    return false;
  }
  value = out.loss_double;
  return true;
}

bool GradientCheck::compare(Outcome &outcome, int64_t element, llvm::ArrayRef<double> direction,
                            double *param, llvm::ArrayRef<double> gradient) {
  auto move = [&](double amount) {
    if (element >= 0)
      param[element] += amount;
    else
      for (size_t k = 0; k < direction.size(); ++k)
        param[k] += amount * direction[k];
  };
  double up, down;
  if (!loss(up, [&] { move(eps); }) || !loss(down, [&] { move(-eps); }))
    return false;
  double numeric = (up - down) / (2 * eps), analytic = 0;
  if (element >= 0)
    analytic = gradient[element];
  else
    for (size_t k = 0; k < direction.size(); ++k)
      analytic += gradient[k] * direction[k];
  double share =
      std::abs(numeric - analytic) / (absolute * (1 + std::abs(up)) + relative * std::abs(numeric));
  if (!(share <= outcome.worst)) { // true for NaN, too
    outcome.worst = std::isnan(share) ? HUGE_VAL : share;
    outcome.worstElement = element;
    outcome.analytic = analytic;
    outcome.numeric = numeric;
  }
  return true;
}

bool GradientCheck::checkParameter(int slot, llvm::ArrayRef<double> gradient, Outcome &outcome) {
  auto *param = static_cast<double *>(session.slotData(slot));
  int64_t count = gradient.size();
  std::vector<int64_t> elements;
  if (full || count <= 64)
    for (int64_t k = 0; k < count; ++k)
      elements.push_back(k);
  else
    for (int k = 0; k < 16; ++k)
      elements.push_back(random.bits() % count);
  for (int64_t element : elements)
    if (!compare(outcome, element, {}, param, gradient))
      return false;
  outcome.elements = elements.size();
  if (full || count <= 64)
    return true;
  for (int k = 0; k < 5; ++k, ++outcome.directions) {
    std::vector<double> direction(count);
    for (double &d : direction)
      d = random.normal();
    if (!compare(outcome, -1, direction, param, gradient))
      return false;
  }
  return true;
}

bool GradientCheck::run() {
  perturbParameters();
  start.take(session);
  double value;
  if (!loss(value, [] {}))
    return false;
  const ampc_model &model = session.getModel();
  results() << "step " << step << ": loss " << llvm::format("%.9g", value) << "\n"
            << "  parameter                       elements  directions  share of tolerance\n";
  // Copies of the gradients, which later runs overwrite.
  std::vector<std::pair<int, std::vector<double>>> gradients;
  for (int i = 0; i < model.slot_count; ++i) {
    auto name = GradientName::of(model.slots[i].tensor.name);
    if (model.slots[i].role != AMPC_ROLE_GRADIENT || !name || name->step != step)
      continue;
    gradients.push_back({session.findSlot(name->param), readGradient(session, step, name->param)});
  }
  bool passed = !gradients.empty();
  for (auto &[slot, gradient] : gradients) {
    Outcome outcome;
    if (!checkParameter(slot, gradient, outcome))
      return false;
    bool good = outcome.worst <= 1.0;
    passed &= good;
    results() << llvm::format("  %-30s %9lld  %10lld  %.3g", model.slots[slot].tensor.name,
                              (long long)outcome.elements, (long long)outcome.directions,
                              outcome.worst);
    if (!good)
      results() << "  WRONG at "
                << (outcome.worstElement < 0 ? "a direction"
                                             : "element " + std::to_string(outcome.worstElement))
                << llvm::format(": gradient %.9g, difference %.9g", outcome.analytic,
                                outcome.numeric);
    results() << "\n";
  }
  start.restore(session);
  return passed;
}

/// Compares two precisions, or tracks non-finite values of one.
static int runSideBySide() {
  auto fail = [](const llvm::Twine &message) {
    messages() << "ampc: error: " << message << "\n";
    return 1;
  };
  auto chosen = precision.get();
  if (!chosen)
    return fail(llvm::toString(chosen.takeError()));
  auto sources = readSources(data);
  if (!sources)
    return fail(llvm::toString(sources.takeError()));
  if (against.getNumOccurrences() && against.empty())
    return fail("expected --against=f32 or f64, but got \"\"");
  if (order != "execution" && order != "error")
    return fail("expected --sort=execution or error, but got " + shown(order));
  if (!(tolerance >= 0))
    return fail("expected a --tolerance that is not negative");
  CompileRequest request = requestFor(input);
  request.options = *chosen;
  ampc_options state = {};
  state.seed = seed;
  AgainstOptions options;
  options.reference = against;
  options.data = *sources;
  options.step = stepName;
  options.steps = steps;
  options.tolerance = tolerance;
  options.byError = order == "error";
  options.shuffle = shuffle;
  options.trackNonFinite = trackNonFinite;
  options.jsonFile = jsonFile;
  options.csvFile = csvFile;
  if (llvm::Error mistake = checkOutputs({jsonFile, csvFile}, *sources, request.inputs()))
    return fail(llvm::toString(std::move(mistake)));
  return runAgainst(request, state, options);
}

/// The data of all steps; not open without --data.
static bool openData(const Session &session, const Sources &sources, Dataset &rows) {
  const ampc_model &model = session.getModel();
  std::vector<const ampc_program *> programs;
  for (int i = 0; i < model.program_count; ++i)
    if (model.programs[i].kind == AMPC_PROGRAM_GRAD)
      programs.push_back(&model.programs[i]);
  std::string error;
  bool opened = sources.empty() || rows.open(programs, sources, {"data", true}, error);
  return opened || (fail(error), false);
}

static int checkGradients() {
  auto chosen = precision.get();
  if (!chosen)
    return fail(llvm::toString(chosen.takeError()));
  auto sources = readSources(data);
  if (!sources)
    return fail(llvm::toString(sources.takeError()));
  if (!sources->empty() && !also.empty())
    return fail("expected --data without --also, since --also computes gradients of random inputs");
  Session session{SessionOptions::ofCommandLine()};
  ampc_options options = {};
  options.seed = seed;
  options.want_split = 1;
  CompileRequest request = requestFor(input);
  request.options.targets = chosen->targets;
  request.options.precision = "f64";
  request.shown = Shown::Warnings; // remarks concern steps that train
  if (!session.open(request, options))
    return 1;
  Dataset rows;
  if (!openData(session, *sources, rows))
    return 1;
  const ampc_model &model = session.getModel();
  bool passed = true, any = false;
  for (int i = 0; i < model.program_count; ++i) {
    if (model.programs[i].kind != AMPC_PROGRAM_GRAD)
      continue;
    any = true;
    GradientCheck check(session, i, stepNameOf(model, i));
    if (std::string error; !sources->empty() && !check.takeBatch(rows, error))
      return fail(error);
    passed &= check.run();
  }
  if (!any) {
    messages() << "ampc: error: expected a train.step to check, but the model has none\n";
    return 1;
  }
  for (const std::string &type : also)
    passed &= checkNarrowGradients(session, request, options, type);
  results() << (passed ? "all gradients agree\n" : "gradients differ\n");
  return passed ? 0 : 1;
}

int ampc::runCheck() {
  for (const std::string &type : also)
    if ((type != "bf16" && type != "f16") || against.getNumOccurrences() || trackNonFinite) {
      messages() << "ampc: error: expected --also=bf16, f16 or both, without --against and "
                    "--track-nonfinite, but got --also="
                 << shown(type) << "\n";
      return 1;
    }
  if (against.getNumOccurrences() || trackNonFinite)
    return runSideBySide();
  using Reference = std::reference_wrapper<const cl::Option>; // the & of a list yields its elements
  for (const cl::Option &option :
       std::initializer_list<Reference>{steps, stepName, tolerance, order, jsonFile, csvFile})
    if (option.getNumOccurrences()) {
      messages() << "ampc: error: expected --against with --" << option.ArgStr << "\n";
      return 1;
    }
  if (precision.areGiven()) {
    messages() << "ampc: error: expected --against or --track-nonfinite with options on precision; "
                  "without these options gradients are checked in f64\n";
    return 1;
  }
  return checkGradients();
}
