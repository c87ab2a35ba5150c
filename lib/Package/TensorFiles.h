// Tensors that a model names in files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_TENSORFILES_H
#define LIB_PACKAGE_TENSORFILES_H

#include "ampc/Data/Array.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace ampc {
/// Maps every file once.
class TensorFiles {
public:
  /// The first value of `state`, which has `#train.data`, with elements of `dtype`: where they lie
  /// in the file if they are of that type. An error at the op if there is no tensor that fits.
  llvm::FailureOr<Array> read(StateOpInterface state, ampc_dtype dtype);

private:
  struct File {
    std::vector<NamedArray> arrays;
    llvm::StringMap<size_t> numbers; ///< of the arrays, by name: the first of each
    std::string error;               ///< why there are none
  };
  const File &open(const std::string &path);

  std::map<std::string, File> files;
  mlir::SymbolTableCollection symbols;
};
} // namespace ampc
#endif
