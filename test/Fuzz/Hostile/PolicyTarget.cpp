// libFuzzer target: files of --policy-file. Accepted policies are applied to a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/PolicyTable.h"
#include "mlir-dialects/Train/Train.h"
#include "test/Fuzz/Hostile/Compile.h"
#include "test/Fuzz/Hostile/TextMutator.h"

using namespace mlir;
using namespace ampc;

static MLIRContext &trainContext() {
  static MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<train::TrainDialect>();
  return context;
}

const std::vector<std::string> &vocabulary() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> result = {
        "name",      "*",   "low",  "full", "normalize", "promote", "pass",   "narrow",
        "untouched", "f32", "bf16", "f16",  "tf32",      "fp8",     "hidden", "head"};
    for (RegisteredOperationName name : trainContext().getRegisteredOperations())
      result.push_back(name.stripDialect().str());
    return result;
  }();
  return words;
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  if (!compileQuietly(smallModelText(), {}))
    std::abort();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  PolicyTable table;
  if (llvm::Error error = table.add(text, &trainContext())) {
    llvm::consumeError(std::move(error));
    return 0;
  }
  MemoryFile file(data, size);
  CompileOptions options;
  options.precision = size % 2 ? "bf16" : "f16";
  options.policyFile = file.path();
  compileQuietly(smallModelText(), options);
  return 0;
}
