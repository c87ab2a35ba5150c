// Ops that mix rows of the batch, for messages about short batches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/MixedRows.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

void MixedRows::set(Operation *program, Operation *mixing) {
  std::string text = mixing->getName().getStringRef().str() + " (" + nameOf(mixing) + ")";
  program->setDiscardableAttr(key, StringAttr::get(program->getContext(), text));
}

StringRef MixedRows::of(Operation *program) {
  auto text = program->getAttrOfType<StringAttr>(key);
  return text ? text.getValue() : StringRef();
}

bool MixedRows::is(NamedAttribute attribute) {
  return attribute.getName() == key && isa<StringAttr>(attribute.getValue());
}
