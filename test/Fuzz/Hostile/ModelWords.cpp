// Words of models as text: ops and types of elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Hostile/Compile.h"
#include "test/Fuzz/Hostile/TextMutator.h"

using namespace mlir;
using namespace ampc;

const std::vector<std::string> &vocabulary() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    Compiler compiler;
    compiler.getContext().loadAllAvailableDialects();
    for (RegisteredOperationName name : compiler.getContext().getRegisteredOperations())
      if (name.getDialectNamespace() == "train" || name.getDialectNamespace() == "amp")
        result.push_back(name.getStringRef().str());
    for (const char *type :
         {"f64", "f32", "bf16", "f16", "i64", "i32", "i16", "i8", "i1", "index", "f8E4M3FN"})
      result.push_back(type);
    return result;
  }();
  return names;
}
