// A part of a tensor in another size: Resize with tf_crop_and_resize.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_CROP_H
#define LIB_IMPORT_ONNX_CROP_H

#include "lib/Import/ONNX/Converter.h"
#include "mlir-dialects/Interpolation.h"

namespace ampc::onnx {
/// The part of x that the node's `roi` says, with the sizes `to` in the order of the file;
/// dimension i of x is order[i] there.
mlir::Value cropAndResize(Converter &c, mlir::Value x, llvm::ArrayRef<int64_t> to,
                          llvm::ArrayRef<int64_t> order, const train::Interpolation &how);
} // namespace ampc::onnx
#endif
