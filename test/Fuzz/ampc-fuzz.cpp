// Random models: made, and run in all ways that promise the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/OpLibrary.h"
#include "ampc/Pipelines/Pipelines.h"
#include "test/Fuzz/Checks.h"
#include "test/Fuzz/Generator.h"
#include "test/Fuzz/Trial.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace ampc;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("[MODEL.mlir instead of a random one]"));
static cl::opt<uint64_t> seed("seed", cl::desc("first seed"), cl::init(1));
static cl::opt<uint64_t> count("count", cl::desc("number of seeds"), cl::init(1));
static cl::opt<unsigned> jobs("jobs", cl::desc("processes at a time"), cl::init(1));
static cl::opt<unsigned> limit("limit", cl::desc("seconds of a processor for one seed"),
                               cl::init(60));
static cl::opt<std::string> folder("out", cl::desc("folder for models and results"),
                                   cl::value_desc("DIR"));
static cl::opt<std::string> only("check",
                                 cl::desc("only the check of this name; none: only --out"));
static cl::list<std::string>
    load("load", cl::desc("shared library with ops of other dialects, its records beside it"),
         cl::value_desc("LIB.so"));
static cl::opt<std::string> records("records",
                                    cl::desc("definitions of the ops, from which a seed draws"),
                                    cl::value_desc("FILE.json"), cl::init(AMPC_FUZZ_RECORDS));
static cl::opt<bool> printCosts("costs", cl::desc("print the processor's seconds of each check"));
static cl::opt<bool> print("print", cl::desc("print the model and stop"));
static cl::opt<std::string>
    plantFault("plant-fault",
               cl::desc("a fault that has to be found: bit (of a result), sign (of a difference in "
                        "f64, which the oracle finds) or others of Checks.h"));

namespace {
class Driver {
public:
  explicit Driver(fuzz::Definitions definitions) : definitions(std::move(definitions)) {
    registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    context->printOpOnDiagnostic(false);
  }
  std::string textOf(uint64_t number);
  int check(uint64_t number);
  int checkAll();

private:
  std::string folderOf(uint64_t number) {
    return folder.empty() ? "" : folder + "/" + std::to_string(number);
  }
  void start(uint64_t number);
  void finish();
  void addCosts(StringRef log);

  fuzz::Definitions definitions;
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  std::map<pid_t, uint64_t> running;
  int good = 0, refused = 0, wrong = 0;
  std::map<std::string, double> costs; // seconds by check
};
} // namespace

std::string Driver::textOf(uint64_t number) {
  std::string text;
  if (!input.empty()) {
    auto file = llvm::MemoryBuffer::getFileOrSTDIN(input);
    return file ? (*file)->getBuffer().str() : text;
  }
  return fuzz::makeModel(definitions, number, context.get());
}

int Driver::check(uint64_t number) {
  std::string text = textOf(number);
  fuzz::CheckRequest request;
  request.seed = number;
  request.only = only;
  request.folder = folderOf(number);
  request.plantFault = plantFault;
  fuzz::Verdict verdict = fuzz::checkModel(text, request, context.get());
  llvm::outs().flush();
  return verdict == fuzz::Verdict::Good ? 0 : verdict == fuzz::Verdict::Refused ? 2 : 1;
}

/// A process per seed: a crash does not affect other seeds.
void Driver::start(uint64_t number) {
  llvm::outs().flush();
  pid_t child = fork();
  if (child) {
    running[child] = number;
    return;
  }
  rlimit time = {limit, limit};
  setrlimit(RLIMIT_CPU, &time);
  std::string log = fuzz::temporaryPath(getpid(), ".log");
  if (!freopen(log.c_str(), "w", stdout) || dup2(fileno(stdout), 2) < 0)
    _exit(3);
  _exit(check(number));
}

/// Lines such as `# cost fuse 0.124`.
void Driver::addCosts(StringRef log) {
  for (StringRef line : llvm::split(log, "\n")) {
    if (!line.consume_front("# cost "))
      continue;
    auto [check, text] = line.split(' ');
    if (double seconds; !text.getAsDouble(seconds))
      costs[check.str()] += seconds;
  }
}

void Driver::finish() {
  int status = 0;
  pid_t child = wait(&status);
  uint64_t number = running[child];
  running.erase(child);
  std::string log = fuzz::temporaryPath(child, ".log");
  auto file = llvm::MemoryBuffer::getFile(log);
  StringRef said = file ? (*file)->getBuffer() : "";
  addCosts(said);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ++(code == 0 ? good : code == 2 ? refused : wrong);
  if (code != 0) {
    llvm::outs() << "seed " << number << ": "
                 << (code == 2  ? ""
                     : code < 0 ? "CRASHED "
                                : "WRONG ");
    if (code < 0)
      llvm::outs() << strsignal(WTERMSIG(status)) << " in " << said.rsplit("# ").second;
    for (StringRef line : llvm::split(said.rtrim(), "\n"))
      if (!line.starts_with("# "))
        llvm::outs() << line << "\n";
  }
  unlink(log.c_str());
}

int Driver::checkAll() {
  for (uint64_t i = 0; i < count; ++i) {
    while (running.size() >= jobs)
      finish();
    start(seed + i);
  }
  while (!running.empty())
    finish();
  if (printCosts)
    for (auto &[check, seconds] : costs)
      llvm::outs() << llvm::format("%9.3f s  ", seconds) << check << "\n";
  llvm::outs() << good << " good, " << refused << " refused, " << wrong << " wrong\n";
  return wrong ? 1 : 0;
}

/// Definitions of ampc's ops and the libraries' ops; half of the picks go to each.
static llvm::Expected<fuzz::Definitions> readDefinitions() {
  if (llvm::Error error = loadOpLibraries(load))
    return std::move(error);
  auto definitions = fuzz::Definitions::read(records);
  size_t own = definitions ? definitions->ops.size() : 0;
  for (StringRef path : getLoadedOpLibraries())
    if (definitions)
      if (llvm::Error error = definitions->add(path.rsplit('.').first.str() + ".json"))
        return std::move(error);
  if (!definitions || definitions->ops.size() == own)
    return definitions;
  std::vector<fuzz::OpDefinition> loaded(definitions->ops.begin() + own, definitions->ops.end());
  while (definitions->ops.size() < 2 * own)
    llvm::append_range(definitions->ops, loaded);
  return definitions;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "random models\n");
  auto definitions = readDefinitions();
  if (!definitions) {
    llvm::errs() << "ampc-fuzz: " << llvm::toString(definitions.takeError()) << "\n";
    return 1;
  }
  Driver driver(std::move(*definitions));
  if (print) {
    for (uint64_t i = 0; i < count; ++i)
      llvm::outs() << driver.textOf(seed + i);
    return 0;
  }
  return driver.checkAll();
}
