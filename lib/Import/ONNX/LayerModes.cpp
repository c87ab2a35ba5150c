// Mode of batch norms and dropouts in steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/LayerModes.h"
#include "ampc/Support/Mistake.h"

using namespace ampc;
using namespace ampc::onnx;
using llvm::StringRef;

llvm::Error LayerModes::fix(llvm::ArrayRef<std::string> patterns) {
  for (const std::string &text : patterns) {
    auto glob = llvm::GlobPattern::create(text);
    if (!glob)
      return glob.takeError();
    fixed.push_back({text, std::move(*glob)});
  }
  return llvm::Error::success();
}

LayerMode LayerModes::of(const Node &node) {
  if (node.op != "BatchNormalization" || !node.domain.empty() || node.inputs.size() != 5)
    return mode;
  return ofNorm({node.name, node.inputs[3], node.inputs[4]});
}

LayerMode LayerModes::ofNorm(llvm::ArrayRef<StringRef> names) {
  LayerMode found = mode;
  for (Pattern &pattern : fixed)
    if (llvm::any_of(names, [&](StringRef name) { return pattern.glob.match(name); })) {
      pattern.matches = true;
      found = LayerMode::Inference;
    }
  return found;
}

llvm::Error LayerModes::checkMatches() const {
  for (const Pattern &pattern : fixed)
    if (!pattern.matches)
      return mistake("expected --freeze-statistics to match a batch norm, by the name of the node "
                     "or of the running statistics, but '" +
                     pattern.text + "' matches none");
  return llvm::Error::success();
}
