// Depthwise convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_DEPTHWISE_H
#define LIB_CODEGEN_NVPTX_PRODUCT_DEPTHWISE_H

#include "lib/Codegen/Common/ConvPhases.h"
#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// A convolution with as many groups as channels and outputs, or the gradient of the filter.
/// Outputs of different channels share no operand, so memory bandwidth is the limit: a thread loads
/// up to 16 bytes of neighbouring channels at a time, and multiplies and adds in f32.
struct Depthwise {
  target::Window window;
  mlir::Type element;

  static std::optional<Depthwise> of(kernel::ConvOp op);
  /// Only for 16-bit operands: the order of sums over threads differs from other targets.
  static std::optional<Depthwise> of(kernel::ConvFilterOp op);

  void emit(kernel::ConvOp op, DeviceCode &code) const;
  void emit(kernel::ConvFilterOp op, DeviceCode &code) const;
  /// For the filter's gradient: number of pixel ranges, whose partial sums are in the workspace.
  int64_t chooseParts(const Chip &chip) const;
  int64_t workspaceBytes(int64_t parts) const {
    return 4 * parts * window.channels * window.taps();
  }

  /// Channels per thread.
  int64_t run() const;
};

} // namespace ampc::nvptx
#endif
