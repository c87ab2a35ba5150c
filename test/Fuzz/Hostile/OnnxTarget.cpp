// libFuzzer target: files of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Import/ONNX.h"
#include <cstdlib>

using namespace ampc;

/// A model, or a reason: text that says nothing would be a fault of the importer.
static bool imports(llvm::StringRef bytes, const ImportOptions &options) {
  llvm::Expected<ImportedModel> model = importOnnx(bytes, options);
  bool isModel = bool(model);
  std::string text = isModel ? model->text : llvm::toString(model.takeError());
  if (text.empty())
    std::abort();
  return isModel;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  ImportOptions options;
  options.batch = 3;
  imports(bytes, options);
  options.loss = "loss";
  imports(bytes, options);
  return 0;
}
