/* Engine for ranks that are processes of an MPI program. Link lib/Comm/MPI.c, compiled by mpicc;
   the CMake function ampc_add_mpi does so. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#ifndef AMPC_COMM_MPI_H
#define AMPC_COMM_MPI_H

#include "ampc/Runtime/Common.h"
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the engine of this process on a duplicate of the communicator: a call of all ranks of
   `comm`. The level MPI_THREAD_FUNNELED is enough: functions of the engine run on the thread that
   calls the model. Returns AMPC_E_PEER if MPI fails, AMPC_E_MEMORY without memory. A second state
   needs a second engine. */
ampc_status ampc_mpi_create(MPI_Comm comm, ampc_comm *engine);
/* Frees the engine after the state is destroyed and before MPI_Finalize: a call of all ranks. */
void ampc_mpi_destroy(ampc_comm *engine);

#ifdef __cplusplus
}
#endif
#endif
