// Cache of compiled models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/ModelCache.h"
#include "ampc/Codegen/Targets.h"
#include "ampc/Package/Assembler.h"
#include "ampc/Package/Cache.h"
#include "ampc/Support/ReadFile.h"
#include "tools/Version.h"
#include "tools/ampc/BuildIds.h"
#include "tools/ampc/Entry.h"
#include "llvm/ADT/bit.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/TargetParser/Host.h"

using namespace ampc;
namespace fs = llvm::sys::fs;

/// Most bytes of first values in an entry, and of the files that have them: files are hashed at
/// every start of a command.
static constexpr uint64_t mostValueBytes = uint64_t(64) << 20;

static void add(CacheKey &key, const std::string &text) { key.add(text); }
static void add(CacheKey &key, bool flag) { key.addNumber(flag); }
static void add(CacheKey &key, int64_t number) { key.addNumber(uint64_t(number)); }
static void add(CacheKey &key, const std::vector<std::string> &texts) {
  key.addNumber(texts.size());
  for (const std::string &text : texts)
    key.add(text);
}
static void add(CacheKey &key, const std::map<std::string, int64_t> &numbers) {
  key.addNumber(numbers.size());
  for (const auto &[name, number] : numbers)
    key.add(name).addNumber(uint64_t(number));
}
static void add(CacheKey &key, const std::map<std::string, std::vector<int64_t>> &lists) {
  key.addNumber(lists.size());
  for (const auto &[name, numbers] : lists) {
    key.add(name).addNumber(numbers.size());
    for (int64_t number : numbers)
      key.addNumber(uint64_t(number));
  }
}
static void add(CacheKey &key, const std::map<std::string, double> &numbers) {
  key.addNumber(numbers.size());
  for (const auto &[name, number] : numbers)
    key.add(name).addNumber(llvm::bit_cast<uint64_t>(number));
}
static void add(CacheKey &key, const SizeNumbers &sizes) {
  key.addNumber(sizes.size());
  for (const auto &[name, number] : sizes)
    key.add(name).add(textOf(number));
}
template <typename... Fields> static void addAll(CacheKey &key, const Fields &...fields) {
  (add(key, fields), ...);
}

/// A structured binding names all fields: a new option does not compile before the key has it.
static void add(CacheKey &key, const CompileOptions &options) {
  const auto &[precision, policy, policyFile, overrides, edits, scaling, masters, profile, freeze,
               bytecode, root, explain, explained, chunked, winograd, fuse, pack, loops, fusePacks,
               recompute, budget, targets, tiers, noCache, observe, totals, costs, ranks] = options;
  addAll(key, precision, policy, policyFile, overrides, edits, scaling, masters, profile, freeze,
         bytecode, root, explain, explained, chunked, winograd, fuse, pack, loops, fusePacks,
         recompute, budget, targets, tiers, observe, totals, costs, ranks);
}

static void add(CacheKey &key, const ImportOptions &options) {
  const auto &[name, loss, reports, optimizer, freeze, trainable, batch, mode, statistics, dims,
               shapes, inputs, data] = options;
  addAll(key, name, loss, reports, optimizer, freeze, trainable, batch, int64_t(mode), statistics,
         dims, shapes, inputs, data);
}

/// Adds the content of a file; false if there is no such regular file.
static bool addFile(CacheKey &key, const std::string &path) {
  if (!fs::is_regular_file(path))
    return false;
  auto content = readFile(path);
  if (!content)
    return false;
  key.add((*content)->getBuffer());
  return true;
}

static std::string hashOfFile(const std::string &path) {
  CacheKey key;
  return addFile(key, path) ? key.digits() : "";
}

static bool hasDevice(llvm::ArrayRef<std::string> targets) {
  return llvm::any_of(allTargets(), [&](const Target *target) {
    return target->isDevice() && llvm::is_contained(targets, target->getName());
  });
}

ModelCache::ModelCache(const CompileRequest &request, DeviceImages images, const char *device)
    : request(request), images(images), device(device), entry(findName()) {}

std::string ModelCache::findName() const {
  const auto &[input, importing, sizes, options, stopAfter, dumpDir, goOn, timing, shown, inspect] =
      request;
  if (cacheFolder().empty() || options.noCache || inspect || timing || !stopAfter.empty() ||
      !dumpDir.empty() || !options.dataRoot.empty() || isOnnx(input))
    return "";
  // Messages have the path as it was given, files of first values are relative to its folder.
  llvm::SmallString<128> path(input);
  fs::make_absolute(path);
  CacheKey key;
  key.add(version).add(LLVM_VERSION_STRING).add(llvm::sys::getHostCPUName());
  addBuildIds(key);
  add(key, importing);
  add(key, options);
  addAll(key, input, path.str().str(), sizes, goOn, int64_t(shown), int64_t(images),
         std::string(device ? device : ""), llvm::sys::Process::GetEnv("AMPC_ISA").value_or(""));
  if (hasDevice(options.targets)) {
    std::string assembler = findAssembler().value_or("");
    key.add(assembler).addNumber(stampOf(assembler));
  }
  for (const std::string &file : request.inputs())
    if (!file.empty() && !addFile(key, file))
      return "";
  return key.digits() + ".model";
}

static void write(EntryWriter &to, const NamedArray &value) {
  to.text(value.name);
  to.number(uint64_t(value.array.element));
  to.list(value.array.dims, [&](int64_t extent) { to.number(uint64_t(extent)); });
  to.text({static_cast<const char *>(value.array.data), size_t(value.array.bytes())});
}

static NamedArray readValue(EntryReader &from) {
  NamedArray value;
  value.name = from.text();
  value.array.element = Element(from.number());
  from.list(value.array.dims, [&] { return int64_t(from.number()); });
  llvm::StringRef bytes = from.text();
  auto memory = std::make_shared<std::vector<char>>(bytes.begin(), bytes.end());
  value.array.data = memory->data();
  value.array.mapping = std::move(memory);
  return value;
}

void ModelCache::store(const CompiledModel &model, llvm::ArrayRef<std::string> files) const {
  uint64_t bytes = 0;
  for (const NamedArray &value : model.values)
    bytes += uint64_t(value.array.bytes());
  for (const std::string &file : files) {
    uint64_t size = 0;
    if (isOnnx(file) || fs::file_size(file, size)) // weights of ONNX may be in further files
      return;
    bytes += size;
  }
  if (entry.empty() || bytes > mostValueBytes || findName() != entry)
    return;
  EntryWriter to;
  to.list(files, [&](const std::string &file) { to.text(file), to.text(hashOfFile(file)); });
  to.text(model.name);
  to.list(model.tiers, [&](uint32_t mask) { to.number(mask); });
  to.number(model.picked.target);
  to.number(uint64_t(model.picked.tier));
  to.text(model.tables);
  to.text(model.archive->getBuffer());
  to.list(model.values, [&](const NamedArray &value) { write(to, value); });
  to.list(model.sizes, [&](const std::string &size) { to.text(size); });
  to.list(model.ignored, [&](const auto &input) {
    to.text(input.first);
    to.list(input.second, [&](int64_t label) { to.number(uint64_t(label)); });
  });
  to.text(model.said);
  Cache().store(entry, to.get());
}

std::optional<CompiledModel> ModelCache::find(Pick pick) const {
  std::optional<std::string> content =
      entry.empty() ? std::optional<std::string>() : Cache().find(entry);
  if (!content)
    return std::nullopt;
  EntryReader from(*content);
  bool same = true;
  for (uint64_t count = from.number(); count && from; --count) {
    std::string file = from.text().str();
    same &= hashOfFile(file) == from.text();
  }
  if (!same)
    return std::nullopt;
  CompiledModel model;
  model.name = from.text();
  from.list(model.tiers, [&] { return uint32_t(from.number()); });
  model.picked = {size_t(from.number()), int32_t(from.number())};
  std::optional<PickedTier> picked = from ? pick(model.name, model.tiers) : std::nullopt;
  if (!picked || picked->target != model.picked.target || picked->tier != model.picked.tier)
    return std::nullopt;
  model.tables = from.text();
  model.archive = llvm::MemoryBuffer::getMemBufferCopy(from.text(), model.name);
  from.list(model.values, [&] { return readValue(from); });
  from.list(model.sizes, [&] { return from.text().str(); });
  for (uint64_t count = from.number(); count && from; --count) {
    std::vector<int64_t> &labels = model.ignored[from.text().str()];
    from.list(labels, [&] { return int64_t(from.number()); });
  }
  model.said = from.text();
  return from ? std::optional(std::move(model)) : std::nullopt;
}
