// Ignored labels of losses, e.g. `ignore -100`, recorded while the model is compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_IGNOREDLABELS_H
#define TOOLS_AMPC_IGNOREDLABELS_H

#include "ampc/Pipelines/Compiler.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// The tables of a library have a label that is allowed beside those below the limit. One below it,
/// such as `ignore 0` for padding, changes nothing about what is allowed: it is not there.
class IgnoredLabels {
public:
  /// Observes the compilation of a request, which has to end before this object does.
  void watch(CompileRequest &request);
  /// Ignored label of an input in evaluations; nothing without such a label.
  std::optional<int64_t> find(llvm::StringRef input) const;

private:
  void collect(mlir::ModuleOp module);
  llvm::StringMap<llvm::SmallVector<int64_t, 1>> found; ///< by input, an ignored label per loss
};
} // namespace ampc
#endif
