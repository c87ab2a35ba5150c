// What exporters of ops see: the operands as values of the graph, and a builder of nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_EMITTER_H
#define LIB_EXPORT_ONNX_EMITTER_H

#include "ampc/Train/BatchAnalysis.h"
#include "lib/Export/ONNX/Constants.h"
#include "lib/Export/ONNX/Graph.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <map>

namespace ampc::exporting {
/// Numbers with a name, which is that of the first form in which the graph has them.
struct Constant {
  std::string name;
  Array array;
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, std::string> forms;
};

/// A value of the model: one of the graph, or a constant that becomes one when a node reads it.
/// Dimension i of the one in the graph is dimension order[i] of the model's. So a transpose is no
/// node: images stay in the order N, C, H, W from one convolution to the next.
struct Traced {
  std::string name;
  Dims order;
  std::shared_ptr<Constant> constant;
  std::optional<BatchPlace> rows; ///< of the batch
  bool isRepeated = false;        ///< the graph has one row, which stands for all
};

/// How the graph has rows of the batch.
enum class RowsInGraph {
  Any,         ///< any number of them
  AnyRepeated, ///< and values that are the same in every row, such as a class token, as one row
  Fixed        ///< those of the model
};

struct Fault {
  std::string op, reason;
};

class Emitter {
public:
  /// `stateOf` gives the value of a parameter or buffer; `rows` is the model's number of them.
  Emitter(Model &model, std::function<Array(llvm::StringRef)> stateOf, RowsInGraph kind,
          int64_t rows)
      : model(model), rows(rows), stateOf(std::move(stateOf)), kind(kind) {}

  Model &model;
  llvm::MapVector<mlir::Location, Fault> faults;
  const int64_t rows;
  mlir::Operation *mixesRows = nullptr; ///< the first op that does; then no graph has any number

  // ---- Values ----
  Traced &trace(mlir::Value v);
  void bind(mlir::Value v, Traced traced) { values[v] = std::move(traced); }
  /// The name of the value in the graph, in the model's order of dimensions or in another one.
  std::string in(mlir::Value v);
  std::string in(mlir::Value v, llvm::ArrayRef<int64_t> order);
  /// In the model's order, and as an element type.
  std::string in(mlir::Value v, mlir::Type element);
  /// With dimensions of size 1 before the others, as broadcasting takes it.
  std::string in(mlir::Value v, llvm::ArrayRef<int64_t> order, int64_t rank);
  /// Of a parameter or buffer.
  std::string state(llvm::StringRef name);
  void forget(mlir::Value v) { values.erase(v); }
  Dims order(mlir::Value v) { return trace(v).order; }
  bool isConstant(mlir::Value v) { return bool(trace(v).constant); }
  bool isBatched(mlir::Value v) { return trace(v).rows.has_value(); }
  bool isRepeated(mlir::Value v) { return trace(v).isRepeated; }
  /// As an input, from which the graph knows the number of rows.
  void bindInput(mlir::Value v, llvm::StringRef name, std::optional<BatchPlace> place);
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value v) { return typeOf(v).getShape(); }
  static int64_t rankOf(mlir::Value v) { return typeOf(v).getRank(); }
  static mlir::RankedTensorType typeOf(mlir::Value v) {
    return llvm::cast<mlir::RankedTensorType>(v.getType());
  }
  static mlir::Type elementTypeOf(mlir::Value v) { return typeOf(v).getElementType(); }
  /// Sizes for a node that makes the value: -1 for one that follows from the number of rows.
  Dims sizesOf(mlir::Value v);
  ValueInfo describe(mlir::Value v, llvm::StringRef name);

  // ---- Results ----
  /// What the value is: a node's result, in the model's order or another one.
  void set(mlir::Value v, std::string name, llvm::ArrayRef<int64_t> order);
  void set(mlir::Value v, std::string name) { set(v, std::move(name), identity(rankOf(v))); }
  void alias(mlir::Value v, mlir::Value of);
  /// Nothing of ONNX does what the op does.
  void fail(mlir::Operation *op, const llvm::Twine &reason);

  // ---- Nodes ----
  /// A node's first result, called after the op.
  std::string node(llvm::StringRef kind, llvm::ArrayRef<std::string> inputs,
                   std::vector<NodeAttribute> attributes = {});
  std::vector<std::string> nodes(llvm::StringRef kind, llvm::ArrayRef<std::string> inputs,
                                 std::vector<NodeAttribute> attributes, unsigned results);
  std::string cast(std::string x, mlir::Type from, mlir::Type to);
  std::string transpose(const std::string &x, llvm::ArrayRef<int64_t> order);
  /// Constants, each once.
  std::string number(double value, mlir::Type element);
  std::string integers(llvm::ArrayRef<int64_t> values);
  std::string initializer(llvm::StringRef name, Array array);
  /// Positions along a dimension of that rank, as i32.
  std::string positions(int64_t size, int64_t dim, int64_t rank);

  /// Sets what nodes are called after, until the next.
  void enter(mlir::Operation *op);
  /// What has a single reader, which this op computes along with itself.
  void skip(mlir::Operation *op) { skipped.insert(op); }
  bool isSkipped(mlir::Operation *op) const { return skipped.contains(op); }
  std::string unique(llvm::StringRef name);
  /// Gives a node's result the name of an output; false if it has to keep its own.
  bool rename(const std::string &from, const std::string &to);

  /// Begins with the results of an op: notes which of them hold rows of the batch.
  void noteRows(mlir::Operation *op);
  /// A row that stands for all becomes as many as there are.
  void repeat(mlir::Value v);
  /// A tensor of sizes for a value, in which the graph counts its rows.
  std::string sizes(mlir::Value v, Dims dims);

private:
  std::string form(Constant &constant, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> order);

  std::string countRows(int64_t times);
  std::shared_ptr<Constant> constantOf(llvm::StringRef state);

  std::function<Array(llvm::StringRef)> stateOf;
  llvm::StringMap<std::shared_ptr<Constant>> states;
  RowsInGraph kind;
  std::string rowsInput; ///< an input with them, at that place
  int64_t rowsDim = 0, rowsTimes = 1;
  std::string current;
  mlir::DenseMap<mlir::Value, Traced> values;
  llvm::StringSet<> names;
  llvm::StringMap<std::string> shared; ///< constants, by what they are
  std::map<std::pair<std::string, std::vector<int64_t>>, std::string> transposes;
  llvm::DenseSet<mlir::Operation *> skipped;
};

/// Writes nodes for one op.
using Emit = void (*)(Emitter &e, mlir::Operation *op);
struct Entry {
  llvm::StringRef op;
  Emit emit;
};
template <typename Op, void (*emit)(Emitter &, Op)> Entry entry() {
  return {Op::getOperationName(),
          [](Emitter &e, mlir::Operation *op) { emit(e, llvm::cast<Op>(op)); }};
}
/// One node for an op, element by element.
template <typename Op> Entry entry(Emit emit) { return {Op::getOperationName(), emit}; }
std::vector<Entry> pointwiseEntries();
std::vector<Entry> moveEntries();
std::vector<Entry> productEntries();
std::vector<Entry> imageEntries();
std::vector<Entry> normEntries();
std::vector<Entry> lossEntries();
/// Null for an op without a counterpart.
Emit findEmit(llvm::StringRef op);

/// The result has one element per element of the operands, which broadcast: names of the operands
/// in one order, and that order.
struct Aligned {
  std::vector<std::string> names;
  Dims order;
};
Aligned align(Emitter &e, mlir::ValueRange operands, int64_t rank);
/// log(1 + x), exact for small x too.
std::string log1p(Emitter &e, const std::string &x, mlir::Type element);
/// Where a result of an op that sees rows of the batch holds them; nothing if it mixes them, or if
/// it has something for every row of the model.
std::optional<BatchPlace> rowsOfResult(Emitter &e, mlir::OpResult result);
/// The dimension along which a value without rows of the batch is the same for each, or -1.
int64_t repeatedDimension(mlir::Value v, int64_t rows);
/// Makes as many rows of those that stand for all as the op's node needs.
void repeatOperands(Emitter &e, mlir::Operation *op);
} // namespace ampc::exporting
#endif
