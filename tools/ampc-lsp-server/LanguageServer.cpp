// Diagnostics, definitions and completion of models in editors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Messages.h"
#include "ampc/Pipelines/Pipelines.h"
#include "mlir-dialects/Train/Text/ParseState.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "tools/Drivers.h"
#include "tools/LoadOption.h"
#include "tools/StandardError.h"
#include "tools/Version.h"
#include "tools/ampc-lsp-server/Recovery.h"
#include "tools/ampc-lsp-server/Replies.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Diagnostics of the phases, in addition to those of parser and verifier. The verifier of the
/// surrounding module calls this interface on a valid model; the phases run on a copy, so that
/// their diagnostics arrive like the verifier's.
struct PhaseDiagnostics : SymbolUserOpInterface::ExternalModel<PhaseDiagnostics, train::ModelOp> {
  LogicalResult verifySymbolUses(Operation *model, SymbolTableCollection &) const {
    OwningOpRef<ModuleOp> copy = ModuleOp::create(model->getLoc());
    copy->push_back(model->clone());
    PassManager pm(model->getContext());
    pm.enableVerifier(false); // the verifier would call this interface again
    if (auto module = dyn_cast_or_null<ModuleOp>(model->getParentOp()))
      if (FailureOr<const Phase *> last = lastPhaseOf(module); failed(last) || *last)
        return success(); // text of a phase, not written by a user
    for (const Phase &phase : getPhases()) {
      phase.addTo(pm, {});
      if (phase.name == "precision") // later phases report no user errors
        break;
    }
    (void)pm.run(*copy);
    return success(); // a failure would disable hover and definitions
  }
};
} // namespace

/// Rewrites the diagnostics of a context as the compiler does. `isOurs`: whether the diagnostic is
/// the rewritten one, which passes through the handler again.
static LogicalResult sayInOurWords(Diagnostic &diagnostic, bool &isOurs) {
  if (isOurs)
    return failure();
  if (isEcho(diagnostic))
    return success();
  llvm::SourceMgr none;
  std::optional<Diagnostic> ours = clearer(diagnostic, none);
  if (!ours)
    return failure();
  isOurs = true;
  diagnostic.getLocation()->getContext()->getDiagEngine().emit(std::move(*ours));
  isOurs = false;
  return success();
}

int ampc::runLanguageServer(int argc, char **argv) {
  spellStandardError();
  setVersionPrinter();
  DialectRegistry registry;
  registerDialects(registry);
  registry.addExtension(+[](MLIRContext *context, train::TrainDialect *) {
    ParseState &state = ParseState::of(context);
    state.keepsBlocks = true;
    state.onFailure = findMoreErrors;
    train::ModelOp::attachInterface<PhaseDiagnostics>(*context);
    context->printOpOnDiagnostic(false); // the editor shows the line
    context->getDiagEngine().registerHandler([isOurs = false](Diagnostic &diagnostic) mutable {
      return sayInOurWords(diagnostic, isOurs);
    });
  });
  LoadOption load([&](const DialectRegistry &loaded) { loaded.appendTo(registry); });
  // The parser exits for --help and --version, whose text is no reply.
  std::optional<Replies> replies;
  if (llvm::none_of(llvm::ArrayRef(argv, argc), [](llvm::StringRef word) {
        return word.starts_with("--help") || word == "-h" || word == "--version";
      }))
    replies.emplace();
  return failed(MlirLspServerMain(argc, argv, registry));
}
