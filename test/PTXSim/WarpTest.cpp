// Warp collectives, barriers with reductions and atomics against host computations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"
#include <algorithm>
#include <cmath>

using namespace ptxsim;

namespace {

TEST(Warp, Shuffle) {
  std::vector<uint32_t> in = lanes();
  for (int width : {32, 16, 8})
    for (int distance : {0, 1, 3, 7, 16, 31})
      for (const std::string mode : {"up", "down", "bfly", "idx"}) {
        int clamp = mode == "up" ? 0 : 31, c = (32 - width) << 8 | clamp;
        std::string text = ".reg .b32 %t; shfl.sync." + mode + ".b32 %t|%p1, %a, " +
                           std::to_string(distance) + ", " + std::to_string(c) +
                           ", -1; selp.u32 %d, 1, 0, %p1; and.b32 %t, %t, -2; or.b32 %d, %d, %t;";
        std::vector<uint32_t> got = onWarp(text, in);
        for (int lane = 0; lane < 32; lane++) { // within groups of `width` lanes
          int base = lane / width * width, me = lane - base,
              from = mode == "up"     ? me - distance
                     : mode == "down" ? me + distance
                     : mode == "bfly" ? me ^ distance
                                      : distance % width;
          bool inside = from >= 0 && from < width;
          if (mode == "bfly" && distance >= width)
            inside = (lane ^ distance) < base; // crosses groups downwards only
          int source = inside ? (mode == "bfly" ? lane ^ distance : base + from) : lane;
          EXPECT_EQ(got[size_t(lane)], (in[size_t(source)] & ~1u) | uint32_t(inside))
              << mode << " " << distance << " width " << width << " lane " << lane;
        }
      }
}

TEST(Warp, VotesAndMatches) {
  std::vector<uint32_t> in(32);
  for (uint32_t i = 0; i < 32; i++)
    in[i] = i % 5;
  uint32_t odd = 0;
  for (uint32_t i = 0; i < 32; i++)
    odd |= uint32_t(in[i] & 1) << i;
  std::string p = "and.b32 %r1, %a, 1; setp.ne.u32 %p1, %r1, 0;\n";
  auto all = [](const std::vector<uint32_t> &v, uint32_t want) {
    for (uint32_t x : v)
      EXPECT_EQ(x, want);
  };
  all(onWarp(p + "vote.sync.ballot.b32 %d, %p1, -1;", in), odd);
  all(onWarp(p + "vote.sync.ballot.b32 %d, !%p1, -1;", in), ~odd);
  all(onWarp(p + "vote.sync.any.pred %p2, %p1, -1; selp.u32 %d, 1, 0, %p2;", in), 1);
  all(onWarp(p + "vote.sync.all.pred %p2, %p1, -1; selp.u32 %d, 1, 0, %p2;", in), 0);
  all(onWarp(p + "vote.sync.uni.pred %p2, %p1, -1; selp.u32 %d, 1, 0, %p2;", in), 0);
  all(onWarp("activemask.b32 %d;", in), 0xffffffff);
  all(onWarp("elect.sync %d|%p2, -1;", in), 0);
  std::vector<uint32_t> leader = onWarp("elect.sync _|%p2, -1; selp.u32 %d, 1, 0, %p2;", in);
  for (uint32_t i = 0; i < 32; i++)
    EXPECT_EQ(leader[i], uint32_t(i == 0));
  std::vector<uint32_t> match = onWarp("match.any.sync.b32 %d, %a, -1;", in);
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t want = 0;
    for (uint32_t k = 0; k < 32; k++)
      want |= uint32_t(in[k] == in[i]) << k;
    EXPECT_EQ(match[i], want);
  }
  all(onWarp("match.all.sync.b32 %d|%p2, %a, -1;", in), 0);
  all(onWarp("match.all.sync.b32 %d|%p2, %a, -1;", std::vector<uint32_t>(32, 7)), 0xffffffff);
}

TEST(Warp, Redux) {
  std::vector<uint32_t> in = lanes();
  struct {
    const char *op;
    uint32_t (*f)(uint32_t, uint32_t);
  } ops[] = {{"add.u32", [](uint32_t a, uint32_t b) { return a + b; }},
             {"min.u32", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
             {"max.u32", [](uint32_t a, uint32_t b) { return std::max(a, b); }},
             {"min.s32", [](uint32_t a, uint32_t b) { return int32_t(a) < int32_t(b) ? a : b; }},
             {"max.s32", [](uint32_t a, uint32_t b) { return int32_t(a) > int32_t(b) ? a : b; }},
             {"and.b32", [](uint32_t a, uint32_t b) { return a & b; }},
             {"or.b32", [](uint32_t a, uint32_t b) { return a | b; }},
             {"xor.b32", [](uint32_t a, uint32_t b) { return a ^ b; }}};
  for (auto &o : ops) {
    uint32_t want = in[0];
    for (size_t i = 1; i < 32; i++)
      want = o.f(want, in[i]);
    for (uint32_t x : onWarp(std::string("redux.sync.") + o.op + " %d, %a, -1;", in))
      EXPECT_EQ(x, want) << o.op;
  }
}

TEST(Warp, BarrierReductions) {
  std::vector<uint32_t> in(64);
  uint32_t count = 0;
  for (uint32_t i = 0; i < 64; i++)
    count += in[i] = i % 3 == 0;
  std::string p = "setp.ne.u32 %p1, %a, 0;\n";
  for (uint32_t x : onWarp(p + "bar.red.popc.u32 %d, 0, %p1;", in, 64))
    EXPECT_EQ(x, count);
  for (uint32_t x : onWarp(p + "bar.red.or.pred %p2, 0, %p1; selp.u32 %d, 1, 0, %p2;", in, 64))
    EXPECT_EQ(x, 1u);
  for (uint32_t x :
       onWarp(p + "bar.red.and.pred %p2, 0, 64, !%p1; selp.u32 %d, 1, 0, %p2;", in, 64))
    EXPECT_EQ(x, 0u);
}

TEST(Atomics, EveryOperation) {
  // All lanes update a word in shared or global memory; results are in lane order.
  std::vector<uint32_t> in = lanes();
  struct {
    const char *op;
    uint32_t (*f)(uint32_t, uint32_t);
  } ops[] = {{"add.u32", [](uint32_t m, uint32_t b) { return m + b; }},
             {"min.u32", [](uint32_t m, uint32_t b) { return std::min(m, b); }},
             {"max.s32",
              [](uint32_t m, uint32_t b) { return uint32_t(std::max(int32_t(m), int32_t(b))); }},
             {"and.b32", [](uint32_t m, uint32_t b) { return m & b; }},
             {"or.b32", [](uint32_t m, uint32_t b) { return m | b; }},
             {"xor.b32", [](uint32_t m, uint32_t b) { return m ^ b; }},
             {"exch.b32", [](uint32_t, uint32_t b) { return b; }},
             {"inc.u32", [](uint32_t m, uint32_t b) { return m >= b ? 0 : m + 1; }},
             {"dec.u32", [](uint32_t m, uint32_t b) { return m == 0 || m > b ? b : m - 1; }}};
  for (auto &o : ops)
    for (const std::string space : {"shared", "global"}) {
      std::string at = space == "shared" ? "[%r3]" : "[%rd0]";
      std::string text = ".shared .align 4 .b32 m; mov.u32 %r3, m; setp.eq.u32 %p1, %l, 0; @%p1 "
                         "st.shared.u32 [%r3], 5; bar.sync 0;\n";
      text += std::string("atom.") + space + "." + o.op + " %d, " + at + ", %a;";
      std::vector<uint32_t> got = onWarp(text, in);
      uint32_t m = space == "shared" ? 5 : in[0];
      for (size_t i = 0; i < 32; i++) {
        EXPECT_EQ(got[i], m) << o.op << " " << space << " lane " << i;
        m = o.f(m, in[i]);
      }
    }
  // cas: only the lane that finds the previous lane's number succeeds, in lane order.
  std::vector<uint32_t> got =
      onWarp(".shared .align 4 .b32 m; mov.u32 %r3, m; setp.eq.u32 %p1, %l, 0; @%p1 st.shared.u32 "
             "[%r3], 0; bar.sync 0;\nadd.u32 %r4, %l, 1; atom.shared.cas.b32 %d, [%r3], %l, %r4;",
             in);
  for (uint32_t i = 0; i < 32; i++)
    EXPECT_EQ(got[i], i);
}

TEST(Atomics, FloatingPoint) {
  std::vector<uint32_t> in(32);
  for (uint32_t i = 0; i < 32; i++)
    in[i] = uint32_t(asBits(float(i)));
  std::string start = ".shared .align 8 .b64 m; mov.u32 %r3, m; setp.eq.u32 %p1, %l, 0; @%p1 "
                      "st.shared.u64 [%r3], 0; bar.sync 0;\n";
  for (uint32_t x :
       onWarp(start + "red.shared.add.f32 [%r3], %a; bar.sync 0; ld.shared.u32 %d, [%r3];", in))
    EXPECT_EQ(asFloat(x), 496.0f);
  for (uint32_t x : onWarp(start + "cvt.rn.f16x2.f32 %r5, %a, %a; red.shared.add.noftz.f16x2 "
                                   "[%r3], %r5; bar.sync 0; ld.shared.u32 %d, [%r3];",
                           in))
    EXPECT_EQ(x, uint32_t(toHalf(496)) * 0x10001u);
  for (uint32_t x : onWarp(start + "cvt.f64.f32 %fd1, %a; red.shared.add.f64 [%r3], %fd1; bar.sync "
                                   "0; ld.shared.f64 %fd2, [%r3]; cvt.rn.f32.f64 %d, %fd2;",
                           in))
    EXPECT_EQ(asFloat(x), 496.0f);
}

TEST(Memory, WidthsAndExtension) {
  std::vector<uint32_t> in(32, 0x80ff7f81u);
  struct {
    const char *type;
    int64_t want;
  } loads[] = {{"s8", -127}, {"u8", 0x81}, {"s16", 0x7f81}, {"u16", 0x7f81}};
  for (auto &l : loads)
    for (uint32_t x : onWarp(std::string("ld.global.") + l.type + " %d, [%rd10];", in))
      EXPECT_EQ(x, uint32_t(l.want)) << l.type;
  for (uint32_t x : onWarp("ld.global.s16 %d, [%rd10+2];", in))
    EXPECT_EQ(x, 0xffff80ffu);
  for (uint32_t x : onWarp(".local .align 8 .b8 t[8]; mov.u64 %rd3, t; st.local.u32 [%rd3], %a; "
                           "st.local.u8 [%rd3+1], 0; cvta.local.u64 %rd4, %rd3; ld.u32 %d, [%rd4];",
                           in))
    EXPECT_EQ(x, 0x80ff0081u);
  for (uint32_t x : onWarp(".shared .align 8 .b8 t[8]; mov.u64 %rd3, t; cvta.shared.u64 %rd4, "
                           "%rd3; isspacep.shared %p1, %rd4; isspacep.global %p2, %rd4; selp.u32 "
                           "%d, 1, 0, %p1; @%p2 mov.u32 %d, 2;",
                           in))
    EXPECT_EQ(x, 1u);
}

TEST(Control, JumpTablesAndCalls) {
  std::vector<uint32_t> in(32);
  for (uint32_t i = 0; i < 32; i++)
    in[i] = i % 3;
  std::vector<uint32_t> got =
      onWarp("T: .branchtargets A, B, C;\nbrx.idx %a, T;\nA: mov.u32 %d, 10; bra E;\nB: mov.u32 "
             "%d, 20; bra E;\nC: mov.u32 %d, 30;\nE: add.u32 %d, %d, %l; bar.warp.sync -1;",
             in);
  for (uint32_t i = 0; i < 32; i++)
    EXPECT_EQ(got[i], 10 * (in[i] + 1) + i);
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.func (.param .b32 r) "
                     "square(.param .b32 x)\n{\n.reg .b32 %r<4>; .reg .pred %p<2>; ld.param.b32 "
                     "%r1, [x]; setp.gt.u32 %p1, %r1, 4; @%p1 bra BIG; mul.lo.u32 %r2, %r1, %r1; "
                     "st.param.b32 [r], %r2; ret;\nBIG: st.param.b32 [r], 99; ret;\n}\n"
                     ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; "
                     "mov.u32 %r1, %tid.x; { .param .b32 a; .param .b32 v; st.param.b32 [a], %r1; "
                     "call.uni (v), square, (a); ld.param.b32 %r2, [v]; }\n"
                     "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, "
                     "%rd2; st.global.u32 [%rd1], %r2; ret;\n}\n";
  std::vector<uint8_t> raw = runKernel(text, {{1, 1, 1}, {32, 1, 1}}, {}, 128);
  for (uint32_t i = 0; i < 32; i++) {
    uint32_t v;
    std::memcpy(&v, &raw[4 * i], 4);
    EXPECT_EQ(v, i > 4 ? 99 : i * i);
  }
}

} // namespace
