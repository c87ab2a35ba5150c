// Escaping of text from models, files and users in generated sources and pages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_ESCAPE_H
#define AMPC_SUPPORT_ESCAPE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace ampc {
/// Escaping functions, one per kind of output, each with an allow list of characters. Names in an
/// ONNX file are arbitrary bytes: a character that is not on the list would be code of that file in
/// the program that includes the output.

/// Text in a comment of C, C++ or Fortran: printable ASCII without backslash, on one line. Other
/// code points are spelled <U+000A>, bytes outside UTF-8 <0x9C>. A blank separates the two
/// characters of comment delimiters and of trigraphs, so that lines cannot be spliced.
std::string inComment(llvm::StringRef text);

/// Text between double quotes, single or triple, of a Python string that evaluates to `text`; bytes
/// outside UTF-8 become lone surrogates, as with Python's `surrogateescape`.
std::string inPythonString(llvm::StringRef text);

/// Text or an attribute's value in HTML and SVG. Control characters, which XML does not allow, and
/// bytes outside UTF-8 become U+FFFD.
std::string inMarkup(llvm::StringRef text);

/// A field of CSV in double quotes, per RFC 4180. Example: `a"b` is written `"a""b"`.
std::string inCsv(llvm::StringRef text);
} // namespace ampc
#endif
