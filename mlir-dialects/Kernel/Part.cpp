// Programs that other programs call: name, role and signature.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Part.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;

/// Whether a program has the name, or a function that becomes a program.
static bool isTaken(ModuleOp module, StringRef name) {
  auto functions = module.getOps<train::ModelOp>();
  return module.lookupSymbol(name) || llvm::any_of(functions, [&](train::ModelOp model) {
           return model.lookupSymbol(name) != nullptr;
         });
}

static std::string nameOfPart(kernel::ProgramOp caller, StringRef suffix) {
  auto module = caller->getParentOfType<ModuleOp>();
  std::string first = (caller.getSymName() + "." + suffix).str(), name = first;
  for (unsigned i = 1; isTaken(module, name); ++i)
    name = first + std::to_string(i);
  return name;
}

/// Names of arguments and results: in0, in1, ... and out0, out1, ...
static void nameValues(kernel::ProgramOp part) {
  Builder builder(part);
  Signature signature(part);
  auto nameOf = [&](StringRef kind, unsigned i) { return builder.getStringAttr(kind + Twine(i)); };
  for (unsigned i = 0; i < part.getNumArguments(); ++i)
    signature.setArgument(i, train::InputAttr::get(nameOf("in", i)));
  for (unsigned i = 0; i < part.getNumResults(); ++i)
    signature.setResult(i, train::OutputAttr::get(builder.getContext(), train::Output::Named,
                                                  nameOf("out", i), -1));
}

kernel::ProgramOp kernel::createCalledProgram(ProgramOp caller, StringRef suffix,
                                              TypeRange arguments, TypeRange results) {
  OpBuilder builder(caller);
  auto part = ProgramOp::create(builder, caller.getLoc(), nameOfPart(caller, suffix),
                                builder.getFunctionType(arguments, results));
  part.setRole(train::Role::Part);
  Block *body = builder.createBlock(&part.getBody());
  for (Type type : arguments)
    body->addArgument(type, caller.getLoc());
  nameValues(part);
  return part;
}
