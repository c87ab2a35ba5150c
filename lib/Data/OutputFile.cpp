// Output files that replace the old file atomically: readers find the old file or the whole new
// file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/OutputFile.h"
#include "lib/Runtime/Replace.h"
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ampc;

struct OutputFile::State {
  ampc_rt_replacement to;
  bool replaces = false; ///< false: `to.file` is a device or a pipe, written directly
};

OutputFile::OutputFile() = default;
OutputFile::OutputFile(OutputFile &&) = default;
OutputFile &OutputFile::operator=(OutputFile &&) = default;

OutputFile::~OutputFile() {
  if (state && state->replaces)
    ampc_rt_drop_replacement(&state->to);
  else if (state)
    ::close(state->to.file);
}

int OutputFile::open(const std::string &path, bool durable) {
  auto fresh = std::make_unique<State>();
  struct stat status;
  fresh->replaces =
      path != "-" && (::stat(path.c_str(), &status) || S_ISREG(status.st_mode) ||
                      S_ISDIR(status.st_mode)); // the replacement reports a folder as an error
  if (fresh->replaces) {
    if (int failure = ampc_rt_begin_replacement(&fresh->to, path.c_str(), durable))
      return failure;
  } else {
    fresh->to.file =
        path == "-" ? ::dup(STDOUT_FILENO) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fresh->to.file < 0)
      return errno;
  }
  state = std::move(fresh);
  return 0;
}

int OutputFile::write(const void *data, size_t bytes) {
  return ampc_rt_write_all(state->to.file, data, bytes);
}

int OutputFile::close() {
  std::unique_ptr<State> last = std::move(state);
  if (last->replaces)
    return ampc_rt_finish_replacement(&last->to);
  return ::close(last->to.file) ? errno : 0;
}
