// Archive: one object per tier, one with tables, and one with C functions and runtime, compiled in
// parallel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Package.h"
#include "ampc/Package/InitialData.h"
#include "ampc/Package/WriteFile.h"
#include "lib/Package/Bindings/Bindings.h"
#include "lib/Package/DataObject.h"
#include "lib/Package/DeviceImages.h"
#include "lib/Package/KernelObjects.h"
#include "lib/Package/MainModule.h"
#include "lib/Package/ObjectWriter.h"
#include "lib/Package/OneTier.h"
#include "lib/Package/SharedLibrary.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <set>

using namespace mlir;
using namespace ampc;

void ampc::registerPackageDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

namespace {
enum class Content { Kernels, Tables, Functions, Values };

/// Member of the archive, with code in an LLVM context of its own, so that members compile in
/// parallel.
struct Member {
  std::string name;
  Content content;
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = {};
  uint64_t hash = 0; ///< of a tier's code before optimisation
  llvm::SmallVector<char, 0> object = {};
  std::string error = {};
};
} // namespace

/// False for members created as objects: values, and kernels compiled before.
static bool hasCode(const Member &member) { return member.code != nullptr; }

/// Translates device code to data of the tables.
static LogicalResult translateForDevice(ModuleOp module, ModelInfo &model,
                                        const PackageOptions &options) {
  StringRef tier = model.target->getTiers().front().name;
  auto code = module.lookupSymbol<ModuleOp>(("tier_" + tier).str());
  if (!code)
    return success(); // nothing to run
  FailureOr<std::vector<ImageInfo>> images = imagesOf(code, *model.target, options);
  if (failed(images))
    return failure();
  for (const ImageInfo &image : *images)
    model.planHash = model.planHash * 31 + llvm::xxh3_64bits(image.bytes);
  model.images = std::move(*images);
  return success();
}

static uint64_t hashOf(const llvm::Module &code) {
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  llvm::WriteBitcodeToFile(code, os);
  return llvm::xxh3_64bits(StringRef(bitcode.data(), bitcode.size()));
}

/// Translates every tier with code of its own to a member.
static FailureOr<std::vector<Member>> translateTiers(ModuleOp module, ModelInfo &model,
                                                     const PackageOptions &options) {
  std::vector<Member> members;
  if (model.target->isDevice())
    return failed(translateForDevice(module, model, options))
               ? FailureOr<std::vector<Member>>(failure())
               : FailureOr<std::vector<Member>>(std::move(members));
  SmallVector<ModuleOp> codes;
  for (const TargetTier &tier : model.target->getTiers()) {
    auto code = module.lookupSymbol<ModuleOp>(("tier_" + tier.name).str());
    if (!code || code.getBody()->empty())
      continue;
    codes.push_back(code);
    members.push_back({model.name + "_" + tier.name.str() + ".o", Content::Kernels});
  }
  if (failed(failableParallelForEach(module.getContext(), llvm::seq(members.size()), [&](size_t i) {
        members[i].code = model.target->translate(codes[i], *members[i].context);
        if (!members[i].code)
          return codes[i].emitError() << "cannot be translated to LLVM IR", failure();
        members[i].hash = hashOf(*members[i].code);
        return success();
      })))
    return failure();
  return members;
}

/// Members with code for a single tier; restricts the tables to this tier.
static std::vector<Member> keepMembersOf(int32_t tier, ModelInfo &model,
                                         std::vector<Member> members) {
  keepTier(model, tier);
  // Move assignment would destroy a member's context before the member's code.
  std::vector<Member> kept;
  for (Member &member : members)
    if (keepNamed(*member.code, model))
      kept.push_back(std::move(member));
  return kept;
}

/// Replaces a tier's code by objects of kernels, some of which were compiled before.
static LogicalResult splitKernels(ModuleOp module, ModelInfo &model, const PackageOptions &options,
                                  std::vector<Member> &members) {
  std::vector<Member> split;
  for (const Member &member : members) {
    auto objects =
        compileKernels(*member.code, model, options.sanitizer, options.level, *options.kernels);
    if (!objects)
      return module.emitError() << member.name << ": " << llvm::toString(objects.takeError());
    for (auto [number, object] : llvm::enumerate(*objects)) {
      split.push_back({std::to_string(number) + "_" + member.name, Content::Kernels});
      split.back().object.assign(object->begin(), object->end());
    }
  }
  members = std::move(split);
  return success();
}

static ValuesOfStates placeOfValues(const PackageOptions &options) {
  if (options.pickTier)
    return ValuesOfStates::InProcess;
  return options.values == InitialValues::Beside ? ValuesOfStates::BesideArchive
                                                 : ValuesOfStates::InArchive;
}

/// Adds the tables, and for archives the C functions and the runtime, which a process that loads
/// the model already has.
static LogicalResult addMain(ModuleOp module, ArrayRef<ModelInfo> targets,
                             const PackageOptions &options, std::vector<Member> &members) {
  const std::string &name = targets.front().name;
  members.push_back({name + "_tables.o", Content::Tables});
  if (!options.pickTier)
    members.push_back({name + ".o", Content::Functions});
  for (Member &member : members) {
    if (member.content == Content::Kernels)
      continue;
    llvm::Expected<std::unique_ptr<llvm::Module>> code =
        member.content == Content::Tables
            ? buildTables(targets, placeOfValues(options), *member.context)
            : buildMainModule(targets, *member.context);
    if (!code)
      return module.emitError() << llvm::toString(code.takeError());
    member.code = std::move(*code);
  }
  return success();
}

static std::vector<std::string> publicFunctions(const llvm::Module &code) {
  std::vector<std::string> names;
  for (const llvm::Function &function : code)
    if (!function.isDeclaration() && function.hasExternalLinkage())
      names.push_back(function.getName().str());
  return names;
}

/// Renames symbols shared by members with a prefix of the model's hash: no collision with another
/// model, whatever the names. Returns the symbol of the table.
static std::string ownSymbols(const ModelInfo &model, std::vector<Member> &members) {
  std::string prefix = model.name + "_" + model.contentHash + "_";
  llvm::StringSet<> shared;
  for (Member &member : members) {
    if (member.content == Content::Functions)
      shared.insert(deviceSymbol);
    if (member.content == Content::Kernels && hasCode(member))
      for (llvm::Function &function : *member.code)
        if (!function.isDeclaration())
          shared.insert(function.getName());
  }
  std::string table = prefix + "model", data = prefix + "data";
  for (Member &member : llvm::make_filter_range(members, hasCode))
    for (llvm::GlobalObject &object : member.code->global_objects())
      if (object.getName() == tableSymbol(model))
        object.setName(table);
      else if (object.getName() == dataSymbol)
        object.setName(data);
      else if (shared.contains(object.getName()))
        object.setName(prefix + object.getName());
  return table;
}

/// Adds initial values as a member, if the tables refer to any.
static void addValues(const ModelInfo &model, std::vector<Member> &members) {
  SmallVector<StringRef> pieces = piecesOf(model);
  if (pieces.empty())
    return;
  members.push_back({model.name + "_data.o", Content::Values});
  members.back().object = writeDataObject(model.name + "_" + model.contentHash + "_data", pieces);
}

/// Initial values that states need from outside of the archive, in the states' types, by name.
static std::vector<NamedArray> valuesOf(const ModelInfo &model, const PackageOptions &options) {
  std::vector<NamedArray> values;
  if (placeOfValues(options) != ValuesOfStates::InArchive)
    for (const SlotInfo &slot : model.slots)
      if (slot.value.data)
        values.push_back({slot.tensor.name, slot.value});
  return values;
}

static void addSymbolsForHeader(const ModelInfo &model, ArrayRef<std::string> functions,
                                llvm::Module &code) {
  for (const std::string &name : functions)
    llvm::GlobalAlias::create(symbolForHeader(model, name), code.getFunction(name));
}

static Code codeOf(Content content) {
  if (content == Content::Kernels)
    return Code::Kernels;
  return content == Content::Functions ? Code::Functions : Code::None;
}

static LogicalResult compile(ModuleOp module, Sanitizer sanitizer, std::vector<Member> &members) {
  parallelForEach(module.getContext(), members, [&](Member &member) {
    if (!hasCode(member))
      return;
    if (auto object = writeObject(*member.code, sanitizer, codeOf(member.content)))
      member.object = std::move(*object);
    else
      member.error = llvm::toString(object.takeError());
  });
  for (const Member &member : members)
    if (!member.error.empty())
      return module.emitError() << member.name << ": " << member.error;
  return success();
}

/// Symbols that no member defines.
static FailureOr<std::vector<std::string>> findExternals(ModuleOp module,
                                                         const std::vector<Member> &members) {
  std::set<std::string> defined, used;
  for (const Member &member : members) {
    auto object = llvm::object::ObjectFile::createObjectFile(
        llvm::MemoryBufferRef(StringRef(member.object.data(), member.object.size()), member.name));
    if (!object)
      return module.emitError() << llvm::toString(object.takeError());
    for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
      llvm::Expected<StringRef> name = symbol.getName();
      llvm::Expected<uint32_t> flags = symbol.getFlags();
      if (!name || !flags)
        return module.emitError() << llvm::toString(
                   llvm::joinErrors(name.takeError(), flags.takeError()));
      if (*flags & llvm::object::SymbolRef::SF_Global)
        (*flags & llvm::object::SymbolRef::SF_Undefined ? used : defined).insert(name->str());
    }
  }
  std::vector<std::string> externals;
  for (const std::string &name : used)
    if (!defined.count(name) && name != "_GLOBAL_OFFSET_TABLE_")
      externals.push_back(name);
  return externals;
}

/// Allowed externals; sanitizers add a library, and the linker the bounds of the sections.
static bool mayBeExternal(StringRef symbol, Sanitizer sanitizer) {
  static const StringRef names[] = {
#define AMPC_EXTERNAL(name) #name,
#define AMPC_EXTERNAL_COPY(name) #name,
#define AMPC_EXTERNAL_DEVICE(name) #name,
#define AMPC_EXTERNAL_MATH(name) #name,
#include "ampc/Package/Externals.def"
  };
  return llvm::is_contained(names, symbol) ||
         (sanitizer == Sanitizer::Address &&
          (symbol.starts_with("__asan_") || symbol == "__start_asan_globals" ||
           symbol == "__stop_asan_globals")) ||
         (sanitizer == Sanitizer::Thread && symbol.starts_with("__tsan_"));
}

/// Error for a library that could not be linked.
static LogicalResult checkExternals(ModuleOp module, const ModelInfo &model,
                                    ArrayRef<std::string> externals,
                                    const PackageOptions &options) {
  for (const std::string &name : externals)
    if (!mayBeExternal(name, options.sanitizer) &&
        !(options.pickTier && (name == deviceSymbol || StringRef(name).starts_with(valuePrefix))))
      return module.emitError() << "internal error: the code of @" << model.name << " calls '"
                                << name << "', which no library defines";
  return success();
}

/// Code of all targets, or of the tier that runs.
static FailureOr<std::vector<Member>>
translateTargets(ModuleOp module, std::vector<ModelInfo> &targets, const PackageOptions &options) {
  std::vector<std::vector<Member>> membersOf;
  for (auto [part, model] : llvm::zip(targetModules(module), targets)) {
    FailureOr<std::vector<Member>> members = translateTiers(part, model, options);
    if (failed(members))
      return failure();
    // Plan hash: code of all tiers and the LLVM release, which both affect bits. All tiers count,
    // so that a process that compiles a single tier computes the hash of the library.
    model.planHash = model.planHash * 31 + LLVM_VERSION_MAJOR;
    for (const Member &member : *members)
      model.planHash = model.planHash * 31 + member.hash;
    model.planHash = model.planHash * 31 + uint64_t(options.sanitizer);
    membersOf.push_back(std::move(*members));
  }
  auto tiers = llvm::map_to_vector(targets, [](const ModelInfo &model) { return model.tiers; });
  std::optional<PickedTier> picked =
      options.pickTier ? options.pickTier(targets.front().name, tiers) : std::nullopt;
  if (picked) {
    ModelInfo chosen = std::move(targets[picked->target]);
    targets.clear();
    targets.push_back(std::move(chosen));
    return keepMembersOf(picked->tier, targets.front(), std::move(membersOf[picked->target]));
  }
  std::vector<Member> all;
  for (std::vector<Member> &members : membersOf)
    for (Member &member : members)
      all.push_back(std::move(member));
  return all;
}

FailureOr<PackagedModel> ampc::packageModel(ModuleOp module, const PackageOptions &options) {
  FailureOr<std::vector<ModelInfo>> targets = readModels(module, options.name);
  if (failed(targets))
    return failure();
  FailureOr<std::vector<Member>> members = translateTargets(module, *targets, options);
  bool splits = succeeded(members) && options.pickTier && options.kernels;
  if (splits && failed(splitKernels(module, targets->front(), options, *members)))
    return failure();
  if (failed(members) || failed(addMain(module, *targets, options, *members)))
    return failure();
  ModelInfo *model = &targets->front();
  llvm::Module &main = *members->back().code;
  // Tables contain the plans' hashes.
  uint64_t hash = 0;
  for (StringRef piece : piecesOf(*model))
    hash = hash * 31 + llvm::xxh3_64bits(piece);
  for (const Member &member : *members)
    if (member.content != Content::Kernels)
      hash = hash * 31 + hashOf(*member.code);
  model->contentHash = llvm::formatv("{0:x-16}", hash).str();
  std::vector<std::string> functions = publicFunctions(main);
  std::string tables = ownSymbols(*model, *members);
  addSymbolsForHeader(*model, functions, main);
  if (placeOfValues(options) == ValuesOfStates::InArchive)
    addValues(*model, *members);
  if (failed(compile(module, options.sanitizer, *members)))
    return failure();
  FailureOr<std::vector<std::string>> externals = findExternals(module, *members);
  if (failed(externals) || failed(checkExternals(module, *model, *externals, options)))
    return failure();
  std::vector<llvm::NewArchiveMember> parts;
  for (const Member &member : *members)
    parts.emplace_back(
        llvm::MemoryBufferRef(StringRef(member.object.data(), member.object.size()), member.name));
  auto archive = llvm::writeArchiveToBuffer(parts, llvm::SymtabWritingMode::NormalSymtab,
                                            llvm::object::Archive::K_GNU,
                                            /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return module.emitError() << llvm::toString(archive.takeError());
  MemoryTable memory = memoryOf(module);
  std::vector<PackagedBinding> bindings;
  for (const Binding &binding : getBindings())
    if (llvm::is_contained(options.bindings, binding.language))
      bindings.push_back({model->name + "." + binding.extension.str(), binding.write(*model),
                          binding.loadsLibrary});
  return PackagedModel{model->name,
                       tables,
                       std::move(*archive),
                       writeHeader(*model, functions),
                       writeManifest(*targets, *externals, memory),
                       memory,
                       std::move(bindings),
                       valuesOf(*model, options)};
}

LogicalResult ampc::writePackage(ModuleOp module, const PackagedModel &model, StringRef folder,
                                 ArrayRef<std::string> inputs) {
  if (std::error_code code =
          llvm::sys::fs::create_directories(folder, true, llvm::sys::fs::all_all))
    return module.emitError() << "cannot create " << folder << ": " << code.message();
  auto pathOf = [&](const std::string &name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  };
  std::string archive = pathOf("lib" + model.name + ".a");
  std::vector<std::string> paths = {archive, pathOf(model.name + ".h"),
                                    pathOf(model.name + ".json")};
  std::vector<StringRef> contents = {model.archive->getBuffer(), model.header, model.manifest};
  std::string shared;
  for (const PackagedBinding &binding : model.bindings) {
    paths.push_back(pathOf(binding.file));
    contents.push_back(binding.text);
    if (binding.loadsLibrary)
      shared = pathOf("lib" + model.name + ".so");
  }
  std::string values = model.values.empty() ? "" : pathOf(model.name + ".data.safetensors"),
              problem;
  std::vector<std::string> outputs = paths, sources = filesOfInitialData(module);
  outputs.insert(outputs.end(), {shared, values});
  sources.insert(sources.end(), inputs.begin(), inputs.end());
  if (llvm::Error error = checkOutputs(outputs, sources))
    return module.emitError() << llvm::toString(std::move(error));
  for (auto [path, content] : llvm::zip(paths, contents))
    if (llvm::Error error = writeFile(path, content))
      return module.emitError() << "cannot write " << path << ": "
                                << llvm::toString(std::move(error));
  if (!values.empty() && !writeSafetensors(values, model.values, problem))
    return module.emitError() << problem;
  if (!shared.empty())
    if (llvm::Error error = linkSharedLibrary(archive, shared))
      return module.emitError() << llvm::toString(std::move(error));
  return success();
}
