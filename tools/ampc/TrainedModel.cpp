// Model with the parameters of a checkpoint, for commands that do not train.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/TrainedModel.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ImportOptions.h"
#include "llvm/ADT/StringExtras.h"

using namespace ampc;
namespace cl = llvm::cl;

TrainedModel::TrainedModel(cl::SubCommand &command)
    : input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required, cl::sub(command)),
      checkpoint("checkpoint",
                 cl::desc("parameters and buffers: a file of ampc train --out (default: initial "
                          "values, if the model loads initial values from a file)"),
                 cl::value_desc("FILE.safetensors"), cl::sub(command)),
      averages("ema", cl::desc("parameters are the averages of ema_decay in the checkpoint"),
               cl::sub(command)),
      knobs(command), host(command) {}

void ampc::reportLoad(const Session &session, ampc_status status) {
  std::string message = session.describe(status);
  fail(message);
  // The number of rows is in no tensor of a checkpoint.
  std::vector<std::string> sizes;
  for (llvm::StringRef size : session.getSizes())
    if (!size.starts_with("batch ="))
      sizes.push_back(size.str());
  static const llvm::StringRef signs[] = {": expected shape [", "' is missing",
                                          ": the model has no tensor '"};
  bool isOfSizes = llvm::any_of(
      signs, [&](llvm::StringRef sign) { return llvm::StringRef(message).contains(sign); });
  if (status == AMPC_E_CKPT_MISMATCH && isOfSizes && !sizes.empty())
    note("if the checkpoint is of a model with other sizes, set these sizes with --set; here " +
         llvm::join(sizes, ", "));
}

/// Whether initial values are trained values: parameters come from a file and none is random, or
/// there are no parameters.
static bool hasTrainedValues(const ampc_model &model) {
  bool hasParameters = false, hasData = false;
  for (const ampc_slot &slot : llvm::ArrayRef(model.slots, model.slot_count)) {
    if (slot.role != AMPC_ROLE_PARAM)
      continue;
    hasParameters = true;
    hasData |= slot.init == AMPC_INIT_DATA;
    if (slot.init != AMPC_INIT_DATA && slot.init != AMPC_INIT_CONSTANT)
      return false;
  }
  return hasData || !hasParameters;
}

bool TrainedModel::open(Session &session, const PrecisionOptions &precision, const Sources &data,
                        llvm::ArrayRef<std::string> outputs, bool evaluates) const {
  auto chosen = precision.get();
  if (!chosen)
    return fail(llvm::toString(chosen.takeError())), false;
  CompileRequest request = requestFor(input);
  request.options = *chosen;
  request.options.dataTotals = evaluates;
  std::vector<std::string> others = request.inputs();
  if (!checkpoint.empty())
    others.push_back(checkpoint);
  if (llvm::Error mistake = checkOutputs(outputs, data, others))
    return fail(llvm::toString(std::move(mistake))), false;
  ampc_options options = {};
  host.apply(options);
  if (!session.open(request, options))
    return false;
  if (checkpoint.empty() && averages)
    return fail("expected --checkpoint with --ema, but got none"), false;
  if (checkpoint.empty()) {
    if (hasTrainedValues(session.getModel()))
      return knobs.apply(session);
    return fail("expected --checkpoint, a file of ampc train --out, but got none"), false;
  }
  uint32_t flags = averages ? AMPC_LOAD_AVERAGES : AMPC_LOAD_WEIGHTS;
  ampc_status status = ampc_rt_load(session.getState(), checkpoint.c_str(), flags);
  if (status == AMPC_OK)
    return knobs.apply(session);
  return reportLoad(session, status), false;
}
