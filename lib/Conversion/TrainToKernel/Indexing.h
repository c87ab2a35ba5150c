// Conversion rules for gather, scatter and argsort along a dimension.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_TRAINTOKERNEL_INDEXING_H
#define LIB_CONVERSION_TRAINTOKERNEL_INDEXING_H

#include "lib/Conversion/TrainToKernel/Converter.h"

namespace ampc {
void addIndexingRules(ConversionRules &families);
} // namespace ampc
#endif
