// Rounding of tensors on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Rounding.h"
#include "tools/ampc/Session.h"
#include <cstring>

using namespace ampc;

template <typename Real, typename Change>
static void changeAll(int64_t count, void *data, Change change) {
  for (int64_t k = 0; k < count; ++k) {
    char *place = static_cast<char *>(data) + k * sizeof(Real);
    Real x;
    std::memcpy(&x, place, sizeof x);
    x = Real(change(double(x)));
    std::memcpy(place, &x, sizeof x);
  }
}

template <typename Change>
static void changeReals(const ampc_tensor &tensor, void *data, Change change) {
  if (tensor.dtype == AMPC_F32)
    changeAll<float>(elementCount(tensor), data, change);
  else if (tensor.dtype == AMPC_F64)
    changeAll<double>(elementCount(tensor), data, change);
}

void ampc::roundReals(const ampc_tensor &tensor, void *data, const FloatFormat &type) {
  changeReals(tensor, data, [&](double x) { return type.round(x); });
}

void ampc::perturbReals(const ampc_tensor &tensor, void *data, const FloatFormat &type,
                        Random &random) {
  double most = 2 * type.unit();
  changeReals(tensor, data, [&](double x) { return x * (1 + most * (2 * random.unit() - 1)); });
}
