// Reading and writing arrays: .npy and safetensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc-ptxsim/Arrays.h"
#include "ampc/PTXSim/PTXSim.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace ptxsim {

[[noreturn]] static void fail(const std::string &message) {
  throw Error(ErrorKind::Argument, message);
}

namespace {
struct TypeName {
  const char *name, *numpy, *safetensors;
  unsigned size;
};
constexpr TypeName types[] = {
    {"f64", "<f8", "F64", 8},   {"f32", "<f4", "F32", 4}, {"f16", "<f2", "F16", 2},
    {"bf16", "<u2", "BF16", 2}, {"i64", "<i8", "I64", 8}, {"i32", "<i4", "I32", 4},
    {"i16", "<i2", "I16", 2},   {"i8", "|i1", "I8", 1},   {"u64", "<u8", "U64", 8},
    {"u32", "<u4", "U32", 4},   {"u16", "<u2", "U16", 2}, {"u8", "|u1", "U8", 1},
    {"bool", "|b1", "BOOL", 1},
};
} // namespace

unsigned elementSize(const std::string &type) {
  for (const TypeName &t : types)
    if (type == t.name)
      return t.size;
  fail("expected an element type such as f32, but got '" + type + "'");
}

static std::vector<uint8_t> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Text between `open` and `close` after `key`, or "". Example: ("a: [1, 2]", "a:", '[', ']') ->
/// "1, 2".
static std::string between(const std::string &text, const std::string &key, char open, char close,
                           size_t from = 0) {
  size_t at = text.find(key, from);
  if (at == std::string::npos)
    return "";
  size_t begin = text.find(open, at + key.size());
  size_t end = begin == std::string::npos ? begin : text.find(close, begin + 1);
  return end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

static std::vector<uint64_t> parseNumbers(const std::string &text) {
  std::vector<uint64_t> result;
  const char *p = text.c_str();
  while (*p) {
    char *end;
    uint64_t value = std::strtoull(p, &end, 10);
    if (end == p) {
      p++;
      continue;
    }
    result.push_back(value);
    p = end;
  }
  return result;
}

uint64_t byteCount(const Array &array) {
  uint64_t n = 1;
  for (uint64_t d : array.shape)
    if (d != 0 && n > (uint64_t(1) << 40) / d)
      fail("expected an array of at most 2^40 elements");
    else
      n *= d;
  return n * elementSize(array.type);
}

static void checkFits(const Array &array, const std::string &what) {
  if (array.bytes.size() != byteCount(array))
    fail(what + " has " + std::to_string(array.bytes.size()) +
         " bytes of data, which do not fit the shape");
}

static Array readNpy(const std::string &path) {
  std::vector<uint8_t> data = readFile(path);
  if (data.size() < 12 || std::string(data.begin() + 1, data.begin() + 6) != "NUMPY")
    fail("'" + path + "' is not a .npy file");
  bool wide = data[6] >= 2;
  size_t header = wide ? data[8] | data[9] << 8 | data[10] << 16 | size_t(data[11]) << 24
                       : data[8] | size_t(data[9]) << 8;
  size_t start = (wide ? 12 : 10) + header;
  if (start > data.size())
    fail("'" + path + "' is truncated");
  std::string text(data.begin() + (wide ? 12 : 10), data.begin() + long(start));
  if (text.find("'fortran_order': False") == std::string::npos)
    fail("'" + path + "' is in Fortran order, expected C order");
  Array result;
  std::string descr = between(text, "'descr':", '\'', '\'');
  for (const TypeName &t : types)
    if (result.type.empty() && descr == t.numpy && std::string(t.name) != "bf16")
      result.type = t.name;
  if (result.type.empty())
    fail("'" + path + "' has element type '" + descr + "', which is not supported");
  result.shape = parseNumbers(between(text, "'shape':", '(', ')'));
  result.bytes.assign(data.begin() + long(start), data.end());
  checkFits(result, "'" + path + "'");
  return result;
}

static Array readSafetensors(const std::string &path, const std::string &name) {
  std::vector<uint8_t> data = readFile(path);
  uint64_t header = 0;
  if (data.size() >= 8)
    std::memcpy(&header, data.data(), 8);
  if (data.size() < 8 || header > data.size() - 8)
    fail("'" + path + "' is not a safetensors file");
  std::string text(data.begin() + 8, data.begin() + 8 + long(header));
  size_t at = text.find("\"" + name + "\"");
  if (at == std::string::npos)
    fail("'" + path + "' has no tensor '" + name + "'");
  Array result;
  std::string dtype = between(text, "\"dtype\":", '"', '"', at);
  for (const TypeName &t : types)
    if (dtype == t.safetensors)
      result.type = t.name;
  if (result.type.empty())
    fail("tensor '" + name + "' has element type '" + dtype + "', which is not supported");
  result.shape = parseNumbers(between(text, "\"shape\":", '[', ']', at));
  std::vector<uint64_t> offsets = parseNumbers(between(text, "\"data_offsets\":", '[', ']', at));
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size() - 8 - header)
    fail("tensor '" + name + "' lies outside of '" + path + "'");
  auto base = data.begin() + 8 + long(header);
  result.bytes.assign(base + long(offsets[0]), base + long(offsets[1]));
  checkFits(result, "tensor '" + name + "' of '" + path + "'");
  return result;
}

Array readArray(const std::string &source) {
  size_t at = source.find(".safetensors:");
  if (at != std::string::npos)
    return readSafetensors(source.substr(0, at + 12), source.substr(at + 13));
  return readNpy(source);
}

void writeArray(const std::string &path, const Array &array) {
  std::string descr;
  for (const TypeName &t : types)
    if (array.type == t.name)
      descr = t.numpy;
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (uint64_t d : array.shape)
    header += std::to_string(d) + ", ";
  header += "), }";
  while ((10 + header.size() + 1) % 64)
    header += ' ';
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  const char magic[] = {
      '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, char(header.size() & 255), char(header.size() >> 8)};
  file.write(magic, sizeof magic);
  file << header;
  file.write(reinterpret_cast<const char *>(array.bytes.data()), long(array.bytes.size()));
  if (!file)
    fail("cannot write '" + path + "'");
}

} // namespace ptxsim
