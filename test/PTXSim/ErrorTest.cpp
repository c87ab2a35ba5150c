// Every kind of mistake a kernel can make is found and named.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"

using namespace ptxsim;

namespace {

struct Fault {
  const char *name, *body, *message;
  ErrorKind kind;
  unsigned threads = 32;
};

std::string faultOf(const std::string &body, ErrorKind *kind, unsigned threads,
                    Options options = Options()) {
  noteTested(body);
  try {
    runKernel(wrap(body, 2), {{1, 1, 1}, {threads, 1, 1}, 256}, {std::vector<uint8_t>(256, 1)}, 256,
              options);
  } catch (const Error &e) {
    *kind = e.kind;
    return e.what();
  }
  return "";
}

const char *const declarations =
    ".shared .align 16 .b8 s[256];\n.shared .align 8 .b64 bar;\n.local .align 16 .b8 l[32];\n"
    "mov.u32 %r10, %tid.x; mov.u32 %r11, s; mov.u32 %r12, bar; setp.lt.u32 %p1, %r10, 7;\n";

TEST(Errors, AreFoundAndNamed) {
  const Fault faults[] = {
      {"global out of bounds", "ld.global.u32 %r1, [%rd0+256];",
       "256 bytes into 'buffer 0', which has 256", ErrorKind::OutOfBounds},
      {"global below", "ld.global.u32 %r1, [%rd0+-4];", "out of bounds", ErrorKind::OutOfBounds},
      {"global misaligned", "ld.global.u32 %r1, [%rd0+2];", "misaligned", ErrorKind::Misaligned},
      {"null", "mov.u64 %rd9, 0; st.global.u32 [%rd9], 1;", "no allocation there",
       ErrorKind::OutOfBounds},
      {"shared out of bounds", "st.shared.u32 [%r11+70000], 1;", "out of bounds",
       ErrorKind::OutOfBounds},
      {"shared between variables", "st.shared.u32 [%r11+256], 1;",
       "256 bytes into 's', which has 256", ErrorKind::OutOfBounds},
      {"shared misaligned", "st.shared.u64 [%r11+4], 1;", "misaligned", ErrorKind::Misaligned},
      {"local out of bounds", "mov.u64 %rd9, l; st.local.u32 [%rd9+32], 1;", "out of bounds",
       ErrorKind::OutOfBounds},
      {"generic into nowhere", "mov.u64 %rd9, 0x7200000000000000; ld.u32 %r1, [%rd9];",
       "out of bounds", ErrorKind::OutOfBounds},
      {"write to param", "cvta.param.u64 %rd9, p0; st.u32 [%rd9], 1;", "kernel parameters",
       ErrorKind::Memory},
      {"undefined register", "st.global.u32 [%rd1], %r99;", "use of uninitialized register %r99",
       ErrorKind::Register},
      {"undefined through arithmetic", "add.s32 %r98, %r99, 1; st.global.u32 [%rd1], %r98;",
       "register %r98", ErrorKind::Register},
      {"undefined address", "ld.global.u32 %r1, [%rd20];", "register %rd20", ErrorKind::Register},
      {"undefined guard", "@%p9 st.global.u32 [%rd1], 1;", "register %p9", ErrorKind::Register},
      {"undefined shared", "ld.shared.u32 %r1, [%r11]; st.global.u32 [%rd1], %r1;",
       "computed from an uninitialized value", ErrorKind::Register},
      {"undefined global", "ld.global.u32 %r1, [%rd1+64]; st.global.u32 [%rd1], %r1;",
       "computed from an uninitialized value", ErrorKind::Register},
      {"discarded memory",
       "setp.eq.u32 %p2, %r10, 0; @%p2 discard.global.L2 [%rd0], 128; ld.global.u32 %r1, [%rd0]; "
       "st.global.u32 [%rd1], %r1;",
       "computed from an uninitialized value", ErrorKind::Register},
      {"undefined lanes", "@%p1 mov.u32 %r99, 1; st.global.u32 [%rd1], %r99;", "lanes 0xffffff80",
       ErrorKind::Register},
      {"divergent barrier", "@%p1 bra L; bar.sync 0; L:", "divergent barrier",
       ErrorKind::Convergence},
      {"divergent shuffle", "@%p1 shfl.sync.bfly.b32 %r1, %r10, 1, 31, -1;",
       "member mask 0xffffffff, but executed by lanes 0x7f", ErrorKind::Convergence},
      {"shuffle from nobody", "@%p1 shfl.sync.bfly.b32 %r1, %r10, 16, 31, 0x7f;",
       "does not take part", ErrorKind::Convergence},
      {"divergent warp barrier", "@%p1 bar.warp.sync -1;", "divergent", ErrorKind::Convergence},
      {"deadlock", "@%p1 bra L; bar.sync 1, 64; L:", "divergent barrier", ErrorKind::Convergence},
      {"barrier nobody completes", "bar.sync 1, 64;", "deadlock", ErrorKind::Deadlock},
      {"mbarrier never completes",
       "setp.eq.u32 %p2, %r10, 0; @%p2 mbarrier.init.shared.b64 [%r12], 2; bar.sync 0; W: "
       "mbarrier.try_wait.parity.shared.b64 %p3, [%r12], 0; @!%p3 bra W;",
       "deadlock", ErrorKind::Deadlock},
      {"mbarrier without init", "mbarrier.arrive.shared.b64 _, [%r12];",
       "holds no initialised mbarrier", ErrorKind::Barrier},
      {"mbarrier over-arrival",
       "setp.eq.u32 %p2, %r10, 0; @%p2 mbarrier.init.shared.b64 [%r12], 3; bar.sync 0; @%p2 "
       "mbarrier.arrive.shared.b64 _, [%r12], 4;",
       "expects 3 more", ErrorKind::Barrier},
      {"plain access to mbarrier",
       "setp.eq.u32 %p2, %r10, 0; @%p2 mbarrier.init.shared.b64 [%r12], 3; bar.sync 0; "
       "ld.shared.u32 %r1, [%r12];",
       "mbarrier object", ErrorKind::Barrier},
      {"double init",
       "setp.eq.u32 %p2, %r10, 0; @%p2 mbarrier.init.shared.b64 [%r12], 3; @%p2 "
       "mbarrier.init.shared.b64 [%r12], 3;",
       "in use", ErrorKind::Barrier},
      {"endless loop", "L: bra L;", "instruction budget", ErrorKind::Budget},
      {"trap", "trap;", "trap", ErrorKind::Trap},
      {"copy not waited for", "cp.async.ca.shared.global [%r11], [%rd0], 4; cp.async.commit_group;",
       "pending cp.async copies", ErrorKind::Async},
      {"copy read before the wait",
       "setp.eq.u32 %p2, %r10, 0; @%p2 cp.async.ca.shared.global [%r11], [%rd0], 4; ld.shared.u32 "
       "%r1, [%r11]; st.global.u32 [%rd1], %r1;",
       "uninitialized", ErrorKind::Register},
      {"no tensor map",
       "setp.eq.u32 %p2, %r10, 0; @%p2 "
       "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r11], [%rd0, "
       "{%r10}], [%r12];",
       "holds no tensor map", ErrorKind::Memory},
      {"jump table", "T: .branchtargets A, B; add.u32 %r1, %r10, 1; brx.idx %r1, T; A: B:",
       "table of 2", ErrorKind::Memory},
      {"atomic on nothing", "atom.global.add.u32 %r1, [%rd1+128], 1;",
       "atomic update of uninitialized memory", ErrorKind::Memory},
  };
  for (const Fault &f : faults) {
    Options options;
    options.instructionBudget = 1000000;
    ErrorKind kind = ErrorKind::Argument;
    std::string message = faultOf(declarations + std::string(f.body), &kind, f.threads, options);
    EXPECT_NE(message.find(f.message), std::string::npos) << f.name << ": " << message;
    EXPECT_EQ(int(kind), int(f.kind)) << f.name << ": " << message;
    if (kind != ErrorKind::Deadlock) {
      EXPECT_NE(message.find("block (0,0,0) warp 0"), std::string::npos) << message;
      EXPECT_NE(message.find("test.ptx:"), std::string::npos) << message;
    }
  }
}

TEST(Errors, CorrectKernelsHaveNone) {
  ErrorKind kind;
  EXPECT_EQ(faultOf(declarations +
                        std::string("shl.b32 %r1, %r10, 2; add.u32 %r2, %r11, %r1; st.shared.u32 "
                                    "[%r2], %r10; bar.sync 0; ld.shared.u32 %r3, [%r2];"),
                    &kind, 32),
            "");
}

TEST(Errors, SourceLineComesFromLoc) {
  std::string text =
      wrap(".loc 1 42 3\nst.global.u32 [%rd1], %r99;", 2) + "\n.file 1 \"model.cu\"\n";
  try {
    runKernel(text, {{1, 1, 1}, {32, 1, 1}}, {{1}}, 16);
    FAIL();
  } catch (const Error &e) {
    EXPECT_NE(std::string(e.what()).find("(model.cu:42)"), std::string::npos) << e.what();
  }
}

struct Race {
  const char *name, *body, *message;
};

TEST(Races, AreFound) {
  const std::string setup =
      ".shared .align 16 .b8 s[1024];\nmov.u32 %r10, %tid.x; mov.u32 %r11, s; shl.b32 %r12, %r10, "
      "2; add.u32 %r13, %r11, %r12;\n"
      "xor.b32 %r14, %r10, 32; shl.b32 %r15, %r14, 2; add.u32 %r16, %r11, %r15; xor.b32 %r17, "
      "%r10, 1; shl.b32 %r18, %r17, 2; add.u32 %r19, %r11, %r18;\n"
      "setp.eq.u32 %p1, %r10, 0; cvt.u64.u32 %rd8, %r12; add.u64 %rd9, %rd1, %rd8;\n";
  const Race races[] = {
      {"write then read by another warp", "st.shared.u32 [%r13], %r10; ld.shared.u32 %r1, [%r16];",
       "write-read race"},
      {"the same with a barrier",
       "st.shared.u32 [%r13], %r10; bar.sync 0; ld.shared.u32 %r1, [%r16];", ""},
      {"read then write by another warp",
       "st.shared.u32 [%r13], %r10; bar.sync 0; ld.shared.u32 %r1, [%r16]; st.shared.u32 [%r13], "
       "1;",
       "read-write race"},
      {"lanes of one warp", "st.shared.u32 [%r13], %r10; ld.shared.u32 %r1, [%r19];", "lane race"},
      {"lanes with a warp barrier",
       "st.shared.u32 [%r13], %r10; bar.warp.sync -1; ld.shared.u32 %r1, [%r19];", ""},
      {"global write-write", "st.global.u32 [%rd1], 1;", "global"},
      {"global atomics", "red.global.add.u32 [%rd0], 1;", ""},
      {"atomic and plain", "red.global.add.u32 [%rd0], 1; ld.global.u32 %r1, [%rd0];",
       "race on global"},
      {"own elements", "st.global.u32 [%rd9], 1; ld.global.u32 %r1, [%rd9];", ""},
      {"bytes of one word",
       "add.u32 %r20, %r11, %r10; st.shared.u8 [%r20], %r10; bar.sync 0; ld.shared.u32 %r1, "
       "[%r11];",
       ""},
      {"copies without a wait",
       "cp.async.ca.shared.global [%r13], [%rd0], 4; bar.sync 0; xor.b32 %r1, %r10, %r10; "
       "st.shared.u32 [%r16], %r1; cp.async.wait_all;",
       "race on shared"},
      {"copies read by other lanes",
       "cp.async.ca.shared.global [%r13], [%rd0], 4; cp.async.wait_all; ld.shared.u32 %r1, [%r19];",
       "lane race"},
      {"copies with a barrier",
       "cp.async.ca.shared.global [%r13], [%rd0], 4; cp.async.wait_all; bar.sync 0; ld.shared.u32 "
       "%r1, [%r16];",
       ""},
  };
  for (const Race &r : races) {
    Options options;
    options.race = true;
    std::vector<Finding> findings;
    try {
      runKernel(wrap(setup + r.body, 2), {{1, 1, 1}, {64, 1, 1}}, {std::vector<uint8_t>(256)}, 256,
                options, &findings);
    } catch (const Error &e) {
      ADD_FAILURE() << r.name << ": " << e.what();
      continue;
    }
    std::string all;
    for (const Finding &f : findings)
      all += f.message + "\n";
    if (!*r.message)
      EXPECT_EQ(all, "") << r.name;
    else
      EXPECT_NE(all.find(r.message), std::string::npos) << r.name << ": " << all;
  }
}

TEST(Launch, ArgumentsAreChecked) {
  std::string text = wrap("", 1);
  auto launch = [&](const char *kernel, LaunchConfig config,
                    std::vector<Argument> arguments) -> std::string {
    try {
      Device device;
      device.launch(device.load(Module::parse(text)), kernel, config, arguments);
    } catch (const Error &e) {
      EXPECT_EQ(int(e.kind), int(ErrorKind::Argument));
      return e.what();
    }
    return "";
  };
  uint64_t p = 0;
  EXPECT_EQ(launch("k", {{1, 1, 1}, {32, 1, 1}}, {argument(p)}), "");
  EXPECT_NE(launch("x", {{1, 1, 1}, {32, 1, 1}}, {argument(p)}).find("no kernel 'x'"),
            std::string::npos);
  EXPECT_NE(launch("k", {{1, 1, 1}, {32, 1, 1}}, {}).find("has 1 parameters, but got 0"),
            std::string::npos);
  EXPECT_NE(launch("k", {{1, 1, 1}, {32, 1, 1}}, {argument(1)}).find("has 8 bytes, but got 4"),
            std::string::npos);
  EXPECT_NE(launch("k", {{1, 1, 1}, {2048, 1, 1}}, {argument(p)}).find("1 to 1024 threads"),
            std::string::npos);
  EXPECT_NE(launch("k", {{0, 1, 1}, {32, 1, 1}}, {argument(p)}).find("not empty"),
            std::string::npos);
  EXPECT_NE(launch("k", {{1, 1, 1}, {32, 1, 1}, 300000}, {argument(p)}).find("shared memory"),
            std::string::npos);
}

} // namespace
