// Report of `ampc check --against`, as text, JSON and CSV.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/AgainstReport.h"
#include "ampc/Data/Array.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/Escape.h"
#include "tools/ampc/ObservedRounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace ampc;

static constexpr double sensitivityFactor = 4;

void AgainstReport::add(const ObservedValue &value, const ampc_tensor &tensor) {
  rows.push_back({value, nameOf(ampc_dtype(tensor.dtype)), 0, 0, {}, 0, {}});
}

void AgainstReport::note(size_t number, unsigned step, const Deviation &deviation) {
  Row &row = rows[number];
  row.errors.push_back({step, deviation});
  explored |= deviation.reached > 0;
  if (row.step == 0 || !(deviation.norm <= row.worst.norm)) {
    row.worst = deviation;
    row.step = step;
  }
}

/// Allowed error: a few times the effect of rounding the inputs, since every op rounds again.
double AgainstReport::allowed(const Deviation &deviation) const {
  double inherent = std::max(sensitivityFactor * deviation.sensitivity, deviation.reached);
  bool counts = std::isfinite(inherent) && !deviation.isWithoutParameters;
  return counts ? std::max(tolerance, inherent) : tolerance;
}

double AgainstReport::errorOf(const StepLoss &loss) const {
  double difference = std::fabs(loss.out.loss_double - loss.exact);
  return difference == 0 ? 0 : difference / std::fabs(loss.exact);
}

void AgainstReport::begin(llvm::StringRef type, llvm::StringRef against, double allowed) {
  precision = type.str();
  reference = against.str();
  tolerance = allowed;
}

/// The first round of a value beyond the tolerance that the error of all rounds is beyond.
int64_t AgainstReport::firstBadRound(const Deviation &deviation) const {
  auto isBadRound = [&](double norm) { return !(norm <= allowed(deviation)); };
  auto bad = llvm::find_if(deviation.roundNorms, isBadRound);
  return bad == deviation.roundNorms.end() ? 0 : bad - deviation.roundNorms.begin();
}

/// Finds the first divergence in time: the earliest step, in that step the earliest value, by
/// rounds inside loops.
void AgainstReport::findFirstBad() {
  std::vector<ObservedValue> values;
  for (const Row &row : rows)
    values.push_back(row.value);
  ObservedOrder order(values);
  auto timeOf = [&](size_t row) {
    return std::pair(rows[row].firstBad, order.timeOf(row, rows[row].badRound));
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    Row &row = rows[i];
    auto bad = llvm::find_if(row.errors, [&](auto &at) { return isBad(at.second); });
    if (bad == row.errors.end())
      continue;
    row.firstBad = bad->first;
    row.badRound = firstBadRound(bad->second);
    if (firstBad < 0 || timeOf(i) < timeOf(firstBad))
      firstBad = int(i);
  }
}

void AgainstReport::finish(double unit) {
  findFirstBad();
  for (size_t i = 0; i < rows.size(); ++i)
    if (double g = growthOf(rows[i], unit); g > growth) {
      growth = g;
      worstGrowth = int(i);
    }
  for (const StepLoss &loss : losses)
    lossBad |= !(errorOf(loss) <= tolerance);
}

const AgainstReport::Row *AgainstReport::find(llvm::StringRef key) const {
  auto found = llvm::find_if(rows, [&](const Row &row) { return row.value.key == key; });
  return found == rows.end() ? nullptr : &*found;
}

/// Ratio of the error to the producers' largest error, at least a unit of rounding.
double AgainstReport::growthOf(const Row &row, double unit) const {
  if (!std::isfinite(row.worst.norm))
    return 0;
  double before = unit;
  for (const std::string &name : row.value.producers)
    if (const Row *producer = find(name))
      before = std::max(before, producer->worst.norm);
  return row.worst.norm / before;
}

int AgainstReport::nameWidth() const {
  size_t width = 5;
  for (const Row &row : rows)
    width = std::max(width, row.value.key.size());
  return int(width);
}

void AgainstReport::printRow(llvm::raw_ostream &os, const Row &row, int width) const {
  os << llvm::format("  %-*s  %-15s  %-4s  ", width, row.value.key.c_str(),
                     textOf(row.value.kind).str().c_str(), row.type.c_str());
  if (row.step)
    os << llvm::format("%9.2e  %9.2e  %9.2e  %11.2e", row.worst.norm, row.worst.max,
                       row.worst.largest, row.worst.sensitivity);
  else
    os << "     not computed: the step stopped    ";
  os << (row.firstBad ? "  !" : "   ") << " " << row.value.location
     << (row.firstBad ? ObservedRounds(row.value).textOf(row.badRound) : "") << "\n";
}

void AgainstReport::printLosses(llvm::raw_ostream &os) const {
  for (size_t i = 0; i < losses.size(); ++i) {
    const StepLoss &loss = losses[i];
    os << llvm::format("step %zu: loss %.9g, in %s %.9g, relative error %.2e", i + 1,
                       loss.out.loss_double, reference.c_str(), loss.exact, errorOf(loss));
    if (loss.skippedBefore)
      os << llvm::format("; %u skipped before, until the loss scale was %g", loss.skippedBefore,
                         double(loss.out.loss_scale));
    if (loss.out.skipped)
      os << llvm::format("; skipped, with a loss scale of %g", double(loss.out.loss_scale));
    if (loss.status == AMPC_E_NONFINITE_LOSS)
      os << "; nothing was updated";
    os << "\n";
  }
}

void AgainstReport::printGradients(llvm::raw_ostream &os) const {
  os << "gradients of parameters\n";
  for (const Row &row : rows)
    if (row.value.kind == ValueKind::WeightGradient)
      os << llvm::format("  %-*s  %9.2e  %9.2e%s\n", nameWidth(), row.value.key.c_str(),
                         row.worst.norm, row.worst.max, row.firstBad ? "  !" : "");
}

void AgainstReport::printProducers(llvm::raw_ostream &os, const Row &row) const {
  os << "  at " << row.value.location << "\n"
     << (row.value.producers.empty() ? "" : "  made from\n");
  for (const std::string &name : row.value.producers) {
    os << "    " << name;
    if (const Row *producer = find(name); producer && producer->step)
      os << llvm::format(" (%s): relative error %.2e, largest magnitude %.4g",
                         producer->type.c_str(), producer->worst.norm, producer->worst.largest);
    os << "\n";
  }
}

void AgainstReport::printDivergence(llvm::raw_ostream &os) const {
  if (worstGrowth >= 0 && worstGrowth != firstBad && growth > 1) {
    const Row &row = rows[worstGrowth];
    os << "largest growth of the error: " << row.value.key
       << llvm::format(": relative error %.2e, %.3g times the error of the operands\n",
                       row.worst.norm, growth);
    printProducers(os, row);
  }
  if (firstBad < 0) {
    os << llvm::format("all %zu values agree within %.3g or %g times the sensitivity%s%s\n",
                       rows.size(), tolerance, sensitivityFactor,
                       explored ? ", or the effect of changes within rounding" : "",
                       lossBad ? ", but the loss does not" : "");
    return;
  }
  const Row &row = rows[firstBad];
  const Deviation &error =
      llvm::find_if(row.errors, [&](auto &at) { return at.first == row.firstBad; })->second;
  os << "first divergence: " << row.value.key << " (" << row.value.op << ", "
     << textOf(row.value.kind) << ", " << row.type << ")"
     << llvm::format(" in step %u", row.firstBad) << (row.value.loops.empty() ? "" : ", first")
     << ObservedRounds(row.value).textOf(row.badRound)
     << llvm::format(": relative error %.2e, tolerance %.3g\n", error.norm, allowed(error));
  printProducers(os, row);
}

void AgainstReport::print(llvm::raw_ostream &os, bool byError, bool isRandom) const {
  os << precision << " against " << reference << ", " << losses.size()
     << (losses.size() == 1 ? " step" : " steps") << (isRandom ? ", random data" : "") << "\n";
  printLosses(os);
  int width = nameWidth();
  os << llvm::format("  %-*s  %-15s  %-4s  %9s  %9s  %9s  %11s\n", width, "value", "kind", "type",
                     "norm-wise", "max-wise", "largest", "sensitivity");
  std::vector<const Row *> order;
  for (const Row &row : rows)
    order.push_back(&row);
  auto rank = [](const Row *row) {
    return std::isnan(row->worst.norm) ? HUGE_VAL : row->worst.norm;
  };
  if (byError)
    llvm::stable_sort(order, [&](const Row *a, const Row *b) { return rank(a) > rank(b); });
  for (const Row *row : order)
    printRow(os, *row, width);
  printGradients(os);
  printDivergence(os);
}

/// JSON number; null for infinity and NaN, which JSON lacks.
static llvm::json::Value jsonOf(double x) {
  return std::isfinite(x) ? llvm::json::Value(x) : llvm::json::Value(nullptr);
}

static bool write(const std::string &path, llvm::StringRef text, std::string &error) {
  llvm::Error problem = writeFile(path, text);
  if (problem)
    error = "cannot write " + path + ": " + llvm::toString(std::move(problem));
  return error.empty();
}

bool AgainstReport::writeJson(const std::string &path, std::string &error) const {
  std::string text;
  llvm::raw_string_ostream file(text);
  llvm::json::OStream json(file, 1);
  json.object([&] {
    json.attribute("precision", precision);
    json.attribute("against", reference);
    json.attribute("tolerance", tolerance);
    json.attribute("passed", passed());
    if (firstBad >= 0)
      json.attribute("first_divergence", rows[firstBad].value.key);
    if (worstGrowth >= 0)
      json.attribute("largest_growth", rows[worstGrowth].value.key);
    json.attributeArray("steps", [&] {
      for (const StepLoss &loss : losses)
        json.object([&] {
          json.attribute("loss", jsonOf(loss.out.loss_double));
          json.attribute("reference_loss", jsonOf(loss.exact));
          json.attribute("relative_error", jsonOf(errorOf(loss)));
          json.attribute("loss_scale", loss.out.loss_scale);
          json.attribute("skipped", loss.out.skipped != 0);
          json.attribute("skipped_before", loss.skippedBefore);
        });
    });
    json.attributeArray("values", [&] {
      for (const Row &row : rows)
        json.object([&] {
          json.attribute("name", row.value.key);
          json.attribute("op", row.value.op);
          json.attribute("kind", textOf(row.value.kind));
          json.attribute("type", row.type);
          json.attribute("location", row.value.location);
          json.attribute("norm_error", jsonOf(row.worst.norm));
          json.attribute("max_error", jsonOf(row.worst.max));
          json.attribute("largest", jsonOf(row.worst.largest));
          json.attribute("sensitivity", jsonOf(row.worst.sensitivity));
          json.attribute("reached", jsonOf(row.worst.reached));
          json.attribute("worst_step", row.step);
          json.attribute("first_divergent_step", row.firstBad);
          if (!row.value.loops.empty())
            json.attribute("first_divergent_round", row.firstBad ? row.badRound + 1 : 0);
          json.attributeArray("producers", [&] {
            for (const std::string &name : row.value.producers)
              json.value(name);
          });
        });
    });
  });
  file << "\n";
  return write(path, text, error);
}

bool AgainstReport::writeCsv(const std::string &path, std::string &error) const {
  std::string text;
  llvm::raw_string_ostream file(text);
  file << "name,op,kind,type,norm_error,max_error,largest,sensitivity,worst_step,first_divergent_"
          "step,"
          "location\n";
  for (const Row &row : rows)
    file << inCsv(row.value.key) << "," << row.value.op << "," << textOf(row.value.kind) << ","
         << row.type
         << llvm::format(",%.6g,%.6g,%.6g,%.6g,%u,%u,", row.worst.norm, row.worst.max,
                         row.worst.largest, row.worst.sensitivity, row.step, row.firstBad)
         << inCsv(row.value.location) << "\n";
  return write(path, text, error);
}
