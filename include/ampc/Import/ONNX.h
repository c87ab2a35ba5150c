// Import of an ONNX file as the text of a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_IMPORT_ONNX_H
#define AMPC_IMPORT_ONNX_H

#include "ampc/Data/Array.h"
#include "llvm/Support/Error.h"
#include <map>

namespace ampc {
/// Mode of batch norm and dropout in steps: of the file, of training, or of inference.
enum class LayerMode { File, Train, Inference };

struct ImportOptions {
  std::string name;                 ///< of the model; empty: name of the file
  std::string loss;                 ///< name of an output, or LOSS(VALUE,INPUT); empty: no loss
  std::vector<std::string> reports; ///< scalar outputs that the step reports beside its loss
  std::string optimizer = "adamw(lr=1e-3)";
  std::vector<std::string> freeze;    ///< name patterns of parameters that are not trained
  std::vector<std::string> trainable; ///< name patterns of single numbers that are parameters
  int64_t batch = 0;                  ///< rows per step; 0: as in the file
  LayerMode mode = LayerMode::File;
  /// Name patterns of batch norms whose running statistics normalize in steps and stay fixed.
  std::vector<std::string> freezeStatistics;
  std::map<std::string, int64_t> dims; ///< sizes of symbolic dimensions: {"seq", 128}
  /// Sizes of inputs: {"x", {4, 3, 48, 192}}; -1 leaves a dimension as in the file.
  std::map<std::string, std::vector<int64_t>> shapes;
  std::map<std::string, double> inputs; ///< values of inputs that become constants: {"sr", 16000}
  std::string data; ///< data file that the text names for initial values; empty: no file, but
                    ///< random initializers resembling the values
};

struct ImportedModel {
  std::string text;
  std::vector<NamedArray> tensors; ///< initial values of parameters and buffers
  std::vector<std::string> remarks, warnings;
};

/// Imports a file. A single error names every node that cannot be imported.
llvm::Expected<ImportedModel> importOnnx(const std::string &path, const ImportOptions &options);
/// Imports a model from memory, without external data files.
llvm::Expected<ImportedModel> importOnnx(llvm::StringRef bytes, const ImportOptions &options);
/// Reads all numeric initializers with their names; names of the remaining initializers go to
/// `skipped`. Nothing, with a message in `error`, if the file is not ONNX.
std::optional<std::vector<NamedArray>>
readOnnxTensors(const std::string &path, std::vector<std::string> &skipped, std::string &error);
/// Whether the file name ends in .onnx.
inline bool isOnnx(llvm::StringRef path) { return path.ends_with(".onnx"); }
} // namespace ampc
#endif
