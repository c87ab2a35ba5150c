// The loss of one part of a batch as a term of the loss of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_WEIGHPARTS_H
#define LIB_TRAIN_STEP_WEIGHPARTS_H

#include "mlir-dialects/Train/Signature.h"

namespace ampc {
/// Rewrites the loss function of a step with micro-batches, before it is differentiated, such that
/// results of the parts add up to those of the whole batch: a divisor that counts labels or adds
/// up weights becomes the `train.total` of all parts, and a term that all parts share has the
/// factor `train.share`. An error, at the op that mixes rows, if the sum would be another number
/// than that of the whole batch.
llvm::LogicalResult weighParts(train::FuncOp loss, train::StepOp step);

/// The same for an evaluation on data of any number of batches: its loss becomes the term that the
/// batch adds to the loss over all data, given as further inputs the totals over the data. A second
/// program of the step, which is returned, gives what a batch adds to each of them; its own inputs
/// are totals that others depend on, and the data that they need. Inputs and outputs that belong
/// together have one name, which begins with `total:`. Null, and nothing changes, if the loss is no
/// such sum.
train::FuncOp weighEvaluation(train::FuncOp eval, train::StepOp step);
} // namespace ampc
#endif
