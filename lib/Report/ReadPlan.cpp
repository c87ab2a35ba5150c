// Memory plan and kernels of a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "lib/Report/Facts.h"
#include "lib/Report/StepStages.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::report;

/// Names of all ops that a kernel computes, e.g. "linear#0 + relu#0".
static std::string namesOf(mlir::Operation *op) {
  SmallVector<std::string> names;
  for (train::OriginAttr origin : originsOf(op))
    if (std::string name = origin.getText(); !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  return llvm::join(names, " + ");
}

/// Time of the last kernel that reads the value's bytes, directly or through views.
static int64_t lastReader(Value value, const DenseMap<mlir::Operation *, int64_t> &times,
                          int64_t last) {
  for (mlir::Operation *user : value.getUsers())
    if (auto view = dyn_cast<kernel::ViewOp>(user))
      last = lastReader(view.getResult(), times, last);
    else
      last = std::max(last, times.lookup(user));
  return last;
}

static int64_t bytesOf(mlir::Operation *op) {
  int64_t bytes = 0;
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes())))
    bytes += kernel::byteSize(type);
  return bytes;
}

/// Kernels that an op runs, each with its number of runs: of a call, e.g. of a loop, the kernels of
/// the called program, once per round.
static SmallVector<std::pair<KernelOpInterface, int64_t>> kernelsOf(KernelOpInterface op) {
  SmallVector<std::pair<KernelOpInterface, int64_t>> kernels{{op, 1}};
  for (size_t i = 0; i < kernels.size();) {
    auto [kernel, runs] = kernels[i];
    auto call = dyn_cast<kernel::CallOp>(*kernel);
    if (!call) {
      ++i;
      continue;
    }
    kernels.erase(kernels.begin() + i);
    for (auto inner : call.getProgram().getBody().getOps<KernelOpInterface>())
      kernels.emplace_back(inner, runs * call.getRuns());
  }
  return kernels;
}

static void readBuffers(const Target &target, KernelOpInterface op, int64_t time,
                        const DenseMap<mlir::Operation *, int64_t> &times, Step &step) {
  if (auto workspace = op->getAttrOfType<IntegerAttr>("kernel.workspace"))
    step.buffers.push_back({"workspace of " + namesOf(op), "", workspace.getInt(),
                            alignUp(target, op.getWorkspaceBytes()), time, time});
  auto places = op->getAttrOfType<ArrayAttr>("kernel.places");
  if (!places)
    return;
  for (auto [result, place] : llvm::zip(op->getResults(), places.getAsRange<kernel::PlaceAttr>()))
    if (place.getSpace() == kernel::Space::arena)
      step.buffers.push_back({namesOf(op), typeText(result.getType()), place.getOffset(),
                              alignUp(target, kernel::byteSize(result.getType())), time,
                              lastReader(result, times, time)});
}

/// Bytes of the arena in use while each kernel runs. In-place results share bytes with an operand,
/// so intervals may overlap.
static void findLiveBytes(Step &step) {
  std::vector<std::vector<std::pair<int64_t, int64_t>>> live(step.kernels.size());
  for (const Buffer &buffer : step.buffers)
    for (int64_t time = buffer.first; time <= buffer.last; ++time)
      live[time].push_back({buffer.offset, buffer.offset + buffer.bytes});
  for (auto [kernel, stretches] : llvm::zip(step.kernels, live)) {
    llvm::sort(stretches);
    int64_t end = 0;
    for (auto [from, to] : stretches) {
      kernel.liveBytes += std::max<int64_t>(0, to - std::max(from, end));
      end = std::max(end, to);
    }
  }
  for (auto [time, kernel] : llvm::enumerate(step.kernels))
    if (kernel.liveBytes > step.kernels[step.peakKernel].liveBytes)
      step.peakKernel = time;
}

/// Liveness of gradients: each until its own update, or all until the last gradient is known.
static void readGradients(kernel::ProgramOp program,
                          const DenseMap<mlir::Operation *, int64_t> &times, Step &step) {
  if (auto mode = program.getNonfinite())
    step.nonfinite = stringifyNonFinite(*mode).str();
  std::vector<int64_t> alive(step.kernels.size());
  for (auto op : program.getBody().getOps<KernelOpInterface>())
    for (Value result : op->getResults()) {
      int64_t bytes = kernel::byteSize(result.getType()), time = times.lookup(op);
      if (!op->hasAttr("kernel.barrier") || cast<RankedTensorType>(result.getType()).getRank() == 0)
        continue;
      step.gradientBytes += bytes;
      for (int64_t last = lastReader(result, times, time); time <= last; ++time)
        alive[time] += bytes;
    }
  for (int64_t bytes : alive)
    step.gradientPeakBytes = std::max(step.gradientPeakBytes, bytes);
}

static void readProgram(const Target &target, kernel::ProgramOp program, Step &step) {
  step.arenaBytes = program.getArenaBytes().value_or(0);
  step.savedBytes = program.getSavedBytes().value_or(0);
  DenseMap<mlir::Operation *, int64_t> times;
  for (auto op : program.getBody().getOps<KernelOpInterface>()) {
    times[op] = step.kernels.size();
    auto withTotals = dyn_cast<kernel::FusedReductionOp>(*op);
    KernelOpInterface launch = withTotals ? withTotals.getKernel() : op;
    Kernel kernel;
    kernel.name = namesOf(op);
    kernel.kind = launch->getName().getStringRef().str();
    kernel.entry = nameOf(op);
    kernel.part = PartFinder::stepStageOf(op);
    if (auto call = dyn_cast<kernel::CallOp>(*op))
      kernel.rounds = call.getRuns();
    kernel.spans = 0;
    for (auto [run, runs] : kernelsOf(op)) {
      kernel.bytes += runs * bytesOf(run);
      kernel.spans += runs;
    }
    step.kernels.push_back(std::move(kernel));
  }
  for (auto op : program.getBody().getOps<KernelOpInterface>())
    readBuffers(target, op, times[op], times, step);
  readGradients(program, times, step);
  findLiveBytes(step);
}

/// Step of a training program; null for other programs.
static Step *stepOf(kernel::ProgramOp program, Compilation &compilation) {
  return program.is(train::Role::Train) && program.getStep()
             ? compilation.findStep(*program.getStep())
             : nullptr;
}

void Compilation::readPlan(ModuleOp module) {
  const Target *target = targetOf(module);
  if (!target)
    return;
  for (auto declared : module.getOps<train::ModelOp>())
    for (auto state : declared.getOps<StateOpInterface>()) {
      auto role = state.getStateRole();
      std::string kind = isa<train::ParamOp>(*state) ? "parameter"
                         : role                      ? stringifyStateRole(*role).str()
                                                     : "buffer";
      stateBytes[kind] += alignUp(*target, kernel::byteSize(state.getType()));
    }
  for (auto program : module.getOps<kernel::ProgramOp>())
    if (Step *step = stepOf(program, *this))
      readProgram(*target, program, *step);
}

/// Reads launches and code variants: a GPU runs some kernels as several functions.
static void readFunction(ArrayAttr functions, int64_t number, Kernel &kernel) {
  if (!functions || number < 0 || number >= int64_t(functions.size()))
    return;
  auto row = cast<DictionaryAttr>(functions[number]);
  if (auto launches = row.getAs<ArrayAttr>("launches"))
    kernel.launches = launches.size();
  if (auto form = row.getAs<StringAttr>("form"))
    kernel.form = form.str();
}

void Compilation::readKernels(ModuleOp module) {
  auto functions = module->getAttrOfType<ArrayAttr>("kernel.functions");
  for (auto program : module.getOps<kernel::ProgramOp>())
    if (Step *step = stepOf(program, *this)) {
      llvm::DenseSet<int64_t> distinct;
      auto ops = program.getBody().getOps<KernelOpInterface>();
      for (auto [op, kernel] : llvm::zip(ops, step->kernels)) {
        int64_t launches = 0;
        for (auto [run, runs] : kernelsOf(op)) {
          Kernel counted;
          if (auto function = run->getAttrOfType<IntegerAttr>("kernel.function")) {
            distinct.insert(function.getInt());
            readFunction(functions, function.getInt(), counted);
          }
          launches += runs * counted.launches;
          if (run == op)
            kernel.form = counted.form;
        }
        kernel.launches = launches;
        step->launches += launches;
      }
      step->distinctKernels = distinct.size();
    }
  if (functions)
    for (auto function : functions.getAsRange<DictionaryAttr>())
      if (auto scratch = function.getAs<DenseI64ArrayAttr>("scratch"))
        for (int64_t bytes : scratch.asArrayRef())
          scratchBytes = std::max(scratchBytes, bytes);
}
