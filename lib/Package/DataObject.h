// An object file that holds nothing but data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_DATAOBJECT_H
#define LIB_PACKAGE_DATAOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace ampc {
/// Offset of each piece, then the end of the last piece: n pieces give n + 1 offsets.
std::vector<int64_t> placesOf(llvm::ArrayRef<llvm::StringRef> pieces);
/// Object file with the pieces at these offsets under one hidden symbol. Constants of LLVM IR would
/// need a multiple of the data's size in memory during the compilation.
llvm::SmallVector<char, 0> writeDataObject(llvm::StringRef symbol,
                                           llvm::ArrayRef<llvm::StringRef> pieces);
} // namespace ampc
#endif
