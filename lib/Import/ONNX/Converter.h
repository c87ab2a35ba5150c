// What converters of nodes see: the node's inputs and attributes, and a builder of train ops that
// infers types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_CONVERTER_H
#define LIB_IMPORT_ONNX_CONVERTER_H

#include "lib/Import/ONNX/Literal.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::onnx {
/// What is known of a value of the graph: a small tensor, or a value of the function that is being
/// built, with its dimensions as in the file, or with those of an image (N, C, ...) in the order
/// (N, ..., C) that ampc's ops want. Each is made from the others when it is asked for.
struct Known {
  Type type = Type::None;
  Dims dims;
  std::shared_ptr<const Literal> literal;
  mlir::Value plain, channelsLast;
  std::string state; ///< the parameter or buffer that it is
  Dims stateDims;    ///< what is read has these and is repeated, or transposed; else empty
  std::shared_ptr<const struct Sequence> sequence; ///< which is nothing else
};
/// The elements of another one and one behind them; none if the size is 0.
struct Sequence {
  std::shared_ptr<const Sequence> front;
  Known last;
  int64_t size = 0;
};
using Scope = llvm::StringMap<Known>;

/// What a builder or check returns when it has noted a fault.
struct Failed {
  operator mlir::Value() const { return {}; }
  operator mlir::Operation *() const { return nullptr; }
  operator bool() const { return false; }
};

/// One node. A builder that fails notes why and returns null; nulls go through all methods, so that
/// a converter need not look.
class Converter {
public:
  Converter(mlir::OpBuilder &b, const Node &node, int64_t opset, Scope &scope)
      : b(b), node(node), opset(opset), scope(scope) {}

  mlir::OpBuilder &b;
  const Node &node;
  const int64_t opset;      ///< of the node's domain
  std::string fault;        ///< of the first that went wrong
  bool trains = false;      ///< whether a node that was exported for inference is one of training
  bool isFixedNorm = false; ///< noted of a batch norm with the statistics of the file

  /// Notes what is wrong with the node.
  Failed fail(const llvm::Twine &message);

  // ---- Inputs and attributes ----
  bool has(unsigned i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
  unsigned inputs() const { return node.inputs.size(); }
  /// Dimensions in the order of the file.
  mlir::Value in(unsigned i);
  /// (N, ..., C).
  mlir::Value image(unsigned i);
  Known known(unsigned i) const;
  mlir::Value valueOf(Known &known);
  bool isChannelsLast(unsigned i) const;
  const Literal *literal(unsigned i) const;
  /// What the file has for an input that says how to compute, be it learned or not.
  const Literal *setting(unsigned i) const;
  llvm::ArrayRef<int64_t> dims(unsigned i) const;
  int64_t rank(unsigned i) const { return dims(i).size(); }
  Type type(unsigned i) const;
  /// The parameter or buffer that the input is; empty with a fault noted if it is none.
  std::string state(unsigned i);

  int64_t integer(llvm::StringRef name, int64_t otherwise) const;
  double real(llvm::StringRef name, double otherwise) const;
  std::string text(llvm::StringRef name, llvm::StringRef otherwise) const;
  std::optional<Dims> ints(llvm::StringRef name) const;
  /// Numbers of an input, which have to be known; nothing with a fault noted.
  std::optional<Dims> numbers(unsigned i, llvm::StringRef what);
  /// An attribute of older opsets that became an input; nothing if there is neither.
  std::optional<Dims> numbersOf(llvm::StringRef attribute, unsigned input);
  /// From a number that may count from the end; -1 with a fault noted.
  int64_t axis(int64_t number, int64_t rank);
  /// `axis` of the node.
  int64_t axisOf(unsigned input, int64_t otherwise);

  // ---- Results ----
  void set(unsigned i, mlir::Value value);
  void setImage(unsigned i, mlir::Value value);
  void set(unsigned i, Literal literal);
  void set(unsigned i, Known known);
  /// Output i is what input `from` is.
  void pass(unsigned i, unsigned from);
  bool wants(unsigned i) const { return i < node.outputs.size() && !node.outputs[i].empty(); }

  // ---- Building ----
  /// The op with types that follow, or with `result`, which then has to be given.
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
  /// Of rank 0, and of the type of `like`.
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
  /// 0, step, 2 step, ... as a vector: an op, so that the text may have another `count`.
  mlir::Value countBy(int64_t step, int64_t count);
  /// Elements of one dimension by number, in the order of `index`; negative ones count from the
  /// end.
  mlir::Value take(mlir::Value x, int64_t axis, mlir::Value index);
  mlir::Value take(mlir::Value x, int64_t axis, llvm::ArrayRef<int64_t> index);

  /// The type that values of the file have in a model.
  mlir::Type elementOf(Type type) const;
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType()).getShape();
  }
  static mlir::Type elementOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType()).getElementType();
  }

private:
  Known *find(unsigned i) const;
  mlir::Value readState(const Known &known);
  Known &define(unsigned i, Type type);

  Scope &scope;
};

/// (N, C, ...) to (N, ..., C), and back.
Dims toChannelsLast(int64_t rank);
Dims toChannelsFirst(int64_t rank);

using Convert = void (*)(Converter &c);
/// One kind of node: the opsets in which it is what its converter takes it for.
struct Entry {
  llvm::StringLiteral op;
  Convert convert;
  int64_t since = 1;
};
/// Those of every family.
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
/// Those of the domain `trainingDomain`.
llvm::ArrayRef<Entry> trainingEntries();
/// Null for an op that cannot be imported.
const Entry *findEntry(llvm::StringRef domain, llvm::StringRef op);
} // namespace ampc::onnx
#endif
