// Shapes as inside-outside functions of rotated coordinates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Shapes.h"
#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

const char *className(int label) {
  static const char *const names[classes] = {"circle", "square", "triangle", "cross"};
  return names[label];
}

/// Whether a point belongs to the shape of radius 1 around the origin. All four have about the same
/// area.
static bool inside(int label, double u, double v) {
  switch (label) {
  case 0:
    return u * u + v * v < 0.64;
  case 1:
    return std::max(std::abs(u), std::abs(v)) < 0.71;
  case 2: // sides at distance 0.62 from the centre, at angles of 90, 210 and 330 degrees
    return -v < 0.62 && 0.866 * u + 0.5 * v < 0.62 && -0.866 * u + 0.5 * v < 0.62;
  default:
    return std::max(std::abs(u), std::abs(v)) < 0.95 && std::min(std::abs(u), std::abs(v)) < 0.32;
  }
}

/// Share of the pixel at (x, y) inside of the shape, by 3x3 sample points.
static double coverage(int label, double x, double y, double radius, double angle) {
  double c = std::cos(angle) / radius, s = std::sin(angle) / radius, hits = 0;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) {
      double dx = x + i / 3.0, dy = y + j / 3.0;
      hits += inside(label, c * dx + s * dy, c * dy - s * dx);
    }
  return hits / 9;
}

namespace {
/// Distributions written out, because distributions of standard libraries differ.
class Draw {
public:
  explicit Draw(uint64_t seed) : bits(seed) {}
  double uniform(double low, double high) { return low + (high - low) * (bits() >> 11) * 0x1p-53; }
  /// Box and Muller (1958).
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform(0, 1))) *
           std::cos(6.283185307179586 * uniform(0, 1));
  }
  int below(int bound) { return int(bits() % bound); }

private:
  std::mt19937_64 bits;
};
} // namespace

Pictures drawPictures(size_t count, uint64_t seed) {
  constexpr double noise = 0.2;
  Draw draw(seed);
  Pictures pictures;
  for (size_t n = 0; n < count; ++n) {
    int label = draw.below(classes);
    double radius = draw.uniform(7, 13), angle = draw.uniform(0, 6.283185307179586);
    double cx = draw.uniform(radius, side - radius), cy = draw.uniform(radius, side - radius);
    double contrast = draw.uniform(0.7, 1.3) * (draw.below(2) ? 1 : -1);
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x)
        pictures.pixels.push_back(
            float(contrast * coverage(label, x + 0.5 - cx, y + 0.5 - cy, radius, angle) +
                  noise * draw.normal()));
    pictures.labels.push_back(label);
  }
  return pictures;
}

bool writeSheet(const Pictures &pictures, const std::string &path) {
  constexpr int columns = 12;
  std::vector<unsigned char> sheet(classes * side * columns * side, 128);
  int used[classes] = {};
  for (size_t n = 0; n < pictures.count(); ++n) {
    int row = pictures.labels[n], column = used[row]++;
    for (int i = 0; column < columns && i < side * side; ++i) {
      double grey = 128 + 70 * pictures.pixels[n * side * side + i];
      sheet[(row * side + i / side) * columns * side + column * side + i % side] =
          (unsigned char)std::clamp(grey, 0.0, 255.0);
    }
  }
  std::ofstream file(path, std::ios::binary);
  file << "P5\n" << columns * side << " " << classes * side << "\n255\n";
  file.write(reinterpret_cast<const char *>(sheet.data()), sheet.size());
  file.close();
  return file.good();
}
