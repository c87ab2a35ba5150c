// Output files that are there whole or not at all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_OUTPUTFILE_H
#define AMPC_DATA_OUTPUTFILE_H

#include <cstddef>
#include <memory>
#include <string>

namespace ampc {
/// A file that has its content when it is closed, and the old content until then, under no name of
/// its own: two processes may write one path, and a process that ends leaves nothing. Devices and
/// pipes are written to. Methods give 0, or the error number.
class OutputFile {
public:
  OutputFile();
  OutputFile(OutputFile &&);
  OutputFile &operator=(OutputFile &&);
  /// The content of a file that is not closed is dropped.
  ~OutputFile();
  /// The path `-` is standard output. `durable`: the content has reached the disk when the file is
  /// closed.
  int open(const std::string &path, bool durable = false);
  int write(const void *data, size_t bytes);
  int close();

private:
  struct State;
  std::unique_ptr<State> state;
};
} // namespace ampc
#endif
