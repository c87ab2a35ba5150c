// Lookup of values of parameters and buffers in a weights file, in the memory layout of the model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/StateValues.h"
#include "ampc/Support/Nearest.h"
#include "lib/Export/ONNX/Constants.h"
#include "mlir-dialects/Train/Program/LogicalLayout.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

static std::string shapeText(ArrayRef<int64_t> dims) {
  return "[" +
         llvm::join(llvm::map_range(dims, [](int64_t size) { return std::to_string(size); }),
                    ", ") +
         "]";
}

/// Elements of the file, which has the logical layout, in the memory layout of the model.
static Array asInMemory(const Array &seen, const LogicalLayout &outside, ArrayRef<int64_t> shape) {
  Array array = seen;
  array.dims.assign(shape.begin(), shape.end());
  if (outside.dims.empty())
    return array;
  int64_t size = bytesOf(seen.element);
  auto bytes = std::make_shared<std::vector<char>>(seen.bytes());
  for (int64_t i = 0; i < seen.count(); ++i) {
    int64_t place = 0, left = i;
    for (size_t dim = outside.dims.size(); dim-- > 0; left /= outside.dims[dim])
      place += left % outside.dims[dim] * outside.strides[dim];
    std::memcpy(bytes->data() + place * size, static_cast<const char *>(seen.data) + i * size,
                size);
  }
  array.data = bytes->data();
  array.mapping = std::move(bytes);
  return array;
}

std::optional<Array> StateValues::find(StateOpInterface state) {
  StringRef name = state.getSymName();
  auto type = cast<RankedTensorType>(state.getType());
  auto given = llvm::find_if(weights, [&](auto &tensor) { return tensor.name == name; });
  if (given == weights.end()) {
    auto names = llvm::map_to_vector(weights, [](auto &tensor) { return StringRef(tensor.name); });
    state->emitError() << "expected a tensor '" << name << "' in " << file << ", but got none"
                       << didYouMean(name, names);
    return std::nullopt;
  }
  LogicalLayout outside = logicalLayoutOf(state, symbols);
  if (ArrayRef<int64_t>(given->array.dims) != ArrayRef(outside.shape)) {
    state->emitError() << "expected tensor '" << name << "' of shape " << shapeText(outside.shape)
                       << ", but got " << shapeText(given->array.dims) << " in " << file;
    return std::nullopt;
  }
  std::string error;
  std::optional<Array> array = converted(given->array, type.getElementType(), error);
  if (!array)
    state->emitError() << file << ": tensor '" << name << "': " << error;
  return array ? std::optional(asInMemory(*array, outside, type.getShape())) : std::nullopt;
}

Array StateValues::get(StringRef name) {
  auto [known, isNew] = found.try_emplace(name);
  if (!isNew)
    return known->second;
  auto state = cast<StateOpInterface>(
      symbols.lookupSymbolIn(model, StringAttr::get(model.getContext(), name)));
  if (std::optional<Array> array = find(state))
    return known->second = *array;
  hasFailed = true;
  auto type = cast<RankedTensorType>(state.getType());
  auto zeros = std::make_shared<std::vector<char>>(size_t(type.getNumElements()) * 8);
  known->second.dims = type.getShape().vec();
  known->second.data = zeros->data();
  known->second.mapping = zeros;
  return known->second;
}
