// Windows of an image as lines of a matrix, which nobody writes down.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Product/WindowCopy.h"
#include "lib/Target/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

static constexpr int64_t chunkBytes = 16;

WindowCopy::WindowCopy(DeviceEmitter &e, const TileGemm &gemm, const target::Window &window,
                       Value image, Value first)
    : e(e), gemm(gemm), window(window), image(image) {
  shared.rows = gemm.tile.m;
  shared.chunks = gemm.tile.lineBytes / chunkBytes;
  linesPerPass = gemm.tile.threads() / shared.chunks;
  Value line = e.div32(e.thread(), shared.chunks), chunk = e.rem32(e.thread(), shared.chunks);
  offset = shared.offset(e, line, chunk);
  column = e.mul32(chunk, chunkBytes / gemm.elementBytes());
  for (int64_t at = 0; at < shared.rows; at += linesPerPass)
    lines.push_back(lineAt(e.add32(first, e.add32(line, e.i32(at)))));
}

WindowCopy::Line WindowCopy::lineAt(Value number) {
  Line line;
  if (gemm.m % gemm.tile.m) {
    line.exists = e.less32(number, gemm.m);
    number = target::select(e, line.exists, number, e.i32(0));
  }
  Value pixel = e.div32(number, window.outWidth);
  auto begin = [&](Value output, unsigned axis) {
    return e.add32(e.mul32(output, window.strides[axis]), e.i32(-window.padding[axis]));
  };
  line.row = begin(e.rem32(pixel, window.outHeight), 0);
  line.column = begin(e.rem32(number, window.outWidth), 1);
  int64_t pixelBytes = window.channels * gemm.elementBytes();
  Value within = e.mul32(e.add32(e.mul32(line.row, window.width), line.column), pixelBytes);
  within = arith::IndexCastOp::create(e.b, e.loc, e.b.getIndexType(), within); // may be negative
  Value entry = e.mul(e.position(e.div32(pixel, window.outHeight)),
                      window.height * window.width * pixelBytes);
  line.corner = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(), e.add(entry, within));
  return line;
}

void WindowCopy::issue(Value target, Value source, Value left) {
  int64_t bytes = gemm.elementBytes();
  Value point = e.add32(e.add32(e.i32(gemm.depth), e.mul32(left, -1)), column), inStep;
  if (gemm.depth % gemm.stepDepth()) {
    inStep = e.less32(point, gemm.depth);
    point = target::select(e, inStep, point, e.i32(0));
  }
  Value tap = e.div32(point, window.channels);
  Value down = e.mul32(e.div32(tap, window.kernel[1]), window.dilations[0]),
        right = e.mul32(e.rem32(tap, window.kernel[1]), window.dilations[1]);
  Value step = e.mul32(e.add32(e.mul32(down, window.width), right), window.channels);
  step = e.mul32(e.add32(step, e.rem32(point, window.channels)), bytes);
  Value to = e.advance(target, offset);
  for (auto [pass, line] : llvm::enumerate(lines)) {
    Value inside = target::both(e, e.less32(e.add32(line.row, down), window.height),
                                e.less32(e.add32(line.column, right), window.width));
    for (Value condition : {line.exists, inStep})
      if (condition)
        inside = target::both(e, inside, condition);
    Value from = e.advance(e.advance(source, line.corner), step);
    e.copyAsync(e.advance(to, pass * linesPerPass * shared.rowBytes()), from, chunkBytes,
                target::select(e, inside, e.i32(chunkBytes), e.i32(0)));
  }
}
