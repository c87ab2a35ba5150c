// Faults of knobs and of buffers per row of the batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "test/Fuzz/PlantedFaults.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

/// State of a kind that an op reads or writes; null for state of another kind.
template <typename State, typename Op> static State stateOf(Op op) {
  return dyn_cast_or_null<State>(SymbolTable::lookupNearestSymbolFrom(op, op.getStateAttr()));
}

static bool readFirstValues(ModuleOp module) {
  SmallVector<train::ReadOp> reads;
  module.walk([&](train::ReadOp read) {
    if (stateOf<train::KnobOp>(read))
      reads.push_back(read);
  });
  for (train::ReadOp read : reads) {
    auto type = cast<RankedTensorType>(read.getType());
    double first = stateOf<train::KnobOp>(read).getInit().getInitializer().a;
    OpBuilder builder(read);
    Attribute number = builder.getFloatAttr(type.getElementType(), first);
    OperationState constant(read.getLoc(), "train.constant");
    constant.addTypes(type);
    constant.addAttribute("value", DenseElementsAttr::get(type, number));
    read.replaceAllUsesWith(builder.create(constant)->getResult(0));
    read.erase();
  }
  return !reads.empty();
}

static bool forgetRate(ModuleOp module) {
  bool found = false;
  module.walk([&](train::StepOp step) {
    NamedAttrList knobs(step->getAttrOfType<DictionaryAttr>(knobsKey));
    std::optional<NamedAttribute> last;
    for (NamedAttribute each : knobs) // "groups.1.lr" comes before "optimizer.lr"
      if (each.getName().getValue().ends_with(".lr") &&
          (!last || each.getName().getValue().starts_with("groups")))
        last = each;
    if (!last)
      return;
    knobs.erase(last->getName());
    step->setAttr(knobsKey, knobs.getDictionary(step.getContext()));
    found = true;
  });
  return found;
}

static bool dropRowWrites(ModuleOp module) {
  SmallVector<train::WriteOp> writes;
  module.walk([&](train::WriteOp write) {
    if (auto buffer = stateOf<train::BufferOp>(write); buffer && isRowState(buffer))
      writes.push_back(write);
  });
  for (train::WriteOp write : writes)
    write.erase();
  return !writes.empty();
}

static bool (*plantOf(StringRef fault))(ModuleOp) {
  return llvm::StringSwitch<bool (*)(ModuleOp)>(fault)
      .Case("knob-first", readFirstValues)
      .Case("knob-rate", forgetRate)
      .Case("row-write", dropRowWrites)
      .Default(nullptr);
}

bool fuzz::isStateFault(StringRef fault) { return plantOf(fault); }

bool fuzz::plantStateFault(ModuleOp module, StringRef fault) { return plantOf(fault)(module); }
