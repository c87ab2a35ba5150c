// Progress display of a training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Progress.h"
#include "ampc/Support/Shown.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Commands.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/ioctl.h>
#include <unistd.h>

using namespace ampc;

unsigned ampc::terminalColumns() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
    return size.ws_col;
  unsigned columns = 0;
  const char *text = getenv("COLUMNS");
  return text && !llvm::StringRef(text).getAsInteger(10, columns) && columns ? columns : 80;
}

std::string ampc::durationText(double seconds) {
  auto whole = uint64_t(seconds + 0.5);
  std::string text;
  llvm::raw_string_ostream os(text);
  if (whole >= 3600)
    os << whole / 3600 << llvm::format(":%02u", unsigned(whole / 60 % 60));
  else
    os << whole / 60;
  os << llvm::format(":%02u", unsigned(whole % 60));
  return text;
}

Progress::Progress(uint64_t first, uint64_t total, uint64_t perEpoch, uint64_t epochs)
    : first(first), total(total), perEpoch(perEpoch), epochs(epochs),
      terminal(isatty(STDERR_FILENO)) {}

/// Joins the parts of the line; in narrow terminals drops parts in the order of `leaveOut`.
std::string Progress::line(uint64_t done, llvm::StringRef losses, llvm::StringRef more,
                           double seconds, unsigned columns) const {
  double rate = double(done - first) / std::max(seconds, 1e-9);
  enum { Step, Epoch, Losses, More, Rate, Time, Parts };
  std::string parts[Parts];
  parts[Step] = llvm::formatv("step {0}/{1}", done, total);
  if (epochs)
    parts[Epoch] = llvm::formatv("epoch {0}/{1}", (done - 1) / perEpoch + 1, epochs);
  parts[Losses] = losses.str();
  parts[More] = more.str();
  llvm::raw_string_ostream(parts[Rate])
      << llvm::format(rate < 100 ? "%.2f steps/s" : "%.0f steps/s", rate);
  parts[Time] = done < total ? "ETA " + durationText(double(total - done) / rate)
                             : "in " + durationText(seconds);
  auto join = [&] {
    std::string text;
    for (const std::string &part : parts)
      if (!part.empty())
        text += (text.empty() ? "" : "  ") + part;
    return text;
  };
  for (int part : {Rate, Epoch, More, Time, Step}) {
    if (join().size() <= columns)
      break;
    parts[part].clear();
  }
  std::string text = join();
  int room = terminal ? int(columns) - int(text.size()) - 3 : 0;
  if (room < 8)
    return text.substr(0, columns);
  auto length = unsigned(std::min(room, 30));
  auto filled = std::max(1u, unsigned(length * done / std::max<uint64_t>(total, 1)));
  return "[" + std::string(filled, '#') + std::string(length - filled, '.') + "] " + text;
}

/// Draws over the previous line, with blanks behind a shorter text.
void Progress::draw(const std::string &text) {
  llvm::errs() << "\r" << text;
  if (drawn.size() > text.size())
    llvm::errs() << std::string(drawn.size() - text.size(), ' ');
  drawn = text;
}

void Progress::show(uint64_t done, llvm::StringRef losses, llvm::StringRef more) {
  if (isQuiet())
    return;
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  bool last = done == total;
  if (!last && seconds - shown < (terminal ? 0.1 : 2.0) && done != first + 1)
    return;
  shown = seconds;
  // A character in the last column would wrap the cursor.
  unsigned columns = terminal ? terminalColumns() - 1 : ~0u / 2;
  std::string text = line(done, inMessage(losses), inMessage(more), seconds, columns);
  if (!terminal) {
    messages() << text << "\n";
    return;
  }
  draw(text);
  if (last)
    stop();
}

void Progress::say(llvm::StringRef text) {
  if (isQuiet())
    return;
  if (!drawn.empty()) {
    llvm::errs() << "\r" << std::string(drawn.size(), ' ') << "\r";
    drawn.clear();
  }
  messages() << text << "\n";
}

void Progress::stop() {
  if (!drawn.empty())
    messages() << "\n";
  drawn.clear();
}
