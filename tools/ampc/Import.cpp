// ampc import: ONNX model -> text, with a file of weights.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Mapping.h"
#include "ampc/Import/ONNX.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ImportOptions.h"
#include "llvm/Support/Path.h"

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::importCommand("import", "a model of ONNX as text, with a file of weights");

static cl::opt<std::string> input(cl::Positional, cl::desc("MODEL.onnx"), cl::Required,
                                  cl::sub(importCommand));
static cl::opt<std::string>
    output("o",
           cl::desc("the text; weights go to the same name with .safetensors (- is standard "
                    "output; the text then names MODEL.onnx as the file of weights)"),
           cl::value_desc("MODEL.mlir"), cl::Prefix, cl::sub(importCommand));
static cl::opt<std::string> modelName("name", cl::desc("of the model (default: as the file)"),
                                      cl::value_desc("NAME"), cl::sub(importCommand));
static cl::list<std::string>
    freeze("freeze", cl::desc("parameters that no step changes, as names with * and ?"),
           cl::value_desc("PATTERN"), cl::sub(importCommand));

int ampc::runImport() {
  if (output.empty())
    return fail("expected -o MODEL.mlir, the text to write, or -o - for standard output");
  ImportOptions options = requestFor(input).importing;
  options.name = modelName;
  options.freeze.assign(freeze.begin(), freeze.end());
  llvm::SmallString<128> weights(output.getValue());
  llvm::sys::path::replace_extension(weights, "safetensors");
  options.data = output == "-" ? input : llvm::sys::path::filename(weights).str();
  llvm::Expected<ImportedModel> model = importOnnx(input, options);
  if (!model)
    return fail(input + ": " + llvm::toString(model.takeError()));
  for (const std::string &warning : model->warnings)
    messages() << "ampc: warning: " << warning << "\n";
  for (const std::string &remark : model->remarks)
    messages() << "ampc: remark: " << remark << "\n";
  if (std::string lost = shortenedFile(); !lost.empty())
    return fail(lost);
  if (output == "-") {
    llvm::outs() << model->text;
    return 0;
  }
  std::string error, path = weights.str().str();
  if (llvm::Error misuse = checkOutputs({output, path}, {input}))
    return fail(llvm::toString(std::move(misuse)));
  if (!model->tensors.empty() && !writeSafetensors(path, model->tensors, error))
    return fail(error);
  if (llvm::Error failure = writeFile(output, model->text))
    return fail("cannot write " + output + ": " + llvm::toString(std::move(failure)));
  results() << output << "\n";
  if (!model->tensors.empty())
    results() << path << ": " << model->tensors.size() << " tensors\n";
  return 0;
}
