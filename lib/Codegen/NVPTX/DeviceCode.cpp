// Device functions with the attribute nvvm.kernel, and the kernel's list of launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/DeviceCode.h"
#include "ampc/Runtime/Model.h"
#include "lib/Codegen/Common/FloatCode.h"
#include "lib/Codegen/NVPTX/ApproximateFunctions.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Parameters of a launch in global memory: operands, results, workspace if any, and the stop flag.
static unsigned countParameters(Operation *kernel) {
  bool hasWorkspace = cast<KernelOpInterface>(kernel).getWorkspaceBytes() > 0;
  return kernel->getNumOperands() + kernel->getNumResults() + hasWorkspace + 1;
}

/// Marks a parameter as tensor map: 128 bytes by value in the launch's parameter memory, accessible
/// only by address (__grid_constant__).
static void makeMap(LLVM::LLVMFuncOp func, unsigned number) {
  Builder b(func.getContext());
  auto bytes = LLVM::LLVMArrayType::get(b.getI8Type(), AMPC_MAP_BYTES);
  func.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
  func.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
  func.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
}

static LLVM::LLVMFuncOp createFunction(ModuleOp code, Operation *kernel, StringRef name,
                                       const LaunchShape &shape, size_t maps) {
  MLIRContext *context = code.getContext();
  OpBuilder b = OpBuilder::atBlockEnd(code.getBody());
  auto pointer = LLVM::LLVMPointerType::get(context, unsigned(NVVM::NVVMMemorySpace::Global));
  unsigned pointers = countParameters(kernel);
  SmallVector<Type> parameters(pointers, pointer);
  parameters.append(maps, LLVM::LLVMPointerType::get(context));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), parameters);
  auto func = LLVM::LLVMFuncOp::create(b, kernel->getLoc(), name, type);
  func->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
  func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                b.getDenseI32ArrayAttr({int32_t(shape.threads), 1, 1}));
  if (shape.needsRegisters)
    func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), b.getI32IntegerAttr(1));
  if (shape.registers)
    func->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(), b.getI32IntegerAttr(shape.registers));
  if (shape.cluster > 1)
    func->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                  b.getDenseI32ArrayAttr({int32_t(shape.cluster), 1, 1}));
  for (unsigned map = 0; map < maps; ++map)
    makeMap(func, pointers + map);
  func.addEntryBlock(b);
  return func;
}

static KernelPointers pointersOf(Operation *kernel, LLVM::LLVMFuncOp func) {
  KernelPointers pointers;
  ArrayRef<BlockArgument> arguments = func.getArguments();
  arguments = arguments.take_front(countParameters(kernel));
  llvm::append_range(pointers.operands, arguments.take_front(kernel->getNumOperands()));
  arguments = arguments.drop_front(kernel->getNumOperands());
  llvm::append_range(pointers.results, arguments.take_front(kernel->getNumResults()));
  arguments = arguments.drop_front(kernel->getNumResults()).drop_back();
  if (!arguments.empty())
    pointers.workspace = arguments.front();
  return pointers;
}

/// Adds a guard: returns early if the parameter `stop` is the address of a nonzero number, that is,
/// if the step is refused. Returns the block for the kernel's code. Most launches get a null
/// pointer and load nothing.
static Block *addGuard(LLVM::LLVMFuncOp func, unsigned number) {
  Location loc = func.getLoc();
  Block *entry = &func.getBody().front();
  OpBuilder b = OpBuilder::atBlockEnd(entry);
  Block *check = b.createBlock(&func.getBody(), func.getBody().end());
  Block *leave = b.createBlock(&func.getBody(), func.getBody().end());
  Block *body = b.createBlock(&func.getBody(), func.getBody().end());
  Value stop = entry->getArgument(number);
  b.setInsertionPointToEnd(entry);
  Value null = LLVM::ZeroOp::create(b, loc, stop.getType());
  Value isNull = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, stop, null);
  LLVM::CondBrOp::create(b, loc, isNull, body, check);
  b.setInsertionPointToEnd(check);
  Value flag = LLVM::LoadOp::create(b, loc, b.getI32Type(), stop);
  Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 0);
  Value goesOn = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, flag, zero);
  LLVM::CondBrOp::create(b, loc, goesOn, body, leave);
  b.setInsertionPointToEnd(leave);
  LLVM::ReturnOp::create(b, loc, ValueRange{});
  return body;
}

void DeviceCode::launch(const LaunchShape &shape, Write write) {
  launch(shape, {},
         [&](DeviceEmitter &e, const KernelPointers &pointers, ValueRange) { write(e, pointers); });
}

/// The tensor map with the operand number of the outer kernel; a form counts operands of the inner
/// kernel.
static kernel::TensorMapAttr resolve(kernel::TensorMapAttr map, const KernelPointers &seen) {
  auto argument = cast<BlockArgument>(seen.operands[map.getOperand()]);
  return kernel::TensorMapAttr::get(map.getContext(), argument.getArgNumber(), map.getElement(),
                                    map.getOffset(), map.getSizes(), map.getStrides(), map.getBox(),
                                    map.getSwizzle());
}

/// Fails if blocks, threads or points of a launch exceed 32 bits, in which all index arithmetic is
/// done.
static LogicalResult checkNumbers(Operation *kernel, const LaunchShape &shape) {
  int64_t blocks = shape.grid[0], perBlock = shape.threads * shape.numbersPerThread;
  if (blocks > INT32_MAX)
    return kernel->emitOpError() << "expected a launch of at most " << INT32_MAX
                                 << " blocks, but got " << blocks;
  if (blocks * perBlock > UINT32_MAX)
    return kernel->emitOpError() << "expected a launch of at most " << UINT32_MAX
                                 << " points, but got " << blocks * perBlock;
  return success();
}

void DeviceCode::launch(const LaunchShape &shape, TensorMaps maps, WriteWithMaps write) {
  if (failed(checkNumbers(kernel, shape))) {
    result = failure();
    return;
  }
  std::string name = symbol;
  if (!launches.empty())
    name += "_" + std::to_string(launches.size());
  LLVM::LLVMFuncOp func = createFunction(code, kernel, name, shape, maps.size());
  KernelPointers pointers = pointersOf(kernel, func);
  OpBuilder b = OpBuilder::atBlockEnd(addGuard(func, countParameters(kernel) - 1));
  DeviceEmitter e(b, kernel->getLoc(), chip);
  KernelPointers seen = view ? view(pointers) : pointers;
  auto resolved =
      llvm::map_to_vector(maps, [&](kernel::TensorMapAttr map) { return resolve(map, seen); });
  bool isFirst = launches.empty();
  int64_t sharedBytes = shape.sharedBytes;
  if (observer)
    sharedBytes = std::max(sharedBytes, observer->sharedBytes(shape));
  launches.push_back(kernel::LaunchAttr::get(code.getContext(), name, shape.grid,
                                             {shape.threads, 1, 1}, {shape.cluster, 1, 1},
                                             sharedBytes, {}, resolved));
  if (observer)
    observer->begin(e, pointers, shape, isFirst);
  write(e, seen, func.getArguments().take_back(maps.size()));
  if (observer)
    observer->end(e, pointers, shape, isFirst);
  if (e.beyond32)
    result = kernel->emitOpError() << "expected numbers of 32 bits, but got " << *e.beyond32;
  if (mayApproximateFunctions(kernel))
    allowApproximations(func);
  LLVM::ReturnOp::create(b, kernel->getLoc(), ValueRange{});
}

void DeviceCode::within(View inner, LaunchObserver *along, llvm::function_ref<void()> write) {
  std::swap(view, inner);
  std::swap(observer, along);
  write();
  std::swap(view, inner);
  std::swap(observer, along);
}

LaunchShape LaunchShape::perPoint(int64_t points) {
  LaunchShape shape;
  shape.threads = std::min<int64_t>(plainThreads, llvm::alignTo(points, 32));
  shape.grid[0] = llvm::divideCeil(points, shape.threads);
  return shape;
}

void ThreadPerPoint::forEach(ArrayRef<int64_t> sizes, Body body) { forEachOnDevice(sizes, body); }
void ThreadPerPoint::forEachOnDevice(
    ArrayRef<int64_t> sizes,
    llvm::function_ref<void(DeviceEmitter &, const KernelPointers &, ArrayRef<Value>)> body) {
  int64_t points = ShapedType::getNumElements(sizes);
  if (points == 0)
    return;
  LaunchShape shape = LaunchShape::perPoint(points);
  shape.writesFinalResults = writesFinalResults;
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Value number = e.globalThread(shape.threads);
    auto run = [&] { body(e, pointers, e.split(number, sizes)); };
    if (points % shape.threads == 0)
      return run();
    e.when(e.isBelow(number, points), run);
  });
}

/// Rounds to 10 bits of mantissa, ties away from zero, as cvt.rna.tf32 does; in integer arithmetic,
/// since sm_75 lacks the instruction. NaN is kept.
Value ThreadPerPoint::toMode(target::LoopEmitter &e, Type mode, Value factor) {
  if (!isa<FloatTF32Type>(mode))
    return factor;
  target::FloatCode c(e.b, e.loc);
  Value bits = c.andBits(c.addBits(c.bits(factor), 0x1000), 0xffffe000);
  return c.select(c.isNaN(factor), factor, c.floatOf(bits, e.b.getF32Type()));
}
