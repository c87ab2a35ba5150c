// Packed copies of weights written by updates, against copies written by separate kernels, bit by
// bit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Loader.h"
#include "ampc/Pipelines/Compiler.h"
#include "test/Codegen/CPU/TierModel.h"
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include "tools/ampc/RandomInputs.h"

using namespace ampc;
using test::TierModel;

namespace {
bool runs(const ampc_model &model, int32_t tier) {
  switch (tier) {
  case AMPC_TIER_AVX512BF16:
    return (model.tiers >> tier & 1) && __builtin_cpu_supports("avx512bf16");
  case AMPC_TIER_AMX:
    return (model.tiers >> tier & 1) && (test::emulateAmx() || test::hasNativeAmx());
  case AMPC_TIER_AMXFP16:
    return (model.tiers >> tier & 1) && (test::emulateAmx() || test::hasNativeAmxF16());
  default:
    return model.tiers >> tier & 1;
  }
}

bool isPacked(const ampc_model &model, int slot) {
  return llvm::StringRef(model.slots[slot].tensor.name).contains(".packed");
}

/// A model and a precision.
using Param = std::tuple<const char *, const char *>;

std::unique_ptr<LoadedModel> compile(const Param &param, bool fusePacks) {
  CompileRequest request;
  request.input = std::get<0>(param);
  request.options.precision = std::get<1>(param);
  request.options.packWeights = "always";
  request.options.fusePacks = fusePacks;
  Compiler compiler;
  auto module = compiler.run(request);
  if (!module)
    return nullptr;
  auto packaged = packageModel(*module, {});
  if (failed(packaged))
    return nullptr;
  auto loaded = LoadedModel::load(*packaged);
  EXPECT_TRUE(bool(loaded));
  return loaded ? std::move(*loaded) : nullptr;
}

int findStep(const ampc_model &model) {
  int program = 0;
  while (model.programs[program].kind != AMPC_PROGRAM_TRAIN)
    ++program;
  return program;
}

struct PackedState : testing::TestWithParam<Param> {
  void SetUp() override {
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
      GTEST_SKIP() << "every tier runs in the place of AVX-512";
  }
};
struct SkippedStep : PackedState {};

/// Every byte of the state, and that each packed copy has changed.
void compare(const ampc_model &model, const TierModel &got, const TierModel &want,
             llvm::ArrayRef<std::string> before) {
  int packed = 0;
  for (int i = 0; i < model.slot_count; ++i) {
    EXPECT_EQ(got.bytes(i), want.bytes(i)) << model.slots[i].tensor.name;
    if (isPacked(model, i)) {
      EXPECT_NE(got.bytes(i), before[i]) << model.slots[i].tensor.name;
      ++packed;
    }
  }
  EXPECT_GE(packed, 5);
}

std::vector<std::string> copyState(const ampc_model &model, const TierModel &state) {
  std::vector<std::string> slots;
  for (int i = 0; i < model.slot_count; ++i)
    slots.push_back(state.bytes(i).str());
  return slots;
}
} // namespace

TEST_P(PackedState, IsThatOfKernelsOfTheirOwn) {
  auto inUpdate = compile(GetParam(), true), apart = compile(GetParam(), false);
  ASSERT_TRUE(inUpdate && apart);
  const ampc_model &model = inUpdate->model();
  int program = findStep(model);
  ASSERT_EQ(model.slot_count, apart->model().slot_count);
  int tiers = 0;
  for (int32_t tier = AMPC_TIER_PLAIN; tier <= AMPC_TIER_AMXFP16; ++tier) {
    if (!runs(model, tier))
      continue;
    SCOPED_TRACE(tier);
    ++tiers;
    for (int32_t threads : {1, 3}) {
      TierModel got(model, tier, threads), want(apart->model(), tier, 1);
      std::vector<std::string> before = copyState(model, got);
      Random random(3);
      for (int step = 0; step < 3; ++step) {
        RandomInputs inputs(model.programs[program], random);
        EXPECT_EQ(got.step(program, inputs.get()), want.step(program, inputs.get()));
      }
      EXPECT_EQ(got.skipped, 0);
      compare(model, got, want, before);
    }
  }
  EXPECT_GE(tiers, 3);
}

TEST_P(SkippedStep, LeavesPackedCopies) {
  auto compiled = compile(GetParam(), true);
  ASSERT_TRUE(compiled);
  const ampc_model &model = compiled->model();
  int program = findStep(model);
  TierModel state(model, AMPC_TIER_AVX512);
  Random random(3);
  RandomInputs good(model.programs[program], random);
  state.step(program, good.get());
  std::vector<std::string> before = copyState(model, state);
  std::vector<float> image(12 * 7 * 7, INFINITY);
  llvm::SmallVector<const void *> bad(good.get());
  bad[0] = image.data();
  state.step(program, bad);
  EXPECT_EQ(state.skipped, 1);
  for (int i = 0; i < model.slot_count; ++i)
    if (isPacked(model, i) || model.slots[i].role == AMPC_ROLE_PARAM)
      EXPECT_EQ(state.bytes(i), before[i]) << model.slots[i].tensor.name;
}

constexpr const char *models[] = {AMPC_TEST_LAYERS, AMPC_TEST_FILTERS};
INSTANTIATE_TEST_SUITE_P(Precisions, PackedState,
                         testing::Combine(testing::ValuesIn(models),
                                          testing::Values("f32", "bf16", "f16")));
INSTANTIATE_TEST_SUITE_P(PastCaches, PackedState,
                         testing::Combine(testing::Values(AMPC_TEST_WIDE),
                                          testing::Values("f32", "bf16")));
INSTANTIATE_TEST_SUITE_P(WithLossScaling, SkippedStep,
                         testing::Combine(testing::ValuesIn(models), testing::Values("f16")));
