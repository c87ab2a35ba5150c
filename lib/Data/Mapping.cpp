// Memory-mapped files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Mapping.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ampc;

namespace {
/// A mapped file, in a lock-free list, because the handler of SIGBUS walks the list and may not
/// wait for a lock. Entries are pushed to the front and never freed; an entry whose file was
/// unmapped is reused.
struct Mapped {
  std::atomic<uintptr_t> begin{0};
  std::atomic<size_t> bytes{0};
  std::atomic<bool> isTaken{true};
  int file = -1; ///< duplicate descriptor, open for fstat
  std::string path;
  Mapped *next = nullptr;
};
} // namespace

static std::atomic<Mapped *> mappings{nullptr};
/// First file found shorter than the mapping. The entry is not reused, so that its path stays
/// valid.
static std::atomic<const Mapped *> shortened{nullptr};

static Mapped *noteMapping(int file, const void *data, size_t bytes, const std::string &path) {
  Mapped *entry = mappings;
  for (bool expected = false; entry; entry = entry->next, expected = false)
    if (entry->isTaken.compare_exchange_strong(expected, true))
      break;
  bool isNew = !entry;
  if (isNew)
    entry = new Mapped;
  entry->path = path;
  entry->file = fcntl(file, F_DUPFD_CLOEXEC, 0);
  entry->bytes = bytes;
  entry->begin = reinterpret_cast<uintptr_t>(data);
  if (isNew) {
    entry->next = mappings;
    while (!mappings.compare_exchange_weak(entry->next, entry))
      ;
  }
  return entry;
}

static void forgetMapping(Mapped *entry) {
  entry->begin = 0;
  if (entry->file >= 0)
    ::close(entry->file);
  if (shortened != entry)
    entry->isTaken = false;
}

static struct sigaction otherwise; ///< previous handler of SIGBUS

static void readZeros(int signal, siginfo_t *info, void *) {
  int error = errno;
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Mapped *entry = mappings; entry; entry = entry->next) {
    uintptr_t begin = entry->begin;
    if (!begin || address < begin || address - begin >= entry->bytes)
      continue;
    const Mapped *none = nullptr;
    shortened.compare_exchange_strong(none, entry);
    auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    void *place = reinterpret_cast<void *>(address / page * page);
    if (mmap(place, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      break;
    errno = error;
    return;
  }
  // The access is repeated and raises SIGBUS in the previous handler.
  sigaction(signal, &otherwise, nullptr);
}

void ampc::catchShortenedFiles() {
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_sigaction = readZeros;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGBUS, &action, &otherwise);
}

/// Compares lengths by fstat: bytes between the new end of a file and the end of the last page read
/// as zeros and raise no signal.
static void compareLengths() {
  for (const Mapped *entry = mappings; entry && !shortened; entry = entry->next) {
    struct stat status;
    if (entry->begin && entry->file >= 0 && fstat(entry->file, &status) == 0 &&
        size_t(status.st_size) < entry->bytes)
      shortened = entry;
  }
}

std::string ampc::shortenedFile() {
  compareLengths();
  const Mapped *entry = shortened;
  return entry ? entry->path + ": expected a file of constant length during the read, but the file "
                               "became shorter"
               : std::string();
}

static std::optional<Mapping> map(int file, const std::string &path, std::string &error) {
  struct stat status;
  if (fstat(file, &status)) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    error = "expected a regular file";
    return std::nullopt;
  }
  Mapping result;
  result.bytes = status.st_size;
  if (!result.bytes)
    return result;
  void *data = mmap(nullptr, size_t(result.bytes), PROT_READ, MAP_PRIVATE, file, 0);
  if (data == MAP_FAILED) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  result.data = static_cast<const char *>(data);
  Mapped *entry = noteMapping(file, data, size_t(result.bytes), path);
  result.owner = std::shared_ptr<void>(data, [bytes = size_t(result.bytes), entry](void *p) {
    forgetMapping(entry);
    munmap(p, bytes);
  });
  return result;
}

std::optional<Mapping> ampc::mapFile(int file, std::string &error) {
  return map(file, "a temporary file", error);
}

std::optional<Mapping> ampc::mapFile(const std::string &path, std::string &error) {
  // O_NONBLOCK: opening a FIFO without a writer returns at once, so that the FIFO is refused like
  // any other.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    error = path + ": " + std::strerror(errno);
    return std::nullopt;
  }
  std::optional<Mapping> result = map(file, path, error);
  ::close(file);
  if (!result)
    error = path + ": " + error;
  return result;
}
