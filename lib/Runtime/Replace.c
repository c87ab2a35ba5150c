// Replaces a file as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The new file has no name until it is whole, so that the system removes it if the process ends.
// Linux gives a name only to a file that has none, and replaces a file only by a named one: between
// these two calls, and all the time on file systems without unnamed files, the new file has a
// hidden name of its own. That name belongs to the process that holds a lock on the file. What a
// killed process left under it is unlocked, and the next replacement of the same path removes it.
#include "lib/Runtime/Replace.h"
#include "lib/Runtime/Internal.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h> /* rename */
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef struct {
  const char *path;
  char folder[PATH_MAX]; /* of the path, with a slash */
  char hidden[PATH_MAX]; /* in the folder: .NAME.ampc-new */
  int durable;
} target;

static int openTarget(target *to, const char *path, int durable) {
  size_t length = strlen(path);
  while (length && path[length - 1] != '/')
    --length;
  ampc_rt_text folder = {to->folder, sizeof to->folder, 0};
  ampc_rt_text hidden = {to->hidden, sizeof to->hidden, 0};
  for (size_t i = 0; i < length; ++i)
    ampc_rt_put_char(&folder, path[i]);
  if (!length)
    ampc_rt_put(&folder, "./");
  ampc_rt_print(&hidden, "%s.%s.ampc-new", to->folder, path + length);
  to->path = path;
  to->durable = durable;
  return folder.length < sizeof to->folder && hidden.length < sizeof to->hidden ? 0 : ENAMETOOLONG;
}

static int lockFile(int file, int how) {
  while (flock(file, how))
    if (errno != EINTR)
      return errno;
  return 0;
}

/* By the call itself: older C libraries have no function of these names. */
static bool isAt(const char *path, int file) {
  struct stat named, opened;
  return syscall(SYS_lstat, path, &named) == 0 && syscall(SYS_fstat, file, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* Opens what is at the hidden name and locks it: only who holds this lock may rename or remove it.
   `waits`: for another process that is about to do so. *file is negative if there is nothing. */
static int openHidden(const target *to, int flags, bool waits, int *file) {
  for (int tries = 0; tries < 1000; ++tries) {
    *file = open(to->hidden, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (*file < 0)
      return errno == ENOENT ? 0 : errno;
    int failure = lockFile(*file, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
    if (!failure && isAt(to->hidden, *file))
      return 0;
    close(*file);
    *file = -1;
    if (failure)
      return failure;
  }
  return EAGAIN; /* a thousand others came first, or files change their numbers here */
}

static int removeStale(const target *to, bool waits) {
  int file, failure = openHidden(to, O_RDONLY, waits, &file);
  if (failure || file < 0)
    return failure;
  failure = unlink(to->hidden) ? errno : 0;
  close(file);
  return failure;
}

/* Moves the locked file at the hidden name to the path. */
static int moveHidden(const target *to) {
  if (rename(to->hidden, to->path) == 0)
    return 0;
  int failure = errno;
  unlink(to->hidden);
  return failure;
}

static int writeContent(const target *to, int file, ampc_rt_writer write, void *argument) {
  int failure = write(argument, file);
  return failure || !to->durable || fsync(file) == 0 ? failure : errno;
}

/* Gives an unnamed file the hidden name. */
static int linkUnnamed(const target *to, int file) {
  char link[64];
  ampc_rt_text text = {link, sizeof link, 0};
  ampc_rt_print(&text, "/proc/self/fd/%d", (int64_t)file);
  int failure = lockFile(file, LOCK_EX);
  while (!failure && linkat(AT_FDCWD, link, AT_FDCWD, to->hidden, AT_SYMLINK_FOLLOW))
    failure = errno == EEXIST ? removeStale(to, true) : errno;
  return failure;
}

/* Not *possible: the file system or the system cannot do this. */
static int replaceByUnnamed(const target *to, ampc_rt_writer write, void *argument,
                            bool *possible) {
  *possible = false;
  int file = open(to->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0)
    return errno;
  /* First, since the disk may be full of it; what another process holds goes without this. */
  removeStale(to, false);
  int failure = writeContent(to, file, write, argument);
  *possible = failure != 0;
  if (!failure && !(failure = linkUnnamed(to, file))) {
    *possible = true;
    failure = moveHidden(to);
  }
  close(file);
  return failure;
}

static int replaceByNamed(const target *to, ampc_rt_writer write, void *argument) {
  int file, failure = openHidden(to, O_RDWR | O_CREAT, true, &file);
  if (failure || file < 0)
    return failure ? failure : ENOENT;
  failure = ftruncate(file, 0) ? errno : writeContent(to, file, write, argument);
  if (failure)
    unlink(to->hidden);
  else
    failure = moveHidden(to);
  close(file);
  return failure;
}

/* Makes the new name durable. Some file systems cannot, and need not, sync a folder. */
static int syncFolder(const target *to) {
  int file = open(to->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return errno;
  int failure = fsync(file) == 0 || errno == EINVAL ? 0 : errno;
  close(file);
  return failure;
}

int ampc_rt_replace_file(const char *path, ampc_rt_writer write, void *argument, int durable) {
  target to;
  int failure = openTarget(&to, path, durable);
  if (failure)
    return failure;
  bool possible;
  failure = replaceByUnnamed(&to, write, argument, &possible);
  if (!possible)
    failure = replaceByNamed(&to, write, argument);
  return failure || !durable ? failure : syncFolder(&to);
}
