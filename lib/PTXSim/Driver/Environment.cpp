// Settings of the driver library from environment variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/Environment.h"
#include "lib/PTXSim/Driver/Chips.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace ptxsim {
namespace driver {

namespace {

[[noreturn]] void invalid(const char *name, const std::string &what, const char *text) {
  throw Error(ErrorKind::Argument,
              std::string("expected ") + what + " in " + name + ", but got '" + text + "'");
}

uint64_t number(const char *name, uint64_t fallback, uint64_t least, uint64_t most) {
  const char *text = std::getenv(name);
  if (!text)
    return fallback;
  char *end;
  errno = 0;
  uint64_t value = std::strtoull(text, &end, 10);
  if (!*text || *end || *text == '-' || errno || value < least || value > most)
    invalid(name, "a number of " + std::to_string(least) + " to " + std::to_string(most), text);
  return value;
}

unsigned choice(const char *name, unsigned fallback, std::initializer_list<const char *> words) {
  const char *text = std::getenv(name);
  if (!text)
    return fallback;
  unsigned index = 0;
  std::string list;
  for (const char *word : words) {
    if (!std::strcmp(word, text))
      return index;
    list += (index++ ? ", " : "") + std::string(word);
  }
  invalid(name, "one of " + list, text);
}

/// Parses comma-separated line numbers. Example: PTXSIM_SUPPRESS=12,40.
std::set<uint32_t> lines(const char *name) {
  std::set<uint32_t> result;
  const char *text = std::getenv(name);
  for (const char *at = text; at && *at;) {
    char *end;
    unsigned long line = std::strtoul(at, &end, 10);
    if (end == at || !line || (*end && *end != ','))
      invalid(name, "line numbers such as 12,40", text);
    result.insert(uint32_t(line));
    at = *end ? end + 1 : end;
  }
  return result;
}

unsigned capability() {
  const char *text = std::getenv("PTXSIM_CAPABILITY");
  if (!text)
    return 90;
  std::string list;
  for (const Chip &chip : chips()) {
    std::string name =
        std::to_string(chip.capability / 10) + "." + std::to_string(chip.capability % 10);
    if (name == text)
      return chip.capability;
    list += (list.empty() ? "" : ", ") + name;
  }
  invalid("PTXSIM_CAPABILITY", "one of " + list, text);
}

/// Names of all variables; PTXSIM_EXECUTOR and PTXSIM_FUZZ_RUN are read elsewhere.
constexpr const char *known[] = {
    "PTXSIM_ASYNC",         "PTXSIM_BUDGET",   "PTXSIM_CAPABILITY", "PTXSIM_DEFINEDNESS",
    "PTXSIM_DEVICES",       "PTXSIM_EXECUTOR", "PTXSIM_FUZZ_RUN",   "PTXSIM_LEAKS",
    "PTXSIM_LENIENT_EXITS", "PTXSIM_MEMORY",   "PTXSIM_RACE",       "PTXSIM_REPORT",
    "PTXSIM_SAMPLE",        "PTXSIM_SEED",     "PTXSIM_SM_COUNT",   "PTXSIM_SUPPRESS",
    "PTXSIM_TENSOR",        "PTXSIM_THREADS",  "PTXSIM_VERBOSE",    "PTXSIM_WGMMA"};

/// Rejects unknown PTXSIM_ variables: a misspelt name would silently disable a check.
void refuseUnknown() {
  for (char **entry = environ; *entry; entry++) {
    std::string name(*entry, std::strcspn(*entry, "="));
    if (name.compare(0, 7, "PTXSIM_") == 0 &&
        std::none_of(std::begin(known), std::end(known), [&](const char *k) { return name == k; }))
      throw Error(ErrorKind::Argument,
                  "expected a variable that the README of PTXSim lists, but got " + name);
  }
}

} // namespace

Settings readEnvironment() {
  refuseUnknown();
  Settings s;
  Options &o = s.options;
  o.race = number("PTXSIM_RACE", 0, 0, 1);
  o.strictExits = !number("PTXSIM_LENIENT_EXITS", 0, 0, 1);
  o.suppressedLines = lines("PTXSIM_SUPPRESS");
  o.definedness = number("PTXSIM_DEFINEDNESS", 1, 0, 1);
  o.threads = unsigned(number("PTXSIM_THREADS", 1, 1, 1024));
  o.async = AsyncMode(choice("PTXSIM_ASYNC", 0, {"lazy", "eager", "random"}));
  o.tensor = TensorArithmetic(choice("PTXSIM_TENSOR", 0, {"fma", "volta", "ampere", "hopper"}));
  o.wgmma = WgmmaModel(choice("PTXSIM_WGMMA", 0, {"warpgroup", "warp"}));
  o.seed = number("PTXSIM_SEED", o.seed, 0, UINT64_MAX);
  o.instructionBudget = number("PTXSIM_BUDGET", o.instructionBudget, 1, UINT64_MAX);
  s.capability = capability();
  s.multiprocessors = unsigned(number("PTXSIM_SM_COUNT", 0, 1, 1024));
  s.devices = unsigned(number("PTXSIM_DEVICES", 1, 0, 16));
  s.memory = number("PTXSIM_MEMORY", 0, 1, uint64_t(1) << 40);
  s.leaks = number("PTXSIM_LEAKS", 0, 0, 1);
  if (const char *path = std::getenv("PTXSIM_REPORT"))
    s.report = path;
  s.sample = number("PTXSIM_SAMPLE", 0, 0, 1);
  if (s.sample && s.report.empty())
    throw Error(ErrorKind::Argument, "expected a path in PTXSIM_REPORT beside PTXSIM_SAMPLE");
  o.statistics = !s.report.empty();
  return s;
}

} // namespace driver
} // namespace ptxsim
