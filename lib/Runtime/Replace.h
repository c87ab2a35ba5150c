// Replaces a file as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_REPLACE_H
#define AMPC_LIB_RUNTIME_REPLACE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a file's content; 0, or the error number. */
typedef int (*ampc_rt_writer)(void *argument, int file);

/* Gives the path what `write` writes. Whatever ends the process, and whenever: the path has the old
   content or the new one, whole. A symbolic link stays, and what it names is replaced; owner, group
   and mode of an old file are kept where the system allows it, its access lists and hard links are
   not. EISDIR for a folder, ENXIO for a device, FIFO or socket, EAGAIN where other processes
   have locked every hidden name beside the path for a second. `durable`: both have reached the
   disk when this returns. 0, or the error number; the path is then as it was. */
int ampc_rt_replace_file(const char *path, ampc_rt_writer write, void *argument, int durable);

#ifdef __cplusplus
}
#endif
#endif
