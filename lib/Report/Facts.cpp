// Small readers shared by the parts of the report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/Facts.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::report;

SourceLocation report::placeOf(Location loc) {
  SourceLocation place;
  loc->walk([&](Location at) {
    auto file = dyn_cast<FileLineColLoc>(at);
    if (!file)
      return WalkResult::advance();
    place = {llvm::sys::path::filename(file.getFilename().getValue()).str(), file.getLine(),
             file.getColumn()};
    return WalkResult::interrupt();
  });
  return place;
}

std::string report::elementText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
  return text;
}

std::string report::typeText(Type type) {
  std::string text;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    for (int64_t size : tensor.getShape())
      text += std::to_string(size) + "x";
  return text + elementText(type);
}

Step *Compilation::findStep(StringRef name) {
  auto found = llvm::find_if(steps, [&](const Step &step) { return step.name == name; });
  return found == steps.end() ? nullptr : &*found;
}

StringRef report::partName(StepStage part) {
  static const char *const names[] = {"input", "forward", "backward", "optimizer"};
  return names[size_t(part)];
}
