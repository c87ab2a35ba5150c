// Runs of a loaded model on random data that nothing lies behind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Random.h"
#include "test/Fuzz/Trial.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

extern "C" {
uint16_t ampc_rt_to_bf16(float x);
uint16_t ampc_rt_to_f16(float x);
}

using namespace ampc;
using namespace ampc::fuzz;

namespace {
/// Memory between two pages that nobody may touch.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes, bool atStart = false)
      : page(sysconf(_SC_PAGESIZE)), inner((bytes + page - 1) / page * page) {
    base = static_cast<char *>(
        mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (inner)
      mprotect(base + page, inner, PROT_READ | PROT_WRITE);
    place = base + page + (atStart ? 0 : inner - bytes);
  }
  GuardedMemory(GuardedMemory &&other)
      : page(other.page), inner(other.inner), base(other.base), place(other.place) {
    other.base = nullptr;
  }
  ~GuardedMemory() {
    if (base)
      munmap(base, inner + 2 * page);
  }
  char *get() { return place; }

private:
  size_t page, inner;
  char *base, *place;
};

int64_t countOf(const ampc_tensor &tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.rank; ++i)
    count *= tensor.dims[i];
  return count;
}

void putReal(char *at, int32_t dtype, double value) {
  float narrow = float(value);
  uint16_t half = 0;
  switch (dtype) {
  case AMPC_F64:
    std::memcpy(at, &value, 8);
    return;
  case AMPC_F32:
    std::memcpy(at, &narrow, 4);
    return;
  default:
    half = dtype == AMPC_F16 ? ampc_rt_to_f16(narrow) : ampc_rt_to_bf16(narrow);
    std::memcpy(at, &half, 2);
  }
}
void putInteger(char *at, int32_t dtype, int64_t value) {
  std::memcpy(at, &value, ampc_rt_dtype_bytes(dtype));
}
bool isReal(int32_t dtype) { return dtype <= AMPC_BF16; }

/// Name without the module that the check "written" moves state into, so that both forms of a model
/// draw equal data: "p.h0" -> "h0", and the input "state:p.h0" of a passed state -> "state:h0".
std::string withoutModulePrefix(llvm::StringRef name) {
  llvm::StringRef kind = name.consume_front("state:") ? "state:" : "";
  name.consume_front("p.");
  return (kind + name).str();
}

class Run {
public:
  Run(const ampc_model &model, const Calls &calls) : calls(calls), model(model) {}
  Record go();

private:
  bool create(uint64_t seed);
  void destroy();
  void setInitial();
  void setScales();
  void setKnobs(llvm::StringRef prefix);
  bool setKnob(int slot, double value);
  void record(const std::string &name, const ampc_tensor &tensor, const void *data);
  void recordNumber(const std::string &name, double value);
  void recordState(const std::string &prefix, bool withGradients);
  void resetState(const std::string &prefix);
  GuardedMemory makeInput(const ampc_program &program, const ampc_tensor &tensor, int round);
  int64_t rowsOf(const ampc_program &program) const;
  void train(int program, int round, const std::string &name);
  void infer(int program);
  void step(int program, int round);
  void call(int number, int round, std::vector<void *> outputs, void *out);

  const Calls &calls;
  const ampc_model &model;
  std::unique_ptr<GuardedMemory> memory;
  ampc_state *state = nullptr;
  ampc_status status = AMPC_OK;
  bool isShort = false; // steps of the last round, whose batch may have fewer rows
  Record result;
};
} // namespace

bool Run::create(uint64_t seed) {
  ampc_options options = {};
  options.size = sizeof options;
  options.seed = seed;
  options.threads = calls.threads;
  options.shares = calls.shares;
  options.want_split = 1;
  options.memory_bytes = ampc_rt_state_bytes(&model, &options);
  memory = std::make_unique<GuardedMemory>((options.memory_bytes + 63) / 64 * 64);
  options.memory = memory->get();
  char message[512] = "";
  options.error = message;
  options.error_bytes = sizeof message;
  status = ampc_rt_create(&model, &options, &state);
  if (status != AMPC_OK)
    llvm::errs() << "create: " << message << "\n";
  return status == AMPC_OK;
}
void Run::destroy() {
  ampc_rt_destroy(state);
  state = nullptr;
}

/// Where memory has an element, as the element of a tensor that files and callers see.
static int64_t placeOf(const ampc_tensor &tensor, int64_t element) {
  if (tensor.memory_rank == 0)
    return element;
  const int64_t *sizes = tensor.dims + tensor.rank, *strides = sizes + tensor.memory_rank;
  int64_t place = 0;
  for (int32_t dim = tensor.memory_rank; dim-- > 0; element /= sizes[dim])
    place += element % sizes[dim] * strides[dim];
  return place;
}

/// The values of another state, rounded to this one's precision.
void Run::setInitial() {
  for (int i = 0; i < model.slot_count; ++i) {
    const ampc_tensor &tensor = model.slots[i].tensor;
    auto found = calls.initial->find(std::string("state0/") + tensor.name);
    if (found == calls.initial->end() || !isReal(tensor.dtype))
      continue;
    auto *data = static_cast<char *>(ampc_rt_tensor_data(state, i));
    bool isSame = found->second.dtype == tensor.dtype;
    if (!isSame && found->second.dtype != AMPC_F32)
      continue;
    int64_t bytes = ampc_rt_dtype_bytes(tensor.dtype);
    for (int64_t k = 0, count = countOf(tensor); k < count; ++k) {
      char *place = data + placeOf(tensor, k) * bytes;
      if (isSame) {
        std::memcpy(place, found->second.bytes.data() + k * bytes, bytes);
        continue;
      }
      float value;
      std::memcpy(&value, found->second.bytes.data() + 4 * k, 4);
      putReal(place, tensor.dtype, value);
    }
  }
  ampc_rt_refresh(state);
}

/// Sets loss scales at or beyond the ends of f32 for some seeds: scales below 2^-128 have no
/// reciprocal, and a checkpoint may contain any scale.
void Run::setScales() {
  static const float ends[] = {0x1p-149f, 0x1p-130f, 0x1p-127f, 0x1p-126f, 0x1p-100f, 0x1p-20f,
                               0x1p100f,  0x1p126f,  0x1p127f,  0,         INFINITY,  NAN};
  Random random(calls.seed ^ 0x5CA1E);
  if (!random.chance(0.4))
    return;
  float scale = random.pick(ends);
  for (int i = 0; i < model.slot_count; ++i)
    if (model.slots[i].role == AMPC_ROLE_SCALE && model.slots[i].tensor.dtype == AMPC_F32 &&
        !model.slots[i].tensor.rank)
      std::memcpy(ampc_rt_tensor_data(state, i), &scale, sizeof scale);
}

/// Sets a knob as a caller does; false if the library refuses the number.
bool Run::setKnob(int slot, double value) {
  const ampc_tensor &tensor = model.slots[slot].tensor;
  float narrow = float(value);
  const void *data = tensor.dtype == AMPC_F64 ? static_cast<const void *>(&value) : &narrow;
  return ampc_rt_set(state, slot, data, tensor.bytes) == AMPC_OK;
}

/// Sets some knobs to numbers of their ranges, often to a bound: functions of name, prefix and
/// seed. `prefix` names the call behind: "fit_train_step/1/".
void Run::setKnobs(llvm::StringRef prefix) {
  for (int i = 0; i < model.slot_count; ++i) {
    const ampc_slot &slot = model.slots[i];
    if (!slot.range)
      continue;
    if (prefix == "state0/" && !calls.initial)
      record(std::string("first/") + slot.tensor.name, slot.tensor, ampc_rt_tensor_data(state, i));
    std::string name = withoutModulePrefix(slot.tensor.name);
    Random random(calls.seed * 1000003 + llvm::xxh3_64bits((prefix + "knob/" + name).str()));
    if (!random.chance(0.6))
      continue;
    double low = slot.range[0], high = slot.range[1], unit = random.unit();
    if (random.chance(0.3))
      unit = random.chance(0.5) ? 0 : 1;
    float value = float(low + unit * (high - low)); // a number of f32 has no rounding in any type
    if (value < low)
      value = std::nextafter(value, INFINITY);
    if (value > high)
      value = std::nextafter(value, -INFINITY);
    bool isSet = setKnob(i, value);
    recordNumber((prefix + (isSet ? "knob/" : "refused/") + slot.tensor.name).str(), value);
  }
}

void Run::record(const std::string &name, const ampc_tensor &tensor, const void *data) {
  Recorded &value = result[name];
  value.dtype = tensor.dtype;
  value.dims.assign(tensor.dims, tensor.dims + tensor.rank);
  value.bytes.assign(static_cast<const char *>(data), tensor.bytes);
  if (tensor.memory_rank == 0)
    return;
  int64_t bytes = ampc_rt_dtype_bytes(tensor.dtype);
  for (int64_t k = 0, count = countOf(tensor); k < count; ++k)
    std::memcpy(value.bytes.data() + k * bytes,
                static_cast<const char *>(data) + placeOf(tensor, k) * bytes, bytes);
}
void Run::recordNumber(const std::string &name, double value) {
  Recorded &number = result[name];
  number.dtype = AMPC_F64;
  number.bytes.assign(reinterpret_cast<const char *>(&value), sizeof value);
}
void Run::recordState(const std::string &prefix, bool withGradients) {
  for (int i = 0; i < model.slot_count; ++i) {
    bool isGradient = model.slots[i].role == AMPC_ROLE_GRADIENT;
    if (model.slots[i].role != AMPC_ROLE_WORKING && isGradient == withGradients)
      record(prefix + model.slots[i].tensor.name, model.slots[i].tensor,
             ampc_rt_tensor_data(state, i));
  }
}

/// Sets all slots but gradients to their recorded values.
void Run::resetState(const std::string &prefix) {
  for (int i = 0; i < model.slot_count; ++i) {
    const ampc_tensor &tensor = model.slots[i].tensor;
    auto found = result.find(prefix + tensor.name);
    if (found == result.end())
      continue;
    auto *data = static_cast<char *>(ampc_rt_tensor_data(state, i));
    int64_t bytes = ampc_rt_dtype_bytes(tensor.dtype);
    for (int64_t k = 0, count = countOf(tensor); k < count; ++k)
      std::memcpy(data + placeOf(tensor, k) * bytes, found->second.bytes.data() + k * bytes, bytes);
  }
  ampc_rt_refresh(state);
}

int64_t Run::rowsOf(const ampc_program &program) const {
  int64_t valid = isShort ? std::max<int64_t>(1, int64_t(calls.lastShare * program.batch))
                          : int64_t(calls.valid);
  return valid && program.short_batch && valid < program.batch ? valid : program.batch;
}

/// Per element, the greatest value plus 1.
static std::vector<int64_t> limitsOf(const ampc_tensor &tensor, int64_t count) {
  int64_t free = tensor.dtype == AMPC_I1 ? 2 : 4;
  std::vector<int64_t> limits(count, tensor.label_limit ? tensor.label_limit : free);
  for (int64_t at = 0, run = 0; tensor.label_run_count && at < count; ++run) {
    const int64_t *numbers = tensor.label_runs + 4 * (run % tensor.label_run_count);
    if (numbers[1])
      std::fill_n(limits.begin() + at, numbers[0], numbers[1]);
    at += numbers[0];
  }
  return limits;
}

/// Data of an input: a function of name, round and seed, so that every precision and every way of
/// calling has equal data. Half of the real inputs are positive.
GuardedMemory Run::makeInput(const ampc_program &program, const ampc_tensor &tensor, int round) {
  std::string name = withoutModulePrefix(tensor.name);
  Random random(calls.seed * 1000003 + round * 7919 + llvm::xxh3_64bits(name));
  bool isPositive = llvm::xxh3_64bits(name + std::to_string(calls.seed)) & 1;
  int64_t width = ampc_rt_dtype_bytes(tensor.dtype), count = countOf(tensor), rowCount = count;
  if (tensor.batched)
    rowCount = count / program.batch * rowsOf(program);
  int64_t there = calls.shortBuffers ? rowCount : count;
  GuardedMemory memory(there * width);
  std::vector<int64_t> limits = limitsOf(tensor, count);
  for (int64_t k = 0; k < there; ++k) {
    char *at = memory.get() + k * width;
    double unit = random.unit(), normal = random.normal();
    if (isReal(tensor.dtype)) {
      double value = float(isPositive ? 0.25 + 1.5 * unit : normal);
      double nudged = value * (1 + (k % 2 ? calls.nudge : -calls.nudge));
      putReal(at, tensor.dtype, k >= rowCount ? NAN : nudged);
    } else {
      putInteger(at, tensor.dtype, int64_t(unit * limits[k]));
    }
  }
  return memory;
}

void Run::call(int number, int round, std::vector<void *> outputs, void *out) {
  const ampc_program &program = model.programs[number];
  std::vector<GuardedMemory> inputs;
  bool isSeeded = calls.callSeed && !outputs.empty() && !out;
  std::vector<uint64_t> words(sizeof(ampc_run_in) / 8 + program.input_count + isSeeded);
  if (isSeeded)
    words.back() = calls.callSeed;
  auto *in = reinterpret_cast<ampc_run_in *>(words.data());
  in->size = words.size() * 8;
  in->valid = rowsOf(program) == program.batch ? 0 : rowsOf(program);
  for (int i = 0; i < program.input_count; ++i) {
    inputs.push_back(makeInput(program, program.inputs[i], round));
    in->inputs[i] = inputs.back().get();
    if (!calls.valid)
      record("input/" + std::string(program.name) + "/" + std::to_string(round) + "/" +
                 program.inputs[i].name,
             program.inputs[i], inputs.back().get());
  }
  if (outputs.empty()) {
    status = ampc_rt_run(state, number, in, out);
    return;
  }
  if (out) {
    status = ampc_rt_run_observed(state, number, in, out, outputs.data());
    return;
  }
  std::vector<uint64_t> places(sizeof(ampc_run_out) / 8 + outputs.size());
  auto *head = reinterpret_cast<ampc_run_out *>(places.data());
  head->size = places.size() * 8;
  for (size_t i = 0; i < outputs.size(); ++i)
    head->outputs[i] = outputs[i];
  status = ampc_rt_run(state, number, in, head);
}

void Run::train(int number, int round, const std::string &name) {
  const ampc_program &program = model.programs[number];
  ampc_train_out out = {};
  out.size = sizeof out;
  std::vector<GuardedMemory> memory;
  std::vector<void *> outputs;
  for (int i = 0; calls.observed && i < program.output_count; ++i) {
    bool isOwn = program.outputs[i].rank > 0;
    memory.emplace_back(program.outputs[i].bytes);
    outputs.push_back(isOwn ? memory.back().get() : nullptr);
  }
  call(number, round, outputs, &out);
  std::string prefix = name + "/" + std::to_string(round) + "/";
  recordNumber(prefix + "status", status);
  recordNumber(prefix + "loss", out.loss_double);
  recordNumber(prefix + "grad_norm", out.grad_norm);
  recordNumber(prefix + "learning_rate", out.learning_rate);
  recordNumber(prefix + "loss_scale", out.loss_scale);
  recordNumber(prefix + "skipped", out.skipped);
  recordNumber(prefix + "valid", rowsOf(program));
  recordNumber(prefix + "short", rowsOf(program) < program.batch);
}

void Run::infer(int number) {
  const ampc_program &program = model.programs[number];
  std::vector<GuardedMemory> memory;
  std::vector<void *> outputs;
  for (int i = 0; i < program.output_count; ++i) {
    const ampc_tensor &tensor = program.outputs[i];
    bool isCut = calls.shortBuffers && tensor.batched;
    memory.emplace_back(isCut ? tensor.bytes / program.batch * rowsOf(program) : tensor.bytes);
    outputs.push_back(memory.back().get());
  }
  call(number, 0, outputs, nullptr);
  for (int i = 0; i < program.output_count; ++i) {
    ampc_tensor tensor = program.outputs[i];
    std::vector<int64_t> dims(tensor.dims, tensor.dims + tensor.rank);
    if (tensor.batched && tensor.rank) { // rows that do not count are not written
      dims[0] = dims[0] / program.batch * rowsOf(program);
      tensor.bytes = tensor.bytes / program.batch * rowsOf(program);
      tensor.dims = dims.data();
    }
    record(std::string(program.name) + "/" + tensor.name, tensor, outputs[i]);
  }
}

/// Runs a step, and records gradients and states before and after if wanted. `grad` advances
/// running statistics and random state like the step, which must start from the state before
/// `grad`.
void Run::step(int number, int round) {
  std::string name = model.programs[number].name, at = name + "/" + std::to_string(round) + "/";
  setKnobs(at);
  if (calls.detailed) {
    recordState(at + "before/", false);
    for (int i = 0; i < model.program_count; ++i)
      if (model.programs[i].kind == AMPC_PROGRAM_GRAD &&
          model.programs[i].step_slot == model.programs[number].step_slot)
        train(i, round, model.programs[i].name);
    recordState(at + "gradient/", true);
    resetState(at + "before/");
  }
  train(number, round, name);
  if (calls.detailed)
    recordState(at + "after/", false);
}

Record Run::go() {
  if (!create(calls.stateSeed))
    return {};
  setScales();
  if (calls.initial)
    setInitial();
  setKnobs("state0/");
  recordState("state0/", false);
  for (int i = 0; i < model.program_count; ++i)
    if (model.programs[i].kind == AMPC_PROGRAM_EVAL ||
        model.programs[i].kind == AMPC_PROGRAM_EXPORT)
      infer(i);
  if (!calls.trains) {
    destroy();
    return std::move(result);
  }
  for (int round = 0; round < calls.rounds; ++round) {
    if (round && round == calls.savedAfter) {
      std::string path = temporaryPath(getpid(), ".state");
      ampc_rt_save(state, path.c_str());
      destroy();
      create(2);
      status = ampc_rt_load(state, path.c_str(), AMPC_LOAD_ALL);
      if (status != AMPC_OK)
        llvm::errs() << "load: " << ampc_rt_last_error(state) << "\n";
      unlink(path.c_str());
    }
    isShort = calls.lastShare < 1 && round + 1 == calls.rounds;
    for (int i = 0; i < model.program_count; ++i)
      if (model.programs[i].kind == AMPC_PROGRAM_TRAIN)
        step(i, round);
  }
  isShort = false;
  recordState("state/", false);
  for (int i = 0; i < model.program_count; ++i)
    if (model.programs[i].kind == AMPC_PROGRAM_GRAD && !calls.observed)
      train(i, calls.rounds, model.programs[i].name);
  if (!calls.observed)
    recordState("gradient/", true);
  destroy();
  return std::move(result);
}

std::string fuzz::temporaryPath(int process, llvm::StringRef suffix) {
  llvm::SmallString<128> path;
  llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, path);
  llvm::sys::path::append(path, "ampc-fuzz." + llvm::Twine(process) + suffix);
  return path.str().str();
}

Record fuzz::runCalls(const Code &code, const Calls &calls) {
  return Run(code.model(), calls).go();
}
