// Invariants of an array that a reader accepts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_HOSTILE_READALL_H
#define TEST_FUZZ_HOSTILE_READALL_H

#include "ampc/Data/Array.h"
#include <cstdlib>

/// Either an error, or an array within the file, whose every byte can be read.
inline void readAll(const std::optional<ampc::Array> &array, size_t fileSize,
                    const std::string &error) {
  if (array.has_value() != error.empty())
    std::abort();
  if (!array)
    return;
  if (array->bytes() < 0 || size_t(array->bytes()) > fileSize)
    std::abort();
  static volatile unsigned char sum;
  for (int64_t i = 0; i < array->bytes(); ++i)
    sum = sum + static_cast<const unsigned char *>(array->data)[i];
}

#endif
