// Through a temporary file beside the new one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/WriteFile.h"
#include "llvm/Support/raw_ostream.h"

llvm::Error ampc::writeFile(llvm::StringRef path, llvm::StringRef content) {
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << content;
    os.flush();
    // A stream that ends with an error of its own would end the program.
    auto &file = static_cast<llvm::raw_fd_ostream &>(os);
    std::error_code code = file.error();
    file.clear_error();
    return llvm::errorCodeToError(code);
  });
}
