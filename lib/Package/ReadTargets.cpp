// Models of all targets of a module, whose interfaces must agree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/ModelInfo.h"

using namespace mlir;
using namespace ampc;

/// Names in the order in which callers number: tensors without working copies, then public
/// programs. Must be equal for all targets.
static std::vector<std::string> publicNames(const ModelInfo &model) {
  std::vector<std::string> names;
  for (const SlotInfo &slot : model.slots)
    if (slot.role != AMPC_ROLE_WORKING)
      names.push_back(slot.tensor.name);
  for (const ProgramInfo &program : model.programs)
    if (isPublic(program))
      names.push_back(program.name);
  return names;
}

FailureOr<std::vector<ModelInfo>> ampc::readModels(ModuleOp module, StringRef name) {
  std::vector<ModelInfo> targets;
  for (ModuleOp part : targetModules(module)) {
    FailureOr<ModelInfo> model = readModel(part, name);
    if (failed(model))
      return failure();
    targets.push_back(std::move(*model));
    const ModelInfo &first = targets.front(), &last = targets.back();
    if (targets.size() > 1 &&
        (publicNames(first) != publicNames(last) || first.stateHash != last.stateHash))
      return part.emitError() << "expected the tensors and programs of target "
                              << first.target->getName() << " for target "
                              << last.target->getName();
  }
  return targets;
}
