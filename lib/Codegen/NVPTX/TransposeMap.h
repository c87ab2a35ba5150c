// Transposing maps: inputs read across the order in which results are written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_TRANSPOSEMAP_H
#define LIB_CODEGEN_NVPTX_TRANSPOSEMAP_H

#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Dimension along which such inputs are contiguous; nullopt without such inputs. If the results
/// are written across instead, exchanges two dimensions of the domain. Example: out[i, j] = in[j,
/// i] -> dimension 0.
std::optional<unsigned> findTransposedDim(kernel::MapOp op, target::IterationSpace &space);
/// Emits tiles of that dimension and the last: a block reads such inputs along the former into
/// shared memory, and writes along the latter.
void emitTransposeMap(kernel::MapOp op, DeviceCode &code, const target::IterationSpace &space,
                      unsigned cross);

} // namespace ampc::nvptx
#endif
