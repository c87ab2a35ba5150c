// Progress output of `ampc train`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_PROGRESS_H
#define TOOLS_AMPC_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <cstdint>
#include <string>

namespace ampc {
/// Progress line, redrawn in place on a terminal of any width; elsewhere a line now and then.
class Progress {
public:
  /// Steps count from the start of the whole training: `first` are done. `epochs`: 0 without
  /// --epochs.
  Progress(uint64_t first, uint64_t total, uint64_t perEpoch, uint64_t epochs);
  /// `losses`: always shown; `more`: shown where the line has room.
  void show(uint64_t done, llvm::StringRef losses, llvm::StringRef more);
  /// Prints a separate line, outside of the progress; nothing if isQuiet().
  void say(llvm::StringRef text);
  /// Leaves the last line on the screen; the progress is no longer drawn.
  void stop();

private:
  using Clock = std::chrono::steady_clock;
  std::string line(uint64_t done, llvm::StringRef losses, llvm::StringRef more, double seconds,
                   unsigned columns) const;
  void draw(const std::string &text);

  uint64_t first, total, perEpoch, epochs;
  bool terminal;
  Clock::time_point start = Clock::now();
  double shown = 0;
  std::string drawn; ///< current text of the terminal line
};

/// Columns of the terminal on standard error, or 80.
unsigned terminalColumns();
/// "0:07", "1:02:03".
std::string durationText(double seconds);
} // namespace ampc
#endif
