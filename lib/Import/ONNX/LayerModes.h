// Mode of batch norms and dropouts in steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_LAYERMODES_H
#define LIB_IMPORT_ONNX_LAYERMODES_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Wire.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/GlobPattern.h"

namespace ampc::onnx {
/// Mode of each batch norm and dropout by `--mode` and `--freeze-statistics`.
class LayerModes {
public:
  explicit LayerModes(LayerMode mode) : mode(mode) {}
  llvm::Error fix(llvm::ArrayRef<std::string> patterns);
  LayerMode of(const Node &node);
  /// Mode of a batch norm with these names of the node and of running statistics: inference if a
  /// pattern matches one of the names.
  LayerMode ofNorm(llvm::ArrayRef<llvm::StringRef> names);
  /// Error for a pattern that matched no batch norm.
  llvm::Error checkMatches() const;

private:
  struct Pattern {
    std::string text;
    llvm::GlobPattern glob;
    bool matches = false;
  };
  const LayerMode mode;
  llvm::SmallVector<Pattern, 1> fixed;
};
} // namespace ampc::onnx
#endif
