// What the command line says of a file of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/ImportOptions.h"
#include "ampc/Support/Text.h"

using namespace ampc;
namespace cl = llvm::cl;

OnnxOptions::OnnxOptions(cl::SubCommand &command)
    : loss(
          "loss",
          cl::desc("an output of the file, or a loss of a value and an input, as in "
                   "softmax_cross_entropy(logits,label); also bce_with_logits, mse, l1, smooth_l1"),
          cl::value_desc("LOSS"), cl::sub(command)),
      optimizer("optimizer", cl::desc("the rule of the step (default: adamw(lr=1e-3))"),
                cl::value_desc("RULE(lr=NUMBER,...)"), cl::init(ImportOptions().optimizer),
                cl::sub(command)),
      freeze("freeze", cl::desc("parameters that stay as they are; * is anything"),
             cl::value_desc("PATTERN"), cl::sub(command)),
      batch("batch", cl::desc("rows per step (default: as in the file)"), cl::init(0),
            cl::sub(command)),
      dims("dim", cl::CommaSeparated, cl::desc("a number for a dimension that the file names"),
           cl::value_desc("NAME=NUMBER"), cl::sub(command)) {}

llvm::Expected<ImportOptions> OnnxOptions::read() const {
  ImportOptions options;
  options.loss = loss;
  options.optimizer = optimizer;
  options.freeze.assign(freeze.begin(), freeze.end());
  options.batch = batch;
  if (batch.getNumOccurrences() && batch < 1)
    return llvm::createStringError("expected a positive --batch, but got " + std::to_string(batch));
  for (const std::string &text : dims) {
    auto [name, number] = llvm::StringRef(text).split('=');
    int64_t size;
    if (name.empty() || number.getAsInteger(10, size) || size < 1)
      return llvm::createStringError("expected --dim NAME=NUMBER, but got " + shown(text));
    options.dims[name.str()] = size;
  }
  return options;
}
