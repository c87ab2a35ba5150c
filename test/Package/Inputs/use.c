/* A C99 program that trains two states of a model, and a second model.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "curve.h" /* two headers in a file: the common part is included once */
#include "line.h"
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition,                       \
              state ? line_last_error(state) : "");                                                \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

int main(int argc, char **argv) {
  const float x[8] = {1, -0.5f, 2, 0.25f, 1, 1.5f, -1, 0.5f};
  int32_t label[8] = {0, 1, 2, 3, 4, 5, 6, 9};
  float before[8], y[8], first = 0;
  line_state *state = NULL, *resumed = NULL;
  curve_state *other = NULL;
  ampc_options options;
  line_train_step_in in;
  line_predict_in question;
  line_predict_out answer;
  ampc_train_out out;
  int i;

  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.threads = 2;
  options.seed = 7;
  CHECK(line_abi_version() == AMPC_ABI_VERSION);
  CHECK(line_create(&options, &state) == AMPC_OK);
  CHECK(curve_create(NULL, &other) == AMPC_OK);
  CHECK(line_tensor_count() == 5 && line_find_tensor("fit.m.w") == 1 &&
        line_find_tensor("v") == -1);
  CHECK(line_tensor(0)->rank == 1 && line_tensor(0)->dims[0] == 8 &&
        line_tensor_role(1) == AMPC_ROLE_MOMENT);
  CHECK(line_tensor_data(state, 4) == NULL); /* no room for gradients was asked for */
  memcpy(before, line_tensor_data(state, 0), sizeof before);
  for (i = 0; i < 8; ++i)
    CHECK(before[i] >= -1 && before[i] < 1);

  memset(&in, 0, sizeof in);
  in.size = sizeof in;
  in.x = x;
  in.size_ = label;
  out.size = sizeof out;
  label[3] = 10;
  CHECK(line_train_step(state, &in, &out) == AMPC_E_ARG);
  CHECK(!strcmp(line_last_error(state),
                "train_step: input 'size': expected a value in [0, 10), but got 10 in row 3"));
  CHECK(!memcmp(before, line_tensor_data(state, 0), sizeof before));
  label[3] = 3;
  for (i = 1; i <= 50; ++i) {
    CHECK(line_train_step(state, &in, &out) == AMPC_OK);
    CHECK(out.step == (uint64_t)i);
    if (i == 1) {
      float expected = 0;
      int k;
      for (k = 0; k < 8; ++k)
        expected += (before[k] * x[k] - (float)label[k]) * (before[k] * x[k] - (float)label[k]);
      CHECK(out.loss > expected * 0.99999f && out.loss < expected * 1.00001f);
      first = out.loss;
    }
    if (i == 20)
      CHECK(line_save(state, argv[1]) == AMPC_OK);
  }
  CHECK(out.loss < 0.5f * first);

  options.threads = 1;
  options.seed = 8;
  CHECK(line_create(&options, &resumed) == AMPC_OK);
  CHECK(line_load(resumed, argv[1], AMPC_LOAD_ALL) == AMPC_OK);
  for (i = 21; i <= 50; ++i)
    CHECK(line_train_step(resumed, &in, &out) == AMPC_OK);
  CHECK(!memcmp(line_tensor_data(state, 0), line_tensor_data(resumed, 0), 32));

  memset(&question, 0, sizeof question);
  question.size = sizeof question;
  question.x = x;
  answer.size = sizeof answer;
  answer.y = y;
  CHECK(line_predict(state, &question, &answer) == AMPC_OK);
  for (i = 0; i < 8; ++i)
    CHECK(y[i] == ((float *)line_tensor_data(state, 0))[i] * x[i] + 0.5f);
  CHECK(curve_load(other, argv[1], AMPC_LOAD_ALL) ==
        AMPC_E_CKPT_MISMATCH); /* another name, another hash */
  printf("%s %08x\n", line_tier(state), (unsigned)((uint32_t *)line_tensor_data(state, 0))[0]);
  line_destroy(state);
  line_destroy(resumed);
  curve_destroy(other);
  return argc != 2;
}
