// Logs of a training: CSV and events of TensorBoard.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_TRAINLOG_H
#define TOOLS_AMPC_TRAINLOG_H

#include "ampc/Data/Log.h"
#include "ampc/Runtime/Model.h"
#include "tools/ampc/Metrics.h"
#include "llvm/ADT/ArrayRef.h"

namespace ampc {
/// A line per step of the whole training, counted by batches, skipped steps included.
class TrainLog {
public:
  struct ScheduleSlot {
    std::string name; ///< of the train.step
    const ampc_program *program;
  };
  struct Files {
    std::string csv, board; ///< empty: none
  };
  /// `knobs`: names of knobs. `scores`: names of the validations' results. `done`: steps done at
  /// the checkpoint; lines of later steps are removed from the files. Nullopt: the files start
  /// anew.
  bool open(const Files &files, std::vector<ScheduleSlot> schedule,
            llvm::ArrayRef<std::string> knobs, llvm::ArrayRef<std::string> scores,
            std::optional<uint64_t> done, std::string &error);
  /// `outs`: result of the last run of each slot, if the slot ran; `knobs`: values that the step
  /// read; `scores`: empty without a validation after this step.
  bool write(uint64_t step, llvm::ArrayRef<std::optional<ampc_train_out>> outs,
             llvm::ArrayRef<double> knobs, llvm::ArrayRef<Score> scores, std::string &error);

private:
  bool writeBoard(uint64_t step, size_t slot, const ampc_train_out &out, std::string &error);
  bool writeBoard(uint64_t step, llvm::ArrayRef<double> knobs, llvm::ArrayRef<Score> scores,
                  std::string &error);

  Files files;
  std::vector<ScheduleSlot> schedule;
  std::vector<std::string> knobNames;
  size_t scoreCount = 0;
  std::vector<unsigned> skipped; ///< per slot, in this run
  CsvWriter csv;
  TensorBoardWriter board;
};
} // namespace ampc
#endif
