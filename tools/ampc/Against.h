// ampc check --against: a step in mixed precision beside the same step in f32 or f64, value by
// value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_AGAINST_H
#define TOOLS_AMPC_AGAINST_H

#include "ampc/Pipelines/Compiler.h"
#include "ampc/Runtime/Common.h"
#include "tools/ampc/Sources.h"

namespace ampc {
struct AgainstOptions {
  std::string reference; ///< f32 or f64; empty: the step runs alone, for --track-nonfinite
  Sources data;          ///< empty: random
  std::string step;
  unsigned steps = 1;
  double tolerance = 0; ///< 0: from the type
  bool byError = false; ///< largest error first, else in the order of execution
  bool shuffle = true, trackNonFinite = false;
  std::string jsonFile, csvFile; ///< empty: none
};

/// An exit status: 0 if every value is within the tolerance.
int runAgainst(const CompileRequest &request, const ampc_options &state,
               const AgainstOptions &options);
} // namespace ampc
#endif
