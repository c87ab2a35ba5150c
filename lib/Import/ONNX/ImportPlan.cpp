// Assignment of nodes to the functions `predict` and `loss`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "lib/Import/ONNX/Importer.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

llvm::Error Importer::readLoss() {
  if (StringRef(options.loss).trim().empty())
    return llvm::Error::success();
  if (StringRef text = StringRef(options.loss).trim(); producers.find(text)) {
    loss.emplace_back();
    loss.back().text = loss.back().output = text.str();
  } else if (auto read = readLossText(options.loss)) {
    loss = std::move(*read);
  } else {
    return read.takeError();
  }
  SmallVector<StringRef> made;
  for (const Node &node : model.graph.nodes)
    llvm::append_range(made, node.outputs);
  for (const LossTerm &term : loss)
    if (term.output.empty() && !producers.find(term.values[0]))
      return mistake("expected a value that a node of the file makes, but got " + term.values[0] +
                     didYouMean(term.values[0], made));
  std::vector<std::string> names;
  for (const ValueInfo &output : model.graph.outputs)
    names.push_back(output.name);
  std::vector<std::string> beside;
  for (const std::string &name : names)
    if (!isLossOutput(name) && producers.find(name))
      beside.push_back(name);
  for (const std::string &report : options.reports)
    if (!llvm::is_contained(beside, report))
      return mistake("expected --report to be an output of the file beside the loss (" +
                     (beside.empty() ? "there is none" : llvm::join(beside, ", ")) + "), but got " +
                     shown(report) + didYouMean(report, beside));
  for (const LossTerm &term : loss)
    if (!term.output.empty() && !producers.find(term.output))
      return mistake("expected --loss to be an output of the file (" + llvm::join(names, ", ") +
                     ") or LOSS(VALUE,INPUT), but got " + term.output +
                     didYouMean(term.output, names));
  return llvm::Error::success();
}

bool Importer::hasLossOp() const {
  return llvm::any_of(loss, [](const LossTerm &term) { return !term.kind.empty(); });
}
bool Importer::isLossOutput(StringRef name) const {
  return llvm::any_of(loss, [&](const LossTerm &term) { return term.output == name; });
}

/// Whether the loss takes the logarithm of probabilities. The logarithm is accurate only if fused
/// with the sigmoid or softmax below: a sigmoid that rounds to 1 has no 1 - p left.
static bool hasLogOfProbability(const Slice &whole) {
  auto has = [&](ArrayRef<StringRef> ops) {
    return llvm::any_of(whole.nodes,
                        [&](const Node *node) { return llvm::is_contained(ops, node->op); });
  };
  return has({"Log"}) && has({"Sigmoid", "Softmax"});
}

/// Whether the loss needs only results of `predict`, and no inner value.
bool Importer::canCall(const Slice &whole) const {
  if (!predict || hasLogOfProbability(whole))
    return false;
  llvm::SmallPtrSet<const Node *, 16> inside(predict->slice.nodes.begin(),
                                             predict->slice.nodes.end());
  bool shares = false;
  llvm::StringSet<> results;
  for (const std::string &result : predict->results)
    results.insert(result);
  auto isInner = [&](const std::string &value) {
    const Node *node = producers.find(value);
    return node && inside.contains(node);
  };
  for (const Node *node : whole.nodes) {
    if (inside.contains(node))
      continue;
    for (const std::string &input : node->inputs)
      if (isInner(input)) {
        shares = true;
        if (!results.contains(input))
          return false;
      }
  }
  return shares && llvm::none_of(options.reports, isInner) &&
         llvm::none_of(loss, [&](const LossTerm &term) { return isInner(term.output); });
}

/// Values of the file from which the loss is computed.
std::vector<std::string> Importer::lossNeeds() const {
  std::vector<std::string> needs;
  for (const LossTerm &term : loss)
    for (const std::string &value : term.reads())
      if (!term.output.empty() || producers.isKnown(value))
        needs.push_back(value);
  llvm::append_range(needs, options.reports);
  return needs;
}

llvm::Error Importer::planLoss() {
  std::vector<std::string> wanted = lossNeeds();
  auto whole = producers.slice(wanted);
  if (!whole)
    return whole.takeError();
  auto isResultOrInput = [&](const std::string &value) {
    return !producers.find(value) || llvm::is_contained(predict->results, value);
  };
  train = Plan{"loss", std::move(*whole), {}};
  // Losses of --loss call `predict` if they, and reports beside them, need only its results.
  bool readsResults = predict && llvm::all_of(loss, [&](const LossTerm &term) {
                        return term.kind.empty() || llvm::all_of(term.reads(), isResultOrInput);
                      });
  readsResults &= !hasLossOp() || llvm::all_of(options.reports, isResultOrInput);
  bool hasOutput = llvm::any_of(loss, [](const LossTerm &term) { return term.kind.empty(); });
  calls = readsResults && (!hasOutput || canCall(train->slice));
  if (!calls)
    return llvm::Error::success();
  llvm::StringSet<> end;
  for (const std::string &value : predict->results)
    end.insert(value);
  auto rest = producers.slice(wanted, end);
  if (!rest)
    return rest.takeError();
  train->slice = std::move(*rest);
  return llvm::Error::success();
}

/// Targets: inputs that only the loss reads, without the inputs of the scores.
llvm::Expected<std::vector<std::string>> Importer::targets() const {
  std::vector<std::string> names;
  std::vector<std::string> first, others;
  for (const LossTerm &term : loss) {
    if (term.kind.empty())
      continue;
    first.push_back(term.values[0]);
    llvm::append_range(others, term.reads());
  }
  if (first.empty())
    return names;
  auto scores = producers.slice(first);
  if (!scores)
    return scores.takeError();
  for (const std::string &value : others)
    if (!scores->inputs.contains(value) &&
        llvm::any_of(inputs, [&](const ValueInfo &input) { return input.name == value; }))
      names.push_back(value);
  return names;
}

llvm::Error Importer::plan() {
  Plan outputs = {"predict", {}, {}};
  auto given = targets();
  if (!given)
    return given.takeError();
  std::vector<std::string> names;
  llvm::StringSet<> seen;
  for (const ValueInfo &output : model.graph.outputs)
    if (!isLossOutput(output.name) && !llvm::is_contained(options.reports, output.name) &&
        seen.insert(output.name).second)
      names.push_back(output.name);
  auto whole = producers.slice(names);
  if (!whole)
    return whole.takeError();
  llvm::StringMap<std::string> needs = dependentValues(*whole, *given);
  for (const std::string &name : names)
    if (auto target = needs.find(name); target != needs.end())
      remarks.push_back("the output '" + name + "' is left out, as the output needs " +
                        target->second);
    else
      outputs.results.push_back(name);
  if (!outputs.results.empty()) {
    auto slice = producers.slice(outputs.results);
    if (!slice)
      return slice.takeError();
    outputs.slice = std::move(*slice);
    predict = std::move(outputs);
  }
  if (options.loss.empty())
    return llvm::Error::success();
  return planLoss();
}
