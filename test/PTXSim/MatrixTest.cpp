// mma.sync, ldmatrix, stmatrix and wgmma against plain matrix products of small integers, which
// every type and every order of summation represents exactly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"
#include <cmath>
#include <random>

using namespace ptxsim;

namespace {

using Bytes = std::vector<uint8_t>;

/// Writes a small integer in the given element type at index `i`.
void put(Bytes &b, const std::string &type, size_t i, int v) {
  auto set = [&](auto x) { std::memcpy(&b.at(i * sizeof x), &x, sizeof x); };
  if (type == "f16")
    set(toHalf(v));
  else if (type == "bf16")
    set(toBfloat(v));
  else if (type == "f32" || type == "tf32")
    set(float(v));
  else if (type == "f64")
    set(double(v));
  else if (type == "s32")
    set(int32_t(v));
  else if (type == "s8" || type == "u8")
    set(int8_t(v));
  else { // fp8: small integers are sign, exponent, few mantissa bits
    int mb = type == "e4m3" ? 3 : 2, bias = type == "e4m3" ? 7 : 15, a = std::abs(v), e = 0;
    while (a >> (e + 1))
      e++;
    uint8_t bits = v == 0 ? 0 : uint8_t((e + bias) << mb | ((a << mb >> e) & ((1 << mb) - 1)));
    set(uint8_t(bits | (v < 0 ? 128 : 0)));
  }
}
double get(const Bytes &b, const std::string &type, size_t i) {
  if (type == "f16") {
    uint16_t h;
    std::memcpy(&h, &b.at(2 * i), 2);
    return fromHalf(h);
  }
  if (type == "f64") {
    double d;
    std::memcpy(&d, &b.at(8 * i), 8);
    return d;
  }
  if (type == "s32") {
    int32_t d;
    std::memcpy(&d, &b.at(4 * i), 4);
    return d;
  }
  float f;
  std::memcpy(&f, &b.at(4 * i), 4);
  return f;
}
size_t sizeOf(const std::string &t) {
  return t == "f64"                                ? 8
         : t == "f32" || t == "tf32" || t == "s32" ? 4
         : t == "f16" || t == "bf16"               ? 2
                                                   : 1;
}
std::vector<int> smallIntegers(size_t n, unsigned seed, int low, int high) {
  std::mt19937 g(seed);
  std::vector<int> v(n);
  for (int &x : v)
    x = low + int(g() % unsigned(high - low + 1));
  return v;
}

struct MmaForm {
  int m, n, k;
  const char *d, *a, *b;
};

TEST(Mma, EveryFormMultiplies) {
  const MmaForm forms[] = {{16, 8, 16, "f32", "f16", "f16"},   {16, 8, 16, "f16", "f16", "f16"},
                           {16, 8, 8, "f32", "f16", "f16"},    {16, 8, 8, "f16", "f16", "f16"},
                           {16, 8, 16, "f32", "bf16", "bf16"}, {16, 8, 8, "f32", "bf16", "bf16"},
                           {16, 8, 8, "f32", "tf32", "tf32"},  {16, 8, 4, "f32", "tf32", "tf32"},
                           {8, 8, 4, "f64", "f64", "f64"},     {16, 8, 4, "f64", "f64", "f64"},
                           {16, 8, 8, "f64", "f64", "f64"},    {16, 8, 16, "f64", "f64", "f64"},
                           {16, 8, 32, "f32", "e4m3", "e4m3"}, {16, 8, 32, "f32", "e5m2", "e4m3"},
                           {16, 8, 32, "f32", "e5m2", "e5m2"}, {16, 8, 32, "f16", "e4m3", "e5m2"},
                           {16, 8, 16, "f32", "e4m3", "e4m3"}, {16, 8, 32, "s32", "s8", "s8"},
                           {16, 8, 32, "s32", "u8", "s8"},     {16, 8, 16, "s32", "s8", "u8"},
                           {8, 8, 16, "s32", "s8", "s8"}};
  for (const MmaForm &f : forms) {
    std::string name = std::string(f.d) + "." + f.a + "." + f.b + " k" + std::to_string(f.k);
    int low = f.a[0] == 'u' || f.b[0] == 'u' ? 0 : -3;
    std::vector<int> A = smallIntegers(size_t(f.m * f.k), 1, low, 3),
                     B = smallIntegers(size_t(f.k * f.n), 2, low, 3),
                     C = smallIntegers(size_t(f.m * f.n), 3, -9, 9);
    // Registers of a lane by the ISA's tables: element i of A is at row g (+8), columns count in
    // groups of four lanes.
    size_t word = std::string(f.a) == "f64" ? 8 : 4, per = word / sizeOf(f.a),
           cper = f.d == std::string("f16") ? 2 : 1, cword = f.d == std::string("f64") ? 8 : 4;
    size_t na = size_t(f.m * f.k) / 32 / per, nb = size_t(f.k * f.n) / 32 / per,
           nc = size_t(f.m * f.n) / 32 / cper;
    Bytes a(32 * na * word), b(32 * nb * word), c(32 * nc * cword);
    auto rowOfC = [&](size_t lane, size_t i) { return lane / 4 + (i >= 2 ? 8 : 0); };
    for (size_t lane = 0; lane < 32; lane++) {
      for (size_t i = 0; i < na * per; i++) {
        size_t reg = i / per, row = lane / 4 + (f.m == 16 && reg % 2 ? 8 : 0),
               group = f.m == 16 ? reg / 2 : reg;
        put(a, f.a, lane * na * per + i,
            A[row * size_t(f.k) + group * 4 * per + lane % 4 * per + i % per]);
      }
      for (size_t i = 0; i < nb * per; i++)
        put(b, f.b, lane * nb * per + i,
            B[(i / per * 4 * per + lane % 4 * per + i % per) * size_t(f.n) + lane / 4]);
      for (size_t i = 0; i < nc * cper; i++)
        put(c, f.d, lane * nc * cper + i, C[rowOfC(lane, i) * size_t(f.n) + lane % 4 * 2 + i % 2]);
    }
    std::string w = word == 8 ? "b64" : "b32", cw = cword == 8 ? "b64" : "b32";
    std::string body =
        ".reg ." + w + " %xa<8>, %xb<8>; .reg ." + cw + " %xc<4>;\nmov.u32 %r0, %tid.x;\n";
    auto list = [](const char *prefix, size_t n) {
      std::string s = "{";
      for (size_t k = 0; k < n; k++)
        s += (k ? ", " : "") + std::string(prefix) + std::to_string(k);
      return s + "}";
    };
    auto move = [&](const char *op, size_t buffer, const char *reg, size_t n,
                    const std::string &type, size_t bytes) {
      std::string s = "mul.wide.u32 %rd9, %r0, " + std::to_string(n * bytes) +
                      "; add.u64 %rd9, %rd9, %rd" + std::to_string(buffer) + ";\n";
      for (size_t k = 0; k < n; k++) {
        std::string at = "[%rd9+" + std::to_string(k * bytes) + "]", r = reg + std::to_string(k);
        s += std::string(op) + ".global." + type + " " +
             (op[0] == 'l' ? r + ", " + at : at + ", " + r) + ";\n";
      }
      return s;
    };
    body += move("ld", 0, "%xa", na, w, word) + move("ld", 1, "%xb", nb, w, word) +
            move("ld", 2, "%xc", nc, cw, cword);
    body += "mma.sync.aligned.m" + std::to_string(f.m) + "n8k" + std::to_string(f.k) + ".row.col." +
            f.d + "." + f.a + "." + f.b + "." + f.d + " " + list("%xc", nc) + ", " +
            list("%xa", na) + ", " + list("%xb", nb) + ", " + list("%xc", nc) + ";\n" +
            move("st", 3, "%xc", nc, cw, cword);
    noteTested(body);
    Bytes d = runKernel(wrap(body, 4), {{1, 1, 1}, {32, 1, 1}}, {a, b, c}, c.size());
    for (size_t lane = 0; lane < 32; lane++)
      for (size_t i = 0; i < nc * cper; i++) {
        size_t row = rowOfC(lane, i), col = lane % 4 * 2 + i % 2;
        double want = C[row * size_t(f.n) + col];
        for (int k = 0; k < f.k; k++)
          want += A[row * size_t(f.k) + size_t(k)] * B[size_t(k) * size_t(f.n) + col];
        EXPECT_EQ(get(d, f.d, lane * nc * cper + i), want)
            << name << " row " << row << " column " << col;
      }
  }
}

TEST(Matrix, LoadStoreTranspose) {
  // stmatrix after ldmatrix restores the matrix; a single .trans transposes each 8 x 8 block.
  for (bool loadTrans : {false, true})
    for (bool storeTrans : {false, true}) {
      Bytes in(512);
      for (size_t i = 0; i < 256; i++) {
        uint16_t v = uint16_t(i * 3 + 1);
        std::memcpy(&in[2 * i], &v, 2);
      }
      std::string body = ".shared .align 16 .b8 s[1024];\nmov.u32 %r0, %tid.x; mov.u32 %r1, s; "
                         "shl.b32 %r2, %r0, 4; add.u32 %r3, %r1, %r2; cvt.u64.u32 %rd8, %r2;\n"
                         "add.u64 %rd9, %rd0, %rd8; ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd9]; "
                         "st.shared.v4.u32 [%r3], {%r4,%r5,%r6,%r7}; bar.warp.sync -1;\n"
                         "ldmatrix.sync.aligned.m8n8.x4" +
                         std::string(loadTrans ? ".trans" : "") +
                         ".shared.b16 {%r8,%r9,%r10,%r11}, [%r3];\n"
                         "stmatrix.sync.aligned.m8n8.x4" +
                         std::string(storeTrans ? ".trans" : "") +
                         ".shared.b16 [%r3+512], {%r8,%r9,%r10,%r11}; bar.warp.sync -1;\n"
                         "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r3+512]; add.u64 %rd9, %rd1, %rd8; "
                         "st.global.v4.u32 [%rd9], {%r4,%r5,%r6,%r7};\n";
      noteTested(body);
      Bytes out = runKernel(wrap(body, 2), {{1, 1, 1}, {32, 1, 1}}, {in}, 512);
      for (size_t m = 0; m < 4; m++)
        for (size_t r = 0; r < 8; r++)
          for (size_t c = 0; c < 8; c++) {
            bool t = loadTrans != storeTrans;
            uint16_t got, want;
            std::memcpy(&got, &out[2 * (64 * m + 8 * r + c)], 2);
            std::memcpy(&want, &in[2 * (64 * m + (t ? 8 * c + r : 8 * r + c))], 2);
            EXPECT_EQ(got, want);
          }
    }
}

/// Byte offset of element (mn, k) in the canonical layouts of the ISA, with strides chosen so that
/// every field of the descriptor matters: 16-byte units for no swizzle, else atoms of 32 to 128.
struct Layout {
  bool kMajor;
  unsigned swizzle, element, lbo, sbo; ///< swizzle: bytes of the atom, 16 for none
  size_t offset(unsigned mn, unsigned k) const {
    unsigned t = 16 / element, unit = swizzle / element; // elements per 16 bytes, per atom row
    size_t at;
    if (kMajor && swizzle == 16)
      at = mn % 8 * 16 + mn / 8 * sbo + k / t * lbo + k % t * element;
    else if (kMajor)
      at = mn % 8 * swizzle + mn / 8 * sbo + k * element;
    else if (swizzle == 16)
      at = mn % t * element + mn / t * sbo + k % 8 * 16 + k / 8 * lbo;
    else
      at = mn % unit * element + mn / unit * lbo + k % 8 * swizzle + k / 8 * sbo;
    unsigned bits = swizzle == 128 ? 7 : swizzle == 64 ? 3 : swizzle == 32 ? 1 : 0;
    return at ^ ((at >> 7 & bits) << 4);
  }
  uint64_t descriptor() const {
    uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
    return uint64_t(lbo >> 4) << 16 | uint64_t(sbo >> 4) << 32 | mode << 62;
  }
};
Layout layoutFor(bool kMajor, unsigned swizzle, unsigned element, unsigned extent) {
  Layout l{kMajor, swizzle, element, 0, 0};
  if (kMajor && swizzle == 16)
    l.sbo = 128, l.lbo = extent / 8 * 128;
  else if (kMajor)
    l.sbo = 8 * swizzle, l.lbo = 16;
  else if (swizzle == 16)
    l.sbo = 128, l.lbo = extent * element / 16 * 128;
  else
    l.sbo = 8 * swizzle, l.lbo = 2 * 8 * swizzle;
  return l;
}

struct WgmmaForm {
  unsigned n;
  const char *d, *a, *b;
  unsigned swizzleA, swizzleB;
  bool kMajorA, kMajorB, registers;
  int scaleA, scaleB;
  bool accumulate;
};

void checkWgmma(const WgmmaForm &f) {
  unsigned element = unsigned(sizeOf(f.a)), K = 32 / element;
  std::string name = "n" + std::to_string(f.n) + "." + f.d + "." + f.a + "." + f.b + " swizzle " +
                     std::to_string(f.swizzleA) + "/" + std::to_string(f.swizzleB) +
                     (f.kMajorA ? " K" : " M") + (f.kMajorB ? " K" : " N") +
                     (f.registers ? " registers" : "");
  std::vector<int> A = smallIntegers(64 * K, 4, -3, 3), B = smallIntegers(f.n * K, 5, -3, 3),
                   C = smallIntegers(64 * f.n, 6, -9, 9);
  Layout la = layoutFor(f.kMajorA, f.swizzleA, element, 64),
         lb = layoutFor(f.kMajorB, f.swizzleB, element, f.n);
  constexpr size_t areaA = 16384, areaB = 49152;
  Bytes smem(areaA + areaB), fragments(128 * 16), c;
  for (unsigned k = 0; k < K; k++) {
    for (unsigned m = 0; m < 64; m++)
      put(smem, f.a, la.offset(m, k) / element, A[m * K + k]);
    for (unsigned n = 0; n < f.n; n++)
      put(smem, f.b, (areaA + lb.offset(n, k)) / element, B[n * K + k]);
  }
  unsigned per = 4 / element;
  for (unsigned t = 0; t < 128; t++)
    for (unsigned i = 0; i < 4 * per; i++) {
      unsigned reg = i / per, lane = t % 32, row = t / 32 * 16 + lane / 4 + reg % 2 * 8,
               k = reg / 2 * 4 * per + lane % 4 * per + i % per;
      put(fragments, f.a, t * 4 * per + i, A[row * K + k]);
    }
  bool half = f.d == std::string("f16");
  unsigned nd = half ? f.n / 4 : f.n / 2;
  c.resize(128 * nd * 4);
  auto where = [&](unsigned t, unsigned i, unsigned &row, unsigned &col) { // element i of thread t
    row = t / 32 * 16 + t % 32 / 4 + (i / 2 % 2) * 8;
    col = i / 4 * 8 + t % 4 * 2 + i % 2;
  };
  for (unsigned t = 0; t < 128; t++)
    for (unsigned i = 0; i < f.n / 2; i++) {
      unsigned row, col;
      where(t, i, row, col);
      put(c, f.d, t * f.n / 2 + i, C[row * f.n + col]);
    }
  std::string body = ".extern .shared .align 1024 .b8 dyn[];\n.reg .b32 %x<160>;\nmov.u32 %r0, "
                     "%tid.x; mov.u32 %r1, dyn;\nmov.u32 %r2, %r0;\n"
                     "COPY: shl.b32 %r3, %r2, 4; cvt.u64.u32 %rd8, %r3; add.u64 %rd8, %rd8, %rd0; "
                     "ld.global.v4.u32 {%r4,%r5,%r6,%r7}, [%rd8]; add.u32 %r8, %r1, %r3;\n"
                     "st.shared.v4.u32 [%r8], {%r4,%r5,%r6,%r7}; add.u32 %r2, %r2, 128; "
                     "setp.lt.u32 %p1, %r2, 4096; @%p1 bra COPY;\n"
                     "mul.wide.u32 %rd9, %r0, 16; add.u64 %rd9, %rd9, %rd1; ld.global.v4.u32 "
                     "{%r10,%r11,%r12,%r13}, [%rd9];\n"
                     "mul.wide.u32 %rd10, %r0, " +
                     std::to_string(4 * nd) + "; add.u64 %rd11, %rd10, %rd2;\n";
  std::string list = "{";
  for (unsigned k = 0; k < nd; k++) {
    body += "ld.global.b32 %x" + std::to_string(k) + ", [%rd11+" + std::to_string(4 * k) + "];\n";
    list += (k ? ", %x" : "%x") + std::to_string(k);
  }
  bool transposable = element == 2;
  body += "fence.proxy.async; bar.sync 0; shr.u32 %r20, %r1, 4; cvt.u64.u32 %rd12, %r20; or.b64 "
          "%rd13, %rd12, " +
          std::to_string(la.descriptor()) + "; add.u64 %rd14, %rd12, " +
          std::to_string(areaA / 16) + "; or.b64 %rd14, %rd14, " + std::to_string(lb.descriptor()) +
          ";\nwgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n" + std::to_string(f.n) +
          "k" + std::to_string(K) + "." + f.d + "." + f.a + "." + f.b + " " + list + "}, " +
          (f.registers ? "{%r10,%r11,%r12,%r13}" : "%rd13") + ", %rd14, " +
          (f.accumulate ? "1" : "0") + ", " + std::to_string(f.scaleA) + ", " +
          std::to_string(f.scaleB) +
          (transposable ? (f.registers ? ""
                           : f.kMajorA ? ", 0"
                                       : ", 1") +
                              std::string(f.kMajorB ? ", 0" : ", 1")
                        : "") +
          ";\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; add.u64 %rd11, "
          "%rd10, %rd3;\n";
  for (unsigned k = 0; k < nd; k++)
    body += "st.global.b32 [%rd11+" + std::to_string(4 * k) + "], %x" + std::to_string(k) + ";\n";
  Options options;
  options.race = true;
  std::vector<Finding> findings;
  Bytes d;
  noteTested(body);
  try {
    d = runKernel(wrap(body, 4), {{1, 1, 1}, {128, 1, 1}, 65536}, {smem, fragments, c}, c.size(),
                  options, &findings);
  } catch (const Error &e) {
    ADD_FAILURE() << name << ": " << e.what();
    return;
  }
  for (const Finding &x : findings)
    ADD_FAILURE() << name << ": " << x.message;
  unsigned bad = 0;
  for (unsigned t = 0; t < 128; t++)
    for (unsigned i = 0; i < f.n / 2; i++) {
      unsigned row, col;
      where(t, i, row, col);
      double want = f.accumulate ? C[row * f.n + col] : 0;
      for (unsigned k = 0; k < K; k++)
        want += f.scaleA * f.scaleB * A[row * K + k] * B[col * K + k];
      if (get(d, f.d, t * f.n / 2 + i) != want && bad++ < 3)
        ADD_FAILURE() << name << " row " << row << " column " << col << ": "
                      << get(d, f.d, t * f.n / 2 + i) << ", expected " << want;
    }
}

TEST(Wgmma, LayoutsAndSwizzles) {
  for (unsigned swizzle : {16u, 32u, 64u, 128u})
    for (bool ka : {true, false})
      for (bool kb : {true, false}) {
        checkWgmma({64, "f32", "f16", "f16", swizzle, swizzle, ka, kb, false, 1, 1, true});
        checkWgmma({64, "f32", "bf16", "bf16", swizzle, 128, ka, kb, false, 1, 1, true});
      }
  for (unsigned swizzle : {16u, 32u, 64u, 128u}) {
    checkWgmma({32, "f32", "tf32", "tf32", swizzle, swizzle, true, true, false, 1, 1, true});
    checkWgmma({32, "f32", "e4m3", "e5m2", swizzle, swizzle, true, true, false, 1, 1, true});
  }
}
TEST(Wgmma, EveryWidth) {
  for (unsigned n = 8; n <= 256; n += 8)
    checkWgmma({n, "f32", "f16", "f16", 128, 128, true, true, false, 1, 1, true});
}
TEST(Wgmma, RegistersScalesAndAccumulators) {
  for (const char *t : {"f16", "bf16", "tf32", "e4m3", "e5m2"})
    checkWgmma({48, "f32", t, t, 128, 128, true, true, true, 1, 1, true});
  for (const char *t : {"f16", "e4m3", "e5m2"})
    checkWgmma({48, "f16", t, t, 128, 64, true, true, false, 1, 1, true});
  for (int a : {1, -1})
    for (int b : {1, -1})
      checkWgmma({16, "f32", "f16", "f16", 128, 128, true, true, false, a, b, false});
}

} // namespace
