// Processes that a launcher of MPI starts, and MPI itself, which ampc opens at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_LAUNCHER_H
#define TOOLS_AMPC_LAUNCHER_H

#include "ampc/Comm/Processes.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Place of this process among the processes of its launcher.
struct Launch {
  int rank = 0, ranks = 1;
  bool isFirstOfHost = true; ///< reports errors that all processes of a machine have
};
/// Reads the environment of mpiexec: `OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4` is rank 1 of
/// 4. A process without a launcher is rank 0 of 1.
llvm::Expected<Launch> findLaunch();

/// Opens lib/ampc/libampc_mpi.so beside the folder of the program. The error names the package to
/// install.
llvm::Expected<const ampc_processes *> openProcesses();
} // namespace ampc
#endif
