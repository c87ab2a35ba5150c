// Numbers and texts in a cache entry: each text and each list begins with its length.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_ENTRY_H
#define TOOLS_AMPC_ENTRY_H

#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <string>

namespace ampc {
class EntryWriter {
public:
  void number(uint64_t value) {
    content.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void text(llvm::StringRef value) {
    number(value.size());
    content += value;
  }
  /// `write` writes one element.
  template <typename Elements, typename Write> void list(const Elements &elements, Write write) {
    number(elements.size());
    for (const auto &element : elements)
      write(element);
  }
  const std::string &get() const { return content; }

private:
  std::string content;
};

/// False after a read beyond the end, which gives zeros and empty texts.
class EntryReader {
public:
  explicit EntryReader(llvm::StringRef content) : rest(content) {}
  explicit operator bool() const { return good; }

  uint64_t number() {
    uint64_t value = 0;
    llvm::StringRef bytes = take(sizeof value);
    if (good)
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  llvm::StringRef text() { return take(number()); }
  /// `read` reads one element.
  template <typename Elements, typename Read> void list(Elements &elements, Read read) {
    for (uint64_t count = number(); count && good; --count)
      elements.push_back(read());
  }

private:
  llvm::StringRef take(uint64_t bytes) {
    good = good && bytes <= rest.size();
    llvm::StringRef taken = rest.take_front(good ? bytes : 0);
    rest = rest.drop_front(taken.size());
    return taken;
  }

  llvm::StringRef rest;
  bool good = true;
};
} // namespace ampc
#endif
