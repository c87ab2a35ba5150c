// Attributes from text that is no part of a file: made from other text, or stored in an attribute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/AttributeText.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

Attribute ampc::parseAttributeText(StringRef text, MLIRContext *context, std::string &why) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (why.empty())
      why = diagnostic.str();
    return success();
  });
  return parseAttribute(text, context);
}
