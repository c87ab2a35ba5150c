// Batches of rows, in an order that a seed and the step number fix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_BATCHES_H
#define TOOLS_AMPC_BATCHES_H

#include "tools/ampc/Dataset.h"

namespace ampc {
/// Rows of the data for a program, shuffled anew in every epoch. Seed and step alone decide the
/// order, so a resumed run continues with the next rows.
class Batches {
public:
  struct Order {
    uint64_t seed = 0;
    bool shuffle = true;
    /// A step takes `ranks` batches, one for each rank: rank 1 of 2 with batches of 4 takes rows 4
    /// to 7 of step 0, as micro-batch 1 of a single process does.
    int rank = 0, ranks = 1;
  };
  /// `data`, which has to live as long, was opened for the program. False with a message if the
  /// rows of the inputs do not go together.
  bool open(const ampc_program &program, const Dataset &data, Order order, std::string &error);
  bool isOpen() const { return program; }
  /// Fills the inputs for a step (from 0); returns the number of valid rows of this rank.
  uint32_t fill(uint64_t step);
  /// Whether the last step of an epoch has rows for other ranks only.
  bool lacksRows(uint64_t step) const;
  /// Fills the inputs with `rows` and repeats `rows` up to the size of the batch.
  void fillRows(llvm::ArrayRef<int64_t> rows);
  /// The rows of all ranks in a step.
  std::vector<int64_t> rowsOf(uint64_t step);
  llvm::ArrayRef<const void *> getInputs() const { return inputs; }
  /// Sets the elements of an input that no file has; those of a total are 1 at first.
  void setInput(int input, llvm::ArrayRef<double> elements);
  /// Sets the first rows of an input with a batch.
  void setRows(int input, const void *data, int64_t count);
  int64_t getRows() const { return rows; }
  /// Steps of an epoch: each row is used once. A program that needs full batches skips the last
  /// rows, e.g. 10 rows in batches of 4: 2 steps.
  uint64_t getPerEpoch() const { return perEpoch; }
  int64_t getLeftOut() const;
  /// Valid rows of all ranks in a step; 0 if the program has no batch.
  uint32_t countOf(uint64_t step) const;

private:
  /// Rows of all ranks in a full batch.
  int64_t rowsPerStep() const;
  /// Rows of the whole batch of this rank; the step's rows again where it has too few.
  std::vector<int64_t> ownRows(uint64_t step);
  void shuffleFor(uint64_t epoch);
  void prefetch(uint64_t step);

  const ampc_program *program = nullptr;
  std::vector<const Dataset::Field *> fields; // one per input, null without a file
  std::vector<std::vector<char>> buffers;     // one per input
  std::vector<const void *> inputs;
  std::vector<uint32_t> order; ///< of the rows; empty without shuffling
  Order how;
  uint64_t shuffledEpoch = ~uint64_t(0), perEpoch = 1;
  int64_t rows = 0;
};
} // namespace ampc
#endif
