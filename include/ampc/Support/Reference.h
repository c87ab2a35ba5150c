// The pages of docs/reference on the languages, for tools that show parts of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_REFERENCE_H
#define AMPC_SUPPORT_REFERENCE_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ampc {
/// What the reference says of an op, in Markdown; empty: nothing.
llvm::StringRef documentationOf(llvm::StringRef op);
/// Names of the dialect's attributes, as in #DIALECT.NAME.
std::vector<std::string> attributesOf(llvm::StringRef dialect);
struct Parameter {
  std::string name, type; ///< the type in C++
};
/// The parameters of #ATTRIBUTE, such as train.sgd.
std::vector<Parameter> parametersOf(llvm::StringRef attribute);
} // namespace ampc
#endif
