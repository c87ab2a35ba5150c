// A hand-written model in the form of the compiler's output, with kernels in C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_RUNTIME_FAKEMODEL_H
#define TEST_RUNTIME_FAKEMODEL_H

#include "ampc/Runtime/Runtime.h"
#include <cstring>

namespace fake {
constexpr int kRows = 8, kWeights = 1000, kTasks = 25;

// loss = sum over valid rows of x[i] * w[i], over valid; operands: x, w, control, loss.
inline void lossKernel(void *const *operands, int64_t, int64_t, void *) {
  auto *x = static_cast<const float *>(operands[0]), *w = static_cast<const float *>(operands[1]);
  auto *control = static_cast<const ampc_control *>(operands[2]);
  double sum = 0;
  for (int i = 0; i < control->valid; ++i)
    sum += double(x[i]) * w[i];
  *static_cast<float *>(operands[3]) = float(sum / control->valid);
}
// Tasks of 40 weights: g[i] = x[i % rows] * w[i]; operands: x, w, g. Goes through scratch.
inline void gradKernel(void *const *operands, int64_t begin, int64_t end, void *scratch) {
  auto *x = static_cast<const float *>(operands[0]), *w = static_cast<const float *>(operands[1]);
  auto *g = static_cast<float *>(operands[2]), *local = static_cast<float *>(scratch);
  for (int64_t t = begin; t < end; ++t) {
    for (int i = 0; i < 40; ++i)
      local[i] = x[(t * 40 + i) % kRows] * w[t * 40 + i];
    std::memcpy(g + t * 40, local, 40 * sizeof(float));
  }
}
// m += g; w -= 0.1 * lr_factor * m * (1 + counter % 2); operands: g, control, random, w, m.
inline void updateKernel(void *const *operands, int64_t begin, int64_t end, void *) {
  auto *g = static_cast<const float *>(operands[0]);
  auto *control = static_cast<const ampc_control *>(operands[1]);
  auto *random = static_cast<const int64_t *>(operands[2]);
  auto *w = static_cast<float *>(operands[3]), *m = static_cast<float *>(operands[4]);
  for (int64_t i = begin * 40; i < end * 40; ++i) {
    m[i] += g[i];
    w[i] -= 0.1f * control->lr_factor * m[i] * float(1 + random[1] % 2);
  }
}
// step += 1, by the first task of a finish: tests that each runs once whatever the threads do.
inline void nothingKernel(void *const *, int64_t, int64_t, void *) {}
inline void stepFinish(void *const *operands, int64_t begin, int64_t end, void *) {
  if (begin == 0 && end > 0)
    ++*static_cast<int64_t *>(operands[0]);
}
// copy = w; operands: w, copy.
inline void copyKernel(void *const *operands, int64_t begin, int64_t end, void *) {
  std::memcpy(static_cast<float *>(operands[1]) + begin * 40,
              static_cast<const float *>(operands[0]) + begin * 40, size_t(end - begin) * 160);
}
// A task per row: y[i] = x[i] * w[0], through the arena; operands: x, w, y, arena.
inline void rowKernel(void *const *operands, int64_t begin, int64_t end, void *) {
  auto *x = static_cast<const float *>(operands[0]), *w = static_cast<const float *>(operands[1]);
  auto *y = static_cast<float *>(operands[2]), *temporary = static_cast<float *>(operands[3]);
  for (int64_t i = begin; i < end; ++i) {
    temporary[i] = x[i] * w[0];
    y[i] = temporary[i];
  }
}

enum { Loss, Grad, Update, Step, Copy, Row, KernelCount };
#define AMPC_ALL(...) {__VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__}
inline const ampc_code codes[KernelCount][4] = {AMPC_ALL({lossKernel, nullptr, 1, 0, 0}),
                                                AMPC_ALL({gradKernel, nullptr, kTasks, 0, 160}),
                                                AMPC_ALL({updateKernel, nullptr, kTasks, 0, 0}),
                                                AMPC_ALL({nothingKernel, stepFinish, 3, 4, 0}),
                                                AMPC_ALL({copyKernel, nullptr, kTasks, 0, 0}),
                                                AMPC_ALL({rowKernel, nullptr, kRows, 0, 0})};
inline const ampc_kernel kernels[KernelCount] = {
    {"loss", codes[Loss], 0, nullptr},     {"grad", codes[Grad], 0, nullptr},
    {"update", codes[Update], 0, nullptr}, {"step", codes[Step], 0, nullptr},
    {"copy", codes[Copy], 0, nullptr},     {"row", codes[Row], 0, nullptr}};

inline const int64_t weightDims[] = {kWeights}, biasDims[] = {7}, pairDims[] = {2},
                     rowDims[] = {kRows};
enum { W, B, M, StepSlot, Random, Working, G, SlotCount };
inline const ampc_slot slots[SlotCount] = {
    {{"w", AMPC_F32, 1, weightDims, 4000, 0, 0, 0}, AMPC_ROLE_PARAM, AMPC_INIT_UNIFORM, -1, 1, 0},
    {{"b\"\\\n\xc3\xa9", AMPC_BF16, 1, biasDims, 14, 0, 0, 0},
     AMPC_ROLE_PARAM,
     AMPC_INIT_NORMAL,
     0,
     1,
     4032},
    {{"fit.m.w", AMPC_F32, 1, weightDims, 4000, 0, 0, 0},
     AMPC_ROLE_MOMENT,
     AMPC_INIT_CONSTANT,
     0,
     0,
     4096},
    {{"fit.step", AMPC_I64, 0, nullptr, 8, 0, 0, 0},
     AMPC_ROLE_STEP,
     AMPC_INIT_CONSTANT,
     0,
     0,
     8128},
    {{"random", AMPC_I64, 1, pairDims, 16, 0, 0, 0},
     AMPC_ROLE_RANDOM,
     AMPC_INIT_CONSTANT,
     0,
     0,
     8192},
    {{"w.packed", AMPC_F32, 1, weightDims, 4000, 0, 0, 0},
     AMPC_ROLE_WORKING,
     AMPC_INIT_CONSTANT,
     0,
     0,
     8256},
    {{"fit.grad.w", AMPC_F32, 1, weightDims, 4000, 0, 0, 0},
     AMPC_ROLE_GRADIENT,
     AMPC_INIT_CONSTANT,
     0,
     0,
     12288},
};

inline const ampc_tensor inputs[] = {{"x", AMPC_F32, 1, rowDims, 32, 1, 0, 0},
                                     {"label", AMPC_I32, 1, rowDims, 32, 1, 0, 10, -1}};
inline const ampc_tensor lossOut[] = {{"loss", AMPC_F32, 0, nullptr, 4, 0, 0, 0}};
inline const ampc_tensor rowOut[] = {{"y", AMPC_F32, 1, rowDims, 32, 1, 0, 0}};

constexpr ampc_operand state(int slotOffset) { return {AMPC_SPACE_STATE, 0, slotOffset, 0}; }
inline const ampc_operand trainOperands[] = {{AMPC_SPACE_INPUT, 0, 0, 0},
                                             state(0),
                                             {AMPC_SPACE_CONTROL, 0, 0, 0},
                                             {AMPC_SPACE_OUTPUT, 0, 0, 0}, // loss
                                             {AMPC_SPACE_INPUT, 0, 0, 0},
                                             state(0),
                                             {AMPC_SPACE_ARENA, 0, 64, 0}, // gradient
                                             {AMPC_SPACE_ARENA, 0, 64, 0},
                                             {AMPC_SPACE_CONTROL, 0, 0, 0},
                                             state(8192),
                                             state(0),
                                             state(4096), // update
                                             state(8128), // step
                                             state(0),
                                             state(8256)}; // copy
inline const ampc_operand gradOperands[] = {{AMPC_SPACE_INPUT, 0, 0, 0},
                                            state(0),
                                            {AMPC_SPACE_CONTROL, 0, 0, 0},
                                            {AMPC_SPACE_OUTPUT, 0, 0, 0},
                                            {AMPC_SPACE_INPUT, 0, 0, 0},
                                            state(0),
                                            state(12288)};
inline const ampc_operand applyOperands[] = {state(12288), {AMPC_SPACE_CONTROL, 0, 0, 0},
                                             state(8192),  state(0),
                                             state(4096),  state(8128),
                                             state(0),     state(8256)};
inline const ampc_operand rowOperands[] = {{AMPC_SPACE_INPUT, 0, 0, 0},
                                           state(8256),
                                           {AMPC_SPACE_OUTPUT, 0, 0, 0},
                                           {AMPC_SPACE_ARENA, 0, 0, 0}};
inline const ampc_operand deriveOperands[] = {state(0), state(8256)};

constexpr ampc_entry kernel(int number, int first, int count, const char *name) {
  return {AMPC_ENTRY_KERNEL, number, first, count, 1, 0, 0, name};
}
inline const ampc_entry trainEntries[] = {kernel(Loss, 0, 4, "mse"), kernel(Grad, 4, 3, "mse.grad"),
                                          kernel(Update, 7, 5, "fit"), kernel(Step, 12, 1, "count"),
                                          kernel(Copy, 13, 2, "pack")};
inline const ampc_entry gradEntries[] = {kernel(Loss, 0, 4, "mse"), kernel(Grad, 4, 3, "mse.grad")};
inline const ampc_entry applyEntries[] = {kernel(Update, 0, 5, "fit"), kernel(Step, 5, 1, "count"),
                                          kernel(Copy, 6, 2, "pack")};
inline const ampc_entry rowEntries[] = {kernel(Row, 0, 4, "row")};
inline const ampc_entry deriveEntries[] = {kernel(Copy, 0, 2, "pack")};

enum { Train, GradProgram, Apply, Predict, Derive, ProgramCount };
// name, kind, step, loss, ready, norm, rate, nonfinite, mode of nonfinite, scale, inputs, outputs,
// entries, operands, batch, short, tables, arena, optimizer
inline const ampc_program programs[ProgramCount] = {{"train_step",
                                                     AMPC_PROGRAM_TRAIN,
                                                     StepSlot,
                                                     0,
                                                     1,
                                                     -1,
                                                     -1,
                                                     -1,
                                                     0,
                                                     -1,
                                                     2,
                                                     1,
                                                     5,
                                                     15,
                                                     kRows,
                                                     1,
                                                     inputs,
                                                     lossOut,
                                                     trainEntries,
                                                     trainOperands,
                                                     4096,
                                                     "sgd"},
                                                    {"grad",      AMPC_PROGRAM_GRAD,
                                                     StepSlot,    0,
                                                     1,           -1,
                                                     -1,          -1,
                                                     0,           -1,
                                                     2,           1,
                                                     2,           7,
                                                     kRows,       1,
                                                     inputs,      lossOut,
                                                     gradEntries, gradOperands,
                                                     4096,        nullptr},
                                                    {"apply",
                                                     AMPC_PROGRAM_APPLY,
                                                     StepSlot,
                                                     -1,
                                                     -1,
                                                     -1,
                                                     -1,
                                                     -1,
                                                     0,
                                                     -1,
                                                     0,
                                                     0,
                                                     3,
                                                     8,
                                                     0,
                                                     0,
                                                     nullptr,
                                                     nullptr,
                                                     applyEntries,
                                                     applyOperands,
                                                     0,
                                                     nullptr},
                                                    {"predict",  AMPC_PROGRAM_EXPORT,
                                                     -1,         -1,
                                                     -1,         -1,
                                                     -1,         -1,
                                                     0,          -1,
                                                     1,          1,
                                                     1,          4,
                                                     kRows,      0,
                                                     inputs,     rowOut,
                                                     rowEntries, rowOperands,
                                                     64,         nullptr},
                                                    {"derive",
                                                     AMPC_PROGRAM_DERIVE,
                                                     -1,
                                                     -1,
                                                     -1,
                                                     -1,
                                                     -1,
                                                     -1,
                                                     0,
                                                     -1,
                                                     0,
                                                     0,
                                                     1,
                                                     2,
                                                     0,
                                                     0,
                                                     nullptr,
                                                     nullptr,
                                                     deriveEntries,
                                                     deriveOperands,
                                                     0,
                                                     nullptr}};

inline ampc_model makeModel() {
  ampc_model made = {};
  made.name = "fake";
  made.tiers = 15;
  made.first_tier = AMPC_TIER_PLAIN;
  made.tier_count = 4;
  made.slot_count = SlotCount;
  made.program_count = ProgramCount;
  made.kernel_count = KernelCount;
  made.slots = slots;
  made.programs = programs;
  made.kernels = kernels;
  made.state_bytes = 16288;
  made.arena_bytes = 4160;
  made.state_hash = 0x1234;
  made.plan_hash = 0x5678;
  return made;
}
inline const ampc_model model = makeModel();

struct TrainIn {
  uint32_t size = sizeof(TrainIn), valid = 0;
  float lr_factor = 0;
  uint32_t flags = 0;
  void *workspace = nullptr;
  const float *x = nullptr;
  const int32_t *label = nullptr;
};
struct ApplyIn {
  uint32_t size = sizeof(ApplyIn), valid = 0;
  float lr_factor = 0;
  uint32_t flags = 0;
  void *workspace = nullptr;
};
struct PredictIn : ApplyIn {
  const float *x = nullptr;
  PredictIn() { size = sizeof(PredictIn); }
};
struct PredictOut {
  uint32_t size = sizeof(PredictOut), reserved = 0;
  float *y = nullptr;
};
} // namespace fake
#endif
