// Addresses of the elements that windows of an image read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/WindowReader.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

static Value less(DeviceEmitter &e, Value x, Value limit) {
  return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ult, x, limit);
}

/// Replaces numbers from `limit` on by 0, and returns whether the number was below; null without a
/// limit.
static Value keepBelow(DeviceEmitter &e, Value &number, Value limit) {
  if (!limit)
    return nullptr;
  Value exists = less(e, number, limit);
  number = target::select(e, exists, number, e.i32(0));
  return exists;
}

/// Row far below any image, even after adding the rows of a tap.
static constexpr int64_t farBelow = 1 << 30;

WindowReader::Corner WindowReader::cornerOf(Value number, Value limit) {
  Corner corner;
  Value exists = keepBelow(e, number, limit);
  Value pixel = e.div(number, window.outWidth);
  auto begin = [&](Value output, unsigned axis) {
    return e.add(e.mul(output, window.strides[axis]), e.i32(-window.padding[axis]));
  };
  corner.row = begin(e.rem(pixel, window.outHeight), 0);
  corner.column = begin(e.rem(number, window.outWidth), 1);
  Value offset =
      e.mul(e.position(e.div(pixel, window.outHeight)), window.imageStride() * elementBytes);
  if (!isSpread()) {
    Value within = e.add(e.mul(corner.row, window.width), corner.column);
    within = e.mul(within, window.columnStride() * elementBytes); // may be negative
    offset = e.add(offset, arith::IndexCastOp::create(e.b, e.loc, e.b.getIndexType(), within));
  }
  corner.offset = arith::IndexCastOp::create(e.b, e.loc, e.b.getI64Type(), offset);
  if (exists)
    corner.row = target::select(e, exists, corner.row, e.i32(farBelow));
  return corner;
}

WindowReader::Tap WindowReader::tapOf(Value point, Value limit) {
  Tap tap;
  Value exists = keepBelow(e, point, limit);
  Value number = e.div(point, window.groupChannels);
  tap.down = e.mul(e.div(number, window.kernel[1]), window.dilations[0]);
  tap.right = e.mul(e.rem(number, window.kernel[1]), window.dilations[1]);
  tap.offset = e.mul(e.rem(point, window.groupChannels), window.channelStride());
  if (!isSpread()) {
    Value pixels = e.add(e.mul(tap.down, window.width), tap.right);
    tap.offset = e.add(e.mul(pixels, window.columnStride()), tap.offset);
  }
  tap.offset = e.mul(tap.offset, elementBytes);
  if (exists)
    tap.down = target::select(e, exists, tap.down, e.i32(farBelow));
  return tap;
}

/// Coordinate along an axis of an image with dilation zeros between rows; `exists` is false on
/// zeros and outside of the image. Example: spread 2: place 4 -> row 2, place 5 -> a zero.
static Value along(DeviceEmitter &e, Value place, int64_t size, int64_t spread, Value &exists) {
  Value inside = e.isBelow(place, (size - 1) * spread + 1);
  if (spread > 1) {
    place = target::select(e, inside, place, e.i32(0));
    inside = target::both(e, inside, target::equal(e, e.rem(place, spread), e.i32(0)));
  }
  exists = exists ? target::both(e, exists, inside) : inside;
  return e.div(place, spread);
}

void WindowReader::placeOf(Value image, const Corner &corner, const Tap &tap, Value &from,
                           Value &exists) {
  exists = Value();
  Value y = along(e, e.add(corner.row, tap.down), window.height, window.inputDilations[0], exists);
  Value x =
      along(e, e.add(corner.column, tap.right), window.width, window.inputDilations[1], exists);
  from = e.advance(image, corner.offset);
  if (isSpread())
    from = e.advance(from,
                     e.mul(e.add(e.mul(y, window.width), x), window.columnStride() * elementBytes));
  from = e.advance(from, tap.offset);
}
