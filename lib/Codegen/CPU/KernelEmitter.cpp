// Vector values, loads and stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc::cpu;

Type KernelEmitter::vectorOf(Type element, int64_t lanes) {
  return lanes == 1 ? element : VectorType::get({lanes}, element);
}
Value KernelEmitter::broadcast(Value scalar, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(b, loc, vectorOf(scalar.getType(), lanes), scalar);
}

// ---- Memory ----

Value KernelEmitter::loadVector(Value base, Type element, Value position, int64_t lanes,
                                int64_t active) {
  Value at = address(base, element, position);
  unsigned align = elementBytes(element);
  Type type = vectorOf(rawType(element), lanes);
  if (active < 0 || active == lanes)
    return fromRaw(LLVM::LoadOp::create(b, loc, type, at, align), element);
  Value zero = constant(type, 0);
  Value loaded = LLVM::MaskedLoadOp::create(b, loc, type, at, mask(lanes, active), zero, align);
  return fromRaw(loaded, element);
}
Value KernelEmitter::loadScattered(Value base, Type element, llvm::ArrayRef<Value> positions,
                                   int64_t lanes) {
  Type raw = rawType(element);
  Value result = constant(vectorOf(raw, lanes), 0);
  for (auto [lane, position] : llvm::enumerate(positions)) {
    Value x = loadVector(base, raw, position, 1);
    result = vector::InsertOp::create(b, loc, x, result, int64_t(lane));
  }
  return fromRaw(result, element);
}
Value KernelEmitter::loadStrided(Value base, Type element, Value position, int64_t stride,
                                 int64_t lanes, int64_t active) {
  if (lanes == 1)
    return loadScalar(base, element, position);
  if (stride == 0)
    return broadcast(loadScalar(base, element, position), lanes);
  if (stride == 1)
    return loadVector(base, element, position, lanes, active);
  active = active < 0 ? lanes : active;
  if (stride == -1 && active == lanes) {
    Value forward = loadVector(base, rawType(element), add(position, 1 - lanes), lanes);
    auto order = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, lanes)));
    return fromRaw(shuffle(forward, forward, order), element);
  }
  SmallVector<Value> positions;
  for (int64_t lane = 0; lane < active; ++lane)
    positions.push_back(add(position, lane * stride));
  return loadScattered(base, element, positions, lanes);
}
void KernelEmitter::store(Value value, Value base, Value position, int64_t active) {
  Type element = getElementTypeOrSelf(value.getType());
  Value at = address(base, element, position);
  unsigned align = elementBytes(element);
  auto vector = dyn_cast<VectorType>(value.getType());
  value = toRaw(value);
  if (!vector || active < 0 || active == vector.getDimSize(0))
    LLVM::StoreOp::create(b, loc, value, at, align);
  // LLVM 22 bug: a masked store of a single lane of a truncated vector is lowered to a store of the
  // wide type, past the end.
  else if (active == 1)
    LLVM::StoreOp::create(b, loc, vector::ExtractOp::create(b, loc, value, int64_t(0)), at, align);
  else
    LLVM::MaskedStoreOp::create(b, loc, value, at, mask(vector.getDimSize(0), active), align);
}
void KernelEmitter::stream(Value vector, Value base, Value position) {
  auto type = cast<VectorType>(vector.getType());
  unsigned bytes = type.getNumElements() * elementBytes(type.getElementType());
  Value at = address(base, type.getElementType(), position);
  LLVM::StoreOp::create(b, loc, toRaw(vector), at, std::min(bytes, 64u), /*isVolatile=*/false,
                        /*isNonTemporal=*/true);
}
void KernelEmitter::finishStreams() {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange{});
}
void KernelEmitter::prefetch(Value base, Type element, Value position) {
  LLVM::Prefetch::create(b, loc, address(base, element, position), /*rw=*/0, /*hint=*/3,
                         /*cache=*/1);
}
void KernelEmitter::storeScattered(Value value, Value base, llvm::ArrayRef<Value> positions) {
  value = toRaw(value);
  for (auto [lane, position] : llvm::enumerate(positions))
    store(vector::ExtractOp::create(b, loc, value, int64_t(lane)), base, position);
}
void KernelEmitter::storeStrided(Value value, Value base, Value position, int64_t stride,
                                 int64_t active) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || stride == 1)
    return store(value, base, position, active);
  SmallVector<Value> positions;
  for (int64_t lane = 0; lane < (active < 0 ? vector.getDimSize(0) : active); ++lane)
    positions.push_back(add(position, lane * stride));
  storeScattered(value, base, positions);
}

// ---- Vectors ----

Value KernelEmitter::iota(Type element, int64_t lanes) {
  auto type = VectorType::get({lanes}, element);
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < lanes; ++i)
    numbers.push_back(b.getIntegerAttr(element, i));
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, numbers));
}
Value KernelEmitter::mask(int64_t lanes, int64_t active) {
  SmallVector<bool> bits(lanes, false);
  std::fill(bits.begin(), bits.begin() + active, true);
  auto type = VectorType::get({lanes}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<bool>(bits)));
}
Value KernelEmitter::shuffle(Value x, Value y, ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(b, loc, x, y, lanes);
}
/// Lane numbers that one stage of a transposition picks from two rows, in pieces of `piece` lanes:
/// the first or second half of every `block`, or the even or odd pieces. Example: 4 lanes, block 4,
/// piece 1, first -> 0, 4, 1, 5.
static SmallVector<int64_t> stageLanes(int64_t lanes, int64_t block, int64_t piece, bool second) {
  SmallVector<int64_t> from[2];
  int64_t pieces = lanes / piece, perBlock = block / piece;
  for (int64_t row : {0, 1})
    for (int64_t at = 0; at < pieces; ++at)
      if (second == (perBlock > 1 ? at % perBlock >= perBlock / 2 : at % 2))
        for (int64_t lane = 0; lane < piece; ++lane)
          from[row].push_back(row * lanes + at * piece + lane);
  if (perBlock == 1) {
    from[0].append(from[1]);
    return from[0];
  }
  // Pieces of the two rows alternate.
  SmallVector<int64_t> result;
  for (int64_t at = 0; at < lanes / 2; at += piece)
    for (const SmallVector<int64_t> &row : from)
      result.append(row.begin() + at, row.begin() + at + piece);
  return result;
}

// Unpacks within 16 bytes, then moves 16-byte blocks: both shuffles need no index register, over
// whose constants LLVM would spend most of its compile time.
SmallVector<Value> KernelEmitter::transpose(ArrayRef<Value> rows) {
  Type element = getElementTypeOrSelf(rows.front().getType());
  SmallVector<Value> from, to(rows.size());
  for (Value row : rows)
    from.push_back(toRaw(row));
  int64_t count = rows.size(), block = std::min<int64_t>(count, 16 / elementBytes(element));
  for (int64_t distance = 1; distance < count; distance *= 2) {
    bool unpacks = distance < block;
    auto first = stageLanes(count, block, std::min(distance, block), false);
    auto second = stageLanes(count, block, std::min(distance, block), true);
    for (int64_t i = 0; i < count; ++i) {
      if (i & distance)
        continue;
      int64_t low = unpacks ? i + i % distance : i;
      int64_t high = unpacks ? low + 1 : i + distance;
      to[low] = shuffle(from[i], from[i + distance], first);
      to[high] = shuffle(from[i], from[i + distance], second);
    }
    std::swap(from, to);
  }
  for (Value &row : from)
    row = fromRaw(row, element);
  return from;
}
