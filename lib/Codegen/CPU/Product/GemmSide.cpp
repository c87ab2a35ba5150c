// Packing of the panels of a GEMM operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/GemmSide.h"

using namespace mlir;
using namespace ampc::cpu;

/// Zero padding of the k remainder: AMX instructions read whole steps of 16 points, so zeros follow
/// the last point of the last k-block. Example: k = 100 bf16 is 50 points, padded to 64.
void GemmSide::padWithZeros(Value panel, Value kBlock) const {
  int64_t points = blocking.k.points % blocking.k.depth, width = blocking.tile.width;
  points = points ? points : blocking.k.depth;
  int64_t padded = roundUp(points, width);
  if (!blocking.tile.usesTiles() || padded == points)
    return;
  int64_t secondPanel = panels.format.secondPanel;
  Value zero = e.constant(e.vectorOf(panels.format.unit, width), 0);
  auto clear = [&](int64_t unit) {
    e.store(zero, panel, e.index(unit));
    if (secondPanel)
      e.store(zero, panel, e.index(unit + secondPanel));
  };
  e.when(blocking.k.isLast(e, kBlock), [&] {
    if (panels.layout.depthStride == 1)
      for (int64_t line = 0; line < panels.lines; ++line)
        clear(line * panels.layout.lineStride + padded - width);
    else
      for (int64_t unit = points * panels.lines; unit < padded * panels.lines; unit += width)
        clear(unit);
  });
}

/// Each row of a chunk starts a new page, where the hardware prefetcher stops: so a feed prefetches
/// the next chunk in software while the present chunk is packed.
void GemmSide::forChunks(Value kBlock, ChunkBody body) const {
  Value points = blocking.k.pointsIn(e, kBlock);
  auto countFrom = [&](Value k) { return e.min(e.index(chunkPoints), e.sub(points, k)); };
  e.loop(e.index(0), points, chunkPoints,
         [&](Value k) { body(k, countFrom(k), countFrom(e.add(k, chunkPoints))); });
}
