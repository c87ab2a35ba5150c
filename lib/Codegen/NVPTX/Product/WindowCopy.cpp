// Implicit GEMM operand: windows of an image as lines of a matrix that is never stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/WindowCopy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

WindowCopy::WindowCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side,
                       int64_t tileLines, const target::Window &window, Value image, Value first,
                       Value shift)
    : KTileCopy(e, gemm, side, tileLines), reader(e, window, gemm.elementBytes()), image(image) {
  Value lines = e.i32(side.lines);
  int64_t pieceElements = chunkElements() / pieces();
  if (side.alongDepth)
    for (int64_t pass = 0; pass < passes; ++pass)
      corners.push_back(reader.cornerOf(e.add(first, e.add(row, e.i32(pass * rowsPerPass))),
                                        endsInRows() ? lines : Value()));
  else
    for (int64_t piece = 0; piece < pieces(); ++piece)
      taps.push_back(reader.tapOf(e.add(e.add(first, column), e.i32(piece * pieceElements)),
                                  endsInColumns() ? lines : Value()));
  if (!shift)
    return;
  Value bytes = e.mul(shift, gemm.elementBytes());
  bytes = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(), bytes);
  for (WindowReader::Corner &corner : corners)
    corner.offset = arith::AddIOp::create(e.b, e.loc, corner.offset, bytes);
}

KTileCopy::Values WindowCopy::begin(Value target, Value source, Value k) {
  int64_t pieceElements = chunkElements() / pieces();
  if (side.alongDepth) {
    taps.clear();
    for (int64_t piece = 0; piece < pieces(); ++piece)
      taps.push_back(reader.tapOf(e.add(e.add(k, column), e.i32(piece * pieceElements)),
                                  endsInColumns() ? depthEnd : Value()));
  }
  Value to = e.advance(target, offset);
  Values moved;
  for (int64_t pass = 0; pass < passes; ++pass) {
    WindowReader::Corner corner =
        side.alongDepth ? corners[pass]
                        : reader.cornerOf(e.add(k, e.add(row, e.i32(pass * rowsPerPass))),
                                          endsInRows() ? depthEnd : Value());
    Values from(pieces()), exists(pieces());
    for (int64_t piece = 0; piece < pieces(); ++piece)
      reader.placeOf(image, corner, taps[piece], from[piece], exists[piece]);
    beginPieces(e.advance(to, pass * rowsPerPass * shared.rowBytes()), from, exists, image, moved);
  }
  return moved;
}
