// An object file that holds nothing but data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_DATAOBJECT_H
#define LIB_PACKAGE_DATAOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace ampc {
/// Where each piece begins, behind the ones before it, and where the last one ends.
std::vector<int64_t> placesOf(llvm::ArrayRef<llvm::StringRef> pieces);
/// The pieces at their places under one hidden symbol. As constants of LLVM IR they would take many
/// times their size while a library is made.
llvm::SmallVector<char, 0> writeDataObject(llvm::StringRef symbol,
                                           llvm::ArrayRef<llvm::StringRef> pieces);
} // namespace ampc
#endif
