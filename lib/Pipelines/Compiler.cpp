// Compiles a file to the module after a phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Compiler.h"
#include "ampc/Codegen/Target.h"
#include "ampc/Import/ONNX.h"
#include "ampc/Package/InitialData.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Pipelines/Messages.h"
#include "ampc/Support/ReadFile.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Text.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir-dialects/Train/Limits.h"
#include "mlir-dialects/Train/Text/ParseState.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace mlir;
using namespace ampc;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

namespace {
/// Files whose lines messages show. A location in a model may name any path, so only regular files
/// with a source extension are opened: no private file, and no FIFO, whose open would block.
class SourceFiles : public llvm::vfs::ProxyFileSystem {
public:
  SourceFiles() : ProxyFileSystem(llvm::vfs::getRealFileSystem()) {}

  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const Twine &path) override {
    llvm::ErrorOr<llvm::vfs::Status> found = status(path);
    SmallString<128> real;
    if (!found || !found->isRegularFile() || found->getSize() > mostBytes ||
        getRealPath(path, real) || !isSource(real))
      return std::make_error_code(std::errc::permission_denied);
    return ProxyFileSystem::openFileForRead(path);
  }

private:
  static constexpr uint64_t mostBytes = 16 << 20;
  static bool isSource(StringRef path) { return path.ends_with(".mlir") || path.ends_with(".py"); }
};
} // namespace

Compiler::Compiler()
    : registry(makeRegistry()), context(registry, MLIRContext::Threading::DISABLED),
      sources(llvm::makeIntrusiveRefCnt<SourceFiles>()), diagnostics(sources, &context, messages()),
      clearer(&context, [this](Diagnostic &diagnostic) { return filter(diagnostic); }) {
  context.setThreadPool(pool);
  context.printOpOnDiagnostic(false);
}

/// Dump of a module after a phase, a file per phase, numbered in order.
static LogicalResult dump(ModuleOp module, const CompileRequest &request, const Phase &phase) {
  StringRef dir = request.dumpDir;
  if (std::error_code code = llvm::sys::fs::create_directories(dir))
    return module.emitError() << "cannot create " << dir << ": " << code.message();
  size_t number = &phase - getPhases().begin() + 1;
  SmallString<128> path(dir);
  llvm::sys::path::append(path, (number < 10 ? "0" : "") + std::to_string(number) + "-" +
                                    phase.name.str() + ".mlir");
  if (llvm::Error error = checkOutputs(path.str().str(), request.inputs()))
    return module.emitError() << llvm::toString(std::move(error));
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().enableDebugInfo());
  os << "\n";
  if (llvm::Error error = writeFile(path, text))
    return module.emitError() << "cannot write " << path << ": "
                              << llvm::toString(std::move(error));
  return success();
}

/// Verifies that the module holds a single model; behind the phase `kernels`, a single model per
/// target.
static LogicalResult checkIsModel(ModuleOp module, StringRef input) {
  for (ModuleOp part : targetModules(module)) {
    auto models = part.getOps<train::ModelOp>();
    if (llvm::hasSingleElement(models))
      continue;
    messages() << "ampc: error: expected one train.model in " << input << ", but got "
               << std::distance(models.begin(), models.end()) << "\n";
    return failure();
  }
  return success();
}

/// Targets are fixed by the module behind the phase `kernels`; an option that names other targets
/// is an error.
static LogicalResult checkTargets(ModuleOp module, const CompileRequest &request) {
  SmallVector<std::string> targets;
  for (ModuleOp part : targetModules(module))
    if (auto name = part->getAttrOfType<StringAttr>("kernel.target"))
      targets.push_back(name.str());
  if (targets.empty() || request.options.targets == CompileOptions().targets ||
      ArrayRef(targets) == ArrayRef(request.options.targets))
    return success();
  return module.emitError() << "expected --target=" << llvm::join(targets, ",")
                            << ", for which the kernels of this module are, but got --target="
                            << llvm::join(request.options.targets, ",");
}

/// Digits of a number: MLIR's parser takes quadratic time for integers (10 000 digits: 3.5 s) and
/// overflows the stack for reals of 100 000 digits.
static constexpr size_t mostDigits = 1000;

/// Place of the first number with more digits, outside of strings and comments. Identifiers such as
/// `%x1` are no numbers.
static std::optional<size_t> findLongNumber(StringRef text) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; };
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\';
    else if (text.substr(i).starts_with("//"))
      i = std::min(text.find('\n', i), text.size());
    else if (isWord(c)) {
      size_t end = std::min(text.find_if_not(isWord, i), text.size());
      if (llvm::isDigit(c) && end - i > mostDigits)
        return i;
      i = end - 1;
    }
  }
  return std::nullopt;
}

/// Parses a model and restores line numbers: `loc("head")` gives an op a name and thereby replaces
/// the op's line and column.
static OwningOpRef<ModuleOp> parse(llvm::SourceMgr &sources, MLIRContext *context) {
  const llvm::MemoryBuffer &text = *sources.getMemoryBuffer(sources.getMainFileID());
  if (isBytecode(text))
    return parseSourceFile<ModuleOp>(sources, context);
  auto refuse = [&](size_t place, const Twine &expected) {
    auto [line, column] =
        sources.getLineAndColumn(SMLoc::getFromPointer(text.getBufferStart() + place));
    emitError(FileLineColLoc::get(context, text.getBufferIdentifier(), line, column))
        << "expected " << expected;
    return nullptr;
  };
  if (auto deep = findDeepBracket(text.getBuffer()))
    return refuse(*deep, "brackets nested at most " + Twine(mostNested) + " deep");
  if (auto number = findLongNumber(text.getBuffer()))
    return refuse(*number, "numbers of at most " + Twine(mostDigits) + " digits");
  Block block;
  AsmParserState state;
  bool hasError = false; // the parser may recover from an unknown token and return success
  ScopedDiagnosticHandler watch(context, [&](Diagnostic &diagnostic) {
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return failure();
  });
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(context), &state)) || hasError)
    return nullptr;
  for (const AsmParserState::OperationDefinition &definition : state.getOpDefs()) {
    auto name = dyn_cast<NameLoc>(definition.op->getLoc());
    if (!name || !isa<UnknownLoc>(name.getChildLoc()))
      continue;
    auto [line, column] = sources.getLineAndColumn(definition.loc.Start);
    auto at = FileLineColLoc::get(context, text.getBufferIdentifier(), line, column);
    definition.op->setLoc(NameLoc::get(name.getName(), at));
  }
  auto start = FileLineColLoc::get(context, text.getBufferIdentifier(), 0, 0);
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(&block, context, start);
}

/// Rejects a model with a hand-written `train.phase`, which would become a library without
/// programs.
static LogicalResult checkInstances(ModuleOp module, const Phase &last) {
  if (&last < findPhase("simplify"))
    return success();
  for (auto model : targetModules(module).front().getOps<train::ModelOp>())
    for (auto func : model.getOps<train::FuncOp>())
      if (!func.getRole())
        return func.emitOpError()
               << "expected a function of a step, evaluation or export after the phase "
               << last.name << ", but got a function without a role";
  return success();
}

/// Phases to run on a parsed module: all, or the phases behind the module's `train.phase`.
static FailureOr<ArrayRef<Phase>> phasesFor(ModuleOp module, const CompileRequest &request) {
  FailureOr<const Phase *> last = lastPhaseOf(module);
  if (failed(last))
    return failure();
  ArrayRef<Phase> all = getPhases();
  if (!*last)
    return all;
  if (!request.goOn)
    return module.emitError() << "expected a source model, but got a model after the phase "
                              << (*last)->name << ", which only ampc compile continues";
  if (failed(checkInstances(module, **last)) || failed(checkTargets(module, request)))
    return failure();
  ArrayRef<Phase> rest = all.drop_front(*last - all.begin() + 1);
  if (!request.stopAfter.empty() &&
      llvm::none_of(rest, [&](const Phase &phase) { return phase.name == request.stopAfter; }))
    return module.emitError() << "expected a phase behind " << (*last)->name
                              << ", which this module has been through, to stop after, but got "
                              << request.stopAfter;
  return rest;
}

static bool isShown(DiagnosticSeverity severity, Shown least) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return true;
  case DiagnosticSeverity::Warning:
    return least != Shown::Errors;
  case DiagnosticSeverity::Remark:
  case DiagnosticSeverity::Note:
    return least == Shown::Remarks;
  }
  llvm_unreachable("all severities are handled");
}

static StringRef severityName(DiagnosticSeverity severity) {
  StringRef names[] = {"note", "warning", "error", "remark"};
  return names[unsigned(severity)];
}

/// Whether a warning was emitted before: an op of the model occurs in several programs.
bool Compiler::isRepeated(Diagnostic &diagnostic) {
  DiagnosticSeverity severity = diagnostic.getSeverity();
  if (severity != DiagnosticSeverity::Warning && severity != DiagnosticSeverity::Remark)
    return false;
  std::string key;
  llvm::raw_string_ostream(key) << diagnostic.getLocation() << diagnostic.str();
  return !said.insert(key).second;
}

/// Returns failure to pass a diagnostic on to the handler that prints.
LogicalResult Compiler::filter(Diagnostic &diagnostic) {
  if (!isShown(diagnostic.getSeverity(), shown) || isEcho(diagnostic))
    return success();
  bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
  if (isRemark && !explained.empty() && !llvm::Regex(explained).match(diagnostic.str()))
    return success();
  if (isRepeated(diagnostic))
    return success();
  // Diagnostics about the whole file have no line: line 0 would mean nothing.
  if (!lineOf(diagnostic.getLocation())) {
    messages() << "ampc: " << severityName(diagnostic.getSeverity()) << ": " << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      messages() << "ampc: note: " << note << "\n";
    return success();
  }
  std::optional<Diagnostic> ours = ampc::clearer(diagnostic, sources);
  if (!ours)
    return failure();
  context.getDiagEngine().emit(std::move(*ours));
  return success();
}

static bool isVerifiedBehind(const Phase &phase, const CompileRequest &request) {
  bool isPrinted = phase.name == request.stopAfter || !request.dumpDir.empty() || request.inspect;
  return phase.verification == Verification::EachPhase || isPrinted;
}

static LogicalResult run(const Phase &phase, const CompileRequest &request, ModuleOp module) {
  PassManager pm(module.getContext());
#ifdef NDEBUG
  bool each = phase.verification == Verification::EachPass;
#else
  bool each = true;
#endif
  pm.enableVerifier(each);
  phase.addTo(pm, request.options);
  if (failed(pm.run(module)))
    return failure();
  return success(each || !isVerifiedBehind(phase, request) || succeeded(verify(module)));
}

/// Prints warnings and remarks of an import, as far as the request shows diagnostics of their
/// severity: a second compilation of one command shows errors only.
static void report(const ImportedModel &model, const CompileRequest &request) {
  if (isShown(DiagnosticSeverity::Warning, request.shown))
    for (const std::string &warning : model.warnings)
      messages() << "ampc: warning: " << warning << "\n";
  const std::string &wanted = request.options.explained;
  if (isShown(DiagnosticSeverity::Remark, request.shown))
    for (const std::string &remark : model.remarks)
      if (wanted.empty() || llvm::Regex(wanted).match(remark))
        messages() << "ampc: remark: " << remark << "\n";
}

/// Text of the model, imported first if the file is ONNX. Null with a message in `error`.
static std::unique_ptr<llvm::MemoryBuffer> readInput(const CompileRequest &request,
                                                     std::string &error) {
  const std::string &path = request.input;
  ImportOptions options = request.importing;
  if (isOnnx(path)) {
    options.data = llvm::sys::path::filename(path).str();
    llvm::Expected<ImportedModel> model = importOnnx(path, options);
    if (model)
      report(*model, request);
    if (model)
      return llvm::MemoryBuffer::getMemBufferCopy(model->text, path + " (imported)");
    error = path + ": " + llvm::toString(model.takeError());
    return nullptr;
  }
  if (!options.loss.empty() || options.batch || !options.dims.empty() ||
      options.mode != LayerMode::File || !options.freezeStatistics.empty() ||
      !options.shapes.empty() || !options.inputs.empty() || !options.trainable.empty() ||
      options.optimizer != ImportOptions().optimizer) {
    error = "expected a file of ONNX with --loss, --optimizer, --batch, --dim, --shape, --input, "
            "--trainable, --mode or --freeze-statistics, but got " +
            path;
    return nullptr;
  }
  auto file = readFile(path);
  if (file)
    return std::move(*file);
  error = "cannot open input file '" + path + "': " + file.getError().message();
  return nullptr;
}

static std::vector<std::string> sizesOf(ModuleOp module) {
  std::vector<std::string> sizes;
  for (auto model : targetModules(module).front().getOps<train::ModelOp>())
    if (auto declared = model->getAttrOfType<ArrayAttr>(Sizes::key))
      for (Attribute each : declared)
        sizes.push_back(cast<StringAttr>(each).str());
  return sizes;
}

/// Prints the number of values visited by walks along operands, per op of the model: compile cost
/// that does not depend on the machine.
static void printWalks(int64_t opsOfModel, int64_t before) {
  int64_t visits = numVisitedSources - before;
  messages() << llvm::format("%8.1f    values visited per op of the model, of %lld ops\n",
                             double(visits) / double(opsOfModel), (long long)opsOfModel);
}

OwningOpRef<ModuleOp> Compiler::run(const CompileRequest &request) {
  shown = request.shown;
  explained = request.options.explained;
  std::string error;
  auto file = readInput(request, error);
  if (!file) {
    messages() << "ampc: error: " << error << "\n";
    return nullptr;
  }
  // MLIR's reader of bytecode trusts its input: random changes of a file of 1 KB caused heap
  // corruption, invalid accesses and an endless loop.
  if (isBytecode(*file) && !request.options.bytecode) {
    messages() << "ampc: error: expected a model as text, but got MLIR bytecode in "
               << request.input << "; --bytecode accepts bytecode from a source you trust\n";
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(file), {});
  ParseState::of(&context).sizes = request.sizes;
  OwningOpRef<ModuleOp> module = parse(sources, &context);
  if (!module || failed(checkIsModel(*module, request.input)))
    return nullptr;
  sizes = sizesOf(*module);
  resolveInitialData(*module, request.input);
  if (!request.options.dataRoot.empty() &&
      failed(confineInitialData(*module, request.input, request.options.dataRoot)))
    return nullptr;
  FailureOr<ArrayRef<Phase>> phases = phasesFor(*module, request);
  if (failed(phases))
    return nullptr;
  int64_t ops = 0, visited = numVisitedSources;
  module->walk([&](Operation *) { ++ops; });
  if (phases->size() == getPhases().size() && ops > mostOps) {
    module->emitError() << "expected a model of at most " << mostOps << " ops, but got " << ops;
    return nullptr;
  }
  for (const Phase &phase : *phases) {
    double start = llvm::TimeRecord::getCurrentTime(true).getWallTime();
    if (failed(::run(phase, request, *module)) ||
        (phase.name == "import" && failed(checkInitialData(*module))))
      return nullptr;
    if (request.timing)
      messages() << llvm::format("%8.3f s  ",
                                 llvm::TimeRecord::getCurrentTime(false).getWallTime() - start)
                 << phase.name << "\n";
    if (!request.dumpDir.empty() && failed(dump(*module, request, phase)))
      return nullptr;
    if (request.inspect)
      request.inspect(phase.name, targetModules(*module).front());
    if (phase.name == request.stopAfter)
      break;
  }
  if (request.timing)
    printWalks(ops, visited);
  return module;
}
