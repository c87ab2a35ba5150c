// Interface of node converters: inputs and attributes of the node, and a builder of train ops that
// infers types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_CONVERTER_H
#define LIB_IMPORT_ONNX_CONVERTER_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Literal.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::onnx {
/// Facts about a value of the graph: a small literal, or a value of the function under
/// construction, in the file's dimension order or, for images, channels last: [N, C, ...] -> [N,
/// ..., C], as ampc's ops require. Each representation is created from another on demand.
struct ImportedValue {
  Type type = Type::None;
  Dims dims;
  std::shared_ptr<const Literal> literal;
  mlir::Value plain, channelsLast;
  std::string state; ///< name of the parameter or buffer, for values that are state
  Dims stateDims;    ///< shape of the state if the value is a repetition or transpose; else empty
  std::shared_ptr<const struct Sequence> sequence; ///< set for sequences only
};
/// A sequence as linked list: the elements in front and the last element; empty if `size` is 0.
struct Sequence {
  std::shared_ptr<const Sequence> front;
  ImportedValue last;
  int64_t size = 0;
};
using Scope = llvm::StringMap<ImportedValue>;

/// Converter of a single node. A builder that fails records the fault and returns null; all
/// builders pass null on, so converters need no checks.
class Converter {
public:
  Converter(mlir::OpBuilder &b, const Node &node, int64_t opset, Scope &scope)
      : b(b), node(node), opset(opset), scope(scope) {}

  mlir::OpBuilder &b;
  const Node &node;
  const int64_t opset;              ///< of the node's domain
  std::string fault;                ///< first fault
  LayerMode mode = LayerMode::File; ///< of batch norm and dropout
  bool isFixedNorm = false;         ///< set by batch norms that use the file's statistics

  /// Records a fault of the node; the result of a builder that fails.
  std::nullptr_t fail(const llvm::Twine &message);

  // ---- Inputs and attributes ----
  bool has(unsigned i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
  unsigned inputs() const { return node.inputs.size(); }
  /// Input in the dimension order of the file.
  mlir::Value in(unsigned i);
  /// Input without a gradient: the class weights of a loss, a buffer in PyTorch, would fall to zero
  /// in training.
  mlir::Value fixed(unsigned i);
  /// Input with channels last: [N, ..., C].
  mlir::Value image(unsigned i);
  ImportedValue known(unsigned i) const;
  mlir::Value valueOf(ImportedValue &known);
  bool isChannelsLast(unsigned i) const;
  const Literal *literal(unsigned i) const;
  /// Literal of the file for an input that is a setting, even if the input may be a parameter.
  const Literal *setting(unsigned i) const;
  llvm::ArrayRef<int64_t> dims(unsigned i) const;
  int64_t rank(unsigned i) const { return dims(i).size(); }
  Type type(unsigned i) const;
  /// Name of the parameter or buffer of the input; empty, with a fault recorded, for other values.
  std::string state(unsigned i);

  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  double real(llvm::StringRef name, double otherwise) const;
  std::string text(llvm::StringRef name, llvm::StringRef otherwise) const;
  std::optional<Dims> ints(llvm::StringRef name) const;
  /// Numbers of an input that must be known; nothing, with a fault recorded, otherwise.
  std::optional<Dims> numbers(unsigned i, llvm::StringRef what);
  /// An attribute of older opsets that became an input; nothing if both are absent.
  std::optional<Dims> numbersOf(llvm::StringRef attribute, unsigned input);
  /// Axis from a number that may count from the end: -1, rank 4 -> 3; -1 with a fault recorded if
  /// out of range.
  int64_t axis(int64_t number, int64_t rank);
  /// The node's attribute `axis` as a dimension of the input.
  int64_t axisOf(unsigned input, int64_t otherwise);

  // ---- Results ----
  void set(unsigned i, mlir::Value value);
  void setImage(unsigned i, mlir::Value value);
  void set(unsigned i, Literal literal);
  void set(unsigned i, ImportedValue known);
  /// Binds output i to the value of input `from`.
  void pass(unsigned i, unsigned from);
  bool wants(unsigned i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }

  // ---- Building ----
  /// Creates an op with inferred types, or with type `result` for ops without inference.
  mlir::Operation *op(llvm::StringRef name, mlir::ValueRange operands,
                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {}, mlir::Type result = {},
                      unsigned results = 1);
  template <typename Op>
  mlir::Value make(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                   mlir::Type result = {}) {
    mlir::Operation *made = op(Op::getOperationName(), operands, attributes, result);
    return made ? made->getResult(0) : mlir::Value();
  }
  mlir::NamedAttribute attr(llvm::StringRef name, llvm::ArrayRef<int64_t> numbers);
  mlir::NamedAttribute attr(llvm::StringRef name, int64_t number);
  mlir::NamedAttribute attr(llvm::StringRef name, double number);
  mlir::NamedAttribute flag(llvm::StringRef name);

  mlir::Value constant(const Literal &literal);
  /// Scalar of rank 0 in the element type of `like`.
  mlir::Value real(double number, mlir::Value like);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value compare(train::ComparePredicate predicate, mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value broadcastTo(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  mlir::Value cast(mlir::Value x, mlir::Type element);
  mlir::Value slice(mlir::Value x, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides);
  mlir::Value reduce(llvm::StringRef name, mlir::Value x, llvm::ArrayRef<int64_t> dims, bool keep);
  mlir::Value concat(mlir::ValueRange parts, int64_t axis);
  /// Vector 0, step, 2 step, ..., by an op, so that the text may contain a formula for `count`.
  mlir::Value countBy(int64_t step, int64_t count);
  /// Gathers elements along a dimension in the order of `index`; negative numbers count from the
  /// end.
  mlir::Value take(mlir::Value x, int64_t axis, mlir::Value index);
  mlir::Value take(mlir::Value x, int64_t axis, llvm::ArrayRef<int64_t> index);

  /// Element type that values of the file have in a model.
  mlir::Type elementOf(Type type) const;
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType()).getShape();
  }
  static mlir::Type elementOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType()).getElementType();
  }

private:
  ImportedValue *find(unsigned i) const;
  mlir::Value readState(const ImportedValue &known);
  ImportedValue &define(unsigned i, Type type);

  Scope &scope;
};

/// Permutation [N, C, ...] -> [N, ..., C], and the inverse.
Dims toChannelsLast(int64_t rank);
Dims toChannelsFirst(int64_t rank);

using Convert = void (*)(Converter &c);
/// Converter of a kind of node, valid from opset `since` on.
struct Entry {
  llvm::StringLiteral op;
  Convert convert;
  int64_t since = 1;
};
/// Entries by family.
llvm::ArrayRef<Entry> pointwiseEntries();
llvm::ArrayRef<Entry> shapeEntries();
llvm::ArrayRef<Entry> productEntries();
llvm::ArrayRef<Entry> imageEntries();
llvm::ArrayRef<Entry> reductionEntries();
llvm::ArrayRef<Entry> indexEntries();
llvm::ArrayRef<Entry> recurrentEntries();
llvm::ArrayRef<Entry> poolEntries();
llvm::ArrayRef<Entry> orderEntries();
llvm::ArrayRef<Entry> attentionEntries();
llvm::ArrayRef<Entry> sequenceEntries();
llvm::ArrayRef<Entry> knownEntries();
/// Entries of the domain `trainingDomain`.
llvm::ArrayRef<Entry> trainingEntries();
/// Entry of the op; null if the op cannot be imported.
const Entry *findEntry(llvm::StringRef domain, llvm::StringRef op);
} // namespace ampc::onnx
#endif
