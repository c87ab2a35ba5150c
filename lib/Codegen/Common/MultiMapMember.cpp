// A member of a kernel.multi_map as a kernel.map, and its plain loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/MultiMapMember.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

/// Access [points] -> element: stride 0 of shared tensors, else 1.
static Access flatAccess(int64_t stride) {
  Access access;
  access.strides = {stride};
  return access;
}

/// A map per tensor, to its first element. Emitters read the accesses of `space` instead.
static ArrayAttr firstElements(Builder &b, ValueRange tensors) {
  return b.getAffineMapArrayAttr(llvm::map_to_vector(tensors, [&](Value tensor) {
    SmallVector<AffineExpr> zeros(tensorOf(tensor).getRank(), b.getAffineConstantExpr(0));
    return AffineMap::get(1, 0, zeros, b.getContext());
  }));
}

MultiMapMember::MultiMapMember(kernel::MultiMapOp op, unsigned member)
    : shared(op.getShared().size()), inputs(op.inputsOf(member).size()),
      results(op.resultsOf(member).size()), member(member) {
  OpBuilder b(op);
  SmallVector<Value> tensors(op.getShared());
  llvm::append_range(tensors, op.inputsOf(member));
  ResultRange outs = op.resultsOf(member);
  map = kernel::MapOp::create(b, op.getLoc(), outs.getTypes(), tensors,
                              b.getDenseI64ArrayAttr(op.pointsOf(member)),
                              firstElements(b, tensors), firstElements(b, outs));
  IRMapping mapping;
  op.getBody().cloneInto(&map.getBody(), mapping);
  space.sizes = {op.pointsOf(member)};
  space.inputs.assign(shared, flatAccess(0));
  space.inputs.append(inputs, flatAccess(1));
  space.results.append(results, flatAccess(1));
}

KernelPointers MultiMapMember::pointersIn(const KernelPointers &all) const {
  KernelPointers pointers = all;
  pointers.operands = llvm::to_vector(ArrayRef(all.operands).take_front(shared));
  llvm::append_range(pointers.operands,
                     ArrayRef(all.operands).slice(shared + member * inputs, inputs));
  pointers.results = llvm::to_vector(ArrayRef(all.results).slice(member * results, results));
  return pointers;
}

void target::emitPlainMultiMap(Operation *operation, Points &points) {
  auto op = cast<kernel::MultiMapOp>(operation);
  for (unsigned number = 0; number < op.getMembers(); ++number) {
    MultiMapMember member(op, number);
    points.forEach(member.space.sizes,
                   [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> dims) {
                     Body body(e, member.map, member.pointersIn(pointers), member.space);
                     Body::Values known;
                     for (auto [k, value] : llvm::enumerate(body.yields(dims, known)))
                       body.store(k, value, dims);
                   });
  }
}
