// Runs the kernels of a file on every tier that this processor has, and compares with an
// interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs are random: floats in [test.low, test.high) (discardable attributes of the kernel, default
// [-2, 2)), integers in [0, test.limit) (default 5); with test.patterns, random bits; with
// test.halves = "finite" or "all", every f16 times the identity; with test.element = [operand,
// element], that one is test.value (default: infinity). Packed results of maps have to be the bytes
// that a kernel.pack of the file makes of the same matrix. With --totals, every kernel that can
// adds up its results, too. Prints one line per kernel and tier, and what a tier's object calls;
// exits with 1 after a difference.
#include "ampc/Kernel/Passes.h"
#include "ampc/Target/CPU/Passes.h"
#include "ampc/Target/Targets.h"
#include "lib/Target/CPU/Codegen.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include "test/lib/KernelRun/Interpreter.h"
#include "test/lib/KernelRun/Loader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include <chrono>
#include <cmath>
#include <random>

using namespace mlir;
using namespace ampc;
using namespace ampc::test;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("FILE"), cl::init("-"));
static cl::opt<bool> timing("time", cl::desc("print nanoseconds per run instead of checking"));
static cl::opt<bool> bestOnly("best",
                              cl::desc("with --time: only the code that this processor would run"));
static cl::opt<std::string>
    objectOf("object", cl::desc("write the object file of this tier to standard output instead"),
             cl::value_desc("TIER"));

static cl::opt<std::string> targetName("target", cl::desc("cpu (default) or reference"),
                                       cl::init("cpu"));

static cl::opt<bool> totals("totals", cl::desc("give every kernel totals of its results"));

namespace {
using Buffers = std::vector<std::unique_ptr<GuardedBuffer>>;

/// A kernel's code in one tier.
struct Code {
  KernelFunction function, finish;
  int64_t tasks, scratchBytes;

  void run(void *const *pointers, bool backwards = false) const {
    GuardedBuffer scratch(llvm::alignTo(scratchBytes, 64));
    if (!backwards)
      function(pointers, 0, tasks, scratch.data());
    for (int64_t task = tasks; backwards && task-- > 0;)
      function(pointers, task, task + 1, scratch.data());
    if (finish)
      finish(pointers, 0, 1, scratch.data());
  }
};

Type elementOf(Type type) { return cast<RankedTensorType>(type).getElementType(); }
int64_t countOf(Type type) { return cast<RankedTensorType>(type).getNumElements(); }
double attribute(Operation *op, StringRef name, double otherwise) {
  if (auto attr = op->getAttrOfType<FloatAttr>(name))
    return attr.getValueAsDouble();
  if (auto attr = op->getAttrOfType<IntegerAttr>(name))
    return attr.getInt();
  return otherwise;
}

/// One kernel with its data.
class Case {
public:
  /// `codeOf` finds the kernel.pack of an operand.
  Case(Operation *op, llvm::function_ref<Code(Operation *)> codeOf) : op(op) {
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
  static void writeHalf(char *at, bool isLeft, int64_t i, bool finiteOnly, Value value) {
    int64_t columns = cast<RankedTensorType>(value.getType()).getShape().back();
    uint16_t bits = i, one = 0x3c00, infinity = 0x7c00;
    if (!isLeft)
      bits = i / columns == i % columns ? one : 0;
    else if (finiteOnly && (bits & infinity) == infinity)
      bits = 0;
    std::memcpy(at, &bits, sizeof bits);
  }
  /// Packed results are made of the expected matrix by the `codeOf` a kernel.pack.
  bool expect(llvm::function_ref<Code(Operation *)> codeOf) {
    if (isa<kernel::PackOp>(op))
      return true; // products that read it compare
    return interpret() && packExpected(codeOf);
  }
  /// The largest error, relative to 1 + |expected|, or nullopt if the run depends on the order of
  /// tasks or writes outside its results.
  std::optional<double> run(const Code &code, bool pairs);
  double nanoseconds(const Code &code);

private:
  bool interpret() {
    if (auto sums = dyn_cast<kernel::WithTotalsOp>(op))
      return interpretTotals(sums, inputs, expected);
    if (auto fused = dyn_cast<FusedKernelOpInterface>(op))
      return test::interpret(fused, inputs, expected);
    return interpretData(op, inputs, expected);
  }
  bool packExpected(llvm::function_ref<Code(Operation *)> codeOf);
  Buffers makeResults() {
    Buffers results;
    for (Type type : op->getResultTypes()) {
      results.push_back(std::make_unique<GuardedBuffer>(kernel::byteSize(type)));
      if (kernel::packingOf(type)) // padding has to be cleared
        std::memset(results.back()->data(), 0xff, kernel::byteSize(type));
    }
    int64_t workspace = cast<KernelOpInterface>(op).getWorkspaceBytes();
    results.push_back(std::make_unique<GuardedBuffer>(workspace));
    if (OpOperand *target = cast<KernelOpInterface>(op).getOverwritten()) {
      Type type = target->get().getType();
      std::memcpy(results[0]->data(), buffers[target->getOperandNumber()]->data(),
                  countOf(type) * bytesOf(elementOf(type)));
    }
    return results;
  }
  std::vector<void *> pointers(const Buffers &results) {
    std::vector<void *> list;
    for (auto &buffer : buffers)
      list.push_back(buffer->data());
    for (auto &buffer : results)
      list.push_back(buffer->data());
    return list;
  }
  double compare(const Buffers &results, bool pairs);

  Operation *op;
  Buffers buffers;
  std::vector<Elements> inputs, expected;
  llvm::DenseMap<unsigned, std::unique_ptr<GuardedBuffer>> expectedBytes; // of packed results
};
} // namespace

bool Case::packExpected(llvm::function_ref<Code(Operation *)> codeOf) {
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

/// `pairs`: the kernel may round a factor of each term.
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
  Buffers once = makeResults(), backwards = makeResults();
  code.run(pointers(once).data());
  code.run(pointers(backwards).data(), true);
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
  Buffers results = makeResults();
  GuardedBuffer scratch(llvm::alignTo(code.scratchBytes, 64));
  double best = INFINITY;
  for (int round = 0; round < 20; ++round) {
    auto start = std::chrono::steady_clock::now();
    code.function(pointers(results).data(), 0, code.tasks, scratch.data());
    if (code.finish)
      code.finish(pointers(results).data(), 0, 1, scratch.data());
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

/// Plain loops run where the first tier does.
static ArrayRef<cpu::Tier> chosenTiers() {
  static const cpu::Tier any = [] {
    cpu::Tier tier = cpu::tiers().front();
    tier.name = "reference";
    return tier;
  }();
  return targetName == "reference" ? ArrayRef(any) : cpu::tiers();
}

/// The last tier that this processor has without emulation.
static const cpu::Tier &bestTier() {
  const cpu::Tier *best = nullptr;
  for (const cpu::Tier &tier : cpu::tiers())
    if (tier.hasAMX() ? hasNativeAmx() : canRun(tier))
      best = &tier;
  return *best;
}

/// Rounding of the narrowest type among results and what bodies go through, times some ulps; 0:
/// exact. Tiers that multiply pairs of bf16 round a factor of every term of such products: with
/// `test.pairs_tolerance` that is what is allowed, relative to the terms' magnitudes as well.
static double tolerance(Operation *op, const cpu::Tier &tier) {
  double allowed = 0;
  for (Type type : op->getResultTypes())
    if (auto element = dyn_cast<FloatType>(elementOf(type)))
      allowed = std::max(
          allowed, std::ldexp(element.isF64() ? 64.0 : 16.0, -int(element.getFPMantissaWidth())));
  for (Type type : op->getResultTypes())
    if (elementOf(type).isBF16() || elementOf(type).isF16())
      allowed = std::ldexp(1.0, 1 - int(cast<FloatType>(elementOf(type)).getFPMantissaWidth()));
  allowed = attribute(op, "test.tolerance", allowed);
  if (targetName == "reference") // sums of one term after the other lose more than sums of sums
    return 4 * allowed;
  return tier.hasBF16Products() ? attribute(op, "test.pairs_tolerance", allowed) : allowed;
}

namespace {
class Runner {
public:
  explicit Runner(ModuleOp module) : module(module) {}
  bool runAll();

private:
  bool runTier(const cpu::Tier &tier, ModuleOp tierModule);
  bool runKernel(Operation *op, const cpu::Tier &tier);
  DictionaryAttr recordOf(Operation *op);
  /// The name of the tier whose code `tier` runs.
  StringRef sourceOf(Operation *op, const cpu::Tier &tier);
  Code codeOf(Operation *op, const cpu::Tier &tier);

  ModuleOp module;
  llvm::StringMap<std::unique_ptr<llvm::orc::LLJIT>> jits; // by tier
};
} // namespace

static KernelFunction lookup(llvm::orc::LLJIT &jit, const std::string &name) {
  auto address = jit.lookup(name);
  if (!address) {
    llvm::errs() << llvm::toString(address.takeError()) << "\n";
    exit(1);
  }
  return address->toPtr<KernelFunction>();
}

DictionaryAttr Runner::recordOf(Operation *op) {
  int64_t number = op->getAttrOfType<IntegerAttr>("kernel.function").getInt();
  return cast<DictionaryAttr>(module->getAttrOfType<ArrayAttr>("kernel.functions")[number]);
}
StringRef Runner::sourceOf(Operation *op, const cpu::Tier &tier) {
  return cast<StringAttr>(recordOf(op).getAs<ArrayAttr>("tiers")[unsigned(tier.kind)]).getValue();
}
Code Runner::codeOf(Operation *op, const cpu::Tier &tier) {
  DictionaryAttr record = recordOf(op);
  auto numbers = [&](StringRef name) {
    return record.getAs<DenseI64ArrayAttr>(name)[unsigned(tier.kind)];
  };
  StringRef source = sourceOf(op, tier);
  std::string symbol = (record.getAs<StringAttr>("name").getValue() + "_" + source).str();
  KernelFunction finish = nullptr;
  if (record.getAs<BoolAttr>("finish").getValue())
    finish = lookup(*jits[source], symbol + "_finish");
  return {lookup(*jits[source], symbol), finish, numbers("tasks"), numbers("scratch")};
}

bool Runner::runKernel(Operation *op, const cpu::Tier &tier) {
  if (sourceOf(op, tier) != tier.name)
    return true; // the same code as in a tier below
  if (bestOnly && sourceOf(op, bestTier()) != tier.name)
    return true;
  Code code = codeOf(op, tier);
  auto packCode = [&](Operation *pack) { return codeOf(pack, tier); };
  Case data(op, packCode);
  llvm::outs() << recordOf(op).getAs<StringAttr>("name").getValue() << "_" << tier.name << ": "
               << code.tasks << (code.tasks == 1 ? " task, " : " tasks, ");
  if (timing) {
    llvm::outs() << llvm::format("%.0f ns\n", data.nanoseconds(code));
    return true;
  }
  if (!data.expect(packCode)) {
    llvm::outs() << "not known to the interpreter\n";
    return false;
  }
  bool pairs = tier.hasBF16Products() && op->hasAttr("test.pairs_tolerance");
  std::optional<double> error = data.run(code, pairs);
  if (!error) {
    llvm::outs() << "depends on the order of tasks, or writes outside its results\n";
    return false;
  }
  double allowed = tolerance(op, tier);
  bool passed = *error <= allowed;
  llvm::outs() << llvm::format("error %.2g of %.2g ", *error, allowed)
               << (passed ? "ok\n" : "FAILED\n");
  return passed;
}

bool Runner::runTier(const cpu::Tier &tier, ModuleOp tierModule) {
  std::vector<std::string> calls;
  auto jit = load(tierModule, calls);
  if (!jit) {
    llvm::errs() << tier.name << ": " << llvm::toString(jit.takeError()) << "\n";
    return false;
  }
  if (!calls.empty())
    llvm::outs() << tier.name << " calls " << llvm::join(calls, " ") << "\n";
  bool passed = true;
  jits[tier.name] = std::move(*jit);
  for (auto program : module.getOps<kernel::ProgramOp>())
    for (auto op : program.getBody().getOps<KernelOpInterface>())
      passed &= runKernel(op, tier);
  return passed;
}
bool Runner::runAll() {
  bool passed = true;
  for (const cpu::Tier &tier : chosenTiers()) {
    auto tierModule = module.lookupSymbol<ModuleOp>(("tier_" + tier.name).str());
    if (!tierModule)
      continue;
    if (canRun(tier) && !(timing && tier.hasAMX() && !hasNativeAmx()))
      passed &= runTier(tier, tierModule);
    else
      llvm::outs() << tier.name << ": not on this processor\n";
  }
  return passed;
}

static bool writeObject(ModuleOp module) {
  auto tierModule = module.lookupSymbol<ModuleOp>("tier_" + objectOf);
  if (!tierModule) {
    llvm::errs() << "expected a kernel with code for tier " << objectOf << "\n";
    return false;
  }
  auto object = compile(tierModule);
  if (!object) {
    llvm::errs() << llvm::toString(object.takeError()) << "\n";
    return false;
  }
  llvm::outs() << StringRef(object->data(), object->size());
  return true;
}

/// Of an element: one, its square in f64, and 0 unless it is not finite.
static void buildTotals(OpBuilder &b, Location loc, Value element, SmallVectorImpl<Value> &sums) {
  auto type = cast<FloatType>(element.getType());
  Type wide = type.getWidth() < 32 ? b.getF32Type() : Type(type);
  if (type != wide)
    element = arith::ExtFOp::create(b, loc, wide, element);
  auto constant = [&](double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(wide, value));
  };
  Value none = arith::MulFOp::create(b, loc, element, constant(0));
  Value exact = type.isF64() ? element : arith::ExtFOp::create(b, loc, b.getF64Type(), element);
  sums.push_back(arith::AddFOp::create(b, loc, none, constant(1)));
  sums.push_back(arith::MulFOp::create(b, loc, exact, exact));
  sums.push_back(none);
}

/// The same kernel with totals, if it can have some.
static void addTotals(KernelOpInterface kernel) {
  auto elementAt = [&](unsigned k) { return elementOf(kernel->getResult(k).getType()); };
  auto wanted =
      llvm::filter_to_vector(llvm::seq<unsigned>(0, kernel->getNumResults()), [&](unsigned k) {
        return kernel.canTotal(k) && isa<FloatType>(elementAt(k));
      });
  if (wanted.empty())
    return;
  Location loc = kernel->getLoc();
  Region launch, body;
  OpBuilder b(kernel);
  Block *block = b.createBlock(&launch);
  IRMapping map;
  for (Value operand : kernel->getOperands())
    if (!map.contains(operand))
      map.map(operand, block->addArgument(operand.getType(), loc));
  auto inputs = llvm::to_vector(SetVector<Value>(kernel->operand_begin(), kernel->operand_end()));
  kernel::YieldOp::create(b, loc, b.clone(*kernel, map)->getResults());
  b.createBlock(&body);
  SmallVector<Value> sums;
  for (unsigned k = 0; k < kernel->getNumResults(); ++k)
    body.addArgument(elementAt(k), loc);
  for (unsigned k : wanted)
    buildTotals(b, loc, body.getArgument(k), sums);
  kernel::YieldOp::create(b, loc, sums);
  SmallVector<Type> types(kernel->getResultTypes());
  for (Value sum : sums)
    types.push_back(RankedTensorType::get({}, sum.getType()));
  b.setInsertionPoint(kernel);
  auto op = kernel::WithTotalsOp::create(b, loc, types, inputs, /*parts=*/1);
  op->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  op.getLaunch().takeBody(launch);
  op.getBody().takeBody(body);
  kernel->replaceAllUsesWith(op->getResults().take_front(kernel->getNumResults()));
  kernel->erase();
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "runs and checks kernels\n");
  DialectRegistry registry;
  registry.insert<kernel::KernelDialect>();
  registerTargets(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(input, &context);
  if (!module)
    return 1;
  (*module)->setAttr("kernel.target", StringAttr::get(&context, targetName));
  const Target *target = targetOf(*module);
  if (!target)
    return 1;
  if (totals)
    for (auto program : module->getOps<kernel::ProgramOp>())
      for (auto op : llvm::to_vector(program.getBody().getOps<KernelOpInterface>()))
        addTotals(op);
  PassManager pm(&context);
  pm.addPass(createKernelConfigure());
  target->addEmission(pm, {});
  if (failed(pm.run(*module)))
    return 1;
  if (!objectOf.empty())
    return writeObject(*module) ? 0 : 1;
  return Runner(*module).runAll() ? 0 : 1;
}
