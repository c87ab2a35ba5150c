// Pictures from files, by libjpeg and libpng.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Decode.h"
#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <jerror.h>
#include <jpeglib.h>
#include <memory>
#include <png.h>

static std::string ending(const std::string &path) {
  size_t dot = path.rfind('.');
  std::string end = dot == std::string::npos ? "" : path.substr(dot + 1);
  std::transform(end.begin(), end.end(), end.begin(), [](unsigned char c) { return tolower(c); });
  return end;
}

static bool isPng(const std::string &path) { return ending(path) == "png"; }

bool isPicture(const std::string &path) {
  return isPng(path) || ending(path) == "jpg" || ending(path) == "jpeg";
}

namespace {
/// Error handler that returns to the caller by longjmp; libjpeg's own handler ends the program.
struct JpegErrors {
  jpeg_error_mgr base;
  std::jmp_buf back;
  char message[JMSG_LENGTH_MAX];
};
} // namespace

[[noreturn]] static void fail(j_common_ptr info) {
  auto *errors = reinterpret_cast<JpegErrors *>(info->err);
  info->err->format_message(info, errors->message);
  std::longjmp(errors->back, 1);
}

/// The rest of a file that was cut off would be grey, so this warning is an error.
static void warn(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF)
    fail(info);
}

/// Between setjmp and longjmp there may be no object with a destructor: rows go where the caller
/// has room.
static bool readJpeg(FILE *file, int side, jpeg_decompress_struct &info, JpegErrors &errors,
                     Picture &picture) {
  if (setjmp(errors.back))
    return false;
  jpeg_stdio_src(&info, file);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  while (info.scale_denom < 8 &&
         int(std::min(info.image_width, info.image_height) / (2 * info.scale_denom)) >= side)
    info.scale_denom *= 2;
  jpeg_start_decompress(&info);
  picture.width = int(info.output_width);
  picture.height = int(info.output_height);
  picture.pixels.resize(size_t(3) * info.output_width * info.output_height);
  while (info.output_scanline < info.output_height) {
    uint8_t *row = &picture.pixels[size_t(3) * info.output_width * info.output_scanline];
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  return true;
}

static bool decodeJpeg(const std::string &path, int side, Picture &picture, std::string &error) {
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) {
    error = "cannot be opened";
    return false;
  }
  JpegErrors errors;
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = fail;
  errors.base.emit_message = warn;
  jpeg_create_decompress(&info);
  bool read = readJpeg(file.get(), side, info, errors, picture);
  jpeg_destroy_decompress(&info);
  if (!read)
    error = errors.message;
  return read;
}

/// libpng converts grey, palettes, 16 bits and transparency (on black) to RGB.
static bool decodePng(const std::string &path, Picture &picture, std::string &error) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str())) {
    image.format = PNG_FORMAT_RGB;
    picture.width = int(image.width);
    picture.height = int(image.height);
    picture.pixels.resize(PNG_IMAGE_SIZE(image));
    png_color black = {0, 0, 0};
    if (png_image_finish_read(&image, &black, picture.pixels.data(), 0, nullptr))
      return true;
  }
  error = image.message;
  png_image_free(&image);
  return false;
}

bool decode(const std::string &path, int side, Picture &picture, std::string &error) {
  return isPng(path) ? decodePng(path, picture, error) : decodeJpeg(path, side, picture, error);
}
