// On-disk cache of compiled models and machine code: compiling the same input twice gives the same
// bytes, and the second time a file has them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_CACHE_H
#define AMPC_PACKAGE_CACHE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include <optional>
#include <string>

namespace ampc {
/// Folder of the cache: AMPC_CACHE, or `ampc` in the user's cache folder; empty if the process has
/// neither, or if AMPC_CACHE is empty, which turns the cache off.
std::string cacheFolder();

/// Hash over a sequence of values, each with its length: {"ab", "c"} and {"a", "bc"} differ.
class CacheKey {
public:
  CacheKey &add(llvm::StringRef text);
  CacheKey &addNumber(uint64_t number);
  /// Hexadecimal digits, 40 of them.
  std::string digits();

private:
  llvm::BLAKE3 hash;
};

/// Entries are files NAME = DIGITS.KIND, e.g. 0f3a...9c.cubin: the content and a hash over name
/// and content. A damaged entry counts as missing. The cache holds code that ampc runs, so it is
/// used only if no other user can write to its folder and files. Every failure means "no cache".
/// Processes may share a folder: entries are replaced atomically.
class Cache {
public:
  /// Bound on the sum of all entries; `store` removes the least recently used entries beyond it.
  static constexpr uint64_t defaultBytes = uint64_t(1) << 30;

  explicit Cache(std::string folder = cacheFolder(), uint64_t mostBytes = defaultBytes)
      : folder(std::move(folder)), mostBytes(mostBytes) {}

  /// Content of an entry, which becomes the most recently used one.
  std::optional<std::string> find(llvm::StringRef name) const;
  /// Makes the folder with mode 0700 if there is none. Skips content above an eighth of the bound.
  void store(llvm::StringRef name, llvm::StringRef content) const;

  struct Usage {
    int64_t files = 0;
    uint64_t bytes = 0;
  };
  Usage usage() const;
  /// Removes all entries and returns them as a sum.
  Usage clear() const;
  /// Reason why the folder cannot be used, e.g. "other users can write to the folder"; empty if it
  /// can be used or made.
  std::string findProblem() const;

private:
  class Folder;
  std::string folder;
  uint64_t mostBytes;
};
} // namespace ampc
#endif
