// kernel.conv and kernel.conv_filter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/Common/ConvPhases.h"
#include "lib/Target/Reference/PlainLoops.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;
using target::Window;

/// The place of a tap along one axis of the image; clears `inside` for padding and the zeros
/// between dilated rows.
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

/// A number of the image, or 0: at output (y, x), tap (ky, kx), and a channel of all groups'.
static Value imageAt(LoopEmitter &e, const Window &window, Value pointer, Type element, Value image,
                     Value y, Value x, Value ky, Value kx, Value channel, Type acc) {
  Value inside;
  Value row = along(e, window, 0, y, ky, inside), column = along(e, window, 1, x, kx, inside);
  Value position = at(e, {window.images, window.height, window.width, window.channels},
                      {image, row, column, channel});
  Value value = widen(e, e.loadScalar(pointer, element, position), acc);
  return select(e, inside, value, e.constant(acc, 0));
}

static void emitConv(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::ConvOp>(operation);
  Body body(e, op, pointers);
  auto image = tensorOf(op.getLhs()), filter = tensorOf(op.getRhs());
  Window window = Window::of(op, op.getSpace(), filter.getShape());
  int64_t outputs = op.getSpace()[3] / window.groups, channels = window.groupChannels;
  forPoints(e, op.getSpace(), [&](ArrayRef<Value> p) {
    Value group = e.div(p[3], outputs);
    auto next = [&](ArrayRef<Value> tap, Value sum) {
      Value x = imageAt(e, window, pointers.operands[0], image.getElementType(), p[0], p[1], p[2],
                        tap[0], tap[1], e.add(e.mul(group, channels), tap[2]), op.getAcc());
      Value position = at(e, filter.getShape(), {p[3], tap[0], tap[1], tap[2]});
      Value w = e.loadScalar(pointers.operands[1], filter.getElementType(), position);
      return multiplyAdd(e, sum, x, widen(e, w, op.getAcc()));
    };
    body.finish(p, accumulate(e, {window.kernel[0], window.kernel[1], channels},
                              e.constant(op.getAcc(), 0), next));
  });
}

static void emitConvFilter(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::ConvFilterOp>(operation);
  Body body(e, op, pointers);
  auto image = tensorOf(op.getLhs()), g = tensorOf(op.getRhs());
  Window window = Window::of(op, g.getShape(), op.getSpace());
  int64_t outputs = op.getSpace()[0] / window.groups;
  forPoints(e, op.getSpace(), [&](ArrayRef<Value> p) {
    Value channel = e.add(e.mul(e.div(p[0], outputs), window.groupChannels), p[3]);
    auto next = [&](ArrayRef<Value> pixel, Value sum) {
      Value x = imageAt(e, window, pointers.operands[0], image.getElementType(), pixel[0], pixel[1],
                        pixel[2], p[1], p[2], channel, op.getAcc());
      Value position = at(e, g.getShape(), {pixel[0], pixel[1], pixel[2], p[0]});
      Value cotangent = e.loadScalar(pointers.operands[1], g.getElementType(), position);
      return multiplyAdd(e, sum, x, widen(e, cotangent, op.getAcc()));
    };
    body.finish(p, accumulate(e, {window.images, window.outHeight, window.outWidth},
                              e.constant(op.getAcc(), 0), next));
  });
}

void reference::addConvWriters(Writers &writers) {
  writers[kernel::ConvOp::getOperationName()] = {emitConv, nullptr};
  writers[kernel::ConvFilterOp::getOperationName()] = {emitConvFilter, nullptr};
}
