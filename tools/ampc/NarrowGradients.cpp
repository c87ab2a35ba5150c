// Gradients in 16 bits against gradients in f64, for ampc check --also.
//
// The bound of a gradient g is a first-order analysis with measured condition numbers. With u the
// unit of rounding,
//   |error| <= ownRoundings u |g| + pathRoundings d,
// where d is the largest |change| of g in f64 when parameters and inputs are rounded once, or all
// moved at random by up to 2 u (|x| is the 2-norm).
//  * The program rounds parameters and inputs as d does, and then values between ops. An error of u
//    in such a value has the effect of the same error in the leaves behind the value. Errors of n
//    consecutive values are independent, so the total is sqrt(n) times a single error; a move by up
//    to 2 u is 2.7 times a rounding in root mean square (2 u / sqrt(3) against 0.42 u, the mean
//    over a binade), and d is the largest of several. Hence 2 d covers paths of n < 30 roundings,
//    many more than a test of a single op has.
//  * Values that no leaf moves are rounded, too: the cotangent that enters the adjoint, the
//    adjoint's result, the sum of two uses, and the gradient, each by at most u relative.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/NarrowGradients.h"
#include "ampc/Support/GradientNames.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/Rounding.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace ampc;

static constexpr double ownRoundings = 4, pathRoundings = 2;

/// Random moves of the leaves, in addition to a rounding.
static constexpr unsigned moves = 16;

std::vector<double> ampc::readGradient(Session &session, llvm::StringRef step,
                                       llvm::StringRef param) {
  const ampc_model &model = session.getModel();
  int slot = session.findSlot(gradientName(step, param));
  int rows = session.findSlot(gradientRowsName(step, param));
  const ampc_tensor &tensor = model.slots[slot].tensor;
  std::vector<double> values = readReals(tensor, session.slotData(slot));
  if (rows < 0)
    return values;
  std::vector<double> dense(elementCount(model.slots[session.findSlot(param)].tensor));
  auto *numbers = static_cast<int32_t *>(session.slotData(rows));
  int64_t width = values.size() / tensor.dims[0];
  for (int64_t k = 0; k < tensor.dims[0]; ++k)
    if (numbers[k] >= 0)
      std::copy_n(values.begin() + k * width, width, dense.begin() + numbers[k] * width);
  return dense;
}

static double normOf(llvm::ArrayRef<double> x) {
  double sum = 0;
  for (double v : x)
    sum += v * v;
  return std::sqrt(sum);
}
static double distance(llvm::ArrayRef<double> x, llvm::ArrayRef<double> y) {
  std::vector<double> difference(x.begin(), x.end());
  for (size_t k = 0; k < y.size(); ++k)
    difference[k] = x[k] == y[k] ? 0 : x[k] - y[k];
  return normOf(difference);
}

namespace {
class NarrowCheck {
public:
  NarrowCheck(Session &exact, const FloatFormat &type, llvm::StringRef precision, unsigned seed)
      : exact(exact), type(type), precision(precision), random(seed) {}
  bool open(CompileRequest request, const ampc_options &options);
  bool run();

private:
  using Change = llvm::function_ref<void(const ampc_tensor &tensor, void *data)>;
  bool runStep(int program);
  bool runProgram(Session &session, int program, llvm::ArrayRef<const void *> inputs);
  /// Gradients of `params` in f64 with changed leaves; empty after a failure.
  std::vector<std::vector<double>> changed(int program, Change change);

  Session &exact;
  Session narrow{SessionOptions::ofCommandLine()};
  const FloatFormat &type;
  llvm::StringRef precision;
  std::string step;
  Random random;
  Snapshot start, narrowStart;
  std::vector<std::string> params;
  std::vector<std::vector<double>> wideInputs;
  std::vector<const void *> inputs; // inputs of the f64 program
};
} // namespace

bool NarrowCheck::open(CompileRequest request, const ampc_options &options) {
  request.options.precision = precision.str();
  request.options.policy = "narrow";
  request.options.lossScaling = "none"; // models under test have numbers around 1
  request.shown = Shown::Errors;
  if (!narrow.open(request, options))
    return false;
  // Starts both from the f32 parameters, since the check in f64 may have moved the parameters.
  const ampc_model &model = narrow.getModel();
  for (int i = 0; i < model.slot_count; ++i) {
    const ampc_tensor &tensor = model.slots[i].tensor;
    int other = exact.findSlot(tensor.name);
    if (other < 0 || tensor.dtype != AMPC_F32 ||
        exact.getModel().slots[other].tensor.dtype != AMPC_F64)
      continue;
    auto *wide = static_cast<double *>(exact.slotData(other));
    auto *values = static_cast<float *>(narrow.slotData(i));
    for (int64_t k = 0, count = elementCount(tensor); wide && values && k < count; ++k)
      wide[k] = values[k] = float(wide[k]);
  }
  narrow.refresh();
  exact.refresh();
  start.take(exact);
  narrowStart.take(narrow);
  return true;
}

/// Runs the program; resets the random counter, so that every run draws the same numbers.
bool NarrowCheck::runProgram(Session &session, int program, llvm::ArrayRef<const void *> inputs) {
  const ampc_model &model = session.getModel();
  for (int i = 0; i < model.slot_count; ++i)
    if (model.slots[i].role == AMPC_ROLE_RANDOM)
      static_cast<int64_t *>(session.slotData(i))[1] = 0;
  ampc_train_out out;
  ampc_status status = session.runStep(program, inputs, out);
  if (status >= 0 || status == AMPC_E_NONFINITE_LOSS) // non-finite values show in the gradients
    return true;
  messages() << "ampc: error: " << ampc_rt_status_string(status) << ": " << session.lastError()
             << "\n";
  return false;
}

std::vector<std::vector<double>> NarrowCheck::changed(int program, Change change) {
  start.restore(exact);
  const ampc_model &model = exact.getModel();
  for (int i = 0; i < model.slot_count; ++i)
    if (model.slots[i].role == AMPC_ROLE_PARAM && isReal(model.slots[i].tensor))
      change(model.slots[i].tensor, exact.slotData(i));
  exact.refresh();
  const ampc_program &tables = model.programs[program];
  std::vector<std::vector<char>> storage;
  std::vector<const void *> given(inputs);
  for (int i = 0; i < tables.input_count; ++i)
    if (isReal(tables.inputs[i])) {
      auto *bytes = static_cast<const char *>(inputs[i]);
      storage.emplace_back(bytes, bytes + tables.inputs[i].bytes);
      change(tables.inputs[i], storage.back().data());
      given[i] = storage.back().data();
    }
  std::vector<std::vector<double>> result;
  if (runProgram(exact, program, given))
    for (const std::string &param : params)
      result.push_back(readGradient(exact, step, param));
  return result;
}

bool NarrowCheck::runStep(int program) {
  const ampc_program &tables = narrow.getModel().programs[program];
  int other = exact.findProgram(AMPC_PROGRAM_GRAD, tables.name);
  RandomInputs made(tables, random);
  inputs.assign(made.get().begin(), made.get().end());
  wideInputs.clear();
  for (int i = 0; i < tables.input_count; ++i)
    if (isReal(tables.inputs[i])) {
      wideInputs.push_back(readReals(tables.inputs[i], made.get()[i]));
      inputs[i] = wideInputs.back().data();
    }
  narrowStart.restore(narrow);
  auto want = changed(other, [](const ampc_tensor &, void *) {});
  if (want.size() != params.size() || !runProgram(narrow, program, made.get()))
    return false;
  std::vector<double> reached(params.size());
  for (unsigned k = 0; k <= moves; ++k) {
    auto moved = changed(other, [&](const ampc_tensor &tensor, void *data) {
      k ? perturbReals(tensor, data, type, random) : roundReals(tensor, data, type);
    });
    for (size_t p = 0; p < moved.size(); ++p)
      reached[p] = std::fmax(reached[p], distance(moved[p], want[p]));
  }
  bool passed = true;
  for (auto [p, param] : llvm::enumerate(params)) {
    double error = distance(readGradient(narrow, step, param), want[p]), norm = normOf(want[p]);
    double allowed = ownRoundings * type.unit() * norm + pathRoundings * reached[p];
    double share = error == 0 ? 0 : error / allowed;
    bool good = share <= 1.0; // false for NaN
    passed &= good;
    results() << llvm::format("  %-30s %9.2e  %9.2e  %.3g%s\n", param.c_str(), error / norm,
                              allowed / norm, share, good ? "" : "  WRONG");
  }
  return passed;
}

bool NarrowCheck::run() {
  const ampc_model &model = narrow.getModel();
  bool passed = true;
  for (int i = 0; i < model.program_count; ++i) {
    if (model.programs[i].kind != AMPC_PROGRAM_GRAD)
      continue;
    step = stepNameOf(model, i);
    params.clear();
    for (int s = 0; s < model.slot_count; ++s) {
      auto name = GradientName::of(model.slots[s].tensor.name);
      if (model.slots[s].role == AMPC_ROLE_GRADIENT && name && name->step == step)
        params.push_back(name->param.str());
    }
    results() << "step " << step << " in " << precision << ", all in 16 bits\n"
              << "  parameter                          error    allowed  share of tolerance\n";
    passed &= runStep(i);
  }
  start.restore(exact);
  return passed;
}

bool ampc::checkNarrowGradients(Session &exact, CompileRequest request, const ampc_options &options,
                                llvm::StringRef precision) {
  NarrowCheck check(exact, *findFormat(precision), precision, options.seed);
  return check.open(std::move(request), options) && check.run();
}
