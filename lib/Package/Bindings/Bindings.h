// Interfaces of a model for languages other than C, each written from lib/Package/Interface.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_BINDINGS_BINDINGS_H
#define LIB_PACKAGE_BINDINGS_BINDINGS_H

#include "lib/Package/Interface.h"
#include "llvm/ADT/StringSet.h"

namespace ampc {
struct Binding {
  llvm::StringLiteral language, extension;
  bool loadsLibrary; ///< at run time, so that there has to be a shared one
  std::string (*write)(const ModelInfo &model);
};
llvm::ArrayRef<Binding> getBindings();

std::string writeCppBinding(const ModelInfo &model);
std::string writePythonBinding(const ModelInfo &model);
std::string writeFortranBinding(const ModelInfo &model);

/// Makes names that are neither keywords of the language nor taken.
class NameScope {
public:
  NameScope(llvm::StringRef words, bool ignoreCase = false);
  std::string add(std::string name);

private:
  llvm::StringSet<> taken;
  bool ignoreCase;
};

/// A tensor of a call under its name in the language.
struct OperandInfo {
  const FieldInfo *field;
  const TensorInfo *tensor;
  std::string name;
  bool output;
};
/// Name of a struct's field. A tensor's field is named by its index, since the tensor's name may be
/// invalid in the language.
std::string fieldName(const FieldInfo &field, size_t number);
/// Inputs, then outputs. `spell` makes a name of the language, if not every C identifier is one.
std::vector<OperandInfo> operandsOf(const CallInfo &call, NameScope scope,
                                    std::string (*spell)(llvm::StringRef name) = nullptr);
} // namespace ampc
#endif
