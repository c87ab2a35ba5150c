// Runs an instruction over many operand values and compares with a host computation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"
#include <cmath>

namespace ptxsim {

const std::vector<uint64_t> edge16 = {0,      1,      2,      3,      0x7f,   0x80,   0xff,
                                      0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff, 0x1234};
const std::vector<uint64_t> edge32 = {0,          1,          2,          5,          31,
                                      32,         33,         0x7fff,     0x8000,     0xffff,
                                      0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
                                      0x12345678, 0xdeadbeef};
const std::vector<uint64_t> edge64 = {0,
                                      1,
                                      3,
                                      63,
                                      64,
                                      0x7fffffff,
                                      0xffffffff,
                                      0x100000000,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0x8000000000000001,
                                      0xffffffffffffffff,
                                      0x123456789abcdef0};
// Zeros, subnormals, 1, ties, largest, infinities, NaN.
const std::vector<uint64_t> edgeF16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x3c00,
                                       0xbc00, 0x3c01, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
                                       0x7e00, 0x4248, 0x6800, 0x1001, 0x3bff, 0x3be0, 0x0410};
const std::vector<uint64_t> edgeBF16 = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080,
                                        0x3f80, 0xbf80, 0x3f81, 0x3eab, 0x7f7f, 0xff7f,
                                        0x7f80, 0xff80, 0x7fc0, 0x4049, 0x4380, 0x0440};
const std::vector<uint64_t> edgeF32 = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000,
    0x3f800001, 0x3eaaaaab, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x40490fdb,
    0x4b000001, 0x3f7fffff, 0x33800000, 0x4f000000, 0xcf000001, 0x3f7ff800, 0x00800400};
const std::vector<uint64_t> edgeF64 = {0,
                                       0x8000000000000000,
                                       1,
                                       0x000fffffffffffff,
                                       0x0010000000000000,
                                       0x3ff0000000000000,
                                       0xbff0000000000000,
                                       0x3ff0000000000001,
                                       0x3fd5555555555555,
                                       0x7fefffffffffffff,
                                       0x7ff0000000000000,
                                       0xfff0000000000000,
                                       0x7ff8000000000000,
                                       0x400921fb54442d18,
                                       0x3ca0000000000000};

float asFloat(uint64_t bits) {
  uint32_t u = uint32_t(bits);
  float f;
  std::memcpy(&f, &u, 4);
  return f;
}
uint64_t asBits(float value) {
  uint32_t u;
  std::memcpy(&u, &value, 4);
  return u;
}
double asDouble(uint64_t bits) {
  double d;
  std::memcpy(&d, &bits, 8);
  return d;
}
uint64_t asBits(double value) {
  uint64_t u;
  std::memcpy(&u, &value, 8);
  return u;
}

Inputs combinations(const std::vector<uint64_t> &values, size_t sources) {
  Inputs result;
  for (uint64_t a : values)
    for (uint64_t b : sources > 1 ? values : std::vector<uint64_t>{0})
      for (uint64_t c : sources > 2 ? values : std::vector<uint64_t>{0})
        result.push_back({a, b, c});
  return result;
}

std::string wrap(const std::string &body, unsigned parameters, const std::string &target,
                 const std::string &directives) {
  std::string text = ".version 9.0\n.target " + target + "\n.address_size 64\n.visible .entry k(";
  for (unsigned p = 0; p < parameters; p++)
    text += (p ? ", .param .u64 p" : ".param .u64 p") + std::to_string(p);
  text += ") " + directives + "\n{\n";
  text += "  .reg .pred %p<16>;\n  .reg .b16 %h<64>;\n  .reg .b32 %r<256>;\n  .reg .f32 %f<256>;\n"
          "  .reg .b64 %rd<32>;\n  .reg .f64 %fd<16>;\n";
  for (unsigned p = 0; p < parameters; p++)
    text += "  ld.param.u64 %rd" + std::to_string(p) + ", [p" + std::to_string(p) + "];\n";
  return text + body + "\n  ret;\n}\n";
}

std::vector<uint8_t> runKernel(const std::string &text, const LaunchConfig &config,
                               const std::vector<std::vector<uint8_t>> &buffers, size_t resultBytes,
                               const Options &options, std::vector<Finding> *findings) {
  Device device(options);
  Program program = device.load(Module::parse(text, "test.ptx"));
  std::vector<Argument> arguments;
  for (size_t k = 0; k < buffers.size(); k++) {
    DeviceAddress a =
        device.allocate(std::max<size_t>(buffers[k].size(), 16), "buffer " + std::to_string(k));
    device.write(a, buffers[k].data(), buffers[k].size());
    arguments.push_back(argument(a));
  }
  DeviceAddress out = device.allocate(resultBytes, "result");
  arguments.push_back(argument(out));
  LaunchResult r = device.launch(program, "k", config, arguments);
  if (findings)
    *findings = r.findings;
  std::vector<uint8_t> result(resultBytes);
  device.read(result.data(), out, resultBytes);
  return result;
}

std::vector<uint64_t> execute(const Operation &op, const Inputs &inputs, const Options &options) {
  noteTested(op.text);
  std::string body = "  .reg ." + op.result + " %d;\n";
  const char *names[] = {"%a", "%b", "%c"};
  body += "  mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r0, %r1, 32, %r0;\n"
          "  mul.wide.u32 %rd10, %r0, 24; add.u64 %rd11, %rd0, %rd10;\n";
  for (size_t k = 0; k < op.sources.size(); k++) {
    std::string type = op.sources[k], offset = std::to_string(8 * k);
    if (type == "pred")
      body += "  .reg .pred " + std::string(names[k]) + "; ld.global.u32 %r2, [%rd11+" + offset +
              "]; setp.ne.u32 " + names[k] + ", %r2, 0;\n";
    else
      body += "  .reg ." + type + " " + names[k] + "; ld.global." + type + " " + names[k] +
              ", [%rd11+" + offset + "];\n";
  }
  body += "  " + op.text + "\n  mul.wide.u32 %rd12, %r0, 8; add.u64 %rd13, %rd1, %rd12;\n";
  if (op.result == "pred")
    body += "  selp.u64 %rd14, 1, 0, %d;\n";
  else if (op.result == "b64")
    body += "  mov.b64 %rd14, %d;\n";
  else
    body += std::string("  cvt.u64.u") + (op.result == "b16" ? "16" : "32") + " %rd14, %d;\n";
  body += "  st.global.u64 [%rd13], %rd14;\n";
  Inputs padded = inputs;
  while (padded.size() % 32)
    padded.push_back(inputs[0]);
  std::vector<uint8_t> bytes(padded.size() * 24);
  std::memcpy(bytes.data(), padded.data(), bytes.size());
  std::vector<uint8_t> raw =
      runKernel(wrap(body, 2, "sm_100a"), {{uint32_t(padded.size() / 32), 1, 1}, {32, 1, 1}},
                {bytes}, padded.size() * 8, options);
  std::vector<uint64_t> results(padded.size());
  std::memcpy(results.data(), raw.data(), raw.size());
  results.resize(inputs.size());
  return results;
}

static bool isNaN(int kind, uint64_t bits) {
  switch (kind) {
  case 16:
    return (bits & 0x7c00) == 0x7c00 && (bits & 0x3ff);
  case 15:
    return (bits & 0x7f80) == 0x7f80 && (bits & 0x7f);
  case 32:
    return std::isnan(asFloat(bits));
  default:
    return std::isnan(asDouble(bits));
  }
}
/// Equal bits, or NaN in the same places. Negative kinds are pairs of that kind.
static bool sameFloat(int kind, uint64_t got, uint64_t expected) {
  if (kind < 0) {
    unsigned bits = kind == -32 ? 32 : 16;
    uint64_t mask = (uint64_t(1) << bits) - 1;
    return sameFloat(-kind, got & mask, expected & mask) &&
           sameFloat(-kind, got >> bits & mask, expected >> bits & mask);
  }
  return got == expected || (kind && isNaN(kind, expected) && isNaN(kind, got));
}

std::set<TestedInstruction> &testedInstructions() {
  static std::set<TestedInstruction> all;
  return all;
}
/// Notes a statement without the semicolon: [{ or }] [label:] [@guard] opcode operands.
static void noteStatement(std::string s) {
  auto skip = [&](size_t n) {
    size_t at = s.find_first_not_of(" \n{}", n);
    s = at == std::string::npos ? std::string() : s.substr(at);
  };
  skip(0);
  for (size_t colon; (colon = s.find(':')) < s.find_first_of(" \n.[%");)
    skip(colon + 1);
  if (!s.empty() && s[0] == '@')
    skip(std::min(s.find_first_of(" \n"), s.size()));
  if (s.empty() || s[0] == '.')
    return;
  std::string opcode = s.substr(0, s.find_first_of(" \n"));
  skip(opcode.size());
  unsigned count = s.empty() ? 0 : 1, depth = 0;
  for (char c : s) {
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    count += c == ',' && depth == 0;
  }
  testedInstructions().insert({opcode, count});
}
void noteTested(const std::string &text) {
  for (size_t at = 0, end; (end = text.find(';', at)) != std::string::npos; at = end + 1)
    noteStatement(text.substr(at, end - at));
}

static void compareAll(int kind, const Operation &op, const Inputs &inputs,
                       const std::function<uint64_t(uint64_t, uint64_t, uint64_t)> &want) {
  std::vector<uint64_t> got = execute(op, inputs);
  unsigned shown = 0;
  for (size_t k = 0; k < inputs.size() && shown < 5; k++) {
    const auto &x = inputs[k];
    uint64_t expected = want(x[0], x[1], x[2]);
    if (!sameFloat(kind, got[k], expected)) {
      shown++;
      ADD_FAILURE() << op.text << std::hex << " a=0x" << x[0] << " b=0x" << x[1] << " c=0x" << x[2]
                    << ": got 0x" << got[k] << ", expected 0x" << expected;
    }
  }
}

void check(const Operation &op, const Inputs &inputs,
           const std::function<uint64_t(uint64_t, uint64_t, uint64_t)> &want) {
  compareAll(0, op, inputs, want);
}
void checkFloat(int kind, const Operation &op, const Inputs &inputs,
                const std::function<uint64_t(uint64_t, uint64_t, uint64_t)> &want) {
  compareAll(kind, op, inputs, want);
}

std::vector<uint32_t> onWarp(const std::string &text, const std::vector<uint32_t> &inputs,
                             unsigned threads) {
  noteTested(text);
  std::string body = ".reg .b32 %a, %d, %l;\nmov.u32 %l, %tid.x; mul.wide.u32 %rd9, %l, 4; add.u64 "
                     "%rd10, %rd0, %rd9; ld.global.u32 %a, [%rd10];\n" +
                     text + "\nadd.u64 %rd11, %rd1, %rd9; st.global.u32 [%rd11], %d;\n";
  std::vector<uint8_t> in(4 * threads);
  std::memcpy(in.data(), inputs.data(), in.size());
  std::vector<uint8_t> raw =
      runKernel(wrap(body, 2, "sm_100a"), {{1, 1, 1}, {threads, 1, 1}}, {in}, 4 * threads);
  std::vector<uint32_t> out(threads);
  std::memcpy(out.data(), raw.data(), raw.size());
  return out;
}
std::vector<uint32_t> lanes(size_t n) {
  std::vector<uint32_t> v(n);
  for (size_t i = 0; i < n; i++)
    v[i] = uint32_t(i * 0x9e3779b9u);
  return v;
}

} // namespace ptxsim
