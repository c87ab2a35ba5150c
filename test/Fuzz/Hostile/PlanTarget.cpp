// libFuzzer target: models as text through the phases up to `plan`, for CPUs and GPUs. The number
// of values visited by the compiler must grow with the ops of a model, not with the paths between
// ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "test/Fuzz/Hostile/Compile.h"

using namespace mlir;
using namespace ampc;

/// Limit of visited values per op of the model, and for a model of a single op: an op with a window
/// of n elements is n kernels.
static constexpr int64_t mostPerOp = 200, mostOfOne = 50'000;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  if (isBytecode(llvm::MemoryBufferRef(text, ""))) // read by MLIR alone
    return 0;
  // Options depend on the size of the text, so that an input is deterministic.
  static const std::pair<const char *, const char *> ways[] = {
      {"f32", "cpu"}, {"bf16", "cpu"}, {"f16", "sm_80"}, {"bf16", "sm_90a"}, {"f32", "reference"}};
  auto [precision, target] = ways[size % std::size(ways)];
  CompileOptions options;
  options.precision = precision;
  options.targets = {target};
  int64_t ops = 0, before = 0;
  compileQuietly(text, options, "plan", [&](llvm::StringRef phase, ModuleOp module) {
    if (phase == "import") {
      module->walk([&](Operation *) { ++ops; });
      before = numVisitedSources;
    } else if (numVisitedSources - before > mostOfOne + mostPerOp * ops) {
      std::abort();
    }
  });
  return 0;
}
