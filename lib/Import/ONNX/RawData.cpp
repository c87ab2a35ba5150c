// Access to large tensors in an ONNX file without copying the bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/RawData.h"
#include <algorithm>
#include <cstdint>

using namespace ampc::onnx;
using std::string_view;

namespace {
// Field numbers of onnx.proto.
constexpr uint64_t modelGraph = 7, modelNote = 14, graphNode = 1, graphInitializer = 5,
                   graphValueInfo = 13, graphNote = 16, nodeNote = 9, tensorRawData = 9;
constexpr uint64_t valueInfoName = 1, valueInfoNote = 4, noteKey = 1, noteValue = 2;
// Wire types of protobuf.
enum WireType { Varint = 0, Eight = 1, Length = 2, Four = 5 };

struct Field {
  uint64_t number = 0, type = 0;
  string_view whole, content; ///< with tag and length; payload of length-delimited fields
};

/// Iterator over the fields of a message.
class Fields {
public:
  explicit Fields(string_view message) : rest(message) {}
  /// Reads the next field; false at the end and for malformed bytes.
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
    rest = start; // marks the bytes as malformed: rest is not empty
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
      raw = field.content; // the last field counts
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

/// Payload of the last field of the number, as protobuf requires; "" if there is none.
static string_view contentOf(string_view message, uint64_t number) {
  string_view content;
  Fields fields(message);
  for (Field field; fields.next(field);)
    if (field.number == number)
      content = field.content;
  return content;
}

/// Names in a list such as "['val_0', 'weight']".
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

static void noteOrigin(string_view valueInfo, ExporterNotes &notes) {
  Fields fields(valueInfo);
  for (Field note; fields.next(note);)
    if (note.number == valueInfoNote &&
        contentOf(note.content, noteKey) == "pkg.onnxscript.optimizer.folded_from")
      notes.computedFrom[std::string(contentOf(valueInfo, valueInfoName))] =
          quotedNames(contentOf(note.content, noteValue));
}

/// Names in the exported program -> names in the module.
using Targets = std::map<std::string, std::string, std::less<>>;

/// Reads lines such as "p_weight: PARAMETER target='weight'" and "b_mean: BUFFER target='mean'
/// ...".
static void noteSignature(string_view note, ExporterNotes &notes, Targets &targets) {
  if (contentOf(note, noteKey) != "pkg.torch.export.ExportedProgram.graph_signature")
    return;
  string_view text = contentOf(note, noteValue);
  while (!text.empty()) {
    string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    size_t kind = line.find(": ");
    if (kind == line.npos || line.find(" target='") == line.npos)
      continue;
    std::vector<std::string> target = quotedNames(line.substr(line.find(" target='")));
    if (target.empty())
      continue;
    bool isParameter = line.substr(kind + 2, 10) == "PARAMETER ";
    (isParameter ? notes.parameters : notes.others).insert(target[0]);
    targets.emplace(line.substr(0, kind), target[0]);
  }
}

/// Reads "%linear = call_function[target=...](args = (%x, %p_weight, %p_bias), kwargs = {})".
static ExporterNotes::Source sourceOf(string_view node, const Targets &targets) {
  static const char *const letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  ExporterNotes::Source source;
  Fields fields(node);
  for (Field note; fields.next(note);) {
    if (note.number != nodeNote || contentOf(note.content, noteKey) != "pkg.torch.onnx.fx_node")
      continue;
    string_view text = contentOf(note.content, noteValue);
    if (size_t op = text.find("[target="); op != text.npos)
      source.op = text.substr(op + 8, text.find(']', op) - op - 8);
    for (size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
      size_t end = std::min(text.find_first_not_of(letters, at + 1), text.size());
      if (auto found = targets.find(text.substr(at + 1, end - at - 1)); found != targets.end())
        source.reads.push_back(found->second);
    }
  }
  return source;
}

ExporterNotes ampc::onnx::exporterNotes(string_view file) {
  ExporterNotes notes;
  Targets targets;
  auto forFields = [&](uint64_t number, auto use) {
    Fields graph(contentOf(file, modelGraph));
    for (Field field; graph.next(field);)
      if (field.number == number)
        use(field.content);
  };
  Fields model(file);
  for (Field part; model.next(part);)
    if (part.number == modelNote)
      noteSignature(part.content, notes, targets);
  forFields(graphValueInfo, [&](string_view value) { noteOrigin(value, notes); });
  forFields(graphNote, [&](string_view note) { noteSignature(note, notes, targets); });
  if (!targets.empty())
    forFields(graphNode,
              [&](string_view node) { notes.sources.push_back(sourceOf(node, targets)); });
  return notes;
}
