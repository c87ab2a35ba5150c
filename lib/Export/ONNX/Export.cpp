// Export of a function of the model as an ONNX graph.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Export/ONNX.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Train/RowState.h"
#include "lib/Export/ONNX/FunctionGraph.h"
#include "lib/Export/ONNX/OpenSizes.h"
#include "lib/Export/ONNX/StateValues.h"
#include "mlir-dialects/Train/Text/Sizes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

namespace {
/// Rows of the batch in the arguments of a function.
struct Batch {
  int64_t rows = 0; ///< 0: the text does not name the batch dimension
  SmallVector<std::optional<BatchLayout>> arguments;
};
} // namespace

/// Batch of the text's `batch`, or else of the first dimension of the first input, and of all
/// inputs with an equal first dimension.
static Batch batchOf(train::FuncOp func) {
  Batch batch;
  auto sizes = func->getAttrOfType<DictionaryAttr>(Sizes::key);
  auto formulas = sizes ? sizes.getAs<ArrayAttr>("arguments") : ArrayAttr();
  for (BlockArgument argument : func.getArguments()) {
    std::optional<int64_t> dim =
        formulas ? dimensionOfBatch(cast<StringAttr>(formulas[argument.getArgNumber()]).getValue())
                 : -1;
    if (!dim)
      return {};
    batch.arguments.emplace_back();
    if (*dim < 0)
      continue;
    batch.arguments.back() = BatchLayout{*dim};
    batch.rows = Emitter::shapeOf(argument)[*dim];
  }
  if (batch.rows)
    return batch;
  for (auto [argument, place] : llvm::zip(func.getArguments(), batch.arguments)) {
    ArrayRef<int64_t> shape = Emitter::shapeOf(argument);
    if (!batch.rows && !shape.empty())
      batch.rows = shape[0];
    if (!shape.empty() && shape[0] == batch.rows)
      place = BatchLayout();
  }
  return batch;
}

/// Reports a single error with a note per op.
static LogicalResult reportFaults(train::FuncOp func, const Emitter &e) {
  if (e.faults.empty())
    return success();
  InFlightDiagnostic error = func.emitError() << "expected ops with a counterpart in ONNX, but got "
                                              << e.faults.size() << " without";
  for (const auto &[loc, fault] : e.faults)
    error.attachNote(loc) << fault.op << ": " << fault.reason;
  return failure();
}

static FailureOr<train::ExportOp> findExport(train::ModelOp model, StringRef wanted) {
  SmallVector<std::string> names;
  train::ExportOp found;
  for (auto each : model.getOps<train::ExportOp>()) {
    names.push_back(each.getName().str());
    if (wanted.empty() || each.getName() == wanted)
      found = each;
  }
  if (names.empty())
    return model.emitError() << "expected a model with a train.export, but the model has none";
  if (wanted.empty() && names.size() > 1)
    return model.emitError() << "expected --function with one of: " << llvm::join(names, ", ");
  if (!found)
    return model.emitError() << "expected --function with one of: " << llvm::join(names, ", ")
                             << ", but got " << wanted << didYouMean(wanted, names);
  return found;
}

/// Whether the file needs external data, because protobuf messages are limited to 2 GiB.
static bool isLarge(const Model &model) {
  int64_t bytes = 0;
  for (const NamedArray &initializer : model.initializers)
    bytes += initializer.array.bytes();
  return bytes > (int64_t(1) << 31) - (int64_t(1) << 26);
}

namespace {
/// An export of a model, as graphs by the number of rows.
struct ExportedFunction {
  ExportedFunction(ModuleOp module, ArrayRef<NamedArray> weights, const ExportOptions &options)
      : model(*module.getOps<train::ModelOp>().begin()), options(options),
        states(model, weights, options.weightsFile), chosen(findExport(model, options.function)) {
    if (succeeded(chosen))
      func = cast<train::FuncOp>(SymbolTable::lookupSymbolIn(model, chosen->getFunction()));
    if (func && failed(callRowState(func)))
      chosen = failure();
    if (func)
      batch = batchOf(func);
  }
  /// Nothing if the function mixes rows and `kind` is no fixed number of rows.
  FailureOr<std::optional<Model>> graph(BatchMode kind);

  train::ModelOp model;
  const ExportOptions &options;
  StateValues states;
  FailureOr<train::ExportOp> chosen;
  train::FuncOp func;
  Batch batch;
  Operation *mixesRows = nullptr;
};
} // namespace

FailureOr<std::optional<Model>> ExportedFunction::graph(BatchMode kind) {
  Batch rows = batch;
  if (kind == BatchMode::Fixed)
    rows.arguments.assign(func.getNumArguments(), std::nullopt);
  Model graph;
  graph.name = model.getSymName().str();
  graph.producerVersion = options.producerVersion;
  graph.opset = options.opset;
  graph.metadata = {{"model", graph.name}, {"function", chosen->getName().str()}};
  Emitter e(
      graph, [&](StringRef name) { return states.get(name); }, kind,
      std::max<int64_t>(rows.rows, 1));
  // Open sizes are found node by node, of graphs without bodies.
  emitFunction(e, model, func, rows.arguments, !options.openSizes.names.empty());
  if (failed(reportFaults(func, e)) || states.hasFailed)
    return failure();
  mixesRows = e.mixesRows;
  return mixesRows ? std::optional<Model>() : std::optional(std::move(graph));
}

/// Opens the sizes of the options in the graph; the reason against it, or "".
static std::string openSizesOf(Model &graph, BatchMode kind, ArrayRef<NamedArray> weights,
                               const ExportOptions &options) {
  const OpenSizes &open = options.openSizes;
  SmallVector<ProbeGraph, 4> probes{{std::move(graph), open.sizes}};
  std::string reason;
  for (const SizeProbe &probe : open.probes) {
    ModuleOp module = probe.module;
    ScopedDiagnosticHandler ignored(module.getContext(), [](Diagnostic &) { return success(); });
    ExportedFunction function(module, weights, options);
    FailureOr<std::optional<Model>> other = failure();
    if (function.func)
      other = function.graph(kind);
    if (failed(other) || !*other) {
      reason = "the model with another number has no graph of ONNX";
      break;
    }
    probes.push_back({std::move(**other), probe.sizes});
  }
  if (reason.empty())
    reason = openSizes(probes, open.names);
  graph = std::move(probes[0].graph);
  return reason;
}

/// Whether an input has a dimension of rows, and not of an open size of the options.
static bool hasRows(const Model &graph, BatchMode kind, int64_t rows) {
  return kind != BatchMode::Fixed || llvm::any_of(graph.inputs, [&](const ValueInfo &input) {
           return !input.dims.empty() && input.dims[0].symbol.empty() && input.dims[0].size == rows;
         });
}

FailureOr<OnnxFile> ampc::exportOnnx(ModuleOp module, ArrayRef<NamedArray> weights,
                                     const ExportOptions &options) {
  ExportedFunction function(module, weights, options);
  if (failed(function.chosen))
    return failure();
  OnnxFile file;
  for (BatchMode kind : {BatchMode::Any, BatchMode::AnyRepeated, BatchMode::Fixed}) {
    if (kind != BatchMode::Fixed && !function.batch.rows)
      continue;
    auto graph = function.graph(kind);
    if (failed(graph))
      return failure();
    if (Operation *op = function.mixesRows) {
      file.mixesRows = {op->getName().getStringRef().str(), op->getLoc()};
      continue;
    }
    if (!options.openSizes.names.empty())
      file.whyFixed = openSizesOf(**graph, kind, weights, options);
    bool isBeside = options.external || isLarge(**graph);
    bool areOpen = !options.openSizes.names.empty() && file.whyFixed.empty();
    file.hasRows = !areOpen || hasRows(**graph, kind, function.batch.rows);
    if (kind == BatchMode::Fixed && file.hasRows)
      file.rows = function.batch.rows;
    file.model = encode(**graph, isBeside ? options.dataFile : "", file.data);
    return file;
  }
  llvm_unreachable("a fixed number of rows fits");
}

bool ampc::writeOnnxData(const std::string &path, const std::vector<Array> &data,
                         std::string &error) {
  return writeData(path, data, error);
}
