// libFuzzer target: calls of a compiled model with structs, numbers and pointers of a careless
// host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/FakeModel.h"
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {
/// Reads the input as numbers; zeros after the end.
class Source {
public:
  Source(const uint8_t *data, size_t size) : data(data), left(size) {}
  bool empty() const { return left == 0; }
  template <typename T> T take() {
    T value = {};
    size_t bytes = std::min(left, sizeof(T));
    std::memcpy(&value, data, bytes);
    data += bytes;
    left -= bytes;
    return value;
  }

private:
  const uint8_t *data;
  size_t left;
};

/// Memory of exactly `bytes` bytes, so that AddressSanitizer detects reads beyond the end.
std::unique_ptr<uint8_t[]> filled(Source &source, size_t bytes) {
  std::unique_ptr<uint8_t[]> memory(new uint8_t[bytes]);
  for (size_t i = 0; i < bytes; ++i)
    memory[i] = source.take<uint8_t>();
  return memory;
}

/// Bytes of all tensors. A state without split calls has no gradients.
std::string contents(ampc_state *state) {
  std::string all;
  for (int32_t i = 0; i < fake::SlotCount; ++i)
    if (const void *data = ampc_rt_tensor_data(state, i))
      all.append(static_cast<const char *>(data), size_t(fake::slots[i].tensor.bytes));
  return all;
}

/// Arguments of a call. Pointers are null or point to memory of the right size. `in` has the layout
/// of fake::TrainIn, followed by the seed of the call.
struct Call {
  explicit Call(Source &source)
      : size(4 + source.take<uint8_t>() % 93), in(filled(source, size)), x(filled(source, 32)),
        label(filled(source, 32)), choice(source.take<uint8_t>()) {
    uint32_t said = choice & 1 ? source.take<uint32_t>() % uint32_t(size + 1) : uint32_t(size);
    std::memcpy(in.get(), &said, 4);
    put(offsetof(fake::TrainIn, workspace), nullptr);
    put(offsetof(fake::TrainIn, x), choice & 2 ? nullptr : x.get());
    put(offsetof(fake::TrainIn, label), choice & 4 ? nullptr : label.get());
  }
  const void *get() const { return choice & 8 && choice & 16 ? nullptr : in.get(); }

  size_t size;
  std::unique_ptr<uint8_t[]> in, x, label;
  uint8_t choice;

private:
  void put(size_t offset, void *pointer) {
    if (offset + sizeof pointer <= size)
      std::memcpy(in.get() + offset, &pointer, sizeof pointer);
  }
};

ampc_state *create(Source &source) {
  ampc_options options = {};
  options.size =
      source.take<uint8_t>() % 8 ? sizeof options : source.take<uint16_t>() % sizeof options;
  options.threads = source.take<int8_t>() % 3;
  options.seed = source.take<uint64_t>();
  options.want_split = source.take<int8_t>();
  options.shares = source.take<int8_t>() % 4;
  options.denormals = source.take<int8_t>() % 4;
  options.skip_limit = source.take<uint8_t>();
  char error[256] = "";
  options.error = error;
  options.error_bytes = source.take<uint8_t>() % (sizeof error + 1);
  ampc_state *state = nullptr;
  ampc_status status = ampc_rt_create(&fake::model, &options, &state);
  if ((status == AMPC_OK) != (state != nullptr))
    std::abort();
  return state;
}

/// A rejected call leaves everything unchanged, and sets an error message.
void call(ampc_state *state, Source &source) {
  auto program = int32_t(source.take<uint8_t>() % fake::Derive);
  Call arguments(source);
  struct alignas(8) Out {
    uint8_t bytes[256];
  } out = {};
  uint32_t size = source.take<uint8_t>();
  std::vector<float> rows(fake::kRows);
  fake::PredictOut predicted;
  predicted.y = rows.data();
  if (program == fake::Predict)
    std::memcpy(out.bytes, &predicted, sizeof predicted);
  else
    std::memcpy(out.bytes, &size, 4);
  std::string before = contents(state);
  ampc_status status = ampc_rt_run(state, program, arguments.get(), &out);
  bool ran = status >= 0 || status == AMPC_E_STALLED || status == AMPC_E_NONFINITE_LOSS ||
             status == AMPC_E_NONFINITE_GRADIENT;
  if (!ran && (!*ampc_rt_last_error(state) || before != contents(state)))
    std::abort();
}

/// Reads and writes of tensors by number and size.
void access(ampc_state *state, Source &source) {
  auto number = int32_t(source.take<int8_t>());
  size_t bytes = source.take<uint16_t>() % 4200;
  auto data = filled(source, bytes);
  bool writes = source.take<uint8_t>() & 1;
  if (writes)
    ampc_rt_set(state, number, data.get(), bytes);
  else
    ampc_rt_get(state, number, data.get(), bytes);
  ampc_rt_find_tensor(&fake::model, std::string(data.get(), data.get() + bytes % 16).c_str());
  ampc_rt_status_string(ampc_status(source.take<int32_t>()));
}
} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  setenv("AMPC_ISA", "plain", 1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Source source(data, size);
  ampc_state *state = create(source);
  while (state && !source.empty())
    source.take<uint8_t>() % 3 ? call(state, source) : access(state, source);
  ampc_rt_destroy(state);
  return 0;
}
