// Values of a loop's body.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_LOOPBODY_H
#define LIB_IMPORT_ONNX_LOOPBODY_H

#include "lib/Import/ONNX/Nodes.h"

namespace ampc::onnx {
/// Node with a single value as input 0 and output 0, for converters.
Node valueOf(const std::string &input, const std::string &output = "");
/// Facts about a value; null if there is no such value.
const ImportedValue *knownAs(const Scope &scope, llvm::StringRef name);
/// Whether another round follows; nothing, with a fault recorded, if the condition is unknown at
/// import.
std::optional<bool> isTrue(Converter &c, const ImportedValue *condition);
/// Binds the initializers of a body.
void declareInitializers(const Graph &body, Scope &scope);
/// A number that is known at import.
ImportedValue knownScalar(Literal literal);
/// Whether a carried value stays the first value.
bool isUnchanged(const LoopNode &loop, int64_t i);
bool isCounter(const LoopNode &loop, int64_t i);
/// The tensor of which a node Gather reads a row in every round.
ImportedValue readData(const LoopNode &loop, const Node &read, const Scope &scope);
} // namespace ampc::onnx
#endif
