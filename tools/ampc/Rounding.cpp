// Rounding of tensors on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rounding.h"
#include "Session.h"
#include <cstring>

using namespace ampc;

template <typename Real> static void roundAll(int64_t count, void *data, const FloatFormat &type) {
  for (int64_t k = 0; k < count; ++k) {
    char *place = static_cast<char *>(data) + k * sizeof(Real);
    Real x;
    std::memcpy(&x, place, sizeof x);
    x = Real(type.round(double(x)));
    std::memcpy(place, &x, sizeof x);
  }
}

void ampc::roundReals(const ampc_tensor &tensor, void *data, const FloatFormat &type) {
  if (tensor.dtype == AMPC_F32)
    roundAll<float>(elementCount(tensor), data, type);
  else if (tensor.dtype == AMPC_F64)
    roundAll<double>(elementCount(tensor), data, type);
}
