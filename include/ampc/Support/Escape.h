// Text of models, files and users in generated sources and pages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_ESCAPE_H
#define AMPC_SUPPORT_ESCAPE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace ampc {
/// One function per kind of output, each with a list of characters that pass. A name in a file of
/// ONNX is a text of any bytes: whatever is not on the list would be code of that file in the
/// program that includes the output.

/// Text in a comment of C, C++ or Fortran: printable ASCII without backslash, on one line. Other
/// code points are spelled <U+000A>, bytes that are no UTF-8 <0x9C>. A blank parts the two
/// characters of comment delimiters and of trigraphs, so that lines cannot be spliced into one.
std::string inComment(llvm::StringRef text);

/// Text between double quotes, one or three, of a Python string, which Python reads as `text`:
/// bytes that are no UTF-8 as lone surrogates, like its `surrogateescape`.
std::string inPythonString(llvm::StringRef text);

/// Text or an attribute's value in HTML and SVG. Control characters, which XML does not allow, and
/// bytes that are no UTF-8 become U+FFFD.
std::string inMarkup(llvm::StringRef text);

/// A field of CSV in double quotes, as RFC 4180 has it.
std::string inCsv(llvm::StringRef text);
} // namespace ampc
#endif
