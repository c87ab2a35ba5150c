// Many arguments and results for a program at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/SignatureChange.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

DenseMap<StringAttr, BlockArgument> ampc::findStates(FunctionOpInterface program) {
  DenseMap<StringAttr, BlockArgument> states;
  Signature signature(program);
  for (BlockArgument argument : program.getFunctionBody().front().getArguments())
    if (StringAttr state = signature.stateArgument(argument.getArgNumber()))
      states.try_emplace(state, argument);
  return states;
}

SignatureChange::SignatureChange(FunctionOpInterface program)
    : program(program), body(program.getFunctionBody().front()), states(findStates(program)) {
  program.getAllArgAttrs(arguments);
  program.getAllResultAttrs(results);
  Signature signature(program);
  while (leading < body.getNumArguments() && signature.stateArgument(leading))
    ++leading;
}

SignatureChange::~SignatureChange() {
  program.setType(FunctionType::get(program.getContext(), body.getArgumentTypes(),
                                    body.getTerminator()->getOperandTypes()));
  program.setAllArgAttrs(arguments);
  program.setAllResultAttrs(results);
}

static DictionaryAttr attributesOf(Attribute is) {
  Builder builder(is.getContext());
  return builder.getDictionaryAttr(builder.getNamedAttr(Signature::key, is));
}

BlockArgument SignatureChange::addState(StringRef name, Type type, Location loc) {
  StateAttr is = Signature(program).state(name);
  BlockArgument &argument = states[is.getName()];
  if (argument)
    return argument;
  arguments.insert(arguments.begin() + leading, attributesOf(is));
  argument = body.insertArgument(leading++, type, loc);
  return argument;
}

void SignatureChange::addResult(Value value, Attribute is) {
  Operation *ret = body.getTerminator();
  ret->insertOperands(ret->getNumOperands(), value);
  results.push_back(attributesOf(is));
}

void SignatureChange::setResult(unsigned i, Attribute is) { results[i] = attributesOf(is); }

void SignatureChange::eraseResults(function_ref<bool(Attribute is)> goes) {
  Operation *ret = body.getTerminator();
  llvm::BitVector gone(results.size());
  for (auto [i, attributes] : llvm::enumerate(results))
    gone[i] = attributes && goes(attributes.get(Signature::key));
  ret->eraseOperands(gone);
  unsigned i = 0;
  llvm::erase_if(results, [&](DictionaryAttr) { return gone[i++]; });
}

void SignatureChange::addOutput(Value value, Output kind) {
  addResult(value, OutputAttr::get(program.getContext(), kind, StringAttr(), -1));
}
