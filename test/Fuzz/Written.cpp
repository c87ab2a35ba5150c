// A model in the style of a person: modules, sizes, inferred types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Written.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Program/Modules.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "test/Fuzz/Random.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

namespace {
/// Moves part of a function into a module that is used once, as @p.
class Outliner {
public:
  Outliner(train::ModelOp model, Random &random)
      : model(model), random(random), builder(model.getContext()) {}
  bool run();

private:
  bool choose();
  bool sortState();
  bool isInside(Operation *op) const;
  void makeModule();
  void renameInSteps();

  train::ModelOp model;
  Random &random;
  OpBuilder builder;
  train::FuncOp func;
  SmallVector<Operation *> inside;
  SmallVector<Operation *> moved; ///< state that nothing else uses
};
} // namespace

bool Outliner::isInside(Operation *op) const {
  return llvm::any_of(inside, [&](Operation *part) { return part->isAncestor(op); });
}

/// Functions called by the model stay outside, because a module sees only functions of its own.
bool Outliner::choose() {
  SmallVector<train::FuncOp> funcs(model.getOps<train::FuncOp>());
  func = random.pick(funcs);
  SmallVector<Operation *> ops;
  for (Operation &op : func.getBody().front().without_terminator())
    ops.push_back(&op);
  if (ops.empty())
    return false;
  size_t first = random.between(0, ops.size() - 1), last = random.between(first, ops.size() - 1);
  inside.assign(ops.begin() + first, ops.begin() + last + 1);
  return llvm::none_of(inside, [](Operation *op) {
    return op->walk([](train::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

/// Sorts state. State used only by the moved ops and lists of steps moves into the module; other
/// reads become operands; ops that write other state stay outside.
bool Outliner::sortState() {
  for (Operation &state : model.getBody().front()) {
    if (!isa<StateOpInterface>(state))
      continue;
    auto knob = dyn_cast<train::KnobOp>(state);
    bool isUsed = false, isShared = knob && knob.getSchedule(); // a step is none of the module's
    SmallVector<train::ReadOp> reads;
    auto uses = SymbolTable::getSymbolUses(&state, model);
    if (!uses)
      return false;
    for (SymbolTable::SymbolUse use : *uses) {
      Operation *user = use.getUser();
      if (isa<train::StepOp>(user))
        continue;
      (isInside(user) ? isUsed : isShared) = true;
      if (auto read = dyn_cast<train::ReadOp>(user); read && isInside(user))
        reads.push_back(read);
      else if (isInside(user))
        reads.push_back(nullptr);
    }
    if (isUsed && !isShared)
      moved.push_back(&state);
    if (!isUsed || !isShared)
      continue;
    for (train::ReadOp read : reads) {
      if (!read || read->getBlock() != inside.front()->getBlock())
        return false;
      read->moveBefore(inside.front());
      inside.erase(llvm::find(inside, read.getOperation()));
      if (inside.empty())
        return false;
    }
  }
  return true;
}

void Outliner::makeModule() {
  llvm::SetVector<Value> arguments, results;
  for (Operation *part : inside) {
    part->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def ? !isInside(def) : operand.getParentBlock() == part->getBlock())
          arguments.insert(operand);
    });
    for (Value result : part->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); }))
        results.insert(result);
  }
  Location loc = builder.getUnknownLoc();
  builder.setInsertionPoint(func);
  auto part = cast<train::ModelOp>(builder.create([&] {
    OperationState state(loc, "train.model");
    state.addAttribute("sym_name", builder.getStringAttr("part"));
    state.addRegion()->push_back(new Block());
    return state;
  }()));
  OperationState use(loc, "train.use");
  use.addAttribute("module", FlatSymbolRefAttr::get(builder.getContext(), "part"));
  use.addAttribute("instance", builder.getStringAttr("p"));
  builder.create(use);

  builder.setInsertionPoint(inside.front());
  OperationState apply(loc, "train.apply");
  apply.addAttribute("callee", SymbolRefAttr::get(builder.getContext(), "p"));
  apply.addOperands(arguments.getArrayRef());
  apply.addTypes(ValueRange(results.getArrayRef()).getTypes());
  Operation *applied = builder.create(apply);

  Block *block = &part.getBody().front();
  for (Operation *state : moved)
    state->moveBefore(block, block->end());
  builder.setInsertionPointToEnd(block);
  OperationState function(loc, "train.func");
  function.addAttribute("sym_name", builder.getStringAttr("apply"));
  function.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(
                                             ValueRange(arguments.getArrayRef()).getTypes(),
                                             ValueRange(results.getArrayRef()).getTypes())));
  auto *body = new Block();
  function.addRegion()->push_back(body);
  builder.create(function);
  for (Operation *op : inside)
    op->moveBefore(body, body->end());
  builder.setInsertionPointToEnd(body);
  OperationState end(loc, "train.return");
  end.addOperands(results.getArrayRef());
  builder.create(end);
  auto isIn = [&](OpOperand &operand) { return body->findAncestorOpInBlock(*operand.getOwner()); };
  for (Value argument : arguments)
    argument.replaceUsesWithIf(body->addArgument(argument.getType(), loc), isIn);
  for (auto [result, outside] : llvm::zip(results, applied->getResults()))
    Value(result).replaceUsesWithIf(outside, [&](OpOperand &operand) { return !isIn(operand); });
}

void Outliner::renameInSteps() {
  llvm::StringSet<> names;
  for (Operation *state : moved)
    names.insert(cast<StateOpInterface>(state).getSymName());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr symbol) -> Attribute {
    return names.contains(symbol.getValue())
               ? FlatSymbolRefAttr::get(symbol.getContext(), "p." + symbol.getValue().str())
               : symbol;
  });
  for (auto step : model.getOps<train::StepOp>())
    replacer.replaceElementsIn(step);
}

bool Outliner::run() {
  if (!choose() || !sortState())
    return false;
  makeModule();
  renameInSteps();
  return true;
}

// ---- Text ----

static bool canBeRead(StringRef text, MLIRContext *context) {
  ScopedDiagnosticHandler handler(context, [](Diagnostic &) { return success(); });
  return bool(parseSourceString<ModuleOp>(text, context));
}

/// Replaces a number in the module's shapes by a size.
static void addSize(std::string &text, Random &random) {
  size_t begin = text.find("train.model @part {"), end = text.find("train.use @part");
  std::string part = text.substr(begin, end - begin), number;
  size_t place = part.find("tensor<");
  if (place == std::string::npos || !llvm::isDigit(part[place + 7]))
    return;
  number = part.substr(place + 7, part.find_first_not_of("0123456789", place + 7) - place - 7);
  std::string lines;
  for (StringRef line : llvm::split(part, '\n')) {
    // only types that are declared, not inferred
    bool isDeclared = line.trim().starts_with("train.param") ||
                      line.trim().starts_with("train.buffer") ||
                      line.trim().starts_with("train.func");
    StringRef rest = line;
    while (isDeclared && rest.contains("tensor<")) {
      auto [before, after] = rest.split("tensor<");
      auto [shape, behind] = after.split('>');
      SmallVector<StringRef> dims;
      shape.split(dims, 'x');
      std::string element = dims.pop_back_val().str();
      lines += before.str() + element + "[";
      for (size_t i = 0; i < dims.size(); ++i)
        lines += (i ? ", " : "") + (dims[i] == number && random.chance(0.9) ? "n" : dims[i].str());
      lines += "]";
      rest = behind;
    }
    lines += rest.str() + "\n";
  }
  lines.pop_back();
  StringRef head = "train.model @part {";
  lines.replace(lines.find(head.str()), head.size(),
                "train.model @part(m = " + number + ", n = 1 * m) {");
  text.replace(begin, end - begin, lines);
}

/// Leaves out the types of every op whose types follow, and the results of functions.
static std::string withoutTypes(StringRef text, MLIRContext *context) {
  SmallVector<std::string> lines;
  for (StringRef line : llvm::split(text, '\n'))
    lines.push_back(line.str());
  for (std::string &line : lines) {
    StringRef trimmed = StringRef(line).trim();
    bool isFunction = trimmed.starts_with("train.func") && trimmed.contains(") -> ");
    bool isOp = (trimmed.starts_with("%") || trimmed.starts_with("train.return") ||
                 trimmed.starts_with("train.write") || trimmed.starts_with("amp.yield")) &&
                trimmed.contains(" : ") && !trimmed.ends_with("{");
    if (!isFunction && !isOp)
      continue;
    std::string whole = line;
    line = isFunction ? StringRef(line).rsplit(") -> ").first.str() + ") {"
                      : StringRef(line).rsplit(" : ").first.str();
    if (!canBeRead(llvm::join(lines, "\n"), context))
      line = whole;
  }
  return llvm::join(lines, "\n");
}

/// Puts a knob in place of the number `parameter` of the list in brackets that begins at `open`, or
/// adds the number to the list: "<lr = 0.1>" -> "<lr = @t0>".
static void putKnob(std::string &line, size_t open, StringRef parameter, StringRef knob) {
  std::string word = parameter.str() + " = ";
  size_t end = line.find_first_of(">}", open), at = line.find(word, open + 1);
  while (at < end && line[at - 1] != ' ' && at != open + 1) // "lr = " of "adamw_lr = "
    at = line.find(word, at + 1);
  if (at >= end) {
    line.insert(end, ", " + word);
    at = end + 2;
  }
  at += word.size();
  line.replace(at, line.find_first_of(",>}", at) - at, knob.str());
}

/// Puts knobs in place of numbers in the line of a step:
/// "lr = 1.0e-01 ... train.knobs = {optimizer.lr = @t0}" -> "lr = @t0". Knobs of a module have no
/// name where the step's text is read.
static std::string withKnobs(StringRef whole) {
  auto [before, rest] = whole.split("train.knobs = {");
  auto [list, behind] = rest.split('}');
  if (rest.empty() || !whole.ltrim().starts_with("train.step ") || list.contains("@p."))
    return whole.str();
  std::string line = before.str() + "}";
  SmallVector<StringRef> uses;
  list.split(uses, ", ");
  for (StringRef use : uses) {
    auto [path, knob] = use.split(" = ");
    auto [owner, parameter] = path.rsplit('.');
    size_t open = parameter.empty() ? line.rfind('{') : line.find(" with #train.");
    unsigned group = 0;
    if (owner.consume_front("groups.") && !owner.getAsInteger(10, group))
      for (unsigned i = 0; i <= group; ++i)
        open = line.find("optimizer = #train.", open + 1);
    putKnob(line, parameter.empty() ? open : line.find('<', open),
            parameter.empty() ? path : parameter, knob);
  }
  line.pop_back();
  StringRef kept = line;
  bool isFirst = kept.ends_with("{");
  kept.consume_back(", ");
  if (isFirst)
    behind.consume_front(", ");
  if (kept.consume_back(" {") && !behind.consume_front("}"))
    return (kept + " {" + behind).str();
  return (kept + behind).str();
}

std::string fuzz::asWritten(StringRef text, uint64_t seed, MLIRContext *context) {
  Random random(seed ^ 0xA5C1);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
  auto models = module->getOps<train::ModelOp>();
  // Moments and weights of 16 bits are rounded at random.
  bool draws =
      text.contains("moments = bf16") || text.contains("weight_rounding = \"stochastic\"") ||
      module->walk([](RandomOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  // A follower in a module is an error.
  draws |= text.contains("train.follow");
  if (models.empty() || draws || !Outliner(*models.begin(), random).run())
    return "";
  std::string written;
  llvm::raw_string_ostream(written) << *module;
  addSize(written, random);
  SmallVector<StringRef> lines;
  StringRef(written).split(lines, '\n');
  return withoutTypes(llvm::join(llvm::map_range(lines, withKnobs), "\n"), context);
}

// ---- Names ----

Record fuzz::withoutModule(const Record &record) {
  Record renamed;
  for (const auto &[name, value] : record) {
    size_t place = name.rfind("/p.");
    renamed[place == std::string::npos ? name
                                       : name.substr(0, place + 1) + name.substr(place + 3)] =
        value;
  }
  return renamed;
}

Record fuzz::withModule(const Record &record) {
  Record renamed = record;
  for (const auto &[name, value] : record)
    if (size_t place = name.rfind('/'); place != std::string::npos)
      renamed[name.substr(0, place + 1) + "p." + name.substr(place + 1)] = value;
  return renamed;
}
