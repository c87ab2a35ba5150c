// Floating-point instructions against independent host computations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference for a rounded operation is exact arithmetic in long double or __float128, rounded
// by code that spells the rounding out (KernelSuite.cpp) or by the host under fesetround.
#include "test/PTXSim/InstructionHarness.h"
#include <cfenv>
#include <cmath>

using namespace ptxsim;

namespace {

const char *const roundings[] = {"rn", "rz", "rm", "rp"};
const int hostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/// Evaluates under a host rounding mode, out of reach of the optimiser.
template <class F> auto under(int mode, F f) {
  std::fesetround(mode);
  auto r = f();
  std::fesetround(FE_TONEAREST);
  return r;
}

/// The rounded operations of f32 or f64, against the host's under each rounding mode.
template <class T>
void checkDirectedRounding(int bits, const std::vector<uint64_t> &edges, T (*value)(uint64_t)) {
  const std::string reg = "b" + std::to_string(bits), type = ".f" + std::to_string(bits) + " ";
  struct {
    const char *op;
    unsigned sources;
    T (*f)(volatile T, volatile T, volatile T);
  } const ops[] = {
      {"add", 2, [](volatile T x, volatile T y, volatile T) -> T { return x + y; }},
      {"sub", 2, [](volatile T x, volatile T y, volatile T) -> T { return x - y; }},
      {"mul", 2, [](volatile T x, volatile T y, volatile T) -> T { return x * y; }},
      {"div", 2, [](volatile T x, volatile T y, volatile T) -> T { return x / y; }},
      {"fma", 3, [](volatile T x, volatile T y, volatile T z) -> T { return std::fma(x, y, z); }},
      {"sqrt", 1, [](volatile T x, volatile T, volatile T) -> T { return std::sqrt(x); }},
      {"rcp", 1, [](volatile T x, volatile T, volatile T) -> T { return 1 / x; }}};
  const char *const sources[] = {"", "%a", "%a, %b", "%a, %b, %c"};
  for (int m = 0; m < 4; m++)
    for (const auto &o : ops)
      checkFloat(bits,
                 {std::string(o.op) + "." + roundings[m] + type + "%d, " + sources[o.sources] + ";",
                  reg, std::vector<std::string>(o.sources, reg)},
                 combinations(edges, o.sources), [&](uint64_t a, uint64_t b, uint64_t c) {
                   return asBits(
                       under(hostModes[m], [&] { return o.f(value(a), value(b), value(c)); }));
                 });
}

TEST(Float, F32DirectedRounding) { checkDirectedRounding<float>(32, edgeF32, asFloat); }
TEST(Float, F64DirectedRounding) { checkDirectedRounding<double>(64, edgeF64, asDouble); }

float flush(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

TEST(Float, FtzSatMinMaxSign) {
  Inputs two = combinations(edgeF32, 2), one = combinations(edgeF32, 1);
  checkFloat(32, {"add.ftz.f32 %d, %a, %b;", "b32", {"b32", "b32"}}, two,
             [](uint64_t a, uint64_t b, uint64_t) {
               return asBits(flush(flush(asFloat(a)) + flush(asFloat(b))));
             });
  checkFloat(32, {"mul.sat.f32 %d, %a, %b;", "b32", {"b32", "b32"}}, two,
             [](uint64_t a, uint64_t b, uint64_t) {
               float r = asFloat(a) * asFloat(b);
               return asBits(r != r || r <= 0 ? 0.0f : r >= 1 ? 1.0f : r);
             });
  auto pick = [](uint64_t a, uint64_t b, bool maximum, bool nan) -> uint64_t {
    float x = asFloat(a), y = asFloat(b);
    if (x != x || y != y)
      return nan || (x != x && y != y) ? 0x7fffffff : x != x ? b : a;
    if (x == y)
      return (std::signbit(x) != maximum) ? a : b;
    return (x < y) != maximum ? a : b;
  };
  for (bool maximum : {false, true})
    for (bool nan : {false, true})
      checkFloat(32,
                 {std::string(maximum ? "max" : "min") + (nan ? ".NaN" : "") + ".f32 %d, %a, %b;",
                  "b32",
                  {"b32", "b32"}},
                 two, [&](uint64_t a, uint64_t b, uint64_t) { return pick(a, b, maximum, nan); });
  checkFloat(32, {"neg.f32 %d, %a;", "b32", {"b32"}}, one,
             [](uint64_t a, uint64_t, uint64_t) { return a ^ 0x80000000; });
  checkFloat(32, {"abs.f32 %d, %a;", "b32", {"b32"}}, one,
             [](uint64_t a, uint64_t, uint64_t) { return a & 0x7fffffff; });
  checkFloat(32, {"copysign.f32 %d, %a, %b;", "b32", {"b32", "b32"}}, two,
             [](uint64_t a, uint64_t b, uint64_t) { return (b & 0x7fffffff) | (a & 0x80000000); });
}

TEST(Float, Approximate) {
  // Correctly rounded up to a unit: the hardware's error is larger.
  struct {
    const char *op;
    long double (*f)(long double);
  } ops[] = {{"ex2.approx", [](long double x) { return std::exp2(x); }},
             {"lg2.approx", [](long double x) { return std::log2(x); }},
             {"rsqrt.approx", [](long double x) { return 1 / std::sqrt(x); }},
             {"rcp.approx", [](long double x) { return 1 / x; }},
             {"sqrt.approx", [](long double x) { return std::sqrt(x); }},
             {"tanh.approx", [](long double x) { return std::tanh(x); }},
             {"sin.approx", [](long double x) { return std::sin(x); }},
             {"cos.approx", [](long double x) { return std::cos(x); }}};
  Inputs inputs;
  for (uint64_t e : edgeF32)
    if (std::fabs(asFloat(e)) < 1e6f || e < 0x7f000000)
      inputs.push_back({e, 0, 0});
  for (int k = -200; k < 200; k++)
    inputs.push_back({asBits(float(k) * 0.37f), 0, 0});
  for (auto &o : ops) {
    std::vector<uint64_t> got =
        execute({std::string(o.op) + ".f32 %d, %a;", "b32", {"b32"}}, inputs);
    for (size_t k = 0; k < inputs.size(); k++) {
      float x = asFloat(inputs[k][0]), r = asFloat(got[k]);
      if (std::fabs(x) > 1e6f)
        continue; // argument reduction of sin and cos
      long double want = o.f(x);
      if (std::isnan(float(want))) {
        EXPECT_TRUE(std::isnan(r)) << o.op << " " << x;
        continue;
      }
      float low = std::nextafterf(float(want), -INFINITY),
            high = std::nextafterf(float(want), INFINITY);
      EXPECT_TRUE(r >= low && r <= high)
          << o.op << "(" << x << ") = " << r << ", expected " << float(want);
    }
  }
}

struct Half {
  int kind;
  const char *name;
  double (*from)(uint16_t);
  uint16_t (*to)(double);
  const std::vector<uint64_t> *edges;
};
const Half halves[] = {{16, "f16", fromHalf, toHalf, &edgeF16},
                       {15, "bf16", fromBfloat, toBfloat, &edgeBF16}};

/// a*b + c exactly: products of 16-bit numbers have few bits, and __float128 holds every such sum
/// unless the operands are over 113 bits apart, where the smaller only breaks ties.
uint16_t fmaReference(const Half &h, double a, double b, double c) {
  __float128 exact = __float128(a) * b + c;
  double d = double(exact);
  if (std::isinf(d) || d != d)
    return h.to(d);
  if (__float128(d) != exact) { // break the tie the right way: round to odd
    uint64_t u = asBits(d);
    bool away = (exact > 0) == (exact > __float128(d));
    if (!(u & 1))
      u += away ? 1 : uint64_t(-1);
    d = asDouble(u);
  }
  return h.to(d);
}

TEST(Float, HalfArithmetic) {
  for (const Half &h : halves) {
    std::string n = h.name;
    Inputs two = combinations(*h.edges, 2);
    auto f = [&](uint64_t x) { return h.from(uint16_t(x)); };
    checkFloat(
        h.kind, {"add.rn." + n + " %d, %a, %b;", "b16", {"b16", "b16"}}, two,
        [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(fmaReference(h, f(a), 1, f(b))); });
    checkFloat(h.kind, {"sub.rn." + n + " %d, %a, %b;", "b16", {"b16", "b16"}}, two,
               [&](uint64_t a, uint64_t b, uint64_t) {
                 return uint64_t(fmaReference(h, f(b), -1, f(a)));
               });
    checkFloat(h.kind, {"mul.rn." + n + " %d, %a, %b;", "b16", {"b16", "b16"}}, two,
               [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(h.to(f(a) * f(b))); });
    checkFloat(h.kind, {"fma.rn." + n + " %d, %a, %b, %c;", "b16", {"b16", "b16", "b16"}},
               combinations(*h.edges, 3), [&](uint64_t a, uint64_t b, uint64_t c) {
                 return uint64_t(fmaReference(h, f(a), f(b), f(c)));
               });
    // Packed forms: the same operation on both halves.
    Inputs packed;
    for (size_t k = 0; k + 1 < two.size(); k += 2)
      packed.push_back({two[k][0] | two[k + 1][0] << 16, two[k][1] | two[k + 1][1] << 16, 0});
    auto clean = [&](uint64_t v) {
      return h.from(uint16_t(v)) != h.from(uint16_t(v)) ||
             h.from(uint16_t(v >> 16)) != h.from(uint16_t(v >> 16));
    };
    std::vector<uint64_t> got =
        execute({"add.rn." + n + "x2 %d, %a, %b;", "b32", {"b32", "b32"}}, packed);
    for (size_t k = 0; k < packed.size(); k++) {
      uint64_t a = packed[k][0], b = packed[k][1];
      uint64_t want = fmaReference(h, f(a & 0xffff), 1, f(b & 0xffff)) |
                      uint64_t(fmaReference(h, f(a >> 16), 1, f(b >> 16))) << 16;
      if (!clean(want))
        EXPECT_EQ(got[k], want) << n << "x2 " << std::hex << a << " " << b;
    }
  }
}

TEST(Float, ConvertHalf) {
  Inputs f32 = combinations(edgeF32, 1);
  for (uint32_t u : {0x477fefffu, 0x477ff000u, 0x33000000u, 0x33000001u, 0x387fe000u, 0x3f801000u,
                     0x3f803000u, 0x3f808000u, 0x3f818000u})
    f32.push_back({u, 0, 0});
  for (const Half &h : halves) {
    std::string n = h.name;
    checkFloat(32, {"cvt.f32." + n + " %d, %a;", "b32", {"b16"}}, combinations(*h.edges, 1),
               [&](uint64_t a, uint64_t, uint64_t) { return asBits(float(h.from(uint16_t(a)))); });
    checkFloat(h.kind, {"cvt.rn." + n + ".f32 %d, %a;", "b16", {"b32"}}, f32,
               [&](uint64_t a, uint64_t, uint64_t) { return uint64_t(h.to(asFloat(a))); });
    // Toward zero: the largest number of the type that is not larger in magnitude.
    checkFloat(h.kind, {"cvt.rz." + n + ".f32 %d, %a;", "b16", {"b32"}}, f32,
               [&](uint64_t a, uint64_t, uint64_t) {
                 double x = asFloat(a);
                 uint16_t r = h.to(x);
                 if (std::isfinite(x) && std::fabs(h.from(r)) > std::fabs(x))
                   r--;
                 return uint64_t(r);
               });
    std::vector<uint64_t> got = execute(
        {"cvt.rn." + n + "x2.f32 %d, %a, %b;", "b32", {"b32", "b32"}}, combinations(edgeF32, 2));
    Inputs two = combinations(edgeF32, 2);
    for (size_t k = 0; k < two.size(); k++) {
      float a = asFloat(two[k][0]), b = asFloat(two[k][1]);
      if (a == a && b == b)
        EXPECT_EQ(got[k], uint64_t(h.to(a)) << 16 | h.to(b));
    }
  }
}

TEST(Float, ConvertFp8AndTf32) {
  // All 256 codes decode by the definition of the formats, and encode back.
  auto decode = [](unsigned v, bool e4m3) -> double {
    int e = e4m3 ? v >> 3 & 15 : v >> 2 & 31, m = e4m3 ? v & 7 : v & 3, mb = e4m3 ? 3 : 2,
        bias = e4m3 ? 7 : 15;
    double r = e == 0 ? std::ldexp(m, 1 - bias - mb) : std::ldexp((1 << mb) + m, e - bias - mb);
    if (e4m3 ? e == 15 && m == 7 : e == 31 && m)
      r = NAN;
    if (!e4m3 && e == 31 && m == 0)
      r = INFINITY;
    return v & 128 ? -r : r;
  };
  for (bool e4m3 : {true, false}) {
    std::string n = e4m3 ? "e4m3x2" : "e5m2x2";
    Inputs codes;
    for (unsigned v = 0; v < 256; v++)
      codes.push_back({v | (v ^ 0x55) << 8, 0, 0});
    std::vector<uint64_t> got = execute({"cvt.rn.f16x2." + n + " %d, %a;", "b32", {"b16"}}, codes);
    for (unsigned v = 0; v < 256; v++)
      for (int half = 0; half < 2; half++) {
        double want = decode(half ? v ^ 0x55 : v, e4m3),
               have = fromHalf(uint16_t(got[v] >> (16 * half)));
        EXPECT_TRUE(want == have || (want != want && have != have)) << n << " " << v;
      }
    Inputs values;
    std::vector<float> floats;
    for (int k = -600; k <= 600; k++)
      floats.push_back(float(k) * 0.9371f), floats.push_back(std::ldexp(float(k), -16));
    for (unsigned v = 0; v < 255; v++) { // exact ties between neighbours
      double a = decode(v, e4m3), b = decode(v + 1, e4m3);
      if (std::isfinite(a) && std::isfinite(b))
        floats.push_back(float((a + b) / 2));
    }
    for (float f : floats)
      values.push_back({asBits(f), asBits(-f), 0});
    got = execute({"cvt.rn.satfinite." + n + ".f32 %d, %a, %b;", "b16", {"b32", "b32"}}, values);
    for (size_t k = 0; k < floats.size(); k++) {
      unsigned code = unsigned(got[k] >> 8), best = 0; // the upper half comes from %a
      double bestDistance = INFINITY;
      for (unsigned v = 0; v < 256; v++) { // nearest finite code, ties to even
        double x = decode(v, e4m3);
        if (!std::isfinite(x) || std::signbit(x) != std::signbit(floats[k]))
          continue;
        double distance = std::fabs(x - double(floats[k]));
        if (distance < bestDistance || (distance == bestDistance && !(v & 1)))
          best = v, bestDistance = distance;
      }
      EXPECT_EQ(code, best) << n << " " << floats[k];
      EXPECT_EQ(got[k] & 255, best ^ 0x80) << n << " " << -floats[k];
    }
  }
  checkFloat(32, {"cvt.rna.tf32.f32 %d, %a;", "b32", {"b32"}}, combinations(edgeF32, 1),
             [](uint64_t a, uint64_t, uint64_t) -> uint64_t {
               if ((a & 0x7f800000) == 0x7f800000)
                 return a & 0x7fffff ? 0x7fffffff : a;
               return (a + 0x1000) & ~uint64_t(0x1fff);
             });
}

TEST(Float, ConvertIntegers) {
  Inputs f32 = combinations(edgeF32, 1), f64 = combinations(edgeF64, 1);
  for (float x : {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2147483648.0f, -2147483904.0f, 4294967296.0f,
                  1e20f, -1e20f})
    f32.push_back({asBits(x), 0, 0}), f64.push_back({asBits(double(x)), 0, 0});
  const char *modes[] = {"rni", "rzi", "rmi", "rpi"};
  double (*round[])(double) = {std::nearbyint, std::trunc, std::floor, std::ceil};
  for (int m = 0; m < 4; m++)
    for (int bits : {16, 32, 64})
      for (bool isSigned : {false, true}) {
        std::string type = (isSigned ? "s" : "u") + std::to_string(bits),
                    reg = "b" + std::to_string(bits);
        auto want = [&](double x) -> uint64_t {
          long double r = round[m](x), hi = std::ldexp(1.0L, bits - isSigned) - 1,
                      lo = isSigned ? -hi - 1 : 0;
          r = x != x ? 0 : r > hi ? hi : r < lo ? lo : r;
          uint64_t v = isSigned ? uint64_t(int64_t(r)) : uint64_t(r);
          return bits == 64 ? v : v & ((uint64_t(1) << bits) - 1);
        };
        check({std::string("cvt.") + modes[m] + "." + type + ".f32 %d, %a;", reg, {"b32"}}, f32,
              [&](uint64_t a, uint64_t, uint64_t) { return want(asFloat(a)); });
        check({std::string("cvt.") + modes[m] + "." + type + ".f64 %d, %a;", reg, {"b64"}}, f64,
              [&](uint64_t a, uint64_t, uint64_t) { return want(asDouble(a)); });
      }
  for (int m = 0; m < 4; m++) {
    checkFloat(32, {std::string("cvt.") + roundings[m] + ".f32.s64 %d, %a;", "b32", {"b64"}},
               combinations(edge64, 1), [&](uint64_t a, uint64_t, uint64_t) {
                 return asBits(under(hostModes[m], [&] {
                   volatile int64_t v = int64_t(a);
                   return float(v);
                 }));
               });
    checkFloat(64, {std::string("cvt.") + roundings[m] + ".f64.u64 %d, %a;", "b64", {"b64"}},
               combinations(edge64, 1), [&](uint64_t a, uint64_t, uint64_t) {
                 return asBits(under(hostModes[m], [&] {
                   volatile long double v = a;
                   return double(v);
                 }));
               });
    checkFloat(32, {std::string("cvt.") + roundings[m] + ".f32.u32 %d, %a;", "b32", {"b32"}},
               combinations(edge32, 1), [&](uint64_t a, uint64_t, uint64_t) {
                 return asBits(under(hostModes[m], [&] {
                   volatile double v = double(int64_t(a));
                   return float(v);
                 }));
               });
    checkFloat(32, {std::string("cvt.") + roundings[m] + ".f32.f64 %d, %a;", "b32", {"b64"}},
               combinations(edgeF64, 1), [&](uint64_t a, uint64_t, uint64_t) {
                 return asBits(under(hostModes[m], [&] {
                   volatile double v = asDouble(a);
                   return float(v);
                 }));
               });
  }
  for (const Half &h : halves)
    checkFloat(h.kind, {std::string("cvt.rn.") + h.name + ".s32 %d, %a;", "b16", {"b32"}},
               combinations(edge32, 1),
               [&](uint64_t a, uint64_t, uint64_t) { return uint64_t(h.to(double(int32_t(a)))); });
}

TEST(Float, Compare) {
  for (const auto &c : floatComparisons) {
    check({std::string("setp.") + c.op + ".f32 %d, %a, %b;", "pred", {"b32", "b32"}},
          combinations(edgeF32, 2),
          [&](uint64_t a, uint64_t b, uint64_t) { return uint64_t(c.f(asFloat(a), asFloat(b))); });
    check({std::string("setp.") + c.op + ".f64 %d, %a, %b;", "pred", {"b64", "b64"}},
          combinations(edgeF64, 2), [&](uint64_t a, uint64_t b, uint64_t) {
            return uint64_t(c.f(asDouble(a), asDouble(b)));
          });
    check({std::string("setp.") + c.op + ".f16 %d, %a, %b;", "pred", {"b16", "b16"}},
          combinations(edgeF16, 2), [&](uint64_t a, uint64_t b, uint64_t) {
            return uint64_t(c.f(fromHalf(uint16_t(a)), fromHalf(uint16_t(b))));
          });
  }
}

TEST(Float, PackedF32) {
  Inputs inputs;
  for (auto &x : combinations(edgeF32, 2)) {
    float a = asFloat(x[0]), b = asFloat(x[1]);
    if (a == a && b == b && std::fabs(a) < 1e30f && std::fabs(b) < 1e30f)
      inputs.push_back({x[0] | x[1] << 32, x[1] | x[0] << 32, x[0] | x[0] << 32});
  }
  check({"fma.rn.f32x2 %d, %a, %b, %c;", "b64", {"b64", "b64", "b64"}}, inputs,
        [](uint64_t a, uint64_t b, uint64_t c) {
          return asBits(std::fma(asFloat(a), asFloat(b), asFloat(c))) |
                 asBits(std::fma(asFloat(a >> 32), asFloat(b >> 32), asFloat(c >> 32))) << 32;
        });
}

} // namespace
