// Reader of the JSON subset of checkpoint headers: objects, arrays, strings, integers. Shared by
// the runtime (C) and the tools (C++).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_JSON_H
#define AMPC_LIB_RUNTIME_JSON_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The header of a file, read with one cursor. Strings are decoded in place. */
typedef struct {
  char *cursor, *end;
  const char *failure; /* text of the expected token at the first error, or null */
} ampc_rt_json;
/* Skips blanks; true and consumes if `c` comes next. */
bool ampc_rt_json_accept(ampc_rt_json *json, char c);
void ampc_rt_json_expect(ampc_rt_json *json, char c, const char *what);
/* A string, ended by 0; "" after a failure. */
const char *ampc_rt_json_string(ampc_rt_json *json);
/* A non-negative integer; 0 after a failure. */
int64_t ampc_rt_json_number(ampc_rt_json *json);
/* Whether only blanks are left. */
bool ampc_rt_json_at_end(ampc_rt_json *json);

#ifdef __cplusplus
}
#endif
#endif
