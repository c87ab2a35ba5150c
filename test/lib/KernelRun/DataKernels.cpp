// Kernels without a body, written as their definitions read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/Interpreter.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}
static Elements makeElements(Value value, double real = 0) {
  return Elements(ShapedType::getNumElements(shapeOf(value)), Element{real, 0});
}

static void gather(kernel::GatherOp op, ArrayRef<Elements> x, std::vector<Elements> &y) {
  int64_t rows = shapeOf(op.getTable())[0], width = shapeOf(op.getTable())[1];
  y.push_back(makeElements(op.getResult()));
  for (size_t i = 0; i < x[1].size(); ++i)
    for (int64_t j = 0; j < width; ++j)
      if (int64_t row = x[1][i].whole; row >= 0 && row < rows)
        y[0][i * width + j] = x[0][row * width + j];
}

static void scatterAdd(kernel::ScatterAddOp op, ArrayRef<Elements> x, std::vector<Elements> &y) {
  int64_t rows = shapeOf(op.getResult())[0], width = shapeOf(op.getResult())[1];
  y.push_back(makeElements(op.getResult()));
  for (size_t i = 0; i < x[1].size(); ++i)
    for (int64_t j = 0; j < width; ++j)
      if (int64_t row = x[1][i].whole; row >= 0 && row < rows && op.getPadding() != row)
        y[0][row * width + j].real += x[0][i * width + j].real;
}

static void groupRows(kernel::SortByKeyOp op, ArrayRef<Elements> x, std::vector<Elements> &y) {
  std::map<int64_t, std::vector<int64_t>> places; // of each row, ascending
  for (size_t i = 0; i < x[0].size(); ++i) {
    int64_t row = x[0][i].whole;
    bool named = row >= 0 && row < int64_t(op.getOf());
    places[named ? row : op.getOf()].push_back(i);
  }
  Elements rows, order, starts;
  for (auto &[row, numbers] : places) {
    if (row < int64_t(op.getOf())) {
      rows.push_back({0, row});
      starts.push_back({0, int64_t(order.size())});
    }
    for (int64_t number : numbers)
      order.push_back({0, number});
  }
  auto outside = places.find(op.getOf());
  int64_t named = order.size() - (outside == places.end() ? 0 : outside->second.size());
  rows.resize(shapeOf(op.getRows())[0], {0, -1});
  starts.resize(shapeOf(op.getStarts())[0], {0, named});
  y = {rows, order, starts};
}
static void sumRows(kernel::SegmentSumOp op, ArrayRef<Elements> x, std::vector<Elements> &y) {
  int64_t rows = shapeOf(op.getResult())[0], width = shapeOf(op.getResult())[1];
  int64_t pitch = shapeOf(op.getUpdates())[1], from = op.getFrom();
  y.push_back(makeElements(op.getResult()));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = x[2][row].whole; i < x[2][row + 1].whole; ++i)
      for (int64_t j = 0; j < width; ++j)
        y[0][row * width + j].real += x[0][x[1][i].whole * pitch + from + j].real;
}
static void putRows(kernel::ScatterRowsOp op, ArrayRef<Elements> x, std::vector<Elements> &y) {
  int64_t rows = shapeOf(op.getTable())[0], width = shapeOf(op.getTable())[1];
  y.push_back(x[2]);
  for (size_t i = 0; i < x[1].size(); ++i)
    for (int64_t j = 0; j < width; ++j)
      if (int64_t row = x[1][i].whole; row >= 0 && row < rows)
        y[0][row * width + j] = x[0][i * width + j];
}

static void assemble(kernel::AssembleOp op, ArrayRef<Elements> x, std::vector<Elements> &y) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  y.push_back(makeElements(op.getResult(), op.getFill().convertToDouble()));
  for (auto [k, part] : llvm::enumerate(op.getParts()))
    for (size_t n = 0; n < x[k].size(); ++n) {
      int64_t to = 0, place = 1, rest = n;
      for (unsigned d = shape.size(); d-- > 0;) {
        int64_t i = rest % shapeOf(part)[d];
        rest /= shapeOf(part)[d];
        to += (op.getOffsets()[k * shape.size() + d] + i * op.getStrides()[k * shape.size() + d]) *
              place;
        place *= shape[d];
      }
      y[0][to] = x[k][n];
    }
}

/// Calls `visit` for every place of every window that lies in the image, in row-major order, with
/// the positions of window and image element and the number of the place.
template <typename Op>
static void forWindows(Op op, Value image, Value windows,
                       llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
  ArrayRef<int64_t> in = shapeOf(image), out = shapeOf(windows);
  int64_t channels = in[3], window = 0;
  for (int64_t n = 0; n < out[0]; ++n)
    for (int64_t oh = 0; oh < out[1]; ++oh)
      for (int64_t ow = 0; ow < out[2]; ++ow)
        for (int64_t c = 0; c < channels; ++c, ++window)
          for (int64_t i = 0; i < op.getWindow()[0]; ++i)
            for (int64_t j = 0; j < op.getWindow()[1]; ++j) {
              int64_t h = oh * op.getStrides()[0] + i - op.getPadding()[0];
              int64_t w = ow * op.getStrides()[1] + j - op.getPadding()[2];
              if (h >= 0 && h < in[1] && w >= 0 && w < in[2])
                visit(window, ((n * in[1] + h) * in[2] + w) * channels + c,
                      i * op.getWindow()[1] + j);
            }
}
static void pool(kernel::PoolOp op, ArrayRef<Elements> x, std::vector<Elements> &y) {
  bool isMax = op.getKind() == kernel::Combine::max;
  y.push_back(makeElements(op.getResult(), isMax ? -INFINITY : 0));
  if (isMax)
    y.push_back(makeElements(op.getResult()));
  forWindows(op, op.getX(), op.getResult(), [&](int64_t window, int64_t at, int64_t place) {
    double value = x[0][at].real;
    if (!isMax)
      y[0][window].real += value * op.getScale().convertToDouble();
    else if (value > y[0][window].real) {
      y[0][window].real = value;
      y[1][window].whole = place;
    }
  });
}
static void poolGrad(kernel::PoolGradOp op, ArrayRef<Elements> x, std::vector<Elements> &y) {
  bool isMax = op.getKind() == kernel::Combine::max;
  y.push_back(makeElements(op.getResult()));
  forWindows(op, op.getResult(), op.getG(), [&](int64_t window, int64_t at, int64_t place) {
    if (!isMax || x[1][window].whole == place)
      y[0][at].real += x[0][window].real * op.getScale().convertToDouble();
  });
}

bool test::interpretData(Operation *op, ArrayRef<Elements> inputs, std::vector<Elements> &results) {
  results.clear();
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](kernel::GatherOp op) { return gather(op, inputs, results), true; })
      .Case([&](kernel::ScatterAddOp op) { return scatterAdd(op, inputs, results), true; })
      .Case([&](kernel::SortByKeyOp op) { return groupRows(op, inputs, results), true; })
      .Case([&](kernel::SegmentSumOp op) { return sumRows(op, inputs, results), true; })
      .Case([&](kernel::ScatterRowsOp op) { return putRows(op, inputs, results), true; })
      .Case([&](kernel::AssembleOp op) { return assemble(op, inputs, results), true; })
      .Case([&](kernel::PoolOp op) { return pool(op, inputs, results), true; })
      .Case([&](kernel::PoolGradOp op) { return poolGrad(op, inputs, results), true; })
      .Case([&](kernel::AttentionOp op) { return attention(op, inputs, results), true; })
      .Case([&](kernel::AttentionGradOp op) { return attentionGrad(op, inputs, results), true; })
      .Default([](Operation *) { return false; });
}
