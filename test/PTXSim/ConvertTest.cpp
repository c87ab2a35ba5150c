// cvt for every pair of types and every modifier, against tables of all codes of the small formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"
#include <algorithm>
#include <cfenv>
#include <cmath>

using namespace ptxsim;

namespace {

using Wide = __int128;

struct Integer {
  const char *name, *reg; ///< 8-bit values live in 16-bit registers
  unsigned bits, registerBits;
  bool isSigned;
};
const Integer integers[] = {{"u8", "b16", 8, 16, false},   {"s8", "b16", 8, 16, true},
                            {"u16", "b16", 16, 16, false}, {"s16", "b16", 16, 16, true},
                            {"u32", "b32", 32, 32, false}, {"s32", "b32", 32, 32, true},
                            {"u64", "b64", 64, 64, false}, {"s64", "b64", 64, 64, true}};

Wide valueOf(const Integer &t, uint64_t raw) {
  Wide v = t.bits == 64 ? Wide(raw) : Wide(raw & ((uint64_t(1) << t.bits) - 1));
  return t.isSigned && (v >> (t.bits - 1) & 1) ? v - (Wide(1) << t.bits) : v;
}
/// Value as held by the register: narrower values are extended. Example: s8 -1 in .b16 -> 0xffff.
uint64_t registerOf(const Integer &t, Wide v) {
  uint64_t raw = uint64_t(valueOf(t, uint64_t(v)));
  return t.registerBits == 64 ? raw : raw & ((uint64_t(1) << t.registerBits) - 1);
}
Wide clampTo(const Integer &t, Wide v) {
  Wide hi = (Wide(1) << (t.bits - t.isSigned)) - 1, lo = t.isSigned ? -hi - 1 : 0;
  return std::max(lo, std::min(hi, v));
}
const std::vector<uint64_t> &edgesOf(const Integer &t) {
  return t.registerBits == 16 ? edge16 : t.bits == 32 ? edge32 : edge64;
}

/// Binary floating-point format of up to 16 bits without the sign, as a list of values.
struct Format {
  const char *name, *reg;
  int kind, exponentBits, mantissaBits, shift; ///< tf32 occupies the upper bits of the register
  bool hasInfinity;
  const std::vector<uint64_t> *edges;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint32_t infinity() const { return ((1u << exponentBits) - 1) << mantissaBits; }
  uint32_t largest() const {
    return hasInfinity ? infinity() - 1 : (1u << (exponentBits + mantissaBits)) - 2;
  }
  uint32_t nan() const { return (1u << (exponentBits + mantissaBits)) - 1; }
  long double value(uint32_t code) const { // of a finite, positive code
    int e = int(code >> mantissaBits), m = int(code) & ((1 << mantissaBits) - 1);
    return e == 0 ? std::ldexp((long double)m, 1 - bias() - mantissaBits)
                  : std::ldexp((long double)(m + (1 << mantissaBits)), e - bias() - mantissaBits);
  }
};
const Format f16{"f16", "b16", 16, 5, 10, 0, true, &edgeF16};
const Format bf16{"bf16", "b16", 15, 8, 7, 0, true, &edgeBF16};
const Format tf32{"tf32", "b32", 32, 8, 10, 13, true, &edgeF32};
const Format e4m3{"e4m3x2", "b16", 0, 4, 3, 0, false, &edge16};
const Format e5m2{"e5m2x2", "b16", 0, 5, 2, 0, true, &edge16};

enum Rounding { Nearest, Zero, Down, Up, Away };
const char *const roundings[] = {"rn", "rz", "rm", "rp", "rna"};
const int hostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/// Finds the two codes around |x| by bisection over all codes, and picks by mode.
uint32_t encode(const Format &f, long double x, Rounding mode, bool satfinite) {
  uint32_t sign = std::signbit(x) ? 1u << (f.exponentBits + f.mantissaBits) : 0;
  if (x != x)
    return f.nan();
  long double a = std::fabs(x);
  uint32_t top = f.hasInfinity ? f.infinity() : f.nan(), overflow = satfinite ? f.largest() : top;
  if (std::isinf(a))
    return sign | overflow;
  uint32_t low = 0, high = f.largest() + 1; // value(low) <= a < value(high)
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    (f.value(middle) <= a ? low : high) = middle;
  }
  // Beyond the largest number the grid goes on as if the exponent were unbounded.
  long double below = f.value(low);
  long double step = low == f.largest() ? below - f.value(low - 1) : f.value(low + 1) - below;
  long double rest = a - below;
  bool up = mode == Zero   ? false
            : mode == Down ? sign && rest > 0
            : mode == Up   ? !sign && rest > 0
            : mode == Away ? rest >= step / 2
                           : rest > step / 2 || (rest == step / 2 && (low & 1));
  if (low == f.largest() && (up || rest >= step)) {
    bool away = mode == Nearest || mode == Away || (mode == Down ? sign != 0 : mode == Up && !sign);
    return sign | (away ? overflow : f.largest());
  }
  return sign | (low + up);
}

/// Floating-point source: conversion of bits to a number.
struct Source {
  const char *name, *reg;
  const std::vector<uint64_t> *edges;
  double (*value)(uint64_t);
};
const Source sources[] = {
    {"f16", "b16", &edgeF16, [](uint64_t v) { return fromHalf(uint16_t(v)); }},
    {"bf16", "b16", &edgeBF16, [](uint64_t v) { return fromBfloat(uint16_t(v)); }},
    {"f32", "b32", &edgeF32, [](uint64_t v) { return double(asFloat(v)); }},
    {"f64", "b64", &edgeF64, [](uint64_t v) { return asDouble(v); }}};

/// The edge values and, for wide sources, the values around ties and limits of the small formats.
Inputs inputsOf(const Source &s) {
  Inputs inputs = combinations(*s.edges, 1);
  if (s.reg[1] == '1')
    return inputs;
  std::vector<double> extra;
  for (const Format *f : {&f16, &bf16, &tf32, &e4m3, &e5m2})
    for (uint32_t code : {0u, 1u, 2u, 1u << f->mantissaBits, (1u << f->mantissaBits) - 1,
                          uint32_t(f->bias()) << f->mantissaBits, f->largest() - 1, f->largest()}) {
      long double v = f->value(code), next = 2 * v - f->value(code ? code - 1 : 0);
      for (long double x : {v, (v + next) / 2, v + (next - v) / 4, v + (next - v) * 3 / 4, next})
        for (double sign : {1.0, -1.0}) {
          extra.push_back(sign * double(x));
          extra.push_back(sign * double(std::nextafterf(float(x), INFINITY)));
        }
    }
  extra.insert(extra.end(), {0x1p-126 - 0x1p-150, 0x1p-126 - 0x1p-151, 0x1p-126 - 0x1p-152,
                             -0x1p-126 + 0x1p-152, 0x1p-126 - 0x1.8p-151});
  for (double x : extra)
    inputs.push_back({s.reg[1] == '3' ? asBits(float(x)) : asBits(x), 0, 0});
  return inputs;
}
double flushed(double x, bool ftz) {
  return ftz && std::fabs(x) < 0x1p-126 ? std::copysign(0.0, x) : x;
}

TEST(Convert, FloatToSmallFloat) {
  for (const Source &from : sources)
    for (const Format *to : {&f16, &bf16}) {
      if (std::string(from.name) == to->name)
        continue;
      bool single = std::string(from.name) == "f32";
      for (Rounding mode : {Nearest, Zero, Down, Up})
        for (const std::string extra :
             {"", ".sat", ".relu", ".satfinite", ".relu.satfinite", ".ftz"}) {
          bool relu = extra.find("relu") != std::string::npos,
               finite = extra.find("satfinite") != std::string::npos;
          if ((extra == ".ftz" && !single) || ((relu || finite) && (!single || mode > Zero)))
            continue;
          checkFloat(to->kind,
                     {std::string("cvt.") + roundings[mode] + extra + "." + to->name + "." +
                          from.name + " %d, %a;",
                      to->reg,
                      {from.reg}},
                     inputsOf(from), [&](uint64_t a, uint64_t, uint64_t) {
                       double x = flushed(from.value(a), extra == ".ftz");
                       if (extra == ".sat")
                         x = x > 0 ? std::min(x, 1.0) : 0.0;
                       if (relu && x <= 0)
                         x = 0.0;
                       return uint64_t(encode(*to, x, mode, finite));
                     });
        }
    }
}

TEST(Convert, FloatToLargeFloat) {
  for (const Source &from : sources) {
    bool half = from.reg[1] == '1';
    for (int m = 0; m < 4; m++)
      for (const std::string extra : {"", ".sat", ".ftz"}) {
        std::string text =
            std::string("cvt.") + (half && m == 0 ? "" : std::string(roundings[m]) + ".");
        if (half && m)
          continue; // exact conversions take no rounding
        auto clamp = [&](double x) {
          return extra == ".sat" ? (x > 0 ? std::min(x, 1.0) : 0.0) : x;
        };
        checkFloat(
            32,
            {text + (extra.empty() ? "" : extra.substr(1) + ".") + "f32." + from.name + " %d, %a;",
             "b32",
             {from.reg}},
            inputsOf(from), [&](uint64_t a, uint64_t, uint64_t) {
              bool ftz = extra == ".ftz";
              double x =
                  clamp(half || from.reg[1] == '3' ? flushed(from.value(a), ftz) : from.value(a));
              std::fesetround(hostModes[m]);
              volatile double v = x, scaled = x * 0x1p126;
              volatile float r = float(v), unbounded = float(scaled);
              std::fesetround(FE_TONEAREST);
              return asBits(ftz && std::fabs(unbounded) < 1 ? std::copysign(0.0f, r) : r);
            });
        if (extra != ".ftz" && m == 0)
          checkFloat(64,
                     {"cvt." + (extra.empty() ? "" : extra.substr(1) + ".") + "f64." + from.name +
                          " %d, %a;",
                      "b64",
                      {from.reg}},
                     inputsOf(from),
                     [&](uint64_t a, uint64_t, uint64_t) { return asBits(clamp(from.value(a))); });
      }
  }
}

const char *const integral[] = {"rni", "rzi", "rmi", "rpi"};
double (*const roundTo[])(double) = {std::nearbyint, std::trunc, std::floor, std::ceil};

TEST(Convert, RoundToIntegralValue) {
  for (const Source &s : sources)
    for (int m = 0; m < 4; m++)
      for (bool ftz : {false, true}) {
        if (ftz && std::string(s.name) != "f32")
          continue;
        int kind = std::string(s.name) == "bf16" ? 15
                   : s.reg[1] == '1'             ? 16
                   : s.reg[1] == '3'             ? 32
                                                 : 64;
        Inputs inputs = inputsOf(s);
        checkFloat(kind,
                   {std::string("cvt.") + integral[m] + (ftz ? ".ftz." : ".") + s.name + "." +
                        s.name + " %d, %a;",
                    s.reg,
                    {s.reg}},
                   inputs, [&](uint64_t a, uint64_t, uint64_t) -> uint64_t {
                     double r = roundTo[m](flushed(s.value(a), ftz));
                     return kind == 15   ? toBfloat(r)
                            : kind == 16 ? toHalf(r)
                            : kind == 32 ? asBits(float(r))
                                         : asBits(r);
                   });
      }
}

TEST(Convert, FloatToInteger) {
  for (const Source &s : sources)
    for (const Integer &t : integers)
      for (int m = 0; m < 4; m++)
        for (bool ftz : {false, true}) {
          if (ftz && std::string(s.name) != "f32")
            continue;
          check({std::string("cvt.") + integral[m] + (ftz ? ".ftz." : ".") + t.name + "." + s.name +
                     " %d, %a;",
                 t.reg,
                 {s.reg}},
                inputsOf(s), [&](uint64_t a, uint64_t, uint64_t) {
                  double x = flushed(s.value(a), ftz);
                  if (x != x)
                    return uint64_t(0); // ISA: NaN becomes 0
                  double r = std::max(-0x1p70, std::min(0x1p70, roundTo[m](x)));
                  return registerOf(t, clampTo(t, Wide(r)));
                });
        }
}

TEST(Convert, IntegerToFloat) {
  for (const Integer &t : integers)
    for (int m = 0; m < 4; m++) {
      std::string head = std::string("cvt.") + roundings[m] + ".",
                  tail = std::string(".") + t.name + " %d, %a;";
      Inputs inputs = combinations(edgesOf(t), 1);
      for (const Format *f : {&f16, &bf16})
        checkFloat(f->kind, {head + f->name + tail, "b16", {t.reg}}, inputs,
                   [&](uint64_t a, uint64_t, uint64_t) {
                     return uint64_t(encode(*f, (long double)valueOf(t, a), Rounding(m), false));
                   });
      auto host = [&](uint64_t a, auto zero) {
        std::fesetround(hostModes[m]);
        volatile long double v = (long double)valueOf(t, a); // 64 bits: exact
        volatile decltype(zero) r = decltype(zero)(v);
        std::fesetround(FE_TONEAREST);
        return asBits(decltype(zero)(r));
      };
      check({head + "f32" + tail, "b32", {t.reg}}, inputs,
            [&](uint64_t a, uint64_t, uint64_t) { return host(a, 0.0f); });
      check({head + "f64" + tail, "b64", {t.reg}}, inputs,
            [&](uint64_t a, uint64_t, uint64_t) { return host(a, 0.0); });
      check({head + "sat.f32" + tail, "b32", {t.reg}}, inputs, [&](uint64_t a, uint64_t, uint64_t) {
        return asBits(valueOf(t, a) > 0 ? 1.0f : 0.0f);
      });
    }
}

TEST(Convert, IntegerToInteger) {
  for (const Integer &from : integers)
    for (const Integer &to : integers)
      for (bool sat : {false, true})
        check({std::string("cvt.") + (sat ? "sat." : "") + to.name + "." + from.name + " %d, %a;",
               to.reg,
               {from.reg}},
              combinations(edgesOf(from), 1), [&](uint64_t a, uint64_t, uint64_t) {
                Wide v = valueOf(from, a);
                return registerOf(to, sat ? clampTo(to, v) : v);
              });
}

TEST(Convert, PackedFloats) {
  // The first source becomes the upper half.
  Inputs inputs;
  Inputs values = inputsOf(sources[2]);
  for (size_t k = 0; k < values.size(); k++)
    inputs.push_back({values[k][0], values[(k * 37 + 11) % values.size()][0], 0});
  for (const Format *f : {&f16, &bf16})
    for (Rounding mode : {Nearest, Zero})
      for (const std::string extra : {"", ".relu", ".satfinite", ".relu.satfinite"})
        checkFloat(
            -f->kind,
            {std::string("cvt.") + roundings[mode] + extra + "." + f->name + "x2.f32 %d, %a, %b;",
             "b32",
             {"b32", "b32"}},
            inputs, [&](uint64_t a, uint64_t b, uint64_t) {
              bool relu = extra.find("relu") != std::string::npos;
              auto part = [&](uint64_t v) {
                double x = asFloat(v);
                return uint64_t(encode(*f, relu && x <= 0 ? 0.0 : x, mode,
                                       extra.find("satfinite") != std::string::npos));
              };
              return part(a) << 16 | part(b);
            });
  for (const Format *f : {&e4m3, &e5m2})
    for (bool relu : {false, true}) {
      auto part = [&](double x) {
        return uint64_t(encode(*f, relu && x <= 0 ? 0.0 : x, Nearest, true)) & 0xff;
      };
      std::string head = std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") + f->name;
      check({head + ".f32 %d, %a, %b;", "b16", {"b32", "b32"}}, inputs,
            [&](uint64_t a, uint64_t b, uint64_t) {
              return part(asFloat(a)) << 8 | part(asFloat(b));
            });
      Inputs halves;
      for (uint64_t a : edgeF16)
        for (uint64_t b : edgeF16)
          halves.push_back({a << 16 | b, 0, 0});
      check({head + ".f16x2 %d, %a;", "b16", {"b32"}}, halves, [&](uint64_t a, uint64_t, uint64_t) {
        return part(fromHalf(uint16_t(a >> 16))) << 8 | part(fromHalf(uint16_t(a)));
      });
      Inputs codes;
      for (uint64_t v = 0; v < 256; v++)
        codes.push_back({v << 8 | (v ^ 0x5a), 0, 0});
      checkFloat(-16,
                 {std::string("cvt.rn.") + (relu ? "relu." : "") + "f16x2." + f->name + " %d, %a;",
                  "b32",
                  {"b16"}},
                 codes, [&](uint64_t a, uint64_t, uint64_t) {
                   auto expand = [&](uint64_t code) -> uint64_t {
                     uint32_t magnitude = uint32_t(code) & 0x7f;
                     double x = magnitude <= f->largest() ? double(f->value(magnitude))
                                : f->hasInfinity && magnitude == f->infinity() ? INFINITY
                                                                               : NAN;
                     x = code & 0x80 ? -x : x;
                     return toHalf(relu && x <= 0 ? 0.0 : x);
                   };
                   return expand(a >> 8 & 255) << 16 | expand(a & 255);
                 });
    }
}

TEST(Convert, Tf32) {
  for (Rounding mode : {Nearest, Zero, Away})
    for (const std::string extra : {"", ".relu", ".satfinite", ".relu.satfinite"}) {
      bool relu = extra.find("relu") != std::string::npos;
      if (mode == Away && relu)
        continue;
      checkFloat(
          32, {std::string("cvt.") + roundings[mode] + extra + ".tf32.f32 %d, %a;", "b32", {"b32"}},
          inputsOf(sources[2]), [&](uint64_t a, uint64_t, uint64_t) {
            double x = asFloat(a);
            return uint64_t(encode(tf32, relu && x <= 0 ? 0.0 : x, mode,
                                   extra.find("satfinite") != std::string::npos))
                   << 13;
          });
    }
}

TEST(Convert, PackedIntegers) {
  Inputs inputs = combinations(edge32, 3);
  for (const Integer &t : integers) {
    if (t.bits > 16)
      continue;
    bool bytes = t.bits == 8;
    check({std::string("cvt.pack.sat.") + t.name + ".s32" +
               (bytes ? ".b32 %d, %a, %b, %c;" : " %d, %a, %b;"),
           "b32",
           bytes ? std::vector<std::string>{"b32", "b32", "b32"}
                 : std::vector<std::string>{"b32", "b32"}},
          inputs, [&](uint64_t a, uint64_t b, uint64_t c) {
            auto part = [&](uint64_t v) {
              return uint64_t(clampTo(t, int32_t(v))) & ((1u << t.bits) - 1);
            };
            return (part(a) << t.bits | part(b) | (bytes ? c << 16 : 0)) & 0xffffffff;
          });
  }
}

} // namespace
