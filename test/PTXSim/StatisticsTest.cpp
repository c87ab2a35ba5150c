// Counters of launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/PTXSim/PTXSim.h"
#include <gtest/gtest.h>

using namespace ptxsim;

namespace {

/// Counters of four blocks of a warp, with two buffers of 1 KB.
Statistics count(const std::string &body, unsigned threads = 1, bool counts = true) {
  std::string text =
      ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 from, .param "
      ".u64 to)\n{\n.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n"
      ".shared .align 128 .b8 s[128]; .shared .align 8 .b64 bar;\n"
      "ld.param.u64 %rd0, [from]; ld.param.u64 %rd1, [to];\n"
      "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shl.b32 %r2, %r1, 5; add.u32 %r2, %r2, %r0;\n"
      "mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd0, %rd2;\n"  // the lane's word of 128 bytes
      "mul.wide.u32 %rd2, %r2, 4; add.u64 %rd4, %rd1, %rd2;\n"; // the thread's of 512
  Options options;
  options.statistics = counts;
  options.threads = threads;
  Device device(options);
  Program program = device.load(Module::parse(text + body + "ret;\n}\n"));
  DeviceAddress from = device.allocate(1024), to = device.allocate(1024);
  device.fill(from, 1, 1024);
  device.fill(to, 0, 1024);
  return device.launch(program, "k", {{4, 1, 1}, {32, 1, 1}}, {argument(from), argument(to)})
      .statistics;
}

TEST(Statistics, SectorsOfALaunchCountOnce) {
  const char *copy = "ld.global.u32 %r3, [%rd3]; st.global.u32 [%rd4], %r3;\n"
                     "ld.global.u32 %r3, [%rd3+16]; st.global.u32 [%rd4], %r3;\n";
  for (unsigned threads : {1, 4}) {
    Statistics s = count(copy, threads);
    EXPECT_EQ(s.globalLoadSectors, 4u * (4 + 5)); // the second load starts within a sector
    EXPECT_EQ(s.globalSectorsRead, 5u);
    EXPECT_EQ(s.globalStoreSectors, 2u * 16);
    EXPECT_EQ(s.globalSectorsWritten, 16u);
  }
  Statistics off = count(copy, 1, false);
  EXPECT_EQ(off.globalSectorsRead + off.globalSectorsWritten, 0u);
}

TEST(Statistics, AtomicsReadAndWrite) {
  Statistics s = count("red.global.add.u32 [%rd1+32], 1;\n");
  EXPECT_EQ(s.globalSectorsRead, 1u);
  EXPECT_EQ(s.globalSectorsWritten, 1u);
}

TEST(Statistics, AsynchronousCopiesCountAsLoads) {
  Statistics s = count("mov.u32 %r4, s; shl.b32 %r5, %r0, 2; add.u32 %r4, %r4, %r5;\n"
                       "cp.async.ca.shared.global [%r4], [%rd3], 4; cp.async.wait_all;\n");
  EXPECT_EQ(s.globalLoadSectors, 4u * 4);
  EXPECT_EQ(s.globalSectorsRead, 4u);
  EXPECT_EQ(s.globalSectorsWritten, 0u);
}

/// Every block copies the same 128 bytes, and stores to the same address.
TEST(Statistics, BulkCopiesCountOnce) {
  Statistics s = count(
      "mov.u32 %r4, s; mov.u32 %r5, bar; setp.eq.u32 %p0, %r0, 0;\n"
      "@%p0 mbarrier.init.shared.b64 [%r5], 1; @%p0 fence.mbarrier_init.release.cluster; "
      "bar.sync 0;\n"
      "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;\n"
      "@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd0], 128, "
      "[%r5];\n"
      "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r5], 0; @!%p1 bra W;\n"
      "@%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 128;\n"
      "@%p0 cp.async.bulk.commit_group; @%p0 cp.async.bulk.wait_group 0;\n");
  EXPECT_EQ(s.bulkBytesRead, 4u * 128);
  EXPECT_EQ(s.bulkBytesWritten, 4u * 128);
  EXPECT_EQ(s.globalSectorsRead, 4u);
  EXPECT_EQ(s.globalSectorsWritten, 4u);
}

} // namespace
