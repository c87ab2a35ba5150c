// ampc compile: a model to a library and a header.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Commands.h"
#include "PrecisionOptions.h"
#include "ampc/Package/Package.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::compileCommand("compile", "compile a model to a library and a C header");

static cl::opt<std::string> input(cl::Positional, cl::desc("MODEL.mlir"), cl::Required,
                                  cl::sub(compileCommand));
static cl::opt<std::string>
    outputDir("o", cl::desc("folder for library, header and manifest (default: .)"),
              cl::value_desc("DIR"), cl::init("."), cl::sub(compileCommand));
static PrecisionOptions precision(compileCommand);
static cl::opt<std::string> stopAfter("compile-to",
                                      cl::desc("print the module after this phase and stop"),
                                      cl::value_desc("PHASE"), cl::sub(compileCommand));
static cl::opt<std::string> dumpDir("dump-phases-to",
                                    cl::desc("write the module after every phase into this folder"),
                                    cl::value_desc("DIR"), cl::sub(compileCommand));
static cl::opt<std::string> sanitize("sanitize",
                                     cl::desc("instrument the model's code: address or thread"),
                                     cl::sub(compileCommand));
static cl::opt<bool> timing("timing", cl::desc("print seconds per phase"), cl::sub(compileCommand));

static cl::opt<bool>
    memory("memory",
           cl::desc("print the bytes that the forward pass keeps for the backward pass, "
                    "those of the arena and of the state, beside those of f32"),
           cl::sub(compileCommand));

/// A line for every program with a backward pass, from its plan.
static void printMemory(ModuleOp module, StringRef precision) {
  int64_t state = 0, working = 0;
  if (auto bytes = module->getAttrOfType<IntegerAttr>("kernel.state_bytes"))
    state = bytes.getInt();
  module.walk([&](train::BufferOp buffer) {
    auto role = buffer->getAttrOfType<StringAttr>("role");
    if (role && role == "working")
      working += kernel::byteSize(buffer.getType());
  });
  for (auto program : module.getOps<kernel::ProgramOp>())
    if (auto saved = program->getAttrOfType<IntegerAttr>("kernel.saved_bytes"))
      llvm::outs() << "memory: @" << program.getSymName() << " in " << precision
                   << ": saved for the backward pass " << saved.getInt() << ", arena "
                   << program->getAttrOfType<IntegerAttr>("kernel.arena_bytes").getInt()
                   << ", state " << state << ", of it 16-bit copies of parameters " << working
                   << "\n";
}

/// The same model in f32, as far as the plan.
static LogicalResult printMemoryOfF32(CompileRequest request) {
  request.options.precision = "f32";
  request.options.explain = false;
  request.stopAfter = "plan";
  request.dumpDir.clear();
  Compiler compiler;
  OwningOpRef<ModuleOp> module = compiler.run(request);
  if (!module)
    return failure();
  printMemory(*module, "f32");
  return success();
}

static int fail(const llvm::Twine &message) {
  llvm::errs() << "ampc: error: " << message << "\n";
  return 1;
}

int ampc::runCompile() {
  auto chosen = precision.get();
  if (!chosen)
    return fail(llvm::toString(chosen.takeError()));
  if (!stopAfter.empty() && !findPhase(stopAfter)) {
    std::string names = llvm::join(
        llvm::map_range(getPhases(), [](const Phase &phase) { return phase.name; }), ", ");
    return fail("expected a phase (" + names + "), but got " + stopAfter);
  }
  if (!sanitize.empty() && sanitize != "address" && sanitize != "thread")
    return fail("expected --sanitize=address or thread, but got " + sanitize);
  CompileRequest request{input, *chosen, stopAfter, dumpDir, timing, {}};
  Compiler compiler;
  OwningOpRef<ModuleOp> module = compiler.run(request);
  if (!module)
    return 1;
  if (!stopAfter.empty()) {
    module->print(llvm::outs());
    return 0;
  }
  if (memory) {
    printMemory(*module, chosen->precision);
    if (chosen->precision != "f32" && failed(printMemoryOfF32(request)))
      return 1;
  }
  PackageOptions options;
  if (sanitize == "address")
    options.sanitizer = Sanitizer::Address;
  if (sanitize == "thread")
    options.sanitizer = Sanitizer::Thread;
  auto packaged = packageModel(*module, options);
  if (failed(packaged) || failed(writePackage(*module, *packaged, outputDir)))
    return 1;
  llvm::outs() << "memory of " << packaged->name << " in bytes\n";
  for (auto &[name, bytes] : packaged->memory)
    llvm::outs() << llvm::format("  %-26s %14lld\n", name.str().c_str(), (long long)bytes);
  return 0;
}
