// Remarks on casts, once equal ones have become one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AmpCasts.h"
#include "ampc/Transforms/Passes.h"

namespace ampc {
#define GEN_PASS_DEF_AMPEXPLAINCASTS
#include "ampc/Transforms/Passes.h.inc"
} // namespace ampc
using namespace ampc;

namespace {
struct AmpExplainCasts : ampc::impl::AmpExplainCastsBase<AmpExplainCasts> {
  void runOnOperation() override {
    getOperation()->walk([](train::FuncOp func) {
      func.walk([&](train::CastOp cast) { explainCast(func, cast); });
    });
  }
};
} // namespace
