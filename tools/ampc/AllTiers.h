// A model with code for all tiers of all targets, from which the runtime chooses as from a library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_ALLTIERS_H
#define TOOLS_AMPC_ALLTIERS_H

#include "ampc/Runtime/Runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <optional>
#include <string>

namespace ampc {
class AllTiers {
public:
  AllTiers();
  /// The tier that a state on `device` ("cpu", "cuda:1", null: any) runs under the AMPC_ISA of the
  /// environment; `problem` if there is none.
  std::optional<int32_t> choose(const char *device, std::string &problem) const;
  /// Whether this processor runs the tier; not under an AMPC_ISA.
  static bool runs(int32_t tier);
  /// "avx2"
  static std::string nameOf(int32_t tier);

private:
  /// [0]: instruction sets; others: one model per tier.
  std::array<ampc_model, AMPC_TIERS> models{};
  std::array<ampc_image, AMPC_TIERS> images{};
};
} // namespace ampc
#endif
