// A model with the parameters of a checkpoint, for commands that do not train.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_TRAINEDMODEL_H
#define TOOLS_AMPC_TRAINEDMODEL_H

#include "tools/ampc/HostOptions.h"
#include "tools/ampc/Knobs.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/Session.h"
#include "tools/ampc/Sources.h"

namespace ampc {
/// Reason for a checkpoint that does not load, with advice.
void reportLoad(const Session &session, ampc_status status);

/// Options, an instance per command.
struct TrainedModel {
  llvm::cl::opt<std::string> input, checkpoint;
  llvm::cl::opt<bool> averages;
  KnobOption knobs;
  HostOptions host;

  explicit TrainedModel(llvm::cl::SubCommand &command);
  /// Compiles the model and loads parameters and buffers. Without a checkpoint they keep initial
  /// values, if these come from a file. False after a message, which there is also if an output is
  /// an input. `evaluates`: evaluations are for the loss over all data, as Evaluation reads them.
  bool open(Session &session, const PrecisionOptions &precision, const Sources &data,
            llvm::ArrayRef<std::string> outputs, bool evaluates = false) const;
};
} // namespace ampc
#endif
