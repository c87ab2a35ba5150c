// Generated reference of the dialects (docs/reference), for tools that show excerpts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_REFERENCE_H
#define AMPC_SUPPORT_REFERENCE_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ampc {
/// Documentation of an op in Markdown; empty if unknown.
llvm::StringRef documentationOf(llvm::StringRef op);
/// Names of a dialect's attributes, as in #DIALECT.NAME.
std::vector<std::string> attributesOf(llvm::StringRef dialect);
struct Parameter {
  std::string name, type; ///< the type in C++
};
/// Parameters of an attribute, for example train.sgd.
std::vector<Parameter> parametersOf(llvm::StringRef attribute);
} // namespace ampc
#endif
