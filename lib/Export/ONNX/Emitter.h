// Interface of op exporters: operands as values of the graph, and a builder of nodes.
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
/// A constant, named after the first form (shape and order) in which the graph holds the data.
struct Constant {
  std::string name;
  Array array;
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, std::string> forms;
};

/// A value of the model: a value of the graph, or a constant that is materialized when a node reads
/// it. Dimension i of the graph's value is dimension order[i] of the model's value, so a transpose
/// is no node: images stay [N, C, H, W] from convolution to convolution.
struct GraphValue {
  std::string name;
  Dims order;
  std::shared_ptr<Constant> constant;
  std::optional<BatchLayout> rows; ///< batch dimension
  bool isSingleRow = false;        ///< the graph has a single row that stands for all rows
};

/// Number of batch rows that the graph accepts.
enum class BatchMode {
  Any,         ///< any number of rows
  AnyRepeated, ///< any number; values equal in every row, such as a class token, have a single row
  Fixed        ///< the number of rows of the model
};

struct Fault {
  std::string op, reason;
};

class Emitter {
public:
  /// `stateOf` returns the value of a parameter or buffer; `rows` is the model's batch size.
  Emitter(Model &model, std::function<Array(llvm::StringRef)> stateOf, BatchMode kind, int64_t rows)
      : model(model), rows(rows), stateOf(std::move(stateOf)), kind(kind) {}

  Model &model;
  llvm::MapVector<mlir::Location, Fault> faults;
  const int64_t rows;
  /// First op that computes with several rows of the batch: the graph then needs a fixed number of
  /// rows. Null if rows are independent.
  mlir::Operation *mixesRows = nullptr;

  // ---- Values ----
  GraphValue &trace(mlir::Value v);
  void bind(mlir::Value v, GraphValue traced) { values[v] = std::move(traced); }
  /// Name of the value in the graph, in the model's dimension order or in the given order.
  std::string in(mlir::Value v);
  std::string in(mlir::Value v, llvm::ArrayRef<int64_t> order);
  /// Name of the value in the model's order, cast to the element type.
  std::string in(mlir::Value v, mlir::Type element);
  /// Name of the value with leading dimensions of size 1 up to `rank`, as for broadcasting.
  std::string in(mlir::Value v, llvm::ArrayRef<int64_t> order, int64_t rank);
  /// Name of a parameter or buffer.
  std::string state(llvm::StringRef name);
  void forget(mlir::Value v) { values.erase(v); }
  Dims order(mlir::Value v) { return trace(v).order; }
  bool isConstant(mlir::Value v) { return bool(trace(v).constant); }
  bool isBatched(mlir::Value v) { return trace(v).rows.has_value(); }
  bool isSingleRow(mlir::Value v) { return trace(v).isSingleRow; }
  /// Binds an input, from which the graph computes the number of rows.
  void bindInput(mlir::Value v, llvm::StringRef name, std::optional<BatchLayout> place);
  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value v) { return typeOf(v).getShape(); }
  static int64_t rankOf(mlir::Value v) { return typeOf(v).getRank(); }
  static mlir::RankedTensorType typeOf(mlir::Value v) {
    return llvm::cast<mlir::RankedTensorType>(v.getType());
  }
  static mlir::Type elementTypeOf(mlir::Value v) { return typeOf(v).getElementType(); }
  /// Sizes for a node that computes the value: -1 for a size that depends on the number of rows.
  Dims sizesOf(mlir::Value v);
  ValueInfo describe(mlir::Value v, llvm::StringRef name);

  // ---- Results ----
  /// Binds the value to a node's result, in the model's order or in another order.
  void set(mlir::Value v, std::string name, llvm::ArrayRef<int64_t> order);
  void set(mlir::Value v, std::string name) { set(v, std::move(name), identity(rankOf(v))); }
  void alias(mlir::Value v, mlir::Value of);
  /// Records that ONNX has no counterpart of the op.
  void fail(mlir::Operation *op, const llvm::Twine &reason);

  // ---- Nodes ----
  /// Adds a node named after the op; returns the first result.
  std::string node(llvm::StringRef kind, llvm::ArrayRef<std::string> inputs,
                   std::vector<NodeAttribute> attributes = {});
  std::vector<std::string> nodes(llvm::StringRef kind, llvm::ArrayRef<std::string> inputs,
                                 std::vector<NodeAttribute> attributes, unsigned results);
  std::string cast(std::string x, mlir::Type from, mlir::Type to);
  std::string transpose(const std::string &x, llvm::ArrayRef<int64_t> order);
  /// Constants; equal constants share a name.
  std::string number(double value, mlir::Type element);
  std::string integers(llvm::ArrayRef<int64_t> values);
  std::string initializer(llvm::StringRef name, Array array);
  /// Positions along a dimension as i32, shaped for broadcasting to the rank: size 4, dim 0, rank 2
  /// -> [4, 1].
  std::string positions(int64_t size, int64_t dim, int64_t rank);

  /// Sets the op after which nodes are named.
  void enter(mlir::Operation *op);
  /// Marks an op whose only consumer computes the op along with itself.
  void skip(mlir::Operation *op) { skipped.insert(op); }
  bool isSkipped(mlir::Operation *op) const { return skipped.contains(op); }
  std::string unique(llvm::StringRef name);
  /// A name behind the current op's.
  std::string uniqueHere(llvm::StringRef name) { return unique(current + "/" + name.str()); }
  /// Nodes that `emit` adds, as the body of a loop. Constants stay in the graph around it, where
  /// later nodes may read them as well.
  std::shared_ptr<Body> collect(llvm::function_ref<void(Body &)> emit);
  /// Gives a node's result the name of an output; false if the node must keep the name.
  bool rename(const std::string &from, const std::string &to);

  /// Begins with the results of an op: records which results have a batch dimension.
  void noteRows(mlir::Operation *op);
  /// Expands a single row that stands for all rows to the number of rows.
  void repeat(mlir::Value v);
  /// Tensor of sizes for a value, with the number of rows computed in the graph.
  std::string sizes(mlir::Value v, Dims dims);

private:
  std::string form(Constant &constant, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> order);

  std::string countRows(int64_t times);
  std::shared_ptr<Constant> constantOf(llvm::StringRef state);

  std::function<Array(llvm::StringRef)> stateOf;
  llvm::StringMap<std::shared_ptr<Constant>> states;
  BatchMode kind;
  std::string rowsInput; ///< a batched input, for the number of rows
  int64_t rowsDim = 0, rowsTimes = 1;
  std::string current;
  mlir::DenseMap<mlir::Value, GraphValue> values;
  llvm::StringSet<> names;
  llvm::StringMap<std::string> shared; ///< constants, by contents
  std::map<std::pair<std::string, std::vector<int64_t>>, std::string> transposes;
  llvm::DenseSet<mlir::Operation *> skipped;
};

/// Writes the nodes of an op.
using Emit = void (*)(Emitter &e, mlir::Operation *op);
struct Entry {
  llvm::StringRef op;
  Emit emit;
};
template <typename Op, void (*emit)(Emitter &, Op)> Entry entry() {
  return {Op::getOperationName(),
          [](Emitter &e, mlir::Operation *op) { emit(e, llvm::cast<Op>(op)); }};
}
/// Entry for an elementwise op with a single node.
template <typename Op> Entry entry(Emit emit) { return {Op::getOperationName(), emit}; }
std::vector<Entry> pointwiseEntries();
std::vector<Entry> moveEntries();
std::vector<Entry> productEntries();
std::vector<Entry> imageEntries();
std::vector<Entry> normEntries();
std::vector<Entry> lossEntries();
std::vector<Entry> recurrentEntries();
/// Whether the op is a recurrent layer that ONNX has no node for: one with a projection.
bool isBeyondLayers(mlir::Operation *op);
/// Batch dimension of a result of a recurrent layer; nothing for other ops, and if sequences are
/// not apart.
std::optional<BatchLayout> rowsOfLayer(Emitter &e, mlir::OpResult result);
/// Exporter of the op; null if ONNX has no counterpart.
Emit findEmit(llvm::StringRef op);

/// Operands of an elementwise op with broadcasting: names in a common dimension order, and that
/// order.
struct Aligned {
  std::vector<std::string> names;
  Dims order;
};
Aligned align(Emitter &e, mlir::ValueRange operands, int64_t rank);
/// Emits log(1 + x), accurate for small x.
std::string log1p(Emitter &e, const std::string &x, mlir::Type element);
/// Batch dimension of a result of an op with batched operands; nothing if the op mixes rows, or has
/// a separate constant for every row of the model.
std::optional<BatchLayout> rowsOfResult(Emitter &e, mlir::OpResult result);
/// Dimension of size `rows` along which a value without batch dimension is constant, or -1.
int64_t repeatedDimension(mlir::Value v, int64_t rows);
/// Expands operands with a single row that stands for all rows, if the op's node needs every row.
void repeatOperands(Emitter &e, mlir::Operation *op);
} // namespace ampc::exporting
#endif
