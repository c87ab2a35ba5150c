// Import of an ONNX graph as the text of a model: functions, state, step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "lib/Import/ONNX/DynamicBatch.h"
#include "lib/Import/ONNX/Importer.h"
#include "lib/Import/ONNX/InputOptions.h"
#include "lib/Import/ONNX/Prepare.h"
#include "lib/Import/ONNX/Print.h"
#include "lib/Import/ONNX/Raise.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

Importer::Importer(const Model &model, const ImportOptions &options, std::string source)
    : model(model), options(options), source(std::move(source)), producers(model.graph),
      modes(options.mode), states(model), nodes(model, producers, modes) {
  loadTrainDialect(context);
  module = ModuleOp::create(UnknownLoc::get(&context));
}

// ---- Functions ----

/// Type of an input in callers' arrays. The language has no unsigned type beyond ui8: u16 and u32
/// become the next larger signed type, e.g. u16 -> i32, and u64 becomes i64.
static mlir::Type inputType(Builder &b, onnx::Type type) {
  static const std::map<onnx::Type, unsigned> widths = {
      {onnx::Type::Bool, 1}, {onnx::Type::I8, 8},   {onnx::Type::I16, 16}, {onnx::Type::U16, 32},
      {onnx::Type::I32, 32}, {onnx::Type::U32, 64}, {onnx::Type::I64, 64}, {onnx::Type::U64, 64}};
  if (type == onnx::Type::U8)
    return b.getIntegerType(8, false);
  if (auto width = widths.find(type); width != widths.end())
    return b.getIntegerType(width->second);
  return type == onnx::Type::F64 ? mlir::Type(b.getF64Type()) : b.getF32Type();
}

train::FuncOp Importer::begin(StringRef name, const Slice &slice, Scope &scope) {
  OpBuilder b(&context);
  b.setInsertionPointToEnd(module->getBody());
  auto func = train::FuncOp::create(b, b.getUnknownLoc(), name, b.getFunctionType({}, {}));
  Block *body = new Block();
  func.getBody().push_back(body);
  llvm::StringSet<> needed = slice.inputs;
  if (calls && name == "loss")
    for (const auto &input : predict->slice.inputs)
      needed.insert(input.getKey());
  for (const ValueInfo &input : inputs) {
    if (!needed.contains(input.name))
      continue;
    Dims dims;
    for (const Dim &dim : input.dims)
      dims.push_back(dim.size);
    auto type = RankedTensorType::get(dims, inputType(b, input.type));
    Value argument = body->addArgument(type, NameLoc::get(b.getStringAttr(input.name)));
    b.setInsertionPointToEnd(body);
    Converter c(b, Node(), 0, scope);
    ImportedValue &known = scope[input.name];
    known.type = input.type;
    known.dims = dims;
    known.plain = c.cast(argument, c.elementOf(input.type));
  }
  states.declare(scope, needed, nodes);
  return func;
}

/// Calls `predict` and binds the results as values of the loss.
void Importer::callPredict(OpBuilder &b, Scope &scope) {
  OperationState state(b.getUnknownLoc(), train::CallOp::getOperationName());
  for (BlockArgument argument : predictFunc.getArguments()) {
    auto name = cast<NameLoc>(argument.getLoc()).getName();
    for (BlockArgument own : b.getBlock()->getArguments())
      if (cast<NameLoc>(own.getLoc()).getName() == name)
        state.addOperands(own);
  }
  state.addTypes(predictFunc.getFunctionType().getResults());
  state.addAttribute("callee", FlatSymbolRefAttr::get(&context, "predict"));
  Operation *call = b.create(state);
  for (auto [name, value] : llvm::zip(predict->results, call->getResults())) {
    Node node;
    node.outputs = {name};
    Converter(b, node, 0, scope).set(0, value);
  }
}

static Value valueOf(OpBuilder &b, Scope &scope, const std::string &name) {
  Node node;
  node.inputs = {name};
  return Converter(b, node, 0, scope).in(0);
}

/// Builds a term of the loss from values of the graph.
Value Importer::termOf(OpBuilder &b, const LossTerm &term, Scope &scope) {
  const std::string &first = term.kind.empty() ? term.output : term.values[0];
  if (nodes.failed(first) || !scope.contains(first))
    return {};
  Node node;
  node.name = term.text;
  node.op = term.kind;
  node.inputs = term.kind.empty() ? std::vector{term.output} : term.values;
  if (!term.weight.empty())
    node.inputs.push_back(term.weight);
  node.outputs = {"loss"};
  Converter c(b, node, 17, scope);
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said = diagnostic.str();
    return success();
  });
  Value value = term.kind.empty() ? c.in(0) : makeLoss(c, term, scope);
  if (value && term.factor != 1)
    value = c.mul(value, c.real(term.factor, value));
  if (!value)
    nodes.note("--loss " + term.text + ": " + (said.empty() ? c.fault : said));
  return value;
}

/// Builds the loss of the options: the sum of its terms.
Value Importer::lossOf(OpBuilder &b, Scope &scope) {
  Value sum;
  for (const LossTerm &term : loss) {
    Value value = termOf(b, term, scope);
    if (!value)
      return {};
    Node none;
    sum = sum ? Converter(b, none, 17, scope).add(sum, value) : value;
  }
  return sum;
}

/// Moves reads of state to the front of the body.
static void readFirst(Block &body) {
  Operation *first = &body.front();
  for (Operation &op : llvm::make_early_inc_range(body))
    if (&op == first && isa<train::ReadOp>(op))
      first = op.getNextNode();
    else if (isa<train::ReadOp>(op))
      op.moveBefore(first);
}

llvm::Error Importer::finish(train::FuncOp func, OpBuilder &b, ArrayRef<Value> results) {
  if (nodes.haveFaults() || llvm::is_contained(results, Value()))
    return nodes.errors();
  train::ReturnOp::create(b, b.getUnknownLoc(), results);
  readFirst(func.front());
  func.setFunctionType(
      b.getFunctionType(func.front().getArgumentTypes(), ValueRange(results).getTypes()));
  return llvm::Error::success();
}

/// Names all results in a single update, because a file may have 100000 outputs. An empty name
/// stands for no name.
static void nameResults(train::FuncOp func, ArrayRef<std::string> names) {
  Builder b(func.getContext());
  auto attrs = llvm::map_to_vector(names, [&](const std::string &name) {
    if (name.empty())
      return b.getDictionaryAttr({});
    return b.getDictionaryAttr(
        b.getNamedAttr(Signature::key, train::OutputAttr::get(b.getContext(), train::Output::Named,
                                                              b.getStringAttr(name), -1)));
  });
  func.setAllResultAttrs(attrs);
}

void Importer::raiseLayers(train::FuncOp func) {
  auto modeOf = [&](const DecomposedBatchNorm &norm) {
    return modes.ofNorm({norm.name, norm.mean, norm.variance});
  };
  auto trains = [&](const auto &norm) { return modeOf(norm) == LayerMode::Train; };
  for (const DecomposedBatchNorm &norm : raiseBatchNorms(func, trains)) {
    bool isNew = states.noteStatistics(norm.mean);
    states.noteStatistics(norm.variance);
    if (isNew && modeOf(norm) == LayerMode::File)
      nodes.noteFixedNorm("'" + norm.name + "'");
  }
  raise(func);
}

llvm::Error Importer::build() {
  for (const std::optional<Plan> *plan : {&predict, &train})
    if (*plan)
      nodes.checkKinds((*plan)->slice.nodes);
  if (predict) {
    Scope scope;
    predictFunc = begin("predict", predict->slice, scope);
    OpBuilder b = OpBuilder::atBlockEnd(&predictFunc.front());
    nodes.convert(b, predict->slice.nodes, scope);
    SmallVector<Value> results;
    for (const std::string &name : predict->results)
      results.push_back(!nodes.haveFaults() ? valueOf(b, scope, name) : Value());
    if (llvm::Error error = finish(predictFunc, b, results))
      return error;
    nameResults(predictFunc, predict->results);
  }
  if (train) {
    Scope scope;
    lossFunc = begin("loss", train->slice, scope);
    OpBuilder b = OpBuilder::atBlockEnd(&lossFunc.front());
    if (calls)
      callPredict(b, scope);
    nodes.convert(b, train->slice.nodes, scope);
    SmallVector<Value> results{lossOf(b, scope)};
    for (const std::string &report : options.reports)
      results.push_back(!nodes.haveFaults() ? valueOf(b, scope, report) : Value());
    if (llvm::Error error = finish(lossFunc, b, results))
      return error;
    for (auto [i, result] : llvm::enumerate(results)) {
      std::string what = i == 0 ? "the loss" : options.reports[i - 1];
      if (!isa<FloatType>(getElementTypeOrSelf(result)) || !Converter::shapeOf(result).empty())
        return mistake("expected " + what + " to be a real scalar, but got " +
                       typeText(result.getType()));
    }
    std::vector<std::string> names{""}; // of the loss
    llvm::append_range(names, options.reports);
    nameResults(lossFunc, names);
  }
  for (train::FuncOp func : {predictFunc, lossFunc}) {
    if (!func)
      continue;
    raiseLayers(func);
  }
  if (llvm::Error error = modes.checkMatches())
    return error;
  for (train::FuncOp func : {predictFunc, lossFunc})
    if (func)
      states.noteReads(func);
  if (lossFunc)
    states.noteTrained(lossFunc, predictFunc, calls);
  return llvm::Error::success();
}

// ---- Text ----

/// C identifier from the file's name: "my-net.onnx" -> "my_net".
static std::string modelName(StringRef path) {
  std::string name;
  for (char c : llvm::sys::path::stem(path))
    name += llvm::isAlnum(c) ? c : '_';
  return name.empty() || llvm::isDigit(name[0]) ? "model_" + name : name;
}

/// Name of the first convolution that the exporter merged with a batch norm; "" if there is none.
static std::string joinedConvolution(const Graph &graph) {
  for (const Node &node : graph.nodes)
    if (node.op.rfind("Conv", 0) == 0 && StringRef(node.source).contains("batch_norm"))
      return nameOf(node);
  return "";
}

/// Name of the first convolution whose weights seem to include a batch norm; "" if there is none.
/// The only evidence is that the exporter names new tensors after values of its own graph.
static std::string foldedConvolution(const Graph &graph) {
  auto isNew = [](StringRef name) { return name.starts_with("onnx::Conv"); };
  for (const Node &node : graph.nodes)
    if (node.op.rfind("Conv", 0) == 0 && node.inputs.size() > 2 && isNew(node.inputs[1]) &&
        isNew(node.inputs[2]))
      return nameOf(node);
  return "";
}

llvm::Expected<ImportedModel> Importer::run() {
  if (llvm::Error error = readInputs())
    return error;
  if (llvm::Error error = readLoss())
    return error;
  if (llvm::Error error = modes.fix(options.freezeStatistics))
    return error;
  if (llvm::Error error = states.train(options.trainable))
    return error;
  if (llvm::Error error = plan())
    return error;
  if (!predict && !train)
    return mistake("expected outputs in the file");
  if (llvm::Error error = build())
    return error;
  if (llvm::Error error = states.freeze(options.freeze))
    return error;
  if (lossFunc && !options.freeze.empty() && !states.hasTrained())
    return mistake("expected --freeze to leave a trained parameter, but '" +
                   llvm::join(options.freeze, "', '") + "' match all parameters");
  auto optimizer = optimizerText(options.optimizer, context);
  if (!optimizer)
    return optimizer.takeError();
  ImportedModel result;
  llvm::raw_string_ostream os(result.text);
  os << "// Made from " << llvm::sys::path::filename(source) << " by ampc import.\ntrain.model @"
     << (options.name.empty() ? modelName(source) : options.name) << " {\n";
  states.print(os, options.data, result);
  for (train::FuncOp func : {predictFunc, lossFunc})
    if (func)
      printFunction(os, func);
  if (lossFunc)
    os << "  train.step @fit minimize @loss over all with " << *optimizer << "\n";
  if (predictFunc)
    os << "  train.export @predict as \"predict\"\n";
  os << "}\n";
  auto nothingOf = [](const std::vector<std::string> &names) {
    return "the file has no values of parameter '" + names.front() + "'" +
           (names.size() > 1 ? " and others" : "") + " of the module";
  };
  if (lossFunc && !model.graph.lost.empty())
    result.warnings.push_back(nothingOf(model.graph.lost) +
                              ", which no step trains: exporters drop parameters without effect, "
                              "such as a bias of zeros");
  if (lossFunc && !model.graph.unread.empty())
    result.remarks.push_back(
        nothingOf(model.graph.unread) +
        ": the parameter shares the values of another parameter, no node reads the parameter, or "
        "an exporter dropped a parameter without effect");
  if (lossFunc && !states.hasTrained())
    result.warnings.push_back("the loss has a gradient for no initializer of the file: the step "
                              "has no parameter to train, and cannot be compiled");
  if (lossFunc && !nodes.getFixedNorms().empty())
    result.warnings.push_back(
        "batch norm " + nodes.getFixedNorms().front() +
        (nodes.getFixedNorms().size() > 1 ? " and others" : "") +
        " was exported for inference: steps use the statistics of the file, which no step changes; "
        "--mode=train computes statistics of each batch, --mode=inference keeps the statistics of "
        "the file without this warning");
  if (std::string name = joinedConvolution(model.graph); lossFunc && !name.empty())
    result.warnings.push_back(
        "convolution " + name +
        " has weights with a folded batch norm: steps train the convolution without the batch "
        "norm; torch.onnx.export with optimize=False keeps the batch norm");
  if (std::string name = foldedConvolution(model.graph); lossFunc && !name.empty())
    result.warnings.push_back("convolution " + name +
                              " has weights with the name that torch.onnx gives to folded batch "
                              "norms: steps train the convolution without the batch norm; export "
                              "with training=TrainingMode.TRAINING keeps the batch norm");
  llvm::append_range(result.remarks, model.remarks);
  llvm::append_range(result.remarks, remarks);
  if (lossFunc)
    llvm::append_range(result.remarks, states.remarks());
  llvm::append_range(result.remarks, nodes.getRemarks());
  auto owners = std::make_shared<std::vector<std::shared_ptr<void>>>(model.owners);
  for (NamedArray &array : result.tensors)
    array.array.mapping = owners;
  return result;
}

static llvm::Expected<ImportedModel> import(std::optional<Model> model, StringRef source,
                                            const std::string &error,
                                            const ImportOptions &options) {
  if (!model)
    return mistake(error);
  if (std::string fault = prepare(*model); !fault.empty())
    return mistake(fault);
  if (llvm::Error error = applyInputOptions(*model, options))
    return error;
  // The loss may name any value.
  std::vector<std::string> used{options.loss};
  if (auto terms = readLossText(options.loss))
    for (const LossTerm &term : *terms)
      llvm::append_range(used, term.reads());
  else
    llvm::consumeError(terms.takeError());
  forgetUnused(model->graph, used);
  auto importWith = [&](const ImportOptions &with) {
    return Importer(*model, with, source.str()).run();
  };
  return hasDynamicBatch(*model, options) ? importForAnyBatch(options, importWith)
                                          : importWith(options);
}

llvm::Expected<ImportedModel> ampc::importOnnx(const std::string &path,
                                               const ImportOptions &options) {
  std::string error;
  auto model = readModel(path, error);
  return import(std::move(model), path, error, options);
}
llvm::Expected<ImportedModel> ampc::importOnnx(StringRef bytes, const ImportOptions &options) {
  std::string error;
  auto model = readModel(bytes.data(), bytes.size(), "", error);
  return import(std::move(model), "model", error, options);
}
