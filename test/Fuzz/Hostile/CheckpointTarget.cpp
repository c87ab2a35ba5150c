// libFuzzer target: checkpoint reader of compiled models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Runtime/Runtime.h"
#include "lib/Runtime/Proof.h"
#include "test/Fuzz/Hostile/MemoryFile.h"
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

namespace {
const int64_t kWeightDims[] = {3}, kRandomDims[] = {2};
enum { Weight, Bias, Step, Random, SlotCount };

ampc_slot slot(const char *name, ampc_dtype dtype, int32_t rank, const int64_t *dims, int64_t bytes,
               int32_t role, int64_t offset) {
  ampc_slot result = {};
  result.tensor.name = name;
  result.tensor.dtype = dtype;
  result.tensor.rank = rank;
  result.tensor.dims = dims;
  result.tensor.bytes = bytes;
  result.role = role;
  result.offset = offset;
  return result;
}
const ampc_slot kSlots[SlotCount] = {
    slot("w", AMPC_F32, 1, kWeightDims, 12, AMPC_ROLE_PARAM, 0),
    slot("b", AMPC_BF16, 0, nullptr, 2, AMPC_ROLE_PARAM, 64),
    slot("fit.step", AMPC_I64, 0, nullptr, 8, AMPC_ROLE_STEP, 128),
    slot("random", AMPC_I64, 1, kRandomDims, 16, AMPC_ROLE_RANDOM, 192)};

ampc_program makeProgram() {
  ampc_program program = {};
  program.name = "train_step";
  program.kind = AMPC_PROGRAM_TRAIN;
  program.step_slot = Step;
  return program;
}
const ampc_program kProgram = makeProgram();

ampc_model makeModel() {
  ampc_model model = {};
  model.name = "small";
  model.tiers = 1;
  model.slot_count = SlotCount;
  model.program_count = 1;
  model.slots = kSlots;
  model.programs = &kProgram;
  model.state_bytes = 256;
  model.state_hash = 0x1234;
  model.plan_hash = 0x5678;
  return model;
}
const ampc_model kModel = makeModel();

ampc_state *createState() {
  setenv("AMPC_ISA", "plain", 1); // the tier that the model has
  ampc_options options = {};
  options.size = sizeof options;
  options.threads = 1;
  ampc_state *state = nullptr;
  if (ampc_rt_create(&kModel, &options, &state))
    std::abort();
  return state;
}

// ---- Changes that hashes do not find ----

uint32_t below(std::minstd_rand &random, size_t limit) {
  return limit ? uint32_t(random() % limit) : 0;
}

/// The file that the state of `createState` writes.
std::string savedFile() {
  ampc_state *state = createState();
  std::string path = std::filesystem::temp_directory_path() / "ampc-fuzz.XXXXXX";
  int file = mkstemp(path.data());
  std::string saved(4096, 0);
  if (file < 0 || ampc_rt_save(state, path.c_str()))
    std::abort();
  close(file);
  std::FILE *stream = std::fopen(path.c_str(), "rb");
  if (!stream)
    std::abort();
  saved.resize(std::fread(saved.data(), 1, saved.size(), stream));
  std::fclose(stream);
  unlink(path.c_str());
  ampc_rt_destroy(state);
  return saved;
}

/// Splits a file into header and data by the stored length.
bool split(const std::string &file, std::string &header, std::string &data) {
  uint64_t length;
  if (file.size() < sizeof length)
    return false;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > file.size() - sizeof length)
    return false;
  header = file.substr(sizeof length, length);
  data = file.substr(sizeof length + length);
  return true;
}

/// Another number, or another string, in the header's JSON: offsets, shapes, runs, names.
void editHeader(std::string &header, std::minstd_rand &random) {
  static const char *const numbers[] = {"0",
                                        "1",
                                        "2",
                                        "7",
                                        "12",
                                        "14",
                                        "16",
                                        "22",
                                        "38",
                                        "-1",
                                        "64",
                                        "4294967296",
                                        "9223372036854775807",
                                        "18446744073709551615",
                                        "1e3",
                                        "0x1"};
  static const char *const words[] = {"w",
                                      "b",
                                      "fit.step",
                                      "random",
                                      "F32",
                                      "BF16",
                                      "I64",
                                      "U8",
                                      "F64",
                                      "version",
                                      "runs.train_step",
                                      "f000000000000032",
                                      "0000000000000001",
                                      "data_hash",
                                      "",
                                      "3",
                                      "1"};
  bool isNumber = random() % 2;
  size_t begin = below(random, header.size());
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  while (begin < header.size() && !(isNumber ? isDigit(header[begin]) : header[begin] == '"'))
    ++begin;
  size_t end = begin + 1;
  if (isNumber)
    while (end < header.size() && isDigit(header[end]))
      ++end;
  else
    end = std::min(header.find('"', end), header.size());
  if (end >= header.size())
    return;
  if (isNumber)
    header.replace(begin, end - begin, numbers[below(random, std::size(numbers))]);
  else
    header.replace(begin + 1, end - begin - 1, words[below(random, std::size(words))]);
}

/// Joins header and data with matching hashes, like a faulty writer.
std::string join(std::string header, const std::string &data) {
  auto setHash = [&](size_t at, uint64_t hash) {
    char digits[AMPC_HASH_DIGITS + 1];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    header.replace(at, AMPC_HASH_DIGITS, digits);
  };
  static const char key[] = "\"" AMPC_DATA_HASH_KEY "\":\"";
  size_t at = header.find(key);
  if (at != std::string::npos && at + sizeof key - 1 + AMPC_HASH_DIGITS <= header.size()) {
    uint64_t hash = AMPC_DATA_HASH_SEED;
    size_t offset = 0;
    for (const ampc_slot &each : kSlots) {
      size_t bytes = std::min(size_t(each.tensor.bytes), data.size() - offset);
      hash = ampc_rt_hash_bytes(hash, reinterpret_cast<const unsigned char *>(data.data()) + offset,
                                bytes);
      offset += bytes;
    }
    setHash(at + sizeof key - 1, hash);
  }
  if (char *digits = ampc_rt_find_header_hash(header.data(), header.size())) {
    std::memset(digits, '0', AMPC_HASH_DIGITS);
    setHash(size_t(digits - header.data()), ampc_rt_header_hash(header.data(), header.size()));
  }
  uint64_t length = header.size();
  return std::string(reinterpret_cast<char *>(&length), sizeof length) + header + data;
}

/// Everything that a checkpoint sets.
std::string contents(ampc_state *state) {
  std::string all = std::to_string(ampc_rt_runs(state, 0));
  for (int32_t i = 0; i < SlotCount; ++i)
    all.append(static_cast<const char *>(ampc_rt_tensor_data(state, i)),
               size_t(kSlots[i].tensor.bytes));
  return all;
}
} // namespace

/// Half of the mutations are libFuzzer's, which the hashes detect; the other half have valid
/// hashes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity,
                                          unsigned seed) {
  std::minstd_rand random(seed);
  static const std::string saved = savedFile();
  std::string file(reinterpret_cast<char *>(data), size), header, values;
  if (random() % 2)
    return LLVMFuzzerMutate(data, size, capacity);
  if (random() % 8 == 0)
    file = saved;
  if (!split(file, header, values) || header.empty())
    return LLVMFuzzerMutate(data, size, capacity);
  for (unsigned edits = 1 + below(random, 3); edits > 0; --edits)
    editHeader(header, random);
  if (random() % 4 == 0 && !values.empty())
    values[below(random, values.size())] = char(random());
  file = join(header, values);
  size = std::min(capacity, file.size());
  std::memcpy(data, file.data(), size);
  return size;
}

/// A file is loaded completely, or leaves the state unchanged with a message.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static ampc_state *state = createState();
  MemoryFile file(data, size);
  for (uint32_t flags : {0u, uint32_t(AMPC_LOAD_WEIGHTS)}) {
    std::string before = contents(state);
    if (ampc_rt_load(state, file.path().c_str(), flags)) {
      if (before != contents(state) || !*ampc_rt_last_error(state))
        std::abort();
      continue;
    }
    // Training can continue: the number of updates leaves room for further updates.
    int64_t updates;
    if (ampc_rt_get(state, Step, &updates, sizeof updates) || updates < 0 ||
        ampc_rt_runs(state, 0) >> 62)
      std::abort();
  }
  return 0;
}
