// Elements of files as elements of a model's tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_CONVERT_H
#define AMPC_DATA_CONVERT_H

#include "ampc/Data/Array.h"

namespace ampc {
/// x * scale + offset. Each has no number (1 and 0), one, or one per element of the last dimension.
struct Affine {
  std::vector<double> scale, offset;
  bool isIdentity() const { return scale.empty() && offset.empty(); }
};

/// What values have to be, beyond fitting into the type.
struct Limits {
  bool finite = true;    ///< reals are neither infinite nor NaN
  int64_t labels = 0;    ///< integers lie in [least, labels) or are `ignore`; 0: any
  int64_t ignore = -100; ///< may lie inside, and then changes nothing
  int64_t least = 0;
};

/// From one type to another one. Reals are rounded to nearest, once; integers become reals and
/// whole reals integers.
class Converter {
public:
  Converter(Element from, ampc_dtype to, Affine affine = {});
  /// Writes `count` elements, of which the first is the first of a last dimension. They have been
  /// checked: what does not fit gives an unspecified value.
  void convert(const void *from, void *to, int64_t count) const;
  /// The first element that has no value in `to` or is outside `limits`; -1: none.
  int64_t findMisfit(const void *from, int64_t count, const Limits &limits) const;
  /// Whether findMisfit could find anything.
  bool mayMisfit(const Limits &limits) const;
  /// Element `index` with scale and offset, for messages.
  std::string text(const void *from, int64_t index) const;

private:
  bool isWhole() const; ///< no reals on the way
  void apply(double *values, int64_t begin, int64_t count) const;
  int64_t misfitAmongWhole(const void *from, int64_t count, const Limits &limits) const;
  int64_t misfitAmongReals(const void *from, int64_t count, const Limits &limits) const;

  Element from, to;
  Affine affine;
};

/// "whole numbers in [0, 10) or -1", for messages.
std::string describe(ampc_dtype to, const Limits &limits);
} // namespace ampc
#endif
