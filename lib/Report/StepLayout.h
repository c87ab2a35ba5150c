// Positions of a step's ops in the drawing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_STEPLAYOUT_H
#define LIB_REPORT_STEPLAYOUT_H

#include "ampc/Report/Report.h"

namespace ampc::report {
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};
/// Ops of a single op of the model, or of the update of a single parameter.
struct Group {
  std::string label, path; ///< "conv2d#0" in "loss/call#0/scores"
  StepStage part = StepStage::Forward;
  Box box;
};
/// Columns of the groups of a call in the model, such as a repeated layer.
struct Band {
  std::string label;
  double from = 0, to = 0;
  int depth = 0;
};
/// Box around a loop's op and the ops of the loop's body.
struct LoopBox {
  int operation = -1; ///< number of the loop's op
  Box box;
};
struct StepLayout {
  std::vector<Box> operations; ///< by op number
  std::vector<Group> groups;
  std::vector<LoopBox> loops; ///< an inner loop behind the outer
  std::vector<Band> bands;
  std::vector<Box> lanes; ///< forward, backward, optimizer
  double width = 0, height = 0;
};

/// Lays out the step: columns from left to right in the order of the forward pass; below a group
/// come the group of the gradients and the updates that read the gradients, so the backward pass
/// runs from right to left.
StepLayout layOut(const Step &step);
llvm::json::Value toJson(const StepLayout &layout);
} // namespace ampc::report
#endif
