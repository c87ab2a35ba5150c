// libFuzzer target: models as text, through the phases up to `precision`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/Bytecode/BytecodeReader.h"
#include "test/Fuzz/Hostile/Compile.h"
#include "test/Fuzz/Hostile/TextMutator.h"

using namespace mlir;
using namespace ampc;

const std::vector<std::string> &vocabulary() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    Compiler compiler;
    compiler.getContext().loadAllAvailableDialects();
    for (RegisteredOperationName name : compiler.getContext().getRegisteredOperations())
      if (name.getDialectNamespace() == "train" || name.getDialectNamespace() == "amp")
        result.push_back(name.getStringRef().str());
    for (const char *type :
         {"f64", "f32", "bf16", "f16", "i64", "i32", "i16", "i8", "i1", "index", "f8E4M3FN"})
      result.push_back(type);
    return result;
  }();
  return names;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (isBytecode(llvm::MemoryBufferRef(text, ""))) // read by MLIR alone
    return 0;
  // What the model says decides on the options, so that each input always takes one way.
  static const std::pair<const char *, const char *> ways[] = {{"bf16", "mincut"},
                                                               {"f16", "autocast"},
                                                               {"bf16", "propagate"},
                                                               {"f32", "mincut"},
                                                               {"f16", "mincut"}};
  auto [precision, policy] = ways[size % std::size(ways)];
  CompileOptions options;
  options.precision = precision;
  options.policy = policy;
  options.explain = size % 2;
  compileQuietly(text, options);
  return 0;
}
