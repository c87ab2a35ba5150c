// Files that are replaced as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/WriteFile.h"
#include "lib/Runtime/Replace.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

/// 0, or the error number.
static int writeAll(int file, llvm::StringRef content) {
  while (!content.empty()) {
    ssize_t written =
        llvm::sys::RetryAfterSignal(-1, ::write, file, content.data(), content.size());
    if (written <= 0)
      return written ? errno : EIO;
    content = content.drop_front(written);
  }
  return 0;
}

/// Standard output, a device or a pipe is written to.
static int writeInto(const std::string &path, llvm::StringRef content) {
  int file = path == "-" ? ::dup(STDOUT_FILENO) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return errno;
  int failure = writeAll(file, content);
  ::close(file);
  return failure;
}

llvm::Error ampc::writeFile(llvm::StringRef name, llvm::StringRef content) {
  std::string path = name.str();
  llvm::sys::fs::file_status status;
  bool isOther =
      path == "-" || (!llvm::sys::fs::status(path, status) && llvm::sys::fs::is_other(status));
  auto write = [](void *text, int file) {
    return writeAll(file, *static_cast<llvm::StringRef *>(text));
  };
  int failure = isOther ? writeInto(path, content)
                        : ampc_rt_replace_file(path.c_str(), write, &content, /*durable=*/false);
  return llvm::errorCodeToError(std::error_code(failure, std::generic_category()));
}

/// Of two names the same file, whether it is there or not.
static bool isSameFile(llvm::StringRef one, llvm::StringRef other) {
  auto normal = [](llvm::StringRef name) {
    llvm::SmallString<256> path(name);
    llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return path;
  };
  return llvm::sys::fs::equivalent(one, other) || normal(one) == normal(other);
}

/// Standard output and devices take several.
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
