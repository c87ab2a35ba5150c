// Random models: made, and run in all ways that promise the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Generator.h"
#include "ampc/Pipelines/Pipelines.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ampc;
namespace cl = llvm::cl;

static cl::opt<uint64_t> seed("seed", cl::desc("of the model"), cl::init(1));

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "random models\n");
  auto definitions = fuzz::Definitions::read(AMPC_FUZZ_RECORDS);
  if (!definitions) {
    llvm::errs() << "ampc-fuzz: " << llvm::toString(definitions.takeError()) << "\n";
    return 1;
  }
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  fuzz::Generator generator(*definitions, seed, &context);
  auto module = generator.run();
  module->print(llvm::outs());
  return failed(verify(*module));
}
