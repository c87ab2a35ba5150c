// Loops over rows and vectors, for kernels without a body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

void cpu::forVectors(KernelEmitter &e, int64_t length, int64_t lanes,
                     llvm::function_ref<void(Value, int64_t)> body) {
  int64_t tail = length % lanes;
  e.loop(e.index(0), e.index(length - tail), lanes, [&](Value j) { body(j, lanes); });
  if (tail)
    body(e.index(length - tail), tail);
}

/// Copies move bits, so vectors have one lane per element of at least 8 bits.
static int64_t lanesOf(KernelEmitter &e, Type element) {
  return e.tier.lanes(8 * elementBytes(element));
}

void cpu::copyRow(KernelEmitter &e, Type element, Value to, Value toPosition, Value from,
                  Value fromPosition, int64_t length) {
  int64_t lanes = lanesOf(e, element);
  forVectors(e, length, lanes, [&](Value j, int64_t active) {
    Value x = e.loadVector(from, element, e.add(fromPosition, j), lanes, active);
    e.store(x, to, e.add(toPosition, j), active);
  });
}
void cpu::fillRow(KernelEmitter &e, Type element, double value, Value to, Value position,
                  int64_t length) {
  int64_t lanes = lanesOf(e, element);
  Value x = e.constant(KernelEmitter::vectorOf(element, lanes), value);
  forVectors(e, length, lanes,
             [&](Value j, int64_t active) { e.store(x, to, e.add(position, j), active); });
}
void cpu::forRowsOfTasks(KernelEmitter &e, Value begin, Value end, int64_t rows, int64_t length,
                         llvm::function_ref<void(Value)> body) {
  int64_t perTask = rowsPerTask(length);
  e.loop(e.mul(begin, perTask), e.min(e.mul(end, perTask), e.index(rows)), 1, body);
}
// One unsigned comparison: a negative number is a large unsigned one.
Value cpu::within(KernelEmitter &e, Value x, Value limit) {
  return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ult, x, limit);
}
