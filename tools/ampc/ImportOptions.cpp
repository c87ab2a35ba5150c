// Command-line options on ONNX files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/ImportOptions.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/CommandLine.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"

using namespace ampc;
namespace cl = llvm::cl;

static cl::opt<std::string>
    loss("loss",
         cl::desc("of MODEL.onnx: an output, or a loss of a value and an input, as in "
                  "softmax_cross_entropy(logits,label); docs/onnx.md lists all losses"),
         cl::value_desc("LOSS"), cl::sub(cl::SubCommand::getAll()));
static cl::list<std::string>
    reports("report", cl::CommaSeparated,
            cl::desc("of MODEL.onnx: outputs with one element that the step reports with the loss"),
            cl::value_desc("OUTPUT"), cl::sub(cl::SubCommand::getAll()));
static cl::opt<std::string>
    optimizer("optimizer",
              cl::desc("of MODEL.onnx: the update rule of the step (default: adamw(lr=1e-3))"),
              cl::value_desc("RULE(lr=NUMBER,...)"), cl::init(ImportOptions().optimizer),
              cl::sub(cl::SubCommand::getAll()));
static WholeOption<long long> batch("batch", cl::desc("of MODEL.onnx: rows per step"),
                                    cl::value_desc("ROWS"), cl::init(0),
                                    cl::sub(cl::SubCommand::getAll()));
static cl::list<std::string> dims("dim", cl::CommaSeparated,
                                  cl::desc("of MODEL.onnx: numbers for named dimensions"),
                                  cl::value_desc("NAME=NUMBER"), cl::sub(cl::SubCommand::getAll()));
static cl::list<std::string>
    shapes("shape",
           cl::desc("of MODEL.onnx: numbers for the dimensions of an input, ? as in the file"),
           cl::value_desc("INPUT=SIZE,SIZE,..."), cl::sub(cl::SubCommand::getAll()));
static cl::list<std::string> inputs(
    "input",
    cl::desc(
        "of MODEL.onnx: a constant in every step for an input of integers, or with one element"),
    cl::value_desc("INPUT=NUMBER"), cl::sub(cl::SubCommand::getAll()));
static cl::list<std::string>
    trainable("trainable",
              cl::desc("of MODEL.onnx: single numbers that are parameters, as names with * and ?"),
              cl::value_desc("PATTERN"), cl::sub(cl::SubCommand::getAll()));

static cl::opt<std::string>
    mode("mode",
         cl::desc("of MODEL.onnx, batch norm and dropout in steps: as in the file, which may have "
                  "been exported for inference, of training, or of inference, with frozen "
                  "statistics (file, the default, train or inference)"),
         cl::value_desc("MODE"), cl::init("file"), cl::sub(cl::SubCommand::getAll()));
static cl::list<std::string>
    freezeStatistics("freeze-statistics",
                     cl::desc("of MODEL.onnx: batch norms that steps compute with the running "
                              "statistics of the file, as names with * and ?"),
                     cl::value_desc("PATTERN"), cl::sub(cl::SubCommand::getAll()));

static cl::list<std::string> setSizes("set", cl::desc("numbers for sizes of the model"),
                                      cl::value_desc("NAME=NUMBER,..."),
                                      cl::sub(cl::SubCommand::getAll()));

/// Sizes of `x=4,3,?,192`: 4, 3, -1, 192; nothing for another text.
static std::optional<std::vector<int64_t>> readShape(llvm::StringRef text) {
  std::vector<int64_t> sizes;
  for (llvm::StringRef part : llvm::split(text, ',')) {
    int64_t size = -1;
    if (part != "?" && (part.getAsInteger(10, size) || size < 1))
      return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

static llvm::Error readInputOptions(ImportOptions &options) {
  for (const std::string &text : shapes) {
    auto [name, numbers] = llvm::StringRef(text).rsplit('=');
    auto sizes = readShape(numbers);
    if (name.empty() || !sizes)
      return mistake("expected --shape INPUT=SIZE,SIZE,..., but got " + shown(text));
    options.shapes[name.str()] = std::move(*sizes);
  }
  for (const std::string &text : inputs) {
    auto [name, value] = llvm::StringRef(text).rsplit('=');
    double number;
    if (name.empty() || value.getAsDouble(number))
      return mistake("expected --input INPUT=NUMBER, but got " + shown(text));
    options.inputs[name.str()] = number;
  }
  return llvm::Error::success();
}

static llvm::Expected<ImportOptions> readImportOptions() {
  ImportOptions options;
  options.loss = loss;
  options.reports = reports;
  if (!options.reports.empty() && loss.empty())
    return mistake("expected --loss beside --report=" + options.reports.front());
  options.optimizer = optimizer;
  options.batch = batch;
  if (batch.getNumOccurrences() && batch < 1)
    return mistake("expected a positive --batch, but got " + llvm::Twine(batch));
  auto chosen = llvm::StringSwitch<std::optional<LayerMode>>(mode)
                    .Case("file", LayerMode::File)
                    .Case("train", LayerMode::Train)
                    .Case("inference", LayerMode::Inference)
                    .Default(std::nullopt);
  if (!chosen)
    return mistake("expected --mode=file, --mode=train or --mode=inference, but got " +
                   shown(mode));
  options.mode = *chosen;
  options.freezeStatistics.assign(freezeStatistics.begin(), freezeStatistics.end());
  options.trainable.assign(trainable.begin(), trainable.end());
  if (llvm::Error error = readInputOptions(options))
    return error;
  for (const std::string &text : dims) {
    auto [name, number] = llvm::StringRef(text).split('=');
    int64_t size;
    if (name.empty() || number.getAsInteger(10, size) || size < 1)
      return mistake("expected --dim NAME=NUMBER, but got " + shown(text));
    options.dims[name.str()] = size;
  }
  return options;
}

static llvm::Expected<SizeNumbers> readSizes() {
  llvm::Expected<SizeNumbers> sizes = parseSizeNumbers(llvm::join(setSizes, ","));
  if (!sizes)
    return mistake("--set: " + llvm::toString(sizes.takeError()));
  return sizes;
}

llvm::Error ampc::checkModelOptions() {
  return llvm::joinErrors(readSizes().takeError(), readImportOptions().takeError());
}

CompileRequest ampc::requestFor(llvm::StringRef path) {
  CompileRequest request;
  request.input = path.str();
  request.importing = llvm::cantFail(readImportOptions());
  request.sizes = llvm::cantFail(readSizes());
  return request;
}
