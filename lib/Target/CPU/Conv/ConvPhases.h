// A convolution of an image dilated by zeros, as plain convolutions of the image itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_CONVPHASES_H
#define LIB_TARGET_CPU_CONV_CONVPHASES_H

#include "lib/Target/CPU/Conv/ImagePanels.h"

namespace ampc::cpu {

/// Every step-th output row and column from `start` on. All of them meet the image at the same taps
/// (firstTap, firstTap + tapStep, ...), and zeros between rows or columns at the others. `window`
/// is the convolution that remains, of an image without zeros; it may have no taps at all.
struct ConvPhase {
  Window window;
  int64_t start[2], step[2]; // of output rows and columns
  int64_t firstTap[2], tapStep[2];
};

/// The phases of a convolution; one, with all taps, if the image is not dilated. `splits`: whether
/// the format of the panels allows to cut k between taps.
llvm::SmallVector<ConvPhase> phasesOf(const Window &window, bool splits);

/// Lines are output channels, k is (tap, channel) over the taps of a phase: the right side of a
/// convolution.
class FilterTaps : public PanelSource {
public:
  /// `filter` describes all taps: lines of `taps` x `channels` elements.
  FilterTaps(const StridedSource &filter, const ConvPhase &phase, int64_t filterWidth);
  void enterBatch(KernelEmitter &e, mlir::Value group) override { this->group = group; }
  void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
            mlir::Value panel, PanelLayout layout, const PanelFormat &format) override;

private:
  StridedSource filter;
  ConvPhase phase;
  int64_t filterWidth; // taps in a row
  mlir::Value group;
};

} // namespace ampc::cpu
#endif
