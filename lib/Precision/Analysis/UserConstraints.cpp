// User constraints on the types of single ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/UserConstraints.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

static UserConstraint demandOf(Operation *op, const PolicyTable &table) {
  UserConstraint demand;
  train::OriginAttr origin = originOf(op);
  Attribute region = origin ? origin.getRegion() : Attribute();
  if (auto type = dyn_cast_or_null<TypeAttr>(region)) {
    demand = {type.getValue(), /*disabled=*/false, /*forced=*/isa<Float32Type>(type.getValue()),
              "a region of the model sets the type"};
  } else if (region) {
    demand = {Type(), /*disabled=*/true, /*forced=*/false,
              "a region of the model disables autocast"};
  }
  // also the attribute of the composite op or forward op that the op stems from
  if (Type compute = origin ? origin.getCompute() : Type())
    demand = {compute,
              /*disabled=*/false,
              /*forced=*/true,
              "the attribute `compute` fixes the type",
              std::nullopt,
              "compute"};
  for (const Override &line : table.overrides)
    if (line.matches(op))
      demand = {line.type, false, true, "the override \"" + line.pattern + "\" fixes the type",
                line.mode};
  return demand;
}

UserConstraints::UserConstraints(const DecidedProgram &program, Type low, const PolicyTable &table)
    : low(low), f32(program.f32) {
  for (Operation *op : program.ops)
    constraints[op] = demandOf(op, table);
}

Type UserConstraints::lowOf(Operation *op) const {
  UserConstraint demand = constraints.lookup(op);
  if (demand.disabled)
    return f32;
  return demand.type && isa<FloatType>(demand.type) ? demand.type : low;
}
