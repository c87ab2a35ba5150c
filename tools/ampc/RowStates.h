// States per row of the batch that a program takes and returns, from batch to batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_ROWSTATES_H
#define TOOLS_AMPC_ROWSTATES_H

#include "tools/ampc/Batches.h"

namespace ampc {
/// Passes the states that a program returns to the next call, e.g. the output `state:h` to the
/// input `state:h`: row i of a batch continues row i of the batch before.
class RowStates {
public:
  /// `batches` have to live as long.
  RowStates(const ampc_model &model, int program, Batches &batches)
      : model(model), program(model.programs[program]), batches(batches) {}
  /// Sets the states to the first values of their buffers.
  void begin();
  /// Sets the states to the outputs of a call with `valid` rows; other rows keep their states.
  void pass(llvm::ArrayRef<void *> outputs, uint32_t valid);

private:
  const ampc_model &model;
  const ampc_program &program;
  Batches &batches;
};
} // namespace ampc
#endif
