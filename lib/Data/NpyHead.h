// Heads of .npy files, which are files of their own or members of .npz files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DATA_NPYHEAD_H
#define LIB_DATA_NPYHEAD_H

#include "ampc/Data/Array.h"

namespace ampc {
/// Magic string, version and header of a .npy file. Example: f32 [2, 3], elements from byte 128 on.
struct NpyHead {
  Element element = Element::F32;
  std::vector<int64_t> dims;
  int64_t begin = 0; ///< offset of the elements, in bytes
};
/// Parses the head of a file of `bytes` bytes, of which the first `known` are at `data`. The head
/// fits the file: elements end with the last byte. `error`: the expectation, without a path.
std::optional<NpyHead> parseNpyHead(const char *data, int64_t known, int64_t bytes,
                                    std::string &error);
} // namespace ampc
#endif
