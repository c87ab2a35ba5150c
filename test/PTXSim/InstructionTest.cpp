// Integer instructions against host arithmetic in wider types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"
#include <algorithm>

using namespace ptxsim;

namespace {

using Wide = __int128;

struct IntegerType {
  const char *name, *reg;
  unsigned bits;
  bool isSigned;
  const std::vector<uint64_t> *edges;
  Wide value(uint64_t raw) const {
    Wide v = bits == 64 ? Wide(raw) : Wide(raw & ((uint64_t(1) << bits) - 1));
    return isSigned && (v >> (bits - 1) & 1) ? v - (Wide(1) << bits) : v;
  }
  uint64_t wrap(Wide v) const {
    return bits == 64 ? uint64_t(v) : uint64_t(v) & ((uint64_t(1) << bits) - 1);
  }
};
const IntegerType integerTypes[] = {
    {"u16", "b16", 16, false, &edge16}, {"s16", "b16", 16, true, &edge16},
    {"u32", "b32", 32, false, &edge32}, {"s32", "b32", 32, true, &edge32},
    {"u64", "b64", 64, false, &edge64}, {"s64", "b64", 64, true, &edge64}};

Wide floorShift(Wide v, unsigned n) { return v >> n; }

void checkBinary(const char *op, Wide (*f)(Wide, Wide), bool skipZeroDivisor = false) {
  for (const IntegerType &t : integerTypes) {
    Inputs inputs = combinations(*t.edges, 2);
    if (skipZeroDivisor)
      inputs.erase(std::remove_if(inputs.begin(), inputs.end(), [](auto &x) { return x[1] == 0; }),
                   inputs.end());
    check({std::string(op) + "." + t.name + " %d, %a, %b;", t.reg, {t.reg, t.reg}}, inputs,
          [&](uint64_t a, uint64_t b, uint64_t) { return t.wrap(f(t.value(a), t.value(b))); });
  }
}

TEST(Integer, AddSubMul) {
  checkBinary("add", [](Wide a, Wide b) { return a + b; });
  checkBinary("sub", [](Wide a, Wide b) { return a - b; });
  checkBinary("mul.lo",
              [](Wide a, Wide b) { return Wide((unsigned __int128)a * (unsigned __int128)b); });
  checkBinary("min", [](Wide a, Wide b) { return std::min(a, b); });
  checkBinary("max", [](Wide a, Wide b) { return std::max(a, b); });
}

TEST(Integer, DivRem) {
  checkBinary("div", [](Wide a, Wide b) { return a / b; }, true);
  checkBinary("rem", [](Wide a, Wide b) { return a % b; }, true);
}

TEST(Integer, HighAndWide) {
  for (const IntegerType &t : integerTypes) {
    std::string n = t.name;
    // 128-bit products of 64-bit numbers are assembled from 32-bit parts.
    auto high = [&](uint64_t a, uint64_t b) {
      Wide x = t.value(a), y = t.value(b);
      if (t.bits < 64)
        return floorShift(x * y, t.bits);
      bool negative = (x < 0) != (y < 0);
      unsigned __int128 p = (unsigned __int128)(x < 0 ? -x : x),
                        q = (unsigned __int128)(y < 0 ? -y : y);
      uint64_t ph = uint64_t(p >> 32), pl = uint64_t(p) & 0xffffffff, qh = uint64_t(q >> 32),
               ql = uint64_t(q) & 0xffffffff;
      unsigned __int128 low = (unsigned __int128)pl * ql;
      unsigned __int128 mid = (unsigned __int128)ph * ql + (unsigned __int128)pl * qh + (low >> 32);
      unsigned __int128 top = (unsigned __int128)ph * qh + (mid >> 32);
      uint64_t lowWord = uint64_t(mid << 32) | (uint64_t(low) & 0xffffffff);
      Wide h = Wide(uint64_t(top));
      return negative ? -h - (lowWord ? 1 : 0) : h;
    };
    check({"mul.hi." + n + " %d, %a, %b;", t.reg, {t.reg, t.reg}}, combinations(*t.edges, 2),
          [&](uint64_t a, uint64_t b, uint64_t) { return t.wrap(high(a, b)); });
    check({"mad.lo." + n + " %d, %a, %b, %c;", t.reg, {t.reg, t.reg, t.reg}},
          combinations(*t.edges, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
            return t.wrap(Wide((unsigned __int128)t.value(a) * (unsigned __int128)t.value(b) +
                               (unsigned __int128)t.value(c)));
          });
    check({"mad.hi." + n + " %d, %a, %b, %c;", t.reg, {t.reg, t.reg, t.reg}},
          combinations(*t.edges, 3),
          [&](uint64_t a, uint64_t b, uint64_t c) { return t.wrap(high(a, b) + t.value(c)); });
    check({"sad." + n + " %d, %a, %b, %c;", t.reg, {t.reg, t.reg, t.reg}},
          combinations(*t.edges, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
            Wide x = t.value(a), y = t.value(b);
            return t.wrap(t.value(c) + (x < y ? y - x : x - y));
          });
    if (t.bits == 64)
      continue;
    std::string wide = t.bits == 16 ? "b32" : "b64";
    uint64_t mask = t.bits == 16 ? 0xffffffff : ~uint64_t(0);
    check(
        {"mul.wide." + n + " %d, %a, %b;", wide, {t.reg, t.reg}}, combinations(*t.edges, 2),
        [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(t.value(a) * t.value(b)) & mask; });
    check({"mad.wide." + n + " %d, %a, %b, %c;", wide, {t.reg, t.reg, wide}},
          combinations(*t.edges, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
            return (uint64_t(t.value(a) * t.value(b)) + c) & mask;
          });
  }
}

TEST(Integer, SaturateAndSign) {
  auto clamp = [](Wide v) {
    return uint64_t(uint32_t(int32_t(std::max<Wide>(INT32_MIN, std::min<Wide>(INT32_MAX, v)))));
  };
  const IntegerType &s = integerTypes[3];
  check({"add.sat.s32 %d, %a, %b;", "b32", {"b32", "b32"}}, combinations(edge32, 2),
        [&](uint64_t a, uint64_t b, uint64_t) { return clamp(s.value(a) + s.value(b)); });
  check({"sub.sat.s32 %d, %a, %b;", "b32", {"b32", "b32"}}, combinations(edge32, 2),
        [&](uint64_t a, uint64_t b, uint64_t) { return clamp(s.value(a) - s.value(b)); });
  for (const IntegerType &t : integerTypes) {
    if (!t.isSigned)
      continue;
    check({std::string("abs.") + t.name + " %d, %a;", t.reg, {t.reg}}, combinations(*t.edges, 1),
          [&](uint64_t a, uint64_t, uint64_t) {
            Wide v = t.value(a);
            return t.wrap(v < 0 ? -v : v);
          });
    check({std::string("neg.") + t.name + " %d, %a;", t.reg, {t.reg}}, combinations(*t.edges, 1),
          [&](uint64_t a, uint64_t, uint64_t) { return t.wrap(-t.value(a)); });
  }
}

TEST(Integer, Carry) {
  // A 64-bit sum and difference from 32-bit halves.
  Inputs inputs = combinations(edge64, 2);
  std::string split =
      "{ .reg .b32 al, ah, bl, bh, dl, dh; mov.b64 {al, ah}, %a; mov.b64 {bl, bh}, %b; ";
  check({split + "add.cc.u32 dl, al, bl; addc.u32 dh, ah, bh; mov.b64 %d, {dl, dh}; }",
         "b64",
         {"b64", "b64"}},
        inputs, [](uint64_t a, uint64_t b, uint64_t) { return a + b; });
  check({split + "sub.cc.u32 dl, al, bl; subc.u32 dh, ah, bh; mov.b64 %d, {dl, dh}; }",
         "b64",
         {"b64", "b64"}},
        inputs, [](uint64_t a, uint64_t b, uint64_t) { return a - b; });
  check({split + "mul.lo.u32 dl, al, bl; mul.hi.u32 dh, al, bl; mad.lo.cc.u32 dl, al, bl, 0; "
                 "madc.hi.u32 dh, al, bl, 0; mov.b64 %d, {dl, dh}; }",
         "b64",
         {"b64", "b64"}},
        inputs,
        [](uint64_t a, uint64_t b, uint64_t) { return (a & 0xffffffff) * (b & 0xffffffff); });
}

TEST(Integer, Logic) {
  struct {
    const char *reg;
    const std::vector<uint64_t> *edges;
    uint64_t mask;
  } types[] = {
      {"b16", &edge16, 0xffff}, {"b32", &edge32, 0xffffffff}, {"b64", &edge64, ~uint64_t(0)}};
  for (auto &t : types) {
    std::string n = t.reg;
    Inputs two = combinations(*t.edges, 2), one = combinations(*t.edges, 1);
    check({"and." + n + " %d, %a, %b;", n, {n, n}}, two,
          [](uint64_t a, uint64_t b, uint64_t) { return a & b; });
    check({"or." + n + " %d, %a, %b;", n, {n, n}}, two,
          [](uint64_t a, uint64_t b, uint64_t) { return a | b; });
    check({"xor." + n + " %d, %a, %b;", n, {n, n}}, two,
          [](uint64_t a, uint64_t b, uint64_t) { return a ^ b; });
    check({"not." + n + " %d, %a;", n, {n}}, one,
          [&](uint64_t a, uint64_t, uint64_t) { return ~a & t.mask; });
    check({"cnot." + n + " %d, %a;", n, {n}}, one,
          [&](uint64_t a, uint64_t, uint64_t) { return uint64_t(a == 0); });
  }
  for (unsigned table : {0x96u, 0xe8u, 0x2au, 0x01u, 0xffu})
    check({"lop3.b32 %d, %a, %b, %c, " + std::to_string(table) + ";", "b32", {"b32", "b32", "b32"}},
          combinations(edge32, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
            uint64_t r = 0;
            for (int k = 0; k < 32; k++)
              r |= uint64_t(table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1)
                   << k;
            return r;
          });
}

TEST(Integer, Shifts) {
  for (const IntegerType &t : integerTypes) {
    Inputs inputs;
    for (uint64_t a : *t.edges)
      for (uint64_t n : {0u, 1u, 7u, 15u, 16u, 31u, 32u, 63u, 64u, 65u, 255u, 0x80000000u})
        inputs.push_back({a, n, 0});
    check({std::string("shl.") + t.reg + " %d, %a, %b;", t.reg, {t.reg, "b32"}}, inputs,
          [&](uint64_t a, uint64_t n, uint64_t) {
            return n >= t.bits ? 0 : t.wrap(Wide((unsigned __int128)t.value(a) << n));
          });
    check({std::string("shr.") + t.name + " %d, %a, %b;", t.reg, {t.reg, "b32"}}, inputs,
          [&](uint64_t a, uint64_t n, uint64_t) {
            return t.wrap(floorShift(t.value(a), unsigned(std::min<uint64_t>(n, 100))));
          });
  }
  for (bool left : {true, false})
    for (bool wrapped : {true, false})
      check({std::string("shf.") + (left ? "l" : "r") + (wrapped ? ".wrap" : ".clamp") +
                 ".b32 %d, %a, %b, %c;",
             "b32",
             {"b32", "b32", "b32"}},
            combinations(edge32, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
              uint64_t n = wrapped ? c % 32 : std::min<uint64_t>(c, 32), r = 0;
              for (uint64_t k = 0; k < 32; k++) { // bit k of the result
                uint64_t from = left ? 32 + k - n : k + n;
                uint64_t bit = from < 32 ? a >> from & 1 : from < 64 ? b >> (from - 32) & 1 : 0;
                r |= bit << k;
              }
              return r;
            });
}

TEST(Integer, BitCountsAndFields) {
  auto bits = [](uint64_t v) {
    uint64_t n = 0;
    for (; v; v >>= 1)
      n += v & 1;
    return n;
  };
  for (unsigned width : {32u, 64u}) {
    std::string n = width == 32 ? "b32" : "b64";
    Inputs one = combinations(width == 32 ? edge32 : edge64, 1);
    check({"popc." + n + " %d, %a;", "b32", {n}}, one,
          [&](uint64_t a, uint64_t, uint64_t) { return bits(a); });
    check({"clz." + n + " %d, %a;", "b32", {n}}, one, [&](uint64_t a, uint64_t, uint64_t) {
      uint64_t k = 0;
      while (k < width && !(a >> (width - 1 - k) & 1))
        k++;
      return k;
    });
    check({"brev." + n + " %d, %a;", n, {n}}, one, [&](uint64_t a, uint64_t, uint64_t) {
      uint64_t r = 0;
      for (unsigned k = 0; k < width; k++)
        r |= (a >> k & 1) << (width - 1 - k);
      return r;
    });
    for (bool isSigned : {false, true}) {
      std::string type = (isSigned ? "s" : "u") + std::to_string(width);
      auto msb = [=](uint64_t a) -> int64_t {
        bool negative = isSigned && (a >> (width - 1) & 1);
        for (int k = int(width) - 1; k >= 0; k--)
          if ((a >> k & 1) != uint64_t(negative))
            return k;
        return -1;
      };
      check({"bfind." + type + " %d, %a;", "b32", {n}}, one,
            [&](uint64_t a, uint64_t, uint64_t) { return uint64_t(uint32_t(msb(a))); });
      check({"bfind.shiftamt." + type + " %d, %a;", "b32", {n}}, one,
            [&](uint64_t a, uint64_t, uint64_t) {
              return msb(a) < 0 ? 0xffffffffull : uint64_t(width - 1 - unsigned(msb(a)));
            });
      Inputs fields;
      for (auto &x : one)
        for (uint64_t pos : {0u, 1u, 8u, 31u, 32u, 63u, 200u})
          for (uint64_t len : {0u, 1u, 5u, 32u, 64u, 255u})
            fields.push_back({x[0], pos, len});
      check({"bfe." + type + " %d, %a, %b, %c;", n, {n, "b32", "b32"}}, fields,
            [&](uint64_t a, uint64_t pos, uint64_t len) {
              uint64_t r = 0, last = std::min<uint64_t>(pos + len - 1, width - 1);
              bool sign = isSigned && len && (a >> last & 1);
              for (uint64_t k = 0; k < width; k++) {
                uint64_t bit = k < len && pos + k < width ? a >> (pos + k) & 1 : uint64_t(sign);
                r |= bit << k;
              }
              return len ? r : 0;
            });
    }
    Inputs fields;
    for (auto &x : combinations(width == 32 ? edge32 : edge64, 2))
      fields.push_back({x[0], x[1], 0});
    for (auto pl :
         {std::pair<unsigned, unsigned>{0, 8}, {4, 12}, {31, 4}, {0, 64}, {width, 3}, {8, 0}})
      check({"bfi." + n + " %d, %a, %b, " + std::to_string(pl.first) + ", " +
                 std::to_string(pl.second) + ";",
             n,
             {n, n}},
            fields, [&](uint64_t a, uint64_t b, uint64_t) {
              for (unsigned k = 0; k < pl.second && pl.first + k < width; k++)
                b = (b & ~(uint64_t(1) << (pl.first + k))) | (a >> k & 1) << (pl.first + k);
              return b;
            });
  }
}

TEST(Integer, PermuteAndDotProducts) {
  check({"prmt.b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}}, combinations(edge32, 3),
        [](uint64_t a, uint64_t b, uint64_t c) {
          uint8_t bytes[8];
          for (int k = 0; k < 4; k++)
            bytes[k] = uint8_t(a >> (8 * k)), bytes[4 + k] = uint8_t(b >> (8 * k));
          uint64_t r = 0;
          for (int k = 0; k < 4; k++) {
            unsigned s = c >> (4 * k) & 15;
            uint8_t v = s & 8 ? (bytes[s & 7] & 0x80 ? 0xff : 0) : bytes[s & 7];
            r |= uint64_t(v) << (8 * k);
          }
          return r;
        });
  for (bool sa : {false, true})
    for (bool sb : {false, true})
      check({std::string("dp4a.") + (sa ? "s32" : "u32") + (sb ? ".s32" : ".u32") +
                 " %d, %a, %b, %c;",
             "b32",
             {"b32", "b32", "b32"}},
            combinations(edge32, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
              int64_t sum = int64_t(c);
              for (int k = 0; k < 4; k++) {
                int64_t x = a >> (8 * k) & 255, y = b >> (8 * k) & 255;
                if (sa && x > 127)
                  x -= 256;
                if (sb && y > 127)
                  y -= 256;
                sum += x * y;
              }
              return uint64_t(sum) & 0xffffffff;
            });
}

TEST(Integer, CompareAndSelect) {
  for (const IntegerType &t : integerTypes) {
    struct {
      const char *op;
      bool (*f)(Wide, Wide);
    } compares[] = {{"eq", [](Wide a, Wide b) { return a == b; }},
                    {"ne", [](Wide a, Wide b) { return a != b; }},
                    {"lt", [](Wide a, Wide b) { return a < b; }},
                    {"le", [](Wide a, Wide b) { return a <= b; }},
                    {"gt", [](Wide a, Wide b) { return a > b; }},
                    {"ge", [](Wide a, Wide b) { return a >= b; }}};
    for (auto &c : compares)
      check({std::string("setp.") + c.op + "." + t.name + " %d, %a, %b;", "pred", {t.reg, t.reg}},
            combinations(*t.edges, 2), [&](uint64_t a, uint64_t b, uint64_t) {
              return uint64_t(c.f(t.value(a), t.value(b)));
            });
    Inputs inputs = combinations(*t.edges, 2);
    for (size_t k = 0; k < inputs.size(); k++)
      inputs[k][2] = k & 1;
    check({std::string("selp.") + t.reg + " %d, %a, %b, %c;", t.reg, {t.reg, t.reg, "pred"}},
          inputs, [](uint64_t a, uint64_t b, uint64_t c) { return c ? a : b; });
  }
  check({"setp.lt.and.s32 %d, %a, %b, !%c;", "pred", {"b32", "b32", "pred"}},
        combinations({0, 1, 0xffffffff}, 3),
        [](uint64_t a, uint64_t b, uint64_t c) { return uint64_t(int32_t(a) < int32_t(b) && !c); });
  check({"{ .reg .pred q; setp.lt.or.u32 q|%d, %a, %b, %c; }", "pred", {"b32", "b32", "pred"}},
        combinations({0, 1, 0xffffffff}, 3), [](uint64_t a, uint64_t b, uint64_t c) {
          return uint64_t(!(uint32_t(a) < uint32_t(b)) || c);
        });
}

TEST(Integer, Convert) {
  for (const IntegerType &from : integerTypes)
    for (const IntegerType &to : integerTypes) {
      check({std::string("cvt.") + to.name + "." + from.name + " %d, %a;", to.reg, {from.reg}},
            combinations(*from.edges, 1),
            [&](uint64_t a, uint64_t, uint64_t) { return to.wrap(from.value(a)); });
      check({std::string("cvt.sat.") + to.name + "." + from.name + " %d, %a;", to.reg, {from.reg}},
            combinations(*from.edges, 1), [&](uint64_t a, uint64_t, uint64_t) {
              Wide hi = (Wide(1) << (to.bits - to.isSigned)) - 1, lo = to.isSigned ? -hi - 1 : 0;
              return to.wrap(std::max(lo, std::min(hi, from.value(a))));
            });
    }
  check({"cvt.s32.s8 %d, %a;", "b32", {"b32"}}, combinations(edge32, 1),
        [](uint64_t a, uint64_t, uint64_t) { return uint64_t(uint32_t(int32_t(int8_t(a)))); });
  check({"cvt.u32.u8 %d, %a;", "b32", {"b32"}}, combinations(edge32, 1),
        [](uint64_t a, uint64_t, uint64_t) { return a & 255; });
}

} // namespace
