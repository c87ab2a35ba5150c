// Convolutions of every channel by itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_DEPTHWISE_H
#define LIB_TARGET_CPU_CONV_DEPTHWISE_H

#include "lib/Target/CPU/Data/Totals.h"
#include "lib/Target/Common/ConvPhases.h"

namespace ampc::cpu {

using target::ConvPhase;
using target::Window;

/// A convolution with as many groups as channels and outputs, or the gradient of its filter.
/// Channels are the lanes of vectors, and neighbouring pixels of a row share what is loaded; taps
/// in the padding are left out. Every sum has the order of the taps, or of the pixels.
struct Depthwise {
  Window window;
  mlir::Type lhs, rhs, acc;

  static std::optional<Depthwise> of(kernel::ConvOp op);
  static std::optional<Depthwise> of(kernel::ConvFilterOp op);

  int64_t lanes(const Tier &tier) const { return tier.lanes(8 * elementBytes(acc)); }
  /// Channels in whole vectors.
  int64_t paddedChannels(const Tier &tier) const {
    return llvm::alignTo(window.channels, lanes(tier));
  }
};

/// Blocks of neighbouring output columns whose code is the same: those that meet the padding are
/// alone.
struct ColumnBlocks {
  int64_t first, pixels, count;
  bool isInside; // all taps of all pixels are

  /// Whether pixel `i` of a block meets the image at this tap of a row.
  bool meets(const Window &window, int64_t i, int64_t tap) const;
};

/// A row of the output, in blocks of at most `most` pixels.
llvm::SmallVector<ColumnBlocks> cutColumns(const Window &window, int64_t most);

/// First and last + 1 of the rows of taps that meet the image at an output row.
std::pair<mlir::Value, mlir::Value> tapRowsInside(KernelEmitter &e, const Window &window,
                                                  mlir::Value row);

/// The image under a block of pixels, along a row of taps: what pixels share is loaded once.
class ImageRow {
public:
  /// Of the block's first pixel {image, row, column}; the first tap may lie in the padding.
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

/// Tasks are rows of the output; the scratch holds the filter, vectors of channels of each tap.
class DepthwiseConv {
public:
  /// `sums` belong to channels of an output pixel {image, row, column}.
  using Epilogue = llvm::function_ref<void(llvm::ArrayRef<mlir::Value> pixel, mlir::Value channel,
                                           int64_t active, mlir::Value sums)>;

  DepthwiseConv(const Depthwise &conv, const Tier &tier);
  KernelEmission plan() const;
  void emit(KernelEmitter &e, const KernelPointers &pointers, mlir::Value begin, mlir::Value end,
            Epilogue epilogue) const;

private:
  using Value = mlir::Value;
  struct Place {
    Value image, row, column, channel; // row and column of the phase
    int64_t active;
  };
  void packFilter(KernelEmitter &e, const KernelPointers &pointers) const;
  void emitRow(KernelEmitter &e, const KernelPointers &pointers, const ConvPhase &phase,
               const ConvPhase::Place &start, Value image, Value row, Epilogue epilogue) const;
  llvm::SmallVector<Value> sumBlock(KernelEmitter &e, const KernelPointers &pointers,
                                    const ConvPhase &phase, const ConvPhase::Place &start,
                                    const ColumnBlocks &blocks, const Place &place) const;

  Depthwise conv;
  llvm::SmallVector<ConvPhase> phases;
  int64_t lanes, pixels, scratchBytes; // pixels: of a block
};

/// Tasks have some channels over a part of the images; the scratch holds sums, vectors of channels
/// of each tap.
class DepthwiseFilter {
public:
  /// `sums` belong to (part, channel, tap ...).
  using Epilogue = llvm::function_ref<void(mlir::Value part, mlir::Value channel, mlir::Value tap,
                                           int64_t active, mlir::Value sums)>;

  DepthwiseFilter(const Depthwise &conv, int64_t parts, const Tier &tier);
  KernelEmission plan() const;
  void emit(KernelEmitter &e, const KernelPointers &pointers, mlir::Value begin, mlir::Value end,
            Epilogue epilogue) const;

private:
  using Value = mlir::Value;
  struct Place {
    Value image, row, channel, sums;
    int64_t active;
  };
  void addRow(KernelEmitter &e, const KernelPointers &pointers, const Place &place) const;
  void addTaps(KernelEmitter &e, const KernelPointers &pointers, const Place &place, Value tapRow,
               int64_t tapRows) const;
  llvm::SmallVector<Value> addBlock(KernelEmitter &e, const KernelPointers &pointers,
                                    const Place &place, const ColumnBlocks &blocks, Value column,
                                    Value tapRow, mlir::ValueRange sums) const;
  void forChannels(KernelEmitter &e, Value from, Value to,
                   llvm::function_ref<void(Value channel, int64_t active)> body) const;

  Depthwise conv;
  int64_t parts, lanes, pixels, tapRows; // tapRows: whose sums are in registers at once
  int64_t taskChannels, channelTasks;
};

} // namespace ampc::cpu
#endif
