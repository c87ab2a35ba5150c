// Position ops of scalar code as ops of the kernel dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/PositionOps.h"
#include "mlir-dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

namespace {
class KernelPositionOps : public PositionOps {
  static Combine combineOf(Reduction kind) {
    switch (kind) {
    case Reduction::Max:
      return Combine::max;
    case Reduction::Min:
      return Combine::min;
    case Reduction::Sum:
      return Combine::sum;
    }
    llvm_unreachable("unknown reduction");
  }
  Value reduceRow(ScalarBuilder &b, Reduction kind, Value a) const override {
    return RowReduceOp::create(b.builder, b.loc, combineOf(kind), a);
  }
  Value rowIndex(ScalarBuilder &b) const override {
    return RowIndexOp::create(b.builder, b.loc, b.builder.getI32Type());
  }
  Value linearIndex(ScalarBuilder &b) const override {
    return LinearIndexOp::create(b.builder, b.loc, b.builder.getI32Type());
  }
};
} // namespace

const PositionOps &kernel::positionOps() {
  static const KernelPositionOps ops;
  return ops;
}
