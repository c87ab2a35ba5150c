// Checks of inputs for infinite and NaN elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Runtime/Model.h"
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

extern "C" ampc_status ampc_rt_check_finite(const ampc_program *program, const ampc_tensor *input,
                                            const void *data, int64_t valid, char *error);

// Infinity, NaN and the largest number as bits of every type of reals.
TEST(Finite, KnowsEveryType) {
  struct Row {
    int32_t dtype;
    int bytes;
    uint64_t infinity, nan, largest;
  };
  const Row rows[] = {{AMPC_F16, 2, 0xfc00, 0x7e00, 0xfbff},
                      {AMPC_BF16, 2, 0xff80, 0x7fc1, 0xff7f},
                      {AMPC_F32, 4, 0x7f800000, 0xff800001, 0x7f7fffff},
                      {AMPC_F64, 8, 0xfff0000000000000, 0x7ff8000000000000, 0xffefffffffffffff}};
  const int64_t dims[] = {2, 5000}, at = 7500;
  ampc_program program = {};
  program.name = "p";
  for (const Row &row : rows) {
    ampc_tensor input = {};
    input.name = "x";
    input.dtype = row.dtype;
    input.rank = 2;
    input.dims = dims;
    std::vector<char> data(10000 * row.bytes);
    for (uint64_t bits : {row.infinity, row.nan, row.largest}) {
      std::memcpy(data.data() + at * row.bytes, &bits, row.bytes);
      char error[512] = "";
      ampc_status status = ampc_rt_check_finite(&program, &input, data.data(), 2, error);
      EXPECT_EQ(status, bits == row.largest ? AMPC_OK : AMPC_E_ARG) << row.dtype << " " << bits;
      EXPECT_STREQ(error, bits == row.largest ? ""
                                              : "p: input 'x': expected finite numbers, but row 1 "
                                                "has infinity or NaN as element 2500");
    }
  }
}
