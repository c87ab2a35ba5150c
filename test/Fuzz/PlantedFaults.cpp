// Compilations with a planted fault.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/PlantedFaults.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

static OwningOpRef<ModuleOp> compileWithOtherSign(StringRef text, const CompileOptions &options,
                                                  MLIRContext *context) {
  PhaseRange range;
  range.until = range.keepTextOf = "kernels";
  std::string kernels = compileText(text, options, context, range).text;
  if (size_t at = kernels.rfind("arith.subf"); at != std::string::npos)
    kernels.replace(at, 10, "arith.addf");
  PhaseRange rest;
  rest.after = "kernels";
  return std::move(compileText(kernels, options, context, rest).module);
}

OwningOpRef<ModuleOp> fuzz::compileWithFault(StringRef text, StringRef fault,
                                             const CompileOptions &options, MLIRContext *context) {
  if (fault == "sign")
    return compileWithOtherSign(text, options, context);
  OwningOpRef<ModuleOp> module;
  PhaseRange rest;
  bool isInLoop = isLoopFault(fault);
  if (isInLoop) {
    PhaseRange range;
    range.until = rest.after = "autodiff";
    module = compileText(text, options, context, range).module;
  } else {
    module = parseSourceString<ModuleOp>(text, context);
  }
  if (!module || !(isInLoop ? plantLoopFault : plantStateFault)(*module, fault))
    return {};
  return std::move(compileModule(std::move(module), options, rest).module);
}
