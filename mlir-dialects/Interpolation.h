// Interpolation of elements for train.resize.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_INTERPOLATION_H
#define MLIR_DIALECTS_INTERPOLATION_H

#include "mlir-dialects/Train/Ops/Sampling.h"

namespace ampc::train {
/// Weights of the input elements of one dimension for an interpolated element. Example: linear at
/// coordinate 1.25: 0.75 of element 1, 0.25 of element 2.
struct Interpolation {
  ResizeMode mode;
  ResizeRounding rounding;
  double coefficient; ///< of cubic kernels
  bool excludesOutside = false, antialiases = false;
  double scale = 1; ///< size of the result relative to the input

  int64_t nearestTo(double place, int64_t count) const;
  /// Adds the weight of every input element to `line`. Weights beyond the border are added to the
  /// border element, or distributed over all inner elements.
  void addShares(double place, llvm::MutableArrayRef<double> line) const;
};
} // namespace ampc::train
#endif
