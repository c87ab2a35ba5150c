// States, runs and their errors, on a hand-written model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/FakeModel.h"
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

using namespace fake;

namespace {
struct State {
  ampc_state *state = nullptr;
  ampc_options options = {};
  explicit State(int threads = 1, uint64_t seed = 1, bool split = false) {
    options.size = sizeof options;
    options.threads = threads;
    options.seed = seed;
    options.want_split = split;
  }
  ~State() { ampc_rt_destroy(state); }
  ampc_state *get() {
    if (!state)
      EXPECT_EQ(ampc_rt_create(&model, &options, &state), AMPC_OK);
    return state;
  }
  float *w() { return static_cast<float *>(ampc_rt_tensor_data(get(), W)); }
  int64_t counter() { return static_cast<int64_t *>(ampc_rt_tensor_data(get(), Random))[1]; }
  std::vector<char> bytes() { // everything that a checkpoint holds
    auto *begin = reinterpret_cast<char *>(w());
    return std::vector<char>(begin, begin + 8208);
  }
};
struct Batch : TrainIn {
  float xs[kRows];
  int32_t labels[kRows];
  Batch() {
    size = sizeof(TrainIn);
    for (int i = 0; i < kRows; ++i) {
      xs[i] = 0.01f * float(i + 1);
      labels[i] = i;
    }
    x = xs;
    label = labels;
  }
};
ampc_train_out makeOut() {
  ampc_train_out out = {};
  out.size = sizeof out;
  return out;
}
std::string errorOf(State &s) { return ampc_rt_last_error(s.get()); }
} // namespace

TEST(Runtime, InitialValuesDoNotDependOnThreads) {
  State one(1), four(4), other(1, 2);
  EXPECT_EQ(one.bytes(), four.bytes());
  EXPECT_NE(one.bytes(), other.bytes());
  double sum = 0, squares = 0;
  for (int i = 0; i < kWeights; ++i) {
    EXPECT_GE(one.w()[i], -1);
    EXPECT_LT(one.w()[i], 1);
    sum += one.w()[i];
    squares += one.w()[i] * one.w()[i];
  }
  EXPECT_LT(std::fabs(sum / kWeights), 4 * 0.577 / std::sqrt(kWeights));
  EXPECT_LT(std::fabs(squares / kWeights - 1.0 / 3), 0.04);
}

TEST(Runtime, TrainingDoesNotDependOnThreads) {
  State one(1), three(3);
  Batch batch;
  ampc_train_out out = makeOut();
  for (int i = 0; i < 200; ++i)
    for (State *s : {&one, &three})
      ASSERT_EQ(ampc_rt_run(s->get(), Train, &batch, &out), AMPC_OK);
  EXPECT_EQ(one.bytes(), three.bytes());
  EXPECT_EQ(out.step, 200u);
  EXPECT_EQ(one.counter(), 200);
  EXPECT_EQ(out.loss_scale, 1);
}

TEST(Runtime, RunsOnTheCallersThreads) {
  std::atomic<int> calls{0};
  State own(3), callers(3);
  callers.options.parallel_context = &calls;
  callers.options.parallel_for = [](void *context, int32_t count, void (*body)(void *, int32_t),
                                    void *argument) {
    ++*static_cast<std::atomic<int> *>(context);
    for (int32_t i = count - 1; i >= 0; --i) // any order will do
      body(argument, i);
  };
  Batch batch;
  ASSERT_EQ(ampc_rt_run(own.get(), Train, &batch, nullptr), AMPC_OK);
  ASSERT_EQ(ampc_rt_run(callers.get(), Train, &batch, nullptr), AMPC_OK);
  EXPECT_EQ(own.bytes(), callers.bytes());
  EXPECT_GT(calls, 3);
}

TEST(Runtime, GradThenApplyEqualsTrainStep) {
  State joint(2), split(2, 1, true);
  Batch batch;
  ApplyIn apply;
  ampc_train_out a = makeOut(), b = makeOut();
  // The counter advances between grad and apply, so the fake update sees another parity than in a
  // joint step.
  ASSERT_EQ(ampc_rt_run(joint.get(), Train, &batch, &a), AMPC_OK);
  ASSERT_EQ(ampc_rt_run(joint.get(), Train, &batch, &a), AMPC_OK);
  static_cast<int64_t *>(ampc_rt_tensor_data(split.get(), Random))[1] = -1;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(ampc_rt_run(split.get(), GradProgram, &batch, &b), AMPC_OK);
    ASSERT_EQ(ampc_rt_run(split.get(), Apply, &apply, nullptr), AMPC_OK);
  }
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(0, std::memcmp(joint.w(), split.w(), 4000));
  EXPECT_EQ(AMPC_E_ARG, ampc_rt_run(joint.get(), GradProgram, &batch, &b));
  EXPECT_EQ(errorOf(joint), "grad: expected a state created with want_split");
  EXPECT_EQ(ampc_rt_tensor_data(joint.get(), G), nullptr);
  EXPECT_LT(ampc_rt_state_bytes(&model, &joint.options) + 3900,
            ampc_rt_state_bytes(&model, &split.options));
}

TEST(Runtime, BadArgumentsChangeNothing) {
  State s;
  auto before = s.bytes();
  auto expect = [&](const void *in, const char *message) {
    EXPECT_EQ(ampc_rt_run(s.get(), Train, in, nullptr), AMPC_E_ARG);
    EXPECT_EQ(errorOf(s), message);
  };
  Batch batch;
  expect(nullptr, "train_step: in is null");
  batch.labels[5] = 10;
  expect(&batch, "train_step: input 'label': expected a value in [0, 10), but got 10 in row 5");
  batch.labels[5] = -2;
  expect(&batch, "train_step: input 'label': expected a value in [0, 10), but got -2 in row 5");
  batch.labels[5] = 0;
  batch.valid = 9;
  expect(&batch, "train_step: expected in->valid in [0, 8], but got 9");
  batch.valid = 0;
  batch.x = nullptr;
  expect(&batch, "train_step: input 'x' is null");
  batch.x = reinterpret_cast<float *>(reinterpret_cast<char *>(batch.xs) + 1);
  expect(&batch, "train_step: input 'x': expected data aligned to the element size");
  batch.x = batch.xs;
  batch.size = 24;
  expect(&batch, "train_step: expected in->size of at least 40, but got 24");
  batch.size = 40;
  batch.lr_factor = NAN;
  expect(&batch, "train_step: expected in->lr_factor to be finite and not negative");
  batch.lr_factor = 0;
  batch.flags = 4;
  expect(&batch, "train_step: expected in->flags of 0 or AMPC_RUN_CHECK_FINITE, but got 4");
  batch.flags = AMPC_RUN_NO_ROWS; // of a model without other ranks
  expect(&batch, "train_step: expected in->flags without AMPC_RUN_NO_ROWS, which is for in->valid "
                 "of 0 in training calls of several ranks with short batches");
  batch.flags = AMPC_RUN_CHECK_FINITE;
  for (float wrong : {INFINITY, -INFINITY, NAN}) {
    batch.xs[5] = wrong;
    expect(&batch, "train_step: input 'x': expected finite numbers, but row 5 is infinity or NaN");
  }
  EXPECT_EQ(before, s.bytes());
  batch.valid = 5; // rows beyond are not read
  EXPECT_EQ(ampc_rt_run(State().get(), Train, &batch, nullptr), AMPC_OK);
  batch.valid = 0;
  batch.xs[5] = 0;
  EXPECT_EQ(ampc_rt_run(s.get(), Train, &batch, nullptr), AMPC_OK);
  EXPECT_EQ(errorOf(s), "");
}

TEST(Runtime, RowsBeyondValidAreNotLookedAt) {
  State s;
  Batch batch;
  batch.valid = 3;
  batch.labels[3] = 99;
  batch.labels[2] = -1; // the ignored label
  ampc_train_out out = makeOut();
  ASSERT_EQ(ampc_rt_run(s.get(), Train, &batch, &out), AMPC_OK);
  State fresh;
  double expected = 0;
  for (int i = 0; i < 3; ++i)
    expected += double(batch.xs[i]) * fresh.w()[i] / 3;
  EXPECT_NEAR(out.loss, expected, 1e-7);
  EXPECT_EQ(out.loss_double, double(out.loss));
}

// Kernels see whole batches, whose last rows repeat the first.
TEST(Runtime, ShortBatchIsFilledUpWithItsFirstRow) {
  State s, twin;
  Batch batch, full;
  batch.valid = 3;
  for (int i = 3; i < kRows; ++i) {
    batch.xs[i] = NAN;
    full.xs[i] = full.xs[0];
  }
  ASSERT_EQ(ampc_rt_run(s.get(), Train, &batch, nullptr), AMPC_OK);
  ASSERT_EQ(ampc_rt_run(twin.get(), Train, &full, nullptr), AMPC_OK);
  EXPECT_EQ(s.bytes(), twin.bytes());
  EXPECT_TRUE(std::isnan(batch.xs[7])); // the caller's rows are unchanged
}

TEST(Runtime, ShortBatchGivesItsRowsOnly) {
  ampc_program own[ProgramCount];
  std::copy(std::begin(programs), std::end(programs), own);
  own[Predict].short_batch = 1;
  ampc_model changed = model;
  changed.programs = own;
  size_t bytes = ampc_rt_workspace_bytes(&changed);
  EXPECT_GT(bytes, ampc_rt_workspace_bytes(&model)); // where only a training program may be short
  State s;
  ASSERT_EQ(ampc_rt_create(&changed, &s.options, &s.state), AMPC_OK);
  std::vector<char> memory(bytes + 64 + 8, 7);
  auto *workspace = reinterpret_cast<char *>((uintptr_t(memory.data()) + 63) / 64 * 64);
  for (void *given : {static_cast<void *>(nullptr), static_cast<void *>(workspace)}) {
    float x[kRows] = {1, 2, 3, 4, 5, 100, 100, 100}, y[kRows];
    std::fill(std::begin(y), std::end(y), -1.0f);
    PredictIn in;
    PredictOut out;
    in.x = x;
    in.valid = 5;
    in.workspace = given;
    out.y = y;
    ASSERT_EQ(ampc_rt_run(s.get(), Predict, &in, &out), AMPC_OK);
    for (int i = 0; i < kRows; ++i)
      EXPECT_EQ(y[i], i < 5 ? x[i] * s.w()[0] : -1.0f) << i;
  }
  EXPECT_EQ(workspace[bytes], 7);
}

TEST(Runtime, ReportWithoutASizeIsRefused) {
  State s;
  Batch batch;
  auto before = s.bytes();
  ampc_train_out out = {};
  EXPECT_EQ(ampc_rt_run(s.get(), Train, &batch, &out), AMPC_E_ARG);
  EXPECT_EQ(errorOf(s), "train_step: expected out->size to be sizeof(ampc_train_out), " +
                            std::to_string(sizeof out) + ", but got 0");
  EXPECT_EQ(before, s.bytes());
  out.size = offsetof(ampc_train_out, loss_scale); // of an older and shorter struct
  EXPECT_EQ(ampc_rt_run(s.get(), Train, &batch, &out), AMPC_OK);
  EXPECT_NE(out.loss, 0);
  EXPECT_EQ(out.step, 0u);
}

TEST(Runtime, ApplyNeedsGradients) {
  State s(1, 1, true);
  Batch batch;
  ApplyIn apply;
  auto before = s.bytes();
  auto expectRefusal = [&] {
    EXPECT_EQ(ampc_rt_run(s.get(), Apply, &apply, nullptr), AMPC_E_ARG);
    EXPECT_EQ(errorOf(s), "apply: expected gradients of a call of grad since the last update, but "
                          "got none");
  };
  expectRefusal(); // before the first
  EXPECT_EQ(before, s.bytes());
  ASSERT_EQ(ampc_rt_run(s.get(), GradProgram, &batch, nullptr), AMPC_OK);
  ASSERT_EQ(ampc_rt_run(s.get(), Apply, &apply, nullptr), AMPC_OK);
  expectRefusal(); // twice
  batch.xs[1] = NAN;
  ASSERT_EQ(ampc_rt_run(s.get(), GradProgram, &batch, nullptr), AMPC_E_NONFINITE_LOSS);
  expectRefusal(); // behind a loss that is none
}

TEST(Runtime, ShortBatchWhereUnsupported) {
  State s;
  Batch batch;
  float y[kRows];
  PredictIn in;
  PredictOut out;
  in.x = batch.xs;
  out.y = y;
  in.valid = 5;
  EXPECT_EQ(ampc_rt_run(s.get(), Predict, &in, &out), AMPC_E_ARG);
  EXPECT_EQ(errorOf(s),
            "predict: expected a full batch of 8 rows, but got 5: the model mixes rows");
  out.y = nullptr;
  in.valid = 8;
  EXPECT_EQ(ampc_rt_run(s.get(), Predict, &in, &out), AMPC_E_ARG);
  EXPECT_EQ(errorOf(s), "predict: output 'y' is null");
}

TEST(Runtime, BadLossUpdatesNothingButTheCounter) {
  State s, twin;
  Batch batch;
  batch.xs[2] = NAN;
  ampc_train_out out = makeOut();
  EXPECT_EQ(ampc_rt_run(s.get(), Train, &batch, &out), AMPC_E_NONFINITE_LOSS);
  EXPECT_TRUE(std::isnan(out.loss));
  EXPECT_EQ(out.step, 0u);
  EXPECT_EQ(s.counter(), 1);
  static_cast<int64_t *>(ampc_rt_tensor_data(s.get(), Random))[1] = 0;
  EXPECT_EQ(s.bytes(), twin.bytes());
}

TEST(Runtime, ExportsReadWorkingCopies) {
  State s;
  Batch batch;
  float y[kRows];
  PredictIn in;
  PredictOut out;
  in.x = batch.xs;
  out.y = y;
  ASSERT_EQ(ampc_rt_run(s.get(), Predict, &in, &out),
            AMPC_OK); // reads the working copy: made by create
  for (int i = 0; i < kRows; ++i)
    EXPECT_EQ(y[i], batch.xs[i] * s.w()[0]);
  s.w()[0] = 3;
  ASSERT_EQ(ampc_rt_refresh(s.get()), AMPC_OK);
  ASSERT_EQ(ampc_rt_run(s.get(), Predict, &in, &out), AMPC_OK);
  EXPECT_EQ(y[4], batch.xs[4] * 3);
}

TEST(Runtime, ManyThreadsShareAStateWithWorkspaces) {
  State s(2);
  float w0 = s.w()[0];
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      void *workspace = aligned_alloc(64, (ampc_rt_workspace_bytes(&model) + 63) / 64 * 64);
      float x[kRows], y[kRows];
      PredictIn in;
      PredictOut out;
      in.workspace = workspace;
      in.x = x;
      out.y = y;
      for (int round = 0; round < 500; ++round) {
        for (int i = 0; i < kRows; ++i)
          x[i] = float(t * 1000 + round + i);
        if (ampc_rt_run(s.get(), Predict, &in, &out) != AMPC_OK)
          ++wrong;
        for (int i = 0; i < kRows; ++i)
          wrong += y[i] != x[i] * w0;
      }
      auto expectRefusal = [&](const char *message) {
        wrong += ampc_rt_run(s.get(), Predict, &in, &out) != AMPC_E_ARG;
        wrong += std::string(static_cast<char *>(workspace)) != message;
      };
      in.x = nullptr;
      expectRefusal("predict: input 'x' is null");
      in.valid = kRows + 1;
      expectRefusal("predict: expected in->valid in [0, 8], but got 9");
      free(workspace);
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_STREQ(ampc_rt_last_error(s.get()), ""); // calls that may overlap keep the last error
}

TEST(Runtime, UsesTheCallersMemory) {
  State s(2);
  size_t bytes = ampc_rt_state_bytes(&model, &s.options);
  void *memory = aligned_alloc(64, bytes);
  s.options.memory = memory;
  s.options.memory_bytes = bytes - 1;
  char message[200] = "";
  s.options.error = message;
  s.options.error_bytes = sizeof message;
  EXPECT_EQ(ampc_rt_create(&model, &s.options, &s.state), AMPC_E_ARG);
  EXPECT_NE(std::string(message).find("bytes of memory, but got"), std::string::npos) << message;
  s.options.error_bytes = 1; // room for the end of a text only
  EXPECT_EQ(ampc_rt_create(&model, &s.options, &s.state), AMPC_E_ARG);
  EXPECT_STREQ(message, "");
  s.options.memory_bytes = bytes;
  Batch batch;
  EXPECT_EQ(ampc_rt_run(s.get(), Train, &batch, nullptr), AMPC_OK);
  EXPECT_EQ(static_cast<void *>(s.state), memory);
  ampc_rt_destroy(s.state);
  s.state = nullptr;
  free(memory);
}

TEST(Runtime, AllocatesOnceAndReleasesIt) {
  struct Count {
    int allocated = 0, released = 0;
  } count;
  {
    State s(2);
    s.options.allocator_context = &count;
    s.options.allocate = [](void *context, size_t bytes) -> void * {
      return ++static_cast<Count *>(context)->allocated, aligned_alloc(64, (bytes + 63) / 64 * 64);
    };
    s.options.release = [](void *context, void *memory) {
      ++static_cast<Count *>(context)->released, free(memory);
    };
    Batch batch;
    EXPECT_EQ(ampc_rt_run(s.get(), Train, &batch, nullptr), AMPC_OK);
    EXPECT_EQ(count.allocated, 1);
    EXPECT_EQ(count.released, 0);
  }
  EXPECT_EQ(count.released, 1);
  State failing;
  failing.options.allocate = [](void *, size_t) -> void * { return nullptr; };
  failing.options.release = [](void *, void *) {};
  EXPECT_EQ(ampc_rt_create(&model, &failing.options, &failing.state), AMPC_E_MEMORY);
  EXPECT_EQ(failing.state, nullptr);
  EXPECT_STREQ(ampc_rt_tier(failing.state), "");
  ampc_rt_set_hooks(failing.state, nullptr);
}

TEST(Runtime, TierByEnvironment) {
  State s;
  char message[200] = "";
  s.options.error = message;
  s.options.error_bytes = sizeof message;
  setenv("AMPC_ISA", "sse9", 1);
  EXPECT_EQ(ampc_rt_create(&model, &s.options, &s.state), AMPC_E_CPU_UNSUPPORTED);
  EXPECT_STREQ(message, "AMPC_ISA: expected plain, avx2, avx512, avx512bf16, amx, amxfp16, "
                        "reference, or sm_75 and so on, but got 'sse9'");
  ampc_model small = makeModel();
  small.tiers = 1;
  setenv("AMPC_ISA", "avx2", 1);
  EXPECT_EQ(ampc_rt_create(&small, &s.options, &s.state), AMPC_E_CPU_UNSUPPORTED);
  EXPECT_STREQ(message, "AMPC_ISA: model 'fake' was compiled without tier 'avx2'");
  setenv("AMPC_ISA", "plain", 1);
  EXPECT_STREQ(ampc_rt_tier(s.get()), "plain");
  unsetenv("AMPC_ISA");
  bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  State best;
  std::string tier = ampc_rt_tier(best.get());
  bool hasFastPairs = __builtin_cpu_supports("avx512bf16") && !__builtin_cpu_is("intel");
  if (avx512)
    EXPECT_TRUE(tier == (hasFastPairs ? "avx512bf16" : "avx512") || tier == "amx") << tier;
  else
    EXPECT_EQ(tier, __builtin_cpu_supports("avx2") ? "avx2" : "plain");
}

TEST(Runtime, HooksSeeStepsAndSpans) {
  struct Seen {
    std::vector<std::string> spans, logs;
    uint64_t steps = 0;
  } seen;
  State s(2);
  s.options.hooks.size = sizeof(ampc_hooks);
  s.options.hooks.context = &seen;
  s.options.hooks.on_log = [](void *c, const char *text) {
    static_cast<Seen *>(c)->logs.push_back(text);
  };
  s.options.hooks.on_step = [](void *c, const ampc_train_out *out) {
    static_cast<Seen *>(c)->steps += out->step;
  };
  s.get();
  ASSERT_EQ(seen.logs.size(), 1u);
  ampc_hooks hooks = s.options.hooks;
  hooks.on_span = [](void *c, const char *name, uint64_t begin, uint64_t end) {
    EXPECT_LE(begin, end);
    static_cast<Seen *>(c)->spans.push_back(name);
  };
  ampc_rt_set_hooks(s.get(), &hooks);
  Batch batch;
  ampc_rt_run(s.get(), Train, &batch, nullptr);
  EXPECT_EQ(seen.steps, 1u);
  EXPECT_EQ(seen.spans, (std::vector<std::string>{"mse", "mse.grad", "fit", "count", "pack"}));
}

TEST(Runtime, ShortReportStructsStayInBounds) {
  State s;
  Batch batch;
  ampc_train_out out = makeOut();
  out.size = 8;
  out.grad_norm = 77;
  ASSERT_EQ(ampc_rt_run(s.get(), Train, &batch, &out), AMPC_OK);
  EXPECT_NE(out.loss, 0);
  EXPECT_EQ(out.grad_norm, 77);
  EXPECT_EQ(out.size, 8u);
}

TEST(Runtime, BadOptions) {
  State s;
  s.options.threads = -1;
  EXPECT_EQ(ampc_rt_create(&model, &s.options, &s.state), AMPC_E_ARG);
  EXPECT_EQ(ampc_rt_state_bytes(&model, &s.options), 0u);
  s.options.threads = 1;
  s.options.size = 3;
  EXPECT_EQ(ampc_rt_create(&model, &s.options, &s.state), AMPC_E_ARG);
  EXPECT_EQ(ampc_rt_create(&model, nullptr, nullptr), AMPC_E_ARG);
  EXPECT_EQ(ampc_rt_run(nullptr, 0, nullptr, nullptr), AMPC_E_ARG);
  ASSERT_EQ(ampc_rt_create(&model, nullptr, &s.state), AMPC_OK); // all defaults
}
