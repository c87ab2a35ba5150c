// Random inputs, expected results, and errors of other results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/Case.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include <chrono>
#include <cmath>
#include <random>

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

void Code::run(void *const *pointers, bool backwards) const {
  GuardedBuffer scratch(llvm::alignTo(scratchBytes, 64));
  auto runAll = [&](KernelFunction run, int64_t count) {
    if (!backwards)
      run(pointers, 0, count, scratch.data());
    for (int64_t task = count; backwards && task-- > 0;)
      run(pointers, task, task + 1, scratch.data());
  };
  runAll(function, tasks);
  if (finish)
    runAll(finish, finishTasks);
}

double test::attribute(Operation *op, StringRef name, double otherwise) {
  if (auto attr = op->getAttrOfType<FloatAttr>(name))
    return attr.getValueAsDouble();
  if (auto attr = op->getAttrOfType<IntegerAttr>(name))
    return attr.getInt();
  return otherwise;
}

Case::Case(Operation *op, CodeOf codeOf) : op(op) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> real(attribute(op, "test.low", -2),
                                              attribute(op, "test.high", 2));
  std::uniform_int_distribution<int64_t> whole(0, attribute(op, "test.limit", 5) - 1);
  for (Value operand : op->getOperands()) {
    Type element = elementOf(operand.getType());
    int64_t size = bytesOf(element);
    buffers.push_back(std::make_unique<GuardedBuffer>(countOf(operand.getType()) * size));
    Elements elements;
    for (int64_t i = 0; i < countOf(operand.getType()); ++i) {
      char *at = buffers.back()->data() + i * size;
      Element value{real(random), whole(random)};
      if (op->hasAttr("test.distinct")) // no number twice if 7 does not divide the limit
        value.whole = (7 * i + 3) % (whole.max() + 1);
      writeElement(at, element, value);
      if (op->hasAttr("test.patterns")) {
        uint64_t bits = random() | uint64_t(random()) << 32;
        std::memcpy(at, &bits, size);
      }
      if (auto halves = op->getAttrOfType<StringAttr>("test.halves"))
        writeHalf(at, buffers.size() == 1, i, halves.getValue() == "finite", operand);
      if (auto chosen = op->getAttrOfType<DenseI64ArrayAttr>("test.element");
          chosen && chosen[0] + 1 == int64_t(buffers.size()) && chosen[1] == i)
        writeElement(at, element, {attribute(op, "test.value", INFINITY), 0});
      if (element.isInteger(1))
        *at &= 1;
      elements.push_back(readElement(at, element));
    }
    inputs.push_back(std::move(elements));
    if (auto pack = operand.getDefiningOp<kernel::PackOp>()) {
      auto packed = std::make_unique<GuardedBuffer>(kernel::byteSize(operand.getType()));
      std::memset(packed->data(), 0xff, kernel::byteSize(operand.getType())); // NaNs
      void *pointers[] = {buffers.back()->data(), packed->data()};
      codeOf(pack).run(pointers);
      buffers.back() = std::move(packed);
    }
  }
}
/// Element `i` of the left side: the f16 with bits `i`; of the right side: of the identity.
void Case::writeHalf(char *at, bool isLeft, int64_t i, bool finiteOnly, Value value) {
  int64_t columns = cast<RankedTensorType>(value.getType()).getShape().back();
  uint16_t bits = i, one = 0x3c00, infinity = 0x7c00;
  if (!isLeft)
    bits = i / columns == i % columns ? one : 0;
  else if (finiteOnly && (bits & infinity) == infinity)
    bits = 0;
  std::memcpy(at, &bits, sizeof bits);
}
bool Case::expect(CodeOf codeOf) {
  if (isa<kernel::PackOp>(op))
    return true; // compared by the products that read the packed matrix
  return interpret() && packExpected(codeOf);
}
bool Case::interpret() {
  if (auto sums = dyn_cast<kernel::FusedReductionOp>(op))
    return interpretReductions(sums, inputs, expected);
  if (auto members = dyn_cast<kernel::MultiMapOp>(op))
    return interpretMembers(members, inputs, expected);
  if (auto fused = dyn_cast<FusedKernelOpInterface>(op))
    return test::interpret(fused, inputs, expected);
  return interpretData(op, inputs, expected);
}
Buffers Case::makeResults(int64_t workspace) {
  Buffers results;
  for (Type type : op->getResultTypes()) {
    results.push_back(std::make_unique<GuardedBuffer>(kernel::byteSize(type)));
    if (kernel::packingOf(type)) // padding has to be cleared
      std::memset(results.back()->data(), 0xff, kernel::byteSize(type));
  }
  results.push_back(std::make_unique<GuardedBuffer>(workspace));
  if (OpOperand *target = cast<KernelOpInterface>(op).getOverwritten()) {
    Type type = target->get().getType();
    std::memcpy(results[0]->data(), buffers[target->getOperandNumber()]->data(),
                countOf(type) * bytesOf(elementOf(type)));
  }
  return results;
}
SmallVector<int64_t> test::movesOf(Operation *op, DictionaryAttr record) {
  SmallVector<int64_t> moves(op->getNumOperands()), own = kernel::startsOf(op);
  if (auto starts = record.getAs<DenseI64ArrayAttr>("starts"))
    for (auto [move, start, code] : llvm::zip_equal(moves, own, starts.asArrayRef()))
      move = start - code;
  return moves;
}
std::vector<void *> Case::pointers(const Buffers &results, const Code &code) {
  std::vector<void *> list;
  for (auto [buffer, move] : llvm::zip_equal(buffers, code.moves))
    list.push_back(buffer->data() + move);
  for (auto &buffer : results)
    list.push_back(buffer->data());
  return list;
}

bool Case::packExpected(CodeOf codeOf) {
  for (unsigned k = 0; k < op->getNumResults(); ++k) {
    Type type = op->getResult(k).getType();
    if (!kernel::packingOf(type))
      continue;
    kernel::PackOp pack;
    op->getParentOfType<ModuleOp>().walk([&](kernel::PackOp other) {
      if (other.getType() == type)
        pack = other;
    });
    if (!pack)
      return false;
    Type element = elementOf(type);
    GuardedBuffer matrix(countOf(type) * bytesOf(element));
    for (int64_t i = 0; i < countOf(type); ++i)
      writeElement(matrix.data() + i * bytesOf(element), element, expected[k][i]);
    auto packed = std::make_unique<GuardedBuffer>(kernel::byteSize(type));
    std::memset(packed->data(), 0xff, kernel::byteSize(type));
    void *pointers[] = {matrix.data(), packed->data()};
    codeOf(pack).run(pointers);
    expectedBytes[k] = std::move(packed);
  }
  return true;
}

double Case::compare(const Buffers &results, bool pairs) {
  double worst = 0;
  for (auto [k, type] : llvm::enumerate(op->getResultTypes())) {
    if (auto bytes = expectedBytes.find(k); bytes != expectedBytes.end())
      if (std::memcmp(results[k]->data(), bytes->second->data(), kernel::byteSize(type)))
        return INFINITY;
    if (kernel::packingOf(type))
      continue;
    Type element = elementOf(type);
    for (int64_t i = 0; i < countOf(type); ++i) {
      Element got = readElement(results[k]->data() + i * bytesOf(element), element);
      Element want = expected[k][i];
      if (got.whole != want.whole)
        return INFINITY;
      if (got.real == want.real || (std::isnan(got.real) && std::isnan(want.real)))
        continue;
      if (op->hasAttr("test.halves") && !std::isfinite(got.real) && !std::isfinite(want.real))
        continue;
      double error =
          std::fabs(got.real - want.real) / (1 + std::fabs(want.real) + (pairs ? want.terms : 0));
      worst = error <= worst ? worst : std::isnan(error) ? INFINITY : error;
    }
  }
  return worst;
}

std::optional<double> Case::run(const Code &code, bool pairs) {
  int64_t workspace = code.workspaceBytes;
  Buffers once = makeResults(workspace), backwards = makeResults(workspace);
  code.run(pointers(once, code).data());
  code.run(pointers(backwards, code).data(), true);
  for (auto [k, type] : llvm::enumerate(op->getResultTypes()))
    if (std::memcmp(once[k]->data(), backwards[k]->data(), kernel::byteSize(type)))
      return std::nullopt;
  for (const Buffers *set : {&once, &backwards, &buffers})
    for (auto &buffer : *set)
      if (!buffer->isIntact())
        return std::nullopt;
  return compare(once, pairs);
}
double Case::nanoseconds(const Code &code) {
  Buffers results = makeResults(code.workspaceBytes);
  GuardedBuffer scratch(llvm::alignTo(code.scratchBytes, 64));
  double best = INFINITY;
  for (int round = 0; round < 20; ++round) {
    auto start = std::chrono::steady_clock::now();
    code.function(pointers(results, code).data(), 0, code.tasks, scratch.data());
    if (code.finish)
      code.finish(pointers(results, code).data(), 0, code.finishTasks, scratch.data());
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

// ---- On a device ----

std::string Case::runOnce(DeviceProgram &device, ArrayRef<DeviceLaunch> launches,
                          const Buffers &results, bool strict, DeviceCounters *counters) {
  auto functions = op->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>("kernel.functions");
  int64_t number = op->getAttrOfType<IntegerAttr>("kernel.function").getInt();
  SmallVector<int64_t> moves = movesOf(op, cast<DictionaryAttr>(functions[number]));
  std::vector<DeviceBuffer> parameters;
  for (auto [operand, buffer, move] : llvm::zip_equal(op->getOperands(), buffers, moves))
    parameters.push_back({buffer->data(), kernel::byteSize(operand.getType()), true, false, move});
  bool isOverwritten = cast<KernelOpInterface>(op).getOverwritten();
  for (auto [k, type] : llvm::enumerate(op->getResultTypes()))
    parameters.push_back(
        {results[k]->data(), kernel::byteSize(type), isOverwritten && k == 0, true});
  if (int64_t workspace = cast<KernelOpInterface>(op).getWorkspaceBytes())
    parameters.push_back({results.back()->data(), workspace, false, false});
  return device.run(launches, parameters, strict, counters);
}

/// Where two runs differ; NaNs are alike.
std::string Case::differences(const Buffers &results, const Buffers &others) {
  for (auto [k, type] : llvm::enumerate(op->getResultTypes())) {
    Type element = elementOf(type);
    int64_t size = bytesOf(element);
    for (int64_t i = 0; i < countOf(type); ++i) {
      const char *x = results[k]->data() + i * size, *y = others[k]->data() + i * size;
      if (!std::memcmp(x, y, size))
        continue;
      double got = readElement(x, element).real, other = readElement(y, element).real;
      if (std::isnan(got) && std::isnan(other))
        continue;
      std::string text;
      llvm::raw_string_ostream(text)
          << "element " << i << " of result " << k << " is "
          << llvm::format("%.17g in one run and %.17g in another", got, other);
      return text;
    }
  }
  return "";
}

std::optional<double> Case::run(DeviceProgram &device, ArrayRef<DeviceLaunch> launches,
                                const Code *same, bool pairs, std::string &wrong) {
  int64_t workspace = cast<KernelOpInterface>(op).getWorkspaceBytes();
  Buffers once = makeResults(workspace), again = makeResults(workspace);
  wrong = runOnce(device, launches, once, /*strict=*/false);
  if (wrong.empty())
    wrong = runOnce(device, launches, again, /*strict=*/true);
  if (wrong.empty())
    wrong = differences(once, again);
  if (wrong.empty() && same) {
    again = makeResults(same->workspaceBytes);
    same->run(pointers(again, *same).data());
    wrong = differences(once, again);
  }
  if (!wrong.empty())
    return std::nullopt;
  return expected.empty() ? 0 : compare(once, pairs);
}
