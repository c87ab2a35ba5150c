/* MPI for programs that have to start where MPI is missing: lib/Comm/MPI.c and
   lib/Comm/MPIProcesses.c as a shared library, which `ampc train` opens where a launcher, such as
   mpiexec, has started several processes.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AMPC_COMM_PROCESSES_H
#define AMPC_COMM_PROCESSES_H

#include "ampc/Runtime/Common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions on MPI_COMM_WORLD, called from a single thread. */
typedef struct {
  uint32_t size; /* sizeof of this struct */
  int32_t reserved;
  ampc_status (*begin)(void);               /* MPI_Init_thread */
  ampc_status (*create)(ampc_comm *engine); /* ampc_mpi_create; a call of all ranks */
  void (*destroy)(ampc_comm *engine);       /* ampc_mpi_destroy; a call of all ranks */
  void (*end)(void);                        /* MPI_Finalize; a call of all ranks */
  void (*abort)(int status);                /* ends all processes of the launcher */
  const char *(*library)(void);             /* name and version, e.g. "Open MPI v4.1.4" */
} ampc_processes;

/* Signature of the function ampc_mpi_processes of the shared library. */
typedef const ampc_processes *(*ampc_processes_function)(void);
const ampc_processes *ampc_mpi_processes(void);

#ifdef __cplusplus
}
#endif
#endif
