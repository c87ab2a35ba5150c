// The archive: one object per tier, compiled at the same time, and one with tables, C functions and
// runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Package.h"
#include "ampc/Package/WriteFile.h"
#include "lib/Package/MainModule.h"
#include "lib/Package/ObjectWriter.h"
#include "lib/Package/OneTier.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/xxhash.h"
#include <set>

using namespace mlir;
using namespace ampc;

void ampc::registerPackageDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

namespace {
/// A member of the archive.
struct Member {
  std::string name;
  llvm::SmallVector<char, 0> object;
  std::string error;
};
/// A tier's code in a context of its own, so that tiers compile at the same time.
struct TierCode {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

static void compile(llvm::Module &module, Sanitizer sanitizer, Member &member) {
  llvm::Expected<llvm::SmallVector<char, 0>> object = writeObject(module, sanitizer);
  if (object)
    member.object = std::move(*object);
  else
    member.error = llvm::toString(object.takeError());
}

/// Equal code here becomes equal objects: one compiler has one LLVM. It is hashed before LLVM works
/// on it, so that a process that compiles one tier has the hash of the library with all of them.
static uint64_t hashOf(const llvm::Module &module) {
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  llvm::WriteBitcodeToFile(module, os);
  return llvm::xxh3_64bits(StringRef(bitcode.data(), bitcode.size()));
}

/// Adds the code to the plan's hash.
static FailureOr<std::vector<std::unique_ptr<TierCode>>> translateTiers(ModuleOp module,
                                                                        ModelInfo &model) {
  std::vector<std::unique_ptr<TierCode>> codes;
  for (int32_t t = 0; t < AMPC_TIERS; ++t) {
    auto code = module.lookupSymbol<ModuleOp>((StringRef("tier_") + tierName(t)).str());
    if (!code || code.getBody()->empty())
      continue;
    codes.push_back(std::make_unique<TierCode>());
    std::string name = model.name + "_" + tierName(t) + ".o";
    codes.back()->module = translateModuleToLLVMIR(code, codes.back()->context, name);
    if (!codes.back()->module)
      return code.emitError() << "cannot be translated to LLVM IR";
    model.planHash = model.planHash * 31 + hashOf(*codes.back()->module);
  }
  return codes;
}

static FailureOr<std::vector<Member>> compileTiers(ModuleOp module, ModelInfo &model,
                                                   const PackageOptions &options) {
  auto codes = translateTiers(module, model);
  if (failed(codes))
    return failure();
  model.planHash = model.planHash * 31 + uint64_t(options.sanitizer); // other code, other bits
  if (options.pickTier)
    if (std::optional<int32_t> tier = options.pickTier(model.name, model.tiers)) {
      keepTier(model, *tier);
      llvm::erase_if(*codes, [&](auto &code) { return !keepNamed(*code->module, model); });
    }
  std::vector<Member> members;
  for (auto &code : *codes)
    members.push_back({code->module->getModuleIdentifier(), {}, {}});
  llvm::DefaultThreadPool pool;
  for (size_t i = 0; i < members.size(); ++i)
    pool.async([&, i] { compile(*(*codes)[i]->module, options.sanitizer, members[i]); });
  pool.wait();
  for (const Member &member : members)
    if (!member.error.empty())
      return module.emitError() << member.name << ": " << member.error;
  return members;
}

static LogicalResult compileMain(ModuleOp module, const ModelInfo &model,
                                 const PackageOptions &options, std::vector<Member> &members) {
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> code =
      options.pickTier ? buildTables(model, context) : buildMainModule(model, context);
  if (!code)
    return module.emitError() << llvm::toString(code.takeError());
  members.push_back({model.name + ".o", {}, {}});
  compile(**code, options.sanitizer, members.back());
  if (!members.back().error.empty())
    return module.emitError() << members.back().error;
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

/// Sanitizers bring a library of their own, and the linker the ends of their sections.
static bool mayBeExternal(StringRef symbol, Sanitizer sanitizer) {
  static const StringRef names[] = {
#define AMPC_EXTERNAL(name) #name,
#define AMPC_EXTERNAL_COPY(name) #name,
#define AMPC_EXTERNAL_MATH(name) #name,
#include "ampc/Package/Externals.def"
  };
  return llvm::is_contained(names, symbol) ||
         (sanitizer == Sanitizer::Address &&
          (symbol.starts_with("__asan_") || symbol == "__start_asan_globals" ||
           symbol == "__stop_asan_globals")) ||
         (sanitizer == Sanitizer::Thread && symbol.starts_with("__tsan_"));
}

/// A library that cannot be linked must not be written.
static LogicalResult checkExternals(ModuleOp module, const ModelInfo &model,
                                    ArrayRef<std::string> externals, Sanitizer sanitizer) {
  for (const std::string &name : externals)
    if (!mayBeExternal(name, sanitizer))
      return module.emitError() << "internal error: the code of @" << model.name << " calls '"
                                << name << "', which no library defines";
  return success();
}

FailureOr<PackagedModel> ampc::packageModel(ModuleOp module, const PackageOptions &options) {
  FailureOr<ModelInfo> model = readModel(module);
  if (failed(model))
    return failure();
  FailureOr<std::vector<Member>> members = compileTiers(module, *model, options);
  if (failed(members) || failed(compileMain(module, *model, options, *members)))
    return failure();
  FailureOr<std::vector<std::string>> externals = findExternals(module, *members);
  if (failed(externals) || failed(checkExternals(module, *model, *externals, options.sanitizer)))
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
  return PackagedModel{model->name, std::move(*archive), writeHeader(*model),
                       writeManifest(*model, *externals, memory), memory};
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
  std::string paths[] = {pathOf("lib" + model.name + ".a"), pathOf(model.name + ".h"),
                         pathOf(model.name + ".json")};
  StringRef contents[] = {model.archive->getBuffer(), model.header, model.manifest};
  if (llvm::Error error = checkOutputs(paths, inputs))
    return module.emitError() << llvm::toString(std::move(error));
  for (auto [path, content] : llvm::zip(paths, contents))
    if (llvm::Error error = writeFile(path, content))
      return module.emitError() << "cannot write " << path << ": "
                                << llvm::toString(std::move(error));
  return success();
}
