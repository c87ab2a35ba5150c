// Emission of threads, shuffles and barriers as ops of the NVVM dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/DeviceEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace ampc::nvptx;

Value DeviceEmitter::thread() { return NVVM::ThreadIdXOp::create(b, loc, b.getI32Type()); }
Value DeviceEmitter::block() { return NVVM::BlockIdXOp::create(b, loc, b.getI32Type()); }
Value DeviceEmitter::globalThread(int64_t threads) { return add(mul(block(), threads), thread()); }

// ---- Integers ----

Value DeviceEmitter::i32(int64_t value) { return integer(b.getI32Type(), value); }
Value DeviceEmitter::bitAnd(Value x, int64_t mask) {
  return b.createOrFold<arith::AndIOp>(loc, x, integer(x.getType(), mask));
}
Value DeviceEmitter::bitXor(Value x, Value y) { return b.createOrFold<arith::XOrIOp>(loc, x, y); }
Value DeviceEmitter::isBelow(Value x, int64_t limit) {
  return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, x,
                                       integer(x.getType(), limit));
}
Value DeviceEmitter::position(Value number) {
  return b.createOrFold<arith::IndexCastUIOp>(loc, b.getIndexType(), number);
}
SmallVector<Value> DeviceEmitter::split(Value number, ArrayRef<int64_t> sizes) {
  SmallVector<Value> dims(sizes.size());
  for (unsigned dim = sizes.size(); dim-- > 0;) {
    dims[dim] = position(dim ? rem(number, sizes[dim]) : number);
    number = div(number, sizes[dim]);
  }
  return dims;
}

Value DeviceEmitter::number(Value position) {
  return b.createOrFold<arith::IndexCastUIOp>(loc, b.getI32Type(), position);
}
SmallVector<Value> DeviceEmitter::either(Value condition, Branch yes, Branch no) {
  // Result types are known only after both branches are written, and branches need a parent op in a
  // function; so the branches are written into a draft op first.
  auto draft = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
  auto write = [&](Block *block, Branch branch) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    SmallVector<Value> values = branch();
    block->getTerminator()->setOperands(values);
    return values;
  };
  SmallVector<Value> values = write(draft.thenBlock(), yes);
  write(draft.elseBlock(), no);
  auto branch = scf::IfOp::create(b, loc, ValueRange(values).getTypes(), condition);
  branch.getThenRegion().takeBody(draft.getThenRegion());
  branch.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  return llvm::to_vector_of<Value>(branch.getResults());
}

// ---- Memory ----

Value DeviceEmitter::advance(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}
Value DeviceEmitter::advance(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}
Value DeviceEmitter::sharedMemory(unsigned alignment) {
  constexpr llvm::StringLiteral name = "shared_memory";
  constexpr unsigned space = unsigned(NVVM::NVVMMemorySpace::Shared);
  auto module = b.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(b, loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                                    /*isConstant=*/false, LLVM::Linkage::External, name,
                                    Attribute(), alignment, space);
  }
  if (*global.getAlignment() < alignment)
    global.setAlignment(alignment);
  return LLVM::AddressOfOp::create(b, loc, global);
}
static unsigned runAlignment(Type element, int64_t count) {
  return std::min<int64_t>(16, count * ampc::target::elementBytes(element));
}
SmallVector<Value> DeviceEmitter::loadVector(Value pointer, Type element, int64_t count) {
  if (count == 1)
    return {loadScalar(pointer, element, index(0))};
  auto type = VectorType::get({count}, rawType(element));
  Value run = LLVM::LoadOp::create(b, loc, type, pointer, runAlignment(element, count));
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(fromRaw(vector::ExtractOp::create(b, loc, run, i), element));
  return values;
}
void DeviceEmitter::storeVector(ArrayRef<Value> values, Value pointer) {
  Type element = values.front().getType();
  int64_t count = values.size();
  if (count == 1)
    return storeScalar(values.front(), pointer, index(0));
  auto type = VectorType::get({count}, rawType(element));
  Value run = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (int64_t i = 0; i < count; ++i)
    run = vector::InsertOp::create(b, loc, toRaw(values[i]), run, i);
  LLVM::StoreOp::create(b, loc, run, pointer, runAlignment(element, count));
}
// Only 16-byte copies can bypass the L1 cache (.cg), where other warps would not find any reuse.
void DeviceEmitter::copyAsync(Value to, Value from, int64_t bytes, Value present) {
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, loc, to, from, bytes, cache, present);
}
void DeviceEmitter::commitCopies() { NVVM::CpAsyncCommitGroupOp::create(b, loc); }
void DeviceEmitter::waitForCopies(int64_t groups) {
  NVVM::CpAsyncWaitGroupOp::create(b, loc, groups);
}

// ---- Warps ----

/// Operand c of shfl for segments of `width` lanes: PTX ISA, "shfl.sync".
static int64_t groupOf(int64_t width) { return (32 - width) << 8 | 31; }

/// Shuffles a 32-bit or 64-bit number as one or two registers.
static Value move(DeviceEmitter &e, Value x, llvm::function_ref<Value(Value)> shuffle) {
  Type type = x.getType(), i32 = e.b.getI32Type(), i64 = e.b.getI64Type();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type whole = bits == 64 ? i64 : i32;
  if (type != whole)
    x = arith::BitcastOp::create(e.b, e.loc, whole, x);
  Value moved;
  if (bits == 32) {
    moved = shuffle(x);
  } else {
    Value half = arith::ConstantOp::create(e.b, e.loc, e.b.getI64IntegerAttr(32));
    Value low = shuffle(arith::TruncIOp::create(e.b, e.loc, i32, x));
    Value high = arith::ShRUIOp::create(e.b, e.loc, x, half);
    high = shuffle(arith::TruncIOp::create(e.b, e.loc, i32, high));
    low = arith::ExtUIOp::create(e.b, e.loc, i64, low);
    high = arith::ExtUIOp::create(e.b, e.loc, i64, high);
    high = arith::ShLIOp::create(e.b, e.loc, high, half);
    moved = arith::OrIOp::create(e.b, e.loc, low, high);
  }
  return type == whole ? moved : arith::BitcastOp::create(e.b, e.loc, type, moved).getResult();
}

Value DeviceEmitter::shuffle(Value x, Value members, Value lane, int64_t width) {
  return move(*this, x, [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), members, word, lane, i32(groupOf(width)),
                                NVVM::ShflKind::idx, UnitAttr());
  });
}
Value DeviceEmitter::shuffleDown(Value x, Value members, int64_t distance, int64_t width) {
  return move(*this, x, [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, b.getI32Type(), members, word, i32(distance),
                                i32(groupOf(width)), NVVM::ShflKind::down, UnitAttr());
  });
}
void DeviceEmitter::syncWarp(Value members) { NVVM::SyncWarpOp::create(b, loc, members); }
Value DeviceEmitter::ballot(Value condition) {
  return NVVM::VoteSyncOp::create(b, loc, b.getI32Type(), i32(-1), condition,
                                  NVVM::VoteSyncKind::ballot);
}
void DeviceEmitter::syncBlock() { NVVM::Barrier0Op::create(b, loc); }

// ---- Whole launch ----

static constexpr llvm::StringLiteral deviceScope = "device";

void DeviceEmitter::fence() {
  LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::acq_rel, deviceScope);
}
Value DeviceEmitter::increment(Value pointer) {
  return LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add, pointer, i32(1),
                                   LLVM::AtomicOrdering::monotonic, deviceScope);
}

// ---- Mutable variables ----

Value DeviceEmitter::variable(Type type) {
  auto function = b.getInsertionBlock()->getParentOp();
  if (!isa<LLVM::LLVMFuncOp>(function))
    function = function->getParentOfType<LLVM::LLVMFuncOp>();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&cast<LLVM::LLVMFuncOp>(function).getBody().front());
  Value one = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 1);
  return LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), type, one);
}
