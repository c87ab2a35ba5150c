// The course of a training run as a picture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CHAR_GPT_LOSS_CURVE_H
#define CHAR_GPT_LOSS_CURVE_H

#include <string>
#include <utility>
#include <vector>

struct LossCurve {
  std::vector<std::pair<double, double>> training, validation; ///< step, loss in nats
  double reference = 0;                                        ///< a level to beat, drawn dashed
  std::string referenceName;

  /// Writes a self-contained SVG; false if the file cannot be written.
  bool write(const std::string &path) const;
};
#endif
