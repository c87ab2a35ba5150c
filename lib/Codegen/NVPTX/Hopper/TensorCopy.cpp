// cp.async.bulk.tensor (TMA). PTX ISA, "Tensors"; CUDA driver API, cuTensorMapEncodeTiled:
// restrictions of tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/TensorCopy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Lines per box: a box has at most 256 elements along a dimension, and rows of 128 bytes.
static constexpr int64_t squareLines = 64;

/// A dimension of the tensor map other than the first.
namespace {
struct OuterDim {
  int64_t stride, size, box; // stride in bytes
  int dim;
};
} // namespace

std::optional<TensorCopy> TensorCopy::of(const TileGemm &gemm, const SideLayout &side,
                                         int64_t operand, WgmmaTile tile, int64_t cluster,
                                         std::string &why) {
  int64_t bytes = gemm.elementBytes();
  if (side.isWindows) {
    why = "a side is windows of an image";
    return std::nullopt;
  }
  if (side.copyBytes != 16) {
    why = "lines of a side are not aligned to 16 bytes";
    return std::nullopt;
  }
  int64_t inner = side.alongDepth ? gemm.depth : side.lines,
          outer = side.alongDepth ? side.lines : gemm.depth,
          rows = side.alongDepth ? tile.lines / cluster : kTilePoints;
  SmallVector<OuterDim> outers;
  // The stride between rows is arbitrary for a single row.
  int64_t stride = outer > 1 ? side.lineStride * bytes : llvm::alignTo(inner * bytes, 16);
  outers.push_back({stride, outer, rows, side.alongDepth ? Line : Point});
  for (auto [dim, size] : llvm::enumerate(gemm.batch))
    if (int64_t way = side.access.strides[dim]; size > 1 && way != 0)
      outers.push_back({way * bytes, size, 1, int(dim)});
  if (outers.size() > 4) {
    why = "a side has more than 3 dimensions of a batch";
    return std::nullopt;
  }
  // Strides in increasing order, because the driver expects each to be a multiple of the stride
  // before.
  llvm::sort(outers, [](auto &a, auto &b) {
    return std::pair(a.stride, a.dim) < std::pair(b.stride, b.dim);
  });
  TensorCopy copy;
  copy.tile = tile;
  copy.cluster = cluster;
  copy.dims = {side.alongDepth ? Point : Line};
  SmallVector<int64_t> sizes{inner}, strides, box{tileRowBytes / bytes};
  for (const OuterDim &dim : outers) {
    if (dim.stride <= 0 || dim.stride >= int64_t(1) << 40) {
      why = "a side has a stride of 2^40 bytes, or none";
      return std::nullopt;
    }
    copy.dims.push_back(dim.dim);
    sizes.push_back(dim.size);
    strides.push_back(dim.stride);
    box.push_back(dim.box);
  }
  copy.map =
      kernel::TensorMapAttr::get(gemm.element.getContext(), operand, cast<FloatType>(gemm.element),
                                 side.access.constant * bytes, sizes, strides, box, tileRowBytes);
  return copy;
}

void TensorCopy::issue(DeviceEmitter &e, Value mapPlace, Value target, Value barrier, Value line,
                       Value point, ArrayRef<Value> batch, Value rank) const {
  auto sharedByAll =
      LLVM::LLVMPointerType::get(e.b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  int64_t ownLines = tile.lines / cluster;
  Value mask;
  if (cluster > 1) {
    mask = LLVM::ConstantOp::create(e.b, e.loc, e.b.getI16IntegerAttr((1 << cluster) - 1));
    line = e.add(line, e.mul(rank, ownLines));
    target = e.advance(target, e.mul(rank, ownLines * tileRowBytes));
  }
  for (int64_t at = 0; at < ownLines; at += tile.alongDepth ? ownLines : squareLines) {
    Value to = e.advance(target, at * tileRowBytes), first = e.add(line, e.i32(at));
    SmallVector<Value> coordinates = llvm::map_to_vector(dims, [&](int dim) {
      return dim == Line ? first : dim == Point ? point : batch[dim];
    });
    to = LLVM::AddrSpaceCastOp::create(e.b, e.loc, sharedByAll, to);
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        e.b, e.loc, to, mapPlace, coordinates, barrier, ValueRange(), mask, Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }
}
