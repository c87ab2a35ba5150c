// Tensors of safetensors files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Mapping.h"
#include "lib/Data/Text.h"
#include "lib/Runtime/Json.h"
#include "lib/Runtime/Proof.h"
#include <algorithm>
#include <cstring>

using namespace ampc;

namespace {
struct Entry {
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t begin = -1, end = -1;
};

void parseMetadata(ampc_rt_json &json, ampc_rt_proof &proof) {
  ampc_rt_json_expect(&json, '{', "an object of metadata");
  if (ampc_rt_json_accept(&json, '}'))
    return;
  do {
    const char *key = ampc_rt_json_string(&json);
    ampc_rt_json_expect(&json, ':', "':' in metadata");
    ampc_rt_note_proof(&proof, key, ampc_rt_json_string(&json));
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

std::optional<Element> findType(const std::string &name) {
  const std::pair<const char *, Element> types[] = {
      {"F32", Element::F32}, {"F64", Element::F64}, {"F16", Element::F16}, {"BF16", Element::BF16},
      {"BOOL", Element::I1}, {"I8", Element::I8},   {"I16", Element::I16}, {"I32", Element::I32},
      {"I64", Element::I64}, {"U8", Element::U8},   {"U16", Element::U16}, {"U32", Element::U32},
      {"U64", Element::U64}};
  for (auto &type : types)
    if (name == type.first)
      return type.second;
  return std::nullopt;
}

/// A mapped file and the parsed header.
struct Contents {
  Mapping file;
  std::vector<std::pair<std::string, Entry>> entries; ///< in the header's order
  int64_t begin = 0;                                  ///< offset of the data in the file

  /// Reads the file. False with the expectation that failed in `error`.
  bool read(const std::string &path, std::string &error);
  /// Property of a complete checkpoint that the file lacks, as in "expected ..."; "" for a complete
  /// file.
  std::string findDamage(const ampc_rt_proof &proof) const;
  /// Tensor of an entry. Nothing with a message in `error` if the entry does not fit the file, or
  /// if the compiler lacks its element type; `foreign` tells the second case.
  std::optional<Array> get(const std::string &name, const Entry &entry, std::string &error,
                           bool &foreign) const;
};

bool Contents::read(const std::string &path, std::string &error) {
  std::optional<Mapping> mapped = mapFile(path, error);
  if (!mapped)
    return false;
  file = *mapped;
  uint64_t length = 0;
  if (file.bytes >= 8)
    std::memcpy(&length, file.data, 8);
  if (file.bytes < 8 || length > uint64_t(file.bytes) - 8) {
    error = path + ": expected a safetensors file, but got a header beyond the end of the file";
    return false;
  }
  begin = 8 + int64_t(length);
  std::string header(file.data + 8, length); // a copy, because strings are decoded in place
  ampc_rt_proof proof = {};
  ampc_rt_json json{header.data(), header.data() + header.size(), nullptr};
  if (!ampc_rt_check_header(&proof, header.data(), header.size()))
    json.failure = "a header with the recorded hash";
  ampc_rt_json_expect(&json, '{', "a header that is a JSON object");
  do {
    std::string key = ampc_rt_json_string(&json);
    ampc_rt_json_expect(&json, ':', "':' after a name");
    if (key == "__metadata__")
      parseMetadata(json, proof);
    else
      entries.push_back({key, parseEntry(json)});
  } while (!json.failure && ampc_rt_json_accept(&json, ','));
  ampc_rt_json_expect(&json, '}', "the end of the header");
  std::string damage = json.failure ? json.failure : findDamage(proof);
  if (damage.empty())
    return true;
  error = path + ": damaged file: expected " + damage;
  return false;
}

std::string Contents::findDamage(const ampc_rt_proof &proof) const {
  if (ampc_rt_is_newer(&proof))
    return "a checkpoint of version " AMPC_FORMAT_VERSION ", but got version " +
           std::string(proof.version) + ", written by a newer ampc";
  if (ampc_rt_lacks_proof(&proof))
    return "the hashes of a checkpoint of this version";
  if (ampc_rt_is_foreign(&proof) || !proof.has_data_hash)
    return "";
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (auto &[name, entry] : entries)
    ranges.push_back({entry.begin, entry.end});
  std::sort(ranges.begin(), ranges.end());
  int64_t end = 0;
  uint64_t hash = AMPC_DATA_HASH_SEED;
  for (auto [first, last] : ranges) {
    if (first != end || last < first || last > file.bytes - begin)
      return "tensors side by side, without gap or overlap";
    hash = ampc_rt_hash_bytes(
        hash, reinterpret_cast<const unsigned char *>(file.data + begin + first), last - first);
    end = last;
  }
  if (end != file.bytes - begin)
    return "the data to end with the file";
  return hash == proof.data_hash ? "" : "data with the recorded hash";
}

std::optional<Array> Contents::get(const std::string &name, const Entry &entry, std::string &error,
                                   bool &foreign) const {
  std::optional<Element> element = findType(entry.dtype);
  foreign = !element;
  if (foreign) {
    error = "tensor '" + name + "': type " + entry.dtype + " is not supported";
    return std::nullopt;
  }
  std::optional<int64_t> count = countElements(entry.shape);
  if (!count || entry.begin < 0 || entry.end > file.bytes - begin ||
      entry.end - entry.begin != *count * bytesOf(*element)) {
    error = "damaged file: tensor '" + name + "' does not fit";
    return std::nullopt;
  }
  return Array{*element, entry.shape, file.data + begin + entry.begin, file.owner, 0};
}
} // namespace

std::optional<Array> ampc::readSafetensors(const std::string &path, const std::string &name,
                                           std::string &error) {
  Contents contents;
  if (!contents.read(path, error))
    return std::nullopt;
  std::vector<std::string> names;
  const Entry *found = nullptr;
  for (auto &[key, entry] : contents.entries) {
    names.push_back(key);
    if (key == name)
      found = &entry;
  }
  if (!found) {
    error = path + ": has no tensor '" + name + "', only " +
            (names.empty() ? "metadata" : nameList(names, /*most=*/12));
    return std::nullopt;
  }
  bool foreign;
  std::optional<Array> array = contents.get(name, *found, error, foreign);
  if (!array)
    error = path + ": " + error;
  return array;
}

std::optional<std::vector<NamedArray>> ampc::readSafetensors(const std::string &path,
                                                             std::vector<std::string> &skipped,
                                                             std::string &error) {
  Contents contents;
  if (!contents.read(path, error))
    return std::nullopt;
  std::vector<NamedArray> arrays;
  for (auto &[key, entry] : contents.entries) {
    bool foreign;
    if (auto array = contents.get(key, entry, error, foreign)) {
      arrays.push_back({key, std::move(*array)});
    } else if (foreign) {
      skipped.push_back(key);
    } else {
      error = path + ": " + error;
      return std::nullopt;
    }
  }
  return arrays;
}
