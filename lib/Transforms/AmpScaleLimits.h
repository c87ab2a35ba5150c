// The limits of a loss scale, for passes that choose one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRANSFORMS_AMPSCALELIMITS_H
#define LIB_TRANSFORMS_AMPSCALELIMITS_H

#include "mlir-dialects/Amp/Amp.h"

namespace ampc {
/// The scale between the floor and the cap that is nearest to `scale`.
inline double withinLimits(double scale, amp::ScalingAttr scaling) {
  scale = std::max(scale, scaling.getFloor().convertToDouble());
  return scaling.getCap().isZero() ? scale : std::min(scale, scaling.getCap().convertToDouble());
}
} // namespace ampc
#endif
