// Elements between others, as train.resize makes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_INTERPOLATION_H
#define MLIR_DIALECTS_INTERPOLATION_H

#include "mlir-dialects/Train/Sampling.h"

namespace ampc::train {
/// Which elements of a line make the one at a place between them.
struct Interpolation {
  ResizeMode mode;
  ResizeRounding rounding;
  double coefficient; ///< of cubic ones
  bool excludesOutside = false, antialiases = false;
  double scale = 1; ///< of the result

  int64_t nearestTo(double place, int64_t count) const;
  /// Adds the share of every element of a line. Those of elements outside go to the last one
  /// inside, or to all of those inside.
  void addShares(double place, llvm::MutableArrayRef<double> line) const;
};
} // namespace ampc::train
#endif
