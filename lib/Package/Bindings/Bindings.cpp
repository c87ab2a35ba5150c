// Table of the languages with a binding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Bindings/Bindings.h"

using namespace llvm;
using namespace ampc;

ArrayRef<Binding> ampc::getBindings() {
  static const Binding bindings[] = {{"cpp", "hpp", false, writeCppBinding},
                                     {"python", "py", true, writePythonBinding},
                                     {"fortran", "f90", false, writeFortranBinding}};
  return bindings;
}

std::vector<std::string> ampc::bindingNames() {
  std::vector<std::string> names;
  for (const Binding &binding : getBindings())
    names.push_back(binding.language.str());
  return names;
}

NameScope::NameScope(StringRef words, bool ignoreCase) : ignoreCase(ignoreCase) {
  SmallVector<StringRef> split;
  words.split(split, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : split)
    taken.insert(ignoreCase ? word.lower() : word.str());
}

std::string NameScope::add(std::string name) {
  while (!taken.insert(ignoreCase ? StringRef(name).lower() : name).second)
    name += "_";
  return name;
}

std::string ampc::fieldName(const FieldInfo &field, size_t number) {
  return field.tensor ? "tensor" + std::to_string(number) : field.name;
}

std::vector<OperandInfo> ampc::operandsOf(const CallInfo &call, NameScope scope,
                                          std::string (*spell)(StringRef name)) {
  std::vector<OperandInfo> operands;
  for (const std::vector<FieldInfo> *fields : {&call.in, &call.out})
    for (const FieldInfo &field : *fields)
      if (field.tensor)
        operands.push_back({&field, field.tensor, scope.add(spell ? spell(field.name) : field.name),
                            fields == &call.out});
  return operands;
}
