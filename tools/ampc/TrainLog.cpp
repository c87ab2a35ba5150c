// Log files of a training: CSV and TensorBoard events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/TrainLog.h"

using namespace ampc;

/// Columns of a train.step.
static const char *const figures[] = {"loss",    "grad_norm",     "loss_scale",
                                      "skipped", "learning_rate", "nonfinite"};

/// Named numbers that a program reports next to the loss, in the order of ampc_train_out.numbers.
static llvm::ArrayRef<ampc_tensor> numbersOf(const ampc_program &program) {
  return {program.outputs + program.loss_output + 1, size_t(program.number_count)};
}

/// Column or chart of a knob. Numbers beside the loss have names of the model, too.
static std::string columnOf(llvm::StringRef knob) { return "knob." + knob.str(); }

bool TrainLog::open(const Files &where, std::vector<ScheduleSlot> all,
                    llvm::ArrayRef<std::string> knobs, llvm::ArrayRef<std::string> scores,
                    std::optional<uint64_t> done, std::string &error) {
  files = where;
  knobNames = knobs;
  schedule = std::move(all);
  skipped.assign(schedule.size(), 0);
  scoreCount = scores.size();
  std::vector<std::string> columns = {"step"};
  for (const ScheduleSlot &slot : schedule) {
    std::string prefix = schedule.size() > 1 ? slot.name + "." : "";
    for (const char *figure : figures)
      columns.push_back(prefix + figure);
    for (const ampc_tensor &number : numbersOf(*slot.program))
      columns.push_back(prefix + number.name);
  }
  for (const std::string &knob : knobs)
    columns.push_back(columnOf(knob));
  for (const std::string &score : scores)
    columns.push_back("val_" + score);
  if (!files.csv.empty() && !csv.open(files.csv, columns, done, error))
    return false;
  if (files.board.empty())
    return true;
  return board.open(files.board, error) && (!done || board.restart(int64_t(*done) + 1, error));
}

bool TrainLog::write(uint64_t step, llvm::ArrayRef<std::optional<ampc_train_out>> outs,
                     llvm::ArrayRef<double> knobs, llvm::ArrayRef<Score> scores,
                     std::string &error) {
  std::vector<std::optional<double>> row = {double(step)};
  for (auto [slot, out] : llvm::zip_equal(schedule, outs)) {
    size_t numbers = slot.program->number_count;
    auto ifAny = [](int32_t output, float value) {
      return output >= 0 ? std::optional<double>(value) : std::nullopt;
    };
    if (out)
      row.insert(row.end(),
                 {out->loss, ifAny(slot.program->norm_output, out->grad_norm), out->loss_scale,
                  out->skipped, ifAny(slot.program->rate_output, out->learning_rate),
                  double(out->nonfinite)});
    if (out)
      row.insert(row.end(), out->numbers, out->numbers + numbers);
    else
      row.resize(row.size() + std::size(figures) + numbers);
  }
  row.insert(row.end(), knobs.begin(), knobs.end());
  for (size_t i = 0; i < scoreCount; ++i)
    row.push_back(scores.empty() ? std::nullopt : scores[i].value);
  if (!files.csv.empty() && !csv.row(row, error))
    return false;
  if (files.board.empty())
    return true;
  for (size_t i = 0; i < outs.size(); ++i)
    if (outs[i] && !writeBoard(step, i, *outs[i], error))
      return false;
  return writeBoard(step, knobs, scores, error);
}

bool TrainLog::writeBoard(uint64_t step, llvm::ArrayRef<double> knobs, llvm::ArrayRef<Score> scores,
                          std::string &error) {
  for (auto [name, value] : llvm::zip_equal(knobNames, knobs))
    if (!board.scalar(columnOf(name), int64_t(step), float(value), error))
      return false;
  for (const Score &score : scores)
    if (score.value &&
        !board.scalar("val_" + score.name, int64_t(step), float(*score.value), error))
      return false;
  return true;
}

/// Skips charts of figures that the step lacks, which would be constant 0.
bool TrainLog::writeBoard(uint64_t step, size_t slot, const ampc_train_out &out,
                          std::string &error) {
  const ampc_program &program = *schedule[slot].program;
  skipped[slot] += out.skipped;
  auto chart = [&](bool has, llvm::StringRef tag, float value) {
    std::string name = (schedule.size() > 1 ? schedule[slot].name + "/" : "") + tag.str();
    return !has || board.scalar(name, int64_t(step), value, error);
  };
  for (auto [place, number] : llvm::enumerate(numbersOf(program)))
    if (!chart(true, number.name, float(out.numbers[place])))
      return false;
  bool scales = program.scale_slot >= 0, skips = program.nonfinite != AMPC_NONFINITE_ALLOW;
  return chart(true, "loss", out.loss) &&
         chart(program.rate_output >= 0, "learning_rate", out.learning_rate) &&
         chart(program.norm_output >= 0, "grad_norm", out.grad_norm) &&
         chart(scales, "loss_scale", out.loss_scale) &&
         chart(skips, "skipped_steps", float(skipped[slot])) &&
         chart(out.found_inf, "nonfinite", float(out.nonfinite));
}
