// Depthwise convolutions: one filter per channel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CONV_DEPTHWISE_H
#define LIB_CODEGEN_CPU_CONV_DEPTHWISE_H

#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "lib/Codegen/Common/ConvPhases.h"

namespace ampc::cpu {

using target::ConvPhase;
using target::Window;

/// Depthwise convolution (groups = channels = outputs), or the gradient of its filter. Vectors run
/// along the channels, neighbouring pixels of a row share loads, and taps in the padding are left
/// out. Sums have a fixed order: that of the taps, or of the pixels.
struct Depthwise {
  Window window;
  mlir::Type lhs, rhs, acc;

  static std::optional<Depthwise> of(kernel::ConvOp op);
  static std::optional<Depthwise> of(kernel::ConvFilterOp op);

  int64_t lanes(const Tier &tier) const { return tier.lanes(8 * elementBytes(acc)); }
  /// Channels rounded up to whole vectors. Example: 20 channels of 16 lanes -> 32.
  int64_t paddedChannels(const Tier &tier) const {
    return llvm::alignTo(window.channels, lanes(tier));
  }
};

/// `count` blocks of `pixels` neighbouring output columns that share one loop body. Blocks whose
/// windows touch the padding have code of their own.
struct ColumnBlocks {
  int64_t first, pixels, count;
  bool isInside; // all taps of all pixels lie in the image

  /// Whether the tap of pixel `i` of the first block lies in the image.
  bool meets(const Window &window, int64_t i, int64_t tap) const;
};

/// Cuts an output row into blocks of at most `most` pixels. Example: width 14, 3 taps, pad 1, most
/// 4 -> columns 0..3 | 4..7, 8..11 | 12, 13.
llvm::SmallVector<ColumnBlocks> cutColumns(const Window &window, int64_t most);

/// Range [first, last + 1) of the tap rows inside the image, for an output row.
std::pair<mlir::Value, mlir::Value> tapRowsInside(KernelEmitter &e, const Window &window,
                                                  mlir::Value row);

/// Image under a block of pixels for one tap row; every vector is loaded once and shared.
class ImageRow {
public:
  /// `pixel`: first pixel of the block, [image, row, column]; its first tap may lie in the padding.
  ImageRow(KernelEmitter &e, const Window &window, const Depthwise &conv, mlir::Value pointer,
           llvm::ArrayRef<mlir::Value> pixel, mlir::Value tapRow, mlir::Value channel,
           int64_t active);
  mlir::Value at(int64_t pixel, int64_t tap);

private:
  KernelEmitter &e;
  const Window &window;
  const Depthwise &conv;
  mlir::Value pointer, start; // start: position of the first tap
  int64_t active;
  llvm::DenseMap<int64_t, mlir::Value> loaded;
};

/// Tasks are output rows. Scratch: the filter as [channel vectors, taps, lanes].
class DepthwiseConv {
public:
  /// Receives the sums of channels of an output pixel [image, row, column].
  using Epilogue = llvm::function_ref<void(llvm::ArrayRef<mlir::Value> pixel, mlir::Value channel,
                                           int64_t active, mlir::Value sums)>;

  DepthwiseConv(const Depthwise &conv, const Tier &tier);
  KernelEmission plan() const;
  void emit(KernelEmitter &e, const KernelPointers &pointers, mlir::Value begin, mlir::Value end,
            Epilogue epilogue) const;

private:
  using Value = mlir::Value;
  struct ChannelBlock {
    Value image, row, column, channel; // row and column of the phase
    int64_t active;
  };
  void packFilter(KernelEmitter &e, const KernelPointers &pointers) const;
  void emitRow(KernelEmitter &e, const KernelPointers &pointers, const ConvPhase &phase,
               const ConvPhase::Offsets &start, Value image, Value row, Epilogue epilogue) const;
  llvm::SmallVector<Value> sumBlock(KernelEmitter &e, const KernelPointers &pointers,
                                    const ConvPhase &phase, const ConvPhase::Offsets &start,
                                    const ColumnBlocks &blocks, const ChannelBlock &place) const;

  Depthwise conv;
  llvm::SmallVector<ConvPhase> phases;
  int64_t lanes, pixels, scratchBytes; // pixels: of a block
};

/// Tasks have some channels over a slice of the images. Scratch: sums as [channel vectors, taps,
/// lanes].
class DepthwiseFilter {
public:
  /// Receives the sums of [part, channel, tap and following].
  using Epilogue = llvm::function_ref<void(mlir::Value part, mlir::Value channel, mlir::Value tap,
                                           int64_t active, mlir::Value sums)>;

  DepthwiseFilter(const Depthwise &conv, int64_t parts, const Tier &tier);
  KernelEmission plan() const;
  void emit(KernelEmitter &e, const KernelPointers &pointers, mlir::Value begin, mlir::Value end,
            Epilogue epilogue) const;

private:
  using Value = mlir::Value;
  struct ChannelBlock {
    Value image, row, channel, sums;
    int64_t active;
  };
  void addRow(KernelEmitter &e, const KernelPointers &pointers, const ChannelBlock &place) const;
  void addTaps(KernelEmitter &e, const KernelPointers &pointers, const ChannelBlock &place,
               Value tapRow, int64_t tapRows) const;
  llvm::SmallVector<Value> addBlock(KernelEmitter &e, const KernelPointers &pointers,
                                    const ChannelBlock &place, const ColumnBlocks &blocks,
                                    Value column, Value tapRow, mlir::ValueRange sums) const;
  void forChannels(KernelEmitter &e, Value from, Value to,
                   llvm::function_ref<void(Value channel, int64_t active)> body) const;

  Depthwise conv;
  int64_t parts, lanes, pixels, tapRows; // tapRows: rows of taps whose sums fit the registers
  int64_t taskChannels, channelTasks;
};

} // namespace ampc::cpu
#endif
