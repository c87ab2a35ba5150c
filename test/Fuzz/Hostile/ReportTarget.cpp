// libFuzzer target: JSON reports as compared by `ampc report --diff`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Report/Report.h"
#include "test/Fuzz/Hostile/TextMutator.h"
#include <cstdlib>

using namespace ampc;

const std::vector<std::string> &vocabulary() {
  static const std::vector<std::string> none;
  return none;
}

/// 1: different, 0: equal, -1: an input is no report.
static int compare(llvm::StringRef before, llvm::StringRef after) {
  llvm::Expected<bool> differ =
      report::printDifferences(llvm::nulls(), {"before", before}, {"after", after});
  if (differ)
    return *differ;
  llvm::consumeError(differ.takeError());
  return -1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto [before, after] = text.split('\f');
  compare(before, after);
  if (compare(text, text) == 1)
    std::abort();
  return 0;
}
