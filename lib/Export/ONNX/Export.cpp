// Export of a function of the model as an ONNX graph.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Export/ONNX.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Train/RowState.h"
#include "lib/Export/ONNX/Loops.h"
#include "lib/Export/ONNX/OpenSizes.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Build/Expansion.h"
#include "mlir-dialects/Train/Ops/Along.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Program/LogicalLayout.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir-dialects/Train/Text/Sizes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

namespace {
/// Values of parameters and buffers in a weights file, looked up on demand.
class States {
public:
  States(train::ModelOp model, ArrayRef<NamedArray> weights, StringRef file)
      : model(model), weights(weights), file(file) {}
  /// Value of the state; zeros after an error.
  Array get(StringRef name);
  bool hasFailed = false;

private:
  std::optional<Array> find(StateOpInterface state);

  train::ModelOp model;
  ArrayRef<NamedArray> weights;
  StringRef file;
  SymbolTableCollection symbols;
  llvm::StringMap<Array> found;
};
} // namespace

static std::string shapeText(ArrayRef<int64_t> dims) {
  return "[" +
         llvm::join(llvm::map_range(dims, [](int64_t size) { return std::to_string(size); }),
                    ", ") +
         "]";
}

/// Elements of the file, which has the logical layout, in the memory layout of the model.
static Array asInMemory(const Array &seen, const LogicalLayout &outside, ArrayRef<int64_t> shape) {
  Array array = seen;
  array.dims.assign(shape.begin(), shape.end());
  if (outside.dims.empty())
    return array;
  int64_t size = bytesOf(seen.element);
  auto bytes = std::make_shared<std::vector<char>>(seen.bytes());
  for (int64_t i = 0; i < seen.count(); ++i) {
    int64_t place = 0, left = i;
    for (size_t dim = outside.dims.size(); dim-- > 0; left /= outside.dims[dim])
      place += left % outside.dims[dim] * outside.strides[dim];
    std::memcpy(bytes->data() + place * size, static_cast<const char *>(seen.data) + i * size,
                size);
  }
  array.data = bytes->data();
  array.mapping = std::move(bytes);
  return array;
}

std::optional<Array> States::find(StateOpInterface state) {
  StringRef name = state.getSymName();
  auto type = cast<RankedTensorType>(state.getType());
  auto given = llvm::find_if(weights, [&](auto &tensor) { return tensor.name == name; });
  if (given == weights.end()) {
    auto names = llvm::map_to_vector(weights, [](auto &tensor) { return StringRef(tensor.name); });
    state->emitError() << "expected a tensor '" << name << "' in " << file << ", but got none"
                       << didYouMean(name, names);
    return std::nullopt;
  }
  LogicalLayout outside = logicalLayoutOf(state, symbols);
  if (ArrayRef<int64_t>(given->array.dims) != ArrayRef(outside.shape)) {
    state->emitError() << "expected tensor '" << name << "' of shape " << shapeText(outside.shape)
                       << ", but got " << shapeText(given->array.dims) << " in " << file;
    return std::nullopt;
  }
  std::string error;
  std::optional<Array> array = converted(given->array, type.getElementType(), error);
  if (!array)
    state->emitError() << file << ": tensor '" << name << "': " << error;
  return array ? std::optional(asInMemory(*array, outside, type.getShape())) : std::nullopt;
}

Array States::get(StringRef name) {
  auto [known, isNew] = found.try_emplace(name);
  if (!isNew)
    return known->second;
  auto state = cast<StateOpInterface>(
      symbols.lookupSymbolIn(model, StringAttr::get(model.getContext(), name)));
  if (std::optional<Array> array = find(state))
    return known->second = *array;
  hasFailed = true;
  auto type = cast<RankedTensorType>(state.getType());
  auto zeros = std::make_shared<std::vector<char>>(size_t(type.getNumElements()) * 8);
  known->second.dims = type.getShape().vec();
  known->second.data = zeros->data();
  known->second.mapping = zeros;
  return known->second;
}

// ---- Rows of the batch ----

namespace {
struct Batch {
  int64_t rows = 0; ///< 0: the text does not name the batch dimension
  SmallVector<std::optional<BatchLayout>> arguments;
};
} // namespace

/// Whether the formula combines `batch` with other sizes, e.g. "batch * context".
static bool isMixedWithBatch(StringRef formula) {
  SmallVector<StringRef> words;
  llvm::SplitString(formula, words, " +-*/()");
  return formula != "batch" && llvm::is_contained(words, "batch");
}

/// Dimension whose size formula is `batch`, or -1; -2 if `batch` is combined with other sizes.
static int64_t batchDimension(StringRef formulas) {
  SmallVector<StringRef> dims;
  formulas.split(dims, ',');
  for (StringRef &dim : dims)
    dim = dim.trim();
  if (llvm::any_of(dims, isMixedWithBatch))
    return -2;
  auto found = llvm::find(dims, "batch");
  return found == dims.end() ? -1 : found - dims.begin();
}

/// Batch of the text's `batch`, or else of the first dimension of the first input, and of all
/// inputs with an equal first dimension.
static Batch batchOf(train::FuncOp func) {
  Batch batch;
  auto sizes = func->getAttrOfType<DictionaryAttr>(Sizes::key);
  auto formulas = sizes ? sizes.getAs<ArrayAttr>("arguments") : ArrayAttr();
  for (BlockArgument argument : func.getArguments()) {
    int64_t dim =
        formulas ? batchDimension(cast<StringAttr>(formulas[argument.getArgNumber()])) : -1;
    if (dim == -2)
      return {};
    batch.arguments.emplace_back();
    if (dim < 0)
      continue;
    batch.arguments.back() = BatchLayout{dim};
    batch.rows = Emitter::shapeOf(argument)[dim];
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

// ---- The graph ----

namespace {
/// Writes the nodes of a function, calls included.
class GraphExporter {
public:
  GraphExporter(Emitter &e, train::ModelOp model, bool unrolls)
      : e(e), model(model), unrolls(unrolls) {}
  void emit(Block &block);

private:
  Operation *emit(Operation *op);
  void emitCall(train::CallOp call);
  void emitRegion(amp::AutocastOp region);
  static SmallVector<Value> buildNodes(GradBuilder &b, Operation *op);
  Operation *expand(Operation *op);
  static std::string whyNoNode(Operation *op);

  Emitter &e;
  train::ModelOp model;
  bool unrolls; ///< loops become several nodes per round, not a node Scan
  SmallVector<StringRef> active;
  /// Limit of ops: functions that call the next function twice double the ops with each level.
  static constexpr int64_t mostOps = 200000;
  int64_t ops = 0;
};
} // namespace

void GraphExporter::emit(Block &block) {
  Operation *op = &block.front();
  while (op && ops <= mostOps && !op->hasTrait<OpTrait::IsTerminator>())
    op = emit(op);
}

void GraphExporter::emitCall(train::CallOp call) {
  if (llvm::is_contained(active, call.getCallee()))
    return e.fail(call, "a function that calls itself");
  auto callee = cast<train::FuncOp>(SymbolTable::lookupSymbolIn(model, call.getCallee()));
  Block &body = callee.getBody().front();
  for (auto [argument, operand] : llvm::zip(body.getArguments(), call.getOperands()))
    e.bind(argument, GraphValue(e.trace(operand)));
  active.push_back(call.getCallee());
  emit(body);
  active.pop_back();
  for (auto [result, value] : llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    e.bind(result, GraphValue(e.trace(value)));
}

void GraphExporter::emitRegion(amp::AutocastOp region) {
  Block &body = region->getRegion(0).front();
  emit(body);
  for (auto [result, value] : llvm::zip(region->getResults(), body.getTerminator()->getOperands()))
    e.bind(result, GraphValue(e.trace(value)));
}

/// Whether the op works along a dimension other than the last. Transposes that move the dimension
/// become the node's axis.
static bool isAlongOther(Operation *op) {
  auto along = dyn_cast<AlongOpInterface>(op);
  return along && !along.isAlongLast();
}

/// Values of the op's inference form, decomposition or rounds; none if the op has none of them.
SmallVector<Value> GraphExporter::buildNodes(GradBuilder &b, Operation *op) {
  if (isAlongOther(op))
    return moveAlongLast(b, cast<AlongOpInterface>(op));
  if (auto modal = dyn_cast<ModalOpInterface>(op))
    return modal.buildInference(b);
  auto composite = dyn_cast<CompositeOpInterface>(op);
  if (composite && composite.isComposite())
    return composite.decompose(b);
  auto scan = dyn_cast<train::ScanOp>(op);
  return scan && countUnrolled(scan, mostOps) <= mostOps ? unroll(b, scan) : SmallVector<Value>();
}

/// Replaces an op by its inference form, decomposition or rounds, and returns the next op to visit,
/// the first new op; null if the op has no such form.
Operation *GraphExporter::expand(Operation *op) {
  Operation *before = op->getPrevNode();
  Block *block = op->getBlock();
  if (!replaceByExpansion(op, [&](GradBuilder &b) { return buildNodes(b, op); }))
    return nullptr;
  return before ? before->getNextNode() : &block->front();
}

/// Whether the op is a loss of the whole batch, which decomposes into losses of rows and a mean or
/// sum.
static bool isReducedLoss(Operation *op) {
  auto composite = dyn_cast<CompositeOpInterface>(op);
  return isa<ValidRowsOpInterface>(op) && composite && composite.isComposite();
}

/// Reason for an error at an op that neither is a node of ONNX nor is made of nodes.
std::string GraphExporter::whyNoNode(Operation *op) {
  if (isa<train::GradOp>(op))
    return "gradients inside of functions";
  if (isa<RandomOpInterface>(op))
    return "random numbers";
  if (isa<train::ScanOp>(op))
    return "a loop of more than " + std::to_string(mostOps) + " ops";
  return "no node of ONNX does the same";
}

/// Writes the nodes of the op and returns the next op.
Operation *GraphExporter::emit(Operation *op) {
  if (++ops > mostOps) {
    e.fail(op, "more than 200000 ops, with those that calls stand for");
    return nullptr;
  }
  if (e.isSkipped(op) || isa<train::WriteOp>(op))
    return op->getNextNode();
  if (isa<train::ReadOp, train::ConstantOp>(op)) {
    e.forget(op->getResult(0));
    return op->getNextNode();
  }
  e.enter(op);
  if (auto call = dyn_cast<train::CallOp>(op)) {
    emitCall(call);
  } else if (auto region = dyn_cast<amp::AutocastOp>(op)) {
    emitRegion(region);
  } else if (auto scan = dyn_cast<train::ScanOp>(op); scan && !unrolls) {
    emitScan(e, scan, [&](Block &round) { emit(round); });
  } else if (Operation *first = isAlongOther(op) || isReducedLoss(op) || isBeyondLayers(op)
                                    ? expand(op)
                                    : nullptr) {
    return first;
  } else if (Emit emitNodes = findEmit(op->getName().getStringRef())) {
    e.noteRows(op);
    emitNodes(e, op);
  } else if (Operation *first = expand(op)) {
    return first;
  } else {
    e.noteRows(op);
    e.fail(op, whyNoNode(op));
  }
  return op->getNextNode();
}

/// Names the results of the graph as in the C interface, renaming nodes where possible.
static void nameOutputs(Emitter &e, train::FuncOp func, ArrayRef<std::string> names) {
  Operation *end = func.getBody().front().getTerminator();
  e.enter(end);
  std::vector<std::string> values;
  for (Value value : end->getOperands()) {
    values.push_back(e.in(value));
    // A result whose row stands for all rows has no number of rows of its own.
    if (e.isSingleRow(value) && !e.mixesRows)
      e.mixesRows = end;
  }
  std::map<std::string, std::string> renamed;
  for (auto [value, from, to] : llvm::zip(end->getOperands(), values, names)) {
    auto known = renamed.find(from);
    if (known != renamed.end())
      e.model.nodes.push_back({"Identity", to, {known->second}, {to}, {}});
    else if (e.rename(from, to))
      renamed[from] = to;
    else
      e.model.nodes.push_back({"Identity", to, {from}, {to}, {}});
    e.model.outputs.push_back(e.describe(value, to));
  }
}

/// Names of the results as in the C interface: "out", or "out0", "out1". Rows of a buffer are
/// "state:h.next", as the input is "state:h".
static std::vector<std::string> outputNames(Emitter &e, train::FuncOp func) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto output = Signature(func).result<train::OutputAttr>(i);
    std::string given = output && output.getName()  ? output.getName().str()
                        : func.getNumResults() == 1 ? "out"
                                                    : "out" + std::to_string(i);
    if (StringRef(given).starts_with(RowState::prefix))
      given += ".next";
    names.push_back(e.unique(given));
  }
  return names;
}

static void emitFunction(Emitter &e, train::ModelOp model, train::FuncOp func, const Batch &batch,
                         bool unrolls) {
  for (auto [argument, place] : llvm::zip(func.getArguments(), batch.arguments)) {
    auto input = Signature(func).argument<train::InputAttr>(argument);
    std::string name = e.unique(input ? input.getName().strref() : StringRef("in"));
    e.bindInput(argument, name, place);
    e.model.inputs.push_back(e.describe(argument, name));
  }
  std::vector<std::string> names = outputNames(e, func);
  GraphExporter(e, model, unrolls).emit(func.getBody().front());
  if (e.faults.empty())
    nameOutputs(e, func, names);
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
    return model.emitError() << "expected a model with a train.export, but it has none";
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
  States states;
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
  emitFunction(e, model, func, rows, !options.openSizes.names.empty());
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
      reason = "the model with another number has no such graph";
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
