// Display of text from models, files and users in messages, for C (the runtime) and C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_SHOWN_H
#define AMPC_SUPPORT_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <string>
#include <string_view>
#endif

/* Bytes of the longest spelling, "\u{202E}", without terminator. */
enum { AMPC_SHOWN_MOST = 8 };

/* Bytes of the UTF-8 sequence that begins with `lead`; 0 if none does. */
static inline size_t ampc_utf8_length(unsigned char lead) {
  return lead < 0x80   ? 1
         : lead < 0xC2 ? 0
         : lead < 0xE0 ? 2
         : lead < 0xF0 ? 3
         : lead < 0xF5 ? 4
                       : 0;
}

/* Decodes the code point at the beginning of `text` and returns its length in bytes; 0: not UTF-8.
   Overlong sequences, surrogates and code points beyond U+10FFFF are refused, because terminals
   treat them differently. */
static inline size_t ampc_utf8_decode(const char *text, size_t length, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t bytes = length ? ampc_utf8_length((unsigned char)text[0]) : 0;
  if (bytes == 0 || bytes > length)
    return 0;
  *code = bytes == 1 ? (unsigned char)text[0] : (unsigned char)text[0] & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if (((unsigned char)text[i] & 0xC0) != 0x80)
      return 0;
    *code = *code << 6 | ((unsigned char)text[i] & 0x3Fu);
  }
  bool isSurrogate = *code >= 0xD800 && *code < 0xE000;
  return *code < least[bytes] || *code > 0x10FFFF || isSurrogate ? 0 : bytes;
}

/* Whether a terminal or editor interprets the code point instead of drawing a glyph: control
   characters (C0, DEL, C1), line and paragraph separators, bidirectional controls. */
static inline bool ampc_is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x61C ||
         (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

/* Spells the code point at the beginning of `text` as a message shows it, and returns the number of
   bytes read: printable text stays, ESC is \x1B, U+202E is \u{202E}, the byte 0xFF, which is not
   UTF-8, is \xFF. `written`: bytes in `out`. */
static inline size_t ampc_show(const char *text, size_t length, char out[AMPC_SHOWN_MOST],
                               size_t *written) {
  const char *digits = "0123456789ABCDEF";
  uint32_t code = 0;
  size_t bytes = ampc_utf8_decode(text, length, &code);
  *written = 0;
  if (bytes && !ampc_is_control(code)) {
    for (; *written < bytes; ++*written)
      out[*written] = text[*written];
    return bytes;
  }
  bool isByte = bytes <= 1;
  if (!bytes)
    code = (unsigned char)text[0];
  out[(*written)++] = '\\';
  out[(*written)++] = isByte ? 'x' : 'u';
  if (!isByte)
    out[(*written)++] = '{';
  /* Control characters up to U+00FF have two digits, others four. */
  for (int shift = code < 0x100 ? 4 : 12; shift >= 0; shift -= 4)
    out[(*written)++] = digits[code >> shift & 15];
  if (!isByte)
    out[(*written)++] = '}';
  return bytes ? bytes : 1;
}

#ifdef __cplusplus
namespace ampc {
/// Text of a message, safe for a terminal. Newlines and tabs pass, because messages contain them.
inline std::string inMessage(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    char spelled[AMPC_SHOWN_MOST];
    size_t written, read = ampc_show(text.data(), text.size(), spelled, &written);
    if (text[0] == '\n' || text[0] == '\t')
      shown += text[0];
    else
      shown.append(spelled, written);
    text.remove_prefix(read);
  }
  return shown;
}
} // namespace ampc
#endif
#endif
