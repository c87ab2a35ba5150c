// Replaces a file as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The new file has no name until it is whole, so that the system removes it if the process ends.
// Linux gives a name only to a file that has none, and replaces a file only by a named one: between
// these two calls, and all the time on file systems without unnamed files, the new file has a
// hidden name of its own. That name belongs to the process that holds a lock on the file. A file
// left by a killed process is unlocked, and the next replacement of the same path removes that
// file. A name that somebody else has locked, a stopped writer or a process that may only read the
// folder, is passed over for the next one; where all are locked, the replacement fails after a
// second.
#include "lib/Runtime/Replace.h"
#include "lib/Runtime/Internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* rename */
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Hidden names per path, e.g. for d/a: d/.a.ampc-new, d/.a.ampc-new1, ..., d/.a.ampc-new7. */
enum { HIDDEN_NAMES = 8 };

typedef ampc_rt_replacement target;

/* Length of the folder and its slash in a path. */
static size_t folderOf(const char *path) {
  size_t length = strlen(path);
  while (length && path[length - 1] != '/')
    --length;
  return length;
}

/* System calls without the C library's wrappers, which older C libraries lack. */
static int statOf(const char *path, struct stat *info) {
  return syscall(SYS_stat, path, info) ? errno : 0;
}

/* Resolves a chain of symbolic links in to->path: the link stays and the link's target, perhaps on
   another disk, is replaced. Uses `hidden` as scratch. */
static int followLinks(target *to) {
  for (int links = 0; links < 40; ++links) { /* the system's own limit */
    ssize_t length = readlink(to->path, to->hidden, sizeof to->hidden);
    if (length < 0)
      return errno == EINVAL || errno == ENOENT ? 0 : errno; /* no link, or nothing */
    size_t folder = to->hidden[0] == '/' ? 0 : folderOf(to->path);
    if (folder + (size_t)length >= sizeof to->path)
      return ENAMETOOLONG;
    memcpy(to->path + folder, to->hidden, (size_t)length);
    to->path[folder + (size_t)length] = 0;
  }
  return ELOOP;
}

/* A device, a FIFO or a folder is no file that could be replaced; as root, a rename would. */
static int findOld(target *to) {
  int failure = statOf(to->path, &to->old);
  to->replaces = !failure;
  if (failure)
    return failure == ENOENT ? 0 : failure;
  return S_ISREG(to->old.st_mode) ? 0 : S_ISDIR(to->old.st_mode) ? EISDIR : ENXIO;
}

static int openTarget(target *to, const char *path, int durable) {
  size_t length = strlen(path);
  if (length >= sizeof to->path)
    return ENAMETOOLONG;
  memcpy(to->path, path, length + 1);
  to->durable = durable;
  /* Stat before the links: links below /proc name pipes and sockets by texts such as pipe:[7]. */
  int failure = findOld(to);
  if (failure || (failure = followLinks(to)))
    return failure;
  ampc_rt_text hidden = {to->hidden, sizeof to->hidden, 0};
  size_t folder = folderOf(to->path);
  for (size_t i = 0; i < folder; ++i)
    ampc_rt_put_char(&hidden, to->path[i]);
  if (!folder)
    ampc_rt_put(&hidden, "./");
  to->folder = hidden.length;
  ampc_rt_print(&hidden, ".%s.ampc-new", to->path + folder);
  to->end = hidden.length;
  return hidden.length + 1 < sizeof to->hidden ? 0 : ENAMETOOLONG;
}

static void chooseHidden(target *to, int number) {
  to->hidden[to->end] = number ? (char)('0' + number) : 0;
  to->hidden[to->end + (number != 0)] = 0;
}

/* Opens a file with a descriptor above 2: a host with closed standard streams would write messages
   into a file with such a number. The root folder occupies free numbers meanwhile. */
static int openAboveStreams(const char *path, int flags, mode_t mode) {
  int held[STDERR_FILENO + 2], count = 0;
  do
    held[count] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (held[count] >= 0 && held[count++] <= STDERR_FILENO);
  int file = open(path, flags, mode), failure = errno;
  while (count)
    close(held[--count]);
  errno = failure;
  return file;
}

static int openFolder(target *to, int flags, mode_t mode) {
  char first = to->hidden[to->folder];
  to->hidden[to->folder] = 0;
  int file = openAboveStreams(to->hidden, flags, mode);
  to->hidden[to->folder] = first;
  return file;
}

/* Copies owner, group and mode of the old file, as far as the system permits, before the content is
   written. If the group cannot be kept, the new group gets the rights of "other", so that no new
   user can read a private file. */
static int keepRights(const target *to, int file) {
  struct stat now;
  if (!to->replaces)
    return 0;
  if (syscall(SYS_fstat, file, &now))
    return errno;
  mode_t mode = to->old.st_mode & 0777;
  if (to->old.st_uid != now.st_uid || to->old.st_gid != now.st_gid)
    if (fchown(file, to->old.st_uid, to->old.st_gid) && to->old.st_gid != now.st_gid &&
        fchown(file, (uid_t)-1, to->old.st_gid))
      mode = (mode & 0707) | (mode & 0007) << 3;
  return mode == (now.st_mode & 0777) || fchmod(file, mode) == 0 ? 0 : errno;
}

/* Locks the file; EWOULDBLOCK if another process holds the lock. */
static int lockFile(int file) {
  while (flock(file, LOCK_EX | LOCK_NB))
    if (errno != EINTR)
      return errno;
  return 0;
}

/* ENOENT: the path has another file, or none. */
static int checkIsAt(const char *path, int file) {
  struct stat named, opened;
  if (syscall(SYS_lstat, path, &named) || syscall(SYS_fstat, file, &opened))
    return errno;
  return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino ? 0 : ENOENT;
}

/* Opens and locks the file at the hidden name: only the lock's holder may rename or remove the
 * file. file is negative if no file has the name. */
static int openHidden(const target *to, int flags, int *file) {
  for (int tries = 0; tries < 1000; ++tries) {
    *file = openAboveStreams(to->hidden, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    if (*file < 0)
      return errno == ENOENT ? 0 : errno;
    int failure = lockFile(*file);
    if (!failure && !(failure = checkIsAt(to->hidden, *file)))
      return 0;
    close(*file);
    *file = -1;
    if (failure != ENOENT)
      return failure;
  }
  return EWOULDBLOCK; /* a thousand writers came first, or the file system changes inode numbers */
}

/* Removes the hidden file of a writer that has ended. */
static int removeStale(const target *to) {
  int file, failure = openHidden(to, O_RDONLY, &file);
  if (failure || file < 0)
    return failure;
  failure = unlink(to->hidden) ? errno : 0;
  close(file);
  return failure;
}

static void removeAllStale(target *to) {
  for (int number = 0; number < HIDDEN_NAMES; ++number) {
    chooseHidden(to, number);
    removeStale(to);
  }
}

/* Moves the locked file at the hidden name to the path. */
static int moveHidden(const target *to) {
  if (rename(to->hidden, to->path) == 0)
    return 0;
  int failure = errno;
  unlink(to->hidden);
  return failure;
}

/* True for a second after the first call, pausing a millisecond per call: another replacement locks
   a name briefly during the search for stale files. A signal shortens one pause. */
static bool mayTryAgain(int64_t *end) {
  const struct timespec pause = {0, 1000000};
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t milliseconds = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (!*end)
    *end = milliseconds + 1000;
  if (milliseconds >= *end)
    return false;
  nanosleep(&pause, NULL);
  return true;
}

/* Gives an unnamed file the first hidden name that is free. */
static int linkToFree(target *to, int file) {
  char link[64];
  ampc_rt_text text = {link, sizeof link, 0};
  ampc_rt_print(&text, "/proc/self/fd/%d", (int64_t)file);
  int failure = lockFile(file);
  for (int number = 0; !failure && number < HIDDEN_NAMES; ++number) {
    chooseHidden(to, number);
    for (int tries = 0; !failure && tries < 1000; ++tries) {
      if (linkat(AT_FDCWD, link, AT_FDCWD, to->hidden, AT_SYMLINK_FOLLOW) == 0)
        return 0;
      if (errno != EEXIST)
        return errno;
      failure = removeStale(to);
    }
    failure = 0; /* the file under this name belongs to another writer */
  }
  return failure ? failure : EWOULDBLOCK;
}

static int linkUnnamed(target *to, int file) {
  int failure;
  int64_t end = 0;
  do
    failure = linkToFree(to, file);
  while (failure == EWOULDBLOCK && mayTryAgain(&end));
  return failure;
}

/* Opens and locks the first free hidden name. Names that the process may not open, or that belong
   to no regular file, count as taken. */
static int createFree(target *to, int *file) {
  int failure = 0;
  for (int number = 0; number < HIDDEN_NAMES; ++number) {
    chooseHidden(to, number);
    failure = openHidden(to, O_RDWR | O_CREAT, file);
    if (!failure)
      return *file < 0 ? ENOENT : 0;
    struct stat there;
    if (syscall(SYS_lstat, to->hidden, &there))
      return failure; /* nothing is in the way: the folder does not take a file */
  }
  return failure;
}

static int createNamed(target *to, int *file) {
  int failure;
  int64_t end = 0;
  do
    failure = createFree(to, file);
  while (failure == EWOULDBLOCK && mayTryAgain(&end));
  return failure;
}

static int beginNamed(target *to) {
  int failure = createNamed(to, &to->file);
  if (failure)
    return failure;
  to->is_named = true;
  failure = ftruncate(to->file, 0) ? errno : keepRights(to, to->file);
  if (failure)
    ampc_rt_drop_replacement(to);
  return failure;
}

/* Where the system cannot do that, to->file is negative. */
static int beginUnnamed(target *to) {
  to->is_named = false;
  to->file = openFolder(to, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (to->file < 0)
    return errno;
  int failure = keepRights(to, to->file);
  if (failure)
    close(to->file);
  return failure;
}

int ampc_rt_begin_replacement(target *to, const char *path, int durable) {
  int failure = openTarget(to, path, durable);
  if (failure)
    return failure;
  removeAllStale(to); /* first, since stale files may fill the disk */
  failure = beginUnnamed(to);
  return failure && to->file < 0 ? beginNamed(to) : failure;
}

void ampc_rt_drop_replacement(target *to) {
  if (to->is_named)
    unlink(to->hidden);
  close(to->file);
}

static int copyContent(int from, int to) {
  off_t offset = 0;
  struct stat info;
  if (syscall(SYS_fstat, from, &info))
    return errno;
  while (offset < info.st_size) {
    ssize_t copied = sendfile(to, from, &offset, (size_t)(info.st_size - offset));
    if (copied < 0 && errno == EINTR)
      continue;
    if (copied <= 0)
      return copied ? errno : EIO;
  }
  return 0;
}

static int syncContent(const target *to) {
  return !to->durable || fsync(to->file) == 0 ? 0 : errno;
}

/* Gives the content a hidden name by a link to the unnamed file, or by a copy if the system has no
   /proc or the file system no links. */
static int nameContent(target *to) {
  if (to->is_named)
    return 0;
  if (linkUnnamed(to, to->file) == 0) {
    to->is_named = true;
    return 0;
  }
  int unnamed = to->file, failure = beginNamed(to);
  if (failure) {
    to->file = unnamed;
    to->is_named = false;
    return failure;
  }
  failure = copyContent(unnamed, to->file);
  close(unnamed);
  return failure ? failure : syncContent(to);
}

/* Makes the new name durable. Some file systems cannot, and need not, sync a folder. */
static int syncFolder(target *to) {
  int file = openFolder(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (file < 0)
    return errno;
  int failure = fsync(file) == 0 || errno == EINVAL ? 0 : errno;
  close(file);
  return failure;
}

int ampc_rt_finish_replacement(target *to) {
  int failure = syncContent(to);
  if (!failure)
    failure = nameContent(to);
  if (failure) {
    ampc_rt_drop_replacement(to);
    return failure;
  }
  failure = moveHidden(to);
  close(to->file);
  return failure || !to->durable ? failure : syncFolder(to);
}

int ampc_rt_replace_file(const char *path, ampc_rt_writer write, void *argument, int durable) {
  target to;
  int failure = ampc_rt_begin_replacement(&to, path, durable);
  if (failure)
    return failure;
  failure = write(argument, to.file);
  if (!failure)
    return ampc_rt_finish_replacement(&to);
  ampc_rt_drop_replacement(&to);
  return failure;
}

int ampc_rt_write_all(int file, const void *data, size_t bytes) {
  const char *next = data;
  while (bytes) {
    ssize_t written = write(file, next, bytes < 1u << 30 ? bytes : 1u << 30);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written ? errno : EIO;
    next += written;
    bytes -= (size_t)written;
  }
  return 0;
}
