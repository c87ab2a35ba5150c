// Malformed PTX gives an error with line and column, and never a crash.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/KernelSuite.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace ptxsim;

namespace {

const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// The message of the error that parsing and loading give; "" if there is none.
std::string errorOf(const std::string &text, uint32_t *line = nullptr) {
  try {
    Device device;
    device.load(Module::parse(text, "t.ptx"));
    return "";
  } catch (const Error &e) {
    if (line)
      *line = e.line;
    EXPECT_TRUE(e.kind == ErrorKind::Syntax || e.kind == ErrorKind::Unsupported);
    // Every message starts with a position inside the text, or at the end.
    size_t lines = size_t(std::count(text.begin(), text.end(), '\n')) + 1;
    EXPECT_TRUE(e.line >= 1 && e.line <= lines && e.column >= 1) << e.line << " " << e.what();
    std::string place = std::to_string(e.line) + ":" + std::to_string(e.column) + ": ";
    EXPECT_EQ(std::string(e.what()).compare(0, place.size(), place), 0) << e.what();
    return e.what();
  }
}
std::string inKernel(const std::string &body) {
  return head + ".visible .entry k()\n{\n" + body + "\nret;\n}\n";
}

struct Case {
  const char *text, *message;
  uint32_t line;
};

TEST(Parser, ErrorsNamePlaceAndExpectation) {
  const Case cases[] = {
      {".reg .b32 %r<4>;\nadd.s32 %r1, %r2;", "expected 3 operands, but got 2", 7},
      {".reg .b32 %r<4>;\nfrobnicate.s32 %r1, %r2;", "unknown instruction", 7},
      {".reg .b32 %r<4>;\nadd.s32.bogus %r1, %r2, %r3;", "modifier '.bogus' is not supported here",
       7},
      {".reg .b32 %r<4>;\nadd.s32 %r1, %r2, %r9;", "special register, but got '%r9'", 7},
      {".reg .b32 %r<4>;\nadd.s64 %r1, %r2, %r3;", "expected a register of type .s64", 7},
      {".reg .b32 %r<999999999>;", "expected a register count of at most 1048576", 6},
      {".reg .b32 %r<4>;\nadd.s32 %r1, %r2, 99999999999999999999;", "expected a 64-bit integer", 7},
      {"bra nowhere;", "expected a label of this function, but got 'nowhere'", 6},
      {"L: L: ret;", "expected one definition of label 'L'", 6},
      {".reg .b32 %r<2>;\n@%r1 bra L;\nL:", "expected a predicate register as guard", 7},
      {".reg .f32 %f<2>;\nadd.f32 %f1, %f1, 0f12;", "expected 8 hexadecimal digits", 7},
      {".shared .b8 x[9999999];", "bytes of shared memory", 6},
      {".local .align 3 .b8 x[4];", "expected a power of two as alignment", 6},
      {"add.s32 {{{{{{{{{{{{", "nested operands", 6},
      {"mov.u32 %tid.x, 1;", "as destination", 6},
      {"\"unterminated", "expected '\"' to close this string", 6},
      {"/* open", "expected '*/' to close this comment", 6},
      {".reg .b32 %r<4>;\nadd.s32 %r1, %r2", "expected", 8},
      {".reg .b32 %r<4>;\nadd.s32 %r1, [%r2], 1;", "expected a register or a constant", 7},
      {".reg .b32 %r<4>;\nadd %r1, %r2, 1;", "expected a type", 7},
      {".reg .b32 %r<4>;\nmul.s32 %r1, %r2, 1;",
       "expected one of mul.hi, mul.lo, mul.wide with type .s32", 7},
      {".reg .b16 %h<4>;\npopc.b16 %h1, %h2;", "type .b16 is not supported here", 7},
      {".reg .b32 %r<4>;\nld.shared.u32 [%r1], %r2;", "expected a register", 7},
      {".reg .b32 %r<4>;\nred.async.relaxed.cluster.global.add.u32 [%r1], %r2;",
       "needs .target sm_90 or later, but got sm_80", 7},
      {".reg .b64 %rd<4>;\nld.param.u64 %rd1, [nothing];", "expected a declared name", 7},
      {".reg .f64 %f<2>;\nadd.f64 %f1, %f1, 0d12;", "expected 16 hexadecimal digits", 7},
      {".local .b8 x[99999999];", "bytes of local memory", 6},
      {".reg .b1024 %r;", "expected", 6},
      {".global .b8 g[4];", "expected a .reg, .local, .param or .shared variable", 6},
      {".bogus 1;", "expected", 6},
      {"\x01\x02;", "expected", 6},
  };
  for (const Case &c : cases) {
    uint32_t line = 0;
    std::string message = errorOf(inKernel(c.text), &line);
    EXPECT_NE(message.find(c.message), std::string::npos) << c.text << " -> " << message;
    EXPECT_EQ(line, c.line) << c.text << " -> " << message;
    EXPECT_NE(message.find(std::to_string(c.line) + ":"), std::string::npos) << message;
  }
}

TEST(Parser, ModuleErrors) {
  EXPECT_NE(errorOf("").find("expected a .version directive"), std::string::npos);
  EXPECT_NE(errorOf(".target sm_80").find("expected the .version directive first"),
            std::string::npos);
  EXPECT_NE(errorOf(head + ".bogus x").find("expected a module directive, but got '.bogus'"),
            std::string::npos);
  EXPECT_NE(errorOf(head + ".global .b8 x[2] = {1,2,3};").find("expected at most 2 initial values"),
            std::string::npos);
  EXPECT_NE(errorOf(head + ".address_size 32").find("expected"), std::string::npos);
}

TEST(Parser, RecursionIsAnError) {
  std::string text =
      head +
      ".func f()\n{\ncall.uni f, ();\nret;\n}\n.visible .entry k()\n{\ncall.uni f, ();\nret;\n}\n";
  EXPECT_NE(errorOf(text).find("recursive call of 'f'"), std::string::npos);
  EXPECT_NE(errorOf(inKernel("call.uni missing, ();")).find("has no definition in this module"),
            std::string::npos);
}

TEST(Parser, DeepNestingIsAnError) {
  EXPECT_NE(errorOf(inKernel(std::string(100000, '{'))).find("nested scopes"), std::string::npos);
}

TEST(Parser, EveryPrefixOfAKernelIsSafe) {
  for (const char *file : {"/basic.nvcc.ptx", "/gemm_wgmma.clang.ptx", "/cluster.nvcc.ptx"}) {
    std::string text = readText(std::string(PTXSIM_KERNEL_DIR) + file);
    for (size_t n = 0; n < text.size(); n += 1 + text.size() / 400)
      errorOf(text.substr(0, n));
  }
}

TEST(Parser, ListsKernels) {
  Module m =
      Module::parse(head + ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align "
                           "8 .b8 s[12], .param .f32 x) .reqntid 128, 1, 1\n{ ret; }\n");
  ASSERT_EQ(m.kernels().size(), 1u);
  const KernelInfo &k = m.kernels()[0];
  EXPECT_EQ(k.requiredBlock.x, 128u);
  ASSERT_EQ(k.parameters.size(), 3u);
  EXPECT_EQ(k.parameters[1].type, "b8[12]");
  EXPECT_EQ(k.parameters[1].offset, 8u);
  EXPECT_EQ(k.parameters[2].offset, 20u);
}

} // namespace
