// Minimum .target and .version of every instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source: the PTX ISA, per instruction ("Target ISA Notes", "PTX ISA Notes"). Where ptxas is
// installed, test/PTXSim/target-check.py confirms the tables below.
#include "lib/PTXSim/Decode/Targets.h"
#include <algorithm>

namespace ptxsim {

namespace {

constexpr unsigned newestVersion = 90;

struct KnownTarget {
  unsigned number, version, versionOfA, versionOfF; ///< 0: no such variant
};
constexpr KnownTarget targets[] = {
    {50, 40, 0, 0},    {52, 41, 0, 0},    {53, 42, 0, 0},    {60, 50, 0, 0},    {61, 50, 0, 0},
    {62, 50, 0, 0},    {70, 60, 0, 0},    {72, 61, 0, 0},    {75, 63, 0, 0},    {80, 70, 0, 0},
    {86, 71, 0, 0},    {87, 74, 0, 0},    {88, 90, 0, 0},    {89, 78, 0, 0},    {90, 78, 80, 0},
    {100, 86, 86, 88}, {103, 88, 88, 88}, {110, 90, 90, 90}, {120, 87, 87, 88}, {121, 88, 88, 88},
};

constexpr unsigned versions[] = {40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73,
                                 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

enum Arch : uint8_t {
  Any,        ///< the target or any later target
  Exactly90a, ///< wgmma exists on that chip only
  A90OrLater, ///< sm_90a, or the 'a' or 'f' variant of sm_100 and later
  A100        ///< the 'a' or 'f' variant of sm_100 and later
};

/// Every word of `words` must be among the modifiers; "a.b" means neighbours. A trailing '*'
/// matches one more character, a leading '!' forbids the word.
struct Row {
  const char *base, *words;
  unsigned target, version;
  Arch arch = Any;
};
constexpr Row rows[] = {
    {"wgmma", "", 90, 80, Exactly90a},
    {"setmaxnreg", "", 90, 80, A90OrLater},
    {"tensormap", "", 90, 83, A90OrLater},
    {"tcgen05", "", 100, 86, A100},
    {"mbarrier", "", 80, 70},
    {"mbarrier", "try_wait", 90, 78},
    {"mbarrier", "expect_tx", 90, 80},
    {"mbarrier", "complete_tx", 90, 80},
    {"mbarrier", "cluster", 90, 80},
    {"mbarrier", "shared::cluster", 90, 80},
    {"mbarrier", "relaxed", 90, 80},
    {"cp", "async", 80, 70},
    {"cp", "async bulk", 90, 80},
    {"cp", "L2::cache_hint", 80, 74},
    {"st", "async", 90, 81},
    {"red", "async", 90, 81},
    {"multimem", "", 90, 81},
    {"barrier", "cluster", 90, 78},
    {"mapa", "", 90, 78},
    {"getctarank", "", 90, 78},
    {"elect", "", 90, 80},
    {"griddepcontrol", "", 90, 78},
    {"fence", "", 70, 60},
    {"fence", "proxy alias", 70, 75},
    {"fence", "proxy async", 90, 80},
    {"fence", "mbarrier_init", 90, 80},
    {"fence", "cluster", 90, 78},
    {"ldmatrix", "", 75, 65},
    {"ldmatrix", "m16n16", 100, 86, A100},
    {"ldmatrix", "m8n16", 100, 86, A100},
    {"stmatrix", "", 90, 78},
    {"stmatrix", "m16n8", 100, 86, A100},
    {"movmatrix", "", 75, 78},
    {"wmma", "", 70, 60},
    {"mma", "", 70, 64},
    {"mma", "m16n8k8 f16", 75, 65},
    {"mma", "m8n8k16", 75, 65},
    {"mma", "m8n8k32", 75, 65},
    {"mma", "m16n8k16", 80, 70},
    {"mma", "m16n8k32", 80, 70},
    {"mma", "bf16", 80, 70},
    {"mma", "tf32", 80, 70},
    {"mma", "f64", 80, 70},
    {"mma", "m16n8k4 f64", 90, 78},
    {"mma", "m16n8k8 f64", 90, 78},
    {"mma", "m16n8k16 f64", 90, 78},
    {"mma", "e4m3", 89, 84},
    {"mma", "e5m2", 89, 84},
    {"mma", "m16n8k16 e4m3", 89, 87},
    {"mma", "m16n8k16 e5m2", 89, 87},
    {"mma", "f16 e4m3", 89, 87},
    {"mma", "f16 e5m2", 89, 87},
    {"mma", "sp", 80, 71},
    {"redux", "", 80, 70},
    {"redux", "f32", 100, 86, A100},
    {"match", "", 70, 60},
    {"nanosleep", "", 70, 63},
    {"activemask", "", 50, 62},
    {"bmsk", "", 70, 76},
    {"szext", "", 70, 76},
    {"fns", "", 50, 60},
    {"dp4a", "", 61, 50},
    {"dp2a", "", 61, 50},
    {"shfl", "sync", 50, 60},
    {"vote", "sync", 50, 60},
    {"bar", "warp", 50, 60},
    {"createpolicy", "", 80, 74},
    {"discard", "", 80, 74},
    {"applypriority", "", 80, 74},
    {"prefetch", "tensormap", 90, 80},
    {"tanh", "", 75, 70},
    {"tanh", "bf16", 90, 78},
    {"tanh", "bf16x2", 90, 78},
    {"ex2", "f16", 75, 70},
    {"ex2", "f16x2", 75, 70},
    {"ex2", "bf16", 90, 78},
    {"ex2", "bf16x2", 90, 78},
    {"add", "f16", 53, 42},
    {"sub", "f16", 53, 42},
    {"mul", "f16", 53, 42},
    {"fma", "f16", 53, 42},
    {"add", "f16x2", 53, 42},
    {"sub", "f16x2", 53, 42},
    {"mul", "f16x2", 53, 42},
    {"fma", "f16x2", 53, 42},
    {"add", "bf16", 90, 78},
    {"sub", "bf16", 90, 78},
    {"mul", "bf16", 90, 78},
    {"add", "bf16x2", 90, 78},
    {"sub", "bf16x2", 90, 78},
    {"mul", "bf16x2", 90, 78},
    {"fma", "bf16", 80, 70},
    {"fma", "bf16x2", 80, 70},
    {"fma", "relu", 80, 70},
    {"add", "f32x2", 100, 86},
    {"sub", "f32x2", 100, 86},
    {"mul", "f32x2", 100, 86},
    {"fma", "f32x2", 100, 86},
    {"min", "f16", 80, 70},
    {"max", "f16", 80, 70},
    {"min", "f16x2", 80, 70},
    {"max", "f16x2", 80, 70},
    {"min", "bf16", 80, 70},
    {"max", "bf16", 80, 70},
    {"min", "bf16x2", 80, 70},
    {"max", "bf16x2", 80, 70},
    {"min", "NaN", 80, 70},
    {"max", "NaN", 80, 70},
    {"min", "xorsign", 86, 72},
    {"max", "xorsign", 86, 72},
    {"neg", "bf16", 80, 70},
    {"abs", "bf16", 80, 70},
    {"neg", "bf16x2", 80, 70},
    {"abs", "bf16x2", 80, 70},
    {"setp", "bf16", 90, 78},
    {"setp", "bf16x2", 90, 78},
    {"set", "bf16", 90, 78},
    {"set", "bf16x2", 90, 78},
    {"cvt", "bf16.f32", 80, 70},
    {"cvt", "f32.bf16", 80, 71},
    {"cvt", "bf16 !f32", 90, 78},
    {"cvt", "f16x2", 80, 70},
    {"cvt", "bf16x2", 80, 70},
    {"cvt", "relu", 80, 70},
    {"cvt", "tf32", 80, 70},
    {"cvt", "rn tf32", 90, 78},
    {"cvt", "e4m3x2", 89, 81},
    {"cvt", "e5m2x2", 89, 81},
    {"atom", "f64 add", 60, 50},
    {"red", "f64 add", 60, 50},
    {"atom", "f16x2 !v2 !v4 !v8", 60, 62},
    {"red", "f16x2 !v2 !v4 !v8", 60, 62},
    {"atom", "f16", 70, 63},
    {"red", "f16", 70, 63},
    {"atom", "bf16", 90, 78},
    {"red", "bf16", 90, 78},
    {"atom", "bf16x2", 90, 78},
    {"red", "bf16x2", 90, 78},
    {"atom", "b16", 70, 63},
    {"atom", "b128", 90, 83},
    {"atom", "v*", 90, 81},
    {"red", "v*", 90, 81},
    {"ld", "b128", 70, 83},
    {"st", "b128", 70, 83},
    {"ld", "v8", 100, 88},
    {"st", "v8", 100, 88},
    {"ld", "v4 b64", 100, 88},
    {"st", "v4 b64", 100, 88},
    {"ld", "shared::cluster", 90, 78},
    {"st", "shared::cluster", 90, 78},
    {"atom", "shared::cluster", 90, 78},
    {"red", "shared::cluster", 90, 78},
    {"cvta", "shared::cluster", 90, 78},
    {"isspacep", "shared::cluster", 90, 78},
    {"ld", "L2::cache_hint", 80, 74},
    {"st", "L2::cache_hint", 80, 74},
    {"ld", "L2::128B", 75, 74},
    {"ld", "L2::256B", 80, 74},
    {"ld", "L1::evict_first", 70, 74},
    {"ld", "L1::evict_last", 70, 74},
    {"ld", "L1::no_allocate", 70, 74},
    {"ld", "cluster", 90, 78},
    {"st", "cluster", 90, 78},
    {"atom", "cluster", 90, 78},
    {"red", "cluster", 90, 78},
    {"ld", "relaxed", 70, 60},
    {"ld", "acquire", 70, 60},
    {"st", "relaxed", 70, 60},
    {"st", "release", 70, 60},
    {"atom", "acq_rel", 70, 60},
    {"atom", "acquire", 70, 60},
    {"atom", "release", 70, 60},
    // Directives and special registers
    {".reqnctapercluster", "", 90, 78},
    {".maxclusterrank", "", 90, 78},
    {".explicitcluster", "", 90, 78},
    {"%cluster_ctarank", "", 90, 78},
    {"%cluster_nctarank", "", 90, 78},
    {"%is_explicit_cluster", "", 90, 78},
};

bool matches(std::string_view word, const std::vector<std::string_view> &modifiers) {
  bool forbids = word[0] == '!', prefix = word.back() == '*';
  if (forbids)
    word.remove_prefix(1);
  if (prefix)
    word.remove_suffix(1);
  size_t dot = word.find('.');
  std::string_view first = word.substr(0, dot);
  bool found = false;
  for (size_t k = 0; k < modifiers.size(); k++) {
    std::string_view m = modifiers[k];
    bool here =
        prefix ? m.size() == word.size() + 1 && m.substr(0, word.size()) == word : m == first;
    if (dot != word.npos)
      here &= k + 1 < modifiers.size() && modifiers[k + 1] == word.substr(dot + 1);
    found |= here;
  }
  return found != forbids;
}

bool matches(const Row &row, const std::vector<std::string_view> &modifiers) {
  std::string_view words = row.words;
  while (!words.empty()) {
    size_t space = std::min(words.find(' '), words.size());
    if (!matches(words.substr(0, space), modifiers))
      return false;
    words.remove_prefix(std::min(space + 1, words.size()));
  }
  return true;
}

std::string versionText(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

std::string missing(const ModuleImpl &module, const Row &row) {
  TargetChip have = parseTarget(module.target);
  std::string needs;
  bool specific = have.suffix != 0;
  switch (row.arch) {
  case Any:
    if (have.number < row.target)
      needs = "sm_" + std::to_string(row.target) + " or later";
    break;
  case Exactly90a:
    if (have.number != 90 || have.suffix != 'a')
      needs = "sm_90a";
    break;
  case A90OrLater:
    if (!specific)
      needs = "sm_90a, or the 'a' variant of sm_100 or later";
    break;
  case A100:
    if (!specific || have.number < 100)
      needs = "the 'a' variant of sm_100 or later";
    break;
  }
  if (!needs.empty())
    return "needs .target " + needs + ", but got " + module.target;
  if (module.version < row.version)
    return "needs .version " + versionText(row.version) + " or later, but got " +
           versionText(module.version);
  return "";
}

} // namespace

TargetChip parseTarget(std::string_view word) {
  TargetChip result;
  if (word.substr(0, 3) != "sm_" || word.size() < 5)
    return result;
  word.remove_prefix(3);
  if (word.back() == 'a' || word.back() == 'f') {
    result.suffix = word.back();
    word.remove_suffix(1);
  }
  unsigned number = 0;
  for (char c : word.substr(0, 4)) {
    if (c < '0' || c > '9')
      return TargetChip();
    number = number * 10 + unsigned(c - '0');
  }
  for (const KnownTarget &t : targets)
    if (t.number == number && (result.suffix == 'a'   ? t.versionOfA
                               : result.suffix == 'f' ? t.versionOfF
                                                      : t.version))
      result.number = number;
  return result;
}

void checkVersionAndTarget(const ModuleImpl &module) {
  auto error = [](const std::string &message, Location loc) {
    throw Error(ErrorKind::Syntax,
                std::to_string(loc.line) + ":" + std::to_string(loc.column) + ": " + message,
                loc.line, loc.column);
  };
  if (!std::count(std::begin(versions), std::end(versions), module.version))
    error("expected a .version of 4.0 to " + versionText(newestVersion) + ", but got " +
              versionText(module.version),
          module.versionLoc);
  TargetChip have = parseTarget(module.target);
  if (!have.number)
    error("expected a .target such as sm_80 or sm_90a, but got " +
              (module.target.empty() ? "none" : "'" + module.target + "'"),
          module.targetLoc);
  for (const KnownTarget &t : targets) {
    unsigned needs = have.suffix == 'a' ? t.versionOfA : have.suffix ? t.versionOfF : t.version;
    if (t.number == have.number && module.version < needs)
      error(".target " + module.target + " needs .version " + versionText(needs) +
                " or later, but got " + versionText(module.version),
            module.targetLoc);
  }
}

std::string missingFeature(const ModuleImpl &module, std::string_view base,
                           const std::vector<std::string_view> &modifiers) {
  for (const Row &row : rows)
    if (base == row.base && matches(row, modifiers)) {
      std::string text = missing(module, row);
      if (!text.empty())
        return text;
    }
  return "";
}

std::string missingFeature(const ModuleImpl &module, std::string_view name) {
  return missingFeature(module, name, {});
}

} // namespace ptxsim
