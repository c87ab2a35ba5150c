// libFuzzer target: files of --precision-profile. Accepted profiles are applied to a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Profile.h"
#include "test/Fuzz/Hostile/Compile.h"
#include "test/Fuzz/Hostile/TextMutator.h"

using namespace ampc;

const std::vector<std::string> &vocabulary() {
  static const std::vector<std::string> none;
  return none;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  if (!compileQuietly(smallModelText(), {}))
    std::abort();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemoryFile file(data, size);
  if (llvm::Expected<Profile> profile = Profile::read(file.path()); !profile) {
    llvm::consumeError(profile.takeError());
    return 0;
  }
  CompileOptions options;
  options.precision = size % 2 ? "bf16" : "f16";
  options.profile = file.path();
  compileQuietly(smallModelText(), options);
  return 0;
}
