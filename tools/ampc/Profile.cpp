// ampc profile: exponents of the values of steps in f32, and the effect of 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Profile.h"
#include "ampc/Data/Log.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Batches.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/RunOptions.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::profileCommand("profile",
                                    "run steps in f32 and record the exponents of all values");

static RunOptions runOptions(profileCommand);
static CountOption steps("steps", cl::desc("runs of each step (default: 10)"), cl::init(10),
                         cl::sub(profileCommand));
static cl::opt<std::string>
    stepName("step", cl::desc("the train.step to run (default: all, one after the other)"),
             cl::sub(profileCommand));
static cl::opt<std::string> output("o", cl::desc("the profile (default: MODEL.profile.json)"),
                                   cl::value_desc("FILE"), cl::sub(profileCommand));
static cl::opt<std::string> svgFile("svg", cl::desc("histogram of the activations' gradients"),
                                    cl::value_desc("FILE.svg"), cl::sub(profileCommand));
static cl::list<std::string> targets("target",
                                     cl::desc("targets, as in ampc compile (default: cpu)"),
                                     cl::value_desc("LIST"), cl::CommaSeparated,
                                     cl::sub(profileCommand));
static cl::opt<std::string> resume("resume", cl::desc("checkpoint to start from"),
                                   cl::value_desc("FILE.safetensors"), cl::sub(profileCommand));

/// Sum over the gradients whose storage 16 bits would change: activations' gradients, without
/// statistics.
static ValueProfile sumOfGradients(const StepProfile &profile) {
  ValueProfile sum;
  for (const ValueProfile &value : profile.values) {
    if (value.kind != ValueKind::Gradient || value.isStatistic)
      continue;
    sum.elements += value.elements;
    sum.zeros += value.zeros;
    sum.nonfinite += value.nonfinite;
    sum.max = std::max(sum.max, value.max);
    for (auto [exponent, count] : value.counts)
      sum.counts[exponent] += count;
  }
  return sum;
}

static std::string shareOf(int64_t count, int64_t total) {
  std::string text;
  llvm::raw_string_ostream(text) << count
                                 << llvm::format(" (%.3g %%)",
                                                 total ? 100.0 * double(count) / double(total)
                                                       : 0.0);
  return text;
}

static void printScale(const ValueProfile &gradients, const FloatFormat &format, double scale,
                       const std::string &name) {
  int shift = std::ilogb(scale);
  int64_t flushed = gradients.countBetween(-10000, format.smallest - shift),
          subnormal = gradients.countBetween(format.smallest - shift, format.normal - shift);
  results() << llvm::format("  %-20s  %-22s  %-22s  %.4g\n", name.c_str(),
                            shareOf(flushed, gradients.elements).c_str(),
                            shareOf(subnormal, gradients.elements).c_str(), gradients.max * scale);
}

/// Prints the values that do not fit a 16-bit type, by the compiler's criteria.
static void printMisfits(const StepProfile &profile, llvm::ArrayRef<ObservedValue> observed,
                         const FloatFormat &format, double scale) {
  llvm::StringSet<> told;
  auto tell = [&](const ValueProfile &value, const std::optional<std::string> &why) {
    if (why && told.insert(value.key).second)
      results() << "kept in f32 for " << format.name << ": " << value.key << " ("
                << textOf(value.kind) << "): " << *why << "\n";
  };
  for (const ValueProfile &value : profile.values)
    if (!value.isStatistic)
      tell(value, profile.misfit(value, format, scale));
  for (const ObservedValue &value : observed)
    if (const ValueProfile *sum = value.mayCancel ? profile.find(value.key) : nullptr)
      for (const std::string &name : value.producers)
        if (const ValueProfile *operand = profile.find(name))
          tell(*operand, profile.cancellation(*operand, *sum, format));
}

static void printUpdates(const StepProfile &profile) {
  ParameterProfile sum;
  for (const ParameterProfile &parameter : profile.parameters) {
    sum.updates += parameter.updates;
    sum.lostInF16 += parameter.lostInF16;
    sum.lostInBF16 += parameter.lostInBF16;
  }
  results() << "updates of parameters: " << sum.updates << "; without master weights f16 loses "
            << shareOf(sum.lostInF16, sum.updates) << ", bf16 "
            << shareOf(sum.lostInBF16, sum.updates) << "\n";
}

static void print(const StepProfile &profile, llvm::ArrayRef<ObservedValue> observed) {
  const FloatFormat &half = *findFormat("f16"), &brain = *findFormat("bf16");
  ValueProfile gradients = sumOfGradients(profile);
  double scale = profile.lossScale();
  std::string scaleText;
  llvm::raw_string_ostream(scaleText) << llvm::format("%.9g", scale);
  results() << profile.values.size() << " values of step @" << profile.step << " in "
            << profile.steps << (profile.steps == 1 ? " step" : " steps") << "\n"
            << "gradients of activations: " << gradients.elements << " elements, "
            << shareOf(gradients.zeros, gradients.elements) << " are 0\n"
            << llvm::format("  %-20s  %-22s  %-22s  %s\n", "in 16 bits", "flushed to 0",
                            "subnormal", "largest");
  printScale(gradients, half, 1, "f16");
  printScale(gradients, half, scale, "f16 scaled by " + scaleText);
  printScale(gradients, brain, 1, "bf16");
  printUpdates(profile);
  results() << "loss scale for f16: " << scaleText << "\n";
  printMisfits(profile, observed, half, scale);
  printMisfits(profile, observed, brain, 1);
}

static Bars barsOf(const ValueProfile &gradients, const std::string &name, int shift) {
  Bars bars{name, 0, {}};
  if (gradients.counts.empty())
    return bars;
  bars.first = gradients.counts.begin()->first + shift;
  for (int e = gradients.counts.begin()->first; e <= gradients.counts.rbegin()->first; ++e)
    bars.heights.push_back(100.0 * double(gradients.countBetween(e, e + 1)) /
                           double(gradients.elements));
  return bars;
}

static bool draw(const StepProfile &profile, llvm::StringRef model, const std::string &path,
                 std::string &error) {
  const FloatFormat &half = *findFormat("f16");
  ValueProfile gradients = sumOfGradients(profile);
  int shift = std::ilogb(profile.lossScale());
  std::vector<Bars> bars{barsOf(gradients, "unscaled", 0)};
  if (shift)
    bars.push_back(barsOf(gradients, "scaled by 2^" + std::to_string(shift), shift));
  return writeBarChart(path, ("Gradients of activations, " + model).str(), "log2 of the magnitude",
                       "% of all elements", bars,
                       {{half.smallest, "below: 0 in f16"},
                        {half.normal, "below: subnormal"},
                        {16, "above: infinite"}},
                       error);
}

/// Draws the steps: `x.svg` for a single step, `x.STEP.svg` for several.
static bool drawAll(const Profile &profile, std::string &error) {
  if (svgFile.empty())
    return true;
  llvm::StringRef stem = svgFile;
  stem.consume_back(".svg");
  return llvm::all_of(profile.steps, [&](const StepProfile &step) {
    return draw(step, profile.model,
                profile.steps.size() == 1 ? svgFile : (stem + "." + step.step + ".svg").str(),
                error);
  });
}

namespace {
/// A step of the model, with data and collected statistics.
class ProfiledStep {
public:
  ProfiledStep(Observer &observer, int program) : observer(observer), program(program) {}
  bool open(const Dataset &data, std::string &error) {
    if (!observer.select(program))
      return false;
    observed = observer.getValues().vec();
    profile.step = observer.getStep().str();
    for (const ampc_tensor &input : realInputs())
      profile.values.push_back(
          {input.name, ValueKind::Forward, elementCount(input) == 1, 0, 0, 0, 0, {}});
    for (const ObservedValue &value : observed)
      if (value.kind != ValueKind::Update)
        profile.values.push_back({value.key, value.kind, value.isStatistic, 0, 0, 0, 0, {}});
    return batches.open(observer.getTables(), data, {runOptions.seed, runOptions.shuffle}, error);
  }
  bool step(unsigned number);
  const StepProfile &getProfile() const { return profile; }
  void print() const { ::print(profile, observed); }

private:
  /// Inputs of real type, the first values of the profile.
  std::vector<ampc_tensor> realInputs() const;
  void noteInputs(uint32_t valid);
  void noteUpdates(const Snapshot &before, const Snapshot &after);

  Observer &observer;
  int program;
  Batches batches;
  StepProfile profile;
  std::vector<ObservedValue> observed;
};
} // namespace

std::vector<ampc_tensor> ProfiledStep::realInputs() const {
  const ampc_program &tables = observer.getTables();
  std::vector<ampc_tensor> inputs(tables.inputs, tables.inputs + tables.input_count);
  llvm::erase_if(inputs, [](const ampc_tensor &input) { return !isReal(input); });
  return inputs;
}

void ProfiledStep::noteInputs(uint32_t valid) {
  const ampc_program &tables = observer.getTables();
  for (int32_t i = 0, row = 0; i < tables.input_count; ++i) {
    const ampc_tensor &input = tables.inputs[i];
    if (!isReal(input))
      continue;
    std::vector<double> reals = readReals(input, batches.getInputs()[i]);
    if (input.batched)
      reals.resize(reals.size() / size_t(tables.batch) * valid);
    for (double x : reals)
      profile.values[row].add(x);
    ++row;
  }
}

void ProfiledStep::noteUpdates(const Snapshot &before, const Snapshot &after) {
  const ampc_model &model = observer.getSession().getModel();
  for (int i = 0; i < model.slot_count; ++i) {
    if (model.slots[i].role != AMPC_ROLE_PARAM)
      continue;
    llvm::StringRef name = model.slots[i].tensor.name;
    std::vector<double> old = before.read(name), now = after.read(name);
    if (old == now)
      continue;
    auto known = llvm::find_if(profile.parameters, [&](auto &p) { return p.name == name; });
    if (known == profile.parameters.end()) {
      profile.parameters.push_back({name.str(), 0, 0, 0});
      known = std::prev(profile.parameters.end());
    }
    for (size_t k = 0; k < now.size(); ++k)
      known->add(old[k], now[k]);
  }
}

bool ProfiledStep::step(unsigned number) {
  if (!observer.select(program))
    return false;
  std::vector<int> row(observed.size(), -1);
  int rows = int(realInputs().size());
  for (auto [value, what] : llvm::enumerate(observed))
    if (what.kind != ValueKind::Update)
      row[value] = rows++;
  Snapshot before, after;
  before.take(observer.getSession());
  uint32_t valid = batches.fill(number);
  ampc_train_out out;
  ampc_status status =
      observer.run(batches.getInputs(), out, valid, [&](size_t value, const void *bytes) {
        if (row[value] < 0)
          return;
        for (double x : readReals(observer.getTensor(value), bytes))
          profile.values[row[value]].add(x);
      });
  if (status < 0) {
    fail("step " + llvm::Twine(number + 1) + ": " + ampc_rt_status_string(status) + ": " +
         observer.getSession().lastError());
    return false;
  }
  after.take(observer.getSession());
  noteInputs(valid);
  noteUpdates(before, after);
  ++profile.steps;
  return true;
}

/// Opens the steps' data; non-finite elements are allowed, and counted.
static bool openAll(std::vector<ProfiledStep> &runs, llvm::ArrayRef<int> programs,
                    const Sources &sources, const ampc_model &model, Dataset &data,
                    std::string &error) {
  auto tables = llvm::map_to_vector(
      programs, [&](int p) -> const ampc_program * { return &model.programs[p]; });
  return data.open(tables, sources, {"data", false}, error) &&
         llvm::all_of(runs, [&](ProfiledStep &run) { return run.open(data, error); });
}

static std::string outputPath() {
  if (!output.empty())
    return output;
  llvm::StringRef stem = runOptions.input;
  stem.consume_back(".mlir");
  return (stem + ".profile.json").str();
}

static int writeProfile(const Profile &profile) {
  std::string path = outputPath();
  std::string text;
  llvm::raw_string_ostream os(text);
  profile.write(os);
  if (llvm::Error error = writeFile(path, text))
    return fail("cannot write " + path + ": " + llvm::toString(std::move(error)));
  if (!isQuiet())
    results() << "wrote " << path << "\n";
  return 0;
}

int ampc::runProfile() {
  auto sources = runOptions.data.read();
  if (!sources)
    return fail(llvm::toString(sources.takeError()));
  CompileRequest request = requestFor(runOptions.input);
  if (!targets.empty())
    request.options.targets.assign(targets.begin(), targets.end());
  request.shown = Shown::Warnings; // remarks on f32 are irrelevant to a profile
  if (llvm::Error mistake =
          checkOutputs({outputPath(), svgFile}, *sources, {runOptions.input, resume}))
    return fail(llvm::toString(std::move(mistake)));
  ampc_options options = runOptions.stateOptions();
  Observer observer;
  if (!observer.open(request, options))
    return 1;
  Session &session = observer.getSession();
  std::vector<int> programs = findSteps(session, stepName);
  std::vector<ProfiledStep> runs;
  for (int program : programs)
    runs.emplace_back(observer, program);
  Dataset data;
  std::string error;
  if (programs.empty() || !openAll(runs, programs, *sources, session.getModel(), data, error))
    return error.empty() ? 1 : fail(error);
  if (!resume.empty()) {
    ampc_status status = ampc_rt_load(session.getState(), resume.c_str(), AMPC_LOAD_WEIGHTS);
    if (status != AMPC_OK)
      return fail(llvm::Twine(ampc_rt_status_string(status)) + ": " + session.lastError());
  }
  for (unsigned number = 0; number < steps; ++number)
    for (ProfiledStep &run : runs)
      if (!run.step(number))
        return 1;
  Profile profile;
  profile.model = session.getModel().name;
  for (const ProfiledStep &run : runs) {
    run.print();
    profile.steps.push_back(run.getProfile());
  }
  if (!drawAll(profile, error))
    return fail(error);
  return writeProfile(profile);
}
