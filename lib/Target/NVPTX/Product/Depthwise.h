// Convolutions of every channel by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_DEPTHWISE_H
#define LIB_TARGET_NVPTX_PRODUCT_DEPTHWISE_H

#include "lib/Target/Common/ConvPhases.h"
#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// A convolution with as many groups as channels and outputs, or the gradient of its filter. There
/// is nothing to share among outputs, so that memory limits it: a thread has neighbouring channels,
/// of which it loads up to 16 bytes at a time, and multiplies and adds in f32.
struct Depthwise {
  target::Window window;
  mlir::Type element;

  static std::optional<Depthwise> of(kernel::ConvOp op);
  /// Of 16-bit numbers: sums of threads do not have the order of other targets.
  static std::optional<Depthwise> of(kernel::ConvFilterOp op);

  void emit(kernel::ConvOp op, DeviceCode &code) const;
  void emit(kernel::ConvFilterOp op, DeviceCode &code) const;
  /// Of a filter's gradient: ranges of pixels, whose sums the workspace holds.
  int64_t chooseParts(const Chip &chip) const;
  int64_t workspaceBytes(int64_t parts) const {
    return 4 * parts * window.channels * window.taps();
  }

  /// Channels of a thread.
  int64_t run() const;
};

} // namespace ampc::nvptx
#endif
