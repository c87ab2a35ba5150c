// Every modifier of the floating-point instructions: rounding, .ftz, .sat, .relu, .NaN, packed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"
#include <algorithm>
#include <cfenv>
#include <cmath>

using namespace ptxsim;

namespace {

const char *const roundings[] = {"", ".rn", ".rz", ".rm", ".rp"};
const int hostModes[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

template <class T> T flushed(T x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(T(0), x) : x;
}
template <class T> T saturated(T x) { return x > 0 ? (x < 1 ? x : T(1)) : T(0); }

/// The operation under a host rounding mode, out of reach of the optimiser.
template <class T> T evaluate(const std::string &op, int mode, T a, T b, T c) {
  std::fesetround(mode);
  volatile T x = a, y = b, z = c, r;
  if (op == "add")
    r = x + y;
  else if (op == "sub")
    r = x - y;
  else if (op == "mul")
    r = x * y;
  else if (op == "div")
    r = x / y;
  else if (op == "rcp")
    r = T(1) / x;
  else if (op == "sqrt")
    r = std::sqrt(x);
  else
    r = std::fma(x, y, z);
  std::fesetround(FE_TONEAREST);
  return r;
}

/// Result before rounding; the rounded result for ops that cannot be tiny.
template <class T>
__float128 unrounded(const std::string &op, __float128 a, __float128 b, __float128 c, T rounded) {
  return op == "mul"                  ? a * b
         : op == "div"                ? a / b
         : op == "rcp"                ? 1 / a
         : op == "fma" || op == "mad" ? a * b + c
                                      : __float128(rounded);
}
/// .ftz looks at the result rounded to `bits` bits with an unbounded exponent, in units of the last
/// bit below the smallest normal number.
template <class T>
T flushedTo(T rounded, __float128 exact, int bits, double smallestNormal, int mode = FE_TONEAREST) {
  __float128 size = (exact < 0 ? -exact : exact) / smallestNormal * (1 << bits);
  bool away = mode == (exact < 0 ? FE_DOWNWARD : FE_UPWARD);
  __float128 normal = 1 << bits;
  bool tiny = away                   ? size <= normal - 1
              : mode == FE_TONEAREST ? size < normal - 0.5 // a tie goes to what is even
                                     : size < normal;
  return tiny ? std::copysign(T(0), rounded) : rounded;
}
float flushedResult(const std::string &op, int mode, float a, float b, float c) {
  float r = evaluate<float>(op, mode, a, b, c);
  return flushedTo(r, unrounded(op, a, b, c, r), 24, 0x1p-126, mode);
}

struct Arithmetic {
  const char *op;
  unsigned sources;
  bool saturates, pairs;
};
const Arithmetic arithmetic[] = {{"add", 2, true, true},   {"sub", 2, true, true},
                                 {"mul", 2, true, true},   {"fma", 3, true, true},
                                 {"mad", 3, true, false},  {"div", 2, false, false},
                                 {"rcp", 1, false, false}, {"sqrt", 1, false, false}};

std::string operandsOf(unsigned sources) {
  return sources == 1 ? " %d, %a;" : sources == 2 ? " %d, %a, %b;" : " %d, %a, %b, %c;";
}

TEST(FloatForms, SinglePrecision) {
  for (const Arithmetic &o : arithmetic)
    for (int m = 0; m < 5; m++)
      for (bool ftz : {false, true})
        for (bool sat : {false, true}) {
          if (sat && !o.saturates)
            continue;
          std::string text = o.op + std::string(roundings[m]) + (ftz ? ".ftz" : "") +
                             (sat ? ".sat" : "") + ".f32" + operandsOf(o.sources);
          checkFloat(32, {text, "b32", std::vector<std::string>(o.sources, "b32")},
                     combinations(edgeF32, o.sources), [&](uint64_t a, uint64_t b, uint64_t c) {
                       auto in = [&](uint64_t v) { return ftz ? flushed(asFloat(v)) : asFloat(v); };
                       auto *apply = ftz ? flushedResult : evaluate<float>;
                       float r = apply(o.op, hostModes[m], in(a), in(b), in(c));
                       return asBits(sat ? saturated(r) : r);
                     });
        }
}

TEST(FloatForms, DoublePrecision) {
  for (const Arithmetic &o : arithmetic)
    for (int m = 0; m < 5; m++)
      checkFloat(64,
                 {o.op + std::string(roundings[m]) + ".f64" + operandsOf(o.sources), "b64",
                  std::vector<std::string>(o.sources, "b64")},
                 combinations(edgeF64, o.sources), [&](uint64_t a, uint64_t b, uint64_t c) {
                   return asBits(
                       evaluate<double>(o.op, hostModes[m], asDouble(a), asDouble(b), asDouble(c)));
                 });
}

TEST(FloatForms, PairsOfSinglePrecision) {
  Inputs inputs;
  for (auto &x : combinations(edgeF32, 2))
    inputs.push_back({x[0] | x[1] << 32, x[1] | edgeF32[inputs.size() % 21] << 32,
                      edgeF32[inputs.size() % 19] | x[0] << 32});
  for (const Arithmetic &o : arithmetic)
    for (int m = 0; m < 5 && o.pairs; m++)
      for (bool ftz : {false, true})
        checkFloat(-32,
                   {o.op + std::string(roundings[m]) + (ftz ? ".ftz" : "") + ".f32x2" +
                        operandsOf(o.sources),
                    "b64", std::vector<std::string>(o.sources, "b64")},
                   inputs, [&](uint64_t a, uint64_t b, uint64_t c) {
                     uint64_t result = 0;
                     for (unsigned k = 0; k < 64; k += 32) {
                       auto in = [&](uint64_t v) {
                         return ftz ? flushed(asFloat(v >> k)) : asFloat(v >> k);
                       };
                       auto *apply = ftz ? flushedResult : evaluate<float>;
                       result |= asBits(apply(o.op, hostModes[m], in(a), in(b), in(c))) << k;
                     }
                     return result;
                   });
}

struct Half {
  int kind;
  const char *name;
  double (*from)(uint16_t);
  uint16_t (*to)(double);
  const std::vector<uint64_t> *edges;
  double smallestNormal;
};
const Half halves[] = {{16, "f16", fromHalf, toHalf, &edgeF16, 0x1p-14},
                       {15, "bf16", fromBfloat, toBfloat, &edgeBF16, 0x1p-126}};

double flushTo(const Half &h, double x) {
  return std::fabs(x) < h.smallestNormal ? std::copysign(0.0, x) : x;
}

/// The exact result rounded once: to odd in double precision, then to the type.
uint16_t roundOnce(const Half &h, __float128 exact) {
  double d = double(exact);
  if (std::isfinite(d) && __float128(d) != exact) {
    uint64_t u = asBits(d);
    if (!(u & 1))
      u += (exact > 0) == (exact > __float128(d)) ? 1 : uint64_t(-1);
    d = asDouble(u);
  }
  return h.to(d);
}

/// Applies `f` to a 16-bit number, or to two packed numbers.
template <class F> uint64_t parts(bool packed, uint64_t a, uint64_t b, uint64_t c, F f) {
  uint64_t r = f(uint16_t(a), uint16_t(b), uint16_t(c));
  return packed ? r | uint64_t(f(uint16_t(a >> 16), uint16_t(b >> 16), uint16_t(c >> 16))) << 16
                : r;
}
/// Scalars unchanged; packed operands get another combination in the upper half.
Inputs halfInputs(const Half &h, unsigned sources, bool packed) {
  Inputs inputs = combinations(*h.edges, sources);
  size_t n = inputs.size();
  if (packed)
    for (size_t k = 0; k < n; k++)
      for (size_t s = 0; s < 3; s++)
        inputs[k][s] |= (combinations(*h.edges, 1)[(k * 7 + s * 5) % h.edges->size()][0]) << 16;
  return inputs;
}

TEST(FloatForms, HalfPrecision) {
  for (const Half &h : halves)
    for (bool packed : {false, true})
      for (const Arithmetic &o : arithmetic) {
        if (!o.pairs)
          continue;
        bool isF16 = h.kind == 16, fma = o.sources == 3;
        Inputs inputs = halfInputs(h, o.sources, packed);
        std::string reg = packed ? "b32" : "b16";
        for (const char *rn : {"", ".rn"})
          for (bool ftz : {false, true})
            for (const std::string after : {"", ".sat", ".relu"}) {
              if ((!isF16 && (ftz || after == ".sat")) || (!fma && after == ".relu"))
                continue;
              checkFloat(packed ? -h.kind : h.kind,
                         {o.op + std::string(rn) + (ftz ? ".ftz" : "") + after + "." + h.name +
                              (packed ? "x2" : "") + operandsOf(o.sources),
                          reg, std::vector<std::string>(o.sources, reg)},
                         inputs, [&](uint64_t a, uint64_t b, uint64_t c) {
                           return parts(packed, a, b, c, [&](uint16_t x, uint16_t y, uint16_t z) {
                             auto in = [&](uint16_t v) {
                               return __float128(ftz ? flushTo(h, h.from(v)) : h.from(v));
                             };
                             std::string op = o.op;
                             __float128 exact = op == "add"   ? in(x) + in(y)
                                                : op == "sub" ? in(x)-in(y)
                                                : op == "mul" ? in(x)*in(y)
                                                              : in(x)*in(y) + in(z);
                             uint16_t r = roundOnce(h, exact);
                             if (ftz)
                               r = h.to(flushedTo(h.from(r), exact, 11, h.smallestNormal));
                             if (after == ".sat")
                               r = h.to(saturated(h.from(r)));
                             if (after == ".relu" && h.from(r) <= 0)
                               r = 0;
                             return r;
                           });
                         });
            }
      }
}

/// min and max: -0 is below +0; a NaN loses, or wins with .NaN; .xorsign.abs compares magnitudes.
double extremum(double x, double y, bool maximum, bool nan, bool xorsign) {
  if (xorsign) {
    bool negative = std::signbit(x) != std::signbit(y);
    double r = extremum(std::fabs(x), std::fabs(y), maximum, nan, false);
    return negative ? -r : r;
  }
  if (x != x || y != y)
    return nan || (x != x && y != y) ? NAN : x != x ? y : x;
  if (x == y)
    return std::signbit(x) != maximum ? x : y;
  return (x < y) != maximum ? x : y;
}

TEST(FloatForms, MinMax) {
  for (bool maximum : {false, true})
    for (bool nan : {false, true})
      for (bool xorsign : {false, true})
        for (bool ftz : {false, true}) {
          std::string op = std::string(maximum ? "max" : "min") + (ftz ? ".ftz" : "") +
                           (nan ? ".NaN" : "") + (xorsign ? ".xorsign.abs" : "");
          auto single = [&](uint64_t v) { return ftz ? flushed(asFloat(v)) : asFloat(v); };
          checkFloat(32, {op + ".f32 %d, %a, %b;", "b32", {"b32", "b32"}}, combinations(edgeF32, 2),
                     [&](uint64_t a, uint64_t b, uint64_t) {
                       return asBits(float(extremum(single(a), single(b), maximum, nan, xorsign)));
                     });
          if (!xorsign)
            checkFloat(32, {op + ".f32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}},
                       combinations(edgeF32, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
                         double ab = extremum(single(a), single(b), maximum, nan, false);
                         return asBits(float(extremum(ab, single(c), maximum, nan, false)));
                       });
          for (const Half &h : halves)
            for (bool packed : {false, true}) {
              if (ftz && h.kind != 16)
                continue;
              std::string reg = packed ? "b32" : "b16";
              checkFloat(
                  packed ? -h.kind : h.kind,
                  {op + "." + h.name + (packed ? "x2" : "") + " %d, %a, %b;", reg, {reg, reg}},
                  halfInputs(h, 2, packed), [&](uint64_t a, uint64_t b, uint64_t) {
                    return parts(packed, a, b, 0, [&](uint16_t x, uint16_t y, uint16_t) {
                      auto in = [&](uint16_t v) { return ftz ? flushTo(h, h.from(v)) : h.from(v); };
                      return h.to(extremum(in(x), in(y), maximum, nan, xorsign));
                    });
                  });
            }
        }
  for (bool maximum : {false, true})
    checkFloat(64,
               {std::string(maximum ? "max" : "min") + ".f64 %d, %a, %b;", "b64", {"b64", "b64"}},
               combinations(edgeF64, 2), [&](uint64_t a, uint64_t b, uint64_t) {
                 return asBits(extremum(asDouble(a), asDouble(b), maximum, false, false));
               });
}

TEST(FloatForms, SignsAndClasses) {
  for (const std::string op : {"abs", "neg"}) {
    auto sign = [&](double x) { return op == "abs" ? std::fabs(x) : -x; };
    for (bool ftz : {false, true}) {
      std::string name = op + (ftz ? ".ftz" : "");
      checkFloat(32, {name + ".f32 %d, %a;", "b32", {"b32"}}, combinations(edgeF32, 1),
                 [&](uint64_t a, uint64_t, uint64_t) {
                   float x = float(sign(asFloat(a)));
                   return asBits(ftz ? flushed(x) : x);
                 });
      for (const Half &h : halves)
        for (bool packed : {false, true}) {
          if (ftz && h.kind != 16)
            continue;
          std::string reg = packed ? "b32" : "b16";
          checkFloat(packed ? -h.kind : h.kind,
                     {name + "." + h.name + (packed ? "x2" : "") + " %d, %a;", reg, {reg}},
                     halfInputs(h, 1, packed), [&](uint64_t a, uint64_t, uint64_t) {
                       return parts(packed, a, 0, 0, [&](uint16_t x, uint16_t, uint16_t) {
                         double v = sign(h.from(x));
                         return h.to(ftz ? flushTo(h, v) : v);
                       });
                     });
        }
    }
    checkFloat(64, {op + ".f64 %d, %a;", "b64", {"b64"}}, combinations(edgeF64, 1),
               [&](uint64_t a, uint64_t, uint64_t) { return asBits(sign(asDouble(a))); });
  }
  checkFloat(64, {"copysign.f64 %d, %a, %b;", "b64", {"b64", "b64"}}, combinations(edgeF64, 2),
             [](uint64_t a, uint64_t b, uint64_t) {
               return (b & ~(uint64_t(1) << 63)) | (a & uint64_t(1) << 63);
             });
  // From the fields of the number: exponent and fraction.
  struct {
    const char *name;
    bool (*f)(bool top, bool bottom, bool fraction);
  } classes[] = {
      {"finite", [](bool top, bool, bool) { return !top; }},
      {"infinite", [](bool top, bool, bool fraction) { return top && !fraction; }},
      {"number", [](bool top, bool, bool fraction) { return !top || !fraction; }},
      {"notanumber", [](bool top, bool, bool fraction) { return top && fraction; }},
      {"normal",
       [](bool top, bool bottom, bool fraction) { return !top && !(bottom && fraction); }},
      {"subnormal", [](bool, bool bottom, bool fraction) { return bottom && fraction; }}};
  for (auto &c : classes) {
    check({std::string("testp.") + c.name + ".f32 %d, %a;", "pred", {"b32"}},
          combinations(edgeF32, 1), [&](uint64_t a, uint64_t, uint64_t) {
            uint64_t e = a >> 23 & 0xff;
            return uint64_t(c.f(e == 0xff, e == 0, a & 0x7fffff));
          });
    check({std::string("testp.") + c.name + ".f64 %d, %a;", "pred", {"b64"}},
          combinations(edgeF64, 1), [&](uint64_t a, uint64_t, uint64_t) {
            uint64_t e = a >> 52 & 0x7ff;
            return uint64_t(c.f(e == 0x7ff, e == 0, a & 0xfffffffffffff));
          });
  }
}

struct Approximation {
  const char *op;
  unsigned sources;
  long double (*f)(long double, long double);
  bool half, bfloat;
};
const Approximation approximations[] = {
    {"ex2.approx", 1, [](long double x, long double) { return std::exp2(x); }, true, true},
    {"tanh.approx", 1, [](long double x, long double) { return std::tanh(x); }, true, true},
    {"lg2.approx", 1, [](long double x, long double) { return std::log2(x); }, false, false},
    {"rsqrt.approx", 1, [](long double x, long double) { return 1 / std::sqrt(x); }, false, false},
    {"rcp.approx", 1, [](long double x, long double) { return 1 / x; }, false, false},
    {"sqrt.approx", 1, [](long double x, long double) { return std::sqrt(x); }, false, false},
    {"sin.approx", 1, [](long double x, long double) { return std::sin(x); }, false, false},
    {"cos.approx", 1, [](long double x, long double) { return std::cos(x); }, false, false},
    {"div.approx", 2, [](long double x, long double y) { return x / y; }, false, false},
    {"div.full", 2, [](long double x, long double y) { return x / y; }, false, false}};

/// Correct to a unit in the last place, more than the hardware promises.
TEST(FloatForms, ApproximationsInSinglePrecision) {
  for (const Approximation &o : approximations)
    for (bool ftz : {false, true}) {
      if (ftz && std::string(o.op) == "tanh.approx")
        continue;
      Inputs inputs = combinations(edgeF32, o.sources);
      std::string text = std::string(o.op) + (ftz ? ".ftz" : "") + ".f32" + operandsOf(o.sources);
      std::vector<uint64_t> got =
          execute({text, "b32", std::vector<std::string>(o.sources, "b32")}, inputs);
      for (size_t k = 0; k < inputs.size(); k++) {
        float x = asFloat(inputs[k][0]), y = asFloat(inputs[k][1]), r = asFloat(got[k]);
        bool periodic = o.op[0] == 's' && o.op[1] == 'i';
        if ((periodic || o.op[0] == 'c') && std::fabs(x) > 1e6f && std::isfinite(x))
          continue; // .approx promises nothing for large arguments
        if (ftz)
          x = flushed(x), y = flushed(y);
        float want = float(o.f(x, y));
        bool ok = want != want && r != r;
        for (float near : {want, std::nextafterf(want, -INFINITY), std::nextafterf(want, INFINITY)})
          ok |= r == (ftz ? flushed(near) : near);
        EXPECT_TRUE(ok) << text << " " << x << " " << y << ": " << r << ", expected " << want;
      }
    }
}

TEST(FloatForms, ApproximationsInHalfPrecision) {
  for (const Approximation &o : approximations)
    for (const Half &h : halves)
      for (bool packed : {false, true})
        for (bool ftz : {false, true}) {
          if (!(h.kind == 16 ? o.half : o.bfloat) || (ftz && (h.kind == 16 || o.op[0] == 't')))
            continue;
          std::string reg = packed ? "b32" : "b16";
          Inputs inputs = halfInputs(h, 1, packed);
          std::string text = std::string(o.op) + (ftz ? ".ftz" : "") + "." + h.name +
                             (packed ? "x2" : "") + " %d, %a;";
          std::vector<uint64_t> got = execute({text, reg, {reg}}, inputs);
          for (size_t k = 0; k < inputs.size(); k++)
            for (unsigned part = 0; part < (packed ? 2u : 1u); part++) {
              double x = h.from(uint16_t(inputs[k][0] >> (16 * part)));
              uint16_t r = uint16_t(got[k] >> (16 * part));
              uint16_t want = h.to(double(o.f(ftz ? flushTo(h, x) : x, 0)));
              bool ok =
                  h.from(want) != h.from(want) ? h.from(r) != h.from(r) : std::abs(r - want) <= 1;
              ok |= ftz && h.from(r) == flushTo(h, h.from(want));
              EXPECT_TRUE(ok) << text << " " << x << ": " << h.from(r) << ", expected "
                              << h.from(want);
            }
        }
}

TEST(FloatForms, GrossApproximationsInDoublePrecision) {
  Inputs inputs = combinations(edgeF64, 1);
  for (const std::string op : {"rcp.approx.ftz", "rsqrt.approx.ftz", "rsqrt.approx"}) {
    std::vector<uint64_t> got = execute({op + ".f64 %d, %a;", "b64", {"b64"}}, inputs);
    bool gross = op.find("ftz") != std::string::npos;
    for (size_t k = 0; k < inputs.size(); k++) {
      double x = asDouble(inputs[k][0]), r = asDouble(got[k]);
      if (gross) { // only the upper half of the operand counts
        x = flushed(asDouble(inputs[k][0] & 0xffffffff00000000));
        EXPECT_EQ(r == r ? got[k] & 0xffffffff : 0, 0u) << op << " " << x;
      }
      double want = op[1] == 'c' ? 1 / x : 1 / std::sqrt(x);
      want = gross ? flushed(want) : want;
      bool ok = want != want ? r != r
                             : r == want || std::fabs(r - want) <=
                                                std::fabs(want) * (gross ? 0x1p-20 : 0x1p-50);
      EXPECT_TRUE(ok) << op << " " << x << ": " << r << ", expected " << want;
    }
  }
}

TEST(FloatForms, Comparisons) {
  for (const auto &c : floatComparisons) {
    std::string op = c.op;
    for (bool ftz : {false, true}) {
      auto in = [&](uint64_t v) { return ftz ? flushed(asFloat(v)) : asFloat(v); };
      std::string flush = ftz ? ".ftz" : "";
      check({"setp." + op + flush + ".f32 %d, %a, %b;", "pred", {"b32", "b32"}},
            combinations(edgeF32, 2),
            [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(c.f(in(a), in(b))); });
      check({"set." + op + flush + ".f32.f32 %d, %a, %b;", "b32", {"b32", "b32"}},
            combinations(edgeF32, 2),
            [&](uint64_t a, uint64_t b, uint64_t) { return c.f(in(a), in(b)) ? 0x3f800000u : 0u; });
    }
    check({"set." + op + ".u32.f64 %d, %a, %b;", "b32", {"b64", "b64"}}, combinations(edgeF64, 2),
          [&](uint64_t a, uint64_t b, uint64_t) {
            return c.f(asDouble(a), asDouble(b)) ? 0xffffffffu : 0u;
          });
    for (const Half &h : halves) {
      std::string n = h.name;
      uint64_t one = h.to(1.0);
      auto yes = [&](uint64_t a, uint64_t b) {
        return c.f(h.from(uint16_t(a)), h.from(uint16_t(b)));
      };
      check({"setp." + op + "." + n + " %d, %a, %b;", "pred", {"b16", "b16"}},
            combinations(*h.edges, 2),
            [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(yes(a, b)); });
      check({"set." + op + "." + n + "." + n + " %d, %a, %b;", "b16", {"b16", "b16"}},
            combinations(*h.edges, 2),
            [&](uint64_t a, uint64_t b, uint64_t) { return yes(a, b) ? one : 0; });
      Inputs pairs = halfInputs(h, 2, true);
      check({"set." + op + "." + n + "x2." + n + "x2 %d, %a, %b;", "b32", {"b32", "b32"}}, pairs,
            [&](uint64_t a, uint64_t b, uint64_t) {
              return (yes(a, b) ? one : 0) | (yes(a >> 16, b >> 16) ? one << 16 : 0);
            });
      check({"{ .reg .pred q; setp." + op + "." + n + "x2 %d|q, %a, %b; }", "pred", {"b32", "b32"}},
            pairs, [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(yes(a, b)); });
      check({"{ .reg .pred q; setp." + op + "." + n + "x2 q|%d, %a, %b; }", "pred", {"b32", "b32"}},
            pairs,
            [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(yes(a >> 16, b >> 16)); });
    }
  }
}

} // namespace
