// ampc profile: exponents of a step's values in f32, and what f16 would make of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Transforms/Profile.h"
#include "Batches.h"
#include "Commands.h"
#include "Observer.h"
#include "ampc/Data/Log.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::profileCommand("profile",
                                    "run steps in f32 and record the exponents of their values");

static cl::opt<std::string> input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required,
                                  cl::sub(profileCommand));
static cl::list<std::string>
    data("data", cl::desc("an input's rows: a .npy file, or FILE.safetensors:TENSOR"),
         cl::value_desc("INPUT=FILE"), cl::sub(profileCommand));
static cl::opt<unsigned> steps("steps", cl::desc("number of steps (default: 10)"), cl::init(10),
                               cl::sub(profileCommand));
static cl::opt<std::string> stepName("step",
                                     cl::desc("the train.step to run (default: the only one)"),
                                     cl::sub(profileCommand));
static cl::opt<std::string> output("o", cl::desc("the profile (default: MODEL.profile.json)"),
                                   cl::value_desc("FILE"), cl::sub(profileCommand));
static cl::opt<std::string> svgFile("svg", cl::desc("histogram of the activations' gradients"),
                                    cl::value_desc("FILE.svg"), cl::sub(profileCommand));
static cl::opt<std::string> resume("resume", cl::desc("checkpoint to start from"),
                                   cl::value_desc("FILE.safetensors"), cl::sub(profileCommand));
static cl::opt<uint64_t>
    seed("seed", cl::desc("of first values, random ops and the order of the data (default: 0)"),
         cl::init(0), cl::sub(profileCommand));
static cl::opt<bool> shuffle("shuffle", cl::desc("new order in every epoch (default: true)"),
                             cl::init(true), cl::sub(profileCommand));
static cl::opt<int> threads("threads", cl::desc("default: as many as the process may use"),
                            cl::init(0), cl::sub(profileCommand));

static int fail(const llvm::Twine &message) {
  llvm::errs() << "ampc: error: " << message << "\n";
  return 1;
}

/// The gradients whose storage 16 bits would change: of activations, without single numbers.
static ValueProfile sumOfGradients(const Profile &profile) {
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

static void printScale(const ValueProfile &gradients, double scale, const std::string &name) {
  int shift = std::ilogb(scale);
  int64_t flushed = gradients.countBetween(-10000, half::smallest - shift),
          subnormal = gradients.countBetween(half::smallest - shift, half::normal - shift);
  llvm::outs() << llvm::format(
      "  %-20s  %-22s  %-22s  %.4g\n", name.c_str(), shareOf(flushed, gradients.elements).c_str(),
      shareOf(subnormal, gradients.elements).c_str(), gradients.max * scale);
}

static void print(const Profile &profile) {
  ValueProfile gradients = sumOfGradients(profile);
  double scale = profile.lossScale();
  std::string scaleText;
  llvm::raw_string_ostream(scaleText) << llvm::format("%.9g", scale);
  llvm::outs() << profile.values.size() << " values of step @" << profile.step << " in "
               << profile.steps << (profile.steps == 1 ? " step" : " steps") << "\n"
               << "gradients of activations: " << gradients.elements << " elements, "
               << shareOf(gradients.zeros, gradients.elements) << " are 0\n"
               << llvm::format("  %-20s  %-22s  %-22s  %s\n", "in f16", "flushed, < 2^-24",
                               "subnormal, < 2^-14", "largest");
  printScale(gradients, 1, "unscaled");
  printScale(gradients, scale, "scaled by " + scaleText);
  llvm::outs() << "loss scale: " << scaleText << "\n";
  for (const ValueProfile &value : profile.values)
    if (!value.isStatistic)
      if (auto why = profile.misfit(value, scale))
        llvm::outs() << "kept in f32: " << value.key << " (" << textOf(value.kind) << "): " << *why
                     << "\n";
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

static bool draw(const Profile &profile, std::string &error) {
  ValueProfile gradients = sumOfGradients(profile);
  int shift = std::ilogb(profile.lossScale());
  std::vector<Bars> bars{barsOf(gradients, "unscaled", 0)};
  if (shift)
    bars.push_back(barsOf(gradients, "scaled by 2^" + std::to_string(shift), shift));
  return writeBarChart(svgFile, "Gradients of activations, " + profile.model,
                       "log2 of the magnitude", "% of all elements", bars,
                       {{half::smallest, "below: 0 in f16"},
                        {half::normal, "below: subnormal"},
                        {16, "above: infinite"}},
                       error);
}

static bool runSteps(Observer &observer, Batches &batches, Profile &profile) {
  std::vector<int> row(observer.getValues().size(), -1);
  for (auto [number, value] : llvm::enumerate(observer.getValues())) {
    if (value.kind == ValueKind::Update)
      continue;
    row[number] = int(profile.values.size());
    ValueProfile &entry = profile.values.emplace_back();
    entry.key = value.key;
    entry.kind = value.kind;
    entry.isStatistic = value.isStatistic;
  }
  for (unsigned i = 0; i < steps; ++i) {
    uint32_t valid = batches.fill(i);
    ampc_train_out out;
    ampc_status status =
        observer.run(batches.getInputs(), out, valid, [&](size_t value, const void *bytes) {
          if (row[value] < 0)
            return;
          for (double x : readReals(observer.getTensor(value), bytes))
            profile.values[row[value]].add(x);
        });
    if (status < 0) {
      fail(llvm::Twine("step ") + llvm::Twine(i + 1) + ": " + ampc_rt_status_string(status) + ": " +
           observer.getSession().lastError());
      return false;
    }
  }
  profile.steps = steps;
  return true;
}

static int writeProfile(const Profile &profile) {
  std::string path = output;
  if (path.empty()) {
    llvm::StringRef stem = input;
    stem.consume_back(".mlir");
    path = (stem + ".profile.json").str();
  }
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    profile.write(os);
    return llvm::Error::success();
  });
  if (error)
    return fail("cannot write " + path + ": " + llvm::toString(std::move(error)));
  llvm::outs() << "wrote " << path << "\n";
  return 0;
}

int ampc::runProfile() {
  if (steps == 0)
    return fail("expected --steps of at least 1");
  auto sources = readSources(data);
  if (!sources)
    return fail(llvm::toString(sources.takeError()));
  CompileRequest request;
  request.input = input;
  ampc_options options = {};
  options.seed = seed;
  options.threads = threads;
  Observer observer;
  if (!observer.open(request, options, stepName))
    return 1;
  std::string error;
  Batches batches;
  if (!batches.open(observer.getTables(), *sources, seed, shuffle, error))
    return fail(error);
  if (!resume.empty()) {
    ampc_state *state = observer.getSession().getState();
    ampc_status status = ampc_rt_load(state, resume.c_str(), AMPC_LOAD_WEIGHTS);
    if (status != AMPC_OK)
      return fail(llvm::Twine(ampc_rt_status_string(status)) + ": " +
                  observer.getSession().lastError());
  }
  Profile profile;
  profile.model = observer.getSession().getModel().name;
  profile.step = observer.getStep().str();
  if (!runSteps(observer, batches, profile))
    return 1;
  print(profile);
  if (!svgFile.empty() && !draw(profile, error))
    return fail(error);
  return writeProfile(profile);
}
