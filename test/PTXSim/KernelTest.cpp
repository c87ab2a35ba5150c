// The kernel suite in every mode, from PTX made by nvcc and by clang.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/KernelSuite.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace ptxsim;

namespace {

struct Mode {
  const char *name;
  bool race;
  AsyncMode async;
  uint32_t quantum;
  unsigned threads;
};
const Mode modes[] = {{"lazy", false, AsyncMode::Lazy, 0, 1},
                      {"race", true, AsyncMode::Lazy, 0, 1},
                      {"eager", false, AsyncMode::Eager, 0, 1},
                      {"random", false, AsyncMode::Random, 37, 1},
                      {"threads", false, AsyncMode::Lazy, 0, 3}};

std::string runCase(const KernelCase &c, const std::string &path, const Options &options,
                    Runner **out = nullptr) {
  Device device(options);
  Program program = device.load(Module::parse(readText(path), path));
  Runner runner(device, program);
  std::string bad = c.run(runner, 0);
  for (const Finding &f : runner.findings)
    bad += "\n" + f.message;
  if (bad.empty() && runner.undefined)
    bad = std::to_string(runner.undefined) + " result bytes that nobody wrote";
  (void)out;
  return bad;
}

class Kernels : public testing::TestWithParam<std::tuple<size_t, const char *>> {};

TEST_P(Kernels, AgreeWithTheReference) {
  const KernelCase &c = kernelCases()[std::get<0>(GetParam())];
  std::string path =
      std::string(PTXSIM_KERNEL_DIR) + "/" + c.file + "." + std::get<1>(GetParam()) + ".ptx";
  for (const Mode &m : modes) {
    Options options;
    options.race = m.race;
    options.async = m.async;
    options.scheduleQuantum = m.quantum;
    options.threads = m.threads;
    options.seed = 5;
    EXPECT_EQ(runCase(c, path, options), "") << c.name << ", " << m.name;
  }
}

std::string testName(const testing::TestParamInfo<std::tuple<size_t, const char *>> &info) {
  return std::string(kernelCases()[std::get<0>(info.param)].name) + "_" + std::get<1>(info.param);
}
INSTANTIATE_TEST_SUITE_P(All, Kernels,
                         testing::Combine(testing::Range<size_t>(0, 16),
                                          testing::Values("nvcc", "clang")),
                         testName);

TEST(KernelSuite, EveryCaseIsInstantiated) { EXPECT_EQ(kernelCases().size(), 16u); }

TEST(KernelSuite, HardwareArithmeticAgreesUpToTruncation) {
  for (const KernelCase &c : kernelCases()) {
    if (std::string(c.name) != "gemm_f16" && std::string(c.name) != "gemm_wgmma")
      continue;
    Options options;
    options.tensor = TensorArithmetic::Hopper;
    std::string path = std::string(PTXSIM_KERNEL_DIR) + "/" + c.file + ".nvcc.ptx";
    EXPECT_EQ(runCase(c, path, options), "") << c.name;
  }
}

TEST(KernelSuite, RecompiledPtxBehavesTheSame) {
  const char *home = std::getenv("CUDA_HOME");
  std::string cuda = home ? home : "/usr/local/cuda";
  if (std::system(("test -x " + cuda + "/bin/nvcc").c_str()))
    GTEST_SKIP() << "no nvcc";
  std::string out = testing::TempDir() + "ptxsim-recompiled";
  std::string script = std::string(PTXSIM_KERNEL_DIR) + "/../regenerate.sh";
  ASSERT_EQ(std::system(("NVCC_ONLY=1 CUDA_HOME=" + cuda + " " + script + " " + out).c_str()), 0);
  for (const KernelCase &c : kernelCases())
    EXPECT_EQ(runCase(c, out + "/" + c.file + ".nvcc.ptx", Options()), "") << c.name;
}

TEST(KernelSuite, ResultsDoNotDependOnThreads) {
  // Float atomics reveal the order of blocks; the deterministic mode must hide this order.
  std::string path = std::string(PTXSIM_KERNEL_DIR) + "/basic.nvcc.ptx";
  uint32_t results[2];
  for (unsigned threads : {1u, 4u}) {
    Options options;
    options.threads = threads;
    Device device(options);
    Program program = device.load(Module::parse(readText(path), path));
    std::vector<float> in(100000);
    for (size_t i = 0; i < in.size(); i++)
      in[i] = 1.0f / float(i % 977 + 1);
    float zero = 0;
    DeviceAddress a = device.allocate(4 * in.size(), "in"), o = device.allocate(4, "out");
    device.write(a, in.data(), 4 * in.size());
    device.write(o, &zero, 4);
    device.launch(program, "reduce_sum", {{37, 1, 1}, {128, 1, 1}},
                  {argument(a), argument(o), argument(100000)});
    device.read(&results[threads > 1], o, 4);
  }
  EXPECT_EQ(results[0], results[1]);
}

} // namespace
