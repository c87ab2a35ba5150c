/* Preloaded into a program: ends the program at the N-th system call of a save, and hides features
   that some file systems and systems lack.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   CRASH_FOLDER   the folder of the file; calls count from the first that names the folder
   CRASH_AT       the number of the call, from 1; without it, nothing ends
   CRASH_WHEN     before, middle (half of the bytes of a write are written) or after
   CRASH_WITHOUT  unnamed (no O_TMPFILE) or links (no /proc, needed to name an unnamed file)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int counts;
static long number;

static int is(const char *variable, const char *value) {
  const char *set = getenv(variable);
  return set && !strcmp(set, value);
}

/* Whether the program ends at this call, before, in the middle or after. */
static int isLast(const char *when) {
  const char *at = getenv("CRASH_AT");
  return counts && at && atol(at) == number && is("CRASH_WHEN", when);
}

static void end(const char *call, const char *when) {
  dprintf(STDERR_FILENO, "ended %s %s\n", when, call);
  kill(getpid(), SIGKILL);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CALL(name, ...)                                                                            \
  ({                                                                                               \
    number += counts;                                                                              \
    if (isLast("before") || isLast("middle")) /* no middle here */                                 \
      end(#name, "before");                                                                        \
    __auto_type result = REAL(name)(__VA_ARGS__);                                                  \
    int error = errno;                                                                             \
    if (isLast("after"))                                                                           \
      end(#name, "after");                                                                         \
    errno = error;                                                                                 \
    result;                                                                                        \
  })

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  int mode = va_arg(more, int);
  va_end(more);
  const char *folder = getenv("CRASH_FOLDER");
  counts |= folder && !strncmp(path, folder, strlen(folder));
  if (is("CRASH_WITHOUT", "unnamed") && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return CALL(open, path, flags, mode);
}

ssize_t write(int file, const void *data, size_t bytes) {
  number += counts;
  if (isLast("before"))
    end("write", "before");
  ssize_t written = REAL(write)(file, data, isLast("middle") ? bytes / 2 : bytes);
  if (isLast("middle"))
    end("write", "in the middle of");
  if (isLast("after"))
    end("write", "after");
  return written;
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  if (is("CRASH_WITHOUT", "links") && !strncmp(old, "/proc/", 6)) {
    errno = ENOENT;
    return -1;
  }
  return CALL(linkat, from, old, to, new, flags);
}

int fsync(int file) { return CALL(fsync, file); }
int close(int file) { return CALL(close, file); }
int flock(int file, int how) { return CALL(flock, file, how); }
int ftruncate(int file, off_t length) { return CALL(ftruncate, file, length); }
int unlink(const char *path) { return CALL(unlink, path); }
int rename(const char *old, const char *new) { return CALL(rename, old, new); }
long syscall(long which, ...) {
  va_list more;
  va_start(more, which);
  long a = va_arg(more, long), b = va_arg(more, long), c = va_arg(more, long),
       d = va_arg(more, long), e = va_arg(more, long), f = va_arg(more, long);
  va_end(more);
  return CALL(syscall, which, a, b, c, d, e, f);
}
