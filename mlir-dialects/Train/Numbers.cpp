// Checks of real attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Numbers.h"

using namespace mlir;
using namespace ampc;

LogicalResult ampc::verifyFinite(EmitError emitError, ArrayRef<NamedNumber> numbers) {
  for (const NamedNumber &n : numbers)
    if (!n.value.isFinite())
      return emitError() << "expected a finite " << n.name << ", but got " << number(n.value);
  return success();
}

LogicalResult ampc::verifyNotNegative(EmitError emitError, ArrayRef<NamedNumber> numbers) {
  for (const NamedNumber &n : numbers)
    if (!n.value.isFinite() || number(n.value) < 0)
      return emitError() << "expected a finite " << n.name << " of at least 0, but got "
                         << number(n.value);
  return success();
}
