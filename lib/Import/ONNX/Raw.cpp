// The bytes of large tensors stay where they are in a file of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Raw.h"
#include <cstdint>

using namespace ampc::onnx;
using std::string_view;

namespace {
// Numbers of fields in onnx.proto.
constexpr uint64_t modelGraph = 7, graphInitializer = 5, graphValueInfo = 13, tensorRawData = 9;
constexpr uint64_t valueInfoName = 1, valueInfoNote = 4, noteKey = 1, noteValue = 2;
// Of protobuf's wire format.
enum WireType { Varint = 0, Eight = 1, Length = 2, Four = 5 };

struct Field {
  uint64_t number = 0, type = 0;
  string_view whole, content; ///< with tag and length; without, of fields that have a length
};

/// The fields of a message, one after the other.
class Fields {
public:
  explicit Fields(string_view message) : rest(message) {}
  /// False at the end and at what is no field.
  bool next(Field &field);
  bool isAtEnd() const { return rest.empty(); }

private:
  bool readVarint(uint64_t &number);
  bool skip(uint64_t bytes) {
    bool fits = bytes <= rest.size();
    rest.remove_prefix(fits ? bytes : 0);
    return fits;
  }

  string_view rest;
};
} // namespace

bool Fields::readVarint(uint64_t &number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    number |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

bool Fields::next(Field &field) {
  string_view start = rest;
  uint64_t tag = 0, number = 0;
  if (rest.empty() || !readVarint(tag))
    return false;
  field.number = tag >> 3;
  field.type = tag & 7;
  bool isRead = false;
  if (field.type == Varint)
    isRead = readVarint(number);
  else if (field.type == Eight || field.type == Four)
    isRead = skip(field.type == Eight ? 8 : 4);
  else if (field.type == Length)
    isRead = readVarint(number) && skip(number);
  if (!isRead) {
    rest = start; // not at the end
    return false;
  }
  field.whole = start.substr(0, start.size() - rest.size());
  field.content = field.type == Length ? field.whole.substr(field.whole.size() - number) : "";
  return true;
}

static void writeVarint(std::string &out, uint64_t number) {
  for (; number >= 0x80; number >>= 7)
    out += char(number | 0x80);
  out += char(number);
}
static void writeField(std::string &out, uint64_t number, string_view content) {
  writeVarint(out, number << 3 | Length);
  writeVarint(out, content.size());
  out += content;
}

static bool stripTensor(string_view message, std::string &out, std::optional<string_view> &raw) {
  Fields fields(message);
  for (Field field; fields.next(field);)
    if (field.number == tensorRawData && field.type == Length)
      raw = field.content; // the last one counts
    else
      out += field.whole;
  return fields.isAtEnd();
}

static bool stripGraph(string_view message, std::string &out, Stripped &stripped) {
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number != graphInitializer || field.type != Length) {
      out += field.whole;
      continue;
    }
    std::string tensor;
    if (!stripTensor(field.content, tensor, stripped.raw.emplace_back()))
      return false;
    writeField(out, graphInitializer, tensor);
  }
  return fields.isAtEnd();
}

std::optional<Stripped> ampc::onnx::withoutRaw(string_view file) {
  Stripped stripped;
  Fields fields(file);
  for (Field field; fields.next(field);) {
    if (field.number != modelGraph || field.type != Length) {
      stripped.bytes += field.whole;
      continue;
    }
    std::string graph;
    if (!stripGraph(field.content, graph, stripped))
      return std::nullopt;
    writeField(stripped.bytes, modelGraph, graph);
  }
  if (!fields.isAtEnd())
    return std::nullopt;
  return stripped;
}

/// The last field of a number counts; "" if there is none.
static string_view contentOf(string_view message, uint64_t number) {
  string_view content;
  Fields fields(message);
  for (Field field; fields.next(field);)
    if (field.number == number)
      content = field.content;
  return content;
}

/// From "['val_0', 'weight']".
static std::vector<std::string> quotedNames(string_view text) {
  std::vector<std::string> names;
  while (true) {
    size_t begin = text.find('\''), end = text.find('\'', begin + 1);
    if (begin == text.npos || end == text.npos)
      return names;
    names.emplace_back(text.substr(begin + 1, end - begin - 1));
    text.remove_prefix(end + 1);
  }
}

std::map<std::string, std::vector<std::string>, std::less<>>
ampc::onnx::computedFrom(string_view file) {
  std::map<std::string, std::vector<std::string>, std::less<>> result;
  Fields graph(contentOf(file, modelGraph));
  for (Field value; graph.next(value);) {
    Fields notes(value.number == graphValueInfo ? value.content : string_view());
    for (Field note; notes.next(note);)
      if (note.number == valueInfoNote &&
          contentOf(note.content, noteKey) == "pkg.onnxscript.optimizer.folded_from")
        result[std::string(contentOf(value.content, valueInfoName))] =
            quotedNames(contentOf(note.content, noteValue));
  }
  return result;
}
