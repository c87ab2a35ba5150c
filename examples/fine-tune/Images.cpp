// A folder of pictures as bytes of equal size, and the class of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Images.h"
#include "Decode.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

namespace fs = std::filesystem;

namespace {
/// Weights of the source pixels of a pixel of the result: pixels from `first` on of a line.
struct Weights {
  int first;
  std::vector<float> of;
};
} // namespace

/// Triangle filter, with a radius of the larger of a source pixel and a result pixel: linear
/// interpolation where a picture grows, and every source pixel counts where a picture shrinks.
static std::vector<Weights> weights(int start, int length, int side) {
  double scale = double(length) / side, radius = std::max(1.0, scale);
  std::vector<Weights> all;
  for (int i = 0; i < side; ++i) {
    double center = (i + 0.5) * scale - 0.5;
    int first = std::max(0, int(std::ceil(center - radius))),
        last = std::min(length - 1, int(std::floor(center + radius)));
    Weights taken{start + first, {}};
    float sum = 0;
    for (int at = first; at <= last; ++at) {
      taken.of.push_back(float(std::max(0.0, 1 - std::abs(at - center) / radius)));
      sum += taken.of.back();
    }
    for (float &weight : taken.of)
      weight /= sum;
    all.push_back(taken);
  }
  return all;
}

/// Appends the square in the middle of the picture.
static void append(const Picture &picture, Images &images) {
  int length = std::min(picture.width, picture.height);
  auto columns = weights((picture.width - length) / 2, length, images.side);
  auto rows = weights((picture.height - length) / 2, length, images.side);
  std::vector<float> narrow(size_t(3) * picture.height * images.side, 0.0f);
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < images.side; ++x)
      for (size_t k = 0; k < columns[x].of.size(); ++k)
        for (int c = 0; c < 3; ++c)
          narrow[(size_t(y) * images.side + x) * 3 + c] +=
              columns[x].of[k] *
              picture.pixels[(size_t(y) * picture.width + columns[x].first + k) * 3 + c];
  size_t line = size_t(3) * images.side;
  for (const Weights &row : rows)
    for (size_t i = 0; i < line; ++i) {
      float sum = 0;
      for (size_t k = 0; k < row.of.size(); ++k)
        sum += row.of[k] * narrow[(row.first + k) * line + i];
      images.pixels.push_back(uint8_t(std::clamp(sum + 0.5f, 0.0f, 255.0f)));
    }
}

static std::vector<fs::path> sorted(const fs::path &path, bool folders) {
  std::vector<fs::path> found;
  std::error_code ignored; // a folder that cannot be listed counts as empty
  for (const fs::directory_entry &entry : fs::directory_iterator(path, ignored))
    if (folders ? entry.is_directory() : isPicture(entry.path().string()))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

bool readFolder(const std::string &path, int side, Folder &folder, std::string &error) {
  folder.training.side = folder.validation.side = side;
  for (const fs::path &subfolder : sorted(path, true)) {
    size_t read = 0;
    for (const fs::path &file : sorted(subfolder, false)) {
      Picture picture;
      std::string reason;
      if (!decode(file.string(), side, picture, reason)) {
        std::cerr << "fine-tune: left out " << file.string() << ": " << reason << "\n";
        continue;
      }
      Images &images = read++ % 5 == 4 ? folder.validation : folder.training;
      append(picture, images);
      images.labels.push_back(int32_t(folder.classes.size()));
    }
    if (read)
      folder.classes.push_back(subfolder.filename().string());
  }
  if (folder.training.count() && folder.validation.count())
    return true;
  error = "expected folders of at least five JPEG or PNG files each in " + path + ", but got " +
          std::to_string(folder.training.count()) + " files that can be read";
  return false;
}
