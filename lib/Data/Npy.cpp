// NumPy's .npy files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Mapping.h"
#include "lib/Data/NpyHead.h"
#include <cstring>

using namespace ampc;

namespace {
struct Name {
  const char *descr;
  Element element;
};
constexpr Name kNames[] = {{"<f4", Element::F32}, {"<f8", Element::F64}, {"<f2", Element::F16},
                           {"<i2", Element::I16}, {"<i4", Element::I32}, {"<i8", Element::I64},
                           {"|u1", Element::U8},  {"|i1", Element::I8},  {"|b1", Element::I1},
                           {"<u2", Element::U16}, {"<u4", Element::U32}, {"<u8", Element::U64}};

/// Parser of the header: a Python dictionary of a string, a truth value and a tuple of integers,
/// e.g. `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
class Header {
public:
  Header(const char *begin, const char *end) : cursor(begin), end(end) {}
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;

  bool parse() {
    int seen = 0;
    if (!accept('{'))
      return false;
    while (!accept('}')) {
      std::string key;
      if (!string(key) || !accept(':'))
        return false;
      if (key == "descr"           ? !string(descr)
          : key == "fortran_order" ? !truth()
          : key == "shape"         ? !tuple()
                                   : true)
        return false;
      ++seen;
      if (!accept(','))
        return accept('}') && seen == 3;
    }
    return seen == 3;
  }

private:
  const char *cursor, *end;

  bool accept(char c) {
    while (cursor < end && (*cursor == ' ' || *cursor == '\n'))
      ++cursor;
    return cursor < end && *cursor == c ? ++cursor, true : false;
  }
  bool string(std::string &text) {
    char quote = accept('\'') ? '\'' : accept('"') ? '"' : 0;
    if (!quote)
      return false;
    while (cursor < end && *cursor != quote)
      text += *cursor++;
    return accept(quote);
  }
  bool truth() {
    accept(' ');
    for (bool value : {false, true}) {
      const char *word = value ? "True" : "False";
      size_t length = std::strlen(word);
      if (size_t(end - cursor) >= length && !std::memcmp(cursor, word, length)) {
        cursor += length;
        fortran = value;
        return true;
      }
    }
    return false;
  }
  bool tuple() {
    if (!accept('('))
      return false;
    while (!accept(')')) {
      int64_t value = 0;
      const char *start = cursor;
      for (; cursor < end && *cursor >= '0' && *cursor <= '9' && cursor - start < 18; ++cursor)
        value = value * 10 + (*cursor - '0');
      if (cursor == start)
        return false;
      shape.push_back(value);
      if (!accept(','))
        return accept(')');
    }
    return true;
  }
};

std::optional<Element> findType(const std::string &descr) {
  for (const Name &name : kNames)
    if (descr == name.descr ||
        (name.descr[0] == '|' && descr.size() == 3 && descr.substr(1) == name.descr + 1))
      return name.element;
  return std::nullopt;
}
} // namespace

std::optional<NpyHead> ampc::parseNpyHead(const char *data, int64_t known, int64_t bytes,
                                          std::string &error) {
  auto fail = [&](const std::string &message) {
    error = message;
    return std::nullopt;
  };
  if (known < 12 || std::memcmp(data, "\x93NUMPY", 6))
    return fail("expected a .npy file");
  int version = static_cast<unsigned char>(data[6]);
  if (version < 1 || version > 3)
    return fail("expected version 1, 2 or 3 of the .npy format, but got " +
                std::to_string(version));
  uint32_t length = 0;
  int start = version == 1 ? 10 : 12;
  std::memcpy(&length, data + 8, size_t(start - 8));
  if (length > bytes - start)
    return fail("expected a header of " + std::to_string(length) + " bytes, but the file ends");
  if (length > known - start)
    return fail("expected a header of at most " + std::to_string(known - start) +
                " bytes, but got " + std::to_string(length));
  Header header(data + start, data + start + length);
  if (!header.parse())
    return fail("expected a header with a plain type, order and shape");
  std::optional<Element> element = findType(header.descr);
  if (!element)
    return fail(header.descr[0] == '>'
                    ? "expected little-endian data, but got '" + header.descr +
                          "'; save x.astype(x.dtype.newbyteorder('<'))"
                    : "expected floats of 2 to 8 bytes, integers of 1 to 8 bytes or truth values, "
                      "but got '" +
                          header.descr + "'");
  if (header.fortran && header.shape.size() > 1)
    return fail("expected C order, but got Fortran order; save numpy.ascontiguousarray(x)");
  std::optional<int64_t> count = countElements(header.shape);
  if (!count || *count * bytesOf(*element) != bytes - start - length)
    return fail("expected " +
                (count ? std::to_string(*count * bytesOf(*element)) : std::string("too many")) +
                " bytes of data, but got " + std::to_string(bytes - start - length));
  return NpyHead{*element, header.shape, start + int64_t(length)};
}

std::optional<Array> ampc::readNpy(const std::string &path, std::string &error) {
  std::optional<Mapping> file = mapFile(path, error);
  if (!file)
    return std::nullopt;
  std::optional<NpyHead> head = parseNpyHead(file->data, file->bytes, file->bytes, error);
  if (!head) {
    error = path + ": " + error;
    return std::nullopt;
  }
  return Array{head->element, head->dims, file->data + head->begin, file->owner, 0};
}

/// Header of an array; empty if NumPy has no such type, e.g. bf16.
static std::string headerOf(ampc_dtype dtype, const std::vector<int64_t> &dims) {
  const char *descr = nullptr;
  for (const Name &name : kNames)
    if (name.element == elementOf(dtype))
      descr = name.descr;
  if (!descr)
    return "";
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : dims)
    header += std::to_string(dim) + ", ";
  header += "), }";
  while ((10 + header.size() + 1) % 64)
    header += ' ';
  return header + '\n';
}

bool NpyWriter::open(const std::string &name, ampc_dtype dtype, const std::vector<int64_t> &dims,
                     std::string &error) {
  path = name;
  std::string header = headerOf(dtype, dims);
  if (header.empty()) {
    error = path + ": NumPy has no type for " + nameOf(dtype);
    return false;
  }
  auto length = static_cast<uint16_t>(header.size());
  if (int failure = file.open(path)) {
    error = path + ": " + std::strerror(failure);
    return false;
  }
  return write("\x93NUMPY\1\0", 8, error) && write(&length, 2, error) &&
         write(header.data(), int64_t(header.size()), error);
}

bool NpyWriter::write(const void *data, int64_t bytes, std::string &error) {
  int failure = file.write(data, size_t(bytes));
  if (failure)
    error = path + ": " + std::strerror(failure);
  return !failure;
}

bool NpyWriter::close(std::string &error) {
  int failure = file.close();
  if (failure)
    error = path + ": " + std::strerror(failure);
  return !failure;
}

bool ampc::writeNpy(const std::string &path, ampc_dtype dtype, const std::vector<int64_t> &dims,
                    const void *data, std::string &error) {
  int64_t bytes = bytesOf(dtype);
  for (int64_t dim : dims)
    bytes *= dim;
  NpyWriter writer;
  return writer.open(path, dtype, dims, error) && writer.write(data, bytes, error) &&
         writer.close(error);
}
