// Arithmetic on whole tensors in f32, of any size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_REALS_H
#define LIB_IMPORT_ONNX_REALS_H

#include "lib/Import/ONNX/Literal.h"

namespace ampc::onnx {
/// A tensor in f32, row-major. Literals, in f64 and of at most 2^20 elements, are shapes and
/// settings; weights may be larger.
struct Reals {
  Dims dims;
  std::vector<float> numbers;

  int64_t count() const { return int64_t(numbers.size()); }
  /// Size of a dimension of size 1 in front of the others, or behind: [n] -> [1, n, 1, 1] for
  /// dimension 1 of 4. A single element stays as it is.
  Reals along(int64_t axis, int64_t rank) const;
  /// Each element of dimension `axis` `times` times in a row, cut at `size`: [a, b] -> [a, a, b].
  Reals repeated(int64_t axis, int64_t times, int64_t size) const;
  /// With the last two dimensions exchanged.
  Reals transposed() const;
};

/// The numbers of a tensor of any type; nothing for a tensor without data.
std::optional<Reals> realsOf(const Tensor &tensor);
/// `function` of each pair of elements, with broadcasting; nothing if the shapes do not broadcast.
std::optional<Reals> combine(const Reals &x, const Reals &y,
                             llvm::function_ref<float(float, float)> function);
/// Initializer of the model with these numbers.
Tensor tensorOf(Model &model, std::string name, Reals numbers);
} // namespace ampc::onnx
#endif
