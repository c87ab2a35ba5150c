// Loss and metrics of a state on a data set.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Evaluation.h"
#include "ampc/Data/Mapping.h"
#include "ampc/Support/Nearest.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/MixedRows.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/RowStates.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace ampc;

Outputs::Outputs(const ampc_program &program) {
  for (int i = 0; i < program.output_count; ++i) {
    storage.emplace_back(program.outputs[i].bytes);
    pointers.push_back(storage.back().data());
  }
}

/// Evaluation program of a step: `fit_train_step` -> `fit_eval`, `train_step` -> `eval`.
int ampc::findEvaluation(const Session &session, int step) {
  llvm::StringRef name = session.getModel().programs[step].name;
  name.consume_back("train_step");
  return session.findProgram(AMPC_PROGRAM_EVAL, (name + "eval").str());
}

bool Evaluation::open(Session &s, llvm::ArrayRef<int> steps, const Dataset &data,
                      llvm::ArrayRef<std::string> wanted, std::string &error) {
  session = &s;
  losses.resize(steps.size());
  for (auto [part, step] : llvm::zip_equal(losses, steps)) {
    const ampc_model &model = s.getModel();
    part.program = findEvaluation(s, step);
    assert(part.program >= 0 && "every step has an evaluation");
    if (!part.batches.open(model.programs[part.program], data, {0, false}, error) ||
        !openTotals(part, step, data, error))
      return false;
    names.push_back(steps.size() == 1 ? "loss" : stepNameOf(model, step) + ".loss");
  }
  if (!findPredictions(data, error) || !chooseMetrics(wanted, error))
    return false;
  for (const MetricKind *metric : chosen)
    names.push_back(metric->name.str());
  return true;
}

static bool hasOnlyZerosAndOnes(const Dataset::Field &field) {
  Converter wide(field.array.element, AMPC_F64, field.source.affine);
  std::vector<double> row(field.width);
  auto *data = static_cast<const char *>(field.array.data);
  for (int64_t r = 0; r < field.rows; ++r) {
    wide.convert(data + r * field.width * bytesOf(field.array.element), row.data(), field.width);
    if (llvm::any_of(row, [](double x) { return x != 0 && x != 1; }))
      return false;
  }
  return true;
}

static int64_t rowWidth(const ampc_tensor &tensor) {
  return elementCount(tensor) / std::max<int64_t>(1, tensor.dims[0]);
}

/// Finds an output of the export that predicts the target.
bool Evaluation::matchTarget(int program, const Dataset::Field &field) {
  const ampc_program &tables = session->getModel().programs[program];
  if (!field.tensor.batched)
    return false;
  for (int i = 0; i < tables.output_count; ++i) {
    const ampc_tensor &result = tables.outputs[i];
    if (!result.batched || !isReal(result) || isRowState(result))
      continue;
    bool isClass = field.tensor.label_limit > 0;
    int64_t scores = isClass ? field.tensor.label_limit : 1;
    if ((isClass && (result.rank < 2 || result.dims[result.rank - 1] != scores)) ||
        (!isClass && !isReal(elementOf(field.tensor.dtype))) ||
        rowWidth(result) != field.width * scores)
      continue;
    target = &field;
    output = i;
    classes.count = field.tensor.label_limit;
    kind = isClass                      ? TargetKind::Class
           : hasOnlyZerosAndOnes(field) ? TargetKind::Binary
                                        : TargetKind::Number;
    return true;
  }
  return false;
}

/// Finds the first export whose inputs a step has, and whose output predicts another input of the
/// step.
bool Evaluation::findPredictions(const Dataset &data, std::string &error) {
  const ampc_model &model = session->getModel();
  for (int p = 0; p < model.program_count && !target; ++p) {
    const ampc_program &program = model.programs[p];
    if (program.kind != AMPC_PROGRAM_EXPORT)
      continue;
    llvm::ArrayRef<ampc_tensor> inputs(program.inputs, program.input_count);
    for (const ScoredProgram &part : losses)
      if (!target && matchStep(p, inputs, model.programs[part.program], data))
        predictions.program = p;
  }
  if (target)
    classes.ignore = session->getIgnoredLabels().find(target->source.input);
  // 0 also stands for "nothing ignored" in the tables.
  if (target && !classes.ignore && target->tensor.label_ignore)
    classes.ignore = target->tensor.label_ignore;
  return !target ||
         predictions.batches.open(model.programs[predictions.program], data, {0, false}, error);
}

bool Evaluation::matchStep(int program, llvm::ArrayRef<ampc_tensor> inputs,
                           const ampc_program &step, const Dataset &data) {
  llvm::ArrayRef<ampc_tensor> all(step.inputs, step.input_count);
  auto isIn = [](llvm::ArrayRef<ampc_tensor> tensors, const ampc_tensor &wanted) {
    return llvm::any_of(tensors, [&](const ampc_tensor &tensor) {
      return llvm::StringRef(tensor.name) == wanted.name && takeSameRows(tensor, wanted);
    });
  };
  if (!llvm::all_of(inputs, [&](const ampc_tensor &input) { return isIn(all, input); }))
    return false;
  return llvm::any_of(all, [&](const ampc_tensor &input) {
    return !isSupplied(input) && !isIn(inputs, input) && matchTarget(program, data.get(input.name));
  });
}

static const char *exportFor(TargetKind kind) {
  switch (kind) {
  case TargetKind::Class:
    return "an export with one score per class for an integer input of the step";
  case TargetKind::Binary:
    return "an export of the shape of an input of the step that holds 0 and 1";
  case TargetKind::Number:
    return "an export of the shape of an input of the step that holds numbers";
  }
  llvm_unreachable("all kinds are handled");
}

/// Reason why no metric of this name is available.
static std::string impossible(llvm::StringRef name) {
  std::vector<std::string> names, needs;
  for (const MetricKind &metric : metricKinds) {
    if (!llvm::is_contained(names, metric.name))
      names.push_back(metric.name.str());
    if (metric.name == name)
      needs.push_back(exportFor(metric.target));
  }
  if (needs.empty())
    return "expected --metrics of " + llvm::join(names, ", ") + ", but got " + name.str() +
           didYouMean(name, names);
  return "expected metrics that the model's exports allow, but got " + name.str() +
         ": this metric needs " + llvm::join(needs, ", or ");
}

bool Evaluation::chooseMetrics(llvm::ArrayRef<std::string> wanted, std::string &error) {
  auto isPossible = [&](const MetricKind &metric) { return target && metric.target == kind; };
  if (wanted.empty()) {
    for (const MetricKind &metric : metricKinds)
      if (isPossible(metric) && (metric.isShown == ByDefault::Always ||
                                 (metric.isShown == ByDefault::ForSequences && target->width > 1)))
        chosen.push_back(&metric);
    return true;
  }
  for (const std::string &name : wanted) {
    auto found = llvm::find_if(
        metricKinds, [&](auto &metric) { return metric.name == name && isPossible(metric); });
    if (found == metricKinds.end()) {
      error = impossible(name);
      return false;
    }
    chosen.push_back(&*found);
  }
  return true;
}

std::string Evaluation::getSource() const {
  if (chosen.empty())
    return "";
  return std::string("the export ") + session->getModel().programs[predictions.program].name +
         ", against " + target->source.input;
}

int64_t Evaluation::leftOut() const {
  int64_t rows = 0;
  for (const ScoredProgram &part : losses)
    rows = std::max(rows, part.batches.getLeftOut());
  return rows;
}

std::string Evaluation::batchLosses() const {
  std::vector<std::string> found;
  for (auto [name, part] : llvm::zip(names, losses))
    if (part.totals < 0 && part.batches.getPerEpoch() > 1)
      found.push_back(name);
  return llvm::join(found, ", ");
}

void Evaluation::noteMixedRows(llvm::StringRef data) const {
  std::string averaged = batchLosses();
  int64_t rows = leftOut();
  if (averaged.empty() && !rows)
    return;
  auto mixing = llvm::find_if(losses, [&](const ScoredProgram &part) {
    return session->getModel().programs[part.program].mixing;
  });
  std::string who = mixing == losses.end() ? "the model"
                                           : mixerOf(session->getRequest(),
                                                     session->getModel().programs[mixing->program]);
  if (!averaged.empty())
    note(averaged + data + " is the mean over batches: " + who +
         " mixes rows, so that the mean depends on the batch size");
  if (rows)
    note("the last " + llvm::Twine(rows) + " rows" + data + " are left out: " + who +
         " mixes rows, and these rows do not fill a batch");
}

static std::string failure(Session &session, ampc_status status) {
  return std::string(ampc_rt_status_string(status)) + ": " + session.lastError();
}

/// Opens the program of totals; no inputs are needed if the totals depend on `valid` alone.
bool Evaluation::openTotals(ScoredProgram &part, int step, const Dataset &data,
                            std::string &error) {
  const ampc_model &model = session->getModel();
  part.totals = session->findProgram(AMPC_PROGRAM_EVAL, "totals_" + stepNameOf(model, step));
  if (part.totals < 0)
    return true;
  const ampc_program &tables = model.programs[part.totals];
  bool hasData = llvm::any_of(llvm::ArrayRef(tables.inputs, tables.input_count),
                              [](const ampc_tensor &input) { return input.batched; });
  return !hasData || part.totalBatches.open(tables, data, {0, false}, error);
}

/// Runs a program on all batches of `rows`; the program itself may have no inputs.
bool Evaluation::runAll(int program, Batches &batches, const Batches &rows, Take take,
                        std::string &error) {
  Outputs outputs(session->getModel().programs[program]);
  RowStates states(session->getModel(), program, batches);
  states.begin();
  for (uint64_t step = 0; step < rows.getPerEpoch(); ++step) {
    uint32_t valid = rows.countOf(step);
    if (batches.isOpen())
      batches.fill(step);
    if (error = shortenedFile(); !error.empty())
      return false;
    ampc_status status = session->runFunction(program, batches.getInputs(), outputs.get(), valid,
                                              seedOfBatch(0, step));
    if (status < 0) {
      error = failure(*session, status);
      return false;
    }
    states.pass(outputs.get(), valid);
    take(outputs, valid);
  }
  return true;
}

/// Computes the totals of an evaluation. A total may depend on other totals: a further run for each
/// input that is a total makes all final.
bool Evaluation::runTotals(ScoredProgram &part, std::string &error) {
  const ampc_model &model = session->getModel();
  const ampc_program &tables = model.programs[part.totals];
  llvm::ArrayRef<ampc_tensor> found(tables.outputs, tables.output_count);
  int nested = llvm::count_if(llvm::ArrayRef(tables.inputs, tables.input_count), isTotal);
  for (int run = 0; run <= nested; ++run) {
    std::vector<std::vector<double>> sums;
    for (const ampc_tensor &output : found)
      sums.emplace_back(elementCount(output));
    auto take = [&](const Outputs &outputs, uint32_t) {
      for (auto [sum, tensor, memory] : llvm::zip_equal(sums, found, outputs.get())) {
        std::vector<double> added(sum.size());
        Converter(elementOf(tensor.dtype), AMPC_F64).convert(memory, added.data(), sum.size());
        for (auto [s, x] : llvm::zip_equal(sum, added))
          s += x;
      }
    };
    if (!runAll(part.totals, part.totalBatches, part.batches, take, error))
      return false;
    for (auto [program, batches] :
         {std::pair(part.program, &part.batches), std::pair(part.totals, &part.totalBatches)})
      for (int i = 0; i < model.programs[program].input_count; ++i)
        for (auto [sum, output] : llvm::zip_equal(sums, found))
          if (llvm::StringRef(model.programs[program].inputs[i].name) == output.name)
            batches->setInput(i, sum);
  }
  return true;
}

/// Loss on all data: the sum of the batches' contributions, or, if the loss is no such sum, the
/// mean over batches weighted by rows.
std::optional<double> Evaluation::runLoss(ScoredProgram &part, std::string &error) {
  const ampc_program &tables = session->getModel().programs[part.program];
  bool isSum = part.totals >= 0;
  if (isSum && !runTotals(part, error))
    return std::nullopt;
  Converter wide(elementOf(tables.outputs[0].dtype), AMPC_F64);
  double sum = 0, rows = 0;
  auto take = [&](const Outputs &outputs, uint32_t valid) {
    double loss, weight = std::max(valid, 1u);
    wide.convert(outputs.get()[0], &loss, 1);
    sum += isSum ? loss : loss * weight;
    rows += weight;
  };
  if (!runAll(part.program, part.batches, part.batches, take, error))
    return std::nullopt;
  return isSum ? sum : sum / rows;
}

/// Scores targets in slices: all scores of a language model in f64 would take too much memory.
void Evaluation::score(llvm::ArrayRef<std::unique_ptr<Metric>> metrics, const void *predicted,
                       int64_t first, int64_t count) const {
  const ampc_tensor &result = session->getModel().programs[predictions.program].outputs[output];
  int64_t scores = kind == TargetKind::Class ? classes.count : 1;
  Converter wideResult(elementOf(result.dtype), AMPC_F64),
      wideTarget(target->array.element, AMPC_F64, target->source.affine);
  // Whole rows, because scales apply along the last dimension of a row.
  int64_t part = target->width * std::max<int64_t>(1, 65536 / (scores * target->width));
  std::vector<double> some(part * scores), wanted(part);
  auto *data = static_cast<const char *>(target->array.data);
  for (int64_t i = 0; i < count; i += part) {
    int64_t size = std::min(part, count - i);
    wideResult.convert(static_cast<const char *>(predicted) +
                           i * scores * bytesOf(ampc_dtype(result.dtype)),
                       some.data(), size * scores);
    wideTarget.convert(data + (first + i) * bytesOf(target->array.element), wanted.data(), size);
    for (const std::unique_ptr<Metric> &metric : metrics)
      metric->add(some.data(), wanted.data(), size);
  }
}

bool Evaluation::runPredictions(llvm::ArrayRef<std::unique_ptr<Metric>> metrics,
                                std::string &error) {
  int64_t first = 0;
  auto take = [&](const Outputs &outputs, uint32_t valid) {
    score(metrics, outputs.get()[output], first, valid * target->width);
    first += valid * target->width;
  };
  return runAll(predictions.program, predictions.batches, predictions.batches, take, error);
}

std::optional<std::vector<Score>> Evaluation::run(std::string &error) {
  std::vector<Score> scores;
  for (auto [index, part] : llvm::enumerate(losses)) {
    std::optional<double> loss = runLoss(part, error);
    if (!loss)
      return std::nullopt;
    scores.push_back({names[index], loss});
  }
  std::vector<std::unique_ptr<Metric>> metrics;
  for (const MetricKind *metric : chosen)
    metrics.push_back(metric->make(classes));
  if (!metrics.empty() && !runPredictions(metrics, error))
    return std::nullopt;
  for (auto [kind, metric] : llvm::zip_equal(chosen, metrics))
    scores.push_back({kind->name.str(), metric->value()});
  return scores;
}
