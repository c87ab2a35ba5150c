// Functions of f64 by libm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/FloatCode.h"
#include "lib/Codegen/Common/Lowering.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace ampc::target;

namespace {
/// Lowers a function of f64 to calls of libm, lane by lane.
struct CallLibm : RewritePattern {
  CallLibm(MLIRContext *context, StringRef op, StringRef callee)
      : RewritePattern(op, 1, context), callee(callee) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType(), f64 = rewriter.getF64Type();
    if (getElementTypeOrSelf(type) != f64)
      return failure();
    Location loc = op->getLoc();
    auto function = declare(op, rewriter);
    auto vector = dyn_cast<VectorType>(type);
    if (!vector) {
      rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, function, op->getOperands());
      return success();
    }
    Value result = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(vector));
    for (int64_t lane = 0; lane < vector.getDimSize(0); ++lane) {
      SmallVector<Value> scalars;
      for (Value operand : op->getOperands())
        scalars.push_back(vector::ExtractOp::create(rewriter, loc, operand, lane));
      Value one = LLVM::CallOp::create(rewriter, loc, function, scalars).getResult();
      result = vector::InsertOp::create(rewriter, loc, one, result, lane);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
  LLVM::LLVMFuncOp declare(Operation *op, PatternRewriter &rewriter) const {
    auto module = op->getParentOfType<ModuleOp>();
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(callee))
      return known;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    Type f64 = rewriter.getF64Type();
    auto type = LLVM::LLVMFunctionType::get(f64, SmallVector<Type>(op->getNumOperands(), f64));
    return LLVM::LLVMFuncOp::create(rewriter, op->getLoc(), callee, type);
  }
  StringRef callee;
};

struct WidenFunction : RewritePattern {
  WidenFunction(MLIRContext *context, StringRef op) : RewritePattern(op, 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (!getElementTypeOrSelf(type).isF32())
      return failure();
    FloatCode c(rewriter, op->getLoc());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(c.extend(operand, rewriter.getF64Type()));
    OperationState state(op->getLoc(), op->getName(), operands,
                         FloatCode::shaped(type, rewriter.getF64Type()));
    Value wide = rewriter.create(state)->getResult(0);
    rewriter.replaceOp(op, c.truncate(wide, rewriter.getF32Type()));
    return success();
  }
};

struct LibmFunction {
  StringLiteral op, callee;
};
} // namespace

static constexpr LibmFunction libm[] = {
    {"math.exp", "exp"},   {"math.exp2", "exp2"},   {"math.expm1", "expm1"}, {"math.log", "log"},
    {"math.log2", "log2"}, {"math.log1p", "log1p"}, {"math.tanh", "tanh"},   {"math.erf", "erf"},
    {"math.sin", "sin"},   {"math.cos", "cos"},     {"math.powf", "pow"}};

ArrayRef<StringRef> ampc::target::libmFunctions() {
  static const SmallVector<StringRef> names = llvm::map_to_vector(
      ArrayRef<LibmFunction>(libm), [](const LibmFunction &f) -> StringRef { return f.callee; });
  return names;
}

void ampc::target::addLibmPatterns(RewritePatternSet &patterns) {
  for (const LibmFunction &function : libm)
    patterns.add<CallLibm>(patterns.getContext(), function.op, function.callee);
}

void ampc::target::addWidenedFunctionPatterns(RewritePatternSet &patterns) {
  for (const LibmFunction &function : libm)
    patterns.add<WidenFunction>(patterns.getContext(), function.op);
}
