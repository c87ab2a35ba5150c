// Products of rows of attention, on the units that the chip has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ATTENTION_ROWPRODUCTS_H
#define LIB_TARGET_NVPTX_ATTENTION_ROWPRODUCTS_H

#include "lib/Target/NVPTX/Attention/FlashBlock.h"

namespace ampc::nvptx {

/// What a block multiplies: tiles of its own rows, and tiles of those that pass by.
class RowProducts {
public:
  using Value = mlir::Value;
  static std::unique_ptr<RowProducts> of(FlashBlock &block);
  virtual ~RowProducts();
  /// own * passing^T, of the tiles at these places.
  virtual Squares multiply(Value own, Value passing) = 0;
  /// sums + factors * passing, factors rounded.
  virtual void addTo(Squares &sums, const Squares &factors, Value passing) = 0;
  /// The rows at `own`, and no others, are own from here on: they may stay in registers.
  virtual void keep(Value own) {}

protected:
  explicit RowProducts(FlashBlock &block)
      : f(block), e(block.e), shape(block.shape), own(block.ownTile()),
        passing(block.passingTile()) {}
  /// Two neighbouring squares of factors are, rounded, a left fragment.
  Fragment leftOf(const Square *factors);

  FlashBlock &f;
  DeviceEmitter &e;
  const FlashShape &shape;
  RowTile own, passing;
};

// The implementations.
std::unique_ptr<RowProducts> makeWarpProducts(FlashBlock &block);
std::unique_ptr<RowProducts> makeWarpgroupProducts(FlashBlock &block);

} // namespace ampc::nvptx
#endif
