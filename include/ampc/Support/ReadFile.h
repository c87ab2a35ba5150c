// Text files, read as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_READFILE_H
#define AMPC_SUPPORT_READFILE_H

#include "llvm/Support/MemoryBuffer.h"

namespace ampc {
/// The content of a file (`-` is standard input) at this moment: a mapped file changes while it is
/// parsed if another process writes to it, and ends this process (SIGBUS) if it becomes shorter.
inline llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> readFile(const llvm::Twine &path) {
  if (path.str() == "-")
    return llvm::MemoryBuffer::getSTDIN();
  return llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/true,
                                     /*IsVolatile=*/true);
}
} // namespace ampc
#endif
