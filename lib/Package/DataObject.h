// Object file of data only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_DATAOBJECT_H
#define LIB_PACKAGE_DATAOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace ampc {
/// Offsets of all pieces, then the end of the last piece: n pieces -> n + 1 offsets.
std::vector<int64_t> pieceOffsets(llvm::ArrayRef<llvm::StringRef> pieces);
/// Object file with the pieces at these offsets under a hidden symbol. Constants of LLVM IR would
/// take a multiple of the data's size in memory at compile time.
llvm::SmallVector<char, 0> writeDataObject(llvm::StringRef symbol,
                                           llvm::ArrayRef<llvm::StringRef> pieces);
} // namespace ampc
#endif
