// A policy added by a user is listed, chosen and compared like ampc's own policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Policy.h"
#include "ampc/Pipelines/Pipelines.h"
#include "lib/Precision/PrecisionAnalysis.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace ampc;

namespace {
/// Contractions take 16 bits, and every value is stored in f32.
struct OnlyContractions : PrecisionPolicy {
  OnlyContractions() : PrecisionPolicy("only-contractions", "contractions, and nothing else") {}
  PolicyTable table(Type low) const override {
    PolicyTable table = PolicyTable::ofLists({}, /*others=*/Treatment::Full);
    llvm::cantFail(table.addLine("matmul = low", low.getContext()));
    return table;
  }
  FailureOr<Assignment> assign(const PrecisionAnalysis &facts) const override {
    Assignment assignment;
    for (Operation *op : facts.ops)
      if (facts.isDecided(op)) {
        bool isLow = facts.treatment(op) == Treatment::Low;
        assignment.compute[op] = isLow ? facts.low : facts.f32;
        assignment.reasons[op] = {"mine", "a policy from outside"};
      }
    return assignment;
  }
};

const char model[] = R"(
train.model @m {
  train.func @f(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
    %0 = train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    %1 = train.tanh %0 : tensor<8x16xf32>
    %2 = train.matmul %1, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
    train.return %2 : tensor<8x16xf32>
  }
  train.export @f as "f"
})";

/// The model after the precision phase; messages, if that fails.
std::string assign(StringRef policy) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  std::string text;
  llvm::raw_string_ostream os(text);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { os << diagnostic; });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(model, &context);
  if (!module)
    return text;
  CompileOptions options;
  options.precision = "bf16";
  options.policy = policy.str();
  options.policyCosts = true;
  for (StringRef phase : {"import", "simplify", "autodiff", "optimize", "precision"}) {
    PassManager pm(&context);
    findPhase(phase)->addTo(pm, options);
    if (failed(pm.run(*module)))
      return text;
  }
  module->print(os);
  return text;
}

struct PolicyTest : testing::Test {
  static void SetUpTestSuite() { registerPolicy(std::make_unique<OnlyContractions>()); }
};
} // namespace

TEST_F(PolicyTest, IsFoundByName) {
  ASSERT_NE(findPolicy("only-contractions"), nullptr);
  EXPECT_EQ(findPolicy("only-contractions")->getDescription(), "contractions, and nothing else");
  EXPECT_EQ(findPolicy("only"), nullptr);
}

TEST_F(PolicyTest, IsListedLast) {
  EXPECT_EQ(getPolicies().front()->getName(), CompileOptions().policy);
  EXPECT_TRUE(StringRef(policyNames()).ends_with(" or only-contractions")) << policyNames();
  EXPECT_NE(assign("other").find("expected policy " + policyNames() + ", but got other"),
            std::string::npos);
}

TEST_F(PolicyTest, Decides) {
  std::string text = assign("only-contractions");
  EXPECT_NE(text.find("a policy from outside"), std::string::npos) << text;
  EXPECT_NE(text.find("(tensor<8x16xbf16>, tensor<16x16xbf16>) -> tensor<8x16xf32>"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("train.tanh %0 : tensor<8x16xbf16>"), std::string::npos) << text;
}

TEST_F(PolicyTest, HasARowInTheCostTable) {
  EXPECT_NE(assign("mincut").find("\"only-contractions\" = "), std::string::npos);
}
