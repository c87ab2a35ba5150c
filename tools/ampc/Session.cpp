// A model compiled and loaded into this process, with one state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Session.h"
#include "ampc/Package/InitialData.h"
#include "ampc/Support/RecordedMessages.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Commands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace ampc;

Session::~Session() {
  if (state)
    ampc_rt_destroy(state);
}

/// A target that compiles for a device, as far as the choice of one goes: with PTX for its chip in
/// `image`.
static void describeDevice(ampc_model &model, ampc_image &image) {
  model.first_tier = llvm::countr_zero(model.tiers);
  image = {AMPC_IMAGE_PTX, ampc_rt_tier_capability(model.first_tier), nullptr, 0};
  if (!image.capability)
    return;
  model.device = &ampc_rt_cuda;
  model.images = &image;
  model.image_count = 1;
}

/// The tier that the state will run; `problem`: reason against the GPU that comes first. Without a
/// tier all code is compiled, and the runtime names the missing feature.
static std::optional<PickedTier> pickTier(llvm::StringRef name, llvm::ArrayRef<uint32_t> tiers,
                                          const char *device, std::string &problem) {
  std::string copy = name.str();
  std::vector<ampc_model> models(tiers.size());
  std::vector<ampc_image> images(tiers.size());
  for (size_t i = 0; i < tiers.size(); ++i) {
    models[i].name = copy.c_str();
    models[i].tiers = tiers[i];
    models[i].next = i + 1 < tiers.size() ? &models[i + 1] : nullptr;
    describeDevice(models[i], images[i]);
  }
  ampc_rt_choice choice;
  if (ampc_rt_choose(models.data(), device, &choice, nullptr) != AMPC_OK)
    return std::nullopt;
  char text[512] = "";
  ampc_rt_choice none;
  if (models.front().device && !choice.model->device && !device &&
      ampc_rt_choose(models.data(), "cuda", &none, text) != AMPC_OK)
    problem = text;
  return PickedTier{size_t(choice.model - models.data()), choice.tier};
}

/// Compiles for the tier that runs. The messages are recorded, since a later hit in the cache gives
/// them again.
bool Session::compile(const CompileRequest &request, const char *device, ModelCache::Pick pick) {
  ModelCache cache(request, options.images, device);
  if (std::optional<CompiledModel> known = cache.find(pick)) {
    compiled = std::move(*known);
    labels.set(compiled.ignored);
    if (!isFollower)
      messages() << compiled.said;
    return true;
  }
  CompileRequest watched = request;
  if (isFollower)
    watched.shown = Shown::Errors;
  if (!request.inspect)
    labels.watch(watched);
  std::optional<RecordedMessages> record(std::in_place, compiled.said);
  compiler = std::make_unique<Compiler>();
  auto module = compiler->run(watched);
  if (!module)
    return false;
  PackageOptions once;
  bool isPicked = false;
  once.images = options.images;
  once.noCache = request.options.noCache;
  once.pickTier = [&](llvm::StringRef name, llvm::ArrayRef<uint32_t> tiers) {
    compiled.name = name.str();
    compiled.tiers = tiers.vec();
    std::optional<PickedTier> picked = pick(name, tiers);
    compiled.picked = picked.value_or(PickedTier());
    isPicked = picked.has_value();
    return picked;
  };
  auto packaged = packageModel(*module, once);
  if (failed(packaged))
    return false;
  record.reset();
  compiled.tables = packaged->tables;
  compiled.archive = std::move(packaged->archive);
  compiled.values = std::move(packaged->values);
  compiled.sizes = compiler->getSizes();
  compiled.ignored = labels.getAll();
  if (isPicked && !isFollower) // a model that nothing here runs is an error below
    cache.store(compiled, filesOfInitialData(*module));
  return true;
}

bool Session::create(ampc_options wanted) {
  if (!wanted.device)
    wanted.device = options.device;
  auto model = LoadedModel::load(compiled.tables, *compiled.archive, compiled.values);
  if (!model) {
    messages() << "ampc: error: " << llvm::toString(model.takeError()) << "\n";
    return false;
  }
  loaded = std::move(*model);
  char message[512] = "";
  wanted.size = sizeof wanted;
  wanted.error = message;
  wanted.error_bytes = sizeof message;
  ampc_status status = ampc_rt_create(&loaded->model(), &wanted, &state);
  if (status == AMPC_OK && !noGpu.empty() && !options.quiet)
    messages() << "ampc: note: this runs on " << ampc_rt_tier(state) << ", not on a GPU: " << noGpu
               << "\n";
  if (status == AMPC_OK)
    return true;
  messages() << "ampc: error: " << ampc_rt_status_string(status) << ": " << message << "\n";
  return false;
}

bool Session::build(const CompileRequest &wantedModel, const char *device) {
  if (!device)
    device = options.device;
  request = wantedModel;
  CompileRequest wanted = request;
  if (options.quiet)
    wanted.shown = Shown::Errors;
  noGpu.clear();
  auto pick = [&](llvm::StringRef name, llvm::ArrayRef<uint32_t> tiers) {
    return pickTier(name, tiers, device, noGpu);
  };
  return compile(wanted, device, pick);
}

std::string Session::describe(ampc_status status) const {
  llvm::StringRef message = lastError();
  bool namesFile = message.consume_front("load: ") || message.consume_front("save: ");
  return namesFile ? message.str() : ampc_rt_status_string(status) + (": " + message).str();
}

int Session::findProgram(int kind, llvm::StringRef name) const {
  const ampc_model &model = getModel();
  for (int i = 0; i < model.program_count; ++i)
    if (model.programs[i].kind == kind && (name.empty() || name == model.programs[i].name))
      return i;
  return -1;
}

int Session::findSlot(llvm::StringRef name) const {
  for (int i = 0; i < getModel().slot_count; ++i)
    if (name == getModel().slots[i].tensor.name)
      return i;
  return -1;
}

void *Session::slotData(int slot) {
  if (!getModel().device && !getModel().slots[slot].tensor.memory_rank)
    return ampc_rt_tensor_data(state, slot);
  size_t bytes = getModel().slots[slot].tensor.bytes;
  std::vector<uint64_t> &copy = copies[slot];
  copy.resize((bytes + 7) / 8);
  if (ampc_rt_get(state, slot, copy.data(), bytes) == AMPC_OK)
    return copy.data();
  copies.erase(slot);
  return nullptr; // as on the host, the state has no such tensor
}

ampc_status Session::writeCopies() {
  for (auto &[slot, copy] : copies)
    if (ampc_status status =
            ampc_rt_set(state, slot, copy.data(), getModel().slots[slot].tensor.bytes))
      return status;
  return AMPC_OK;
}

ampc_status Session::readCopies() {
  for (auto &[slot, copy] : copies)
    if (ampc_status status =
            ampc_rt_get(state, slot, copy.data(), getModel().slots[slot].tensor.bytes))
      return status;
  return AMPC_OK;
}

ampc_status Session::refresh() {
  ampc_status status = writeCopies();
  return status ? status : ampc_rt_refresh(state);
}

/// Slot of the average's parameter, w of fit.ema.w; -1 for slots without the role of an average,
/// and for averages of another type, f32 of a bf16 parameter.
static int parameterOf(const Session &session, const ampc_slot &slot) {
  if (slot.role != AMPC_ROLE_EMA)
    return -1;
  auto [step, parameter] = llvm::StringRef(slot.tensor.name).split(".ema.");
  int found = session.findSlot(parameter);
  bool fits = found >= 0 && session.getModel().slots[found].tensor.dtype == slot.tensor.dtype;
  return fits ? found : -1;
}

bool Session::hasAverages() const {
  return llvm::any_of(llvm::ArrayRef(getModel().slots, getModel().slot_count),
                      [&](const ampc_slot &slot) { return parameterOf(*this, slot) >= 0; });
}

ampc_status Session::swapAverages() {
  for (int s = 0; s < getModel().slot_count; ++s) {
    int parameter = parameterOf(*this, getModel().slots[s]);
    if (parameter < 0)
      continue;
    int64_t bytes = getModel().slots[s].tensor.bytes;
    auto *from = static_cast<char *>(slotData(s)), *to = static_cast<char *>(slotData(parameter));
    if (!from || !to)
      return AMPC_E_DEVICE;
    std::swap_ranges(from, from + bytes, to);
  }
  return refresh();
}

/// A run that fails after all leaves its message, which reading would overwrite.
ampc_status Session::run(llvm::function_ref<ampc_status()> program) {
  if (ampc_status status = writeCopies())
    return status;
  ampc_status status = program();
  if (status >= AMPC_OK)
    if (ampc_status read = readCopies())
      return read;
  return status;
}

namespace {
/// The structs that programs take end in one pointer per tensor.
template <typename Head> class WithPointers {
public:
  /// `seed`: of eval and exports, behind the pointers; 0 for none.
  template <typename Pointer>
  explicit WithPointers(llvm::ArrayRef<Pointer> pointers, uint64_t seed = 0)
      : words((sizeof(Head) + pointers.size() * sizeof(void *)) / sizeof(uint64_t)) {
    if (seed)
      words.push_back(seed);
    head().size = words.size() * sizeof(uint64_t);
    for (size_t i = 0; i < pointers.size(); ++i)
      words[sizeof(Head) / sizeof(uint64_t) + i] = reinterpret_cast<uint64_t>(pointers[i]);
  }
  Head &head() { return *reinterpret_cast<Head *>(words.data()); }

private:
  std::vector<uint64_t> words;
};
} // namespace

ampc_status Session::runStep(int program, llvm::ArrayRef<const void *> inputs, ampc_train_out &out,
                             uint32_t valid, uint32_t flags) {
  WithPointers<ampc_run_in> in(inputs);
  in.head().valid = valid;
  in.head().flags = flags;
  out = {};
  out.size = sizeof out;
  return run([&] { return ampc_rt_run(state, program, &in.head(), &out); });
}

ampc_status Session::runObserved(int program, llvm::ArrayRef<const void *> inputs,
                                 ampc_train_out &out, uint32_t valid,
                                 llvm::ArrayRef<void *> outputs) {
  WithPointers<ampc_run_in> in(inputs);
  in.head().valid = valid;
  out = {};
  out.size = sizeof out;
  return run(
      [&] { return ampc_rt_run_observed(state, program, &in.head(), &out, outputs.data()); });
}

ampc_status Session::runFunction(int program, llvm::ArrayRef<const void *> inputs,
                                 llvm::ArrayRef<void *> outputs, uint32_t valid, uint64_t seed) {
  WithPointers<ampc_run_in> in(inputs, seed);
  in.head().valid = valid;
  WithPointers<ampc_run_out> out(outputs);
  return run([&] { return ampc_rt_run(state, program, &in.head(), &out.head()); });
}

ampc_status Session::takeBack(int program) {
  ampc_rt_set_runs(state, program, ampc_rt_runs(state, program) - 1);
  for (int i = 0; i < getModel().slot_count; ++i)
    if (getModel().slots[i].role == AMPC_ROLE_RANDOM) {
      auto *random = static_cast<uint64_t *>(slotData(i));
      if (!random)
        return AMPC_E_DEVICE;
      --random[1]; // the counter, behind the seed
    }
  return refresh();
}

uint64_t Session::hashOfState() {
  uint64_t hash = 0;
  std::vector<uint8_t> bytes;
  for (int i = 0; i < getModel().slot_count; ++i) {
    const ampc_slot &slot = getModel().slots[i];
    if (slot.role == AMPC_ROLE_GRADIENT || slot.role == AMPC_ROLE_WORKING)
      continue;
    bytes.resize(slot.tensor.bytes);
    ampc_rt_get(state, i, bytes.data(), bytes.size());
    hash = hash * 31 + llvm::xxh3_64bits(bytes);
  }
  return hash;
}

int64_t ampc::elementCount(const ampc_tensor &tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.rank; ++i)
    count *= tensor.dims[i];
  return count;
}
