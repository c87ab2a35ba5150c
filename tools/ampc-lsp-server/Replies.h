// Replies to the editor: the output of MLIR's language server, extended by ampc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_LSP_SERVER_REPLIES_H
#define TOOLS_AMPC_LSP_SERVER_REPLIES_H

#include <thread>

namespace ampc {
/// Redirects standard output through a pipe during the object's lifetime: puts ampc's name and
/// version into the server's reply, and reference pages into hovers over ops. MLIR's server has no
/// hook for either.
class Replies {
public:
  Replies();
  ~Replies();

private:
  int output = -1; ///< the original standard output
  std::thread worker;
};
} // namespace ampc
#endif
