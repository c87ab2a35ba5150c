// Labels that losses leave out, from the model as it is compiled.
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
  /// Looks at what a request compiles, which has to end before this object.
  void watch(CompileRequest &request);
  /// Label that evaluations ignore in an input, if there is one.
  std::optional<int64_t> find(llvm::StringRef input) const;

private:
  void collect(mlir::ModuleOp module);
  llvm::StringMap<llvm::SmallVector<int64_t, 1>> found; ///< by input, per loss that ignores one
};
} // namespace ampc
#endif
