// Command line of ampc: dispatch to the command.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Mapping.h"
#include "ampc/Pipelines/OpLibrary.h"
#include "ampc/Precision/Policy.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Thread.h"
#include "mlir-dialects/Train/Text/Sizes.h"
#include "tools/Drivers.h"
#include "tools/Version.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/DeviceOptions.h"
#include "tools/ampc/Doctor.h"
#include "tools/ampc/Endings.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/Manual.h"
#include "tools/ampc/New.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

using namespace ampc;
namespace cl = llvm::cl;

static cl::list<std::string> load("load", cl::desc("shared library with ops of other dialects"),
                                  cl::value_desc("LIB.so"), cl::sub(cl::SubCommand::getAll()));

static cl::opt<bool> quiet("quiet", cl::desc("print errors and results only"),
                           cl::sub(cl::SubCommand::getAll()));
bool ampc::isQuiet() { return quiet; }
void ampc::setQuiet() { quiet = true; }
void ampc::note(const llvm::Twine &message) {
  if (!quiet)
    messages() << "ampc: note: " << message << "\n";
}

std::vector<std::string> ampc::commandLine;

#ifdef AMPC_STATIC
const char *const ampc::refusalOfOpLibraries =
    "this ampc has LLVM linked statically and shares no LLVM with a library of ops: expected the "
    "ampc of the Debian package or of a source build for";
#endif

static const char overview[] =
    "ampc - compiles a model into the program that trains it\n\n"
    "Compile, train and use\n"
    "  ampc new DIR --language=c        a model and a program that trains it, to begin with\n"
    "  ampc compile MODEL.mlir -o DIR   library, C header and manifest (also: ampc MODEL.mlir)\n"
    "  ampc train MODEL.mlir --data ... train from the command line\n"
    "  ampc predict MODEL.mlir --checkpoint ... --data ... --out y.npy\n"
    "                                   run an export of a trained model\n"
    "  ampc eval MODEL.mlir --checkpoint ... --data ...\n"
    "                                   loss and metrics of a trained model\n\n"
    "Look inside\n"
    "  ampc check MODEL.mlir            gradients against finite differences\n"
    "  ampc check MODEL.mlir --against=f32 --precision=bf16\n"
    "                                   a step in mixed precision against f32, value by value\n"
    "  ampc profile MODEL.mlir --data ...\n"
    "                                   exponents of a step's values, for --precision-profile\n"
    "  ampc bench MODEL.mlir            time of a step, and of every kernel\n"
    "  ampc report MODEL.mlir           a page with every decision on precision, and the memory\n\n"
    "Exchange with ONNX\n"
    "  ampc import MODEL.onnx -o MODEL.mlir --loss ...\n"
    "                                   a model of ONNX as text, with a file of weights\n"
    "  ampc export MODEL.mlir --checkpoint ... -o MODEL.onnx\n"
    "                                   an export of a trained model as a file of ONNX\n\n"
    "Develop\n"
    "  ampc opt, ampc reduce, ampc lsp  single passes, smaller models, a server for editors\n\n"
    "This machine\n"
    "  ampc doctor                      processor and tiers, GPUs, ptxas, cache: parts that are\n"
    "                                   there, with advice on missing parts\n\n"
    "For every command\n"
    "  ampc help COMMAND                options of a command (also: ampc COMMAND --help)\n"
    "  ampc help man|bash|zsh|fish      all options as a man page, or as completions of a shell\n"
    "  ampc COMMAND --set depth=12 ...  with another number for a size of the model\n"
    "  ampc COMMAND --quiet ...         errors and results only\n"
    "  ampc COMMAND --load=LIB.so ...   with ops of other dialects (docs/adding-an-op.md)\n";

/// Help on policies and phases, from which pages of docs/reference are generated.
static void printOverview(llvm::raw_ostream &os) {
  os << overview << "\nPolicies, for --policy, and the rule of each:\n";
  for (const std::unique_ptr<PrecisionPolicy> &policy : getPolicies())
    os << "  " << llvm::formatv("{0,-13}", policy->getName()) << policy->getDescription() << "\n";
  os << "\nPhases, for --compile-to, and the state after each:\n";
  for (const Phase &phase : getPhases())
    os << "  " << llvm::formatv("{0,-11}", phase.name) << phase.after << "\n";
}

namespace {
/// Grants access to unregisterSubCommand, which removes a command from the help.
struct Forgettable : cl::SubCommand {
  static constexpr void (cl::SubCommand::*leave)() = &Forgettable::unregisterSubCommand;
};
/// Command with an MLIR driver that parses the words itself.
struct Driver {
  llvm::StringRef name;
  int (*run)(int argc, char **argv);
};
} // namespace
static const Driver drivers[] = {
    {"opt", runOpt}, {"reduce", runReduce}, {"lsp", runLanguageServer}};

/// Options on models and devices that commands without models and devices lose: the options stand
/// in a map per command, which help, man page and completions read. The parser finds a removed
/// option all the same, as an option of the whole program: see checkForeignOptions.
static std::vector<std::pair<cl::SubCommand *, cl::Option *>> removeForeignOptions() {
  std::vector<std::pair<cl::SubCommand *, cl::Option *>> removed;
  auto remove = [&](cl::SubCommand &command, llvm::StringRef name) {
    if (auto found = command.OptionsMap.find(name); found != command.OptionsMap.end()) {
      removed.emplace_back(&command, found->second);
      command.OptionsMap.erase(found);
    }
  };
  for (cl::SubCommand *command : {&newCommand, &importCommand, &doctorCommand}) {
    remove(*command, "load");
    remove(*command, "gpu-images");
  }
  remove(newCommand, "device");
  remove(importCommand, "device");
  return removed;
}

/// Error for an option that the command does not have, e.g. `ampc doctor --load=lib.so`.
static llvm::Error
checkForeignOptions(llvm::ArrayRef<std::pair<cl::SubCommand *, cl::Option *>> removed) {
  for (auto [command, option] : removed)
    if (*command && option->getNumOccurrences() > 0)
      return llvm::createStringError("expected an option of ampc " + command->getName() +
                                     ", but got --" + option->ArgStr);
  return llvm::Error::success();
}

static const Driver *driverOf(llvm::StringRef command) {
  const Driver *found = llvm::find_if(drivers, [&](const Driver &d) { return d.name == command; });
  return found == std::end(drivers) ? nullptr : found;
}

/// Runs the driver on the words after the command. Removes ampc's options first, since some have
/// names of the driver's options.
static int runDriver(const Driver &driver, int argc, char **argv) {
  llvm::SmallVector<cl::SubCommand *> commands(cl::getRegisteredSubcommands());
  for (cl::SubCommand *command : commands) {
    if (command->getName().empty())
      continue;
    llvm::SmallVector<cl::Option *> options;
    for (auto &entry : cl::getRegisteredOptions(*command))
      options.push_back(entry.second);
    for (cl::Option *option : options)
      option->removeArgument();
    (command->*Forgettable::leave)();
  }
  std::string program = (llvm::Twine(argv[0]) + " " + driver.name).str();
  llvm::SmallVector<char *> words(argv + 1, argv + argc + 1); // with the terminating null pointer
  words[0] = program.data();
  return driver.run(argc - 1, words.data());
}

static std::vector<llvm::StringRef> commandNames() {
  std::vector<llvm::StringRef> names;
  for (const Driver &driver : drivers)
    names.push_back(driver.name);
  for (cl::SubCommand *command : cl::getRegisteredSubcommands())
    if (!command->getName().empty())
      names.push_back(command->getName());
  llvm::sort(names);
  return names;
}

static bool namesCommand(llvm::StringRef word) {
  return llvm::is_contained(commandNames(), word) || word.starts_with("--help") || word == "-h" ||
         word == "-help" || word.starts_with("--version") || word == "-version";
}

/// Whether the word is no path: no dot or slash, and no existing file.
static bool isMistypedCommand(llvm::StringRef word) {
  return !word.starts_with("-") && word.find_first_of("./") == llvm::StringRef::npos &&
         !llvm::sys::fs::exists(word);
}
static int failOnCommand(llvm::StringRef word) {
  std::vector<llvm::StringRef> names = commandNames();
  return fail("expected a command (" + llvm::join(names, ", ") + ") or a model, but got " + word +
              didYouMean(word, names));
}

static int runCommand() {
  struct Command {
    cl::SubCommand &name;
    int (*run)();
  };
  const Command commands[] = {
      {compileCommand, runCompile}, {trainCommand, runTrain},   {checkCommand, runCheck},
      {benchCommand, runBench},     {reportCommand, runReport}, {profileCommand, runProfile},
      {predictCommand, runPredict}, {evalCommand, runEval},     {importCommand, runImport},
      {exportCommand, runExport},   {newCommand, runNew},       {doctorCommand, runDoctor}};
  for (const Command &command : commands)
    if (command.name) {
      int status = command.run();
      std::string lost = shortenedFile();
      return status == 0 && !lost.empty() ? fail(lost) : status;
    }
  printOverview(messages());
  return 1;
}

static int run(int argc, char **argv) {
  noteSignalHandlers();
  // A caller may have closed a standard stream: the next opened file would get the stream's number,
  // and messages.
  llvm::sys::Process::FixupStandardFileDescriptors();
  if (const Driver *driver = argc > 1 ? driverOf(argv[1]) : nullptr)
    return runDriver(*driver, argc, argv);
  commandLine.assign(argv, argv + argc);
  explainMemory();
  llvm::InitLLVM init(argc, argv);
  catchShortenedFiles();
  // Exceeding the file size limit becomes a write error, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  setVersionPrinter();
  auto removed = removeForeignOptions();
  llvm::SmallVector<const char *> arguments(argv, argv + argc);
  explainCrashes(version);
  if (argc < 2) {
    printOverview(messages());
    return 1;
  }
  if (llvm::StringRef(argv[1]) == "--help" || llvm::StringRef(argv[1]) == "-h") {
    printOverview(llvm::outs());
    return 0;
  }
  char help[] = "--help";
  if (llvm::StringRef(argv[1]) == "help") {
    if (argc < 3) {
      printOverview(llvm::outs());
      return 0;
    }
    if (printManual(argv[2], llvm::outs()))
      return 0;
    if (!llvm::is_contained(commandNames(), argv[2]))
      return failOnCommand(argv[2]);
    if (const Driver *driver = driverOf(argv[2])) {
      char *words[] = {argv[0], argv[2], help, nullptr};
      return runDriver(*driver, 3, words);
    }
    arguments = {argv[0], argv[2], help};
  } else if (!namesCommand(argv[1]) && isMistypedCommand(argv[1])) {
    return failOnCommand(argv[1]);
  } else if (!namesCommand(argv[1])) // `ampc MODEL.mlir` means `ampc compile MODEL.mlir`
    arguments.insert(arguments.begin() + 1, "compile");
  if (!readCommandLine(arguments, "ampc: a model in, the program that trains it out\n"))
    return 1;
  if (llvm::Error error = checkForeignOptions(removed))
    return fail(llvm::toString(std::move(error)));
  if (llvm::Error error = loadOpLibraries(load))
    return fail(llvm::toString(std::move(error)));
  if (llvm::Error error = checkModelOptions())
    return fail(llvm::toString(std::move(error)));
  return finishStreams(runCommand());
}

int main(int argc, char **argv) { return runOnLargeStack(run, argc, argv); }
