// libFuzzer target: checkpoints, as compiled models read them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Runtime/Runtime.h"
#include "test/Fuzz/Hostile/MemoryFile.h"
#include <cstring>

namespace {
const int64_t kWeightDims[] = {3}, kRandomDims[] = {2};
enum { Weight, Bias, Step, Random, SlotCount };

ampc_slot slot(const char *name, ampc_dtype dtype, int32_t rank, const int64_t *dims, int64_t bytes,
               int32_t role, int64_t offset) {
  ampc_slot result = {};
  result.tensor.name = name;
  result.tensor.dtype = dtype;
  result.tensor.rank = rank;
  result.tensor.dims = dims;
  result.tensor.bytes = bytes;
  result.role = role;
  result.offset = offset;
  return result;
}
const ampc_slot kSlots[SlotCount] = {
    slot("w", AMPC_F32, 1, kWeightDims, 12, AMPC_ROLE_PARAM, 0),
    slot("b", AMPC_BF16, 0, nullptr, 2, AMPC_ROLE_PARAM, 64),
    slot("fit.step", AMPC_I64, 0, nullptr, 8, AMPC_ROLE_STEP, 128),
    slot("random", AMPC_I64, 1, kRandomDims, 16, AMPC_ROLE_RANDOM, 192)};

ampc_program makeProgram() {
  ampc_program program = {};
  program.name = "train_step";
  program.kind = AMPC_PROGRAM_TRAIN;
  program.step_slot = Step;
  return program;
}
const ampc_program kProgram = makeProgram();

ampc_model makeModel() {
  ampc_model model = {};
  model.name = "small";
  model.tiers = 1;
  model.slot_count = SlotCount;
  model.program_count = 1;
  model.slots = kSlots;
  model.programs = &kProgram;
  model.state_bytes = 256;
  model.state_hash = 0x1234;
  model.plan_hash = 0x5678;
  return model;
}
const ampc_model kModel = makeModel();

ampc_state *createState() {
  setenv("AMPC_ISA", "plain", 1); // the tier that the model has
  ampc_options options = {};
  options.size = sizeof options;
  options.threads = 1;
  ampc_state *state = nullptr;
  if (ampc_rt_create(&kModel, &options, &state))
    std::abort();
  return state;
}

/// Everything that a checkpoint sets.
std::string contents(ampc_state *state) {
  std::string all = std::to_string(ampc_rt_runs(state, 0));
  for (int32_t i = 0; i < SlotCount; ++i)
    all.append(static_cast<const char *>(ampc_rt_tensor_data(state, i)),
               size_t(kSlots[i].tensor.bytes));
  return all;
}
} // namespace

/// A file is taken as a whole or leaves the state as it was, with a message.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ampc_state *state = createState();
  MemoryFile file(data, size);
  for (uint32_t flags : {0u, uint32_t(AMPC_LOAD_WEIGHTS)}) {
    std::string before = contents(state);
    if (ampc_rt_load(state, file.path().c_str(), flags) &&
        (before != contents(state) || !*ampc_rt_last_error(state)))
      std::abort();
  }
  return 0;
}
