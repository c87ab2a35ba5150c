// Printer of functions in the language's short form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Print.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;

std::string onnx::typeText(mlir::Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tensor.getElementType() << '[';
  llvm::interleaveComma(tensor.getShape(), os);
  os << ']';
  return text;
}

/// Whether the language reads the name without quotes.
static bool isName(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  });
}

std::string onnx::symbolText(StringRef name) {
  if (isName(name))
    return "@" + name.str();
  std::string text = "@\"";
  llvm::raw_string_ostream os(text);
  llvm::printEscapedString(name, os);
  return text + "\"";
}

static std::string nameOf(Value value, AsmState &state) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.printAsOperand(os, state);
  return text;
}

/// Text without the trailing types, outside strings and brackets.
static StringRef withoutTypes(StringRef text) {
  int depth = 0;
  bool inString = false;
  size_t end = StringRef::npos;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\';
    else if (c == '-' && text.substr(i).starts_with("->"))
      ++i;
    else if (StringRef("([{<").contains(c))
      ++depth;
    else if (StringRef(")]}>").contains(c))
      --depth;
    else if (depth == 0 && text.substr(i).starts_with(" : "))
      end = i;
  }
  return text.substr(0, end);
}

/// Whether the types of operands and result follow from the op; a constant's type does not.
static bool hasTypesThatFollow(Operation &op) {
  return !isa<train::ConstantOp>(op) &&
         (isa<InferTypeOpInterface, train::MatmulOp, train::Conv2dOp, train::Conv2dGradInputOp,
              train::AttentionOp, train::CallOp, train::ReshapeOp, train::BroadcastToOp,
              train::CastOp, train::OneHotOp, train::IotaOp, train::NextOp>(op));
}

static void printReturn(llvm::raw_ostream &os, train::ReturnOp op, AsmState &state) {
  os << "    train.return ";
  llvm::interleaveComma(op->getOpOperands(), os, [&](OpOperand &result) {
    result.get().printAsOperand(os, state);
    auto func = cast<train::FuncOp>(op->getParentOp());
    auto output = Signature(func).result<train::OutputAttr>(result);
    if (output && output.getName()) {
      llvm::printEscapedString(output.getName().getValue(), os << " as \"");
      os << '"';
    }
  });
  os << "\n";
}

static void printOp(llvm::raw_ostream &os, Operation &op, AsmState &state, unsigned indent);

/// A loop: its first line, and the ops of a round.
static void printLoop(llvm::raw_ostream &os, train::ScanOp scan, AsmState &state, unsigned indent) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  scan->print(stream, state);
  StringRef head = StringRef(text).split('\n').first;
  os.indent(indent) << withoutTypes(head.rtrim("{ ")) << " {\n";
  for (Operation &op : scan.getBody().front())
    printOp(os, op, state, indent + 2);
  os.indent(indent) << "}\n";
}

static void printOp(llvm::raw_ostream &os, Operation &op, AsmState &state, unsigned indent) {
  if (auto scan = dyn_cast<train::ScanOp>(op)) {
    printLoop(os, scan, state, indent);
    return;
  }
  if (auto read = dyn_cast<train::ReadOp>(op)) {
    std::string name = nameOf(read, state);
    if (StringRef(name).drop_front() != read.getState())
      os.indent(indent) << name << " = train.read " << onnx::symbolText(read.getState()) << "\n";
    return;
  }
  if (auto returned = dyn_cast<train::ReturnOp>(op)) {
    printReturn(os, returned, state);
    return;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  op.print(stream, state);
  os.indent(indent);
  if (!hasTypesThatFollow(op)) {
    os << text << "\n";
    return;
  }
  os << withoutTypes(text);
  if (isa<train::ReshapeOp, train::BroadcastToOp>(op)) {
    std::string type = onnx::typeText(op.getResult(0).getType());
    os << " to " << StringRef(type).substr(type.find('['));
  } else if (isa<train::CastOp>(op)) {
    os << " to " << getElementTypeOrSelf(op.getResult(0).getType());
  } else if (isa<train::OneHotOp>(op)) {
    os << " to " << onnx::typeText(op.getResult(0).getType());
  } else if (isa<train::IotaOp>(op)) {
    os << " : " << onnx::typeText(op.getResult(0).getType());
  } else if (isa<train::Conv2dGradInputOp>(op)) {
    os << " : (" << onnx::typeText(op.getOperand(0).getType()) << ", "
       << onnx::typeText(op.getOperand(1).getType()) << ") -> "
       << onnx::typeText(op.getResult(0).getType());
  }
  os << "\n";
}

/// An argument; a name of the file that is no name of the language is an attribute:
/// %serving_x3A0: f32[4] {train.is = #train.input<"serving_x:0">}.
static void printArgument(llvm::raw_ostream &os, BlockArgument argument, AsmState &state) {
  std::string printed = nameOf(argument, state);
  os << printed << ": " << onnx::typeText(argument.getType());
  auto loc = dyn_cast<NameLoc>(argument.getLoc());
  if (!loc || loc.getName().empty() || StringRef(printed).drop_front() == loc.getName())
    return;
  os << " {" << Signature::key << " = #train.input<\"";
  llvm::printEscapedString(loc.getName().getValue(), os);
  os << "\">}";
}

void onnx::printFunction(llvm::raw_ostream &os, train::FuncOp func) {
  // Printed outside a model, so calls have no callee and the verifier would fail.
  AsmState state(func, OpPrintingFlags().printNameLocAsPrefix().assumeVerified());
  os << "  train.func " << symbolText(func.getName()) << "(";
  llvm::interleaveComma(func.getArguments(), os,
                        [&](BlockArgument argument) { printArgument(os, argument, state); });
  os << ") {\n";
  for (Operation &op : func.front())
    printOp(os, op, state, 4);
  os << "  }\n";
}
