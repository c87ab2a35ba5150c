// States per row of the batch that a program takes and returns, from batch to batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/RowStates.h"
#include "tools/ampc/Session.h"

using namespace ampc;

/// The constant that a buffer begins with; buffers per row begin with a constant.
static double firstValue(const ampc_model &model, llvm::StringRef buffer) {
  for (const ampc_slot &slot : llvm::ArrayRef(model.slots, model.slot_count))
    if (buffer == slot.tensor.name)
      return slot.a;
  return 0;
}

void RowStates::begin() {
  for (int i = 0; i < program.input_count; ++i)
    if (llvm::StringRef name = program.inputs[i].name; isRowState(program.inputs[i])) {
      double first = firstValue(model, name.drop_front(name.find(':') + 1));
      batches.setInput(i, std::vector<double>(elementCount(program.inputs[i]), first));
    }
}

void RowStates::pass(llvm::ArrayRef<void *> outputs, uint32_t valid) {
  for (int i = 0; i < program.input_count; ++i)
    for (int o = 0; o < program.output_count && isRowState(program.inputs[i]); ++o)
      if (llvm::StringRef(program.inputs[i].name) == program.outputs[o].name)
        batches.setRows(i, outputs[o], valid);
}
