// Conversion of a function's nodes in order, with a record of faults.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Nodes.h"
#include "lib/Import/ONNX/Dequantize.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

int64_t Nodes::opsetOf(const Node &node) const {
  auto version = model.opsets.find(node.domain);
  return version == model.opsets.end() ? 1 : version->second;
}

void Nodes::note(const Twine &fault) {
  std::string text = fault.str();
  // A node may be in two functions.
  if (record.noted.insert(text).second)
    record.faults.push_back(std::move(text));
}

static std::string describe(const Node &node, int64_t opset) {
  return "node " + nameOf(node) + " (" + (node.domain.empty() ? "" : node.domain + ".") + node.op +
         ", opset " + std::to_string(opset) + ")";
}

void Nodes::noteUnconverted(const Node &node, const std::string &fault) {
  record.isOneUnconverted = true;
  note(describe(node, opsetOf(node)) + ": " + fault);
}

/// Whether the node reads values of the graph beyond its inputs: by subgraphs, or by name.
static bool seesMoreThanInputs(const Node &node) {
  return isGradient(node) ||
         (node.domain.empty() && (node.op == "If" || node.op == "Loop" || node.op == "Scan"));
}

void Nodes::noteFixedNorm(const std::string &name) {
  if (!llvm::is_contained(record.fixedNorms, name))
    record.fixedNorms.push_back(name);
}

void Nodes::noteWrittenOut(const Node &node, int64_t times) {
  std::string text = "node " + nameOf(node) + " (" + node.op + ") is written out, " +
                     std::to_string(times) + (times == 1 ? " time" : " times");
  if (!llvm::is_contained(record.remarks, text))
    record.remarks.push_back(std::move(text));
}

bool Nodes::repeat(Converter &c, int64_t count) {
  record.repeated += count;
  return record.repeated <= mostRepeated ||
         c.fail("expected at most " + Twine(mostRepeated) +
                " nodes in all rounds of loops and all points of derivatives");
}

/// Reason why a node of a kind without a converter cannot be imported.
static std::string reasonAgainst(const Node &node) {
  StringRef op = node.op;
  if (node.domain == "ai.onnx.ml" && (op.contains("Tree") || op.starts_with("SVM")))
    return "trees and support vectors have nothing to train by gradients";
  if (isQuantization(op))
    return "the file is quantized in a form without weights in f32; import the file before "
           "quantization";
  return "there is no converter for this op";
}

void Nodes::checkKinds(ArrayRef<const Node *> nodes) {
  for (const Node *node : nodes)
    if (!findEntry(node->domain, node->op) && !seesMoreThanInputs(*node)) {
      record.lacksConverter = true;
      note(describe(*node, opsetOf(*node)) + ": " + reasonAgainst(*node));
    }
}

char NodeFaults::ID;

llvm::Error Nodes::errors() const {
  std::string text;
  if (!record.missingFiles.empty())
    text =
        "expected " + llvm::join(record.missingFiles, ", ") +
        " beside the model, with values of initializers, but the folder has no file of this name";
  else
    text = "expected nodes that ampc can import, but got " + std::to_string(record.faults.size()) +
           (record.faults.size() == 1 ? " fault:" : " faults:");
  for (const std::string &fault : record.faults)
    text += "\n  " + fault;
  return llvm::make_error<NodeFaults>(text, record.isOneUnconverted && !record.lacksConverter &&
                                                record.missingFiles.empty());
}

/// Hint on an input that decides a condition and may have a value by an option; "" if there is
/// none.
std::string Nodes::inputOptionFor(const std::string &condition) const {
  auto slice = producers.slice({condition});
  if (!slice) {
    llvm::consumeError(slice.takeError());
    return "";
  }
  for (const ValueInfo &input : model.graph.inputs)
    if (slice->inputs.contains(input.name) && (!onnx::isReal(input.type) || input.dims.empty()))
      return "; --input " + input.name + "=NUMBER gives an input a value";
  return "";
}

/// Converts If: the branch of a condition known at import replaces the node.
bool Nodes::convertIf(OpBuilder &b, const Node &node, Scope &scope) {
  Converter c(b, node, opsetOf(node), scope);
  const Literal *condition = c.literal(0);
  if (!condition || condition->count() != 1) {
    noteUnconverted(node,
                    "expected a condition that follows from the shapes of the model's inputs" +
                        inputOptionFor(node.inputs.empty() ? "" : node.inputs[0]));
    return false;
  }
  const onnx::Attribute *branch = node.find(condition->integer(0) ? "then_branch" : "else_branch");
  if (!branch || !branch->graph || branch->graph->outputs.size() < node.outputs.size()) {
    noteUnconverted(node, "expected a branch with the node's outputs");
    return false;
  }
  if (!convertBody(b, *branch->graph, scope))
    return false;
  for (auto [i, output] : llvm::enumerate(node.outputs)) {
    auto found = scope.find(branch->graph->outputs[i].name);
    if (found == scope.end())
      return false;
    ImportedValue known = found->second;
    if (!output.empty())
      scope[output] = known;
  }
  return true;
}

bool Nodes::convert(OpBuilder &b, const Node &node, Scope &scope) {
  if (llvm::any_of(node.inputs, [&](const std::string &input) {
        return record.missing.contains(input) || (!input.empty() && !scope.contains(input));
      }))
    return false;
  if (node.op == "If" && node.domain.empty())
    return convertIf(b, node, scope);
  int64_t opset = opsetOf(node);
  const Entry *entry = findEntry(node.domain, node.op);
  if (!entry && !seesMoreThanInputs(node))
    return false;
  Converter c(b, node, opset, scope);
  c.mode = modes.of(node);
  std::string said;
  ScopedDiagnosticHandler handler(b.getContext(), [&](Diagnostic &diagnostic) {
    if (said.empty())
      said = diagnostic.str();
    return success();
  });
  if (!entry && node.op == "Loop")
    convertLoop(b, c, scope);
  else if (!entry && isGradient(node))
    convertGradient(b, c, scope);
  else if (!entry)
    convertScan(b, c, scope);
  else if (opset < entry->since && node.domain.empty())
    c.fail("expected opset " + Twine(entry->since) + " or later");
  else
    entry->convert(c);
  for (auto [i, output] : llvm::enumerate(node.outputs))
    if (c.fault.empty() && c.wants(i) && !scope.contains(output))
      c.fail(i == 0 ? Twine("expected a result") : "expected no use of output " + Twine(i));
  if (c.isFixedNorm)
    noteFixedNorm(nameOf(node));
  if (c.fault.empty())
    return true;
  noteUnconverted(node, said.empty() ? c.fault : said);
  return false;
}

void Nodes::convert(OpBuilder &b, ArrayRef<const Node *> nodes, Scope &scope) {
  for (const Node *node : nodes)
    if (!convert(b, *node, scope))
      for (const std::string &output : node->outputs)
        record.missing.insert(output);
}
