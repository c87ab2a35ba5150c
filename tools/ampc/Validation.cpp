// Evaluations during training, and decisions by the best score.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Validation.h"
#include "ampc/Support/Nearest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <unistd.h>

using namespace ampc;

static std::string numberText(std::optional<double> value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (value)
    os << llvm::format("%.5g", *value);
  else
    os << "undefined";
  return text;
}

std::string ampc::textOf(llvm::ArrayRef<Score> scores, llvm::StringRef prefix) {
  std::string text;
  for (const Score &score : scores)
    text += (text.empty() ? "" : "  ") + prefix.str() + score.name + " " + numberText(score.value);
  return text;
}

bool Validation::open(Session &s, llvm::ArrayRef<int> steps, const Sources &sources,
                      const Dataset &training, bool finite, const Options &wanted,
                      std::string &error) {
  session = &s;
  options = wanted;
  std::vector<const ampc_program *> programs;
  for (int step : steps)
    programs.push_back(&s.getModel().programs[findEvaluation(s, step)]);
  if (!data.open(programs, sources, {"validate", finite, &training}, error) ||
      !evaluation.open(s, steps, data, options.metrics, error))
    return false;
  const std::vector<std::string> &names = getNames();
  if (options.monitor.empty())
    options.monitor = names.front();
  if (llvm::is_contained(names, options.monitor))
    return true;
  error = "expected --monitor of " + llvm::join(names, ", ") + ", but got " + options.monitor +
          didYouMean(options.monitor, names);
  return false;
}

std::optional<double> Validation::monitored() const {
  for (const Score &score : scores)
    if (score.name == options.monitor)
      return score.value;
  return std::nullopt;
}

bool Validation::recall(std::string &warning, std::string &error) {
  const std::string &path = options.bestFile;
  if (path.empty() || access(path.c_str(), F_OK) != 0)
    return true;
  uint32_t flags = options.averages ? AMPC_LOAD_AVERAGES : AMPC_LOAD_WEIGHTS;
  ampc_status status = ampc_rt_load(session->getState(), path.c_str(), flags);
  if (status != AMPC_OK) {
    warning = "the best state so far is not known: " + session->describe(status);
    return true;
  }
  auto found = evaluation.run(error);
  if (!found)
    return false;
  scores = std::move(*found);
  if (std::optional<double> score = monitored(); score && !std::isnan(*score))
    best = score;
  return true;
}

/// Scores of the current state, or of the averages in place of the parameters.
bool Validation::evaluate(std::string &error) {
  auto swap = [&] {
    ampc_status status = options.averages ? session->swapAverages() : AMPC_OK;
    if (status != AMPC_OK)
      error = session->describe(status);
    return status == AMPC_OK;
  };
  if (!swap())
    return false;
  auto found = evaluation.run(error);
  if (!found || !swap())
    return false;
  scores = std::move(*found);
  return true;
}

bool Validation::run(uint64_t step, std::string &error) {
  if (!evaluate(error))
    return false;
  std::optional<double> score = monitored();
  bool larger = isLargerBetter(options.monitor);
  bool better =
      score && !std::isnan(*score) && (!best || (larger ? *score > *best : *score < *best));
  if (!better) {
    ++worse;
    return true;
  }
  best = score;
  bestStep = step;
  worse = 0;
  if (options.bestFile.empty())
    return true;
  ampc_status status = ampc_rt_save(session->getState(), options.bestFile.c_str());
  if (status != AMPC_OK)
    error = session->describe(status);
  return status == AMPC_OK;
}

std::string Validation::getBestText() const {
  if (!best)
    return "";
  std::string text = "best " + options.monitor + " " + numberText(best) +
                     (bestStep ? " at step " + std::to_string(bestStep) : " in an earlier run");
  return options.bestFile.empty() ? text : text + ", in " + options.bestFile;
}
