// Types of elements, and files mapped into memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Runtime/Model.h"
#include "lib/Data/Mapping.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ampc;

int64_t Array::count() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}
int64_t Array::bytes() const { return count() * bytesOf(dtype); }

int64_t ampc::bytesOf(ampc_dtype dtype) { return ampc_rt_dtype_bytes(dtype); }

const char *ampc::nameOf(ampc_dtype dtype) {
  const char *const names[] = {"f32", "f64", "f16", "bf16", "i1", "i8", "i16", "i32", "i64", "u8"};
  return names[dtype];
}

std::optional<int64_t> ampc::countElements(const std::vector<int64_t> &dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count) || count > (int64_t(1) << 56))
      return std::nullopt;
  return count;
}

std::optional<Mapping> ampc::mapFile(const std::string &path, std::string &error) {
  auto failed = [&] {
    error = path + ": " + std::strerror(errno);
    return std::nullopt;
  };
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return failed();
  struct stat status;
  if (fstat(file, &status)) {
    ::close(file);
    return failed();
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(file);
    error = path + ": expected a regular file";
    return std::nullopt;
  }
  Mapping result;
  result.bytes = status.st_size;
  if (result.bytes) {
    void *data = mmap(nullptr, size_t(result.bytes), PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) {
      ::close(file);
      return failed();
    }
    result.data = static_cast<const char *>(data);
    result.owner =
        std::shared_ptr<void>(data, [bytes = size_t(result.bytes)](void *p) { munmap(p, bytes); });
  }
  ::close(file);
  return result;
}

std::optional<Array> ampc::readArray(const std::string &source, std::string &error) {
  auto endsWith = [](const std::string &text, const std::string &end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
  };
  if (endsWith(source, ".npy"))
    return readNpy(source, error);
  size_t colon = source.find(".safetensors:");
  if (colon != std::string::npos)
    return readSafetensors(source.substr(0, colon + 12), source.substr(colon + 13), error);
  error = source + ": expected FILE.npy or FILE.safetensors:NAME";
  return std::nullopt;
}
