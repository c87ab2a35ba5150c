// Where a step's ops lie in the drawing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_STEPLAYOUT_H
#define LIB_REPORT_STEPLAYOUT_H

#include "ampc/Report/Report.h"

namespace ampc::report {
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};
/// Ops that stem from one op of the model, or that update one parameter.
struct Group {
  std::string label, path; ///< "conv2d#0" and what stands before it, "loss/call#0/scores"
  Part part = Part::Forward;
  Box box;
};
/// A call of a function in the model, such as a repeated layer: the columns of its groups.
struct Band {
  std::string label;
  double from = 0, to = 0;
  int depth = 0;
};
struct StepLayout {
  std::vector<Box> operations; ///< by number
  std::vector<Group> groups;
  std::vector<Band> bands;
  std::vector<Box> lanes; ///< forward, backward, optimizer
  double width = 0, height = 0;
};

/// Columns from left to right in the order of the forward pass; below a group stand the group of
/// its gradients and the updates that these serve, so that the backward pass reads from right to
/// left.
StepLayout layOut(const Step &step);
llvm::json::Value toJson(const StepLayout &layout);
} // namespace ampc::report
#endif
