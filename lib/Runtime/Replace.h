// Atomic replacement of a file: readers see the old or the new content, never a mixture.
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

/* Replaces the file at `path` by the output of `write`. If the process ends at any point, the path
   has either the complete old or the complete new content. A symbolic link stays and its target is
   replaced; owner, group and mode of an old file are kept where the system allows, access lists and
   hard links are not. `durable`: content and name have reached the disk at return.
   Returns 0, or an error number with the path unchanged: EISDIR for a folder, ENXIO for a device,
   FIFO or socket, EAGAIN if other processes locked every hidden name beside the path for a
   second. */
int ampc_rt_replace_file(const char *path, ampc_rt_writer write, void *argument, int durable);

/* A replacement of a file by content that comes in pieces: begin, writes to `file`, then finish or
   drop. */
typedef struct {
  int file;              /* open for writing */
  char path[PATH_MAX];   /* of the file itself, where the caller's path is a symbolic link */
  char hidden[PATH_MAX]; /* the hidden name in use */
  size_t end;            /* length of the first hidden name's path, in `hidden` */
  size_t folder;         /* bytes of the folder and its slash, in `hidden` */
  int durable;
  bool is_named;   /* `file` has the hidden name; false: `file` has no name */
  bool replaces;   /* an old file exists */
  struct stat old; /* owner, group and mode of the old file, for the new file */
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
