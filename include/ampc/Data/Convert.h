// Conversion of file elements to elements of a model's tensors, for example u8 -> f32 with scale
// and offset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_CONVERT_H
#define AMPC_DATA_CONVERT_H

#include "ampc/Data/Array.h"

namespace ampc {
/// x * scale + offset. Each vector is empty (1 and 0), has a single number, or a number per element
/// of the last dimension.
struct Affine {
  std::vector<double> scale, offset;
  bool isIdentity() const { return scale.empty() && offset.empty(); }
};

/// Constraints on values beyond fitting into the type.
struct Limits {
  bool finite = true;    ///< reals are neither infinite nor NaN
  int64_t labels = 0;    ///< integers lie in [least, labels) or equal `ignore`; 0: any
  int64_t ignore = -100; ///< may lie inside the range, and then changes nothing
  int64_t least = 0;
};

/// Converts elements from one type to another. Reals are rounded once, to nearest; integers become
/// reals and whole reals become integers.
class Converter {
public:
  Converter(Element from, ampc_dtype to, Affine affine = {});
  /// Writes `count` elements; the first is at index 0 of the last dimension, where `affine` begins.
  /// Precondition: findMisfit has passed, because a value without a counterpart in `to` gives an
  /// unspecified result.
  void convert(const void *from, void *to, int64_t count) const;
  /// Index of the first element that has no value in `to` or violates `limits`; -1: none.
  int64_t findMisfit(const void *from, int64_t count, const Limits &limits) const;
  /// Whether findMisfit can fail for this pair of types, so that callers may skip the scan.
  bool mayMisfit(const Limits &limits) const;
  /// Text of element `index` after scale and offset, for messages.
  std::string text(const void *from, int64_t index) const;

private:
  bool
  isWhole() const; ///< no real numbers in the conversion: integer -> integer without affine map
  void apply(double *values, int64_t begin, int64_t count) const;
  int64_t misfitAmongWhole(const void *from, int64_t count, const Limits &limits) const;
  int64_t misfitAmongReals(const void *from, int64_t count, const Limits &limits) const;

  Element from, to;
  Affine affine;
};

/// Allowed values as text, for messages: "whole numbers in [0, 10) or -1".
std::string describe(ampc_dtype to, const Limits &limits);
} // namespace ampc
#endif
