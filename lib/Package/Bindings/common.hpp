// Common part of the C++ interfaces of compiled models: every interface contains a copy, and an
// include guard keeps the first.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_COMMON_HPP
#define AMPC_COMMON_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

// With AMPC_EXCEPTIONS a failing call throws ampc::Error; without, the call returns a Status. Files
// of a program may differ: the two modes have inline namespaces of their own.
#ifdef AMPC_EXCEPTIONS
#include <stdexcept>
#define AMPC_MODE throwing
#define AMPC_HAS_EXCEPTIONS
#else
#define AMPC_MODE returning
#endif

namespace ampc {
inline namespace AMPC_MODE {
/// View of elements owned elsewhere. Example: std::vector<float>(80) -> a [8, 10] tensor.
template <typename T> class Span {
public:
  constexpr Span() = default;
  constexpr Span(T *data, std::size_t size) : data_(data), size_(size) {}
  template <typename Container, typename = std::enable_if_t<std::is_convertible_v<
                                    decltype(std::data(std::declval<Container &>())), T *>>>
  constexpr Span(Container &&container)
      : data_(std::data(container)), size_(std::size(container)) {}
  constexpr T *data() const { return data_; }
  constexpr std::size_t size() const { return size_; }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

/// Result of a call. Warnings have positive codes and are no failures.
class [[nodiscard]] Status {
public:
  constexpr Status(ampc_status code = AMPC_OK) : code_(code) {}
  constexpr ampc_status code() const { return code_; }
  constexpr bool ok() const { return code_ >= 0; }
  constexpr explicit operator bool() const { return ok(); }

private:
  ampc_status code_;
};

#ifdef AMPC_EXCEPTIONS
class Error : public std::runtime_error {
public:
  Error(ampc_status code, const std::string &message) : std::runtime_error(message), code_(code) {}
  ampc_status code() const { return code_; }

private:
  ampc_status code_;
};
#endif

/// Options of a state, all at their defaults.
struct Options : ampc_options {
  Options() : ampc_options{} { size = sizeof(ampc_options); }
};

namespace detail {
inline Status finish(ampc_status code, const char *message) {
#ifdef AMPC_EXCEPTIONS
  if (code < 0)
    throw Error(code, message);
#else
  (void)message;
#endif
  return code;
}

/// Tensor of a call, as passed by the caller.
struct Operand {
  const char *name;
  std::size_t size;     ///< elements given
  std::size_t expected; ///< per row of the batch if batched
  bool batched, output;
};

/// Sets `rows` to the rows that all operands hold; 0 for calls without a batch. Outputs may be
/// larger. Example: 30 elements of [8, 10] -> 3 rows.
inline ampc_status fit(const char *call, std::size_t batch, std::initializer_list<Operand> operands,
                       std::uint32_t &rows, std::string &message) {
  rows = 0;
  const char *first = nullptr;
  auto refuse = [&](const Operand &operand, std::string expected) {
    message = std::string(call) + ": expected " + expected + " of `" + operand.name +
              "`, but got " + std::to_string(operand.size);
    return AMPC_E_SHAPE;
  };
  for (const Operand &operand : operands) {
    if (operand.batched && !first && !operand.output) {
      first = operand.name;
      if (!operand.size || operand.size % operand.expected ||
          operand.size / operand.expected > batch)
        return refuse(operand, std::to_string(operand.expected) + " elements for each of 1 to " +
                                   std::to_string(batch) + " rows");
      rows = static_cast<std::uint32_t>(operand.size / operand.expected);
    }
    bool byRows = operand.batched && first;
    std::size_t expected = operand.expected * (byRows ? rows : operand.batched ? batch : 1);
    if (operand.output ? operand.size < expected : operand.size != expected)
      return refuse(operand, std::to_string(expected) + " elements" +
                                 (byRows ? ", as `" + std::string(first) + "` has " +
                                               std::to_string(rows) + " rows,"
                                         : ""));
  }
  return AMPC_OK;
}

/// Rejects 0, which stands for 1 in C, where fields have no default values.
inline ampc_status checkRate(const char *call, float factor, std::string &message) {
  if (factor > 0 && factor <= std::numeric_limits<float>::max())
    return AMPC_OK;
  message = std::string(call) + ": expected lr_factor to be positive and finite, but got " +
            std::to_string(factor);
  return AMPC_E_ARG;
}

template <typename T> constexpr bool holds(std::int32_t dtype) {
  switch (dtype) {
  case AMPC_F32:
    return std::is_same_v<T, float>;
  case AMPC_F64:
    return std::is_same_v<T, double>;
  case AMPC_F16:
  case AMPC_BF16:
    return std::is_same_v<T, std::uint16_t>;
  case AMPC_I1:
  case AMPC_U8:
    return std::is_same_v<T, std::uint8_t>;
  case AMPC_I8:
    return std::is_same_v<T, std::int8_t>;
  case AMPC_I16:
    return std::is_same_v<T, std::int16_t>;
  case AMPC_I32:
    return std::is_same_v<T, std::int32_t>;
  case AMPC_I64:
    return std::is_same_v<T, std::int64_t>;
  }
  return false;
}

/// Memory of a call that runs concurrently with other calls.
class Room {
public:
  explicit Room(std::size_t bytes)
      : memory_(::operator new(bytes + 1, std::align_val_t(64), std::nothrow)) {
    clear();
  }
  ~Room() { ::operator delete(memory_, std::align_val_t(64)); }
  Room(Room &&other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  Room &operator=(Room &&other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  void *get() const { return memory_; }
  void clear() {
    if (memory_)
      *static_cast<char *>(memory_) = 0;
  }

private:
  void *memory_;
};
} // namespace detail
} // namespace AMPC_MODE
} // namespace ampc

#elif defined(AMPC_EXCEPTIONS) != defined(AMPC_HAS_EXCEPTIONS)
#error "expected AMPC_EXCEPTIONS to be defined, or not, before the first header of a model"
#endif
