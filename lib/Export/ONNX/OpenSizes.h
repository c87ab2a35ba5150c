// Sizes beside the number of rows that stay open in an exported graph.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_OPENSIZES_H
#define LIB_EXPORT_ONNX_OPENSIZES_H

#include "lib/Export/ONNX/Graph.h"
#include "llvm/ADT/ArrayRef.h"

namespace ampc::exporting {
/// A graph of the model, and the numbers that the open sizes have in the model, in one order.
struct ProbeGraph {
  Model graph;
  std::vector<int64_t> sizes;
};

/// Opens the sizes `names` in the first graph. The graphs may differ in integers that nodes read,
/// constants of one value, and ranges, if each number is a multiple of one size plus a constant, or
/// of a product of sizes (Formula): nodes then compute the number from the shapes of the inputs.
/// Returns the reason against it, and leaves the first graph as it is, if the graphs differ in
/// anything else. Probe i + 1 of n + 2 differs in size i alone, the last probe in all sizes.
std::string openSizes(llvm::MutableArrayRef<ProbeGraph> probes, llvm::ArrayRef<std::string> names);
} // namespace ampc::exporting
#endif
