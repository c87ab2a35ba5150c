// Functions in the approximations of the GPU's special function unit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/ApproximateFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using namespace ampc;

static bool hasNarrowElements(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() == 16;
}

bool nvptx::mayApproximateFunctions(Operation *kernel) {
  int64_t most = 0; // elements of the largest 16-bit result
  for (Type type : kernel->getResultTypes())
    if (hasNarrowElements(type))
      most = std::max(most, cast<ShapedType>(type).getNumElements());
  return llvm::all_of(kernel->getResultTypes(), [&](Type type) {
    return hasNarrowElements(type) || cast<ShapedType>(type).getNumElements() < most;
  });
}

/// Whether the result jumps where an operand changes by a last bit: floor(6 / 3) is 1 if the
/// quotient is 1.9999999.
static bool isDiscontinuous(Operation *op) {
  return isa<math::CeilOp, math::FloorOp, math::RoundEvenOp, math::RoundOp, math::TruncOp,
             arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp, arith::RemFOp>(op);
}

/// Whether a discontinuous op depends on the result, by arithmetic.
static bool decides(Operation *function) {
  llvm::SetVector<Operation *> users;
  users.insert(function);
  for (unsigned i = 0; i < users.size(); ++i) {
    if (isDiscontinuous(users[i]))
      return true;
    for (Operation *user : users[i]->getUsers())
      if (isa<arith::ArithDialect, math::MathDialect>(user->getDialect()))
        users.insert(user);
  }
  return false;
}

void nvptx::allowApproximations(LLVM::LLVMFuncOp func) {
  func.walk([](Operation *op) {
    if (!isa<math::ExpOp, math::Exp2Op, math::RsqrtOp, arith::DivFOp>(op) || decides(op))
      return;
    auto fast = cast<arith::ArithFastMathInterface>(op);
    arith::FastMathFlags flags = fast.getFastMathFlagsAttr().getValue();
    op->setAttr(fast.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(), flags | arith::FastMathFlags::afn));
  });
}

static Value call(OpBuilder &b, Location loc, StringRef intrinsic, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(), b.getStringAttr(intrinsic), operands)
      .getResult(0);
}

Value nvptx::approximateExp2(OpBuilder &b, Location loc, Value x) {
  return call(b, loc, "llvm.nvvm.ex2.approx.ftz.f32", x);
}

static Value approximated(PatternRewriter &rewriter, math::ExpOp op) {
  Value scale =
      arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getF32FloatAttr(float(M_LOG2E)));
  Value power = arith::MulFOp::create(rewriter, op.getLoc(), op.getOperand(), scale);
  return nvptx::approximateExp2(rewriter, op.getLoc(), power);
}
static Value approximated(PatternRewriter &rewriter, math::Exp2Op op) {
  return nvptx::approximateExp2(rewriter, op.getLoc(), op.getOperand());
}
static Value approximated(PatternRewriter &rewriter, math::RsqrtOp op) {
  return call(rewriter, op.getLoc(), "llvm.nvvm.rsqrt.approx.f", op.getOperand());
}

/// Whether a divisor is 1 + exp(x), as in sigmoid: no denormal number, so that flushing costs no
/// accuracy but for quotients below 2^-126.
static bool isAboveOne(Value divisor) {
  auto sum = divisor.getDefiningOp<arith::AddFOp>();
  auto isExp = [](Value x) {
    return isa_and_nonnull<math::ExpOp, math::Exp2Op, LLVM::CallIntrinsicOp>(x.getDefiningOp());
  };
  return sum && ((matchPattern(sum.getLhs(), m_OneFloat()) && isExp(sum.getRhs())) ||
                 (matchPattern(sum.getRhs(), m_OneFloat()) && isExp(sum.getLhs())));
}

/// Null for a reciprocal of any number: `fdiv afn` of 1 is `rcp.approx`, which keeps denormals.
static Value approximated(PatternRewriter &rewriter, arith::DivFOp op) {
  if (!matchPattern(op.getLhs(), m_OneFloat()))
    return call(rewriter, op.getLoc(), "llvm.nvvm.div.full", {op.getLhs(), op.getRhs()});
  if (auto root = op.getRhs().getDefiningOp<math::SqrtOp>())
    return call(rewriter, op.getLoc(), "llvm.nvvm.rsqrt.approx.f", root.getOperand());
  if (isAboveOne(op.getRhs()))
    return call(rewriter, op.getLoc(), "llvm.nvvm.rcp.approx.ftz.f", op.getRhs());
  return Value();
}

namespace {
template <typename Op> struct Approximate : OpRewritePattern<Op> {
  // Precedes the patterns that expand functions with the bits of CPUs.
  explicit Approximate(MLIRContext *context) : OpRewritePattern<Op>(context, /*benefit=*/10) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn))
      return failure();
    Value result = approximated(rewriter, op);
    if (result)
      rewriter.replaceOp(op, result);
    return success(result != nullptr);
  }
};
} // namespace

void nvptx::addApproximateFunctions(RewritePatternSet &patterns) {
  patterns.add<Approximate<math::ExpOp>, Approximate<math::Exp2Op>, Approximate<math::RsqrtOp>,
               Approximate<arith::DivFOp>>(patterns.getContext());
}
