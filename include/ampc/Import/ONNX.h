// From a file of ONNX to the text of a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_IMPORT_ONNX_H
#define AMPC_IMPORT_ONNX_H

#include "ampc/Data/Array.h"
#include "llvm/Support/Error.h"
#include <map>

namespace ampc {
struct ImportOptions {
  std::string name;                 ///< of the model; empty: that of the file
  std::string loss;                 ///< an output, or LOSS(VALUE,INPUT); empty: none
  std::vector<std::string> reports; ///< outputs that the step has beside its loss, numbers
  std::string optimizer = "adamw(lr=1e-3)";
  std::vector<std::string> freeze; ///< patterns of parameters that stay as they are
  int64_t batch = 0;               ///< rows per step; 0: as in the file
  bool trains = false; ///< batch norm and dropout that were exported for inference train as well
  std::map<std::string, int64_t> dims; ///< numbers of named dimensions
  std::string data; ///< the file that the text names for first values; empty: none, but values that
                    ///< look like them
};

struct ImportedModel {
  std::string text;
  std::vector<NamedArray> tensors; ///< first values of parameters and buffers
  std::vector<std::string> remarks, warnings;
};

/// An error names every node that cannot be imported.
llvm::Expected<ImportedModel> importOnnx(const std::string &path, const ImportOptions &options);
/// The same of a file in memory, without files beside it.
llvm::Expected<ImportedModel> importOnnx(llvm::StringRef bytes, const ImportOptions &options);
/// All initializers with numbers, by name; names of others go to `skipped`. Nothing with a message
/// in `error` for a file that is none of ONNX.
std::optional<std::vector<NamedArray>>
readOnnxTensors(const std::string &path, std::vector<std::string> &skipped, std::string &error);
/// By its name.
inline bool isOnnx(llvm::StringRef path) { return path.ends_with(".onnx"); }
} // namespace ampc
#endif
