// Maps that read across the order in which they write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_TILEMAP_H
#define LIB_TARGET_NVPTX_TILEMAP_H

#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// The dimension along which such inputs have their neighbours; nullopt if there is none. Exchanges
/// dimensions of the space if it is the results that are written across.
std::optional<unsigned> findCrossDim(kernel::MapOp op, target::IterationSpace &space);
/// By tiles of that dimension and the last: a block reads those inputs along the one into shared
/// memory, and writes along the other.
void emitTileMap(kernel::MapOp op, DeviceCode &code, const target::IterationSpace &space,
                 unsigned cross);

} // namespace ampc::nvptx
#endif
