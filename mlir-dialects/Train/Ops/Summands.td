// Interfaces of ops on partial sums over micro-batches, and on statistics of one micro-batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SUMMANDS
#define AMPC_TRAIN_SUMMANDS
include "mlir/IR/OpBase.td"

def SummandsOpInterface : OpInterface<"SummandsOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that is linear in some operands: f(a + b, c + d) = f(a, c) + f(b, d), with all other operands equal on
    both sides.
  }];
  let methods = [InterfaceMethod<[{
      Whether operand `other` must be a sum if operand `index` is a sum: both terms of an addition, both values of
      a selection; a single factor of a product. False for an `index` in which the op is not linear, also with
      `other` = `index`.}],
                                 "bool", "isSummandWith",
                                 (ins "unsigned":$index, "unsigned":$other)>];
}

def StatisticsOpInterface : OpInterface<"StatisticsOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that normalizes rows by joint statistics. With micro-batches, the statistics are over the rows of one
    micro-batch, not of the whole batch.
  }];
  let methods = [InterfaceMethod<"Whether an operand is such a number.", "bool", "isStatistic",
                                 (ins "unsigned":$index)>];
}
#endif
