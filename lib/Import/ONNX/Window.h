// Windows that move over images: of convolutions and of pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_WINDOW_H
#define LIB_IMPORT_ONNX_WINDOW_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// What windows are and how they move.
struct Window {
  Dims kernel, strides, dilations, low, high;

  /// From the first element of a window along a dimension to behind its last one.
  int64_t reach(int64_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// Nothing with a fault noted.
std::optional<Window> windowOf(Converter &c, llvm::ArrayRef<int64_t> kernel);
/// Strides, padding and dilations, as train's ops have them.
llvm::SmallVector<mlir::NamedAttribute> windowAttributes(Converter &c, const Window &window);
} // namespace ampc::onnx
#endif
