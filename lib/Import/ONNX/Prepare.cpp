// Rewrites of a file's graph before import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Prepare.h"
#include "lib/Import/ONNX/ConstantWeights.h"
#include "lib/Import/ONNX/Dequantize.h"
#include "lib/Import/ONNX/Functions.h"
#include "lib/Import/ONNX/RestoreModule.h"

using namespace ampc::onnx;

std::string ampc::onnx::prepare(Model &model) {
  if (std::string fault = expandFunctions(model); !fault.empty())
    return fault;
  liftWeights(model);
  dequantize(model);
  restoreModule(model);
  return "";
}
