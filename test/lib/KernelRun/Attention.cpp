// Attention and its gradient, score by score, as in the definitions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/Interpreter.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

namespace {
/// Entry of the batch, by row and column.
template <typename Op> struct Entry {
  Op op;
  ArrayRef<Elements> inputs;
  SmallVector<int64_t> batch;

  static size_t position(Attribute map, Type type, ArrayRef<int64_t> point) {
    return positionIn(map, type, point);
  }
  SmallVector<int64_t> point(ArrayRef<int64_t> inner) const {
    SmallVector<int64_t> all(batch);
    llvm::append_range(all, inner);
    return all;
  }
  double in(unsigned i, ArrayRef<int64_t> inner) {
    return inputs[i][position(op.getOperandMaps()[i], op.getTensors()[i].getType(), point(inner))]
        .real;
  }
  Element &out(std::vector<Elements> &results, unsigned i, ArrayRef<int64_t> inner) {
    return results[i][position(op.getResultMaps()[i], op.getOuts()[i].getType(), point(inner))];
  }
  /// Position of channel 0 of a row, and stride of channels: the maps are affine.
  std::pair<size_t, size_t> channels(unsigned i, int64_t row) {
    Type type = op.getTensors()[i].getType();
    size_t first = position(op.getOperandMaps()[i], type, point({row, 0}));
    size_t second =
        op.getWidth() < 2 ? first : position(op.getOperandMaps()[i], type, point({row, 1}));
    return {first, second - first};
  }
  double dot(unsigned a, int64_t rowA, unsigned b, int64_t rowB) {
    auto [atA, stepA] = channels(a, rowA);
    auto [atB, stepB] = channels(b, rowB);
    double sum = 0;
    for (int64_t c = 0; c < int64_t(op.getWidth()); ++c)
      sum += inputs[a][atA + c * stepA].real * inputs[b][atB + c * stepB].real;
    return sum;
  }
  /// -infinity for keys that the query does not see.
  double score(int64_t i, int64_t j) {
    if (op.getCausal() && j > i + int64_t(op.getKeys()) - int64_t(op.getQueries()))
      return -INFINITY;
    double bias = op.getBiased() ? in(3, {i, j}) : 0;
    return op.getScale().convertToDouble() * dot(0, i, 1, j) + bias;
  }
};
} // namespace

template <typename Op>
static void forEntries(Op op, ArrayRef<Elements> inputs, std::vector<Elements> &results,
                       llvm::function_ref<void(Entry<Op> &)> body) {
  for (Type type : op->getResultTypes())
    results.emplace_back(cast<RankedTensorType>(type).getNumElements());
  for (int64_t n = 0; n < ShapedType::getNumElements(op.getBatch()); ++n) {
    Entry<Op> entry{op, inputs, SmallVector<int64_t>(op.getBatch().size())};
    int64_t rest = n;
    for (unsigned d = op.getBatch().size(); d-- > 0; rest /= op.getBatch()[d])
      entry.batch[d] = rest % op.getBatch()[d];
    body(entry);
  }
}

void test::attention(kernel::AttentionOp op, ArrayRef<Elements> inputs,
                     std::vector<Elements> &results) {
  int64_t keys = op.getKeys(), width = op.getWidth();
  forEntries<kernel::AttentionOp>(op, inputs, results, [&](Entry<kernel::AttentionOp> &entry) {
    for (int64_t i = 0; i < int64_t(op.getQueries()); ++i) {
      double most = -INFINITY, sum = 0;
      for (int64_t j = 0; j < keys; ++j)
        most = std::max(most, entry.score(i, j));
      std::vector<double> weight(keys, 0);
      for (int64_t j = 0; j < keys && most > -INFINITY; ++j)
        sum += weight[j] = std::exp(entry.score(i, j) - most);
      for (int64_t c = 0; c < width; ++c) {
        double mean = 0;
        for (int64_t j = 0; j < keys && sum > 0; ++j)
          mean += weight[j] / sum * entry.in(2, {j, c});
        entry.out(results, 0, {i, c}).real = mean;
      }
      if (op.getOuts().size() == 1)
        continue;
      entry.out(results, 1, {0, i}).real = sum > 0 ? most : 0;
      entry.out(results, 1, {1, i}).real = sum > 0 ? std::log(sum) : 0;
    }
  });
}

static void addTerm(Element &sum, double term) {
  sum.real += term;
  sum.terms += std::fabs(term);
}

void test::attentionGrad(kernel::AttentionGradOp op, ArrayRef<Elements> inputs,
                         std::vector<Elements> &results) {
  int64_t width = op.getWidth();
  unsigned o = op.getBiased() ? 4 : 3, lse = o + 1, g = o + 2;
  double scale = op.getScale().convertToDouble();
  using Grad = Entry<kernel::AttentionGradOp>;
  forEntries<kernel::AttentionGradOp>(op, inputs, results, [&](Grad &entry) {
    for (int64_t i = 0; i < int64_t(op.getQueries()); ++i)
      for (int64_t j = 0; j < int64_t(op.getKeys()); ++j) {
        double score = entry.score(i, j);
        double weight = std::exp(score - entry.in(lse, {0, i}) - entry.in(lse, {1, i}));
        double ds = weight * (entry.dot(g, i, 2, j) - entry.dot(g, i, o, i));
        for (int64_t c = 0; c < width; ++c) {
          addTerm(entry.out(results, 0, {i, c}), scale * ds * entry.in(1, {j, c}));
          addTerm(entry.out(results, 1, {j, c}), scale * ds * entry.in(0, {i, c}));
          addTerm(entry.out(results, 2, {j, c}), weight * entry.in(g, {i, c}));
        }
        if (op.getOuts().size() > 3)
          entry.out(results, 3, {i, j}).real = ds;
      }
  });
}
