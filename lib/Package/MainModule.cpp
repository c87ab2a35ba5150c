// Main objects: the tables of ampc/Runtime/Model.h as constant data, and the C functions around the
// runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/MainModule.h"
#include "ampc/Support/Embedded.h"
#include "lib/Package/DataObject.h"
#include "lib/Package/Interface.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

AMPC_EMBEDDED(runtimeBitcode)
using namespace ampc;

std::string ampc::tableSymbol(const ModelInfo &model) { return model.name + "_model"; }
std::string ampc::valueSymbol(int64_t number) { return (valuePrefix + Twine(number)).str(); }

namespace {
/// Constants with the layout of the C structs: fields are aligned as in C, with explicit padding.
class Tables {
public:
  Tables(Module &module, ValuesOfStates values)
      : module(module), context(module.getContext()), values(values) {}
  /// Builds the ampc_model of the first target; false if a struct's size differs from C.
  bool write(ArrayRef<ModelInfo> targets);

private:
  Constant *i32(int64_t value) {
    return ConstantInt::getSigned(Type::getInt32Ty(context), int32_t(value));
  }
  Constant *u32(uint32_t value) { return ConstantInt::get(Type::getInt32Ty(context), value); }
  Constant *i64(int64_t value) {
    return ConstantInt::get(Type::getInt64Ty(context), uint64_t(value));
  }
  Constant *f64(double value) { return ConstantFP::get(Type::getDoubleTy(context), value); }
  Constant *null() { return ConstantPointerNull::get(PointerType::get(context, 0)); }
  Constant *array(ArrayRef<Constant *> elements) {
    return ConstantArray::get(ArrayType::get(elements[0]->getType(), elements.size()), elements);
  }
  /// Deduplicates equal constants: no pass optimizes the tables.
  GlobalVariable *global(Constant *value, uint64_t alignment = 8) {
    GlobalVariable *&made = globals[{value, alignment}];
    if (!made) {
      made = new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value,
                                "ampc.table");
      made->setAlignment(Align(alignment));
    }
    return made;
  }
  Constant *text(StringRef string) {
    Constant *&known = strings[string];
    if (!known)
      known = global(ConstantDataArray::getString(context, string), 1);
    return known;
  }
  /// Pointer to the elements, or null if there are none.
  Constant *pointer(ArrayRef<Constant *> elements) {
    return elements.empty() ? null() : global(array(elements));
  }
  Constant *record(uint64_t size, ArrayRef<Constant *> fields);
  Constant *model(const ModelInfo &model, Constant *next);
  /// Deduplicates equal data across targets.
  Constant *data(const std::string &bytes) {
    Constant *&known = datas[bytes];
    if (!known)
      known = global(ConstantDataArray::getString(context, bytes, /*AddNull=*/false), 64);
    return known;
  }

  Constant *tensor(const TensorInfo &info);
  Constant *slot(const SlotInfo &info);
  Constant *firstValue(const SlotInfo &info);
  void findValueOffsets(const ModelInfo &model);
  Constant *program(const ProgramInfo &info);
  Constant *kernel(const KernelInfo &info);
  Constant *launch(const LaunchInfo &info);
  Constant *tensorMap(const ampc_tensor_map &map);
  Constant *image(const ImageInfo &info);
  Constant *device(const ModelInfo &model);
  Constant *function(const std::string &symbol);
  template <typename Info>
  Constant *all(ArrayRef<Info> infos, Constant *(Tables::*make)(const Info &)) {
    SmallVector<Constant *> constants;
    for (const Info &info : infos)
      constants.push_back((this->*make)(info));
    return pointer(constants);
  }

  Module &module;
  LLVMContext &context;
  // Struct layout: the module gets the host's layout at compilation, which aligns 64 bits as C
  // does.
  const DataLayout layout{"e-i64:64"};
  StringMap<Constant *> strings, datas;
  DenseMap<std::pair<Constant *, uint64_t>, GlobalVariable *> globals;
  ValuesOfStates values;
  StringMap<int64_t> places;
  bool good = true;
};
} // namespace

Constant *Tables::record(uint64_t size, ArrayRef<Constant *> fields) {
  Constant *made = ConstantStruct::getAnon(context, fields);
  good &= layout.getTypeAllocSize(made->getType()) == size;
  return made;
}

Constant *Tables::tensor(const TensorInfo &info) {
  SmallVector<Constant *> dims, runs;
  for (int64_t number : concat<const int64_t>(info.dims, info.memoryDims, info.memoryStrides))
    dims.push_back(i64(number));
  for (int64_t number : info.labelRuns)
    runs.push_back(i64(number));
  return record(sizeof(ampc_tensor),
                {text(info.name), i32(info.dtype), i32(info.dims.size()), pointer(dims),
                 i64(info.bytes), i32(info.batched), i32(info.memoryDims.size()),
                 i64(info.labelLimit), i64(info.labelIgnore), i64(info.labelLeast),
                 i32(info.labelRuns.size() / 4), pointer(runs)});
}

Constant *Tables::slot(const SlotInfo &info) {
  SmallVector<Constant *> range;
  for (double bound : info.range)
    range.push_back(f64(bound));
  return record(sizeof(ampc_slot), {tensor(info.tensor), i32(info.role), i32(info.init.kind),
                                    f64(info.init.a), f64(info.init.b), i64(info.offset),
                                    firstValue(info), pointer(range), i32(info.source + 1)});
}

/// Declares a variable of another object of the archive, or of this process.
static GlobalVariable *declare(Module &module, const Twine &name) {
  if (GlobalVariable *known = module.getNamedGlobal(name.str()))
    return known;
  auto *ofUnknownSize = ArrayType::get(Type::getInt8Ty(module.getContext()), 0);
  return new GlobalVariable(module, ofUnknownSize, true, GlobalValue::ExternalLinkage, nullptr,
                            name);
}

/// Initial values are shared by all targets: a single copy in the object.
Constant *Tables::firstValue(const SlotInfo &info) {
  if (!info.value.data || values == ValuesOfStates::BesideArchive)
    return null();
  if (values == ValuesOfStates::InProcess)
    return declare(module, valueSymbol(places.lookup(info.tensor.name)));
  GlobalVariable *all = module.getNamedGlobal(dataSymbol);
  if (!all) {
    Type *byte = Type::getInt8Ty(context);
    all = new GlobalVariable(module, byte, true, GlobalValue::ExternalLinkage, nullptr, dataSymbol);
    all->setVisibility(GlobalValue::HiddenVisibility);
  }
  return ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(context), all,
                                                i64(places.lookup(info.tensor.name)));
}

/// Finds the offsets of initial values in the data object; of values in the process the numbers.
void Tables::findValueOffsets(const ModelInfo &model) {
  std::vector<int64_t> offsets = pieceOffsets(piecesOf(model));
  int64_t number = 0;
  for (const SlotInfo &slot : model.slots)
    if (slot.value.data) {
      places[slot.tensor.name] = values == ValuesOfStates::InProcess ? number : offsets[number];
      ++number;
    }
}

Constant *Tables::program(const ProgramInfo &info) {
  SmallVector<Constant *> entries, operands;
  for (const EntryInfo &entry : info.entries)
    entries.push_back(
        record(sizeof(ampc_entry), {i32(entry.kind), i32(entry.number), i32(entry.firstOperand),
                                    i32(entry.operandCount), i32(entry.times), i32(entry.carried),
                                    i32(entry.writesState), text(entry.name)}));
  for (const ampc_operand &operand : info.operands)
    operands.push_back(record(sizeof(ampc_operand), {i32(operand.space), i32(operand.number),
                                                     i64(operand.offset), i64(operand.stride)}));
  return record(sizeof(ampc_program), {text(info.name),
                                       i32(info.kind),
                                       i32(info.stepSlot),
                                       i32(info.lossOutput),
                                       i32(info.lossReady),
                                       i32(info.normOutput),
                                       i32(info.rateOutput),
                                       i32(info.nonfiniteOutput),
                                       i32(info.nonfinite),
                                       i32(info.scaleSlot),
                                       i32(info.inputs.size()),
                                       i32(info.outputs.size()),
                                       i32(entries.size()),
                                       i32(operands.size()),
                                       i32(info.batch),
                                       i32(info.shortBatch),
                                       all(ArrayRef(info.inputs), &Tables::tensor),
                                       all(ArrayRef(info.outputs), &Tables::tensor),
                                       pointer(entries),
                                       pointer(operands),
                                       i64(info.arenaBytes),
                                       info.optimizer.empty() ? null() : text(info.optimizer),
                                       i32(info.numberCount),
                                       info.step.empty() ? null() : text(info.step),
                                       info.mixing.empty() ? null() : text(info.mixing)});
}

/// Declares a kernel function of another object: hidden, so invisible outside of the program that
/// links the archive.
Constant *Tables::function(const std::string &symbol) {
  if (symbol.empty())
    return null();
  if (Function *known = module.getFunction(symbol))
    return known;
  Type *ptr = PointerType::get(context, 0), *number = Type::getInt64Ty(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {ptr, number, number, ptr}, false);
  auto *made = Function::Create(type, GlobalValue::ExternalLinkage, symbol, module);
  made->setVisibility(GlobalValue::HiddenVisibility);
  return made;
}

Constant *Tables::kernel(const KernelInfo &info) {
  SmallVector<Constant *> code;
  for (const CodeInfo &tier : info.code)
    code.push_back(
        record(sizeof(ampc_code), {function(tier.run), function(tier.finish), i64(tier.tasks),
                                   i64(tier.finishTasks), i64(tier.scratch)}));
  return record(sizeof(ampc_kernel), {text(info.name), pointer(code), i32(info.launches.size()),
                                      all(ArrayRef(info.launches), &Tables::launch)});
}

Constant *Tables::launch(const LaunchInfo &info) {
  SmallVector<Constant *> parameters;
  for (int32_t parameter : info.parameters)
    parameters.push_back(i32(parameter));
  auto extent = [&](const std::array<uint32_t, 3> &sizes) {
    return array({u32(sizes[0]), u32(sizes[1]), u32(sizes[2])});
  };
  return record(sizeof(ampc_launch),
                {text(info.function), extent(info.grid), extent(info.block), extent(info.cluster),
                 u32(info.sharedBytes), i32(parameters.size()), i32(info.maps.size()),
                 pointer(parameters), all(ArrayRef(info.maps), &Tables::tensorMap)});
}

Constant *Tables::tensorMap(const ampc_tensor_map &map) {
  auto longs = [&](ArrayRef<uint64_t> values) { return ConstantDataArray::get(context, values); };
  return record(sizeof(ampc_tensor_map),
                {i64(map.offset), longs(map.sizes), longs(map.strides),
                 ConstantDataArray::get(context, ArrayRef(map.box)), i32(map.operand),
                 i32(map.dtype), i32(map.rank), i32(map.swizzle), i32(map.unused)});
}

/// PTX is text with a terminating zero byte.
Constant *Tables::image(const ImageInfo &info) {
  return record(sizeof(ampc_image),
                {i32(info.kind), i32(info.capability), data(info.bytes + std::string(1, 0)),
                 i64(int64_t(info.bytes.size()))});
}

/// Reference to the device driver of the model.
Constant *Tables::device(const ModelInfo &model) {
  return model.target->isDevice() ? declare(module, deviceSymbol) : null();
}

Constant *Tables::model(const ModelInfo &model, Constant *next) {
  SmallVector<Constant *> constants, sizes;
  for (const std::string &bytes : model.constants) {
    constants.push_back(data(bytes));
    sizes.push_back(i64(int64_t(bytes.size())));
  }
  return record(sizeof(ampc_model), {text(model.name),
                                     u32(model.tiers),
                                     i32(model.target->getTiers().front().isa),
                                     i32(model.target->getTiers().size()),
                                     i32(model.slots.size()),
                                     i32(model.programs.size()),
                                     i32(model.kernels.size()),
                                     all(ArrayRef(model.slots), &Tables::slot),
                                     all(ArrayRef(model.programs), &Tables::program),
                                     all(ArrayRef(model.kernels), &Tables::kernel),
                                     pointer(constants),
                                     pointer(sizes),
                                     i32(constants.size()),
                                     i64(model.stateBytes),
                                     i64(model.arenaBytes),
                                     i64(int64_t(model.stateHash)),
                                     i64(int64_t(model.planHash)),
                                     next,
                                     device(model),
                                     all(ArrayRef(model.images), &Tables::image),
                                     i32(model.images.size())});
}

bool Tables::write(ArrayRef<ModelInfo> targets) {
  findValueOffsets(targets.front());
  Constant *next = null();
  for (const ModelInfo &other : reverse(targets.drop_front()))
    next = global(model(other, next));
  Constant *value = model(targets.front(), next);
  auto *made = new GlobalVariable(module, value->getType(), true, GlobalValue::ExternalLinkage,
                                  value, tableSymbol(targets.front()));
  made->setAlignment(Align(8));
  return good;
}

/// Defines NAME_`suffix`, which forwards to `callee` with `table` as a further first, or `program`
/// as a further second argument.
static void addWrapper(Module &module, const ModelInfo &model, StringRef suffix, StringRef callee,
                       GlobalVariable *table, int32_t program = -1) {
  Function *inner = module.getFunction(callee);
  assert(inner && "the runtime lacks a function");
  FunctionType *type = inner->getFunctionType();
  bool isRun = program >= 0;
  SmallVector<Type *> parameters(type->param_begin(), type->param_end());
  if (table)
    parameters.erase(parameters.begin());
  if (isRun) // state, program, in, out
    parameters.erase(parameters.begin() + 1);
  auto *outer = Function::Create(FunctionType::get(type->getReturnType(), parameters, false),
                                 GlobalValue::ExternalLinkage, model.name + "_" + suffix, module);
  outer->setAttributes(AttributeList::get(module.getContext(), AttributeList::FunctionIndex,
                                          inner->getAttributes().getFnAttrs()));
  outer->removeFnAttr(Attribute::Memory);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "", outer));
  SmallVector<llvm::Value *> arguments;
  if (table)
    arguments.push_back(table);
  for (Argument &argument : outer->args())
    arguments.push_back(&argument);
  if (isRun)
    arguments.insert(arguments.begin() + 1, b.getInt32(program));
  CallInst *call = b.CreateCall(inner, arguments);
  if (type->getReturnType()->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(call);
}

static void addWrappers(Module &module, const ModelInfo &model, GlobalVariable *table) {
  for (const FunctionInfo &function :
       concat<const FunctionInfo>(stateFunctions(), tensorFunctions()))
    if (function.name != versionFunction)
      addWrapper(module, model, function.name, ("ampc_rt_" + function.name).str(),
                 function.ofModel ? table : nullptr);
  for (auto [number, program] : enumerate(model.programs))
    if (isPublic(program))
      addWrapper(module, model, program.name, "ampc_rt_run", nullptr, number);
  Type *i32 = Type::getInt32Ty(module.getContext());
  auto *version = Function::Create(FunctionType::get(i32, false), GlobalValue::ExternalLinkage,
                                   (model.name + "_" + versionFunction).str(), module);
  version->addFnAttr(Attribute::NoUnwind);
  IRBuilder<> b(BasicBlock::Create(module.getContext(), "", version));
  b.CreateRet(b.getInt32(AMPC_ABI_VERSION));
}

Expected<std::unique_ptr<Module>> ampc::buildTables(ArrayRef<ModelInfo> targets,
                                                    ValuesOfStates values, LLVMContext &context) {
  auto module = std::make_unique<Module>(targets.front().name, context);
  if (!Tables(*module, values).write(targets))
    return createStringError(
        "the tables of the model do not have the layout of ampc/Runtime/Model.h");
  return module;
}

Expected<std::unique_ptr<Module>> ampc::buildMainModule(ArrayRef<ModelInfo> targets,
                                                        LLVMContext &context) {
  const ModelInfo &model = targets.front();
  Expected<std::unique_ptr<Module>> module =
      parseBitcodeFile(MemoryBufferRef(runtimeBitcodeText(), "runtime"), context);
  if (!module)
    return module.takeError();
  (*module)->setModuleIdentifier(model.name);
  (*module)->setSourceFileName(model.name);
  for (GlobalObject &object : (*module)->global_objects())
    if (!object.isDeclaration())
      object.setLinkage(GlobalValue::InternalLinkage);
  if (any_of(targets, [](const ModelInfo &target) { return target.target->isDevice(); })) {
    GlobalVariable *device = (*module)->getNamedGlobal(deviceSymbol);
    device->setLinkage(GlobalValue::ExternalLinkage);
    device->setVisibility(GlobalValue::HiddenVisibility);
  }
  addWrappers(**module, model, declare(**module, tableSymbol(model)));
  return module;
}
