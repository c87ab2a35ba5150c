// Atomic writes of files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/WriteFile.h"
#include "ampc/Data/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace ampc;

static int writeTo(const std::string &path, llvm::StringRef content) {
  OutputFile file;
  int failure = file.open(path);
  if (!failure)
    failure = file.write(content.data(), content.size());
  return failure ? failure : file.close();
}

llvm::Error ampc::writeFile(llvm::StringRef name, llvm::StringRef content) {
  int failure = writeTo(name.str(), content);
  return llvm::errorCodeToError(std::error_code(failure, std::generic_category()));
}

/// Whether two names refer to the same file, existing or not.
static bool isSameFile(llvm::StringRef one, llvm::StringRef other) {
  auto normal = [](llvm::StringRef name) {
    llvm::SmallString<256> path(name);
    llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return path;
  };
  return llvm::sys::fs::equivalent(one, other) || normal(one) == normal(other);
}

/// Excludes standard output and devices, which several outputs may share.
static bool isFile(llvm::StringRef name) {
  llvm::sys::fs::file_status status;
  return !name.empty() && name != "-" &&
         (llvm::sys::fs::status(name, status) || !llvm::sys::fs::is_other(status));
}

llvm::Error ampc::checkOutputs(llvm::ArrayRef<std::string> outputs,
                               llvm::ArrayRef<std::string> inputs) {
  for (size_t i = 0; i < outputs.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (isFile(outputs[i]) && isFile(outputs[k]) && isSameFile(outputs[i], outputs[k]))
        return llvm::createStringError(std::error_code(),
                                       "expected outputs in different files, but got " +
                                           outputs[i] + " twice");
  for (const std::string &output : outputs)
    for (const std::string &input : inputs)
      if (!output.empty() && !input.empty() && llvm::sys::fs::equivalent(output, input))
        return llvm::createStringError(std::error_code(),
                                       "expected outputs beside the inputs, but writing " + output +
                                           " would overwrite the input " + input);
  return llvm::Error::success();
}
