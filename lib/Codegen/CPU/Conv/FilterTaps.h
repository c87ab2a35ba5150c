// B panels of a convolution phase, which uses some of the filter's taps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CONV_FILTERTAPS_H
#define LIB_CODEGEN_CPU_CONV_FILTERTAPS_H

#include "lib/Codegen/CPU/Conv/ImagePanels.h"

namespace ampc::cpu {

/// B of a phase: lines are output channels, k is (tap, channel) over the phase's taps. Example: a
/// 3x3 filter of stride 2 has phases of 2x2, 2x1, 1x2 and 1x1 taps.
class FilterTaps : public PanelSource {
public:
  /// `filter` describes all taps: lines of [taps, channels] elements.
  FilterTaps(const StridedSource &filter, const ConvPhase &phase, int64_t filterWidth);
  void enterBatch(KernelEmitter &e, mlir::Value group) override { this->group = group; }
  /// Selects one of the phases that share the code.
  void enterPhase(const ConvPhase::Offsets &place) { this->place = place; }
  void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
            mlir::Value panel, PanelLayout layout, const PanelFormat &format) override;

private:
  StridedSource filter;
  ConvPhase phase;
  ConvPhase::Offsets place;
  int64_t filterWidth; // taps in a row
  mlir::Value group;
};

} // namespace ampc::cpu
#endif
