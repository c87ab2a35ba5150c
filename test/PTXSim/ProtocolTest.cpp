// Protocols between warps, blocks and copies in race mode: correct protocols pass, protocols
// without a step are found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"

using namespace ptxsim;

namespace {

/// All findings, or the error, of a kernel with two pointer parameters.
std::string findingsOf(const std::string &body, const LaunchConfig &config, Options options,
                       size_t bytes = 256, const std::string &directives = "",
                       std::vector<uint8_t> *result = nullptr) {
  std::vector<Finding> findings;
  try {
    std::vector<uint8_t> raw = runKernel(wrap(body, 2, "sm_90a", directives), config,
                                         {std::vector<uint8_t>(std::max<size_t>(bytes, 4096), 1)},
                                         bytes, options, &findings);
    if (result)
      *result = raw;
  } catch (const Error &e) {
    return e.what();
  }
  std::string all;
  for (const Finding &f : findings)
    all += f.message + "\n";
  return all;
}

void expectFinding(const std::string &all, const std::string &message, const std::string &what) {
  if (message.empty())
    EXPECT_EQ(all, "") << what;
  else
    EXPECT_NE(all.find(message), std::string::npos) << what << ": " << all;
}

struct Case {
  const char *what, *init, *arrive, *wait, *message;
};

TEST(Protocols, StartOfAClusterWithRelaxedArrive) {
  const char *unordered =
      "mbarrier used (mbarrier.arrive) without being ordered after mbarrier.init";
  const Case cases[] = {
      {"fence of the init, relaxed arrive", "fence.mbarrier_init.release.cluster;",
       "arrive.relaxed", "wait.acquire", ""},
      {"an ordinary fence", "fence.acq_rel.cluster;", "arrive.relaxed", "wait.acquire", ""},
      {"releasing arrive", "", "arrive.release", "wait.acquire", ""},
      {"no fence", "", "arrive.relaxed", "wait.acquire", unordered},
  };
  for (const Case &c : cases) {
    std::string body = std::string(".shared .align 8 .b64 bar;\nmov.u32 %r0, %tid.x; setp.eq.u32 "
                                   "%p0, %r0, 0; mov.u32 %r1, bar;\n@%p0 mbarrier.init.shared::cta"
                                   ".b64 [%r1], 64;\n") +
                       c.init + "\nbarrier.cluster." + c.arrive + ".aligned;\nbarrier.cluster." +
                       c.wait + ".aligned;\nmbarrier.arrive.shared::cta.b64 _, [%r1];\n";
    Options options;
    options.race = true;
    std::string all = findingsOf(body, {{2, 1, 1}, {64, 1, 1}, 0, {2, 1, 1}}, options);
    expectFinding(all, c.message, c.what);
  }
}

TEST(Protocols, FenceOfTheInitOrdersNothingElse) {
  std::string body =
      ".shared .align 8 .b64 bar; .shared .align 4 .b32 word;\nmov.u32 %r0, %tid.x; setp.eq.u32 "
      "%p0, %r0, 0; mov.u32 %r1, bar; mov.u32 %r2, word;\n@%p0 mbarrier.init.shared::cta.b64 "
      "[%r1], 64; @%p0 st.shared.u32 [%r2], 7;\nfence.mbarrier_init.release.cluster; "
      "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;\n"
      "ld.shared.u32 %r3, [%r2];\n";
  Options options;
  options.race = true;
  expectFinding(findingsOf(body, {{2, 1, 1}, {64, 1, 1}, 0, {2, 1, 1}}, options),
                "write-read race on shared", "a store behind the fence of an init");
}

TEST(Protocols, CopiesSeeTheirMbarrierInitialised) {
  const char *missing = "missing fence.mbarrier_init or fence.proxy.async";
  const Case cases[] = {
      {"neither fence", "", "", "", missing},
      {"fence of the init", "@%p0 fence.mbarrier_init.release.cluster;", "", "", ""},
      {"proxy fence", "@%p0 fence.proxy.async;", "", "", ""},
      {"both", "@%p0 fence.mbarrier_init.release.cluster; @%p0 fence.proxy.async;", "", "", ""},
      {"a fence in front of the init", "", "@%p0 fence.proxy.async;", "", missing},
      {"an ordinary fence", "@%p0 fence.acq_rel.cta;", "", "", missing},
  };
  for (const Case &c : cases) {
    std::string body =
        std::string(".shared .align 16 .b8 s[16]; .shared .align 8 .b64 bar;\nmov.u32 %r0, %tid.x; "
                    "setp.eq.u32 %p0, %r0, 0; mov.u32 %r1, bar; mov.u32 %r2, s;\n") +
        c.arrive + "\n@%p0 mbarrier.init.shared::cta.b64 [%r1], 1;\n" + c.init +
        "\n@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 16;\n@%p0 "
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0], 16, "
        "[%r1];\nbar.sync 0;\nL: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0; @!%p1 bra "
        "L;\n";
    Options options;
    options.race = true;
    expectFinding(findingsOf(body, {{1, 1, 1}, {32, 1, 1}}, options), c.message, c.what);
  }
}

// --- wgmma --------------------------------------------------------------------------------------

/// Three products over a stage of shared memory. Thread 0 refills the stage after waiting itself,
/// without a barrier for the four warps.
std::string sharedStage(const std::string &between) {
  std::string body =
      ".shared .align 1024 .b8 s[2304]; .shared .align 8 .b64 bar;\nmov.u32 %r0, %tid.x; "
      "setp.eq.u32 %p0, %r0, 0; mov.u32 %r1, bar; mov.u32 %r2, s;\n@%p0 "
      "mbarrier.init.shared::cta.b64 [%r1], 1; @%p0 fence.proxy.async; bar.sync 0;\n"
      "shr.u32 %r3, %r2, 4; cvt.u64.u32 %rd4, %r3; or.b64 %rd5, %rd4, 68720001024;\n"
      "add.u64 %rd6, %rd4, 128; or.b64 %rd6, %rd6, 68720001024;\n";
  for (int k = 0; k < 4; k++)
    body += "mov.f32 %f" + std::to_string(k) + ", 0f00000000;\n";
  for (int step = 0; step < 3; step++) {
    std::string n = std::to_string(step);
    body += "@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 2304;\n@%p0 "
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd0+" +
            std::to_string(64 * step) + "], 2304, [%r1];\nL" + n +
            ": mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], " + std::to_string(step & 1) +
            "; @!%p1 bra L" + n +
            ";\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
            "{%f0,%f1,%f2,%f3}, %rd5, %rd6, 1, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n"
            "wgmma.wait_group.sync.aligned 0;\n" +
            between;
  }
  return body + "mul.wide.u32 %rd7, %r0, 16; add.u64 %rd7, %rd7, %rd1; st.global.v4.f32 [%rd7], "
                "{%f0,%f1,%f2,%f3};\n";
}

TEST(Protocols, WgmmaIsTheWarpgroups) {
  for (AsyncMode mode : {AsyncMode::Lazy, AsyncMode::Eager, AsyncMode::Random})
    for (bool race : {false, true})
      for (uint32_t quantum : {0u, 5u}) {
        Options options;
        options.async = mode;
        options.race = race;
        options.scheduleQuantum = quantum;
        std::vector<uint8_t> result;
        EXPECT_EQ(findingsOf(sharedStage(""), {{1, 1, 1}, {128, 1, 1}}, options, 2048, "", &result),
                  "")
            << int(mode) << race << quantum;
        // All bytes are 1: every element is (257 / 2^24)^2, and there are 3 times 16 products.
        float element = 257.0f / 16777216.0f, want = 48 * element * element;
        ASSERT_EQ(result.size(), 2048u);
        for (size_t k = 0; k < 512; k++) {
          float got;
          std::memcpy(&got, &result[4 * k], 4);
          ASSERT_EQ(got, want) << k;
        }
      }
}

TEST(Protocols, WgmmaOfEachWarpIsTheStricterReading) {
  Options options;
  options.race = true;
  options.wgmma = WgmmaModel::Warp;
  expectFinding(findingsOf(sharedStage(""), {{1, 1, 1}, {128, 1, 1}}, options, 2048),
                "(the copy to this address has not completed", "without a barrier");
  expectFinding(findingsOf(sharedStage("bar.sync 0;\n"), {{1, 1, 1}, {128, 1, 1}}, options, 2048),
                "", "with a barrier");
}

/// A product with operands written before; `before` runs ahead of the issue.
std::string product(const std::string &before, const std::string &after) {
  return ".shared .align 1024 .b8 s[2304];\nmov.u32 %r0, %tid.x; mov.u32 %r2, s; setp.lt.u32 %p2, "
         "%r0, 32; shr.u32 %r9, %r0, 5;\nmov.u32 %r3, %r0; F: shl.b32 %r4, %r3, 2; add.u32 %r4, "
         "%r4, %r2; st.shared.u32 [%r4], 0; add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, 576; "
         "@%p1 bra F;\nfence.proxy.async; bar.sync 0;\nshr.u32 %r5, %r2, 4; cvt.u64.u32 %rd4, "
         "%r5; or.b64 %rd5, %rd4, 68720001024; add.u64 %rd6, %rd4, 128; or.b64 %rd6, %rd6, "
         "68720001024;\nmov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, "
         "%f0;\nwgmma.fence.sync.aligned;\n" +
         before +
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd5, %rd6, 1, 1, "
         "1, 0, 0;\nwgmma.commit_group.sync.aligned;\n" +
         after +
         "mul.wide.u32 %rd7, %r0, 16; add.u64 %rd7, %rd7, %rd1; st.global.v4.f32 [%rd7], "
         "{%f0,%f1,%f2,%f3};\n";
}

TEST(Protocols, WgmmaNeedsItsWholeGroup) {
  const std::string wait = "wgmma.wait_group.sync.aligned 0;\n";
  LaunchConfig four{{1, 1, 1}, {128, 1, 1}};
  Options options;
  EXPECT_EQ(findingsOf(product("", wait), four, options, 2048), "");
  // Every warp must wait itself, even if other warps have completed the operation.
  expectFinding(findingsOf(product("", "@%p2 bra W; bar.sync 1, 96; bra N; W: "
                                       "wgmma.wait_group.sync.aligned 0; N:\n"),
                           four, options, 2048),
                "uninitialized", "three warps do not wait");
  expectFinding(findingsOf(product("@!%p2 bra SKIP;\n", wait) + "SKIP:\n", four, options, 2048),
                "deadlock", "three warps do not issue");
  expectFinding(findingsOf(product("@%p2 add.u64 %rd6, %rd6, 1;\n", wait), four, options, 2048),
                "disagree on a matrix descriptor", "different descriptors");
  expectFinding(findingsOf(product("", wait), {{1, 1, 1}, {96, 1, 1}}, options, 2048),
                "expected a warpgroup of four warps", "three warps");
}

TEST(Protocols, APendingCopyIsNamed) {
  std::string body = sharedStage("");
  size_t at = body.find("L0:"), end = body.find('\n', at);
  body.erase(at, end - at); // the wait for the first copy
  std::string all = findingsOf(body, {{1, 1, 1}, {128, 1, 1}}, Options(), 2048);
  expectFinding(all, "wgmma reads uninitialized shared memory", "no wait for the copy");
  expectFinding(all,
                "(the copy to this address has not completed: test.ptx:", "no wait for the copy");
}

} // namespace
