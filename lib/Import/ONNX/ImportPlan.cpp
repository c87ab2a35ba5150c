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
  auto read = readLossText(options.loss);
  if (!read)
    return read.takeError();
  loss = std::move(*read);
  if (loss.output.empty() && !producers.find(loss.values[0])) {
    SmallVector<StringRef> made;
    for (const Node &node : model.graph.nodes)
      llvm::append_range(made, node.outputs);
    return mistake("expected a value that a node of the file makes, but got " + loss.values[0] +
                   didYouMean(loss.values[0], made));
  }
  std::vector<std::string> names;
  for (const ValueInfo &output : model.graph.outputs)
    names.push_back(output.name);
  std::vector<std::string> beside;
  for (const std::string &name : names)
    if (name != loss.output && producers.find(name))
      beside.push_back(name);
  for (const std::string &report : options.reports)
    if (!llvm::is_contained(beside, report))
      return mistake("expected --report to be an output of the file beside the loss (" +
                     (beside.empty() ? "there is none" : llvm::join(beside, ", ")) + "), but got " +
                     shown(report) + didYouMean(report, beside));
  if (loss.output.empty() || producers.find(loss.output))
    return llvm::Error::success();
  return mistake("expected --loss to be an output of the file (" + llvm::join(names, ", ") +
                 ") or LOSS(VALUE,INPUT), but got " + loss.output + didYouMean(loss.output, names));
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
  return shares && !isInner(loss.output) && llvm::none_of(options.reports, isInner);
}

/// Values of the file from which the loss is computed.
std::vector<std::string> Importer::lossNeeds() const {
  std::vector<std::string> needs;
  if (!loss.output.empty())
    needs.push_back(loss.output);
  for (const std::string &value : loss.values)
    if (producers.isKnown(value))
      needs.push_back(value);
  llvm::append_range(needs, options.reports);
  return needs;
}

llvm::Error Importer::planLoss() {
  std::vector<std::string> wanted = lossNeeds();
  auto whole = producers.slice(wanted);
  if (!whole)
    return whole.takeError();
  train = Plan{"loss", std::move(*whole), {}};
  calls = loss.kind.empty()
              ? canCall(train->slice)
              : predict && llvm::all_of(wanted, [&](const std::string &value) {
                  return !producers.find(value) || llvm::is_contained(predict->results, value);
                });
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
  if (loss.kind.empty())
    return names;
  auto scores = producers.slice({loss.values[0]});
  if (!scores)
    return scores.takeError();
  for (const std::string &value : loss.values)
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
    if (output.name != loss.output && !llvm::is_contained(options.reports, output.name) &&
        seen.insert(output.name).second)
      names.push_back(output.name);
  auto whole = producers.slice(names);
  if (!whole)
    return whole.takeError();
  llvm::StringMap<std::string> needs = dependentValues(*whole, *given);
  for (const std::string &name : names)
    if (auto target = needs.find(name); target != needs.end())
      remarks.push_back("the output '" + name + "' is left out, as it needs " + target->second);
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
