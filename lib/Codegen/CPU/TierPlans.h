// Plans of a kernel per tier of the CPU, as kernel-configure stores them in a list.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_TIERPLANS_H
#define LIB_CODEGEN_CPU_TIERPLANS_H

#include "lib/Codegen/CPU/CPUKernelLowering.h"

namespace ampc::cpu {

/// Plans of a tier in `plans`, which may be null. Example: tier avx2 of [#kernel.blocking<avx2,
/// ...>, #kernel.blocking<avx512, ...>] -> the first.
llvm::SmallVector<mlir::Attribute> plansOf(mlir::ArrayAttr plans, const Tier &tier);

/// Plans of every tier with code of its own. `plansFor` returns those of a tier: the given ones,
/// checked, or the fastest. Fails, after an error at the op, if `plansFor` does, or if a given plan
/// belongs to no such tier.
llvm::FailureOr<mlir::ArrayAttr> configureTiers(
    mlir::Operation *op, const CPUKernelLowering &code, mlir::ArrayAttr given,
    llvm::function_ref<llvm::FailureOr<llvm::SmallVector<mlir::Attribute>>(const Tier &tier)>
        plansFor);

/// As configureTiers, for kernels with one plan per tier. `formOf` returns the form of the op's
/// plan or fails, `choose` the fastest form; `Form::attribute` is the plan.
template <typename Form>
llvm::FailureOr<mlir::ArrayAttr>
configureForms(mlir::Operation *op, const CPUKernelLowering &code, mlir::ArrayAttr given,
               llvm::function_ref<llvm::FailureOr<Form>(const Tier &tier)> formOf,
               llvm::function_ref<Form(const Tier &tier)> choose) {
  return configureTiers(
      op, code, given,
      [&](const Tier &tier) -> llvm::FailureOr<llvm::SmallVector<mlir::Attribute>> {
        bool isGiven = !plansOf(given, tier).empty();
        llvm::FailureOr<Form> form = isGiven ? formOf(tier) : choose(tier);
        if (failed(form))
          return llvm::failure();
        return llvm::SmallVector<mlir::Attribute>{form->attribute(op->getContext(), tier)};
      });
}

} // namespace ampc::cpu
#endif
