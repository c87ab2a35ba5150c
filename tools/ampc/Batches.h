// Batches of rows of arrays, in an order that a seed and the step number fix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_BATCHES_H
#define TOOLS_AMPC_BATCHES_H

#include "ampc/Data/Array.h"
#include "ampc/Runtime/Model.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Pairs of an input's name and a path, from words INPUT=FILE.
using Sources = std::vector<std::pair<std::string, std::string>>;
llvm::Expected<Sources> readSources(llvm::ArrayRef<std::string> words);
/// An error if one of the outputs is an input: of the data, or among `others`.
llvm::Error checkOutputs(llvm::ArrayRef<std::string> outputs, const Sources &data,
                         std::vector<std::string> others);

/// Rows of the data, shuffled anew in every epoch. The order depends only on seed and step, so a
/// resumed run goes on where it stopped.
class Batches {
public:
  /// `sources` maps names of inputs to paths (readArray). False with a message if something is
  /// missing or does not fit.
  bool open(const ampc_program &program,
            llvm::ArrayRef<std::pair<std::string, std::string>> sources, uint64_t seed,
            bool shuffle, std::string &error);
  /// Fills the inputs for a step (from 0); returns the number of valid rows.
  uint32_t fill(uint64_t step);
  llvm::ArrayRef<const void *> getInputs() const { return inputs; }

private:
  bool check(const ampc_tensor &tensor, const Array &array, std::string &error);
  void shuffleFor(uint64_t epoch);

  const ampc_program *program = nullptr;
  std::vector<Array> arrays;              // one per input
  std::vector<std::vector<char>> buffers; // one per batched input
  std::vector<const void *> inputs;
  std::vector<uint32_t> order;
  uint64_t seed = 0, shuffledEpoch = ~uint64_t(0), perEpoch = 1;
  int64_t rows = 0;
  bool shuffle = true;
};
} // namespace ampc
#endif
