// A model that runs in a tier of the test's choice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_CODEGEN_CPU_TIERMODEL_H
#define TEST_CODEGEN_CPU_TIERMODEL_H

#include "ampc/Runtime/Runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

namespace ampc::test {
/// Model whose AVX-512 entries are those of another tier: `create` would reject a tier that the
/// processor lacks.
class TierModel {
public:
  TierModel(const ampc_model &source, int32_t tier, int32_t threads = 2)
      : kernels(source.kernels, source.kernels + source.kernel_count), model(source) {
    codes.reserve(kernels.size());
    for (ampc_kernel &kernel : kernels) {
      auto &code = codes.emplace_back(kernel.code, kernel.code + model.tier_count);
      code[AMPC_TIER_AVX512 - model.first_tier] = kernel.code[tier - model.first_tier];
      kernel.code = code.data();
    }
    model.kernels = kernels.data();
    ampc_options options = {};
    options.size = sizeof options;
    options.threads = threads;
    options.seed = 5;
    setenv("AMPC_ISA", "avx512", 1);
    EXPECT_EQ(ampc_rt_create(&model, &options, &state), AMPC_OK);
    unsetenv("AMPC_ISA");
  }
  ~TierModel() { ampc_rt_destroy(state); }
  TierModel(const TierModel &) = delete;

  /// Loss of a step of program `number`.
  double step(int number, llvm::ArrayRef<const void *> inputs) {
    std::vector<uint64_t> words(sizeof(ampc_run_in) / 8 + inputs.size());
    auto &in = *reinterpret_cast<ampc_run_in *>(words.data());
    in.size = words.size() * 8;
    std::memcpy(words.data() + sizeof(ampc_run_in) / 8, inputs.data(), 8 * inputs.size());
    ampc_train_out out = {};
    out.size = sizeof out;
    EXPECT_GE(ampc_rt_run(state, number, &in, &out), AMPC_OK) << ampc_rt_last_error(state);
    skipped += out.skipped;
    return out.loss;
  }
  std::vector<float> values(int slot) const {
    auto *data = static_cast<const float *>(ampc_rt_tensor_data(state, slot));
    if (!data)
      return {};
    return std::vector<float>(data, data + model.slots[slot].tensor.bytes / 4);
  }

  llvm::StringRef bytes(int slot) const {
    auto *data = static_cast<const char *>(ampc_rt_tensor_data(state, slot));
    return {data, data ? size_t(model.slots[slot].tensor.bytes) : 0};
  }

  int skipped = 0;

private:
  std::vector<ampc_kernel> kernels;
  std::vector<std::vector<ampc_code>> codes;
  ampc_model model;
  ampc_state *state = nullptr;
};

} // namespace ampc::test
#endif
