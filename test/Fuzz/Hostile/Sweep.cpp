// Every bit and every length of a file, by the function of a libFuzzer target: sweep-TARGET
// FILE [SHARE/SHARES]
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer mutates randomly until a time limit; a sweep is complete for a file, needs neither
// libFuzzer nor sanitizers, and so runs in every build. Share 2/10 has inputs 2, 12, 22, ...
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

/// Seconds until an input counts as an endless loop: each takes milliseconds.
static constexpr unsigned limit = 60;

/// Words of the current input, which a handler of signals prints.
static char current[256];

static void nameInput(int signal) {
  for (const char *rest = current; *rest;)
    rest += write(STDERR_FILENO, rest, 1) == 1;
  std::signal(signal, SIG_DFL);
  raise(signal);
}

namespace {
class Sweep {
public:
  Sweep(std::string whole, size_t share, size_t shares)
      : whole(std::move(whole)), share(share), shares(shares) {}

  /// The number of inputs.
  size_t run() {
    size_t inputs = 0;
    for (size_t number = share; number < 9 * whole.size(); number += shares, ++inputs)
      number < whole.size() ? tryLength(number) : tryBit(number - whole.size());
    return inputs;
  }

private:
  void tryLength(size_t length) {
    std::snprintf(current, sizeof current, "at the first %zu bytes\n", length);
    tryOne(whole.substr(0, length));
  }
  void tryBit(size_t bit) {
    std::snprintf(current, sizeof current, "at bit %zu of byte %zu\n", bit % 8, bit / 8);
    std::string flipped = whole;
    flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << bit % 8));
    tryOne(flipped);
  }
  static void tryOne(const std::string &input) {
    alarm(limit);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(input.data()), input.size());
  }

  std::string whole;
  size_t share, shares;
};
} // namespace

int main(int argc, char **argv) {
  size_t share = 0, shares = 1;
  if (argc < 2 ||
      (argc > 2 && (std::sscanf(argv[2], "%zu/%zu", &share, &shares) != 2 || !shares))) {
    std::fprintf(stderr, "usage: %s FILE [SHARE/SHARES]\n", argv[0]);
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::string whole{std::istreambuf_iterator<char>(file), {}};
  if (whole.empty()) {
    std::fprintf(stderr, "%s: expected a file with content\n", argv[1]);
    return 2;
  }
  if (LLVMFuzzerInitialize)
    LLVMFuzzerInitialize(&argc, &argv);
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM})
    std::signal(signal, nameInput);
  size_t inputs = Sweep(std::move(whole), share, shares).run();
  std::printf("%zu inputs of %s, none crashed\n", inputs, argv[1]);
  return 0;
}
