// ampc compile: a model to a library and a header.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Data/Mapping.h"
#include "ampc/Package/DeviceCode.h"
#include "ampc/Package/Package.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Text.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/DeviceOptions.h"
#include "tools/ampc/ExplainKernels.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/PlanTable.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/StateBytes.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::compileCommand("compile", "compile a model to a library and a C header");

static cl::opt<std::string> input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required,
                                  cl::sub(compileCommand));
static cl::opt<std::string>
    outputDir("o", cl::desc("folder for library, header and manifest (default: .)"),
              cl::value_desc("DIR"), cl::init("."), cl::Prefix, cl::sub(compileCommand));
static cl::opt<std::string>
    libraryName("name", cl::desc("name of files and functions (default: the model's)"),
                cl::value_desc("NAME"), cl::sub(compileCommand));
static cl::list<std::string>
    bindings("bindings", cl::CommaSeparated,
             cl::desc("also interfaces for cpp (NAME.hpp), python (NAME.py, with a shared library) "
                      "or fortran (NAME.f90)"),
             cl::value_desc("LIST"), cl::sub(compileCommand));
static PrecisionOptions precision(compileCommand);
static cl::opt<std::string>
    stopAfter("compile-to",
              cl::desc("print the module after this phase and stop; the printed module may be an "
                       "input, with the same options"),
              cl::value_desc("PHASE"), cl::sub(compileCommand));
static cl::opt<std::string> dumpDir("dump-phases-to",
                                    cl::desc("write the module after every phase into this folder"),
                                    cl::value_desc("DIR"), cl::sub(compileCommand));
static cl::opt<std::string> sanitize("sanitize",
                                     cl::desc("instrument the model's code: address or thread"),
                                     cl::sub(compileCommand));
static cl::opt<bool>
    timing("timing",
           cl::desc("print seconds per phase, of code and of files, and how many values "
                    "walks through the model have visited"),
           cl::sub(compileCommand));

static cl::opt<bool> memory(
    "memory",
    cl::desc("print the memory of the same model in f32 too, and the bytes of a state by purpose"),
    cl::sub(compileCommand));

static cl::opt<DeviceCodeFormat>
    emitted("emit", cl::desc("write the code of GPUs in place of a library: NAME.TIER.*"),
            cl::values(clEnumValN(DeviceCodeFormat::NVVM, "nvvm", "MLIR's dialects LLVM and NVVM"),
                       clEnumValN(DeviceCodeFormat::PTX, "ptx", "text, which the driver assembles"),
                       clEnumValN(DeviceCodeFormat::Cubin, "cubin", "machine code, by ptxas")),
            cl::sub(compileCommand));
static cl::opt<InitialValues> initialData(
    "initial-data", cl::desc("where states find first values that the model names in files"),
    cl::init(InitialValues::Embedded),
    cl::values(clEnumValN(InitialValues::Embedded, "embed", "in the library (default)"),
               clEnumValN(InitialValues::Beside, "beside",
                          "in NAME.data.safetensors, which options.initial_data names")),
    cl::sub(compileCommand));
static cl::opt<bool>
    explain("explain-kernels",
            cl::desc("print the code of every kernel, the reason for the choice, and the launches"),
            cl::sub(compileCommand));
static cl::opt<bool> noFallback("no-fallback",
                                cl::desc("16-bit contractions, convolutions and attention without "
                                         "code on a GPU's matrix units are errors"),
                                cl::sub(compileCommand));

static cl::opt<bool>
    planOnly("plan-only", cl::desc("write no files: print work and predicted time of every kernel"),
             cl::sub(compileCommand));
static cl::opt<std::string>
    machineFile("machine",
                cl::desc("with --plan-only: predict by the figures in this file, which ampc bench "
                         "--calibrate writes (default: built-in figures)"),
                cl::value_desc("FILE.json"), cl::sub(compileCommand));

/// Memory plan of the same model in f32; nullopt after a reported failure.
static std::optional<MemoryTable> memoryInF32(CompileRequest request) {
  request.options = inF32(request.options);
  request.stopAfter = "plan";
  request.dumpDir.clear();
  request.timing = false;
  request.goOn = false;
  request.shown = Shown::Errors;
  Compiler compiler;
  OwningOpRef<ModuleOp> module = compiler.run(request);
  if (!module)
    return std::nullopt;
  return memoryOf(*module);
}

static void printMemory(const PackagedModel &model, StringRef precision,
                        const std::optional<MemoryTable> &inF32) {
  results() << "memory of " << model.name << " in bytes\n";
  if (inF32)
    results() << llvm::format("  %-26s %14s %14s\n", "", precision.str().c_str(), "f32");
  for (auto &[name, bytes] : model.memory) {
    results() << llvm::format("  %-26s %14lld", name.str().c_str(), (long long)bytes);
    auto same = [name = name](const std::pair<StringRef, int64_t> &row) {
      return row.first == name;
    };
    if (inF32) {
      auto found = llvm::find_if(*inF32, same);
      results() << llvm::format(" %14lld", found == inF32->end() ? 0LL : (long long)found->second);
    }
    results() << "\n";
  }
}

/// Prints savings and costs of checkpoints and activation budgets, a line per step.
static void printCheckpoints(ModuleOp whole) {
  for (auto program : targetModules(whole).front().getOps<kernel::ProgramOp>()) {
    std::optional<CheckpointCosts> costs = CheckpointCosts::of(program);
    auto saved = program->getAttrOfType<IntegerAttr>("amp.saved_bytes");
    if (!costs || !saved || !program.is(train::Role::Train))
      continue;
    if (std::optional<BudgetCosts> budget = BudgetCosts::of(program))
      results() << llvm::formatv(
          "activations of {0}: at most {1} bytes, of a budget of {2}; without a budget {3}\n",
          program.getStepName(), budget->held, budget->budget, budget->without);
    results() << llvm::formatv("checkpoints of {0}: the backward pass reads values of {1} bytes "
                               "in place of {2}; {3:F1} % of the operations are done again\n",
                               program.getStepName(), saved.getInt(), costs->savedWithout,
                               100 * costs->shareAgain());
  }
}

/// Runs `work`; with --timing, prints a line like a phase's.
template <typename Work> static auto timed(const char *name, Work work) {
  double start = llvm::TimeRecord::getCurrentTime(true).getWallTime();
  auto result = work();
  if (timing)
    messages() << llvm::format("%8.3f s  ",
                               llvm::TimeRecord::getCurrentTime(false).getWallTime() - start)
               << name << "\n";
  return result;
}

/// Writes all requested outputs of a compiled module.
static int writeResults(ModuleOp module, const CompileRequest &request) {
  if (noFallback && failed(refusePlainForms(module)))
    return 1;
  if (explain)
    explainKernels(module, results());
  if (planOnly) {
    llvm::Error error = printPlan(module, machineFile, results());
    return error ? fail(llvm::toString(std::move(error))) : 0;
  }
  if (emitted.getNumOccurrences())
    return failed(writeDeviceCode(module, emitted, libraryName, outputDir, request.inputs(),
                                  request.options.noCache));
  PackageOptions options;
  options.name = libraryName;
  options.images = deviceImages();
  options.values = initialData;
  options.bindings = bindings;
  options.noCache = request.options.noCache;
  if (sanitize == "address")
    options.sanitizer = Sanitizer::Address;
  if (sanitize == "thread")
    options.sanitizer = Sanitizer::Thread;
  auto packaged = timed("code", [&] { return packageModel(module, options); });
  if (std::string lost = shortenedFile(); !lost.empty())
    return fail(lost);
  if (failed(packaged) || failed(timed("files", [&] {
        return writePackage(module, *packaged, outputDir, request.inputs());
      })))
    return 1;
  if (isQuiet())
    return 0;
  std::optional<MemoryTable> inF32;
  if (memory && request.options.precision != "f32" && !(inF32 = memoryInF32(request)))
    return 1;
  printMemory(*packaged, request.options.precision, inF32);
  if (memory && options.sanitizer == Sanitizer::None)
    if (llvm::Error mistake = printStateBytes(*packaged))
      return fail(llvm::toString(std::move(mistake)));
  printCheckpoints(module);
  return 0;
}

int ampc::runCompile() {
  auto chosen = precision.get();
  if (!chosen)
    return fail(llvm::toString(chosen.takeError()));
  if (stopAfter.getNumOccurrences() && !findPhase(stopAfter))
    return fail("expected a phase (" + phaseNames() + "), but got " + shown(stopAfter) +
                didYouMean(stopAfter, map_to_vector(getPhases(), [](const Phase &phase) {
                             return llvm::StringRef(phase.name);
                           })));
  if (machineFile.getNumOccurrences() && !planOnly)
    return fail("expected --machine with --plan-only");
  if (sanitize.getNumOccurrences() && sanitize != "address" && sanitize != "thread")
    return fail("expected --sanitize=address or thread, but got " + shown(sanitize));
  if (libraryName.getNumOccurrences() && !expectedName(libraryName).empty())
    return fail("expected a --name that is " + expectedName(libraryName) + ", but got " +
                shown(libraryName));
  std::vector<std::string> languages = bindingNames();
  for (const std::string &language : bindings)
    if (!llvm::is_contained(languages, language))
      return fail("expected --bindings of " + joinWords(languages) + ", but got " +
                  shown(language) + didYouMean(language, languages));
  CompileRequest request = requestFor(input);
  request.options = *chosen;
  request.stopAfter = stopAfter;
  request.dumpDir = dumpDir;
  request.timing = timing;
  request.goOn = true;
  if (isQuiet())
    request.shown = Shown::Errors;
  auto compiler = std::make_unique<Compiler>();
  OwningOpRef<ModuleOp> module = compiler->run(request);
  if (!module)
    return 1;
  int status = 0;
  if (!stopAfter.empty()) {
    // Prints locations, which later phases read names and facts from.
    module->print(llvm::outs(), OpPrintingFlags().enableDebugInfo());
    llvm::outs() << "\n";
  } else {
    status = writeResults(*module, request);
  }
  // Skips destruction before exit: freeing a chain of 10^5 ops one by one takes 2 s.
  module.release();
  llvm::BuryPointer(std::move(compiler));
  return status;
}
