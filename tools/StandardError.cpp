// Standard error of MLIR's drivers, which write text of models to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/StandardError.h"
#include "ampc/Support/Shown.h"
#include "ampc/Support/Terminal.h"
#include <atomic>
#include <cerrno>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ampc;

static ssize_t writeBytes(int file, const void *text, size_t length) {
  return syscall(SYS_write, file, text, length);
}

namespace {
/// The file of standard error. A reader that is gone is no error of a message.
class ErrorFile : public llvm::raw_ostream {
public:
  ErrorFile() : raw_ostream(/*unbuffered=*/true) {}
  ~ErrorFile() override { flush(); }

private:
  void write_impl(const char *text, size_t length) override {
    while (length > 0) {
      ssize_t written = writeBytes(STDERR_FILENO, text, length);
      if (written < 0 && errno != EINTR && errno != EAGAIN)
        return;
      text += written < 0 ? 0 : written;
      length -= written < 0 ? 0 : written;
    }
  }
  uint64_t current_pos() const override { return 0; }
};

struct SpelledError {
  ErrorFile file;
  ShowingStream stream{file};
  std::mutex mutex;
};
} // namespace

/// The stream of standard error in programs that spell it, else null: write() has no argument for
/// an object. Never destroyed: destructors of static variables have messages, too.
static std::atomic<SpelledError *> spelledError{nullptr};

/// Replaces the C library's function, also for LLVM's libraries: the program's symbol comes before
/// symbols of libraries.
extern "C" ssize_t write(int file, const void *text, size_t length) {
  SpelledError *error = spelledError;
  if (file != STDERR_FILENO || !error)
    return writeBytes(file, text, length);
  auto *characters = static_cast<const char *>(text);
  // A second thread, or a crash in the middle of a message: without the sequence begun there.
  if (std::unique_lock<std::mutex> lock(error->mutex, std::try_to_lock); lock)
    error->stream.write(characters, length);
  else
    ErrorFile() << inMessage({characters, length});
  return ssize_t(length);
}

void ampc::spellStandardError() {
  llvm::errs().enable_colors(false);
  spelledError = new SpelledError;
}
