// What an editor reads: the replies of MLIR's language server, and what ampc adds to them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_LSP_SERVER_REPLIES_H
#define TOOLS_AMPC_LSP_SERVER_REPLIES_H

#include <thread>

namespace ampc {
/// As long as it lives, standard output passes through it: the server says its own name and
/// version, and a hover over an op has the reference on it. MLIR's server has no hook for either.
class Replies {
public:
  Replies();
  ~Replies();

private:
  int output = -1; ///< standard output as it was
  std::thread worker;
};
} // namespace ampc
#endif
