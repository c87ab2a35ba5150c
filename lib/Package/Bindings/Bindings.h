// Bindings of a model for languages other than C, all derived from lib/Package/Interface.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_BINDINGS_BINDINGS_H
#define LIB_PACKAGE_BINDINGS_BINDINGS_H

#include "lib/Package/Interface.h"
#include "llvm/ADT/StringSet.h"

namespace ampc {
struct Binding {
  llvm::StringLiteral language, extension;
  bool loadsLibrary; ///< at run time, so a shared library is required
  std::string (*write)(const ModelInfo &model);
};
llvm::ArrayRef<Binding> getBindings();

std::string writeCppBinding(const ModelInfo &model);
std::string writePythonBinding(const ModelInfo &model);
std::string writeFortranBinding(const ModelInfo &model);

/// Makes unique names that are no keywords of the language. Example: "class" -> "class_".
class NameScope {
public:
  NameScope(llvm::StringRef words, bool ignoreCase = false);
  std::string add(std::string name);

private:
  llvm::StringSet<> taken;
  bool ignoreCase;
};

/// Tensor of a call, with the name in the language.
struct OperandInfo {
  const FieldInfo *field;
  const TensorInfo *tensor;
  std::string name;
  bool output;
};
/// Name of a struct's field. A tensor's field is named by the tensor's index, since the tensor's
/// name may be invalid in the language.
std::string fieldName(const FieldInfo &field, size_t number);
/// Inputs, then outputs. `spell` converts names for languages in which some C identifiers are
/// invalid.
std::vector<OperandInfo> operandsOf(const CallInfo &call, NameScope scope,
                                    std::string (*spell)(llvm::StringRef name) = nullptr);
} // namespace ampc
#endif
