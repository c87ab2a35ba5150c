// Through a temporary file beside the new one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/WriteFile.h"
#include "llvm/Support/FileSystem.h"
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

llvm::Error ampc::checkOutputs(llvm::ArrayRef<std::string> outputs,
                               llvm::ArrayRef<std::string> inputs) {
  for (const std::string &output : outputs)
    for (const std::string &input : inputs)
      if (!output.empty() && !input.empty() && llvm::sys::fs::equivalent(output, input))
        return llvm::createStringError(std::error_code(),
                                       "expected outputs beside the inputs, but writing " + output +
                                           " would overwrite the input " + input);
  return llvm::Error::success();
}
