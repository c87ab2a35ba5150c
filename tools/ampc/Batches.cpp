// Batches of rows of arrays, in an order that a seed and the step number fix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Batches.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/Text.h"
#include <cstring>
#include <numeric>

using namespace ampc;

static std::string textOf(llvm::ArrayRef<int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

llvm::Expected<Sources> ampc::readSources(llvm::ArrayRef<std::string> words) {
  Sources sources;
  for (const std::string &word : words) {
    auto [name, path] = llvm::StringRef(word).split('=');
    if (name.empty() || path.empty())
      return llvm::createStringError(std::error_code(),
                                     "expected --data INPUT=FILE, but got " + shown(word));
    for (auto &source : sources)
      if (source.first == name)
        return llvm::createStringError(std::error_code(), "expected --data " + name.str() +
                                                              "=FILE once, but got it twice");
    sources.push_back({name.str(), path.str()});
  }
  return sources;
}

llvm::Error ampc::checkOutputs(llvm::ArrayRef<std::string> outputs, const Sources &data,
                               std::vector<std::string> others) {
  for (auto &[name, path] : data) {
    others.push_back(path);
    others.push_back(llvm::StringRef(path).rsplit(':').first.str()); // FILE.safetensors:TENSOR
  }
  return checkOutputs(outputs, others);
}

/// A batched input takes rows of a longer array; any other input takes the array as it is.
bool Batches::check(const ampc_tensor &tensor, const Array &array, std::string &error) {
  llvm::ArrayRef<int64_t> want(tensor.dims, tensor.rank), got(array.dims);
  if (array.dtype != tensor.dtype) {
    error = std::string("expected elements of ") + nameOf(ampc_dtype(tensor.dtype)) +
            " for input " + tensor.name + ", but got " + nameOf(array.dtype);
    return false;
  }
  bool fits = tensor.batched ? got.size() == want.size() && got.drop_front() == want.drop_front()
                             : got == want;
  if (!fits) {
    error = std::string("expected shape ") + (tensor.batched ? "[rows, ...] with rows of " : "") +
            textOf(tensor.batched ? want.drop_front() : want) + " for input " + tensor.name +
            ", but got " + textOf(got);
    return false;
  }
  if (tensor.batched && got[0] == 0) {
    error = std::string("expected at least one row for input ") + tensor.name + ", but got none";
    return false;
  }
  if (tensor.batched && rows && got[0] != rows) {
    error = "expected " + std::to_string(rows) + " rows for input " + tensor.name + ", but got " +
            std::to_string(got[0]);
    return false;
  }
  if (tensor.batched)
    rows = got[0];
  return true;
}

static int64_t readInteger(const Array &array, int64_t index) {
  auto read = [&](auto value) {
    std::memcpy(&value, static_cast<const char *>(array.data) + index * sizeof value, sizeof value);
    return int64_t(value);
  };
  switch (array.dtype) {
  case AMPC_I64:
    return read(int64_t());
  case AMPC_I32:
    return read(int32_t());
  case AMPC_I16:
    return read(int16_t());
  case AMPC_I8:
    return read(int8_t());
  default:
    return read(uint8_t());
  }
}

/// A step would say it too, when its batch has that row: hours later, perhaps.
static bool checkLabels(const ampc_tensor &tensor, const Array &array, const std::string &path,
                        std::string &error) {
  int64_t count = tensor.label_limit ? array.count() : 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = readInteger(array, i);
    if ((value >= 0 && value < tensor.label_limit) || value == tensor.label_ignore)
      continue;
    bool isExempt = tensor.label_ignore < 0 || tensor.label_ignore >= tensor.label_limit;
    int64_t width = array.dims.empty() ? 1 : count / array.dims[0];
    error = path + ": expected values in [0, " + std::to_string(tensor.label_limit) + ")" +
            (isExempt ? " or " + std::to_string(tensor.label_ignore) : "") + " for input " +
            tensor.name + ", but got " + std::to_string(value) + " in row " +
            std::to_string(i / width);
    return false;
  }
  return true;
}

bool Batches::open(const ampc_program &p,
                   llvm::ArrayRef<std::pair<std::string, std::string>> sources,
                   uint64_t seedOfOrder, bool wantShuffle, std::string &error) {
  program = &p;
  seed = seedOfOrder;
  shuffle = wantShuffle;
  for (auto &source : sources) {
    bool known = false;
    for (int i = 0; i < p.input_count; ++i)
      known |= source.first == p.inputs[i].name;
    if (!known) {
      error = "expected the name of an input, but got " + source.first + " (inputs:";
      for (int i = 0; i < p.input_count; ++i)
        error += std::string(" ") + p.inputs[i].name;
      error += ")";
      return false;
    }
  }
  for (int i = 0; i < p.input_count; ++i) {
    const ampc_tensor &tensor = p.inputs[i];
    auto source = std::find_if(sources.begin(), sources.end(),
                               [&](auto &s) { return s.first == tensor.name; });
    if (source == sources.end()) {
      error = std::string("expected --data ") + tensor.name +
              "=FILE, since the step has an input of that name";
      return false;
    }
    auto array = readArray(source->second, error);
    if (!array || !check(tensor, *array, error) ||
        !checkLabels(tensor, *array, source->second, error))
      return false;
    inputs.push_back(array->data);
    buffers.emplace_back(tensor.batched ? tensor.bytes : 0);
    if (tensor.batched)
      inputs.back() = buffers.back().data();
    arrays.push_back(std::move(*array));
  }
  if (p.batch && rows < (p.short_batch ? 1 : p.batch)) {
    error = "expected at least " + std::to_string(p.short_batch ? 1 : p.batch) +
            " rows of data, but got " + std::to_string(rows);
    return false;
  }
  order.resize(rows);
  if (p.batch)
    perEpoch = p.short_batch ? (rows + p.batch - 1) / p.batch : rows / p.batch;
  return true;
}

/// Fisher and Yates' shuffle; splitmix64 keyed by seed and epoch.
void Batches::shuffleFor(uint64_t epoch) {
  if (epoch == shuffledEpoch)
    return;
  shuffledEpoch = epoch;
  std::iota(order.begin(), order.end(), 0);
  uint64_t state = seed * 0x9E3779B97F4A7C15u ^ (epoch + 1) * 0xD1B54A32D192ED03u;
  for (size_t i = order.size(); shuffle && i > 1; --i) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    std::swap(order[i - 1], order[(z ^ (z >> 31)) % i]);
  }
}

uint32_t Batches::fill(uint64_t step) {
  if (!program->batch)
    return 0;
  shuffleFor(step / perEpoch);
  int64_t first = int64_t(step % perEpoch) * program->batch;
  int64_t valid = std::min<int64_t>(program->batch, rows - first);
  for (int i = 0; i < program->input_count; ++i) {
    if (!program->inputs[i].batched)
      continue;
    int64_t bytes = program->inputs[i].bytes / program->batch;
    auto *source = static_cast<const char *>(arrays[i].data);
    for (int64_t r = 0; r < valid; ++r)
      std::memcpy(buffers[i].data() + r * bytes, source + int64_t(order[first + r]) * bytes, bytes);
  }
  return uint32_t(valid);
}
