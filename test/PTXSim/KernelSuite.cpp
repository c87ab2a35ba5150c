// Kernels with CPU references: scalar kernels, and shared code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/KernelSuite.h"
#include "test/PTXSim/KernelSuiteDetail.h"
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>

namespace ptxsim {

std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    throw Error(ErrorKind::Argument, "cannot read '" + path + "'");
  return text.str();
}

// Explicit rounding of m * 2^e, independent of the processor's.
static uint16_t roundTo(double x, int exponentBits, int mantissaBits) {
  uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  int bias = (1 << (exponentBits - 1)) - 1;
  uint16_t infinity = uint16_t(((1 << exponentBits) - 1) << mantissaBits);
  if (std::isnan(x))
    return 0x7fff;
  x = std::fabs(x);
  if (std::isinf(x))
    return sign | infinity;
  int e = x == 0 ? -bias : std::max(std::ilogb(x), 1 - bias);
  double units = std::ldexp(x, mantissaBits - e), whole = std::nearbyint(units);
  double value = std::ldexp(whole, e - mantissaBits);
  if (value == 0)
    return sign;
  e = std::max(std::ilogb(value), 1 - bias);
  if (e > bias)
    return sign | infinity;
  uint32_t m = uint32_t(std::ldexp(value, mantissaBits - e));
  uint32_t bits = m < (1u << mantissaBits) ? m : uint32_t(e + bias - 1) * (1u << mantissaBits) + m;
  return uint16_t(sign | bits);
}
static double expand(uint16_t h, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1, top = (1 << exponentBits) - 1;
  int e = (h & 0x7fff) >> mantissaBits, m = h & ((1 << mantissaBits) - 1);
  double v = e == top ? (m ? NAN : INFINITY)
             : e == 0 ? std::ldexp(m, 1 - bias - mantissaBits)
                      : std::ldexp(m + (1 << mantissaBits), e - bias - mantissaBits);
  return h & 0x8000 ? -v : v;
}
uint16_t toHalf(double x) { return roundTo(x, 5, 10); }
double fromHalf(uint16_t h) { return expand(h, 5, 10); }
uint16_t toBfloat(double x) { return roundTo(x, 8, 7); }
double fromBfloat(uint16_t b) { return expand(b, 8, 7); }

void Runner::launch(const char *kernel, const LaunchConfig &config,
                    const std::vector<Argument> &arguments) {
  std::clock_t cpu = std::clock();
  auto start = std::chrono::steady_clock::now();
  LaunchResult r = device.launch(program, kernel, config, arguments);
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cpuSeconds += double(std::clock() - cpu) / CLOCKS_PER_SEC;
  statistics.merge(r.statistics);
  findings.insert(findings.end(), r.findings.begin(), r.findings.end());
}

std::string difference(const char *what, size_t index, double got, double want) {
  std::ostringstream text;
  text << what << "[" << index << "] is " << got << ", expected " << want;
  return text.str();
}

namespace {

std::string vecadd(Runner &r, unsigned size) {
  int n = size ? int(size) : 1000;
  std::vector<float> a = randomFloats(size_t(n), 1), b = randomFloats(size_t(n), 2);
  DeviceAddress pa = r.input(a, "a"), pb = r.input(b, "b"), pc = r.output<float>(size_t(n), "c");
  r.launch("vecadd", {{4, 1, 1}, {96, 1, 1}},
           {argument(pa), argument(pb), argument(pc), argument(n)});
  return compare(
      "c", r.result<float>(pc, size_t(n)), [&](size_t i) { return a[i] + b[i]; },
      [](size_t) { return 0.0; });
}

std::string reduceSum(Runner &r, unsigned size) {
  int n = size ? int(size) : 5000;
  std::vector<float> a = randomFloats(size_t(n), 3), zero{0};
  DeviceAddress pa = r.input(a, "in"), po = r.input(zero, "out");
  r.launch("reduce_sum", {{3, 1, 1}, {256, 1, 1}}, {argument(pa), argument(po), argument(n)});
  double want = 0;
  for (float x : a)
    want += x;
  return compare(
      "out", r.result<float>(po, 1), [&](size_t) { return want; },
      [&](size_t) { return 1e-6 * n; });
}

std::string reduceLastBlock(Runner &r, unsigned) {
  int n = 3000;
  std::vector<float> a = randomFloats(size_t(n), 4);
  DeviceAddress pa = r.input(a, "in"), pp = r.output<float>(4, "partial"),
                po = r.output<float>(1, "out");
  r.launch("reduce_last_block", {{4, 1, 1}, {256, 1, 1}},
           {argument(pa), argument(pp), argument(po), argument(n)});
  double want = 0;
  for (float x : a)
    want += x;
  return compare(
      "out", r.result<float>(po, 1), [&](size_t) { return want; },
      [&](size_t) { return 1e-6 * n; });
}

std::string scanBlock(Runner &r, unsigned) {
  int n = 500;
  std::vector<int> a(static_cast<size_t>(n));
  for (int i = 0; i < n; i++)
    a[size_t(i)] = (i * 37) % 101 - 50;
  DeviceAddress pa = r.input(a, "in"), po = r.output<int>(size_t(n), "out");
  r.launch("scan_block", {{4, 1, 1}, {128, 1, 1}, 1024}, {argument(pa), argument(po), argument(n)});
  return compare(
      "out", r.result<int>(po, size_t(n)),
      [&](size_t i) {
        double s = 0;
        for (size_t k = i / 128 * 128; k <= i; k++)
          s += a[k];
        return s;
      },
      [](size_t) { return 0.0; });
}

int collatz(unsigned x) {
  int steps = 0;
  while (x > 1) {
    if (x & 1) {
      x = 3 * x + 1;
      if (steps > 1000)
        break;
    } else {
      x >>= 1;
    }
    if (++steps == 200)
      return -1;
  }
  return steps;
}

std::string divergent(Runner &r, unsigned size) {
  size_t n = size ? size : 1111;
  std::vector<int> in(n);
  for (size_t i = 0; i < n; i++)
    in[i] = int((i * 2654435761u) >> 12 & 0xffff) + 1;
  DeviceAddress pi = r.input(in, "in"), po = r.output<int>(2 * n, "out");
  r.launch("divergent", {{uint32_t(n + 127) / 128, 1, 1}, {128, 1, 1}},
           {argument(pi), argument(po), argument(int(n))});
  auto finish = [](int steps, int x) {
    switch (x % 6) {
    case 0:
      return steps + 7;
    case 1:
      return steps * 3;
    case 2:
      return steps ^ 0x55;
    case 3:
      return steps - 9;
    case 4:
      return int(unsigned(steps) << 2);
    default:
      return ~steps;
    }
  };
  return compare(
      "out", r.result<int>(po, 2 * n),
      [&](size_t k) -> double {
        size_t i = k / 2;
        int value = finish(collatz(unsigned(in[i])), in[i]);
        if (k % 2 == 0)
          return value;
        if (i % 32)
          return value % 7;
        int votes = 0;
        for (size_t l = i; l < i + 32 && l < n; l++)
          votes += collatz(unsigned(in[l])) & 1;
        return votes;
      },
      [](size_t) { return 0.0; });
}

/// Relative error of a softmax result in units of 2^-24, for exponents `a` (base 2) and exact
/// results p. Rounded values: the difference from the maximum, log2(e) and their product, which
/// contribute 3 ln 2 |a| to the exponential; the exponential (2 ulp, as ex2.approx promises); a sum
/// of `depth` rounded additions; the quotient (2 ulp, as div.full promises).
std::vector<double> softmaxErrors(const std::vector<double> &a, const std::vector<double> &p,
                                  double depth) {
  std::vector<double> e(a.size());
  double sum = depth;
  for (size_t c = 0; c < a.size(); c++) {
    e[c] = 3 * std::log(2.0) * std::fabs(a[c]) + 4;
    sum += p[c] * e[c]; // terms enter the sum by weight
  }
  for (double &x : e)
    x += sum + 4;
  return e;
}

std::string softmax(Runner &r, unsigned size) {
  size_t rows = size ? size : 5, cols = size ? 1024 : 200;
  std::vector<uint16_t> in(rows * cols);
  std::vector<float> x = randomFloats(in.size(), 5);
  for (size_t i = 0; i < in.size(); i++)
    in[i] = toHalf(4 * x[i]);
  in[cols - 1] = toHalf(150); // found late: a maximum over less overflows
  DeviceAddress pi = r.input(in, "in"), ph = r.output<uint16_t>(in.size(), "out"),
                pb = r.output<uint16_t>(in.size(), "outb");
  r.launch("softmax", {{uint32_t(rows), 1, 1}, {64, 1, 1}},
           {argument(pi), argument(ph), argument(pb), argument(int(cols))});
  std::vector<double> want(in.size()), relative(in.size());
  for (size_t row = 0; row < rows; row++) {
    double m = -INFINITY, s = 0;
    for (size_t c = 0; c < cols; c++)
      m = std::max(m, fromHalf(in[row * cols + c]));
    for (size_t c = 0; c < cols; c++)
      s += want[row * cols + c] = std::exp(fromHalf(in[row * cols + c]) - m);
    for (size_t c = 0; c < cols; c++)
      want[row * cols + c] /= s;
    std::vector<double> exponents(cols);
    for (size_t c = 0; c < cols; c++)
      exponents[c] = (fromHalf(in[row * cols + c]) - m) / std::log(2.0);
    // 64 threads add their columns, five shuffle steps and two warps follow.
    std::vector<double> e = softmaxErrors(exponents, {&want[row * cols], &want[row * cols] + cols},
                                          double(cols) / 64 + 1 + 5 + 2);
    for (size_t c = 0; c < cols; c++)
      relative[row * cols + c] = e[c] * 0x1p-24;
  }
  auto reference = [&](size_t i) { return want[i]; };
  std::vector<uint16_t> h = r.result<uint16_t>(ph, in.size()),
                        b = r.result<uint16_t>(pb, in.size());
  std::vector<double> hv(h.size()), bv(b.size());
  for (size_t i = 0; i < h.size(); i++)
    hv[i] = fromHalf(h[i]), bv[i] = fromBfloat(b[i]);
  // Then a rounding to 11 or 8 bits, or half of the least subnormal; exponentials below f32's
  // normal numbers may be flushed.
  std::string bad = compare("out", hv, reference,
                            [&](size_t i) { return want[i] * (0x1p-11 + relative[i]) + 0x1p-25; });
  return !bad.empty() ? bad : compare("outb", bv, reference, [&](size_t i) {
    return want[i] * (0x1p-8 + relative[i]) + 0x1p-126;
  });
}

std::string layerNorm(Runner &r, unsigned size) {
  size_t rows = size ? size : 3, cols = size ? 1024 : 150;
  std::vector<float> in = randomFloats(rows * cols, 6), gain = randomFloats(cols, 7),
                     bias = randomFloats(cols, 8);
  DeviceAddress pi = r.input(in, "in"), pg = r.input(gain, "gain"), pb = r.input(bias, "bias"),
                po = r.output<float>(in.size(), "out");
  r.launch("layer_norm", {{uint32_t(rows), 1, 1}, {64, 1, 1}},
           {argument(pi), argument(pg), argument(pb), argument(po), argument(int(cols))});
  std::vector<double> want(in.size());
  for (size_t row = 0; row < rows; row++) {
    const float *x = &in[row * cols];
    double mean = 0, var = 0;
    for (size_t c = 0; c < cols; c++)
      mean += x[c] / double(cols);
    for (size_t c = 0; c < cols; c++)
      var += (x[c] - mean) * (x[c] - mean) / double(cols);
    for (size_t c = 0; c < cols; c++)
      want[row * cols + c] = (x[c] - mean) / std::sqrt(var + 1e-5) * gain[c] + bias[c];
  }
  return compare(
      "out", r.result<float>(po, in.size()), [&](size_t i) { return want[i]; },
      [&](size_t i) { return 3e-6 * (1 + std::fabs(want[i])); });
}

std::string transpose(Runner &r, unsigned) {
  size_t rows = 70, cols = 45;
  std::vector<uint16_t> in(rows * cols);
  for (size_t i = 0; i < in.size(); i++)
    in[i] = uint16_t(i * 7 + 1);
  DeviceAddress pi = r.input(in, "in"), po = r.output<uint16_t>(in.size(), "out");
  r.launch("transpose", {{2, 3, 1}, {32, 8, 1}},
           {argument(pi), argument(po), argument(int(rows)), argument(int(cols))});
  return compare(
      "out", r.result<uint16_t>(po, in.size()),
      [&](size_t i) { return in[i % rows * cols + i / rows]; }, [](size_t) { return 0.0; });
}

std::string histogram(Runner &r, unsigned) {
  size_t n = 3000;
  std::vector<uint8_t> in(n);
  std::vector<uint32_t> zero(256), want(256);
  for (size_t i = 0; i < n; i++)
    want[in[i] = uint8_t((i * i * 31) >> 3)]++;
  DeviceAddress pi = r.input(in, "in"), po = r.input(zero, "out");
  r.launch("histogram", {{2, 1, 1}, {128, 1, 1}}, {argument(pi), argument(po), argument(int(n))});
  return compare(
      "out", r.result<uint32_t>(po, 256), [&](size_t i) { return want[i]; },
      [](size_t) { return 0.0; });
}

} // namespace

const std::vector<KernelCase> &kernelCases() {
  static const std::vector<KernelCase> cases = {
      {"vecadd", "basic", vecadd},
      {"reduce_sum", "basic", reduceSum},
      {"reduce_last_block", "basic", reduceLastBlock},
      {"scan_block", "basic", scanBlock},
      {"divergent", "basic", divergent},
      {"softmax", "basic", softmax},
      {"layer_norm", "basic", layerNorm},
      {"transpose", "basic", transpose},
      {"histogram", "basic", histogram},
      {"gemm_f16", "gemm_mma", runGemmF16},
      {"gemm_bf16", "gemm_mma", runGemmBF16},
      {"gemm_tf32", "gemm_mma", runGemmTF32},
      {"gemm_f64", "gemm_mma", runGemmF64},
      {"attention", "attention", runAttention},
      {"gemm_wgmma", "gemm_wgmma", runGemmWgmma},
      {"cluster_multicast", "cluster", runClusterMulticast}};
  return cases;
}

} // namespace ptxsim
