// kernel.gather, kernel.scatter_rows (scatter) and kernel.assemble (concatenation, padding): up to
// 16 bytes per thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Table/GatherScatter.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::loadIndex;
using target::tensorOf;

int64_t nvptx::columnsPerThread(Type element, int64_t width) {
  int64_t columns = 16 / target::elementBytes(element);
  while (width % columns)
    columns /= 2;
  return columns;
}

namespace {
/// Neighbouring columns of a row that a thread copies.
struct RowVector {
  DeviceEmitter &e;
  const KernelPointers &pointers;
  Type element;
  int64_t columns;
  Value row, column;

  SmallVector<Value> load(Value tensor, ArrayRef<int64_t> shape, Value from) const {
    Value place = target::at(e, shape, {from, column});
    return e.loadVector(e.address(tensor, element, place), element, columns);
  }
  void store(ArrayRef<Value> run, Value tensor, ArrayRef<int64_t> shape, Value to) const {
    e.storeVector(run, e.address(tensor, element, target::at(e, shape, {to, column})));
  }
};
} // namespace

static void describeColumns(DeviceCode &code, int64_t columns, StringRef why) {
  code.describe(columns > 1 ? llvm::Twine(columns) + " columns a thread" : "plain: " + why);
}

static void forRowVectors(DeviceCode &code, RankedTensorType rows,
                          llvm::function_ref<void(const RowVector &)> body) {
  Type element = rows.getElementType();
  int64_t width = rows.getDimSize(1), columns = columnsPerThread(element, width);
  describeColumns(code, columns, "rows have an odd number of columns");
  ThreadPerPoint(code).forEachOnDevice(
      {rows.getDimSize(0), width / columns},
      [&](DeviceEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
        body({e, pointers, element, columns, p[0], e.mul(p[1], columns)});
      });
}

static void emitGather(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::GatherOp>(operation);
  auto table = tensorOf(op.getTable()), rows = tensorOf(op.getResult());
  forRowVectors(code, rows, [&](const RowVector &run) {
    DeviceEmitter &e = run.e;
    Value from = loadIndex(e, run.pointers.operands[1], run.row);
    Value inside = target::within(e, from, table.getDimSize(0));
    from = target::select(e, inside, from, e.index(0));
    SmallVector<Value> values = run.load(run.pointers.operands[0], table.getShape(), from);
    for (Value &x : values)
      x = target::select(e, inside, x, e.constant(run.element, 0));
    run.store(values, run.pointers.results[0], rows.getShape(), run.row);
  });
}

/// Scatter into the table in place: the result's memory is the table's.
static void emitScatterRows(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::ScatterRowsOp>(operation);
  auto rows = tensorOf(op.getRows()), table = tensorOf(op.getTable());
  forRowVectors(code, rows, [&](const RowVector &run) {
    Value to = loadIndex(run.e, run.pointers.operands[1], run.row);
    run.e.when(target::within(run.e, to, table.getDimSize(0)), [&] {
      run.store(run.load(run.pointers.operands[0], rows.getShape(), run.row),
                run.pointers.results[0], table.getShape(), to);
    });
  });
}

namespace {
/// Position of a part within the whole; dimensions that are contiguous in both are merged.
struct PartShape {
  PartShape(ArrayRef<int64_t> part, ArrayRef<int64_t> whole, ArrayRef<int64_t> offsets,
            ArrayRef<int64_t> strides);
  int64_t columnsPerThread(Type element) const;

  SmallVector<int64_t> part, whole, offsets, strides;
};
} // namespace

PartShape::PartShape(ArrayRef<int64_t> part, ArrayRef<int64_t> whole, ArrayRef<int64_t> offsets,
                     ArrayRef<int64_t> strides)
    : part(part), whole(whole), offsets(offsets), strides(strides) {
  auto coversLast = [&] {
    size_t last = this->part.size() - 1;
    return last > 0 && this->part[last] == this->whole[last] && this->strides[last] == 1 &&
           this->strides[last - 1] == 1;
  };
  while (coversLast()) {
    int64_t size = this->whole.pop_back_val();
    this->part.pop_back();
    this->offsets.pop_back();
    this->strides.pop_back();
    this->part.back() *= size;
    this->whole.back() *= size;
    this->offsets.back() *= size;
  }
}
int64_t PartShape::columnsPerThread(Type element) const {
  if (part.empty() || strides.back() != 1)
    return 1;
  int64_t all = std::gcd(std::gcd(part.back(), whole.back()), offsets.back());
  return nvptx::columnsPerThread(element, all);
}

namespace {
/// A part as vectors, with a thread per vector.
struct PartVectors {
  PartShape shape;
  unsigned number; // index of the operand
  int64_t columns;
  SmallVector<int64_t> sizes; // sizes in vectors
  int64_t firstBlock = 0;

  PartVectors(const PartShape &shape, unsigned number, Type element)
      : shape(shape), number(number), columns(shape.columnsPerThread(element)), sizes(shape.part) {
    if (!sizes.empty())
      sizes.back() /= columns;
  }
  int64_t count() const { return ShapedType::getNumElements(sizes); }
  void copy(DeviceEmitter &e, const KernelPointers &pointers, Type element, Value run) const;
};
} // namespace

void PartVectors::copy(DeviceEmitter &e, const KernelPointers &pointers, Type element,
                       Value run) const {
  SmallVector<Value> from = e.split(run, sizes), to;
  if (!from.empty())
    from.back() = e.mul(from.back(), columns);
  for (auto [dim, offset, stride] : llvm::zip(from, shape.offsets, shape.strides))
    to.push_back(e.add(e.mul(dim, stride), offset));
  SmallVector<Value> values =
      e.loadVector(e.address(pointers.operands[number], element, target::at(e, shape.part, from)),
                   element, columns);
  e.storeVector(values, e.address(pointers.results[0], element, target::at(e, shape.whole, to)));
}

/// Launches the blocks of the first part, then of the second part, ...
static void launchParts(DeviceCode &code, MutableArrayRef<PartVectors> parts, Type element) {
  LaunchShape shape;
  shape.threads = plainThreads;
  shape.grid[0] = 0;
  for (PartVectors &part : parts) {
    part.firstBlock = shape.grid[0];
    shape.grid[0] += llvm::divideCeil(part.count(), plainThreads);
  }
  if (shape.grid[0] == 0)
    return;
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    for (const PartVectors &part : parts) {
      Value first = e.i32(part.firstBlock * plainThreads);
      Value run = e.sub(e.globalThread(plainThreads), first);
      // Threads of earlier parts have negative numbers, which are large as unsigned numbers.
      e.when(e.isBelow(run, part.count()), [&] { part.copy(e, pointers, element, run); });
    }
  });
}

static void emitAssemble(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::AssembleOp>(operation);
  auto whole = tensorOf(op.getResult());
  Type element = whole.getElementType();
  unsigned rank = whole.getRank();
  int64_t covered = 0, all = whole.getNumElements(); // parts do not overlap
  for (Value part : op.getParts())
    covered += tensorOf(part).getNumElements();
  if (covered < all) {
    int64_t columns = columnsPerThread(element, all);
    ThreadPerPoint(code).forEachOnDevice(
        {all / columns}, [&](DeviceEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
          Value filling = e.constant(element, op.getFill().convertToDouble());
          e.storeVector(SmallVector<Value>(columns, filling),
                        e.address(pointers.results[0], element, e.mul(p[0], columns)));
        });
  }
  SmallVector<PartVectors, 0> parts;
  int64_t fewest = columnsPerThread(element, all);
  for (auto [i, part] : llvm::enumerate(op.getParts())) {
    parts.emplace_back(PartShape(tensorOf(part).getShape(), whole.getShape(),
                                 op.getOffsets().slice(i * rank, rank),
                                 op.getStrides().slice(i * rank, rank)),
                       i, element);
    fewest = std::min(fewest, parts.back().columns);
  }
  describeColumns(code, fewest,
                  "columns of an operand lie apart, or start or end at an odd column");
  launchParts(code, parts, element);
}

void nvptx::addCopyLowering(LoweringTable &table) {
  table[kernel::GatherOp::getOperationName()] = {emitGather};
  table[kernel::ScatterRowsOp::getOperationName()] = {emitScatterRows};
  table[kernel::AssembleOp::getOperationName()] = {emitAssemble};
}
