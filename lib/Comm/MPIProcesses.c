// libampc_mpi.so: start and end of MPI, for a program that opens MPI at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Comm/MPI.h"
#include "ampc/Comm/Processes.h"
#include <string.h>

static ampc_status begin(void) {
  int level;
  return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS ? AMPC_OK
                                                                                 : AMPC_E_PEER;
}

static ampc_status create(ampc_comm *engine) { return ampc_mpi_create(MPI_COMM_WORLD, engine); }

static void end(void) { MPI_Finalize(); }

static void endAll(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

/* Name and version: the text up to the first comma or line end. Example: "Open MPI v4.1.4". */
static const char *library(void) {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
    return "an MPI without a name";
  text[strcspn(text, ",\n")] = 0;
  return text;
}

__attribute__((visibility("default"))) const ampc_processes *ampc_mpi_processes(void) {
  static const ampc_processes processes = {.size = sizeof processes,
                                           .begin = begin,
                                           .create = create,
                                           .destroy = ampc_mpi_destroy,
                                           .end = end,
                                           .abort = endAll,
                                           .library = library};
  return &processes;
}
