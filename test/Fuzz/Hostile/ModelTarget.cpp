// libFuzzer target: models as text, through the phases up to `precision`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/Bytecode/BytecodeReader.h"
#include "test/Fuzz/Hostile/Compile.h"

using namespace mlir;
using namespace ampc;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (isBytecode(llvm::MemoryBufferRef(text, ""))) // read by MLIR alone
    return 0;
  // Options depend on the size of the text, so that an input is deterministic.
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
