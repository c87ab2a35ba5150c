// Replies to the editor: the output of MLIR's language server, extended by ampc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_LSP_SERVER_REPLIES_H
#define TOOLS_AMPC_LSP_SERVER_REPLIES_H

#include <pthread.h>

namespace ampc {
/// Redirects standard output through a pipe during the object's lifetime: puts ampc's name and
/// version into the server's reply, and reference pages into hovers over ops. MLIR's server has no
/// hook for either. If the system lends no pipe or no thread, a warning says so, and replies pass
/// unchanged.
class Replies {
public:
  Replies();
  ~Replies();

private:
  static void *work(void *replies);

  int input = -1;  ///< the pipe's end of the worker
  int output = -1; ///< the original standard output
  pthread_t worker;
};
} // namespace ampc
#endif
