// Source elements of data-movement ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/ElementSources.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;

static int64_t countOf(Value v) { return tensorOf(v).getNumElements(); }

/// Calls `give` for every element of parts that are concatenated along `dim`.
static void giveParts(ValueRange parts, int64_t dim,
                      llvm::function_ref<void(int64_t whole, Value part, int64_t number)> give) {
  ArrayRef<int64_t> first = tensorOf(parts[0]).getShape();
  int64_t outer = 1, inner = 1, sum = 0, before = 0;
  for (int64_t size : first.take_front(dim))
    outer *= size;
  for (int64_t size : first.drop_front(dim + 1))
    inner *= size;
  for (Value part : parts)
    sum += tensorOf(part).getShape()[dim] * inner;
  for (Value part : parts) {
    int64_t width = tensorOf(part).getShape()[dim] * inner;
    for (int64_t i = 0; i < outer; ++i)
      for (int64_t k = 0; k < width; ++k)
        give(i * sum + before + k, part, i * width + k);
    before += width;
  }
}

/// The operand's element at every point of the op's space.
static void giveByMap(ScalarOpInterface op, ElementVisitor give) {
  Value from = op->getOperand(0);
  AffineMap map = op.getOperandMap(0);
  SmallVector<int64_t> space = op.getSpace(), point(space.size(), 0);
  int64_t count = countOf(op->getResult(0));
  for (int64_t element = 0; element < count; ++element) {
    int64_t number = 0;
    for (auto [place, size] : llvm::zip(map.compose(point), tensorOf(from).getShape()))
      number = number * size + place;
    give(element, from, number);
    for (size_t dim = space.size(); dim-- > 0 && ++point[dim] == space[dim];)
      point[dim] = 0;
  }
}

void ampc::forEachElement(OpResult result, ElementVisitor give) {
  Operation *op = result.getOwner();
  if (auto concat = dyn_cast<train::ConcatOp>(op))
    return giveParts(concat.getParts(), concat.getDim(), give);
  if (auto split = dyn_cast<train::SplitOp>(op))
    return giveParts(split.getParts(), split.getDim(),
                     [&](int64_t whole, Value part, int64_t number) {
                       if (part == result)
                         give(number, split.getX(), whole);
                     });
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  if (scalar && !isa<train::CastOp>(op))
    return giveByMap(scalar, give);
  for (int64_t element = 0, count = countOf(result); element < count; ++element)
    give(element, op->getOperand(0), element);
}
