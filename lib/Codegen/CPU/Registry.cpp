// Registry of kernel templates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/KernelTemplate.h"

using namespace ampc::cpu;

void KernelTemplate::emit(mlir::Operation *op, TaskCode &code) const {
  code.isFinish ? emitFinish(op, code.e, code.pointers, code.begin, code.end)
                : emitRun(op, code.e, code.pointers, code.begin, code.end);
}

const TemplateRegistry &ampc::cpu::templateRegistry() {
  static const TemplateRegistry registry = [] {
    TemplateRegistry all;
    addMapTemplates(all);
    addGemmTemplate(all);
    addConvTemplate(all);
    addConvFilterTemplate(all);
    addWinogradTemplates(all);
    addAttentionTemplate(all);
    addAttentionGradTemplate(all);
    addReduceTemplates(all);
    addRowTemplates(all);
    addAssembleTemplates(all);
    addPoolTemplates(all);
    addPackTemplate(all);
    addTotalsTemplate(all);
    return all;
  }();
  return registry;
}
