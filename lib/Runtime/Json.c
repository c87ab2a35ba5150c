// The part of JSON that headers of checkpoints use: objects, arrays, strings, whole numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Json.h"

static void fail(ampc_rt_json *json, const char *what) {
  if (!json->failure)
    json->failure = what;
  json->cursor = json->end; /* nothing more is read */
}

static void skipBlanks(ampc_rt_json *json) {
  while (json->cursor < json->end && (*json->cursor == ' ' || *json->cursor == '\n' ||
                                      *json->cursor == '\t' || *json->cursor == '\r'))
    ++json->cursor;
}

bool ampc_rt_json_accept(ampc_rt_json *json, char c) {
  skipBlanks(json);
  if (json->cursor >= json->end || *json->cursor != c)
    return false;
  ++json->cursor;
  return true;
}

bool ampc_rt_json_at_end(ampc_rt_json *json) {
  skipBlanks(json);
  return json->cursor == json->end;
}

void ampc_rt_json_expect(ampc_rt_json *json, char c, const char *what) {
  if (!ampc_rt_json_accept(json, c))
    fail(json, what);
}

/* Four hexadecimal digits, or -1. */
static int32_t readHex(ampc_rt_json *json) {
  int32_t value = 0;
  if (json->end - json->cursor < 4)
    return -1;
  for (int i = 0; i < 4; ++i) {
    char c = *json->cursor++;
    int32_t digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
    if (digit < 0)
      return -1;
    value = value << 4 | digit;
  }
  return value;
}

/* After "\u". A code beyond 0xffff comes as a pair of surrogates; 0 would end the name early. */
static int32_t readCode(ampc_rt_json *json) {
  int32_t code = readHex(json);
  if (code < 0xd800 || code > 0xdfff)
    return code;
  if (code > 0xdbff || json->end - json->cursor < 6 || json->cursor[0] != '\\' ||
      json->cursor[1] != 'u')
    return -1;
  json->cursor += 2;
  int32_t low = readHex(json);
  return low < 0xdc00 || low > 0xdfff ? -1 : 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

static char *putUtf8(char *out, uint32_t code) {
  if (code < 0x80) {
    *out++ = (char)code;
    return out;
  }
  int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  *out++ = (char)(lead[more] | code >> (6 * more));
  while (more--)
    *out++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
  return out;
}

/* The character after a backslash; -1 if there is no such escape. */
static int32_t readEscape(ampc_rt_json *json) {
  switch (*json->cursor++) {
  case '"':
    return '"';
  case '\\':
    return '\\';
  case '/':
    return '/';
  case 'b':
    return '\b';
  case 'f':
    return '\f';
  case 'n':
    return '\n';
  case 'r':
    return '\r';
  case 't':
    return '\t';
  case 'u':
    return readCode(json);
  default:
    return -1;
  }
}

const char *ampc_rt_json_string(ampc_rt_json *json) {
  if (!ampc_rt_json_accept(json, '"')) {
    fail(json, "a string");
    return "";
  }
  char *start = json->cursor, *out = start; /* never overtakes the cursor */
  while (json->cursor < json->end && *json->cursor != '"') {
    if ((unsigned char)*json->cursor < 0x20)
      break;
    if (*json->cursor != '\\') {
      *out++ = *json->cursor++;
      continue;
    }
    ++json->cursor;
    int32_t code = json->cursor < json->end ? readEscape(json) : -1;
    if (code <= 0) { /* 0 would end the name early; a quote behind it does not end the string */
      fail(json, "an escape of JSON other than \\u0000");
      return "";
    }
    out = putUtf8(out, (uint32_t)code);
  }
  if (json->cursor >= json->end || *json->cursor != '"') {
    fail(json, "the end of a string");
    return "";
  }
  ++json->cursor;
  *out = 0;
  return start;
}

int64_t ampc_rt_json_number(ampc_rt_json *json) {
  skipBlanks(json);
  int64_t value = 0;
  int digits = 0;
  while (json->cursor < json->end && *json->cursor >= '0' && *json->cursor <= '9' && digits < 18) {
    value = value * 10 + (*json->cursor++ - '0');
    ++digits;
  }
  if (!digits || (json->cursor < json->end &&
                  ((*json->cursor >= '0' && *json->cursor <= '9') || *json->cursor == '.' ||
                   *json->cursor == 'e' || *json->cursor == 'E'))) {
    fail(json, "a whole number");
    return 0;
  }
  return value;
}
