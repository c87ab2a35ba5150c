// Replaces a file as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_REPLACE_H
#define AMPC_LIB_RUNTIME_REPLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

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

/* A replacement of a file by content that comes in pieces: begin, writes to `file`, then finish or
   drop. */
typedef struct {
  int file;              /* open for writing */
  char path[PATH_MAX];   /* of the file itself, where the caller's path is a symbolic link */
  char hidden[PATH_MAX]; /* the hidden name in use */
  size_t end;            /* of the first one, in `hidden` */
  size_t folder;         /* bytes of the folder and its slash, in `hidden` */
  int durable;
  bool is_named;   /* `file` is at the hidden name; else it has none */
  bool replaces;   /* there is an old file, */
  struct stat old; /* whose owner, group and mode the new one gets */
} ampc_rt_replacement;
/* 0, or the error number; nothing is open then. */
int ampc_rt_begin_replacement(ampc_rt_replacement *to, const char *path, int durable);
/* Gives the path the content. 0, or the error number. Closes `file`. */
int ampc_rt_finish_replacement(ampc_rt_replacement *to);
/* Leaves the path as it was. Closes `file`. */
void ampc_rt_drop_replacement(ampc_rt_replacement *to);
/* Writes all bytes: a signal or a disk takes a part of them at a time. 0, or the error number. */
int ampc_rt_write_all(int file, const void *data, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
