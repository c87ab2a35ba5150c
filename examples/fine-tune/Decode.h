// Pictures from files, by libjpeg and libpng.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAMPLES_FINE_TUNE_DECODE_H
#define EXAMPLES_FINE_TUNE_DECODE_H

#include <cstdint>
#include <string>
#include <vector>

/// Red, green and blue of every pixel, row by row.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;
};

/// Whether the name has an ending of JPEG or PNG files.
bool isPicture(const std::string &path);

/// Reads a file; false, with the reason in `error`, on failure. A JPEG is scaled down while
/// decoded, as long as both sides keep at least `side` pixels.
bool decode(const std::string &path, int side, Picture &picture, std::string &error);
#endif
