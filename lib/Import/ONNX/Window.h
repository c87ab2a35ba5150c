// Windows that move over images: of convolutions and of pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_WINDOW_H
#define LIB_IMPORT_ONNX_WINDOW_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// What windows are and how they move: a signal is an image of height 1.
struct Window {
  Dims kernel, strides, dilations, low, high;
  bool isSignal = false;

  /// [top, bottom, left, right], of an image of two dimensions.
  Dims padding() const { return {low[0], high[0], low[1], high[1]}; }
  /// From the first element of a window along a dimension to behind its last one.
  int64_t reach(int64_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
};

/// Nothing with a fault noted.
std::optional<Window> windowOf(Converter &c, llvm::ArrayRef<int64_t> kernel,
                               int64_t mostDimensions);
/// Input 0 in (N, ..., C), with the dimensions that the window has.
mlir::Value imageOf(Converter &c, const Window &window);
void give(Converter &c, const Window &window, unsigned output, mlir::Value y);
} // namespace ampc::onnx
#endif
