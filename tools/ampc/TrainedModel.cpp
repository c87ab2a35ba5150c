// A model with the parameters of a checkpoint, for commands that do not train.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/TrainedModel.h"
#include "tools/ampc/Commands.h"

using namespace ampc;
namespace cl = llvm::cl;

TrainedModel::TrainedModel(cl::SubCommand &command)
    : input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required, cl::sub(command)),
      checkpoint("checkpoint", cl::desc("what ampc train --out has written"),
                 cl::value_desc("FILE.safetensors"), cl::sub(command)),
      threads(command) {}

bool TrainedModel::open(Session &session, const PrecisionOptions &precision, const Sources &data,
                        llvm::ArrayRef<std::string> outputs) const {
  if (checkpoint.empty())
    return fail("expected --checkpoint, a file of ampc train --out, but got none"), false;
  auto chosen = precision.get();
  if (!chosen)
    return fail(llvm::toString(chosen.takeError())), false;
  CompileRequest request;
  request.input = input;
  request.options = *chosen;
  std::vector<std::string> others = request.inputs();
  others.push_back(checkpoint);
  if (llvm::Error mistake = checkOutputs(outputs, data, others))
    return fail(llvm::toString(std::move(mistake))), false;
  ampc_options options = {};
  threads.apply(options);
  if (!session.open(request, options))
    return false;
  ampc_status status = ampc_rt_load(session.getState(), checkpoint.c_str(), AMPC_LOAD_WEIGHTS);
  if (status == AMPC_OK)
    return true;
  return fail(llvm::Twine(ampc_rt_status_string(status)) + ": " + session.lastError()), false;
}
