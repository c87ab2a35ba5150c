// Loads, stores and atomics of every width, copies in small pieces, addresses and hints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/InstructionHarness.h"
#include <algorithm>
#include <cmath>

using namespace ptxsim;

namespace {

/// Final value of the 64-bit word of %b after updates by 32 lanes, and the value returned to every
/// lane.
struct AtomicRun {
  std::vector<uint64_t> old;
  uint64_t final;
};

/// `op` such as "atom.global.add.u64"; %v is the lane's operand, `start` the value in memory.
AtomicRun atomics(const std::string &op, const std::string &type, uint64_t start,
                  const std::vector<uint64_t> &operands) {
  bool returns = op.substr(0, 4) == "atom", shared = op.find("shared") != std::string::npos;
  std::string reg = "b" + type.substr(type.size() - 2);
  if (type.find("x2") != std::string::npos)
    reg = "b32";
  std::string at = shared ? "[%r3]" : "[%rd1]";
  std::string text = ".reg ." + reg + " %v, %o;\n";
  std::string tested = op + "." + type + (returns ? " %o, " : " ") + at + ", %v;";
  noteTested(tested);
  std::string widen =
      reg == "b64" ? "mov.b64 %rd6, %o;" : "cvt.u64.u" + reg.substr(1) + " %rd6, %o;";
  text +=
      ".shared .align 8 .b64 m;\nmov.u32 %r3, m; mov.u32 %r0, %tid.x; setp.eq.u32 %p0, %r0, 0;\n"
      "mul.wide.u32 %rd4, %r0, 8; add.u64 %rd5, %rd0, %rd4; ld.global." +
      reg +
      " %v, [%rd5];\n"
      "mov.u64 %rd7, " +
      std::to_string(start) +
      ";\n@%p0 st.shared.u64 [%r3], %rd7; @%p0 "
      "st.global.u64 [%rd1], %rd7; bar.sync 0;\n" +
      tested + "\n" + (returns ? widen : "mov.u64 %rd6, 0;") +
      "\nadd.u64 %rd5, %rd1, %rd4; st.global.u64 [%rd5+8], %rd6; bar.sync 0;\n" +
      (shared ? "ld.shared.u64 %rd7, [%r3]; @%p0 st.global.u64 [%rd1], %rd7;\n" : "");
  std::vector<uint8_t> in(8 * 32);
  std::memcpy(in.data(), operands.data(), in.size());
  std::vector<uint8_t> raw = runKernel(wrap(text, 2), {{1, 1, 1}, {32, 1, 1}}, {in}, 8 * 33);
  AtomicRun run;
  run.old.resize(32);
  std::memcpy(&run.final, raw.data(), 8);
  std::memcpy(run.old.data(), &raw[8], 8 * 32);
  return run;
}

TEST(AtomicForms, IntegersOfBothWidths) {
  struct {
    const char *op;
    uint64_t (*f)(uint64_t m, uint64_t b, unsigned bits);
  } ops[] = {
      {"add.u", [](uint64_t m, uint64_t b, unsigned) { return m + b; }},
      {"add.s", [](uint64_t m, uint64_t b, unsigned) { return m + b; }},
      {"min.u", [](uint64_t m, uint64_t b, unsigned) { return std::min(m, b); }},
      {"max.u", [](uint64_t m, uint64_t b, unsigned) { return std::max(m, b); }},
      {"min.s", [](uint64_t m, uint64_t b,
                   unsigned n) { return int64_t(m << (64 - n)) < int64_t(b << (64 - n)) ? m : b; }},
      {"max.s", [](uint64_t m, uint64_t b,
                   unsigned n) { return int64_t(m << (64 - n)) > int64_t(b << (64 - n)) ? m : b; }},
      {"and.b", [](uint64_t m, uint64_t b, unsigned) { return m & b; }},
      {"or.b", [](uint64_t m, uint64_t b, unsigned) { return m | b; }},
      {"xor.b", [](uint64_t m, uint64_t b, unsigned) { return m ^ b; }},
      {"exch.b", [](uint64_t, uint64_t b, unsigned) { return b; }},
      {"inc.u", [](uint64_t m, uint64_t b, unsigned) { return m >= b ? 0 : m + 1; }},
      {"dec.u", [](uint64_t m, uint64_t b, unsigned) { return m == 0 || m > b ? b : m - 1; }}};
  for (auto &o : ops)
    for (unsigned bits : {32u, 64u})
      for (const std::string kind :
           {"atom.global.", "atom.shared.", "red.global.", "red.shared."}) {
        std::string op = o.op, name = op.substr(0, op.size() - 2);
        bool counts = name == "inc" || name == "dec";
        if ((counts && bits == 64) || (kind[0] == 'r' && name == "exch"))
          continue;
        uint64_t mask = bits == 64 ? ~uint64_t(0) : 0xffffffff, m = 0x8000000000000005 & mask;
        std::vector<uint64_t> operands(32);
        for (size_t k = 0; k < 32; k++)
          operands[k] = (bits == 64 ? edge64[k % edge64.size()] : edge32[k % edge32.size()]) & mask;
        std::string type = op.substr(op.size() - 1) + std::to_string(bits);
        AtomicRun got = atomics(kind + name, type, m, operands);
        for (size_t k = 0; k < 32; k++) {
          if (kind[0] == 'a') {
            EXPECT_EQ(got.old[k], m) << kind << name << "." << type << " lane " << k;
          }
          m = o.f(m, operands[k], bits) & mask;
        }
        EXPECT_EQ(got.final & mask, m) << kind << name << "." << type;
      }
}

TEST(AtomicForms, FloatingPointTypes) {
  struct Kind {
    const char *type;
    unsigned bits;
    double (*from)(uint64_t);
    uint64_t (*to)(double);
  };
  const Kind kinds[] = {
      {"f32", 32, [](uint64_t v) { return double(asFloat(v)); },
       [](double x) { return asBits(float(x)); }},
      {"f64", 64, [](uint64_t v) { return asDouble(v); }, [](double x) { return asBits(x); }},
      {"f16", 16, [](uint64_t v) { return fromHalf(uint16_t(v)); },
       [](double x) { return uint64_t(toHalf(x)); }},
      {"bf16", 16, [](uint64_t v) { return fromBfloat(uint16_t(v)); },
       [](double x) { return uint64_t(toBfloat(x)); }},
      {"f16x2", 16, [](uint64_t v) { return fromHalf(uint16_t(v)); },
       [](double x) { return uint64_t(toHalf(x)); }},
      {"bf16x2", 16, [](uint64_t v) { return fromBfloat(uint16_t(v)); },
       [](double x) { return uint64_t(toBfloat(x)); }}};
  for (const Kind &t : kinds)
    for (const std::string name : {"add", "min", "max"})
      for (const std::string kind : {"atom.global.", "atom.shared.", "red.global."}) {
        bool half = t.bits == 16, pair = std::string(t.type).find("x2") != std::string::npos;
        if (name != "add" && !half)
          continue;
        std::vector<uint64_t> operands(32);
        std::vector<double> values(32);
        for (size_t k = 0; k < 32; k++) {
          values[k] = double(int(k * 7 % 13) - 6) / 4;
          operands[k] = t.to(values[k]) | (pair ? t.to(-values[k]) << 16 : 0);
        }
        double m = 1.25, upper = -2.5;
        AtomicRun got = atomics(kind + name + (half ? ".noftz" : ""), t.type,
                                t.to(m) | (pair ? t.to(upper) << 16 : 0), operands);
        auto step = [&](double a, double b) { // small multiples of 1/4: sums are exact
          return name == "add" ? a + b : name == "min" ? std::min(a, b) : std::max(a, b);
        };
        for (size_t k = 0; k < 32; k++) {
          if (kind[0] == 'a') {
            EXPECT_EQ(t.from(got.old[k]), m) << kind << name << "." << t.type << " lane " << k;
          }
          m = step(m, values[k]);
          upper = step(upper, -values[k]);
        }
        EXPECT_EQ(t.from(got.final), m) << kind << name << "." << t.type;
        if (pair) {
          EXPECT_EQ(t.from(got.final >> 16), upper) << kind << name << "." << t.type;
        }
      }
}

TEST(AtomicForms, CompareAndSwap) {
  for (unsigned bits : {16u, 32u, 64u}) {
    // Every lane adds 1, retrying until no other lane has changed the word.
    std::string n = std::to_string(bits), add = bits == 16 ? "u16" : "u" + n;
    std::string text =
        ".reg .b" + n +
        " %o, %w, %g; .reg .pred %q; .shared .align 8 .b64 m;\n"
        "mov.u32 %r3, m; setp.eq.u32 %p0, %l, 0; @%p0 st.shared.u64 [%r3], 0; bar.sync 0;\n"
        "mov.b" +
        n + " %o, 0;\nAGAIN: add." + add + " %w, %o, 1; atom.shared.cas.b" + n +
        " %g, [%r3], %o, %w; setp.ne.b" + n + " %q, %g, %o; mov.b" + n +
        " %o, %g; @%q bra AGAIN;\nbar.sync 0; ld.shared.u32 %d, [%r3];";
    for (uint32_t x : onWarp(text, lanes()))
      EXPECT_EQ(x, 32u) << bits;
  }
}

TEST(AtomicForms, VectorReduction) {
  std::vector<uint32_t> in(32, uint32_t(asBits(1.5f)));
  for (const char *width : {"v2", "v4"}) {
    std::string list = width[1] == '2' ? "{%a, %a}" : "{%a, %a, %a, %a}";
    std::string text =
        "mov.u32 %r1, 0; setp.eq.u32 %p0, %l, 0; @%p0 st.global.v4.u32 [%rd1], {%r1, %r1, "
        "%r1, %r1}; bar.sync 0;\nred.global." +
        std::string(width) + ".f32.add [%rd1], " + list +
        "; bar.sync 0; ld.global.u32 %d, [%rd1+4]; bar.sync 0;";
    for (uint32_t x : onWarp(text, in))
      EXPECT_EQ(asFloat(x), 48.0f);
  }
}

TEST(AtomicForms, Vectors) {
  // 32 lanes update a vector in memory; every lane receives the result of the lanes before.
  struct Form {
    const char *op, *type, *reg;
    unsigned count, bytes;
    double (*f)(double, double);
  };
  auto add = [](double a, double b) { return a + b; };
  auto smaller = [](double a, double b) { return std::min(a, b); };
  auto larger = [](double a, double b) { return std::max(a, b); };
  const Form forms[] = {
      {"add", "f32", "b32", 2, 4, add},           {"add", "f32", "b32", 4, 4, add},
      {"add.noftz", "f16", "b16", 2, 2, add},     {"add.noftz", "f16", "b16", 8, 2, add},
      {"min.noftz", "f16", "b16", 4, 2, smaller}, {"add.noftz", "bf16", "b16", 4, 2, add},
      {"max.noftz", "bf16", "b16", 8, 2, larger}};
  for (const Form &f : forms)
    for (bool returns : {false, true}) {
      bool half = std::string(f.type) == "f16", wide = f.bytes == 4;
      // Sums of bf16 stay exact up to 256: there every lane adds the same.
      bool same = std::string(f.type) == "bf16" && f.f(1, 1) == 2;
      std::string n = std::to_string(f.count), values = "{", olds = "{", text;
      text = ".reg ." + std::string(f.reg) + " %v<8>, %o<8>;\n.reg .f32 %x;\n";
      for (unsigned k = 0; k < f.count; k++) {
        std::string v = "%v" + std::to_string(k);
        text += "add.u32 %r5, " + std::string(same ? "1" : "%l") + ", " + std::to_string(k) +
                "; cvt.rn.f32.u32 %x, %r5; " +
                (wide ? "mov.b32 " + v + ", %x;\n"
                      : "cvt.rn." + std::string(f.type) + ".f32 " + v + ", %x;\n");
        values += (k ? ", " : "") + v;
        olds += (k ? ", %o" : "%o") + std::to_string(k);
      }
      std::string instruction = std::string(returns ? "atom" : "red") + ".global." + f.op + ".v" +
                                n + "." + f.type + " " + (returns ? olds + "}, " : "") +
                                "[%rd1], " + values + "};";
      noteTested(instruction);
      // Results are compared as f32: 8 words per lane behind the vector.
      text += instruction + "\nmul.wide.u32 %rd4, %l, 32; add.u64 %rd5, %rd1, %rd4;\n";
      for (unsigned k = 0; returns && k < f.count; k++) {
        std::string o = "%o" + std::to_string(k);
        text +=
            wide ? "mov.b32 %x, " + o + ";" : "cvt.f32." + std::string(f.type) + " %x, " + o + ";";
        text += " st.global.f32 [%rd5+" + std::to_string(32 + 4 * k) + "], %x;\n";
      }
      std::string body = ".reg .b32 %l;\nmov.u32 %l, %tid.x; setp.eq.u32 %p0, %l, 0; mov.u64 "
                         "%rd6, 0;\n";
      for (unsigned k = 0; k < 32; k += 8)
        body += "@%p0 st.global.u64 [%rd1+" + std::to_string(k) + "], %rd6;\n";
      body += "bar.sync 0;\n" + text;
      std::vector<uint8_t> raw =
          runKernel(wrap(body, 2), {{1, 1, 1}, {32, 1, 1}}, {{0}}, 32 + 32 * 32);
      for (unsigned k = 0; k < f.count; k++) {
        double m = 0;
        for (unsigned l = 0; l < 32; l++) {
          float old;
          std::memcpy(&old, &raw[32 + 32 * l + 4 * k], 4);
          if (returns)
            EXPECT_EQ(double(old), m) << instruction << " lane " << l;
          m = f.f(m, (same ? 1 : l) + k);
        }
        uint32_t bits = 0;
        std::memcpy(&bits, &raw[f.bytes * k], f.bytes);
        _Float16 narrow;
        std::memcpy(&narrow, &bits, 2);
        double final = half ? double(narrow) : asFloat(wide ? bits : bits << 16);
        EXPECT_EQ(final, m) << instruction << " element " << k;
      }
    }
}

TEST(MemoryForms, CachePolicies) {
  std::vector<uint32_t> in = lanes();
  std::vector<uint32_t> got = onWarp(
      "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd7, 0.5; "
      "createpolicy.fractional.L2::evict_first.b64 %rd6; createpolicy.range.global.L2::evict_last."
      "b64 %rd5, [%rd0], 16, 32;\nmov.u32 %r9, 5; red.global.add.L2::cache_hint.u32 [%rd10], %r9, "
      "%rd7; ld.global.L2::cache_hint.u32 %d, [%rd10], %rd6; st.global.L2::cache_hint.u32 [%rd10], "
      "%d, %rd5;",
      in);
  for (size_t l = 0; l < 32; l++)
    EXPECT_EQ(got[l], in[l] + 5);
}

TEST(MemoryForms, VectorsAndWidths) {
  // A store of each shape is read back as bytes, and the other way round.
  struct {
    const char *vector;
    unsigned count;
  } vectors[] = {{"", 1}, {".v2", 2}, {".v4", 4}, {".v8", 8}};
  for (auto &v : vectors)
    for (unsigned bits : {8u, 16u, 32u, 64u})
      for (const std::string space : {"global", "shared", "local", ""}) {
        if (v.count * bits > (v.count == 8 ? 256u : 128u) || (v.count == 8 && bits != 32))
          continue;
        std::string n = std::to_string(bits), reg = bits == 8 ? "b16" : "b" + n;
        std::string list, bytes = std::to_string(v.count * bits / 8);
        for (unsigned k = 0; k < v.count; k++)
          list += (k ? ", %w" : "%w") + std::to_string(k);
        list = v.count == 1 ? list : "{" + list + "}";
        std::string dot = space.empty() ? "" : "." + space;
        std::string base = space == "global" || space.empty() ? "%rd8" : "%rd7";
        std::string text = ".reg ." + reg +
                           " %w<8>; .shared .align 32 .b8 s[1024]; .local .align 32 .b8 t[32];\n"
                           "mul.wide.u32 %rd9, %l, 32; add.u64 %rd8, %rd1, %rd9; mov.u64 %rd7, " +
                           (space == "local" ? "t" : "s; add.u64 %rd7, %rd7, %rd9") + ";\n";
        for (unsigned k = 0; k < v.count; k++) {
          std::string value = std::to_string(bits == 8 ? 0x91 + k : 0x8182 + 257 * k);
          text += "mov." + std::string(bits == 8 ? "b16" : reg) + " %w" + std::to_string(k) + ", " +
                  value + ";\n";
        }
        text +=
            "st" + dot + v.vector + ".b" + n + " [" + base + "], " + list + ";\nmov.u32 %r1, 0;\n";
        // Hash of all bytes, byte by byte: h -> 31 h + byte.
        for (unsigned k = 0; k < v.count * bits / 8; k++)
          text += "ld" + dot + ".u8 %r2, [" + base + "+" + std::to_string(k) +
                  "]; mad.lo.u32 %r1, %r1, 31, %r2;\n";
        // Reads back in the form of the write.
        text +=
            "ld" + dot + v.vector + ".b" + n + " " + list + ", [" + base + "];\nmov.u32 %r3, 0;\n";
        for (unsigned k = 0; k < v.count; k++)
          text += "{ .reg .b32 x; cvt.u32.u" + std::string(bits == 8 ? "16" : n) + " x, %w" +
                  std::to_string(k) + "; mad.lo.u32 %r3, %r3, 7, x; }\n";
        text += "mad.lo.u32 %d, %r1, 65537, %r3; bar.sync 0;";
        uint32_t hash = 0, sum = 0;
        for (unsigned k = 0; k < v.count; k++) {
          uint64_t value = bits == 8 ? 0x91 + k : 0x8182 + 257 * k;
          for (unsigned b = 0; b < bits / 8; b++)
            hash = hash * 31 + uint32_t(value >> (8 * b) & 255);
          sum = sum * 7 + uint32_t(value);
        }
        std::string body =
            ".reg .b32 %d, %l;\nmov.u32 %l, %tid.x;\n" + text + "\nst.global.u32 [%rd8], %d;\n";
        noteTested(text);
        std::vector<uint8_t> raw =
            runKernel(wrap(body, 2, "sm_100a"), {{1, 1, 1}, {32, 1, 1}}, {{0}}, 1024);
        for (unsigned l = 0; l < 32; l++) {
          uint32_t got;
          std::memcpy(&got, &raw[32 * l], 4);
          EXPECT_EQ(got, hash * 65537 + sum) << space << v.vector << ".b" << bits << " lane " << l;
        }
      }
}

TEST(MemoryForms, CopiesWithSourceSizes) {
  // cp.async: bytes behind the source size are zeros; ignore-src copies only zeros.
  std::vector<uint32_t> in = lanes(128);
  for (unsigned size : {4u, 8u, 16u})
    for (unsigned take : {0u, 4u, size}) {
      std::string text =
          ".shared .align 16 .b8 s[512]; mov.u32 %r1, s; mov.u32 %r2, " + std::to_string(take) +
          "; mad.lo.u32 %r1, %l, 16, %r1; setp.lt.u32 %p0, %l, 3; cp.async." +
          (size == 16 ? "cg" : "ca") + ".shared.global [%r1], [%rd0], " + std::to_string(size) +
          ", %r2; cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %d, [%r1+" +
          std::to_string(size - 4) + "];";
      for (uint32_t x : onWarp(text, in))
        EXPECT_EQ(x, take < size ? 0 : in[size / 4 - 1]) << size << " " << take;
    }
  std::vector<uint32_t> got = onWarp(
      ".shared .align 16 .b8 s[512]; mov.u32 %r1, s; mad.lo.u32 %r1, %l, 16, %r1; setp.lt.u32 %p0, "
      "%l, 3; cp.async.ca.shared.global [%r1], [%rd0], 4, %p0; cp.async.wait_all; ld.shared.u32 "
      "%d, [%r1];",
      std::vector<uint32_t>(32, 77));
  for (unsigned l = 0; l < 32; l++)
    EXPECT_EQ(got[l], l < 3 ? 0u : 77u);
}

TEST(MemoryForms, AddressesAndHints) {
  std::vector<uint32_t> in = lanes();
  // Windows: an address goes to the generic space and back unchanged, and is known there.
  for (const std::string space : {"shared", "local", "global", "const"}) {
    std::string at = space == "global" ? "%rd0" : "%rd3";
    std::string text = ".shared .align 8 .b64 s; .local .align 8 .b64 l;\n" +
                       (space == "shared"  ? std::string("mov.u64 %rd3, s;")
                        : space == "local" ? "mov.u64 %rd3, l;"
                                           : "mov.u64 %rd3, %rd0;") +
                       " cvta." + space + ".u64 %rd4, " + at + "; cvta.to." + space +
                       ".u64 %rd5, %rd4; setp.eq.u64 %p1, %rd5, " + at +
                       "; selp.u32 %d, 1, 0, %p1; isspacep." +
                       (space == "const" ? "global" : space) +
                       " %p2, %rd4; selp.u32 %r1, 2, 0, %p2; or.b32 %d, %d, %r1;";
    for (uint32_t x : onWarp(text, in))
      EXPECT_EQ(x, 3u) << space;
  }
  // Instructions on caches, time or registers change nothing.
  for (const char *hint :
       {"prefetch.global.L2 [%rd0];", "prefetchu.L1 [%rd0];",
        "applypriority.global.L2::evict_normal [%rd0], 128;", "membar.gl;", "membar.cta;",
        "membar.sys;", "fence.acq_rel.gpu;", "fence.sc.cta;", "nanosleep.u32 20;",
        "griddepcontrol.launch_dependents; griddepcontrol.wait;", "pmevent 3;", "brkpt;",
        "setmaxnreg.inc.sync.aligned.u32 64;", "barrier.sync 0;", "bar.sync 0;"}) {
    std::vector<uint32_t> got = onWarp(std::string(hint) + " mov.u32 %d, %a;", in);
    EXPECT_EQ(got, in) << hint;
  }
  EXPECT_EQ(onWarp("ldu.global.u32 %d, [%rd10];", in), in);
  // Half of the lanes leave early; the result of the rest stays.
  std::vector<uint32_t> got =
      onWarp("mov.u32 %d, 5; add.u64 %rd11, %rd1, %rd9; st.global.u32 [%rd11], %d; "
             "setp.lt.u32 %p1, %l, 16; @%p1 exit; mov.u32 %d, 6;",
             in);
  for (unsigned l = 0; l < 32; l++)
    EXPECT_EQ(got[l], l < 16 ? 5u : 6u);
  noteTested("ret;"); // ends every kernel here
}

TEST(MemoryForms, DistributedShared) {
  // Each block of a cluster of two writes into the other block: by st, and by st.async with the
  // other block's mbarrier.
  const char *const ways[] = {
      "st.shared::cluster.u32 [%r3], %r6; barrier.cluster.arrive; barrier.cluster.wait;",
      "cvta.shared.u64 %rd7, %r20; mapa.u64 %rd6, %rd7, %r5; st.u32 [%rd6], %r6; "
      "barrier.cluster.arrive; barrier.cluster.wait;",
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r3], %r6, [%r4];\n"
      "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra W;"};
  for (const char *way : ways) {
    std::string body =
        ".shared .align 8 .b32 s[32]; .shared .align 8 .b64 bar;\nmov.u32 %r0, %tid.x; mov.u32 "
        "%r1, s; mad.lo.u32 "
        "%r20, %r0, 4, %r1; mov.u32 %r2, bar; mov.u32 %r7, %cluster_ctarank; xor.b32 %r5, %r7, 1; "
        "setp.eq.u32 %p1, %r0, 0;\n"
        "@%p1 mbarrier.init.shared::cta.b64 [%r2], 1; @%p1 "
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;\n"
        "fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;\n"
        "mapa.shared::cluster.u32 %r3, %r20, %r5; mapa.shared::cluster.u32 %r4, %r2, %r5;\n"
        "getctarank.shared::cluster.u32 %r8, %r3; mad.lo.u32 %r6, %r7, 100, %r0;\n";
    // 64-bit shared addresses come from a 64-bit register.
    std::string text = way;
    size_t cvta = text.find("cvta.shared.u64 %rd7, %r20;");
    if (cvta != std::string::npos)
      text.replace(cvta, 27, "cvt.u64.u32 %rd7, %r20; cvta.shared.u64 %rd7, %rd7;");
    body += text + "\nbarrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 %r9, [%r20]; "
                   "mad.lo.u32 %r9, %r8, 1000, %r9;\n"
                   "mad.lo.u32 %r10, %r7, 32, %r0; mul.wide.u32 %rd8, %r10, 4; add.u64 %rd8, %rd8, "
                   "%rd1; st.global.u32 [%rd8], %r9;\n";
    noteTested(body);
    LaunchConfig config{{2, 1, 1}, {32, 1, 1}};
    config.cluster = {2, 1, 1};
    std::vector<uint8_t> raw = runKernel(wrap(body, 2), config, {{0}}, 256);
    for (uint32_t k = 0; k < 64; k++) {
      uint32_t got, other = k < 32 ? 1 : 0;
      std::memcpy(&got, &raw[4 * k], 4);
      EXPECT_EQ(got, 1000 * other + 100 * other + k % 32) << way << " " << k;
    }
  }
}

TEST(MemoryForms, MoveMatrix) {
  std::vector<uint32_t> in(32);
  for (uint32_t l = 0; l < 32; l++) // lane l holds row l / 4, columns 2 * (l % 4) and the next
    in[l] = (l / 4 * 8 + l % 4 * 2) | (l / 4 * 8 + l % 4 * 2 + 1) << 16;
  std::vector<uint32_t> got = onWarp("movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;", in);
  for (uint32_t l = 0; l < 32; l++)
    EXPECT_EQ(got[l], (l % 4 * 2 * 8 + l / 4) | ((l % 4 * 2 + 1) * 8 + l / 4) << 16);
}

TEST(MemoryForms, PackAndUnpack) {
  check({"mov.b64 %d, {%a, %b};", "b64", {"b32", "b32"}}, combinations(edge32, 2),
        [](uint64_t a, uint64_t b, uint64_t) { return a | b << 32; });
  check({"mov.b32 %d, {%a, %b};", "b32", {"b16", "b16"}}, combinations(edge16, 2),
        [](uint64_t a, uint64_t b, uint64_t) { return a | b << 16; });
  check({"{ .reg .b16 x, y, z; mov.b64 {x, y, z, %d}, %a; }", "b16", {"b64"}},
        combinations(edge64, 1), [](uint64_t a, uint64_t, uint64_t) { return a >> 48; });
  check({"mov.b64 {_, %d}, %a;", "b32", {"b64"}}, combinations(edge64, 1),
        [](uint64_t a, uint64_t, uint64_t) { return a >> 32; });
}

TEST(WarpForms, Redux) {
  // f32: .abs compares magnitudes, .NaN lets a NaN win.
  std::vector<float> values(32);
  for (size_t k = 0; k < 32; k++)
    values[k] = float(int(k * 11 % 32) - 15) * 0.5f;
  for (bool maximum : {false, true})
    for (bool abs : {false, true})
      for (bool nan : {false, true})
        for (unsigned nans : {0u, 1u, 32u}) {
          std::vector<uint32_t> in(32);
          float want = NAN;
          for (unsigned k = 0; k < 32; k++) {
            float v = k < nans ? NAN : abs ? std::fabs(values[k]) : values[k];
            in[k] = k < nans ? 0x7fc00001u : uint32_t(asBits(values[k]));
            if (v == v)
              want = want != want ? v : maximum ? std::max(want, v) : std::min(want, v);
          }
          if (nan && nans)
            want = NAN;
          std::string text = std::string("redux.sync.") + (maximum ? "max" : "min") +
                             (abs ? ".abs" : "") + (nan ? ".NaN" : "") + ".f32 %d, %a, -1;";
          for (uint32_t x : onWarp(text, in))
            EXPECT_EQ(x, want != want ? 0x7fffffffu : uint32_t(asBits(want)))
                << text << " " << nans;
        }
  // A single lane still takes the magnitude.
  std::vector<uint32_t> in(32, uint32_t(asBits(-2.0f)));
  std::vector<uint32_t> got =
      onWarp("mov.u32 %d, 0; setp.eq.u32 %p1, %l, 5; @%p1 redux.sync.max.abs.f32 %d, %a, 32;", in);
  EXPECT_EQ(got[5], uint32_t(asBits(2.0f)));
}

TEST(WarpForms, MatchSixtyFourBits) {
  std::vector<uint32_t> in(32);
  for (uint32_t l = 0; l < 32; l++)
    in[l] = l % 3;
  std::vector<uint32_t> got = onWarp("{ .reg .b64 w; mov.b64 w, {%l, %a}; and.b64 w, w, "
                                     "-4294967296; match.any.sync.b64 %d, w, -1; }",
                                     in);
  for (uint32_t l = 0; l < 32; l++) {
    uint32_t want = 0;
    for (uint32_t k = 0; k < 32; k++)
      want |= uint32_t(in[k] == in[l]) << k;
    EXPECT_EQ(got[l], want);
  }
}

} // namespace
