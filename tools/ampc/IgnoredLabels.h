// Ignored labels of losses, e.g. `ignore -100`, recorded while the model is compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_IGNOREDLABELS_H
#define TOOLS_AMPC_IGNOREDLABELS_H

#include "ampc/Pipelines/Compiler.h"
#include <map>
#include <string>
#include <vector>

namespace ampc {
/// Ignored labels of the losses of a model. Tables of a library have an ignored label only beyond
/// the limit of labels, since a label below the limit is valid anyway. Example: `ignore 0` for
/// padding.
class IgnoredLabels {
public:
  /// Observes the compilation of a request, which has to end before this object does.
  void watch(CompileRequest &request);
  /// By input, an ignored label per loss. A cached compilation gives them back.
  using Labels = std::map<std::string, std::vector<int64_t>>;
  const Labels &getAll() const { return found; }
  void set(Labels labels) { found = std::move(labels); }
  /// Ignored label of an input in evaluations; nothing without such a label.
  std::optional<int64_t> find(llvm::StringRef input) const;

private:
  void collect(mlir::ModuleOp module);
  Labels found;
};
} // namespace ampc
#endif
