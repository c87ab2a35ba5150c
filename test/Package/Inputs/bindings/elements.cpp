// Values of every type through the C++ interface of elements.mlir, called std.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "std.hpp"
#include <cstdio>
#include <vector>

template <typename T> static std::vector<T> count(std::size_t size, T from, T step) {
  std::vector<T> values(size);
  for (T &value : values) {
    value = from;
    from = static_cast<T>(from + step);
  }
  return values;
}

static bool echoes(ampc::std_::Model &model, std::size_t rows) {
  auto flag = count<std::uint8_t>(3 * rows, 0, 1);
  for (std::uint8_t &value : flag)
    value %= 2;
  auto tiny = count<std::int8_t>(2 * rows, -3, 1);
  auto small = count<std::int16_t>(rows, -32768, 9999);
  auto word = count<std::int32_t>(rows, INT32_MIN, 1 << 29);
  auto wide = count<std::int64_t>(2 * rows, std::int64_t(1) << 62, 1);
  auto half = count<std::uint16_t>(3 * rows, 0x3c00, 1);
  auto exact = count<double>(2 * rows, 1e300, 1e299), number = count<double>(1, 1. / 3, 0);
  auto deep = count<float>(16 * rows, 0, 1);
  auto byte = count<std::uint8_t>(2 * rows, 250, 1);
  std::vector<std::int16_t> bytes(byte.size()), same(byte.begin(), byte.end());
  decltype(flag) flags(flag.size());
  decltype(tiny) tinies(tiny.size());
  decltype(small) smalls(small.size());
  decltype(word) words(word.size());
  decltype(wide) wides(wide.size());
  decltype(half) halves(half.size());
  decltype(exact) exacts(exact.size()), numbers(1);
  decltype(deep) deeps(deep.size());
  ampc::Status status =
      model.echo({flag, tiny, small, word, wide, half, exact, number, deep, byte},
                 {flags, tinies, smalls, words, wides, halves, exacts, numbers, deeps, bytes});
  return status.ok() && flag == flags && tiny == tinies && small == smalls && word == words &&
         wide == wides && half == halves && exact == exacts && number == numbers && deep == deeps &&
         same == bytes;
}

int main() {
  ampc::std_::Model model;
  float scale[] = {2.5f}, read[1];
  std::int64_t step[] = {std::int64_t(1) << 40}, steps[1];
  bool kept = model.set("scale", scale).ok() && model.set("count", step).ok() &&
              model.get("count", steps).ok() &&
              model.an_export_whose_name_has_fifty_letters_and_no_input({}, {read}).ok();
  std::printf("%d %d %d\n", echoes(model, 4), echoes(model, 3),
              kept && steps[0] == step[0] && read[0] == 2.5f);
}
