// The loss of a micro-batch as a term of the loss of the whole batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_WEIGHMICROBATCHES_H
#define LIB_TRAIN_STEP_WEIGHMICROBATCHES_H

#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
/// Rewrites the loss function of a step with micro-batches, before differentiation, such that
/// results of the micro-batches add up to results of the whole batch: a divisor that counts labels
/// or sums weights becomes the `train.total` of all micro-batches, and a term shared by all
/// micro-batches gets the factor `train.share`. Example: mean -> sum / total. An error, at the op
/// that mixes rows, if the sum would differ from the result of the whole batch.
llvm::LogicalResult weighMicroBatches(train::FuncOp loss, train::StepOp step);

/// Rewrites an evaluation for data of any number of batches: the loss becomes the batch's term of
/// the loss over all data, with the totals over the data as additional inputs. Returns a second
/// program of the step, which computes the batch's contribution to each total; inputs of that
/// program are the data, and totals on which other totals depend. Corresponding inputs and outputs
/// share a name, which begins with `total:`. Null, and nothing changes, if the loss is no such sum.
train::FuncOp weighEvaluation(train::FuncOp eval, train::StepOp step);
} // namespace ampc
#endif
