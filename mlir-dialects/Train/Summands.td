// Interfaces of ops on partial sums over micro-batches, and on statistics of one micro-batch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_SUMMANDS
#define AMPC_TRAIN_SUMMANDS
include "mlir/IR/OpBase.td"

def SummandsOpInterface : OpInterface<"SummandsOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that gives sums for sums: f(a + b, c + d) = f(a, c) + f(b, d), for some of its operands, the others being the same on both sides.
  }];
  let methods = [InterfaceMethod<[{
      Whether operand `other` has to be a sum where operand `index` is one: both terms of an addition, both values of a choice. Of a
      product one factor is. False for an `index` that the op is not linear in, also with itself.}],
                                 "bool", "isSummandWith",
                                 (ins "unsigned":$index, "unsigned":$other)>];
}

def StatisticsOpInterface : OpInterface<"StatisticsOpInterface"> {
  let cppNamespace = "::ampc";
  let description = [{
    An op that normalizes rows by numbers that describe them together. In a batch of parts they describe the rows of a part, not those of
    the whole batch.
  }];
  let methods = [InterfaceMethod<"Whether an operand is such a number.", "bool", "isStatistic",
                                 (ins "unsigned":$index)>];
}
#endif
