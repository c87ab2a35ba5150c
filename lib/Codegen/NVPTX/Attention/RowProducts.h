// Products of rows of attention, on the chip's matrix units.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ATTENTION_ROWPRODUCTS_H
#define LIB_CODEGEN_NVPTX_ATTENTION_ROWPRODUCTS_H

#include "lib/Codegen/NVPTX/Attention/FlashBlock.h"

namespace ampc::nvptx {

/// Products between tiles of owned rows and tiles of streamed rows, all in shared memory. owned:
/// [rows, width], streamed: [columns, width].
class RowProducts {
public:
  using Value = mlir::Value;
  static std::unique_ptr<RowProducts> of(FlashBlock &block);
  virtual ~RowProducts();
  /// own * passing^T of the tiles at the two addresses: [rows, columns].
  virtual Accumulators multiply(Value own, Value streamed) = 0;
  /// Adds factors * passing to `sums`, with factors rounded to 16 bits: [rows, columns] x [columns,
  /// width].
  virtual void addTo(Accumulators &sums, const Accumulators &factors, Value streamed) = 0;
  /// Declares that the rows at `own` are the only owned rows from here on, so that an
  /// implementation may keep fragments in registers.
  virtual void keep(Value own) {}

protected:
  explicit RowProducts(FlashBlock &block)
      : f(block), e(block.e), shape(block.shape), own(block.ownTile()),
        streamed(block.streamedTile()) {}
  /// Two neighbouring accumulator fragments (16 x 8), rounded and packed as a left operand fragment
  /// (16 x 16).
  Fragment leftOf(const Accumulator *factors);

  FlashBlock &f;
  DeviceEmitter &e;
  const FlashShape &shape;
  RowTile own, streamed;
};

// The implementations.
std::unique_ptr<RowProducts> makeWarpProducts(FlashBlock &block);
std::unique_ptr<RowProducts> makeWarpgroupProducts(FlashBlock &block);

} // namespace ampc::nvptx
#endif
