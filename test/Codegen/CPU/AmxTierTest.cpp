// Whole models in the tiers of AMX beside the same in another tier; emulated where the processor
// has no AMX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Loader.h"
#include "ampc/Pipelines/Compiler.h"
#include "test/Codegen/CPU/TierModel.h"
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include "tools/ampc/RandomInputs.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace ampc;

namespace {
using test::TierModel;

double norm(const std::vector<float> &x, const std::vector<float> &y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i)
    sum += (double(x[i]) - y[i]) * (double(x[i]) - y[i]);
  return std::sqrt(sum);
}

/// A bias of keys adds the same number to all scores of a query, which softmax cancels: the
/// gradient is rounding only, and AdamW turns the rounding into full steps.
void dropKeys(std::vector<float> &bias) {
  size_t width = bias.size() / 3;
  bias.erase(bias.begin() + width, bias.begin() + 2 * width);
}

struct AmxTier : testing::Test {
  void SetUp() override {
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
      GTEST_SKIP() << "the tier needs AVX-512";
    isEmulated = test::emulateAmx();
    ASSERT_TRUE(isEmulated || test::hasNativeAmx());
  }
  /// Trains in both tiers, by a rule that moves parameters in proportion to gradients: Adam moves a
  /// parameter by a full step even if the gradient is rounding only. Movements may differ by the
  /// rounding of 16-bit numbers. The other tier rounds the same operands where possible: attention
  /// rounds probabilities to multiply pairs.
  void compare(const std::string &path, const std::string &precision, int steps, double bound,
               int32_t tier = AMPC_TIER_AMX) {
    CompileRequest request;
    request.input = path;
    request.options.precision = precision;
    Compiler compiler;
    auto module = compiler.run(request);
    ASSERT_TRUE(module);
    auto packaged = packageModel(*module, {});
    ASSERT_TRUE(succeeded(packaged));
    auto loaded = LoadedModel::load(*packaged);
    ASSERT_TRUE(bool(loaded));
    const ampc_model &model = (*loaded)->model();
    ASSERT_TRUE(model.tiers >> tier & 1);
    // Only f16 products have code of their own for the f16 tier.
    EXPECT_EQ(model.tiers >> AMPC_TIER_AMXFP16 & 1, precision == "f16");
    bool pairs = __builtin_cpu_supports("avx512bf16") && (model.tiers >> AMPC_TIER_AVX512BF16 & 1);
    TierModel amx(model, tier);
    TierModel wide(model, pairs ? AMPC_TIER_AVX512BF16 : AMPC_TIER_AVX512);
    int program = 0;
    while (model.programs[program].kind != AMPC_PROGRAM_TRAIN)
      ++program;
    std::vector<std::vector<float>> first;
    for (int i = 0; i < model.slot_count; ++i)
      first.push_back(wide.values(i));
    Random random(3);
    RandomInputs inputs(model.programs[program], random);
    auto product = tier == AMPC_TIER_AMXFP16 ? test::TileOperation::ProductF16
                                             : test::TileOperation::ProductBF16;
    uint64_t before = test::emulatedProducts(product);
    for (int i = 0; i < steps; ++i) {
      double want = wide.step(program, inputs.get()), got = amx.step(program, inputs.get());
      EXPECT_NEAR(got, want, bound * want);
    }
    EXPECT_EQ(test::emulatedProducts(product) > before, isEmulated);
    EXPECT_EQ(wide.skipped, 0);
    EXPECT_EQ(amx.skipped, 0);
    int compared = 0;
    for (int i = 0; i < model.slot_count; ++i) {
      const ampc_slot &slot = model.slots[i];
      if (slot.role != AMPC_ROLE_PARAM || slot.tensor.dtype != AMPC_F32)
        continue;
      std::vector<float> want = wide.values(i), got = amx.values(i);
      if (llvm::StringRef(slot.tensor.name).ends_with(".qkv.bias"))
        for (std::vector<float> *values : {&want, &got, &first[i]})
          dropKeys(*values);
      double moved = norm(want, first[i]), apart = norm(got, want);
      EXPECT_GT(moved, 0) << slot.tensor.name;
      EXPECT_LE(apart, bound * moved) << slot.tensor.name;
      RecordProperty(slot.tensor.name, std::to_string(apart / moved));
      ++compared;
    }
    EXPECT_GT(compared, 3);
  }
  bool isEmulated = false;
};
} // namespace

TEST_F(AmxTier, ConvolutionAndLinearInBF16) {
  compare(AMPC_TEST_INPUTS "/amx-block.mlir", "bf16", 3, 0x1p-10);
}
TEST_F(AmxTier, ConvolutionAndLinearInF16) {
  compare(AMPC_TEST_INPUTS "/amx-block.mlir", "f16", 3, 0x1p-10);
}
TEST_F(AmxTier, ConvolutionAndLinearByProductsOfF16) {
  if (test::hasNativeAmx() && !test::hasNativeAmxF16())
    GTEST_SKIP() << "this processor's tiles have no products of f16";
  compare(AMPC_TEST_INPUTS "/amx-block.mlir", "f16", 3, 0x1p-10, AMPC_TIER_AMXFP16);
}
TEST_F(AmxTier, TransformerInBF16) {
  if (!__builtin_cpu_supports("avx512bf16"))
    GTEST_SKIP() << "no other tier rounds the probabilities of attention";
  // Sums in another order round some values between kernels to the next bf16 number, 2^-8 away; the
  // number of such values depends on the data (measured: 3e-3 at most, of five draws of inputs).
  compare(AMPC_TEST_GPT, "bf16", 2, 0x1p-8);
}
