// One tensor of a safetensors file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Data/Mapping.h"
#include "lib/Runtime/Json.h"
#include <cstring>

using namespace ampc;

namespace {
struct Entry {
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t begin = -1, end = -1;
};

void parseMetadata(ampc_rt_json &json) {
  ampc_rt_json_expect(&json, '{', "an object of metadata");
  if (ampc_rt_json_accept(&json, '}'))
    return;
  do {
    ampc_rt_json_string(&json);
    ampc_rt_json_expect(&json, ':', "':' in metadata");
    ampc_rt_json_string(&json);
  } while (ampc_rt_json_accept(&json, ','));
  ampc_rt_json_expect(&json, '}', "the end of the metadata");
}

Entry parseEntry(ampc_rt_json &json) {
  Entry entry;
  ampc_rt_json_expect(&json, '{', "an object that describes a tensor");
  do {
    std::string key = ampc_rt_json_string(&json);
    ampc_rt_json_expect(&json, ':', "':' after a key");
    if (key == "dtype") {
      entry.dtype = ampc_rt_json_string(&json);
    } else if (key == "shape" || key == "data_offsets") {
      std::vector<int64_t> numbers;
      ampc_rt_json_expect(&json, '[', "whole numbers");
      if (!ampc_rt_json_accept(&json, ']')) {
        do
          numbers.push_back(ampc_rt_json_number(&json));
        while (ampc_rt_json_accept(&json, ','));
        ampc_rt_json_expect(&json, ']', "the end of whole numbers");
      }
      if (key == "shape")
        entry.shape = numbers;
      else if (numbers.size() == 2)
        entry.begin = numbers[0], entry.end = numbers[1];
    } else if (!json.failure) {
      json.failure = "dtype, shape and data_offsets";
    }
  } while (!json.failure && ampc_rt_json_accept(&json, ','));
  ampc_rt_json_expect(&json, '}', "the end of a tensor");
  return entry;
}

std::optional<ampc_dtype> findType(const std::string &name) {
  const std::pair<const char *, ampc_dtype> types[] = {
      {"F32", AMPC_F32}, {"F64", AMPC_F64}, {"F16", AMPC_F16}, {"BF16", AMPC_BF16},
      {"BOOL", AMPC_I1}, {"I8", AMPC_I8},   {"I16", AMPC_I16}, {"I32", AMPC_I32},
      {"I64", AMPC_I64}, {"U8", AMPC_U8}};
  for (auto &type : types)
    if (name == type.first)
      return type.second;
  return std::nullopt;
}
} // namespace

std::optional<Array> ampc::readSafetensors(const std::string &path, const std::string &name,
                                           std::string &error) {
  auto fail = [&](const std::string &message) {
    error = path + ": " + message;
    return std::nullopt;
  };
  std::optional<Mapping> file = mapFile(path, error);
  if (!file)
    return std::nullopt;
  uint64_t length = 0;
  if (file->bytes >= 8)
    std::memcpy(&length, file->data, 8);
  if (file->bytes < 8 || length > uint64_t(file->bytes) - 8)
    return fail("expected a safetensors file: its header does not fit");
  std::string header(file->data + 8, length); // strings are decoded in place
  ampc_rt_json json{header.data(), header.data() + header.size(), nullptr};
  std::optional<Entry> found;
  std::string names;
  ampc_rt_json_expect(&json, '{', "a header that is a JSON object");
  do {
    std::string key = ampc_rt_json_string(&json);
    ampc_rt_json_expect(&json, ':', "':' after a name");
    if (key == "__metadata__") {
      parseMetadata(json);
      continue;
    }
    Entry entry = parseEntry(json);
    names += (names.empty() ? "'" : ", '") + key + "'";
    if (key == name)
      found = entry;
  } while (!json.failure && ampc_rt_json_accept(&json, ','));
  ampc_rt_json_expect(&json, '}', "the end of the header");
  if (json.failure)
    return fail(std::string("damaged file: expected ") + json.failure);
  if (!found)
    return fail("has no tensor '" + name + "', only " + (names.empty() ? "metadata" : names));
  std::optional<ampc_dtype> dtype = findType(found->dtype);
  if (!dtype)
    return fail("tensor '" + name + "': type " + found->dtype + " is not supported");
  std::optional<int64_t> count = countElements(found->shape);
  int64_t data = file->bytes - 8 - int64_t(length);
  if (!count || found->begin < 0 || found->end > data ||
      found->end - found->begin != *count * bytesOf(*dtype))
    return fail("damaged file: tensor '" + name + "' does not fit");
  return Array{*dtype, found->shape, file->data + 8 + length + found->begin, file->owner};
}
