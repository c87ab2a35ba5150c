// The limits of a loss scale, for passes that choose one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_LOSSSCALING_SCALELIMITS_H
#define LIB_LOSSSCALING_SCALELIMITS_H

#include "mlir-dialects/Amp/Amp.h"

namespace ampc {
/// The scale between the floor and the cap that is nearest to `scale`.
inline double withinLimits(double scale, amp::ScalingAttr scaling) {
  scale = std::max(scale, scaling.getFloor().convertToDouble());
  return scaling.getCap().isZero() ? scale : std::min(scale, scaling.getCap().convertToDouble());
}
} // namespace ampc
#endif
