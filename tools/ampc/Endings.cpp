// Abnormal ends of the process: stop signals, and crashes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Endings.h"
#include "ampc/Support/Shown.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ampc;

namespace {
struct StopSignal {
  int number;
  const char *reason;
  struct sigaction before; ///< at the start of the program
  bool isKept;             ///< ignored by the parent process, or taken by a preloaded library
};
} // namespace

static StopSignal stopSignals[] = {
    {SIGINT, "interrupted", {}, false},
    {SIGTERM, "terminated", {}, false},
    {SIGHUP, "hung up: the terminal is gone", {}, false},
    {SIGQUIT, "quit", {}, false},
    {SIGPIPE, "stopped: nothing reads the output", {}, false},
    {SIGALRM, "stopped by an alarm", {}, false},
    {SIGVTALRM, "stopped by an alarm of processor time", {}, false},
    {SIGPROF, "stopped by a profiling alarm", {}, false},
    {SIGIO, "stopped by SIGIO", {}, false},
    {SIGPWR, "stopped: the power fails", {}, false},
    {SIGSTKFLT, "stopped by SIGSTKFLT", {}, false},
    {SIGXCPU, "stopped: the limit of processor time is reached", {}, false},
    {SIGUSR2, "stopped by SIGUSR2", {}, false}};

static bool isKept(const StopSignal &stop) {
  if (stop.before.sa_flags & SA_SIGINFO)
    return true;
  if (stop.before.sa_handler == SIG_IGN)
    return stop.number == SIGHUP || stop.number == SIGPIPE;
  return stop.before.sa_handler != SIG_DFL;
}

void ampc::noteSignalHandlers() {
  for (StopSignal &stop : stopSignals)
    stop.isKept = sigaction(stop.number, nullptr, &stop.before) == 0 && isKept(stop);
}

static volatile std::sig_atomic_t caught = 0;

static void noteStop(int signal) {
  if (!caught)
    caught = signal;
}

void ampc::catchStopSignals() {
  for (const StopSignal &stop : stopSignals)
    if (stop.isKept)
      sigaction(stop.number, &stop.before, nullptr);
    else
      std::signal(stop.number, noteStop);
}

int ampc::stopSignal() { return caught; }

std::string ampc::stopReason(int signal) {
  for (const StopSignal &stop : stopSignals)
    if (stop.number == signal)
      return stop.reason;
  return "";
}

/// Texts prepared before a crash: the crash handler is limited to system calls and must not
/// allocate.
namespace {
struct Reproducer {
  std::string folder, command, commandFile;
  struct File {
    std::string from, to;
  };
  std::vector<File> copies;
  bool hasData = false;
};
} // namespace
static Reproducer *reproducer = nullptr;
static std::string outOfMemory;

static void put(int file, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0)
      return;
    text = text.drop_front(size_t(written));
  }
}

/// Copies the first 16 MiB; the command and the model matter most.
static void copyBeginning(const std::string &from, const std::string &to) {
  int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  int out = in < 0 ? -1 : ::open(to.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  char part[4096];
  for (int parts = 0; out >= 0 && parts < 4096; ++parts) {
    ssize_t got = ::read(in, part, sizeof part);
    if (got <= 0)
      break;
    put(out, {part, size_t(got)});
  }
  if (out >= 0)
    ::close(out);
  if (in >= 0)
    ::close(in);
}

static void leaveReproducer(void *) {
  if (!reproducer || ::mkdir(reproducer->folder.c_str(), 0700))
    return;
  std::string &folder = reproducer->folder;
  int file = ::open(reproducer->commandFile.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return;
  put(file, reproducer->command);
  ::close(file);
  for (const Reproducer::File &copy : reproducer->copies)
    copyBeginning(copy.from, copy.to);
  put(STDERR_FILENO, "The command and copies of the source files are in ");
  put(STDERR_FILENO, folder);
  put(STDERR_FILENO, reproducer->hasData
                         ? "; of data and weights, which may be private, the names and sizes "
                           "(AMPC_CRASH_DATA=1 copies data and weights).\n"
                         : ".\n");
}

/// Whether to copy a file: models and options as text say most about a crash, while tables, arrays,
/// checkpoints and ONNX contain data or weights.
static bool isText(llvm::StringRef name, int64_t bytes) {
  constexpr int64_t most = 1 << 20;
  llvm::StringRef kind = llvm::sys::path::extension(name);
  return bytes <= most &&
         (kind == ".mlir" || kind == ".json" || kind == ".txt" || kind == ".policy");
}

/// Files in the command line. Example words: model.mlir, x=FILE, FILE:f32.
static std::vector<std::string> filesOfCommand() {
  std::vector<std::string> files;
  for (llvm::StringRef word : llvm::drop_begin(commandLine)) {
    llvm::SmallVector<llvm::StringRef> parts;
    word.split(parts, '=');
    for (llvm::StringRef part : parts)
      for (llvm::StringRef name : {part, part.rsplit(':').first}) {
        struct stat status;
        if (!name.empty() && ::stat(name.str().c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
            !llvm::is_contained(files, name.str()))
          files.push_back(name.str());
      }
  }
  return files;
}

static void failOnLLVM(void *, const char *reason, bool) {
  fail(reason);
  ::_exit(1);
}
static void failOnMemory(void *, const char *, bool) {
  put(STDERR_FILENO, outOfMemory);
  ::_exit(1);
}

/// Copies text files of the command, and lists all other files in the command's text.
static void choose(Reproducer &made, llvm::ArrayRef<std::string> files) {
  const char *asked = getenv("AMPC_CRASH_DATA");
  bool copiesData = asked && llvm::StringRef(asked) == "1";
  for (const std::string &name : files) {
    struct stat status;
    if (::stat(name.c_str(), &status))
      continue;
    if (copiesData || isText(name, status.st_size)) {
      made.copies.push_back({name, made.folder + "/" + llvm::sys::path::filename(name).str()});
      continue;
    }
    made.hasData = true;
    made.command +=
        "# not copied: " + quotedWord(name) + ", " + std::to_string(status.st_size) + " bytes\n";
  }
}

/// Ends the process with the signal's default action, after removing LLVM's temporary files.
static void endAsAsked(int signal) {
  llvm::sys::RunInterruptHandlers();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void ampc::explainMemory() {
  std::vector<std::string> files = filesOfCommand();
  outOfMemory = "ampc: error: out of memory" +
                (files.empty() ? std::string() : " with " + inMessage(llvm::join(files, ", "))) +
                "\n";
  llvm::install_bad_alloc_error_handler(failOnMemory);
}

void ampc::explainCrashes(const char *version) {
  llvm::setBugReportMsg("ampc: error: ampc has crashed, which is a fault of ampc and not of the "
                        "model. Please report it as docs/reliability.md says.\n");
  llvm::install_fatal_error_handler(failOnLLVM);
  static Reproducer made;
  const char *temporary = getenv("TMPDIR");
  made.folder = std::string(temporary && *temporary ? temporary : "/tmp") + "/ampc-crash-" +
                std::to_string(getpid());
  llvm::SmallString<256> current;
  made.command = "# ampc " + std::string(version) + ", in " +
                 (getcwd(current.data(), current.capacity()) ? current.data() : "?") + "\n";
  for (const std::string &word : commandLine)
    made.command += (&word == &commandLine.front() ? "" : " ") + quotedWord(word);
  made.command += "\n";
  made.commandFile = made.folder + "/command";
  choose(made, filesOfCommand());
  reproducer = &made;
  llvm::sys::AddSignalHandler(leaveReproducer, nullptr);
  // LLVM treats SIGQUIT and SIGXCPU as crashes, but users cause both, by a key or by `ulimit -t`.
  for (int signal : {SIGQUIT, SIGXCPU})
    std::signal(signal, endAsAsked);
}

int ampc::finishStreams(int status) {
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    if (status == 0)
      status = fail("cannot write the output: " + llvm::outs().error().message());
    llvm::outs().clear_error();
  }
  llvm::errs().clear_error();
  return status;
}
