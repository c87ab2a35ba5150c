// Depthwise convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/Depthwise.h"
#include "lib/Codegen/NVPTX/Product/Epilogue.h"
#include "lib/Codegen/NVPTX/Product/WindowReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::ConvPhase;
using target::Window;

template <typename Op>
static std::optional<Depthwise> ofOp(Op op, ArrayRef<int64_t> out, ArrayRef<int64_t> filter) {
  Window window = Window::of(op, out, filter);
  Type element = getElementTypeOrSelf(op.getLhs());
  bool isFloat = element.isBF16() || element.isF16() || element.isF32();
  if (!isFloat || getElementTypeOrSelf(op.getRhs()) != element || !op.getAcc().isF32() ||
      op.getCompute())
    return std::nullopt;
  bool isDepthwise = window.groups > 1 && window.groupChannels == 1 && filter[0] == window.groups &&
                     !window.channelsFirst;
  int64_t bytes = window.height * window.width * window.channels * target::elementBytes(element);
  bool isEmpty = ShapedType::getNumElements(op.getSpace()) == 0 || window.pixels() == 0;
  if (!isDepthwise || isEmpty || window.taps() > 90 || bytes > INT32_MAX / 2)
    return std::nullopt;
  return Depthwise{window, element};
}
std::optional<Depthwise> Depthwise::of(kernel::ConvOp op) {
  return ofOp(op, op.getSpace(), op.getRhs().getType().getShape());
}
std::optional<Depthwise> Depthwise::of(kernel::ConvFilterOp op) {
  if (getElementTypeOrSelf(op.getLhs()).isF32())
    return std::nullopt;
  return ofOp(op, op.getRhs().getType().getShape(), op.getSpace());
}

int64_t Depthwise::run() const {
  int64_t most = 16 / target::elementBytes(element);
  return std::min(most, window.channels & -window.channels);
}

namespace {
/// Distribution of channels and pixels over the threads of a block: neighbouring threads have
/// neighbouring channels.
struct ThreadLayout {
  static constexpr int64_t threads = 256;
  int64_t run, lanes; // channels per thread; threads along the channels
  int64_t channelBlocks;

  explicit ThreadLayout(const Depthwise &conv) : run(conv.run()) {
    int64_t runs = conv.window.channels / run;
    lanes = std::min<int64_t>(16, llvm::PowerOf2Ceil(runs));
    channelBlocks = llvm::divideCeil(runs, lanes);
  }
  int64_t channels() const { return run * lanes; }   // per block
  int64_t pixels() const { return threads / lanes; } // pixels of a block at a time
};

/// Per-thread state of a depthwise kernel: channels, pixel, window.
class ThreadState {
public:
  ThreadState(DeviceEmitter &e, const Depthwise &conv, const ThreadLayout &layout,
              const Window &window, Value channelBlock)
      : e(e), conv(conv), layout(layout), reader(e, window, target::elementBytes(conv.element)),
        lane(e.rem(e.thread(), layout.lanes)), pixel(e.div(e.thread(), layout.lanes)),
        ownChannel(e.mul(lane, layout.run)),
        channel(e.add(e.mul(channelBlock, layout.channels()), ownChannel)) {
    if (conv.window.channels % layout.channels())
      exists = e.isBelow(channel, conv.window.channels);
  }
  /// Loads the thread's channels of a pixel at `pointer` as f32; zeros if `isThere` is false (null:
  /// always true), in which case `safe` is read.
  SmallVector<Value> load(Value pointer, Value isThere, Value safe) {
    Value from = isThere ? target::select(e, isThere, pointer, safe) : pointer;
    SmallVector<Value> numbers;
    for (Value x : e.loadVector(from, conv.element, layout.run)) {
      x = target::widen(e, x, e.b.getF32Type());
      numbers.push_back(isThere ? target::select(e, isThere, x, e.constant(x.getType(), 0)) : x);
    }
    return numbers;
  }
  Value channelsOf(Value image) {
    Value first = exists ? target::select(e, exists, channel, e.i32(0)) : channel;
    return e.address(image, conv.element, e.position(first));
  }

  DeviceEmitter &e;
  const Depthwise &conv;
  const ThreadLayout &layout;
  WindowReader reader;
  Value lane, pixel;         // i32; index of the thread within the block
  Value ownChannel, channel; // first channel of the thread, in the block and overall
  Value exists;              // whether the channels are in range; null: always
};
} // namespace

// ---- Convolution ----

/// Copies the block's filters to shared memory as f32 [taps, channels].
static void stageFilter(ThreadState &r, const ConvPhase &phase, Value phaseNumber, Value filter,
                        Value memory, Value channelBlock) {
  DeviceEmitter &e = r.e;
  const Window &whole = r.conv.window;
  int64_t taps = phase.window.taps(), channels = r.layout.channels();
  ConvPhase::Offsets first = phase.placeOf(e, phaseNumber);
  auto copy = [&](Value number) {
    Value tap = e.rem(number, taps), own = e.div(number, taps);
    Value channel = e.add(e.mul(channelBlock, channels), own);
    auto place = [&](unsigned axis, Value i) {
      return e.add(e.mul(i, phase.tapStep[axis]), e.number(first.firstTap[axis]));
    };
    int64_t width = phase.window.kernel[1];
    Value at =
        e.add(e.mul(place(0, e.div(tap, width)), whole.kernel[1]), place(1, e.rem(tap, width)));
    at = e.add(e.mul(e.position(channel), whole.taps()), e.position(at));
    auto move = [&] {
      Value x = target::widen(e, e.loadScalar(filter, r.conv.element, at), e.b.getF32Type());
      e.storeScalar(x, memory, e.position(e.add(e.mul(tap, channels), own)));
    };
    if (r.exists)
      e.when(e.isBelow(channel, whole.channels), move);
    else
      move();
  };
  int64_t count = taps * channels;
  e.loop(e.index(0), e.index(llvm::divideCeil(count, ThreadLayout::threads)), 1, [&](Value pass) {
    Value number = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), pass);
    number = e.add(e.mul(number, ThreadLayout::threads), e.thread());
    if (count % ThreadLayout::threads)
      e.when(e.isBelow(number, count), [&] { copy(number); });
    else
      copy(number);
  });
  e.syncBlock();
}

/// Pixels per thread, which share the loaded filter.
static constexpr int64_t pixelsOfThread = 4;

static void emitPhase(const Depthwise &conv, kernel::ConvOp op, DeviceCode &code,
                      const ConvPhase &phase) {
  const Window &window = phase.window;
  ProductResults results = ProductResults::of(op, phase, window.channels);
  if (window.taps() == 0)
    return launchSplitKReduction(op, code, results, {1, phase.phases()}, window.pixels(),
                                 window.channels, 0);
  ThreadLayout layout(conv);
  LaunchShape shape;
  int64_t pixelBlocks = llvm::divideCeil(window.pixels(), layout.pixels() * pixelsOfThread);
  shape.threads = ThreadLayout::threads;
  shape.grid[0] = pixelBlocks * layout.channelBlocks * phase.phases();
  shape.sharedBytes = 4 * window.taps() * layout.channels();
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Value channelBlock = e.rem(e.block(), layout.channelBlocks),
          rest = e.div(e.block(), layout.channelBlocks),
          phaseNumber = e.position(e.div(rest, pixelBlocks));
    Value pixelBlock = phase.phases() == 1 ? rest : e.rem(rest, pixelBlocks);
    ThreadState r(e, conv, layout, window, channelBlock);
    Value memory = e.sharedMemory(), image = pointers.operands[0], own = r.channelsOf(image);
    stageFilter(r, phase, phaseNumber, pointers.operands[1], memory, channelBlock);
    SmallVector<Value> numbers;
    SmallVector<WindowReader::Corner> corners;
    for (int64_t i = 0; i < pixelsOfThread; ++i) {
      Value number = e.add(e.mul(pixelBlock, layout.pixels() * pixelsOfThread),
                           e.add(r.pixel, e.i32(i * layout.pixels())));
      numbers.push_back(number);
      corners.push_back(r.reader.cornerOf(number, e.i32(window.pixels())));
    }
    Type f32 = e.b.getF32Type();
    SmallVector<Value> zeros(pixelsOfThread * layout.run, e.constant(f32, 0));
    auto addTap = [&](Value t, ValueRange soFar) {
      Value tap = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), t);
      Value weights = e.add(e.mul(tap, layout.channels()), r.ownChannel);
      SmallVector<Value> w =
          e.loadVector(e.address(memory, f32, e.position(weights)), f32, layout.run);
      WindowReader::Tap place = r.reader.tapOf(tap, Value());
      SmallVector<Value> sums;
      for (auto [i, corner] : llvm::enumerate(corners)) {
        Value from, isThere;
        r.reader.placeOf(own, corner, place, from, isThere);
        for (auto [c, x] : llvm::enumerate(r.load(from, isThere, image)))
          sums.push_back(
              target::multiplyAdd(e, soFar[i * layout.run + c], x, w[c], /*fused=*/true));
      }
      return sums;
    };
    SmallVector<Value> sums = e.loop(e.index(0), e.index(window.taps()), 1, zeros, addTap);
    ResultWriter writer(e, op, results, pointers, layout.run);
    Value batch[] = {e.index(0), phaseNumber};
    for (size_t i = 0; i < numbers.size(); ++i) {
      Value number = numbers[i];
      Value isThere = e.isBelow(number, window.pixels());
      isThere = r.exists ? target::both(e, isThere, r.exists) : isThere;
      e.when(isThere, [&] {
        for (int64_t c = 0; c < layout.run; c += writer.columns)
          writer.write(ArrayRef(sums).slice(i * layout.run + c, writer.columns), batch, number,
                       e.add(r.channel, e.i32(c)));
      });
    }
  });
}

void Depthwise::emit(kernel::ConvOp op, DeviceCode &code) const {
  SmallVector<ConvPhase> phases = target::phasesOf(window, /*splits=*/true);
  for (const ConvPhase &phase : phases)
    emitPhase(*this, op, code, phase);
  std::string form =
      "depthwise, loads of " + std::to_string(run() * target::elementBytes(element)) + " bytes";
  int64_t count = 0;
  for (const ConvPhase &phase : phases)
    count += phase.phases();
  if (count > 1)
    form += ", in " + std::to_string(count) + " phases";
  code.describe(form);
}

// ---- Gradient of the filter ----

/// Taps per thread, with accumulators in registers.
static constexpr int64_t tapsOfThread = 9;

// Split of the pixels: enough blocks to fill the chip twice, with at least eight pixels per thread.
int64_t Depthwise::chooseParts(const Chip &chip) const {
  ThreadLayout layout(*this);
  int64_t blocks = layout.channelBlocks * llvm::divideCeil(window.taps(), tapsOfThread);
  int64_t most = window.pixels() / (8 * layout.pixels());
  return std::clamp<int64_t>(llvm::divideCeil(2 * chip.multiprocessors, blocks), 1,
                             std::max<int64_t>(most, 1));
}

/// Sum of every tap and channel over the threads of a block, in thread order; thread c gets the
/// sums of the block's channel c.
static SmallVector<Value> sumOfBlock(ThreadState &r, ArrayRef<Value> sums, int64_t taps) {
  DeviceEmitter &e = r.e;
  Type f32 = e.b.getF32Type();
  const ThreadLayout &layout = r.layout;
  Value memory = e.sharedMemory();
  Value own = e.add(e.mul(r.pixel, layout.channels()), r.ownChannel);
  SmallVector<Value> reductions;
  for (int64_t tap = 0; tap < taps; ++tap) {
    if (tap > 0)
      e.syncBlock();
    e.storeVector(sums.slice(tap * layout.run, layout.run),
                  e.address(memory, f32, e.position(own)));
    e.syncBlock();
    Value column = e.position(e.rem(e.thread(), layout.channels()));
    auto add = [&](Value i, ValueRange sum) -> SmallVector<Value> {
      Value x = e.loadScalar(memory, f32, e.add(e.mul(i, layout.channels()), column));
      return {arith::AddFOp::create(e.b, e.loc, sum[0], x)};
    };
    reductions.push_back(
        e.loop(e.index(0), e.index(layout.pixels()), 1, ValueRange{e.constant(f32, 0)}, add)[0]);
  }
  return reductions;
}

void Depthwise::emit(kernel::ConvFilterOp op, DeviceCode &code) const {
  ThreadLayout layout(*this);
  int64_t parts = op.getParts(), taps = std::min(tapsOfThread, window.taps()),
          tapBlocks = llvm::divideCeil(window.taps(), taps),
          length = llvm::divideCeil(window.pixels(), parts);
  LaunchShape shape;
  shape.threads = ThreadLayout::threads;
  shape.grid[0] = parts * tapBlocks * layout.channelBlocks;
  shape.sharedBytes = 4 * ThreadLayout::threads * layout.run;
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Type f32 = e.b.getF32Type();
    Value rest = e.div(e.block(), layout.channelBlocks),
          channelBlock = e.rem(e.block(), layout.channelBlocks);
    Value firstTap = e.mul(e.rem(rest, tapBlocks), taps), part = e.div(rest, tapBlocks);
    ThreadState r(e, *this, layout, window, channelBlock);
    Value image = pointers.operands[0], cotangent = pointers.operands[1];
    Value ownImage = r.channelsOf(image), ownCotangent = r.channelsOf(cotangent);
    SmallVector<WindowReader::Tap> places;
    for (int64_t t = 0; t < taps; ++t)
      places.push_back(r.reader.tapOf(e.add(firstTap, e.i32(t)), e.i32(window.taps())));
    auto addPixel = [&](Value p, ValueRange soFar) {
      Value pixel = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), p);
      WindowReader::Corner corner = r.reader.cornerOf(pixel, Value());
      Value from = e.address(ownCotangent, element, e.mul(p, window.channels));
      SmallVector<Value> g = r.load(from, Value(), cotangent), sums;
      for (auto [t, place] : llvm::enumerate(places)) {
        Value isThere;
        r.reader.placeOf(ownImage, corner, place, from, isThere);
        for (auto [c, x] : llvm::enumerate(r.load(from, isThere, image)))
          sums.push_back(
              target::multiplyAdd(e, soFar[t * layout.run + c], x, g[c], /*fused=*/true));
      }
      return sums;
    };
    Value begin = e.mul(e.position(part), length), all = e.index(window.pixels());
    Value end = e.min(e.add(begin, length), all);
    SmallVector<Value> zeros(taps * layout.run, e.constant(f32, 0));
    SmallVector<Value> sums =
        e.loop(e.add(begin, e.position(r.pixel)), end, layout.pixels(), zeros, addPixel);
    SmallVector<Value> reductions = sumOfBlock(r, sums, taps);
    // Workspace: [parts, channels, taps].
    Value own = e.thread(), number = e.add(e.mul(channelBlock, layout.channels()), own);
    Value isThere =
        target::both(e, e.isBelow(own, layout.channels()), e.isBelow(number, window.channels));
    e.when(isThere, [&] {
      Value row = e.add(e.mul(e.position(part), window.channels), e.position(number));
      for (size_t t = 0; t < reductions.size(); ++t) {
        Value tap = e.add(firstTap, e.i32(t));
        e.when(e.isBelow(tap, window.taps()), [&] {
          e.storeScalar(reductions[t], pointers.workspace,
                        e.add(e.mul(row, window.taps()), e.position(tap)));
        });
      }
    });
  });
  launchSplitKReduction(op, code, ProductResults::of(op, window.channels), {1}, window.channels,
                        window.taps(), parts);
  code.describe("depthwise, loads of " + std::to_string(run() * target::elementBytes(element)) +
                " bytes, split-K " + std::to_string(parts));
}
