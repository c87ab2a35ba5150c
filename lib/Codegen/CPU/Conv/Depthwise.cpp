// Detection of depthwise convolutions, and blocking of their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/Depthwise.h"
#include "lib/Codegen/CPU/Product/Panels.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

/// Bound on code size: products of pixels whose windows touch the padding are unrolled.
static constexpr int64_t mostProducts = 2048;

template <typename Op>
static std::optional<Depthwise> ofOp(Op op, ArrayRef<int64_t> out, ArrayRef<int64_t> filter) {
  Window window = Window::of(op, out, filter);
  if (window.groups == 1 || window.groupChannels != 1 || filter[0] != window.groups ||
      window.channelsFirst)
    return std::nullopt;
  int64_t reach = (window.kernel[1] - 1) * window.dilations[1];
  bool isEmpty = ShapedType::getNumElements(op.getSpace()) == 0 || window.pixels() == 0;
  if (isEmpty || window.kernel[1] * std::min(reach, window.outWidth) > mostProducts)
    return std::nullopt;
  return Depthwise{window, getElementTypeOrSelf(op.getLhs()), getElementTypeOrSelf(op.getRhs()),
                   op.getAcc()};
}
std::optional<Depthwise> Depthwise::of(kernel::ConvOp op) {
  auto conv = ofOp(op, op.getSpace(), op.getRhs().getType().getShape());
  if (!conv)
    return conv;
  const Window &window = target::phasesOf(conv->window, /*splits=*/true).front().window;
  bool isDilated = window.inputDilations[0] * window.inputDilations[1] > 1;
  return isDilated ? std::nullopt : conv;
}
std::optional<Depthwise> Depthwise::of(kernel::ConvFilterOp op) {
  if (op.hasDilatedImage())
    return std::nullopt;
  return ofOp(op, op.getRhs().getType().getShape(), op.getSpace());
}

bool ColumnBlocks::meets(const Window &window, int64_t i, int64_t tap) const {
  int64_t column = (first + i) * window.strides[1] + tap * window.dilations[1] - window.padding[1];
  return isInside || (0 <= column && column < window.width);
}

SmallVector<ColumnBlocks> cpu::cutColumns(const Window &window, int64_t most) {
  SmallVector<ColumnBlocks> all;
  int64_t count = llvm::divideCeil(window.outWidth, most),
          size = llvm::divideCeil(window.outWidth, count);
  for (int64_t first = 0; first < window.outWidth; first += size) {
    ColumnBlocks block{first, std::min(size, window.outWidth - first), 1, false};
    block.isInside =
        block.meets(window, 0, 0) && block.meets(window, block.pixels - 1, window.kernel[1] - 1);
    bool goesOn = !all.empty() && all.back().isInside && block.isInside;
    if (goesOn && all.back().pixels == block.pixels)
      ++all.back().count;
    else
      all.push_back(block);
  }
  return all;
}

std::pair<Value, Value> cpu::tapRowsInside(KernelEmitter &e, const Window &window, Value row) {
  int64_t dilation = window.dilations[0], rows = window.kernel[0];
  int64_t last = (window.outHeight - 1) * window.strides[0] + (rows - 1) * dilation;
  if (window.padding[0] <= 0 && last - window.padding[0] < window.height)
    return {e.index(0), e.index(rows)};
  Value start = e.mul(row, window.strides[0]);
  // First tap row whose image row is at least `from` (in padded coordinates).
  auto reach = [&](int64_t from) {
    Value distance = e.max(e.sub(e.index(from), start), e.index(0));
    return e.min(e.div(e.add(distance, dilation - 1), dilation), e.index(rows));
  };
  return {reach(window.padding[0]), reach(window.height + window.padding[0])};
}

ImageRow::ImageRow(KernelEmitter &e, const Window &window, const Depthwise &conv, Value pointer,
                   ArrayRef<Value> pixel, Value tapRow, Value channel, int64_t active)
    : e(e), window(window), conv(conv), pointer(pointer), active(active) {
  auto origin = [&](unsigned axis) {
    return e.add(e.mul(pixel[1 + axis], window.strides[axis]), -window.padding[axis]);
  };
  Value row = e.add(origin(0), e.mul(tapRow, window.dilations[0]));
  Value line = e.add(e.mul(pixel[0], window.height), row);
  start = e.add(e.mul(e.add(e.mul(line, window.width), origin(1)), window.channels), channel);
}
Value ImageRow::at(int64_t pixel, int64_t tap) {
  int64_t column = pixel * window.strides[1] + tap * window.dilations[1];
  Value &x = loaded[column];
  if (!x) {
    Value position = e.add(start, column * window.channels);
    x = e.loadVector(pointer, conv.lhs, position, conv.lanes(e.tier), active);
    x = widen(e, x, conv.acc);
  }
  return x;
}
