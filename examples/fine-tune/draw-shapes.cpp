// Draws shapes into a folder of JPEG and PNG files, a subfolder per shape.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <jpeglib.h>
#include <png.h>
#include <string>
#include <vector>

namespace {
/// SplitMix64 (Steele, Lea, Flood 2014): the same pictures on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  double uniform(double low, double high) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * double((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

private:
  uint64_t state;
};

struct Shape {
  const char *name;
  bool (*holds)(double x, double y); ///< the shape lies within a distance of 1 or so from (0, 0)
};
} // namespace

static double radius(double x, double y) { return std::sqrt(x * x + y * y); }
static double larger(double x, double y) { return std::max(std::abs(x), std::abs(y)); }
static double smaller(double x, double y) { return std::min(std::abs(x), std::abs(y)); }

static constexpr Shape shapes[] = {
    {"circle", [](double x, double y) { return radius(x, y) < 0.8; }},
    {"square", [](double x, double y) { return larger(x, y) < 0.7; }},
    {"triangle", [](double x, double y) { return y > -0.5 && y + 1.73 * std::abs(x) < 1; }},
    {"cross", [](double x, double y) { return larger(x, y) < 0.9 && smaller(x, y) < 0.3; }},
    {"ring", [](double x, double y) { return std::abs(radius(x, y) - 0.75) < 0.2; }},
    {"frame", [](double x, double y) { return std::abs(larger(x, y) - 0.65) < 0.18; }},
    {"stripes", [](double x, double y) { return larger(x, y) < 0.85 && std::sin(9 * x) > 0; }},
    {"star",
     [](double x, double y) { return radius(x, y) < 0.6 + 0.35 * std::cos(5 * std::atan2(y, x)); }},
};

static const Shape *find(const std::string &name) {
  for (const Shape &shape : shapes)
    if (name == shape.name)
      return &shape;
  return nullptr;
}

/// Any place, size, angle and two colours that differ, with noise.
static std::vector<uint8_t> draw(const Shape &shape, int width, int height, Random &random) {
  double size = random.uniform(0.3, 0.45) * std::min(width, height), angle = random.uniform(0, 6.3);
  double centerX = width * random.uniform(0.45, 0.55),
         centerY = height * random.uniform(0.45, 0.55);
  double ground[3], front[3], lighter = random.uniform(0, 1) < 0.5 ? -1 : 1;
  for (int c = 0; c < 3; ++c) {
    ground[c] = 128 - lighter * random.uniform(20, 90);
    front[c] = 128 + lighter * random.uniform(20, 90);
  }
  std::vector<uint8_t> pixels;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double u = (x - centerX) / size, v = (y - centerY) / size;
      bool inside = shape.holds(u * std::cos(angle) - v * std::sin(angle),
                                u * std::sin(angle) + v * std::cos(angle));
      for (int c = 0; c < 3; ++c) {
        double value = (inside ? front[c] : ground[c]) + random.uniform(-25, 25);
        pixels.push_back(uint8_t(std::clamp(value, 0.0, 255.0)));
      }
    }
  return pixels;
}

static bool writeJpeg(const std::string &path, int width, int height,
                      const std::vector<uint8_t> &pixels) {
  FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return false;
  jpeg_error_mgr errors; // an error ends the program
  jpeg_compress_struct info;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, file);
  info.image_width = JDIMENSION(width);
  info.image_height = JDIMENSION(height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    auto *row = const_cast<uint8_t *>(&pixels[size_t(3) * width * info.next_scanline]);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return std::fclose(file) == 0;
}

static bool writePng(const std::string &path, int width, int height,
                     const std::vector<uint8_t> &pixels) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(width);
  image.height = png_uint_32(height);
  image.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr);
}

static bool drawClass(const std::string &folder, const Shape &shape, int count, Random &random) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (int i = 0; i < count && !failed; ++i) {
    int width = int(random.uniform(70, 140)), height = int(random.uniform(70, 140));
    std::vector<uint8_t> pixels = draw(shape, width, height, random);
    std::string path = folder + "/" + std::to_string(i);
    if (i % 2 ? !writePng(path + ".png", width, height, pixels)
              : !writeJpeg(path + ".jpg", width, height, pixels))
      return false;
  }
  return !failed;
}

int main(int argc, char **argv) {
  int count = argc < 4 ? 0 : std::atoi(argv[2]);
  if (count < 1) {
    std::cerr << "usage: draw-shapes FOLDER COUNT SHAPE..., with shapes of";
    for (const Shape &shape : shapes)
      std::cerr << " " << shape.name;
    std::cerr << "\n";
    return 2;
  }
  for (int i = 3; i < argc; ++i) {
    const Shape *shape = find(argv[i]);
    if (!shape) {
      std::cerr << "draw-shapes: expected the name of a shape, but got " << argv[i] << "\n";
      return 2;
    }
    Random random(uint64_t(shape - shapes) + 1);
    if (!drawClass(std::string(argv[1]) + "/" + shape->name, *shape, count, random)) {
      std::cerr << "draw-shapes: could not write to " << argv[1] << "\n";
      return 1;
    }
  }
  return 0;
}
