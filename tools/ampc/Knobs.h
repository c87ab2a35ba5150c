// Knobs of a compiled model: values, and the option that sets them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_KNOBS_H
#define TOOLS_AMPC_KNOBS_H

#include "tools/ampc/Session.h"
#include "llvm/Support/CommandLine.h"

namespace ampc {
/// Names in the order of slots.
std::vector<std::string> knobNames(const ampc_model &model);
/// Current values, in the order of names.
std::vector<double> knobValues(Session &session);

/// Sets one knob to a value within its range. Error text of the runtime, which knows the range;
/// empty on success.
std::string setKnob(Session &session, llvm::StringRef name, double value);

/// --knob NAME=NUMBER,...: values of the state, which no compilation depends on.
class KnobOption {
public:
  explicit KnobOption(llvm::cl::SubCommand &command);
  /// Sets the knobs of a session with its first values or a checkpoint. False after a message.
  bool apply(Session &session) const;

private:
  llvm::cl::list<std::string> given;
};
} // namespace ampc
#endif
