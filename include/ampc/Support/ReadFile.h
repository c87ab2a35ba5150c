// Reading of whole text files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_READFILE_H
#define AMPC_SUPPORT_READFILE_H

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

namespace ampc {
/// Limit on bytes read from a pipe or device, which may be endless: /dev/zero gives an error
/// instead of exhausting memory.
constexpr size_t mostStreamBytes = size_t(1) << 28;

/// Content of a pipe or device up to the end of file.
inline llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> readStream(llvm::sys::fs::file_t file,
                                                                     llvm::StringRef name) {
  llvm::SmallVector<char, 0> bytes;
  constexpr size_t chunk = 1 << 16;
  while (true) {
    size_t size = bytes.size();
    if (size > mostStreamBytes)
      return std::make_error_code(std::errc::file_too_large);
    bytes.resize_for_overwrite(size + chunk);
    auto read =
        llvm::sys::fs::readNativeFile(file, llvm::MutableArrayRef(bytes.data() + size, chunk));
    if (!read)
      return llvm::errorToErrorCode(read.takeError());
    bytes.truncate(size + *read);
    if (*read == 0)
      return std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes), name);
  }
}

/// Content of a file (`-` is standard input), read into memory rather than mapped: a mapping would
/// change if another process writes to the file, and would end this process (SIGBUS) if the file is
/// truncated.
inline llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> readFile(const llvm::Twine &path) {
  if (path.str() == "-")
    return readStream(llvm::sys::fs::getStdinHandle(), "<stdin>");
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status))
    return code;
  if (status.type() == llvm::sys::fs::file_type::regular_file ||
      status.type() == llvm::sys::fs::file_type::directory_file)
    return llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/true,
                                       /*IsVolatile=*/true);
  auto file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  auto content = readStream(*file, path.str());
  llvm::sys::fs::closeFile(*file);
  return content;
}
} // namespace ampc
#endif
