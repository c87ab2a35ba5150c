// Names of gradients in the state of a model: STEP.gradient.PARAMETER, the dense gradient or the
// rows of a sparse one, and STEP.rows.PARAMETER, the numbers of those rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_GRADIENTNAMES_H
#define AMPC_SUPPORT_GRADIENTNAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>

namespace ampc {

inline std::string gradientName(llvm::StringRef step, llvm::StringRef param) {
  return (step + ".gradient." + param).str();
}
inline std::string gradientRowsName(llvm::StringRef step, llvm::StringRef param) {
  return (step + ".rows." + param).str();
}

/// Step and parameter of a gradient.
struct GradientName {
  llvm::StringRef step, param;

  /// Example: "fit.gradient.layer.weight" -> {fit, layer.weight}. Nothing for other names.
  static std::optional<GradientName> of(llvm::StringRef name) {
    constexpr llvm::StringLiteral infix = ".gradient.";
    size_t at = name.find(infix);
    if (at == llvm::StringRef::npos)
      return std::nullopt;
    return GradientName{name.take_front(at), name.drop_front(at + infix.size())};
  }
};

} // namespace ampc
#endif
