// kernel.assemble: concatenation and padding. Rows of the result are filled, then overwritten by
// the parts that cover the row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/CPUKernelLowering.h"
#include "lib/Codegen/CPU/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
struct Part {
  SmallVector<int64_t> sizes, offsets, strides;
};

/// Geometry with the fewest dimensions. Dimension 0 stays, since the task grid cuts dimension 0.
/// Example: parts [8, 3, 4, 4] and [8, 5, 4, 4] in [8, 8, 4, 4] -> [8, 48] and [8, 80] in [8, 128].
struct AssembleShape {
  SmallVector<int64_t> sizes;
  SmallVector<Part> parts;
  bool covered; // by the parts, without gaps

  explicit AssembleShape(kernel::AssembleOp op) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    sizes = llvm::to_vector(type.getShape());
    int64_t elements = 0;
    for (auto [i, value] : llvm::enumerate(op.getParts())) {
      auto part = cast<RankedTensorType>(value.getType());
      parts.push_back({llvm::to_vector(part.getShape()),
                       llvm::to_vector(op.getOffsets().slice(i * sizes.size(), sizes.size())),
                       llvm::to_vector(op.getStrides().slice(i * sizes.size(), sizes.size()))});
      elements += part.getNumElements();
    }
    covered = elements == type.getNumElements();
    for (int64_t dim = int64_t(sizes.size()) - 2; dim >= 1; --dim)
      if (canMerge(dim))
        merge(dim);
    if (sizes.size() < 2)
      addLeading();
  }
  int64_t rows() const {
    return std::accumulate(sizes.begin(), sizes.end() - 1, int64_t(1), std::multiplies<>());
  }
  int64_t length() const { return sizes.back(); }
  bool isWhole(const Part &part, unsigned dim) const {
    return part.sizes[dim] == sizes[dim] && part.offsets[dim] == 0 && part.strides[dim] == 1;
  }

private:
  /// Whether every part covers dimension dim + 1 and is contiguous along dim.
  bool canMerge(unsigned dim) const {
    return llvm::all_of(
        parts, [&](const Part &part) { return isWhole(part, dim + 1) && part.strides[dim] == 1; });
  }
  void merge(unsigned dim) {
    int64_t inner = sizes[dim + 1];
    auto join = [&](SmallVector<int64_t> &list, int64_t factor) {
      list[dim] *= factor;
      list.erase(list.begin() + dim + 1);
    };
    join(sizes, inner);
    for (Part &part : parts) {
      join(part.sizes, inner);
      join(part.offsets, inner);
      join(part.strides, 1);
    }
  }
  void addLeading() {
    while (sizes.size() < 2) {
      sizes.insert(sizes.begin(), 1);
      for (Part &part : parts) {
        part.sizes.insert(part.sizes.begin(), 1);
        part.offsets.insert(part.offsets.begin(), 0);
        part.strides.insert(part.strides.begin(), 1);
      }
    }
  }
};

class AssembleLowering : public CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &) const override {
    AssembleShape shape(cast<kernel::AssembleOp>(op));
    KernelEmission emission;
    emission.tasks = tasksOfRows(shape.rows(), shape.length());
    return emission;
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::AssembleOp>(operation);
    AssembleShape shape(op);
    Type element = cast<RankedTensorType>(op.getResult().getType()).getElementType();
    forRowsOfTasks(e, begin, end, shape.rows(), shape.length(), [&](Value row) {
      Value to = e.mul(row, shape.length());
      if (!shape.covered)
        fillRow(e, element, op.getFill().convertToDouble(), pointers.results[0], to,
                shape.length());
      SmallVector<Value> dims = delinearize(e, shape, row);
      for (auto [part, pointer] : llvm::zip(shape.parts, pointers.operands))
        placeRow(e, shape, part, dims, element, pointer, pointers.results[0], to);
    });
  }
  static SmallVector<Value> delinearize(KernelEmitter &e, const AssembleShape &shape, Value row) {
    SmallVector<Value> dims(shape.sizes.size() - 1);
    for (unsigned dim = dims.size(); dim-- > 0;) {
      dims[dim] = dim ? e.rem(row, shape.sizes[dim]) : row;
      row = e.div(row, shape.sizes[dim]);
    }
    return dims;
  }
  /// Copies the row of the part at `dims`, if the part covers that row.
  static void placeRow(KernelEmitter &e, const AssembleShape &shape, const Part &part,
                       ArrayRef<Value> dims, Type element, Value from, Value result, Value to) {
    Value reached, source = e.index(0);
    auto require = [&](Value condition) {
      reached = reached ? e.b.createOrFold<arith::AndIOp>(e.loc, reached, condition) : condition;
    };
    for (auto [d, at] : llvm::enumerate(dims)) {
      Value relative = e.add(at, -part.offsets[d]), number = relative;
      if (!shape.isWhole(part, d))
        require(within(e, relative, e.index((part.sizes[d] - 1) * part.strides[d] + 1)));
      if (part.strides[d] > 1) {
        Value rest = e.rem(relative, part.strides[d]);
        require(e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::eq, rest, e.index(0)));
        number = e.div(relative, part.strides[d]);
      }
      source = e.add(e.mul(source, part.sizes[d]), number);
    }
    int64_t length = part.sizes.back(), stride = part.strides.back();
    auto copy = [&] {
      Value start = e.mul(source, length), first = e.add(to, part.offsets.back());
      if (stride == 1)
        return copyRow(e, element, result, first, from, start, length);
      e.loop(e.index(0), e.index(length), 1, [&](Value j) {
        e.store(e.loadScalar(from, element, e.add(start, j)), result,
                e.add(first, e.mul(j, stride)));
      });
    };
    reached ? e.when(reached, copy) : copy();
  }
};
} // namespace

void cpu::addAssembleLowering(target::KernelRegistry &registry) {
  registry.add<kernel::AssembleOp, AssembleLowering>();
}
