// Alternates train.steps on batches of data, with logging, saves and validation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_TRAINLOOP_H
#define TOOLS_AMPC_TRAINLOOP_H

#include "tools/ampc/Batches.h"
#include "tools/ampc/NonFinite.h"
#include "tools/ampc/Plateau.h"
#include "tools/ampc/Progress.h"
#include "tools/ampc/Ranks.h"
#include "tools/ampc/Standstill.h"
#include "tools/ampc/TrainLog.h"
#include "tools/ampc/Validation.h"
#include <chrono>

namespace ampc {
/// A train.step of the training, which runs `times` times in every step of the whole training.
struct ScheduleSlot {
  std::string name;
  int program = -1;
  unsigned times = 1;
  Batches batches;
  std::unique_ptr<NonFiniteTracker> tracker; ///< null: nobody asked
  std::unique_ptr<Standstill> standstill;
};

/// The steps of --step, as in "critic:5,generator", or the only one for "". None after a message.
std::vector<ScheduleSlot> findTurns(const Session &session, llvm::StringRef names);

/// Interval of periodic saves: after every `steps` steps or, for `steps` = 0, after the first step
/// that ends `time` or more behind the previous save. By default at most ten minutes of work are
/// lost.
struct SaveInterval {
  unsigned steps = 0;
  std::chrono::seconds time{600};
};

struct LoopOptions {
  uint64_t total = 0;  ///< steps of the whole training, those before a resume included
  uint64_t epochs = 0; ///< 0: nobody asked
  std::string output;  ///< checkpoint; empty: none
  SaveInterval saveEvery;
  unsigned validateEvery = 0;
  Plateau *plateau = nullptr; ///< null: no knob depends on validations
  bool validates = false;     ///< on rank 0
};

class TrainLoop {
public:
  /// `validation` may be null.
  TrainLoop(Session &session, std::vector<ScheduleSlot> &schedule, const Dataset &data,
            TrainLog &log, Validation *validation, Ranks &ranks, LoopOptions options)
      : session(session), schedule(schedule), data(data), log(log), validation(validation),
        ranks(ranks), options(std::move(options)), outs(schedule.size()), numbers(schedule.size()),
        skipped(schedule.size()) {}
  /// Returns the exit status.
  int run();
  /// Steps of the whole training that the state has seen, skipped steps included, since skipped
  /// steps use up data.
  static uint64_t stepsDone(Session &session, llvm::ArrayRef<ScheduleSlot> schedule);

private:
  bool meet(uint64_t done, bool isGood);
  bool validatesAfter(uint64_t done) const;
  int runSchedule(uint64_t step);
  int runBatch(size_t slot, uint64_t run);
  int endOnData(const std::string &message, uint64_t run);
  int endOnLostData(const std::string &message, const ScheduleSlot &slot, uint64_t run);
  std::string rankName() const;
  int explain(ScheduleSlot &slot, uint64_t run, ampc_status status, const std::string &message);
  std::string findBadRow(ScheduleSlot &slot, uint64_t run);
  std::string findBadData(const ampc_program &program, int64_t row) const;
  bool isBad(int evaluation, Batches &batches, llvm::ArrayRef<int64_t> rows);
  std::string nameOf(const ScheduleSlot &slot, uint64_t run) const;
  void note(size_t slot, uint64_t run, const ampc_train_out &out);
  std::string trackingText(const ScheduleSlot &slot) const;
  bool finishStep(uint64_t step, std::string &error);
  void show(uint64_t done);
  int save();
  void saveSometimes(uint64_t done);
  int finish(uint64_t done);

  Session &session;
  std::vector<ScheduleSlot> &schedule;
  const Dataset &data;
  TrainLog &log;
  Validation *validation;
  Ranks &ranks;
  LoopOptions options;
  std::unique_ptr<Progress> progress;
  std::chrono::steady_clock::time_point lastSave; ///< or the start of the loop
  /// Per slot of the schedule: report of the last run in this step. Nothing: an earlier run of the
  /// training completed the slot.
  std::vector<std::optional<ampc_train_out>> outs;
  std::vector<std::vector<double>> numbers; ///< per slot: numbers that the report points to
  std::vector<unsigned> skipped;            ///< per slot: in this step
  int stop = 0;                             ///< signal to a rank that ends the training
  bool isFinished = false;                  ///< the validations of rank 0 end the training
  unsigned allSkipped = 0;
  unsigned badLosses = 0; ///< skipped runs whose loss was not finite
  unsigned spoilt = 0;    ///< runs that updated, but not with finite gradients
};
} // namespace ampc
#endif
