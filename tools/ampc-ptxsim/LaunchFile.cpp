// Launch file: kernel, arguments, and destinations of results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc-ptxsim/LaunchFile.h"
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace ptxsim {

namespace {

/// Line split into words; errors name the line.
class Words {
public:
  Words(const std::string &line, std::string where) : stream(line), where(std::move(where)) {}
  [[noreturn]] void fail(const std::string &message) const {
    throw Error(ErrorKind::Argument, where + ": " + message);
  }
  bool more() { return bool(stream >> std::ws) && stream.peek() != EOF; }
  std::string next(const char *what) {
    std::string word;
    if (!(stream >> word))
      fail(std::string("expected ") + what);
    return word;
  }
  uint64_t number(const char *what, uint64_t most = UINT64_MAX) {
    return parseNumber(next(what), what, most);
  }
  uint64_t parseNumber(const std::string &word, const char *what, uint64_t most = UINT64_MAX) {
    char *end;
    errno = 0;
    uint64_t value = std::strtoull(word.c_str(), &end, 0);
    if (word.empty() || *end || word[0] == '-' || errno || value > most)
      fail(std::string("expected ") + what + ", but got '" + word + "'");
    return value;
  }
  Dim3 dimensions(const char *what) {
    Dim3 d;
    for (uint32_t *size : {&d.x, &d.y, &d.z})
      if (size == &d.x || more())
        *size = uint32_t(number(what, UINT32_MAX));
    return d;
  }

private:
  std::istringstream stream;
  std::string where;
};

template <class T> std::vector<uint8_t> bytesOf(T value) {
  std::vector<uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::vector<uint8_t> scalarBytes(Words &words, const std::string &type) {
  std::string text = words.next("a value");
  char *end;
  std::vector<uint8_t> result;
  if (type == "f32" || type == "f64") {
    double value = std::strtod(text.c_str(), &end);
    result = type == "f32" ? bytesOf(float(value)) : bytesOf(value);
  } else {
    // f16 and bf16 are given as bits, by an integer literal like unsigned types.
    bool negative = text[0] == '-', isSigned = type[0] == 'i';
    unsigned bits = 8 * unsigned(elementSize(type));
    errno = 0;
    uint64_t magnitude = std::strtoull(text.c_str() + negative, &end, 0);
    uint64_t largest = UINT64_MAX >> (64 - bits + isSigned);
    if (errno || text.size() == size_t(negative) || magnitude > largest + (negative && isSigned) ||
        (negative && !isSigned))
      end = &text[0];
    uint64_t value = negative ? 0 - magnitude : magnitude;
    result = bytesOf(value);
    result.resize(bits / 8); // little endian
  }
  if (*end)
    words.fail("expected a value of type " + type + ", but got '" + text + "'");
  return result;
}

void parseShape(Words &words, Array &array) {
  array.type = words.next("an element type");
  elementSize(array.type); // fails early, so that the error names the type
  while (words.more())
    array.shape.push_back(words.number("a size"));
  uint64_t bytes = byteCount(array);
  if (bytes == 0 || bytes > uint64_t(1) << 36)
    words.fail("expected an array of 1 byte to 64 GiB");
}

TensorType tensorType(Words &words, const std::string &type) {
  if (type == "f16")
    return TensorType::F16;
  if (type == "bf16")
    return TensorType::BF16;
  if (type == "f32")
    return TensorType::F32;
  if (type == "f64")
    return TensorType::F64;
  if (type == "u8")
    return TensorType::U8;
  if (type == "i32")
    return TensorType::S32;
  words.fail("expected an element type for a tensor map, but got '" + type + "'");
}

void parseMap(Words &words, LaunchArgument &argument) {
  std::string type = words.next("an element type"), swizzle = words.next("a swizzle mode");
  argument.kind = LaunchArgument::Map;
  TensorMapInfo &map = argument.map;
  map.type = tensorType(words, type);
  if (swizzle == "none")
    map.swizzle = Swizzle::None;
  else if (swizzle == "32B")
    map.swizzle = Swizzle::Bytes32;
  else if (swizzle == "64B")
    map.swizzle = Swizzle::Bytes64;
  else if (swizzle == "128B")
    map.swizzle = Swizzle::Bytes128;
  else
    words.fail("expected none, 32B, 64B or 128B, but got '" + swizzle + "'");
  std::string target = words.next("@N");
  if (target[0] != '@')
    words.fail("expected the number of a buffer argument as @N");
  argument.mapOf =
      size_t(words.parseNumber(target.substr(1), "the number of a buffer argument as @N"));
  std::vector<uint64_t> sizes, boxes;
  bool box = false;
  while (words.more()) {
    std::string word = words.next("a size");
    if (word == "box")
      box = true;
    else
      (box ? boxes : sizes).push_back(words.parseNumber(word, "a size", box ? 256 : UINT32_MAX));
  }
  if (sizes.empty() || sizes.size() > 5 || sizes.size() != boxes.size())
    words.fail("expected 1 to 5 sizes, 'box', and as many box sizes");
  map.rank = uint32_t(sizes.size());
  uint64_t stride = elementSize(type);
  for (size_t d = 0; d < sizes.size(); d++) {
    map.size[d] = sizes[d];
    map.box[d] = uint32_t(boxes[d]);
    map.stride[d] = stride;
    stride *= sizes[d];
  }
}

std::string outputName(Words &words, const char *what) {
  std::string name = words.next(what);
  if (name.find(".safetensors") != std::string::npos)
    words.fail("expected an output NAME.npy, but got '" + name + "'");
  return name;
}

LaunchArgument parseArgument(Words &words, bool passed) {
  LaunchArgument a;
  a.passed = passed;
  std::string kind = words.next("an argument");
  if (kind == "in" || kind == "inout") {
    a.kind = LaunchArgument::Buffer;
    a.name = words.next("a file");
    a.array = readArray(a.name);
    a.initialized = true;
    if (kind == "inout")
      a.output = outputName(words, "an output file");
  } else if (kind == "out") {
    a.kind = LaunchArgument::Buffer;
    a.name = a.output = outputName(words, "a file");
    parseShape(words, a.array);
  } else if (kind == "zero") {
    a.kind = LaunchArgument::Buffer;
    a.name = "zeros";
    parseShape(words, a.array);
    a.initialized = true;
  } else if (!passed) {
    words.fail("expected in, out, inout or zero, but got '" + kind + "'");
  } else if (kind == "map") {
    parseMap(words, a);
  } else {
    elementSize(kind);
    a.scalar = scalarBytes(words, kind);
  }
  return a;
}

} // namespace

LaunchFile parseLaunch(const std::vector<std::string> &lines, const std::string &name) {
  LaunchFile result;
  for (size_t k = 0; k < lines.size(); k++) {
    std::string line = lines[k].substr(0, lines[k].find('#'));
    Words words(line, name + ":" + std::to_string(k + 1));
    if (!words.more())
      continue;
    std::string key = words.next("a keyword");
    if (key == "kernel")
      result.kernel = words.next("a kernel name");
    else if (key == "grid")
      result.config.grid = words.dimensions("a grid size");
    else if (key == "block")
      result.config.block = words.dimensions("a block size");
    else if (key == "cluster")
      result.config.cluster = words.dimensions("a cluster size");
    else if (key == "shared")
      result.config.dynamicShared = uint32_t(words.number("a number of bytes", UINT32_MAX));
    else if (key == "arg" || key == "buffer")
      result.arguments.push_back(parseArgument(words, key == "arg"));
    else
      words.fail("expected kernel, grid, block, cluster, shared, arg or buffer, but got '" + key +
                 "'");
    if (words.more())
      words.fail("unexpected '" + words.next("") + "'");
  }
  return result;
}

LaunchFile readLaunchFile(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw Error(ErrorKind::Argument, "cannot read '" + path + "'");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return parseLaunch(lines, path);
}

} // namespace ptxsim
