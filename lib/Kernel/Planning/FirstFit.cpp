// Buffer offsets in an arena by first fit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Kernel/Planning/FirstFit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace llvm;
using namespace ampc;

/// Largest number of buffers in a run, near the square root of 10^4 to 10^6, the number of buffers
/// for which runs exist.
static constexpr size_t mostInRun = 256;

void FirstFit::BufferRun::summarize() {
  leastFirst = leastLast = std::numeric_limits<int64_t>::max();
  mostFirst = mostLast = end = mostGap = 0;
  hasTails = false;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    leastFirst = std::min(leastFirst, buffer->first);
    mostFirst = std::max(mostFirst, buffer->first);
    leastLast = std::min(leastLast, buffer->last);
    mostLast = std::max(mostLast, buffer->last);
    if (i > 0)
      mostGap = std::max(mostGap, buffer->offset - end);
    end = std::max(end, buffer->offset + buffer->bytes);
    hasTails |= buffer->tail != 0;
  }
}

/// Moves the buffer behind all live buffers that overlap in the runs, and advances the position
/// behind them: such buffers end before the new offset. Whether the buffer was moved.
bool FirstFit::pass(Position &position, Buffer &buffer) {
  auto &[runs, compared] = position;
  int64_t old = buffer.offset;
  auto isReached = [&](const Buffer *other) {
    return other->offset < buffer.offset + buffer.bytes + buffer.tail;
  };
  for (; !runs.empty() && isReached(runs.front().buffers.front());
       runs = runs.drop_front(), compared = 0) {
    const BufferRun &run = runs.front();
    if (run.mostLast < buffer.first || run.leastFirst > buffer.last)
      continue;
    bool allLive = run.mostFirst <= buffer.last && run.leastLast >= buffer.first;
    if (allLive && !run.hasTails && !buffer.tail && run.mostGap < buffer.bytes) {
      buffer.offset = std::max(buffer.offset, run.end);
      continue;
    }
    for (; compared < run.buffers.size() && isReached(run.buffers[compared]); ++compared) {
      Buffer *other = run.buffers[compared];
      if (other->overlapsLiveness(buffer) &&
          other->offset < buffer.offset + buffer.bytesBeside(*other))
        buffer.offset = std::max(buffer.offset, other->offset + other->bytesBeside(buffer));
    }
    if (compared < run.buffers.size())
      break; // a move beside the other runs may still reach the rest of this run
  }
  return buffer.offset != old;
}

bool FirstFit::passAll(Buffer &buffer) {
  auto ahead =
      llvm::map_to_vector(byLife, [](const BufferRuns &runs) { return Position{runs, 0}; });
  int64_t old = buffer.offset;
  for (bool moved = true; moved;) {
    moved = false;
    for (Position &position : ahead)
      moved |= pass(position, buffer);
  }
  return buffer.offset != old;
}

void FirstFit::assign(Buffer &buffer) {
  // The tail is live beside buffers that the body of the buffer does not meet, so a move may lead
  // onto a buffer that was compared before: all buffers are compared again.
  while (passAll(buffer) && buffer.tail)
    ;
  unsigned life = llvm::Log2_64(buffer.last - buffer.first + 1);
  if (byLife.size() <= life)
    byLife.resize(life + 1);
  insert(byLife[life], buffer);
}

/// Inserts the buffer behind buffers of equal offset.
void FirstFit::insert(BufferRuns &runs, Buffer &buffer) {
  auto comesBefore = [](const Buffer *a, const Buffer *b) { return a->offset < b->offset; };
  if (runs.empty())
    runs.emplace_back();
  auto behind = llvm::upper_bound(runs, &buffer, [&](const Buffer *a, const BufferRun &run) {
    return !run.buffers.empty() && comesBefore(a, run.buffers.front());
  });
  size_t number = behind == runs.begin() ? 0 : behind - runs.begin() - 1;
  auto &into = runs[number].buffers;
  into.insert(llvm::upper_bound(into, &buffer, comesBefore), &buffer);
  if (into.size() > mostInRun) {
    BufferRun rest;
    rest.buffers.assign(into.begin() + mostInRun / 2, into.end());
    rest.summarize();
    into.truncate(mostInRun / 2);
    runs.insert(runs.begin() + number + 1, std::move(rest));
  }
  runs[number].summarize();
}
