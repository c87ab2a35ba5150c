// Text of models, files and users in generated sources and pages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Escape.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Calls `visit` with every code point of UTF-8 text, and with every byte outside a code point,
/// then with `valid` false. Example: "\xC3\xA9\xFF" -> (U+00E9, true), (0xFF, false).
static void forCodePoints(StringRef text, function_ref<void(uint32_t, bool valid)> visit) {
  auto *at = reinterpret_cast<const UTF8 *>(text.begin());
  auto *end = reinterpret_cast<const UTF8 *>(text.end());
  while (at != end) {
    UTF32 code;
    if (convertUTF8Sequence(&at, end, &code, strictConversion) == conversionOK)
      visit(code, true);
    else
      visit(*at++, false);
  }
}

static bool isPrintable(uint32_t code) { return code >= 0x20 && code < 0x7F; }

std::string ampc::inComment(StringRef text) {
  std::string out;
  raw_string_ostream os(out);
  forCodePoints(text, [&](uint32_t code, bool valid) {
    if (!valid || !isPrintable(code) || code == '\\') {
      os << format(valid ? "<U+%04X>" : "<0x%02X>", code);
      return;
    }
    char last = out.empty() ? ' ' : out.back();
    if ((last == '*' && code == '/') || (last == '/' && code == '*') ||
        (last == '?' && code == '?'))
      os << ' ';
    os << char(code);
  });
  return out;
}

std::string ampc::inPythonString(StringRef text) {
  std::string out;
  raw_string_ostream os(out);
  forCodePoints(text, [&](uint32_t code, bool valid) {
    if (!valid)
      os << format("\\udc%02x", code);
    else if (isPrintable(code) && code != '\\' && code != '"')
      os << char(code);
    else if (code > 0xFFFF)
      os << format("\\U%08x", code);
    else
      os << format("\\u%04x", code);
  });
  return out;
}

std::string ampc::inMarkup(StringRef text) {
  std::string clean, out;
  forCodePoints(text, [&](uint32_t code, bool valid) {
    bool isControl = code < 0x20 && code != '\t' && code != '\n';
    // U+FFFE and U+FFFF are not characters.
    if (!valid || isControl || (code & 0xFFFE) == 0xFFFE)
      code = UNI_REPLACEMENT_CHAR;
    char bytes[UNI_MAX_UTF8_BYTES_PER_CODE_POINT], *end = bytes;
    ConvertCodePointToUTF8(code, end);
    clean.append(bytes, end);
  });
  raw_string_ostream os(out);
  printHTMLEscaped(clean, os);
  return out;
}

std::string ampc::inCsv(StringRef text) {
  std::string out = "\"";
  for (char c : text)
    out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}
