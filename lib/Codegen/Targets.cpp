// Registry of the targets of this compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Targets.h"
#include "lib/Codegen/CPU/Target.h"
#include "lib/Codegen/NVPTX/Target.h"
#include "lib/Codegen/Reference/Target.h"

using namespace mlir;
using namespace ampc;

ArrayRef<const Target *> ampc::allTargets() {
  static const SmallVector<const Target *> all = [] {
    SmallVector<const Target *> targets = {&cpu::getTarget(), &reference::getTarget()};
    llvm::append_range(targets, nvptx::getTargets());
    return targets;
  }();
  return all;
}

void ampc::registerTargets(DialectRegistry &registry) {
  registry.insert<kernel::KernelDialect>();
  for (const Target *target : allTargets())
    target->registerDialects(registry);
  registry.addExtension(+[](MLIRContext *, kernel::KernelDialect *dialect) {
    for (const Target *target : allTargets())
      dialect->addTarget(target->getName(), target);
  });
}
