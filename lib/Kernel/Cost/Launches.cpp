// Kernels of a run in launch order, with the reuse distance of each tensor: bytes touched since the
// last access.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Cost.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cost;

/// Buffer assigned to a result; null before planning and for arguments.
static kernel::PlaceAttr placeOf(Value value) {
  Operation *op = value.getDefiningOp();
  auto places = op ? op->getAttrOfType<ArrayAttr>("kernel.places") : ArrayAttr();
  unsigned number = op ? cast<OpResult>(value).getResultNumber() : 0;
  return places && number < places.size() ? dyn_cast<kernel::PlaceAttr>(places[number])
                                          : kernel::PlaceAttr();
}

namespace {
/// Reuse distances: bytes touched so far, and the time of the last access to each buffer. Values
/// that share a buffer of the arena share an entry.
class ReuseDistances {
public:
  /// Reuse distance of the access, `bytes` included; INT64_MAX for the first access. An access to
  /// less than half of a tensor, such as rows of a table, does not count as an access to the
  /// remaining rows.
  int64_t touch(Value value, int64_t bytes) {
    int64_t &last = lasts.try_emplace(keyOf(value), never).first->second;
    int64_t distance = last == never ? INT64_MAX : now - last + bytes;
    bool isPart = bytes < kernel::byteSize(value.getType()) / 2;
    now += bytes;
    if (!isPart || last == never)
      last = now;
    return distance;
  }

private:
  static const void *keyOf(Value value) {
    value = kernel::throughViews(value);
    kernel::PlaceAttr place = placeOf(value);
    return place ? place.getAsOpaquePointer() : value.getAsOpaquePointer();
  }
  static constexpr int64_t never = -1;
  DenseMap<const void *, int64_t> lasts;
  int64_t now = 0;
};

class LaunchCollector {
public:
  explicit LaunchCollector(ModuleOp module)
      : functions(module->getAttrOfType<ArrayAttr>("kernel.functions")) {}
  void read(kernel::ProgramOp program);
  std::vector<Launch> launches;

private:
  std::vector<int64_t> tasksOf(Operation *op) const;
  void readKernel(KernelOpInterface op);

  ArrayAttr functions;
  ReuseDistances clock;
  DenseMap<Operation *, unsigned> numbers;
};
} // namespace

std::vector<int64_t> LaunchCollector::tasksOf(Operation *op) const {
  auto function = op->getAttrOfType<IntegerAttr>("kernel.function");
  if (!function || !functions || function.getInt() >= int64_t(functions.size()))
    return {};
  auto tasks = cast<DictionaryAttr>(functions[function.getInt()]).getAs<DenseI64ArrayAttr>("tasks");
  return tasks ? std::vector<int64_t>(tasks.asArrayRef()) : std::vector<int64_t>();
}

static KernelOpInterface innerKernel(KernelOpInterface op) {
  auto reductions = dyn_cast<kernel::FusedReductionOp>(*op);
  return reductions ? reductions.getKernel() : op;
}

static std::string sizesText(ArrayRef<int64_t> sizes) {
  return llvm::join(llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); }), "x");
}
static std::string shapeText(KernelOpInterface op) {
  std::string text;
  if (auto space = op->getAttrOfType<DenseI64ArrayAttr>("space"))
    text = sizesText(space);
  else if (op->getNumResults())
    text = sizesText(cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  if (auto depth = op->getAttrOfType<IntegerAttr>("depth"))
    text += " depth " + std::to_string(depth.getInt());
  return text;
}

void LaunchCollector::readKernel(KernelOpInterface op) {
  KernelOpInterface inner = innerKernel(op);
  Launch launch;
  launch.kernel = numbers.try_emplace(op, numbers.size()).first->second;
  launch.name = nameOf(op);
  launch.kind = inner->getName().stripDialect().str();
  launch.form = shapeText(inner);
  auto origins = originsOf(op);
  launch.stage = origins.empty() ? train::Stage::Forward : origins.front().getStage();
  launch.work = workOf(op);
  launch.tasks = tasksOf(op);
  for (Touch &touch : launch.work.touches) {
    Value value = touch.isWrite ? op->getResult(touch.number) : op->getOperand(touch.number);
    kernel::PlaceAttr place = touch.isWrite ? placeOf(value) : nullptr;
    touch.isInPlace = place && place.getSpace() == kernel::Space::state;
    launch.distances.push_back(clock.touch(value, touch.bytes));
  }
  launches.push_back(std::move(launch));
}

void LaunchCollector::read(kernel::ProgramOp program) {
  for (auto op : program.getBody().getOps<KernelOpInterface>()) {
    auto call = dyn_cast<kernel::CallOp>(*op);
    for (int64_t run = 0, runs = call ? call.getRuns() : 0; run < runs; ++run)
      read(call.getProgram());
    if (!call)
      readKernel(op);
  }
}

std::vector<Launch> cost::launchesOf(kernel::ProgramOp program) {
  LaunchCollector consumer(program->getParentOfType<ModuleOp>());
  consumer.read(program); // the second run finds the caches as the first run left them
  consumer.launches.clear();
  consumer.read(program);
  return std::move(consumer.launches);
}
