// Op that mixes the rows of a batch, with its line in the model's text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/MixedRows.h"
#include "ampc/Pipelines/Messages.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace ampc;

/// Whether an op inside of a program comes from the op `source` of the model: calls put their own
/// name in front, as in loss/call#0/softmax#0 for softmax#0.
static bool comesFrom(llvm::StringRef name, llvm::StringRef source) {
  return name.consume_back(source) && (name.empty() || name.ends_with("/"));
}

/// Line of the op with the stable name; 0 without one. Of two ops that fit, the longer name counts.
static unsigned lineOfOp(CompileRequest request, llvm::StringRef name) {
  request.stopAfter = "import";
  request.inspect = nullptr;
  request.shown = Shown::Errors;
  Compiler compiler;
  mlir::OwningOpRef<mlir::ModuleOp> module = compiler.run(request);
  std::string best;
  unsigned line = 0;
  if (module)
    module->walk([&](mlir::Operation *op) {
      std::string own = nameOf(op);
      mlir::FileLineColLoc location = lineOf(op->getLoc());
      if (!location || own.size() <= best.size() || !comesFrom(name, own))
        return;
      best = own;
      line = location.getLine();
    });
  return line;
}

std::string ampc::mixerOf(CompileRequest request, const ampc_program &program) {
  if (!program.mixing)
    return "the model";
  auto [op, name] = llvm::StringRef(program.mixing).split(" (");
  name.consume_back(")");
  unsigned line = request.input == "-" ? 0 : lineOfOp(std::move(request), name);
  return line ? (op + " at line " + llvm::Twine(line) + " (" + name + ")").str() : program.mixing;
}
