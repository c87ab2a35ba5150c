// Windows of convolutions and pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_WINDOW_H
#define LIB_IMPORT_ONNX_WINDOW_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// Shape and movement of a window over an image.
struct Window {
  Dims kernel, strides, dilations, low, high;

  /// Extent of the dilated window along a dimension: kernel 3, dilation 2 -> 5.
  int64_t reach(int64_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// Window of the node; nothing, with a fault recorded, on error.
std::optional<Window> windowOf(Converter &c, llvm::ArrayRef<int64_t> kernel);
/// Strides, padding and dilations as attributes of train ops.
llvm::SmallVector<mlir::NamedAttribute> windowAttributes(Converter &c, const Window &window);
} // namespace ampc::onnx
#endif
