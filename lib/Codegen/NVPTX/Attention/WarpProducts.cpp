// Products of rows by single warps: ldmatrix and mma.sync.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/RowProducts.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

RowProducts::~RowProducts() = default;

std::unique_ptr<RowProducts> RowProducts::of(FlashBlock &block) {
  return block.shape.warpgroups ? makeWarpgroupProducts(block) : makeWarpProducts(block);
}

Fragment RowProducts::leftOf(const Accumulator *factors) {
  Fragment fragment;
  for (int64_t word = 0; word < 4; ++word) {
    const Accumulator &square = factors[word / 2];
    fragment[word] = f.roundPair(square[2 * (word % 2)], square[2 * (word % 2) + 1], shape.element);
  }
  return fragment;
}

namespace {
class WarpProducts : public RowProducts {
public:
  explicit WarpProducts(FlashBlock &block)
      : RowProducts(block), left(RowFragments::left(e, own, f.tile.warpRows, f.warpStart())),
        right(RowFragments::rightRows(e, streamed)),
        channels(RowFragments::rightChannels(e, streamed)) {}
  Accumulators multiply(Value own, Value streamed) override;
  void addTo(Accumulators &sums, const Accumulators &factors, Value streamed) override;
  void keep(Value own) override;

private:
  RowFragments left, right, channels;
  SmallVector<Fragment> kept; // fragments of owned rows, [16-row block][k-step]
};
} // namespace

void WarpProducts::keep(Value own) {
  for (int64_t block = 0; block < f.warpBlocks(); ++block)
    for (int64_t k = 0; k < shape.depthSteps(); ++k)
      kept.push_back(left.load(own, block, k));
}

Accumulators WarpProducts::multiply(Value own, Value streamed) {
  Accumulator zeros;
  zeros.fill(f.number(0));
  Accumulators sums(f.warpBlocks() * f.columnTiles(), zeros);
  for (int64_t k = 0; k < shape.depthSteps(); ++k) {
    SmallVector<Fragment> lines;
    for (int64_t i = 0; i < f.warpBlocks(); ++i)
      lines.push_back(kept.empty() ? left.load(own, i, k) : kept[i * shape.depthSteps() + k]);
    for (int64_t j = 0; j < f.columnTiles() / 2; ++j) {
      Fragment columns = right.load(streamed, j, k);
      for (int64_t i = 0; i < f.warpBlocks(); ++i)
        for (unsigned half : {0, 1}) {
          Accumulator &sum = sums[i * f.columnTiles() + 2 * j + half];
          sum = nvptx::multiply(e, lines[i], columns, half, sum, shape.element);
        }
    }
  }
  return sums;
}

void WarpProducts::addTo(Accumulators &sums, const Accumulators &factors, Value streamed) {
  for (int64_t k = 0; k < f.tile.columns / 16; ++k) {
    SmallVector<Fragment> lines;
    for (int64_t i = 0; i < f.warpBlocks(); ++i)
      lines.push_back(leftOf(&factors[i * f.columnTiles() + 2 * k]));
    for (int64_t c = 0; c < shape.depthSteps(); ++c) {
      Fragment pair = channels.load(streamed, c, k);
      for (int64_t i = 0; i < f.warpBlocks(); ++i)
        for (unsigned half = 0; half < 2 && 2 * c + half < shape.channelTiles(); ++half) {
          Accumulator &sum = sums[i * shape.channelTiles() + 2 * c + half];
          sum = nvptx::multiply(e, lines[i], pair, half, sum, shape.element);
        }
    }
  }
}

std::unique_ptr<RowProducts> nvptx::makeWarpProducts(FlashBlock &block) {
  return std::make_unique<WarpProducts>(block);
}
