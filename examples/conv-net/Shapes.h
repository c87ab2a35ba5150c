// Generated pictures of circles, squares, triangles and crosses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CONV_NET_SHAPES_H
#define CONV_NET_SHAPES_H

#include <cstdint>
#include <string>
#include <vector>

constexpr int side = 32, classes = 4;
const char *className(int label);

/// Grey pictures, [count, side, side], and the class of each.
struct Pictures {
  std::vector<float> pixels;
  std::vector<int32_t> labels;
  size_t count() const { return labels.size(); }
};

/// Pictures of shapes of any place, size and angle, brighter or darker than their background, with
/// noise. Equal seeds give equal pictures.
Pictures drawPictures(size_t count, uint64_t seed);

/// Writes the first pictures side by side as a PGM image, a row per class; false if the file cannot
/// be written.
bool writeSheet(const Pictures &pictures, const std::string &path);
#endif
