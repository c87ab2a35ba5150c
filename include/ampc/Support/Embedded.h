// Access to files that the build embeds as bytes, see ampc_embed_file in cmake/EmbedFile.cmake.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_EMBEDDED_H
#define AMPC_SUPPORT_EMBEDDED_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>

/// Declares the content of the file embedded as NAME, in namespace ampc. Example: the page of
/// `ampc report`, AMPC_EMBEDDED(reportHtml) -> reportHtmlText().
#define AMPC_EMBEDDED(NAME)                                                                        \
  namespace ampc {                                                                                 \
  extern const unsigned char NAME[];                                                               \
  extern const std::size_t NAME##Size;                                                             \
  inline llvm::StringRef NAME##Text() {                                                            \
    return {reinterpret_cast<const char *>(NAME), NAME##Size};                                     \
  }                                                                                                \
  }

#endif
