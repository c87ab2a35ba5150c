// CPU references of the matrix kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/KernelSuiteDetail.h"

namespace ptxsim {

namespace {

/// C = A B^T in double precision, with sum |a||b| for the error bound. Large problems are sampled.
template <class C>
std::string checkProduct(const std::vector<C> &c, const std::vector<double> &a,
                         const std::vector<double> &b, size_t m, size_t n, size_t k,
                         double epsilon) {
  size_t step = m * n > 1 << 16 ? 997 : 1;
  for (size_t at = 0; at < m * n; at += step) {
    double want = 0, magnitude = 0;
    const double *x = &a[at / n * k], *y = &b[at % n * k];
    for (size_t s = 0; s < k; s++) {
      want += x[s] * y[s];
      magnitude += std::fabs(x[s] * y[s]);
    }
    // k roundings of relative size epsilon on partial sums no larger than the magnitude.
    double tolerance = double(k) * epsilon * magnitude + 1e-30;
    if (!(std::fabs(double(c[at]) - want) <= tolerance))
      return difference("C", at, double(c[at]), want);
  }
  return "";
}

struct Matrix16 {
  std::vector<uint16_t> bits;
  std::vector<double> values;
};
Matrix16 random16(size_t count, unsigned seed, bool brain) {
  Matrix16 m;
  for (float x : randomFloats(count, seed)) {
    m.bits.push_back(brain ? toBfloat(x) : toHalf(x));
    m.values.push_back(brain ? fromBfloat(m.bits.back()) : fromHalf(m.bits.back()));
  }
  return m;
}

std::string gemm16(Runner &r, unsigned size, bool brain) {
  size_t n = size ? size : 128, k = size ? size : 96;
  Matrix16 a = random16(n * k, 11, brain), b = random16(n * k, 12, brain);
  DeviceAddress pa = r.input(a.bits, "A"), pb = r.input(b.bits, "B"),
                pc = r.output<float>(n * n, "C");
  uint32_t tiles = uint32_t(n / 64);
  r.launch(brain ? "gemm_bf16" : "gemm_f16", {{tiles, tiles, 1}, {128, 1, 1}},
           {argument(pa), argument(pb), argument(pc), argument(int(n)), argument(int(2 * k))});
  return checkProduct(r.result<float>(pc, n * n), a.values, b.values, n, n, k, 1.2e-7);
}

} // namespace

std::string runGemmF16(Runner &r, unsigned size) { return gemm16(r, size, false); }
std::string runGemmBF16(Runner &r, unsigned size) { return gemm16(r, size, true); }

std::string runGemmTF32(Runner &r, unsigned size) {
  size_t n = size ? size : 64, k = size ? size : 48;
  std::vector<float> a = randomFloats(n * k, 13), b = randomFloats(n * k, 14);
  auto truncated = [](const std::vector<float> &x) { // the tensor core ignores 13 bits
    std::vector<double> out;
    for (float f : x) {
      uint32_t u;
      std::memcpy(&u, &f, 4);
      u &= ~uint32_t(0x1fff);
      std::memcpy(&f, &u, 4);
      out.push_back(f);
    }
    return out;
  };
  DeviceAddress pa = r.input(a, "A"), pb = r.input(b, "B"), pc = r.output<float>(n * n, "C");
  uint32_t tiles = uint32_t(n / 64);
  r.launch("gemm_tf32", {{tiles, tiles, 1}, {128, 1, 1}},
           {argument(pa), argument(pb), argument(pc), argument(int(n)), argument(int(4 * k))});
  return checkProduct(r.result<float>(pc, n * n), truncated(a), truncated(b), n, n, k, 1.2e-7);
}

std::string runGemmF64(Runner &r, unsigned size) {
  size_t n = size ? size : 24, k = size ? size : 44;
  std::vector<float> fa = randomFloats(n * k, 15), fb = randomFloats(n * k, 16);
  std::vector<double> a(fa.begin(), fa.end()), b(fb.begin(), fb.end());
  DeviceAddress pa = r.input(a, "A"), pb = r.input(b, "B"), pc = r.output<double>(n * n, "C");
  uint32_t tiles = uint32_t(n / 8);
  r.launch("gemm_f64", {{tiles, tiles, 1}, {32, 1, 1}},
           {argument(pa), argument(pb), argument(pc), argument(int(n)), argument(int(k))});
  return checkProduct(r.result<double>(pc, n * n), a, b, n, n, k, 2.3e-16);
}

std::string runGemmWgmma(Runner &r, unsigned size) {
  size_t n = size ? size : 128, k = size ? size : 576;
  Matrix16 a = random16(n * k, 17, false), b = random16(n * k, 18, false);
  DeviceAddress pa = r.input(a.bits, "A"), pb = r.input(b.bits, "B"),
                pc = r.output<float>(n * n, "C");
  auto map = [&](DeviceAddress base) {
    TensorMapInfo info;
    info.type = TensorType::F16;
    info.base = base;
    info.size = {k, n};
    info.stride = {0, 2 * k};
    info.box = {64, 64};
    info.swizzle = Swizzle::Bytes128;
    return encodeTensorMap(info);
  };
  TensorMapInfo out;
  out.type = TensorType::F32;
  out.base = pc;
  out.size = {n, n};
  out.stride = {0, 4 * n};
  out.box = {64, 64};
  uint32_t tiles = uint32_t(n / 64);
  r.launch(
      "gemm_wgmma", {{tiles, tiles, 1}, {160, 1, 1}, 3 * 128 * 64 * 2},
      {argument(map(pa)), argument(map(pb)), argument(encodeTensorMap(out)), argument(int(k))});
  return checkProduct(r.result<float>(pc, n * n), a.values, b.values, n, n, k, 1.2e-7);
}

std::string runClusterMulticast(Runner &r, unsigned) {
  constexpr size_t rows = 48, cols = 32;
  std::vector<float> in = randomFloats(rows * cols, 19);
  DeviceAddress pi = r.input(in, "in"), po = r.output<float>(rows / 16 * 2 * cols, "out");
  TensorMapInfo info;
  info.type = TensorType::F32;
  info.base = pi;
  info.size = {cols, rows};
  info.stride = {0, 4 * cols};
  info.box = {32, 8};
  r.launch("cluster_multicast", {{6, 1, 1}, {64, 1, 1}, 0, {2, 1, 1}},
           {argument(encodeTensorMap(info)), argument(po)});
  return compare(
      "out", r.result<float>(po, 6 * cols),
      [&](size_t i) {
        size_t block = i / cols, c = i % cols;
        double sum = 0, squares = 0;
        for (size_t row = block / 2 * 16; row < block / 2 * 16 + 16; row++) {
          sum += in[row * cols + c];
          squares += double(in[row * cols + c]) * in[row * cols + c];
        }
        return block % 2 == 0 ? sum - 0.5 * squares : squares - 0.5 * sum;
      },
      [](size_t) { return 2e-5; });
}

std::string runAttention(Runner &r, unsigned size) {
  size_t heads = 2, s = size ? size : 96, d = 64, count = heads * s * d;
  for (int causal = 0; causal < 2; causal++) {
    Matrix16 q = random16(count, 20, false), k = random16(count, 21, false),
             v = random16(count, 22, false);
    DeviceAddress pq = r.input(q.bits, "Q"), pk = r.input(k.bits, "K"), pv = r.input(v.bits, "V"),
                  po = r.output<uint16_t>(count, "O");
    r.launch("attention", {{uint32_t(s / 32), uint32_t(heads), 1}, {64, 1, 1}},
             {argument(pq), argument(pk), argument(pv), argument(po), argument(int(s)),
              argument(causal)});
    std::vector<uint16_t> o = r.result<uint16_t>(po, count);
    size_t step = size ? 31 : 1;
    for (size_t row = 0; row < heads * s; row += step) {
      size_t h = row / s, i = row % s, n = causal ? i + 1 : s;
      std::vector<double> p(n);
      double m = -INFINITY, l = 0;
      for (size_t j = 0; j < n; j++) {
        for (size_t e = 0; e < d; e++)
          p[j] += q.values[row * d + e] * k.values[(h * s + j) * d + e] / 8;
        m = std::max(m, p[j]);
      }
      for (double &x : p)
        l += x = std::exp(x - m);
      for (size_t e = 0; e < d; e++) {
        double want = 0, magnitude = 0;
        for (size_t j = 0; j < n; j++) {
          double term = p[j] / l * v.values[(h * s + j) * d + e];
          want += term;
          magnitude += std::fabs(term);
        }
        // P is rounded to f16 before the product, O afterwards.
        double tolerance = (std::fabs(want) + magnitude) / 2048 * 1.05 + 2e-5;
        double got = fromHalf(o[row * d + e]);
        if (!(std::fabs(got - want) <= tolerance))
          return difference(causal ? "O (causal)" : "O", row * d + e, got, want);
      }
    }
  }
  return "";
}

} // namespace ptxsim
