// A side of a product, copied in pieces by the threads of a warpgroup to where wgmma reads it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Hopper/Gather.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Tiles whose numbers are in registers at a time.
static constexpr size_t tilesAtOnce = 2;

Gather::Gather(DeviceEmitter &e, const TileGemm &gemm, const TileProduct::MakeSide &make,
               const KernelPointers &pointers, BlockPlace place, Value BlockPlace::*first,
               int64_t lines)
    : isRight(first == &BlockPlace::column), e(e) {
  Value start = place.*first;
  for (int64_t at = 0; at < lines; at += gatheredLines) {
    place.*first = e.add32(start, e.i32(at));
    tiles.push_back(make(e, gemm, pointers, place, gatheredLines));
  }
}

void Gather::load(Value target, Value k, size_t from) {
  moved.clear();
  size_t to = isAsync() ? tiles.size() : std::min(tiles.size(), from + tilesAtOnce);
  for (size_t i = from; i < to; ++i)
    moved.push_back(tiles[i]->begin(placeOf(e, target, i), tiles[i]->firstSource(k), k));
}

void Gather::begin(Value target, Value k) { load(target, k, 0); }

void Gather::end(Value target, Value k) {
  if (isAsync())
    return;
  for (size_t from = 0; from < tiles.size(); from += tilesAtOnce) {
    if (from > 0)
      load(target, k, from);
    for (auto [i, words] : llvm::enumerate(moved))
      tiles[from + i]->end(placeOf(e, target, from + i), words);
  }
}
