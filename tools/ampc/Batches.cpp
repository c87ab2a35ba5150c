// Batches of rows, in an order determined by seed and step number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Batches.h"
#include "tools/ampc/Session.h"
#include <cstring>
#include <numeric>

using namespace ampc;

bool Batches::open(const ampc_program &p, const Dataset &data, Order wanted, std::string &error) {
  program = &p;
  how = wanted;
  const Dataset::Field *first = nullptr; // field whose row count all other fields must match
  for (int i = 0; i < p.input_count; ++i) {
    const ampc_tensor &tensor = p.inputs[i];
    fields.push_back(isSupplied(tensor) ? nullptr : &data.get(tensor.name));
    buffers.emplace_back(tensor.bytes);
    inputs.push_back(buffers.back().data());
    if (!fields.back()) {
      setInput(i, std::vector<double>(elementCount(tensor), isTotal(tensor) ? 1 : 0));
      continue;
    }
    const Dataset::Field &field = *fields.back();
    if (!tensor.batched) {
      field.converter.convert(field.array.data, buffers.back().data(), field.width);
      continue;
    }
    if (first && first->rows != field.rows) {
      error = field.source.path + ": expected " + std::to_string(first->rows) + " rows for input " +
              tensor.name + ", as " + first->source.path + " has, but got " +
              std::to_string(field.rows);
      return false;
    }
    first = &field;
    rows = field.rows;
  }
  if (p.batch && !first) {
    error = std::string("expected an input with rows of ") + p.name + " in addition to states";
    return false;
  }
  int64_t least = p.short_batch ? 1 : rowsPerStep();
  if (p.batch && rows < least) {
    error = first->source.path + ": expected at least " + std::to_string(least) +
            " rows, a batch " + (how.ranks > 1 ? "for each rank " : "") +
            "of a model that mixes rows, but got " + std::to_string(rows);
    return false;
  }
  if (how.shuffle && rows > int64_t(UINT32_MAX)) {
    error = first->source.path + ": expected at most " + std::to_string(UINT32_MAX) +
            " rows without --shuffle=false, but got " + std::to_string(rows);
    return false;
  }
  if (p.batch)
    perEpoch = p.short_batch ? (rows + rowsPerStep() - 1) / rowsPerStep() : rows / rowsPerStep();
  return true;
}

void Batches::setInput(int input, llvm::ArrayRef<double> elements) {
  Converter narrow(elementOf(AMPC_F64), ampc_dtype(program->inputs[input].dtype));
  narrow.convert(elements.data(), buffers[input].data(), int64_t(elements.size()));
}

void Batches::setRows(int input, const void *data, int64_t count) {
  int64_t row = program->inputs[input].bytes / program->inputs[input].dims[0];
  memcpy(buffers[input].data(), data, size_t(row * count));
}

int64_t Batches::getLeftOut() const {
  return program->batch && !program->short_batch ? rows % rowsPerStep() : 0;
}

int64_t Batches::rowsPerStep() const { return int64_t(program->batch) * how.ranks; }

bool Batches::lacksRows(uint64_t step) const {
  return program->batch && int64_t(countOf(step)) <= int64_t(program->batch) * how.rank;
}

uint32_t Batches::countOf(uint64_t step) const {
  if (!program->batch)
    return 0;
  int64_t first = int64_t(step % perEpoch) * rowsPerStep();
  return uint32_t(std::min<int64_t>(rowsPerStep(), rows - first));
}

/// Fisher-Yates shuffle; splitmix64 keyed by seed and epoch.
void Batches::shuffleFor(uint64_t epoch) {
  if (epoch == shuffledEpoch)
    return;
  shuffledEpoch = epoch;
  order.resize(rows);
  std::iota(order.begin(), order.end(), uint32_t(0));
  uint64_t state = how.seed * 0x9E3779B97F4A7C15u ^ (epoch + 1) * 0xD1B54A32D192ED03u;
  for (size_t i = order.size(); i > 1; --i) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    std::swap(order[i - 1], order[(z ^ (z >> 31)) % i]);
  }
}

std::vector<int64_t> Batches::rowsOf(uint64_t step) {
  if (!program->batch)
    return {};
  int64_t first = int64_t(step % perEpoch) * rowsPerStep();
  std::vector<int64_t> chosen(countOf(step));
  std::iota(chosen.begin(), chosen.end(), first);
  if (!how.shuffle)
    return chosen;
  shuffleFor(step / perEpoch);
  for (int64_t &row : chosen)
    row = order[row];
  return chosen;
}

std::vector<int64_t> Batches::ownRows(uint64_t step) {
  std::vector<int64_t> all = rowsOf(step), own;
  for (int64_t r = 0; r < program->batch; ++r)
    own.push_back(all[size_t(program->batch * how.rank + r) % all.size()]);
  return own;
}

void Batches::fillRows(llvm::ArrayRef<int64_t> chosen) {
  if (!program->batch)
    return;
  for (int i = 0; i < program->input_count; ++i) {
    if (!program->inputs[i].batched || !fields[i])
      continue;
    const Dataset::Field &field = *fields[i];
    int64_t bytes = program->inputs[i].bytes / program->batch;
    int64_t sourceBytes = field.width * bytesOf(field.array.element);
    auto *source = static_cast<const char *>(field.array.data);
    for (int64_t r = 0; r < program->batch; ++r)
      field.converter.convert(source + chosen[r % chosen.size()] * sourceBytes,
                              buffers[i].data() + r * bytes, field.width);
  }
}

/// Prefetches rows of large files, which may not be in memory, during the previous step.
void Batches::prefetch(uint64_t step) {
  auto isLarge = [](const Dataset::Field *field) {
    return field && field->tensor.batched && field->array.bytes() > int64_t(1) << 30;
  };
  if (!program->batch || llvm::none_of(fields, isLarge))
    return;
  std::vector<int64_t> chosen = ownRows(step);
  for (const Dataset::Field *field : llvm::make_filter_range(fields, isLarge)) {
    int64_t bytes = field->width * bytesOf(field->array.element);
    for (int64_t row : chosen)
      field->array.prefetch(row * bytes, bytes);
  }
}

uint32_t Batches::fill(uint64_t step) {
  fillRows(ownRows(step));
  prefetch(step + 1);
  int64_t left = int64_t(countOf(step)) - int64_t(program->batch) * how.rank;
  return uint32_t(std::clamp<int64_t>(left, 0, program->batch));
}
