// kernel.gemm, kernel.conv and kernel.conv_filter as a sum of products per point.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Combine.h"
#include "lib/Codegen/Common/ConvPhases.h"
#include "lib/Codegen/Common/PlainLoops.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

/// sum + x * y, with factors rounded to the contraction's compute type.
static Value addProduct(Points &points, Operation *op, LoopEmitter &e, Value sum, Value x,
                        Value y) {
  auto modes = op->getAttrOfType<ArrayAttr>("compute");
  auto factor = [&](unsigned side, Value factor) {
    factor = widen(e, factor, sum.getType());
    return modes ? points.toMode(e, cast<TypeAttr>(modes[side]).getValue(), factor) : factor;
  };
  return multiplyAdd(e, sum, factor(0, x), factor(1, y), points.fusesMultiplyAdd);
}

/// Image row (column) of a tap along an axis; clears `inside` for padding and the zeros of a
/// dilated image.
static Value along(LoopEmitter &e, const Window &window, unsigned axis, Value output, Value tap,
                   Value &inside) {
  int64_t size = axis == 0 ? window.height : window.width, spread = window.inputDilations[axis];
  Value place = e.add(e.mul(output, window.strides[axis]), e.mul(tap, window.dilations[axis]));
  place = e.add(place, -window.padding[axis]);
  Value reached = within(e, place, (size - 1) * spread + 1);
  place = select(e, reached, place, e.index(0));
  Value exact = equal(e, e.rem(place, spread), e.index(0));
  reached = both(e, reached, exact);
  inside = inside ? both(e, inside, reached) : reached;
  return e.div(place, spread);
}

/// Image element, or 0 outside, at output (y, x), tap (ky, kx) and a channel of all groups.
static Value imageAt(LoopEmitter &e, const Window &window, Value pointer, Type element, Value image,
                     Value y, Value x, Value ky, Value kx, Value channel, Type acc) {
  Value inside;
  Value row = along(e, window, 0, y, ky, inside), column = along(e, window, 1, x, kx, inside);
  Value position = window.channelsFirst
                       ? at(e, {window.images, window.channels, window.height, window.width},
                            {image, channel, row, column})
                       : at(e, {window.images, window.height, window.width, window.channels},
                            {image, row, column, channel});
  Value value = widen(e, e.loadScalar(pointer, element, position), acc);
  return select(e, inside, value, e.constant(acc, 0));
}

void target::emitPlainGemm(Operation *operation, Points &points) {
  auto op = cast<kernel::GemmOp>(operation);
  points.forEach(
      op.getSpace(), [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> point) {
        auto factor = [&](unsigned side, ArrayRef<Value> dims) {
          auto type = tensorOf(op->getOperand(side));
          AffineMap map = cast<AffineMapAttr>(op.getOperandMaps()[side]).getValue();
          Value position = target::position(e, Access::of(map, type.getShape()), dims);
          return e.loadScalar(pointers.operands[side], type.getElementType(), position);
        };
        auto next = [&](ArrayRef<Value> k, Value sum) {
          SmallVector<Value> dims(point);
          dims.push_back(k[0]);
          return addProduct(points, op, e, sum, factor(0, dims), factor(1, dims));
        };
        Value sum = accumulate(e, {int64_t(op.getDepth())}, e.constant(op.getAcc(), 0), next);
        Body(e, op, pointers).finish(point, sum);
      });
}

void target::emitPlainConv(Operation *operation, Points &points) {
  auto op = cast<kernel::ConvOp>(operation);
  auto image = tensorOf(op.getLhs()), filter = tensorOf(op.getRhs());
  Window window = Window::of(op, op.getSpace(), filter.getShape());
  int64_t outputs = op.getSpace()[3] / window.groups, channels = window.groupChannels;
  points.forEach(op.getSpace(), [&](LoopEmitter &e, const KernelPointers &pointers,
                                    ArrayRef<Value> p) {
    Body body(e, op, pointers);
    Value group = e.div(p[3], outputs);
    auto next = [&](ArrayRef<Value> tap, Value sum) {
      Value x = imageAt(e, window, pointers.operands[0], image.getElementType(), p[0], p[1], p[2],
                        tap[0], tap[1], e.add(e.mul(group, channels), tap[2]), op.getAcc());
      Value position = at(e, filter.getShape(), {p[3], tap[0], tap[1], tap[2]});
      Value w = e.loadScalar(pointers.operands[1], filter.getElementType(), position);
      return addProduct(points, op, e, sum, x, w);
    };
    body.finish(p, accumulate(e, {window.kernel[0], window.kernel[1], channels},
                              e.constant(op.getAcc(), 0), next));
  });
}

/// Sum over a slice of the pixels, at a point of the filter.
static Value sumOfPart(Points &points, kernel::ConvFilterOp op, LoopEmitter &e,
                       const KernelPointers &pointers, ArrayRef<Value> p, Value part) {
  auto image = tensorOf(op.getLhs()), g = tensorOf(op.getRhs());
  Window window = Window::of(op, g.getShape(), op.getSpace());
  int64_t outputs = op.getSpace()[0] / window.groups, parts = op.getParts();
  Value channel = e.add(e.mul(e.div(p[0], outputs), window.groupChannels), p[3]);
  auto next = [&](ArrayRef<Value> pixel, Value sum) {
    Value x = imageAt(e, window, pointers.operands[0], image.getElementType(), pixel[0], pixel[1],
                      pixel[2], p[1], p[2], channel, op.getAcc());
    Value position = at(e, g.getShape(), {pixel[0], pixel[1], pixel[2], p[0]});
    Value cotangent = e.loadScalar(pointers.operands[1], g.getElementType(), position);
    return addProduct(points, op, e, sum, x, cotangent);
  };
  auto sumOfImage = [&](Value image, ValueRange sum) -> SmallVector<Value> {
    return {accumulate(
        e, {window.outHeight, window.outWidth}, sum[0],
        [&](ArrayRef<Value> pixel, Value sum) { return next({image, pixel[0], pixel[1]}, sum); })};
  };
  int64_t images = llvm::divideCeil(window.images, parts);
  Value from = e.mul(part, images), to = e.min(e.add(from, images), e.index(window.images));
  return e.loop(from, to, 1, e.constant(op.getAcc(), 0), sumOfImage)[0];
}

/// Partial sums in the workspace: [slices, O, KH, KW, C].
void target::emitPlainConvFilter(Operation *operation, Points &points) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  int64_t parts = op.getParts();
  SmallVector<int64_t> space{parts};
  llvm::append_range(space, op.getSpace());
  points.forEach(space, [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
    Value sum = sumOfPart(points, op, e, pointers, p.drop_front(), p[0]);
    if (parts == 1)
      Body(e, op, pointers).finish(p.drop_front(), sum);
    else
      e.storeScalar(sum, pointers.workspace, at(e, space, p));
  });
  if (parts == 1)
    return;
  points.forEach(op.getSpace(),
                 [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
                   Value sum;
                   for (int64_t part = 0; part < parts; ++part) {
                     SmallVector<Value> place{e.index(part)};
                     place.append(p.begin(), p.end());
                     Value x = e.loadScalar(pointers.workspace, op.getAcc(), at(e, space, place));
                     sum = sum ? combine(e, kernel::Combine::sum, sum, x) : x;
                   }
                   Body(e, op, pointers).finish(p, sum);
                 });
}
