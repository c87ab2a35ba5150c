// Tensors of files that a model refers to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_TENSORFILES_H
#define LIB_PACKAGE_TENSORFILES_H

#include "ampc/Data/Array.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace ampc {
/// Files by path, each mapped once.
class TensorFiles {
public:
  /// Initial value of `state`, which has `#train.data`, as elements of `dtype`: the mapped bytes if
  /// the file has this type, else a copy. Reports an error at the op if no tensor fits.
  llvm::FailureOr<Array> read(StateOpInterface state, ampc_dtype dtype);

private:
  struct File {
    std::vector<NamedArray> arrays;
    llvm::StringMap<size_t> numbers; ///< index of the first array, by name
    std::string error;               ///< reason if no arrays were read
  };
  const File &open(const std::string &path);
  /// Array of the file at `path` for `state`, with `part` as the text after the path in
  /// `#train.data`, or "". Reports an error at the op if there is none.
  std::optional<Array> find(StateOpInterface state, const std::string &path,
                            const std::string &part);

  std::map<std::string, File> files;
  mlir::SymbolTableCollection symbols;
};
} // namespace ampc
#endif
