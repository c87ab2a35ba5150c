// On-disk cache of compiled models and machine code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Cache.h"
#include "ampc/Package/WriteFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace ampc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string ampc::cacheFolder() {
  if (std::optional<std::string> folder = llvm::sys::Process::GetEnv("AMPC_CACHE"))
    return *folder;
  llvm::SmallString<128> folder;
  return path::cache_directory(folder) ? (folder + "/ampc").str() : std::string();
}

CacheKey &CacheKey::addNumber(uint64_t number) {
  hash.update(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(&number), sizeof number));
  return *this;
}

CacheKey &CacheKey::add(llvm::StringRef text) {
  addNumber(text.size());
  hash.update(text);
  return *this;
}

std::string CacheKey::digits() { return llvm::toHex(hash.final<20>(), /*LowerCase=*/true); }

/// Hash at the end of an entry. The name is part of it: a file under a wrong name is damage, too.
static constexpr size_t hashBytes = 40;
static std::string hashOf(llvm::StringRef name, llvm::StringRef content) {
  return CacheKey().add(name).add(content).digits();
}

/// Entries, and hidden files (.NAME.ampc-new) of writers that were killed. Other files of the
/// folder do not belong to the cache.
static bool isEntry(llvm::StringRef name) {
  name.consume_front(".");
  name = name.split(".ampc-new").first;
  auto [digits, kind] = name.split('.');
  // Releases before this cache named machine code CHIP-DIGITS.cubin.
  bool isOld = digits.starts_with("sm_") && digits.contains('-');
  return (kind == "cubin" && isOld) ||
         ((kind == "cubin" || kind == "model") && digits.size() == 40 &&
          llvm::all_of(digits, llvm::isHexDigit));
}

/// Whether the owner is this user and nobody else can write.
static bool isOwn(const struct stat &status) {
  return status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

namespace {
struct Entry {
  std::string name;
  uint64_t bytes;
  timespec used;
};
} // namespace

/// The opened folder. All files are opened below its descriptor, so that another folder at the same
/// path, exchanged after the check of the owner, changes nothing.
class Cache::Folder {
public:
  explicit Folder(const std::string &name)
      : descriptor(name.empty() ? -1 : ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    struct stat status;
    if (descriptor >= 0 && (::fstat(descriptor, &status) || !isOwn(status))) {
      ::close(descriptor);
      descriptor = -1;
    }
  }
  ~Folder() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  Folder(const Folder &) = delete;
  explicit operator bool() const { return descriptor >= 0; }

  std::optional<std::string> read(llvm::StringRef name, uint64_t mostBytes) const;
  void write(llvm::StringRef name, llvm::StringRef content) const;
  std::vector<Entry> entries() const;
  bool remove(const std::string &name) const {
    return ::unlinkat(descriptor, name.c_str(), 0) == 0;
  }

private:
  int descriptor;
};

std::optional<std::string> Cache::Folder::read(llvm::StringRef name, uint64_t mostBytes) const {
  int file = ::openat(descriptor, name.str().c_str(),
                      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); // a FIFO must not block
  if (file < 0)
    return std::nullopt;
  struct stat status;
  std::optional<std::string> content;
  if (!::fstat(file, &status) && S_ISREG(status.st_mode) && isOwn(status) &&
      uint64_t(status.st_size) <= mostBytes) {
    content.emplace(size_t(status.st_size), '\0');
    llvm::Expected<size_t> count =
        fs::readNativeFileSlice(file, llvm::MutableArrayRef(content->data(), content->size()), 0);
    if (!count || *count != content->size())
      content.reset();
    if (!count)
      llvm::consumeError(count.takeError());
    if (content)
      ::futimens(file, nullptr); // the time of last use
  }
  ::close(file);
  return content;
}

void Cache::Folder::write(llvm::StringRef name, llvm::StringRef content) const {
  std::string place = ("/proc/self/fd/" + llvm::Twine(descriptor) + "/" + name).str();
  if (llvm::Error error = writeFile(place, content))
    return llvm::consumeError(std::move(error));
  // Models may hold private numbers, and a loose umask must not let other users write.
  if (::fchmodat(descriptor, name.str().c_str(), S_IRUSR | S_IWUSR, 0))
    remove(name.str());
}

std::vector<Entry> Cache::Folder::entries() const {
  std::vector<Entry> found;
  int copy = ::openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *stream = copy < 0 ? nullptr : ::fdopendir(copy);
  if (!stream) {
    if (copy >= 0)
      ::close(copy);
    return found;
  }
  while (const dirent *file = ::readdir(stream)) {
    struct stat status;
    if (isEntry(file->d_name) &&
        !::fstatat(descriptor, file->d_name, &status, AT_SYMLINK_NOFOLLOW) &&
        S_ISREG(status.st_mode))
      found.push_back({file->d_name, uint64_t(status.st_size), status.st_mtim});
  }
  ::closedir(stream);
  return found;
}

std::optional<std::string> Cache::find(llvm::StringRef name) const {
  Folder opened(folder);
  std::optional<std::string> content =
      opened ? opened.read(name, mostBytes) : std::optional<std::string>();
  if (!content || content->size() < hashBytes)
    return std::nullopt;
  std::string hash = content->substr(content->size() - hashBytes);
  content->resize(content->size() - hashBytes);
  return hash == hashOf(name, *content) ? content : std::nullopt;
}

void Cache::store(llvm::StringRef name, llvm::StringRef content) const {
  if (folder.empty() || content.size() > mostBytes / 8 ||
      fs::create_directories(folder, /*IgnoreExisting=*/true, fs::perms::owner_all))
    return;
  Folder opened(folder);
  if (!opened)
    return;
  opened.write(name, content.str() + hashOf(name, content));
  std::vector<Entry> entries = opened.entries();
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  uint64_t bytes = 0;
  for (const Entry &entry : entries)
    bytes += entry.bytes;
  for (const Entry &entry : entries) {
    if (bytes <= mostBytes)
      break;
    opened.remove(entry.name);
    bytes -= entry.bytes;
  }
}

Cache::Usage Cache::usage() const {
  Usage usage;
  Folder opened(folder);
  for (const Entry &entry : opened ? opened.entries() : std::vector<Entry>()) {
    ++usage.files;
    usage.bytes += entry.bytes;
  }
  return usage;
}

Cache::Usage Cache::clear() const {
  Usage removed;
  Folder opened(folder);
  for (const Entry &entry : opened ? opened.entries() : std::vector<Entry>())
    if (opened.remove(entry.name)) {
      ++removed.files;
      removed.bytes += entry.bytes;
    }
  return removed;
}

std::string Cache::findProblem() const {
  if (folder.empty())
    return "AMPC_CACHE is empty, or there is no home folder";
  struct stat status;
  if (::stat(folder.c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode))
      return "not a folder";
    if (status.st_uid != geteuid())
      return "the folder belongs to another user";
    if (!isOwn(status))
      return "other users can write to the folder";
    return ::access(folder.c_str(), R_OK | W_OK | X_OK) ? "not writable" : "";
  }
  // `store` makes the folder below the first one that exists.
  llvm::StringRef parent = path::parent_path(folder);
  while (!parent.empty() && !fs::exists(parent))
    parent = path::parent_path(parent);
  llvm::StringRef place = parent.empty() ? llvm::StringRef(".") : parent;
  return fs::is_directory(place) && !::access(place.str().c_str(), W_OK | X_OK) ? ""
                                                                                : "not writable";
}
