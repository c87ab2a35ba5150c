// Observation of intermediate values while a step runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Observer.h"
#include "ampc/Data/Convert.h"
#include "ampc/Import/ONNX.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Commands.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace ampc;

Observer::~Observer() { release(); }

void Observer::release() {
  for (Output &output : tensors)
    if (output.memory)
      munmap(output.memory, output.bytes);
  tensors.clear();
  numbers.clear();
  lastUsers.clear();
}

std::string ampc::stepNameOf(const ampc_model &model, int number) {
  const char *step = model.programs[number].step;
  return step ? step : "";
}

int ampc::findStep(const Session &session, llvm::StringRef wanted) {
  const ampc_model &model = session.getModel();
  int found = -1;
  std::vector<std::string> names;
  for (int i = 0; i < model.program_count; ++i) {
    if (model.programs[i].kind != AMPC_PROGRAM_TRAIN)
      continue;
    names.push_back(stepNameOf(model, i));
    if (wanted.empty() || wanted == names.back())
      found = i;
  }
  if (found >= 0 && (names.size() == 1 || !wanted.empty()))
    return found;
  messages() << "ampc: error: "
             << (names.empty() ? "expected a train.step, but the model has none"
                               : "expected --step with one of: " + llvm::join(names, ", "));
  if (names.empty() && llvm::any_of(commandLine, [](llvm::StringRef word) { return isOnnx(word); }))
    messages() << "; --loss adds a step to a model of ONNX";
  if (!names.empty() && !wanted.empty())
    messages() << ", but got " << wanted << didYouMean(wanted, names);
  messages() << "\n";
  return -1;
}

std::vector<int> ampc::findSteps(const Session &session, llvm::StringRef wanted) {
  const ampc_model &model = session.getModel();
  std::vector<int> found;
  for (int i = 0; wanted.empty() && i < model.program_count; ++i)
    if (model.programs[i].kind == AMPC_PROGRAM_TRAIN)
      found.push_back(i);
  if (found.empty())
    if (int only = findStep(session, wanted); only >= 0)
      found.push_back(only);
  return found;
}

bool Observer::open(CompileRequest request, const ampc_options &options, llvm::StringRef wanted) {
  if (!open(std::move(request), options))
    return false;
  int found = findStep(session, wanted);
  return found >= 0 && select(found);
}

bool Observer::open(CompileRequest request, const ampc_options &options) {
  request.options.observe = true;
  request.inspect = [&](llvm::StringRef phase, mlir::ModuleOp module) {
    if (phase == "recompute")
      allValues = findObserved(module);
  };
  ampc_options hooked = options;
  hooked.hooks.size = sizeof hooked.hooks;
  hooked.hooks.context = this;
  hooked.hooks.on_span = [](void *context, const char *, uint64_t, uint64_t) {
    static_cast<Observer *>(context)->afterKernel();
  };
  return session.open(request, hooked);
}

bool Observer::select(int number) {
  if (program == number)
    return true;
  release();
  program = number;
  return findOutputs();
}

/// Maps the compiler's facts on values to the program's outputs in the tables.
bool Observer::findOutputs() {
  const ampc_program &tables = getTables();
  step = stepNameOf(session.getModel(), program);
  values.clear();
  llvm::copy_if(allValues, std::back_inserter(values),
                [&](const ObservedValue &value) { return value.step == step; });
  llvm::StringMap<int32_t> outputs;
  for (int32_t i = 0; i < tables.output_count; ++i)
    outputs[tables.outputs[i].name] = i;
  std::vector<int> valueOf(tables.output_count, -1);
  for (size_t v = 0; v < values.size(); ++v) {
    auto found =
        outputs.find(train::OutputAttr::publicName(train::Output::Observed, values[v].key));
    if (found == outputs.end()) {
      messages() << "ampc: error: expected an output for the value " << values[v].key << "\n";
      return false;
    }
    Output output;
    output.number = found->second;
    output.tensor = &tables.outputs[output.number];
    valueOf[output.number] = int(v);
    numbers[values[v].key] = v;
    tensors.push_back(output);
  }
  for (int32_t e = 0; e < tables.entry_count; ++e)
    for (int32_t o = 0; o < tables.entries[e].operand_count; ++o) {
      const ampc_operand &operand = tables.operands[tables.entries[e].first_operand + o];
      int v = operand.space == AMPC_SPACE_OUTPUT ? valueOf[operand.number] : -1;
      if (v < 0)
        continue;
      if (tensors[v].written < 0)
        tensors[v].written = e;
      tensors[v].lastUse = e;
    }
  reserve();
  return true;
}

/// Kernels that an entry runs, given the number of kernels per program.
static int64_t kernelsOf(const ampc_entry &entry, llvm::ArrayRef<int64_t> kernels) {
  return entry.kind == AMPC_ENTRY_CALL ? entry.times * kernels[entry.number] : 1;
}

/// Number of kernels that each program runs, those of the programs that it calls once per round.
/// Each pass over the programs settles a further depth of calls.
static std::vector<int64_t> countKernels(const ampc_model &model) {
  std::vector<int64_t> kernels(model.program_count, 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t p = 0; p < model.program_count; ++p) {
      const ampc_program &program = model.programs[p];
      int64_t sum = 0;
      for (int32_t e = 0; e < program.entry_count; ++e)
        sum += kernelsOf(program.entries[e], kernels);
      changed |= sum != kernels[p];
      kernels[p] = sum;
    }
  }
  return kernels;
}

/// Per entry: the kernels that have run at its end.
void Observer::countKernelsOfEntries() {
  std::vector<int64_t> kernels = countKernels(session.getModel());
  kernelsUntil.clear();
  for (int32_t e = 0; e < getTables().entry_count; ++e)
    kernelsUntil.push_back(kernelsOf(getTables().entries[e], kernels) +
                           (e ? kernelsUntil.back() : 0));
}

/// Reserves address space for all values; only values live at the same time take memory.
void Observer::reserve() {
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  places.assign(getTables().output_count, nullptr);
  lastUsers.resize(getTables().entry_count);
  countKernelsOfEntries();
  for (size_t v = 0; v < tensors.size(); ++v) {
    Output &output = tensors[v];
    output.bytes = (size_t(output.tensor->bytes) + page) / page * page;
    output.memory = mmap(nullptr, output.bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (output.memory == MAP_FAILED)
      llvm::report_fatal_error("out of address space", false);
    places[output.number] = output.memory;
    if (output.lastUse >= 0)
      lastUsers[output.lastUse].push_back(v);
  }
}

void Observer::show(size_t value) {
  (*sink)(value, tensors[value].memory);
  madvise(tensors[value].memory, tensors[value].bytes, MADV_DONTNEED);
}

/// Hook after every kernel. The kernels of a call, such as a loop's, run in one entry.
void Observer::afterKernel() {
  // Without a sink the program is the one that derives working copies; on a device the values
  // arrive after all kernels have run.
  if (!sink || session.getModel().device)
    return;
  ++kernels;
  for (; entry < getTables().entry_count && kernels >= kernelsUntil[entry]; ++entry)
    for (size_t value : lastUsers[entry])
      show(value);
}

/// Number of entries that a host would have run; a device computes the values of all entries.
int32_t Observer::entriesRun(ampc_status status) const {
  if (status == AMPC_E_NONFINITE_LOSS)
    return getTables().loss_ready;
  return status < AMPC_OK && status != AMPC_E_NONFINITE_GRADIENT ? 0 : getTables().entry_count;
}

ampc_status Observer::run(llvm::ArrayRef<const void *> inputs, ampc_train_out &out, uint32_t valid,
                          Sink given) {
  sink = &given;
  entry = 0;
  kernels = 0;
  ampc_status status = session.runObserved(program, inputs, out, valid, places);
  bool all = session.getModel().device;
  if (all)
    entry = entriesRun(status);
  // After an early stop, shows values whose consumers never ran.
  for (size_t v = 0; v < tensors.size(); ++v)
    if (tensors[v].written < entry && tensors[v].lastUse >= (all ? 0 : entry))
      show(v);
  sink = nullptr;
  return status;
}

int Observer::find(llvm::StringRef key) const {
  auto found = numbers.find(key);
  return found == numbers.end() ? -1 : int(found->second);
}

bool ampc::isReal(const ampc_tensor &tensor) {
  return tensor.dtype == AMPC_F32 || tensor.dtype == AMPC_F64 || tensor.dtype == AMPC_F16 ||
         tensor.dtype == AMPC_BF16;
}

std::vector<double> ampc::readReals(const ampc_tensor &tensor, const void *data) {
  std::vector<double> reals(elementCount(tensor));
  Converter(elementOf(ampc_dtype(tensor.dtype)), AMPC_F64)
      .convert(data, reals.data(), int64_t(reals.size()));
  return reals;
}

void Snapshot::take(Session &session) {
  const ampc_model &model = session.getModel();
  slots.resize(model.slot_count);
  for (int i = 0; i < model.slot_count; ++i) {
    slots[i].tensor = model.slots[i].tensor;
    auto *data = static_cast<const char *>(session.slotData(i));
    if (data)
      slots[i].bytes.assign(data, data + slots[i].tensor.bytes);
    numbers[slots[i].tensor.name] = i;
  }
}

void Snapshot::restore(Session &session) const {
  const ampc_model &model = session.getModel();
  for (int i = 0; i < model.slot_count; ++i) {
    auto found = numbers.find(model.slots[i].tensor.name);
    void *data = session.slotData(i);
    if (found == numbers.end() || !data)
      continue;
    const Slot &slot = slots[found->second];
    if (slot.bytes.empty())
      continue;
    if (slot.tensor.dtype == model.slots[i].tensor.dtype) {
      std::memcpy(data, slot.bytes.data(), slot.bytes.size());
    } else if (slot.tensor.dtype == AMPC_F32 && model.slots[i].tensor.dtype == AMPC_F64) {
      std::vector<double> reals = readReals(slot.tensor, slot.bytes.data());
      std::memcpy(data, reals.data(), reals.size() * sizeof(double));
    }
  }
  session.refresh();
}

std::vector<double> Snapshot::read(llvm::StringRef name) const {
  auto found = numbers.find(name);
  if (found == numbers.end() || !isReal(slots[found->second].tensor) ||
      slots[found->second].bytes.empty())
    return {};
  return readReals(slots[found->second].tensor, slots[found->second].bytes.data());
}

double ampc::readLossScale(Session &session, const ampc_program &program) {
  float scale = 1;
  if (program.scale_slot >= 0)
    std::memcpy(&scale, session.slotData(program.scale_slot), sizeof scale);
  return scale;
}
