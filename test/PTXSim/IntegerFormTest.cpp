// The less common integer instructions: 24-bit products, bit masks, selections, packed forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"
#include <algorithm>

using namespace ptxsim;

namespace {

int64_t signExtend(uint64_t v, unsigned bits) {
  uint64_t sign = uint64_t(1) << (bits - 1);
  v &= (sign << 1) - 1;
  return int64_t((v ^ sign) - sign);
}
uint64_t low32(int64_t v) { return uint64_t(v) & 0xffffffff; }
int64_t clamp32(int64_t v) { return std::max<int64_t>(INT32_MIN, std::min<int64_t>(INT32_MAX, v)); }
/// Pairs of 16-bit edge values in a 32-bit operand.
Inputs packedPairs(const std::vector<uint64_t> &edges) {
  Inputs result;
  for (uint64_t a : edges)
    for (uint64_t b : edges)
      result.push_back({a | b << 16, b | a << 16, 0});
  for (uint64_t a : edges)
    for (uint64_t b : edges)
      result.push_back({a | (a ^ 0xffff) << 16, b | (b ^ 0x8000) << 16, 0});
  return result;
}

TEST(IntegerForms, TwentyFourBits) {
  const std::vector<uint64_t> edges = {0,        1,        0x7fffff,   0x800000,   0xffffff,
                                       0xff0001, 0x123456, 0x80000000, 0xfe800000, 0xffffffff};
  for (bool isSigned : {false, true}) {
    std::string type = isSigned ? "s32" : "u32";
    auto product = [=](uint64_t a, uint64_t b) { // 48 bits
      return isSigned ? signExtend(a, 24) * signExtend(b, 24)
                      : int64_t((a & 0xffffff) * (b & 0xffffff));
    };
    for (bool hi : {false, true}) {
      std::string form = hi ? ".hi." : ".lo.";
      check(
          {"mul24" + form + type + " %d, %a, %b;", "b32", {"b32", "b32"}}, combinations(edges, 2),
          [&](uint64_t a, uint64_t b, uint64_t) { return low32(product(a, b) >> (hi ? 16 : 0)); });
      check({"mad24" + form + type + " %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}},
            combinations(edges, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
              return low32((product(a, b) >> (hi ? 16 : 0)) + int64_t(c));
            });
    }
  }
  check({"mad24.hi.sat.s32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}}, combinations(edges, 3),
        [](uint64_t a, uint64_t b, uint64_t c) {
          int64_t p = signExtend(a, 24) * signExtend(b, 24) >> 16;
          return low32(clamp32(signExtend(uint64_t(p), 32) + int32_t(c)));
        });
  check({"mad.hi.sat.s32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}}, combinations(edge32, 3),
        [](uint64_t a, uint64_t b, uint64_t c) {
          return low32(clamp32((int64_t(int32_t(a)) * int32_t(b) >> 32) + int32_t(c)));
        });
}

TEST(IntegerForms, CarryChains) {
  // Every link of a chain separately, with carry in and carry out.
  for (unsigned bits : {32u, 64u})
    for (const std::string sign : {"u", "s"}) {
      std::string type = sign + std::to_string(bits), reg = "b" + std::to_string(bits);
      uint64_t mask = bits == 64 ? ~uint64_t(0) : 0xffffffff;
      const std::vector<uint64_t> &edges = bits == 64 ? edge64 : edge32;
      using W = unsigned __int128;
      struct {
        const char *op;
        W (*f)(W, W, W, W, unsigned);
      } ops[] = {{"add", [](W a, W b, W, W in, unsigned) { return a + b + in; }},
                 {"sub", [](W a, W b, W, W in, unsigned) { return a - b - in; }},
                 {"mad.lo", [](W a, W b, W c, W in,
                               unsigned n) { return (a * b & ((W(1) << n) - 1)) + c + in; }},
                 {"mad.hi", [](W a, W b, W c, W in, unsigned n) { return (a * b >> n) + c + in; }}};
      for (auto &o : ops)
        for (bool reads : {false, true})
          for (bool writes : {false, true}) {
            if (!reads && !writes)
              continue;
            std::string name = o.op;
            size_t dot = std::min(name.find('.'), name.size());
            if (reads)
              name.insert(dot, "c");
            bool mad = name[0] == 'm', subtracts = name[0] == 's';
            // Sets the carry (for sub: the borrow) in all lanes, runs the instruction, then reads
            // the carry out.
            std::string start =
                subtracts ? "sub.cc." + type + " x, 0, 1;" : "add.cc." + type + " x, -1, 1;";
            std::string text = "{ .reg ." + reg + " x, y; " + start + " " + name +
                               (writes ? ".cc." : ".") + type + " x, %a, %b" + (mad ? ", %c" : "") +
                               "; addc." + type + " y, 0, 0; ";
            check({text + "mov." + reg + " %d, x; }", reg, {reg, reg, reg}},
                  combinations(edges, mad ? 3 : 2), [&](uint64_t a, uint64_t b, uint64_t c) {
                    return uint64_t(o.f(a & mask, b & mask, c & mask, reads, bits)) & mask;
                  });
            check({text + "mov." + reg + " %d, y; }", reg, {reg, reg, reg}},
                  combinations(edges, mad ? 3 : 2), [&](uint64_t a, uint64_t b, uint64_t c) {
                    if (!writes)
                      return uint64_t(1); // still the carry that was set
                    return uint64_t(o.f(a & mask, b & mask, c & mask, reads, bits) >> bits) & 1;
                  });
          }
    }
}

TEST(IntegerForms, PackedAndRelu) {
  struct {
    const char *op;
    int64_t (*f)(int64_t, int64_t);
  } ops[] = {
      {"add", [](int64_t a, int64_t b) { return a + b; }},
      {"sub", [](int64_t a, int64_t b) { return a - b; }},
      {"min", [](int64_t a, int64_t b) { return std::min(a, b); }},
      {"max", [](int64_t a, int64_t b) { return std::max(a, b); }},
      {"min.relu", [](int64_t a, int64_t b) { return std::max<int64_t>(0, std::min(a, b)); }},
      {"max.relu", [](int64_t a, int64_t b) { return std::max<int64_t>(0, std::max(a, b)); }}};
  for (auto &o : ops) {
    bool relu = std::string(o.op).find("relu") != std::string::npos;
    for (bool isSigned : {false, true}) {
      if (relu && !isSigned)
        continue;
      check({std::string(o.op) + (isSigned ? ".s16x2" : ".u16x2") + " %d, %a, %b;",
             "b32",
             {"b32", "b32"}},
            packedPairs(edge16), [&](uint64_t a, uint64_t b, uint64_t) {
              uint64_t r = 0;
              for (unsigned k = 0; k < 32; k += 16) {
                uint64_t x = a >> k & 0xffff, y = b >> k & 0xffff;
                int64_t v = isSigned ? o.f(signExtend(x, 16), signExtend(y, 16))
                                     : o.f(int64_t(x), int64_t(y));
                r |= (uint64_t(v) & 0xffff) << k;
              }
              return r;
            });
    }
    if (relu)
      check({std::string(o.op) + ".s32 %d, %a, %b;", "b32", {"b32", "b32"}},
            combinations(edge32, 2),
            [&](uint64_t a, uint64_t b, uint64_t) { return low32(o.f(int32_t(a), int32_t(b))); });
  }
}

TEST(IntegerForms, MasksAndSearch) {
  const std::vector<uint64_t> positions = {0, 1, 5, 16, 30, 31, 32, 33, 63, 255, 0xffffffff};
  for (bool wrapped : {false, true}) {
    std::string mode = wrapped ? ".wrap" : ".clamp";
    check({"bmsk" + mode + ".b32 %d, %a, %b;", "b32", {"b32", "b32"}}, combinations(positions, 2),
          [&](uint64_t a, uint64_t b, uint64_t) {
            uint64_t pos = wrapped ? a % 32 : a, length = wrapped ? b % 32 : b, r = 0;
            for (uint64_t k = pos; k < 32 && k - pos < length; k++)
              r |= uint64_t(1) << k;
            return r;
          });
    for (bool isSigned : {false, true}) {
      Inputs inputs;
      for (uint64_t a : edge32)
        for (uint64_t n : positions)
          inputs.push_back({a, n, 0});
      check({"szext" + mode + (isSigned ? ".s32" : ".u32") + " %d, %a, %b;", "b32", {"b32", "b32"}},
            inputs, [&](uint64_t a, uint64_t n, uint64_t) -> uint64_t {
              uint64_t bits = wrapped ? n % 32 : n;
              if (bits == 0)
                return 0;
              if (bits >= 32)
                return a;
              uint64_t v = a & ((uint64_t(1) << bits) - 1);
              return isSigned ? low32(signExtend(v, unsigned(bits))) : v;
            });
    }
  }
  Inputs searches;
  for (uint64_t mask : edge32)
    for (uint64_t base : {0u, 1u, 7u, 30u, 31u})
      for (uint64_t n : {0u, 1u, 2u, 5u, 32u, 33u, 0xffffffffu, 0xfffffffeu, 0xffffffe0u})
        searches.push_back({mask, base, n});
  check({"fns.b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}}, searches,
        [](uint64_t mask, uint64_t base, uint64_t n) -> uint64_t {
          // ISA, "fns": the n-th set bit from the base position on, upwards or downwards.
          int offset = int32_t(n), found = 0;
          if (offset == 0)
            return mask >> base & 1 ? base : 0xffffffff;
          for (int k = int(base); k >= 0 && k < 32; k += offset > 0 ? 1 : -1)
            if (mask >> k & 1 && ++found == std::abs(offset))
              return uint64_t(k);
          return 0xffffffff;
        });
}

TEST(IntegerForms, PermuteModes) {
  // ISA, "prmt": bytes of the result, most significant first, for selectors 0 to 3.
  const struct {
    const char *mode;
    int bytes[4][4];
  } modes[] = {{"f4e", {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}},
               {"b4e", {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}},
               {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
               {"ecl", {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}},
               {"ecr", {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}},
               {"rc16", {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}}};
  Inputs inputs;
  for (uint64_t a : {0x03020100u, 0xdeadbeefu})
    for (uint64_t c : {0u, 1u, 2u, 3u, 4u, 0xfffffffeu})
      inputs.push_back({a, 0x07060504, c});
  for (auto &m : modes)
    check({std::string("prmt.b32.") + m.mode + " %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}},
          inputs, [&](uint64_t a, uint64_t b, uint64_t c) {
            uint64_t r = 0;
            for (int byte : m.bytes[c & 3])
              r = r << 8 | ((byte < 4 ? a >> (8 * byte) : b >> (8 * (byte - 4))) & 255);
            return r;
          });
}

TEST(IntegerForms, DotProductsOfHalves) {
  for (bool sa : {false, true})
    for (bool sb : {false, true})
      for (bool hi : {false, true})
        check({std::string("dp2a.") + (hi ? "hi" : "lo") + (sa ? ".s32" : ".u32") +
                   (sb ? ".s32" : ".u32") + " %d, %a, %b, %c;",
               "b32",
               {"b32", "b32", "b32"}},
              combinations(edge32, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
                int64_t sum = int64_t(c);
                for (unsigned k = 0; k < 2; k++) {
                  uint64_t x = a >> (16 * k) & 0xffff, y = b >> (8 * (k + (hi ? 2 : 0))) & 255;
                  sum +=
                      (sa ? signExtend(x, 16) : int64_t(x)) * (sb ? signExtend(y, 8) : int64_t(y));
                }
                return low32(sum);
              });
}

TEST(IntegerForms, BitTypes) {
  for (unsigned bits : {16u, 32u, 64u}) {
    std::string reg = "b" + std::to_string(bits);
    uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    Inputs inputs;
    for (uint64_t a : bits == 16 ? edge16 : bits == 32 ? edge32 : edge64)
      for (uint64_t n : {0u, 1u, 15u, 16u, 31u, 32u, 63u, 64u, 255u})
        inputs.push_back({a, n, 0});
    check({"shr." + reg + " %d, %a, %b;", reg, {reg, "b32"}}, inputs,
          [&](uint64_t a, uint64_t n, uint64_t) { return n >= bits ? 0 : (a & mask) >> n; });
    Inputs two = combinations(bits == 16 ? edge16 : bits == 32 ? edge32 : edge64, 2);
    check({"setp.eq." + reg + " %d, %a, %b;", "pred", {reg, reg}}, two,
          [](uint64_t a, uint64_t b, uint64_t) { return uint64_t(a == b); });
    check({"setp.ne." + reg + " %d, %a, %b;", "pred", {reg, reg}}, two,
          [](uint64_t a, uint64_t b, uint64_t) { return uint64_t(a != b); });
  }
}

TEST(IntegerForms, SelectBySign) {
  const char *types[] = {"b16", "u16", "s16", "b32", "u32", "s32",
                         "f32", "b64", "u64", "s64", "f64"};
  for (const char *type : types) {
    std::string reg = std::string("b") + (type + 1);
    Inputs inputs, floats;
    for (uint64_t c : edge32)
      inputs.push_back({0x1234, 0x4321, c});
    for (uint64_t c : edgeF32)
      floats.push_back({0x1234, 0x4321, c});
    check({std::string("slct.") + type + ".s32 %d, %a, %b, %c;", reg, {reg, reg, "b32"}}, inputs,
          [](uint64_t a, uint64_t b, uint64_t c) { return int32_t(c) >= 0 ? a : b; });
    // -0 counts as zero, NaN selects b; .ftz makes -0 of negative subnormals.
    check({std::string("slct.") + type + ".f32 %d, %a, %b, %c;", reg, {reg, reg, "b32"}}, floats,
          [](uint64_t a, uint64_t b, uint64_t c) { return asFloat(c) >= 0 ? a : b; });
    check({std::string("slct.ftz.") + type + ".f32 %d, %a, %b, %c;", reg, {reg, reg, "b32"}},
          floats, [](uint64_t a, uint64_t b, uint64_t c) {
            bool subnormal = (c & 0x7f800000) == 0;
            return subnormal || asFloat(c) >= 0 ? a : b;
          });
  }
}

TEST(IntegerForms, SetAndUnsignedComparisons) {
  struct {
    const char *op;
    bool (*f)(int64_t, int64_t);
  } compares[] = {{"eq", [](int64_t a, int64_t b) { return a == b; }},
                  {"ne", [](int64_t a, int64_t b) { return a != b; }},
                  {"lt", [](int64_t a, int64_t b) { return a < b; }},
                  {"ge", [](int64_t a, int64_t b) { return a >= b; }},
                  {"lo", [](int64_t a, int64_t b) { return a < b; }},
                  {"ls", [](int64_t a, int64_t b) { return a <= b; }},
                  {"hi", [](int64_t a, int64_t b) { return a > b; }},
                  {"hs", [](int64_t a, int64_t b) { return a >= b; }}};
  Inputs two = combinations(edge32, 2);
  for (auto &c : compares) {
    std::string op = c.op;
    bool isUnsigned = op[0] == 'h' || op[0] == 'l', both = op != "lt";
    for (const char *type : {"u32", "s32"}) {
      if (type[0] == 's' && isUnsigned && both)
        continue; // lo, ls, hi and hs are for unsigned types
      auto value = [&](uint64_t v) { return type[0] == 's' ? int64_t(int32_t(v)) : int64_t(v); };
      auto yes = [&](uint64_t a, uint64_t b) { return c.f(value(a), value(b)); };
      check({"setp." + op + "." + type + " %d, %a, %b;", "pred", {"b32", "b32"}}, two,
            [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(yes(a, b)); });
      check({"set." + op + ".u32." + type + " %d, %a, %b;", "b32", {"b32", "b32"}}, two,
            [&](uint64_t a, uint64_t b, uint64_t) { return yes(a, b) ? 0xffffffffu : 0u; });
      check({"set." + op + ".f32." + type + " %d, %a, %b;", "b32", {"b32", "b32"}}, two,
            [&](uint64_t a, uint64_t b, uint64_t) { return yes(a, b) ? 0x3f800000u : 0u; });
      struct {
        const char *logic;
        bool (*f)(bool, bool);
      } logics[] = {{"and", [](bool a, bool b) { return a && b; }},
                    {"or", [](bool a, bool b) { return a || b; }},
                    {"xor", [](bool a, bool b) { return a != b; }}};
      for (auto &l : logics)
        for (bool negated : {false, true})
          check({"set." + op + "." + l.logic + ".s32." + type + " %d, %a, %b, " +
                     (negated ? "!%c;" : "%c;"),
                 "b32",
                 {"b32", "b32", "pred"}},
                combinations({0, 1, 0x80000000, 0xffffffff}, 3),
                [&](uint64_t a, uint64_t b, uint64_t p) {
                  return l.f(yes(a, b), (p != 0) != negated) ? 0xffffffffu : 0u;
                });
    }
  }
}

TEST(IntegerForms, PredicateLogic) {
  struct {
    const char *op;
    bool (*f)(bool, bool);
  } ops[] = {{"and", [](bool a, bool b) { return a && b; }},
             {"or", [](bool a, bool b) { return a || b; }},
             {"xor", [](bool a, bool b) { return a != b; }}};
  Inputs inputs = combinations({0, 1}, 2);
  for (auto &o : ops)
    for (bool negate : {false, true})
      check({std::string(o.op) + ".pred %d, " + (negate ? "!" : "") + "%a, %b;",
             "pred",
             {"pred", "pred"}},
            inputs,
            [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(o.f(a != negate, b)); });
  check({"not.pred %d, %a;", "pred", {"pred"}}, inputs,
        [](uint64_t a, uint64_t, uint64_t) { return uint64_t(!a); });
  check({"mov.pred %d, %a;", "pred", {"pred"}}, inputs,
        [](uint64_t a, uint64_t, uint64_t) { return a; });
}

} // namespace
