// Numbers that an exported graph computes from open sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_SIZEVALUES_H
#define LIB_EXPORT_ONNX_SIZEVALUES_H

#include "lib/Export/ONNX/OpenSizes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <optional>

namespace ampc::exporting {
/// A number as factor * product of sizes / divisor + rest. Without sizes it is `rest`. Example:
/// height / 4 behind two convolutions of stride 2, for heights that are multiples of 32. The
/// divisor divides the distance of probes, so that a half of any number, rounded, is no formula.
struct Formula {
  int64_t factor = 0, rest = 0;
  llvm::SmallVector<size_t, 2> sizes;
  int64_t divisor = 1;

  bool isSize() const { return sizes.size() == 1 && factor == 1 && divisor == 1 && rest == 0; }
  /// The number for a product of sizes; nothing if the divisor leaves a remainder.
  std::optional<int64_t> of(int64_t product) const;
};

/// A constant of each probe.
using Arrays = llvm::SmallVector<const Array *, 4>;
bool isEqual(const Array &a, const Array &b);

/// Formulas of numbers that differ between probes, and values that compute the numbers. New
/// initializers go to `graph`, new nodes to `added`.
class SizeValues {
public:
  SizeValues(llvm::ArrayRef<ProbeGraph> probes, llvm::ArrayRef<std::string> names, Model &graph);
  std::optional<Formula> formulaOf(llvm::ArrayRef<int64_t> numbers) const;
  /// Symbol of a dimension: "length", "2*length + 1".
  std::string textOf(const Formula &formula) const;
  /// Binds the size to a dimension of an input, unless it is bound.
  void bind(size_t size, const std::string &input, int64_t dim);
  /// Name of a size that is no dimension of an input; "" if there is none.
  std::string unbound() const;
  /// Name of the value that a node reads in place of constants that differ; "" if there is none.
  std::string joined(const Arrays &arrays);
  /// Joined shape of a Reshape: a number without formula is -1 if no other number is.
  std::string joinedShape(const Arrays &arrays);

  std::vector<Node> added;

private:
  std::string joinedIntegers(const Arrays &arrays, bool isShape = false);
  std::string joinedFilled(const Arrays &arrays);
  std::string joinedRange(const Arrays &arrays);
  std::string unique(const std::string &name);
  std::string add(const char *op, std::vector<std::string> inputs,
                  std::vector<NodeAttribute> attributes = {});
  std::string integers(llvm::ArrayRef<int64_t> numbers);
  std::string sizeNamed(size_t size);
  /// A vector of one number.
  std::string computed(const Formula &formula);
  std::string vectorOf(llvm::ArrayRef<Formula> formulas);
  /// Shape of arrays that differ in dimensions; "" if a dimension has no formula.
  std::string shapeOf(const Arrays &arrays);

  llvm::ArrayRef<ProbeGraph> probes;
  llvm::ArrayRef<std::string> names;
  Model &result;
  llvm::StringSet<> taken;
  std::map<std::string, std::string> known;             ///< computed values, by contents
  std::vector<std::pair<std::string, int64_t>> inputOf; ///< input and dimension of each size
};
} // namespace ampc::exporting
#endif
