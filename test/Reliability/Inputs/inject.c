/* Runs a command under ptrace and makes system calls of the process fail, be short, be interrupted,
   or end the process: inject LOG MARK [NUMBER[+]:ACTION]... -- COMMAND

   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Calls count from the first call whose path contains MARK; LOG receives their names, one a line,
   and `hit` behind changed calls. NUMBER+ means the next 10 000 calls of the same name, too:
   without mmap or mprotect, malloc asks the system at every allocation of a thread, 270 000 times
   in a compilation of a small model, each with two stops for this program.
   ACTION: an error number; short (one byte), half; end (a read finds the end of the file); kill
   (before the call), middle (half of the bytes are written, then the process is killed).
   unnamed:ACTION applies to every open of a file without a name. Other processes started by the
   command run unchanged. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* `path`: number of the path argument, from 1; 0: none. `data`: the third argument is a byte count.
 */
static const struct {
  long number;
  const char *name;
  int path;
  bool data;
} calls[] = {{SYS_open, "open", 1, false},
             {SYS_openat, "openat", 2, false},
             {SYS_read, "read", 0, true},
             {SYS_pread64, "pread64", 0, true},
             {SYS_write, "write", 0, true},
             {SYS_pwrite64, "pwrite64", 0, true},
             {SYS_writev, "writev", 0, false},
             {SYS_sendfile, "sendfile", 0, false},
             {SYS_fsync, "fsync", 0, false},
             {SYS_fdatasync, "fdatasync", 0, false},
             {SYS_flock, "flock", 0, false},
             {SYS_fcntl, "fcntl", 0, false},
             {SYS_link, "link", 1, false},
             {SYS_linkat, "linkat", 2, false},
             {SYS_rename, "rename", 1, false},
             {SYS_renameat, "renameat", 2, false},
             {SYS_renameat2, "renameat2", 2, false},
             {SYS_fchmod, "fchmod", 0, false},
             {SYS_fchown, "fchown", 0, false},
             {SYS_ftruncate, "ftruncate", 0, false},
             {SYS_lseek, "lseek", 0, false},
             {SYS_mmap, "mmap", 0, false},
             {SYS_close, "close", 0, false},
             {SYS_unlink, "unlink", 1, false},
             {SYS_unlinkat, "unlinkat", 2, false},
             {SYS_mkdir, "mkdir", 1, false},
             {SYS_stat, "stat", 1, false},
             {SYS_lstat, "lstat", 1, false},
             {SYS_fstat, "fstat", 0, false},
             {SYS_newfstatat, "newfstatat", 2, false},
             {SYS_statx, "statx", 2, false},
             {SYS_readlink, "readlink", 1, false},
             {SYS_access, "access", 1, false},
             {SYS_getcwd, "getcwd", 0, false},
             {SYS_dup, "dup", 0, false},
             {SYS_clone, "clone", 0, false},
             {SYS_clone3, "clone3", 0, false},
             {SYS_vfork, "vfork", 0, false},
             {SYS_sched_getaffinity, "sched_getaffinity", 0, false},
             {SYS_nanosleep, "nanosleep", 0, false},
             {SYS_getdents64, "getdents64", 0, false},
             {SYS_mprotect, "mprotect", 0, false},
             {SYS_madvise, "madvise", 0, false},
             {SYS_pipe2, "pipe2", 0, false},
             {SYS_wait4, "wait4", 0, false},
             {SYS_getrandom, "getrandom", 0, false},
             {SYS_sysinfo, "sysinfo", 0, false},
             {SYS_chmod, "chmod", 1, false},
             {SYS_umask, "umask", 0, false},
             {SYS_faccessat2, "faccessat2", 2, false}};
enum { CALLS = sizeof calls / sizeof *calls, MOST_HITS = 10000 };

typedef struct {
  long number; /* 0: opens of files without a name */
  bool later;
  int call; /* index in `calls` once seen, else -1 */
  int hits;
  const char *action;
} Injection;

static Injection injections[8];
static int injection_count;
static const char *mark;
static bool counts;
static long number;
static FILE *log_file;

static void fail(const char *text) {
  perror(text);
  exit(125);
}

static bool namesMark(pid_t thread, const struct user_regs_struct *registers, int call) {
  char path[512] = "";
  unsigned long address = calls[call].path == 1 ? registers->rdi : registers->rsi;
  struct iovec to = {path, sizeof path - 1}, from = {(void *)address, sizeof path - 1};
  if (!calls[call].path)
    return false;
  while (to.iov_len && process_vm_readv(thread, &to, 1, &from, 1, 0) < 0)
    to.iov_len = from.iov_len = from.iov_len / 2; /* the page behind the text may be missing */
  return strstr(path, mark) != NULL;
}

static bool opensUnnamed(const struct user_regs_struct *registers) {
  return registers->orig_rax == SYS_openat && (registers->rdx & O_TMPFILE) == O_TMPFILE;
}

static bool isFor(const Injection *each, const struct user_regs_struct *registers, int call) {
  bool is_size = strchr("shme", each->action[0]) != NULL;
  bool is_end = each->action[0] == 'e';
  if ((is_size && !calls[call].data) || (is_end && !strstr(calls[call].name, "read")))
    return false;
  if (!each->number)
    return opensUnnamed(registers);
  return each->number == number || (each->later && each->call == call && each->hits < MOST_HITS);
}

/* The action for the call that a thread is about to make, or null. */
static const char *actionOf(pid_t thread, const struct user_regs_struct *registers) {
  int call = 0;
  while (call < CALLS && calls[call].number != (long)registers->orig_rax)
    ++call;
  if (call == CALLS || !(counts = counts || namesMark(thread, registers, call)))
    return NULL;
  ++number;
  const char *action = NULL;
  for (int i = 0; i < injection_count && !action; ++i) {
    Injection *each = &injections[i];
    if (each->number == number)
      each->call = call;
    if (isFor(each, registers, call)) {
      action = each->action;
      ++each->hits;
    }
  }
  fprintf(log_file, "%s%s\n", calls[call].name, action ? " hit" : "");
  return action;
}

/* At most this many threads at a time; `pending` is their action behind the call. */
static struct {
  pid_t thread;
  bool inside;
  const char *pending;
} threads[256];

static void endAll(pid_t process, FILE *log) {
  fflush(log);
  kill(process, SIGKILL);
}

static void enter(pid_t process, int t) {
  pid_t thread = threads[t].thread;
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread, NULL, &registers))
    return;
  const char *action = threads[t].pending = actionOf(thread, &registers);
  if (!action)
    return;
  if (!strcmp(action, "kill"))
    endAll(process, log_file);
  else if (!strcmp(action, "end"))
    registers.rdx = 0;
  else if (!strcmp(action, "short") || !strcmp(action, "half") || !strcmp(action, "middle"))
    registers.rdx = registers.rdx < 2 ? registers.rdx : *action == 's' ? 1 : registers.rdx / 2;
  else
    registers.orig_rax = (unsigned long)-1;
  ptrace(PTRACE_SETREGS, thread, NULL, &registers);
}

static void leave(pid_t process, int t) {
  struct user_regs_struct registers;
  const char *action = threads[t].pending;
  if (!action || ptrace(PTRACE_GETREGS, threads[t].thread, NULL, &registers))
    return;
  if (!strcmp(action, "middle"))
    endAll(process, log_file);
  if (*action >= '0' && *action <= '9') {
    registers.rax = (unsigned long)-atol(action);
    ptrace(PTRACE_SETREGS, threads[t].thread, NULL, &registers);
  }
}

static int follow(pid_t process) {
  for (;;) {
    int status, t = 0;
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0)
      fail("waitpid");
    while (threads[t].thread && threads[t].thread != thread)
      ++t;
    threads[t].thread = thread;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (thread == process)
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      (threads[t].inside ? leave : enter)(process, t);
      threads[t].inside = !threads[t].inside;
      signal = 0;
    } else if (status >> 16 || signal == SIGSTOP) {
      signal = 0; /* a new thread, or exec */
    }
    ptrace(PTRACE_SYSCALL, thread, NULL, signal);
  }
}

static void parse(char *text) {
  Injection *each = &injections[injection_count++];
  char *end;
  each->number = strtol(text, &end, 10);
  each->later = *end == '+';
  each->call = -1;
  each->action = strchr(text, ':') + 1;
}

int main(int argc, char **argv) {
  int i = 3;
  for (; i < argc && strcmp(argv[i], "--"); ++i)
    parse(argv[i]);
  if (i + 1 >= argc || !(log_file = fopen(argv[1], "we")))
    return 125;
  mark = argv[2];
  pid_t process = fork();
  if (process == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    execvp(argv[i + 1], argv + i + 1);
    _exit(126);
  }
  int status;
  waitpid(process, &status, 0);
  long options =
      PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SETOPTIONS, process, NULL, options))
    fail("ptrace");
  threads[0].thread = process;
  ptrace(PTRACE_SYSCALL, process, NULL, 0);
  status = follow(process);
  fclose(log_file);
  return status;
}
