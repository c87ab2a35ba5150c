// A folder of pictures as bytes of equal size, and the class of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAMPLES_FINE_TUNE_IMAGES_H
#define EXAMPLES_FINE_TUNE_IMAGES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Images of side x side pixels: red, green and blue of every pixel, row by row.
struct Images {
  int side;
  std::vector<uint8_t> pixels;
  std::vector<int32_t> labels;
  std::size_t bytes() const { return std::size_t(3) * side * side; }
  std::size_t count() const { return labels.size(); }
  const uint8_t *image(std::size_t i) const { return &pixels[i * bytes()]; }
};

struct Folder {
  std::vector<std::string> classes; ///< names of subfolders, in alphabetical order
  Images training, validation;      ///< every fifth image of a class is for validation
};

/// Reads FOLDER/CLASS/*.jpg and *.png. The square in the middle of a picture is resized. Files that
/// cannot be read are named on the standard error and left out; false if nothing is left, with the
/// reason in `error`.
bool readFolder(const std::string &path, int side, Folder &folder, std::string &error);
#endif
