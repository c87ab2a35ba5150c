// Rounding of tensors on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rounding.h"
#include "Session.h"
#include <cstring>

using namespace ampc;

const llvm::fltSemantics &ampc::semanticsOf(llvm::StringRef precision) {
  return precision == "bf16"  ? llvm::APFloat::BFloat()
         : precision == "f16" ? llvm::APFloat::IEEEhalf()
                              : llvm::APFloat::IEEEsingle();
}

double ampc::roundTo(double x, const llvm::fltSemantics &type) {
  llvm::APFloat value(x);
  bool loses;
  value.convert(type, llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

template <typename Real>
static void roundAll(int64_t count, void *data, const llvm::fltSemantics &type) {
  for (int64_t k = 0; k < count; ++k) {
    char *place = static_cast<char *>(data) + k * sizeof(Real);
    Real x;
    std::memcpy(&x, place, sizeof x);
    x = Real(roundTo(double(x), type));
    std::memcpy(place, &x, sizeof x);
  }
}

/// 16-bit elements stay: rounding to a 16-bit type is for wider ones.
void ampc::roundReals(const ampc_tensor &tensor, void *data, const llvm::fltSemantics &type) {
  if (tensor.dtype == AMPC_F32)
    roundAll<float>(elementCount(tensor), data, type);
  else if (tensor.dtype == AMPC_F64)
    roundAll<double>(elementCount(tensor), data, type);
}
