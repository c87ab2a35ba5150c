// Compilation, loading and runs of a model in one configuration.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Trial.h"
#include "ampc/Package/Package.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

// ---- Records ----

/// NaN: exponent all ones and a nonzero fraction.
template <typename Bits> static bool isNaN(Bits bits, Bits infinity) {
  return Bits(bits & ~(Bits(1) << (8 * sizeof(Bits) - 1))) > infinity;
}
template <typename Bits>
static bool areEqual(const std::string &a, const std::string &b, Bits infinity) {
  for (size_t at = 0; at + sizeof(Bits) <= a.size(); at += sizeof(Bits)) {
    Bits x, y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    if (x != y && !(isNaN(x, infinity) && isNaN(y, infinity)))
      return false;
  }
  return true;
}

static bool areEqual(const Recorded &a, const Recorded &b) {
  if (a.dtype != b.dtype || a.dims != b.dims || a.bytes.size() != b.bytes.size())
    return false;
  switch (a.dtype) {
  case AMPC_F64:
    return areEqual<uint64_t>(a.bytes, b.bytes, 0x7ff0000000000000u);
  case AMPC_F32:
    return areEqual<uint32_t>(a.bytes, b.bytes, 0x7f800000u);
  case AMPC_F16:
    return areEqual<uint16_t>(a.bytes, b.bytes, 0x7c00u);
  case AMPC_BF16:
    return areEqual<uint16_t>(a.bytes, b.bytes, 0x7f80u);
  default:
    return a.bytes == b.bytes;
  }
}

std::vector<std::string> fuzz::differences(const Record &a, const Record &b) {
  std::vector<std::string> names;
  for (auto &[name, value] : a)
    if (auto other = b.find(name); other != b.end() && !areEqual(value, other->second))
      names.push_back(name);
  return names;
}

template <typename Real>
static bool areNear(const std::string &a, const std::string &b, double share, double floor) {
  double largest = 0;
  std::vector<Real> x(a.size() / sizeof(Real)), y(x.size());
  if (a.size() != b.size())
    return false;
  std::memcpy(x.data(), a.data(), a.size());
  std::memcpy(y.data(), b.data(), b.size());
  for (Real value : x)
    if (std::isfinite(value))
      largest = std::max(largest, double(std::abs(value)));
  for (auto [p, q] : llvm::zip(x, y)) {
    bool same = p == q || (std::isnan(p) && std::isnan(q));
    if (!same && !(std::abs(double(p) - double(q)) <= share * largest + floor))
      return false;
  }
  return true;
}

bool fuzz::isRoundingAlone(const Recorded &a, const Recorded &b) {
  return a.dtype == AMPC_F64 && b.dtype == AMPC_F64 &&
         areNear<double>(a.bytes, b.bytes, 1e-6, 1e-9) &&
         !areNear<double>(a.bytes, b.bytes, 1e-6, 0);
}

bool fuzz::hasCancelled(const Recorded &a, const Recorded &b) {
  if (a.dtype != AMPC_F64 || b.dtype != AMPC_F64 || a.bytes.size() != b.bytes.size())
    return false;
  std::vector<double> x(a.bytes.size() / sizeof(double)), y(x.size());
  std::memcpy(x.data(), a.bytes.data(), a.bytes.size());
  std::memcpy(y.data(), b.bytes.data(), b.bytes.size());
  double largest = 0;
  for (double value : x)
    largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 0);
  return llvm::any_of(llvm::zip(x, y), [&](auto pair) {
    auto [p, q] = pair;
    return (p > 0) - (p < 0) != (q > 0) - (q < 0) &&
           std::max(std::abs(p), std::abs(q)) <= 1e-9 * largest;
  });
}

std::vector<std::string> fuzz::farDifferences(const Record &a, const Record &b, double share) {
  std::vector<std::string> names;
  for (auto &[name, value] : a) {
    auto other = b.find(name);
    if (other == b.end())
      continue;
    const std::string &bytes = other->second.bytes;
    double floor = 1e-3 * share;
    bool isGood = value.dtype == AMPC_F64   ? areNear<double>(value.bytes, bytes, share, floor)
                  : value.dtype == AMPC_F32 ? areNear<float>(value.bytes, bytes, share, floor)
                                            : areEqual(value, other->second);
    if (!isGood)
      names.push_back(name);
  }
  return names;
}

std::string fuzz::firstDifference(const Recorded &a, const Recorded &b) {
  size_t width = ampc_rt_dtype_bytes(a.dtype), at = 0;
  while (at + width < a.bytes.size() && !a.bytes.compare(at, width, b.bytes, at, width))
    at += width;
  auto show = [&](const Recorded &value) {
    uint64_t bits = 0;
    std::memcpy(&bits, value.bytes.data() + at, width);
    double number = double(bits);
    if (value.dtype == AMPC_F64)
      std::memcpy(&number, &bits, 8);
    if (value.dtype == AMPC_F32 || value.dtype == AMPC_BF16) {
      uint32_t word = value.dtype == AMPC_F32 ? bits : bits << 16;
      float single;
      std::memcpy(&single, &word, 4);
      number = single;
    }
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.17g (0x%llx)", number, (long long)bits);
    return text;
  };
  if (a.bytes.size() != b.bytes.size())
    return ", of different sizes";
  return ", first element " + std::to_string(at / width) + ": " + show(a) + " and " + show(b);
}

bool fuzz::writeRecord(const Record &record, StringRef path) {
  static const char *types[] = {"F32", "F64", "F16", "BF16", "BOOL",
                                "I8",  "I16", "I32", "I64",  "U8"};
  llvm::json::Object head;
  int64_t at = 0;
  for (auto &[name, value] : record) {
    int64_t end = at + value.bytes.size();
    head[name] = llvm::json::Object{{"dtype", types[value.dtype]},
                                    {"shape", llvm::json::Array(value.dims)},
                                    {"data_offsets", llvm::json::Array{at, end}}};
    at = end;
  }
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(head));
  uint64_t size = text.size();
  file.write(reinterpret_cast<const char *>(&size), sizeof size) << text;
  for (auto &[name, value] : record)
    file << value.bytes;
  file.close();
  return !error && !file.has_error();
}

// ---- Compilation ----

static LogicalResult runPhase(ModuleOp module, const Phase &phase, const CompileOptions &options) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false); // phases are verified as a whole, as the compiler's own are
  phase.addTo(pm, options);
  return success(succeeded(pm.run(module)) && succeeded(verify(module)));
}

static std::string textWithLocations(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo().assumeVerified());
  return text;
}

Compiled fuzz::compileModule(OwningOpRef<ModuleOp> module, const CompileOptions &options,
                             const PhaseRange &range) {
  Compiled result;
  ScopedDiagnosticHandler handler(module->getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && result.message.empty())
      result.message = diagnostic.str();
    return success();
  });
  const Phase *last = findPhase(range.until);
  const Phase *first = range.after.empty() ? getPhases().begin() : findPhase(range.after) + 1;
  for (const Phase &phase : llvm::make_range(first, last + 1)) {
    if (failed(runPhase(*module, phase, options)))
      return result;
    if (phase.name == range.keepTextOf)
      result.text = textWithLocations(*module);
    if (range.stages && &phase != last)
      (*range.stages)[phase.name.str()] = module->clone();
  }
  result.module = std::move(module);
  return result;
}

Compiled fuzz::compileText(StringRef text, const CompileOptions &options, MLIRContext *context,
                           const PhaseRange &range) {
  Compiled result;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && result.message.empty())
      result.message = diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
  return module ? compileModule(std::move(module), options, range) : std::move(result);
}

static std::string pipelineOf(const Phase &phase, const CompileOptions &options) {
  OpPassManager pm(ModuleOp::getOperationName());
  phase.addTo(pm, options);
  std::string text;
  llvm::raw_string_ostream os(text);
  pm.printAsTextualPipeline(os);
  return text;
}

std::string fuzz::sharedPhase(const CompileOptions &a, const CompileOptions &b) {
  std::string shared;
  for (const Phase &phase : getPhases()) {
    if (phase.name == "recompute" || pipelineOf(phase, a) != pipelineOf(phase, b))
      break;
    shared = phase.name.str();
  }
  return shared;
}

bool fuzz::areSame(ModuleOp a, ModuleOp b) {
  return OperationEquivalence::isEquivalentTo(a, b, OperationEquivalence::IgnoreLocations);
}

std::unique_ptr<Code> Code::load(ModuleOp module, CodeLevel level) {
  PackageOptions options;
  options.level = level;
  options.pickTier = [](StringRef, ArrayRef<uint32_t> tiers) -> std::optional<PickedTier> {
    return PickedTier{0, int32_t(llvm::Log2_32(tiers[0]))}; // best of the requested tiers
  };
  // Variants of a model share most kernels, and a process has a single model.
  static KernelObjects kernels;
  options.kernels = &kernels;
  auto packaged = packageModel(module, options);
  if (failed(packaged))
    return nullptr;
  auto loaded = LoadedModel::load(*packaged);
  if (!loaded) {
    llvm::errs() << llvm::toString(loaded.takeError()) << "\n";
    return nullptr;
  }
  auto code = std::make_unique<Code>();
  code->loaded = std::move(*loaded);
  return code;
}
