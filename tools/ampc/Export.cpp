// ampc export: a trained model to ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Mapping.h"
#include "ampc/Export/ONNX.h"
#include "ampc/Package/InitialData.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Pipelines/Messages.h"
#include "ampc/Support/Terminal.h"
#include "mlir-dialects/Train/Train.h"
#include "tools/Version.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/OpenSizes.h"
#include "llvm/Support/Path.h"

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::exportCommand("export", "an export of a trained model as a file of ONNX");

static cl::opt<std::string> input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required,
                                  cl::sub(exportCommand));
static cl::opt<std::string>
    checkpoint("checkpoint",
               cl::desc("parameters and buffers: a file of ampc train --out (default: initial "
                        "values, if the model loads initial values from a file)"),
               cl::value_desc("FILE.safetensors"), cl::sub(exportCommand));
static cl::opt<bool>
    averages("ema", cl::desc("parameters are the averages of ema_decay in the checkpoint"),
             cl::sub(exportCommand));
static cl::opt<std::string>
    output("o", cl::desc("the file to write (- is standard output, without --external-data)"),
           cl::value_desc("MODEL.onnx"), cl::Prefix, cl::sub(exportCommand));
static cl::opt<std::string> function("function",
                                     cl::desc("the export to write (default: the only export)"),
                                     cl::value_desc("NAME"), cl::sub(exportCommand));
static WholeOption<long long> opset("opset", cl::desc("of ONNX, from 17 to 21 (default: 17)"),
                                    cl::value_desc("NUMBER"), cl::init(ExportOptions().opset),
                                    cl::sub(exportCommand));
static cl::opt<bool> external("external-data",
                              cl::desc("write weights to MODEL.onnx.data (default above 2 GB)"),
                              cl::sub(exportCommand));

/// Number of rows of the file, and the reason if fixed. Example: "8 rows, since train.cumsum mixes
/// the rows of a batch".
static std::string rowsText(const OnnxFile &file) {
  if (!file.hasRows)
    return "";
  if (!file.rows)
    return "any number of rows";
  auto [op, location] = file.mixesRows;
  if (op.empty())
    return "the sizes of the model";
  mlir::FileLineColLoc line = lineOf(mlir::Location(location));
  return std::to_string(*file.rows) + " rows, since " + op +
         (line ? " at line " + std::to_string(line.getLine()) : "") + " mixes the rows of a batch";
}

/// Open sizes, and the reason for others that are numbers.
static std::string sizesText(const OnnxFile &file) {
  std::string text = file.hasRows && !file.openSizes.empty() ? " and " : "";
  for (const std::string &name : file.openSizes)
    text += (&name == &file.openSizes.front() ? "any " : " and any ") + name;
  return file.whyFixed.empty()
             ? text
             : text + "; dimensions have the numbers of --dim and --shape, since " + file.whyFixed;
}

/// Writes the weights first: a model without weights would look complete.
static int writeFiles(const OnnxFile &file, const std::string &dataPath) {
  std::string error;
  if (!file.data.empty() && output == "-")
    return fail("expected -o with a file, for weights in the same folder, but got -");
  if (!file.data.empty() && !writeOnnxData(dataPath, file.data, error))
    return fail("cannot write " + error);
  if (llvm::Error failure = writeFile(output, file.model))
    return fail("cannot write " + output + ": " + llvm::toString(std::move(failure)));
  if (isQuiet() || output == "-")
    return 0;
  messages() << "wrote " << output << ", for " << rowsText(file) << sizesText(file) << "\n";
  if (!file.data.empty())
    messages() << "wrote " << dataPath << "\n";
  return 0;
}

/// Replaces parameters by their averages: w by fit.ema.w of the step @fit. False without an
/// average.
static bool takeAverages(mlir::ModuleOp module, std::vector<NamedArray> &weights) {
  bool any = false;
  module->walk([&](train::StepOp step) {
    if (!step.hasAverages())
      return;
    std::string prefix = (step.getSymName() + ".ema.").str();
    for (const NamedArray &average : weights) {
      llvm::StringRef name = average.name;
      if (!name.consume_front(prefix))
        continue;
      auto isAveraged = [&](const NamedArray &weight) { return weight.name == name; };
      if (auto weight = llvm::find_if(weights, isAveraged); weight != weights.end()) {
        weight->array = average.array;
        any = true;
      }
    }
  });
  return any;
}

/// Weights of the checkpoint, or the model's initial data; nullopt after an error message.
static std::optional<std::vector<NamedArray>> readWeights(mlir::ModuleOp module) {
  std::string error;
  std::vector<std::string> skipped;
  auto weights =
      checkpoint.empty() ? trainedInitialData(module) : readSafetensors(checkpoint, skipped, error);
  if (!weights)
    fail(checkpoint.empty() ? "expected --checkpoint, a file of ampc train --out, but got none"
                            : error);
  if (weights && averages && !takeAverages(module, *weights)) {
    fail("expected averages of ema_decay in the checkpoint for --ema, but got none");
    return std::nullopt;
  }
  return weights;
}

int ampc::runExport() {
  if (output.empty())
    return fail("expected -o MODEL.onnx, but got none");
  if (opset < 17 || opset > 21)
    return fail("expected --opset from 17 to 21, but got " + llvm::Twine(opset));
  std::string dataPath = output + ".data";
  if (llvm::Error mistake = checkOutputs({output, dataPath}, {input, checkpoint}))
    return fail(llvm::toString(std::move(mistake)));
  Compiler compiler;
  CompileRequest request = requestFor(input);
  request.stopAfter = "import";
  request.shown = Shown::Warnings; // remarks concern steps that train
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.run(request);
  if (!module)
    return 1;
  if (llvm::Error mistake = checkOutputs({output, dataPath}, filesOfInitialData(*module)))
    return fail(llvm::toString(std::move(mistake)));
  auto weights = readWeights(*module);
  if (!weights)
    return 1;
  ExportOptions options;
  options.function = function;
  options.weightsFile = checkpoint.empty() ? input : checkpoint;
  options.opset = opset;
  options.producerVersion = version;
  options.dataFile = llvm::sys::path::filename(dataPath).str();
  options.external = external;
  mlir::FailureOr<OnnxFile> file = exportWithOpenSizes(*module, *weights, options, request);
  if (std::string lost = shortenedFile(); !lost.empty())
    return fail(lost);
  return mlir::failed(file) ? 1 : writeFiles(*file, dataPath);
}
