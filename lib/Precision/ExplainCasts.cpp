// Pass amp-explain-casts: remarks on inserted casts, after CSE has merged equal casts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Passes.h"
#include "lib/Precision/Casts.h"

namespace ampc {
#define GEN_PASS_DEF_AMPEXPLAINCASTS
#include "ampc/Precision/Passes.h.inc"
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
