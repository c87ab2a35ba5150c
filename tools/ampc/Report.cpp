// ampc report: the compiler's decisions on precision and memory, as a page and as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Report/Report.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/ReadFile.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/ImportOptions.h"
#include "tools/ampc/PrecisionOptions.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::reportCommand("report",
                                   "show every decision on precision, and the memory plan");

static cl::list<std::string> inputs(cl::Positional, cl::OneOrMore,
                                    cl::desc("MODEL.mlir, or A.json B.json with --diff"),
                                    cl::sub(reportCommand));
static cl::opt<std::string> output("o", cl::desc("the page (default: report.html)"),
                                   cl::value_desc("FILE.html"), cl::init("report.html"),
                                   cl::sub(reportCommand));
static cl::opt<std::string> jsonOutput("json", cl::desc("also write the facts as JSON"),
                                       cl::value_desc("FILE.json"), cl::sub(reportCommand));
static cl::opt<bool> diff("diff", cl::desc("print the differences of two JSON reports"),
                          cl::sub(reportCommand));
static cl::list<std::string> timesFiles("times",
                                        cl::desc("times of a step, of ampc bench --json with the "
                                                 "same options; once more for the times of f32"),
                                        cl::value_desc("BENCH.json"), cl::sub(reportCommand));
static PrecisionOptions precision(reportCommand);

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readReport(llvm::StringRef path) {
  auto file = readFile(path);
  if (!file)
    return llvm::createStringError("cannot read %s: %s", path.str().c_str(),
                                   file.getError().message().c_str());
  return std::move(*file);
}

/// Error for a path with the extension of another kind of file: -o always writes a page.
static std::string wrongKind() {
  auto ends = [](llvm::StringRef path, llvm::ArrayRef<llvm::StringRef> kinds) {
    llvm::StringRef kind = llvm::sys::path::extension(path);
    return kind.empty() || llvm::is_contained(kinds, kind.lower());
  };
  if (!ends(output, {".html", ".htm"}))
    return "expected -o FILE.html, a page (--json FILE.json has the facts alone), but got " +
           output;
  if (!ends(jsonOutput, {".json"}))
    return "expected --json FILE.json (-o FILE.html has the page), but got " + jsonOutput;
  return "";
}

static int printDiff() {
  if (inputs.size() != 2)
    return fail("expected two reports to compare, but got " + llvm::Twine(inputs.size()));
  auto before = readReport(inputs[0]);
  if (!before)
    return fail(llvm::toString(before.takeError()));
  auto after = readReport(inputs[1]);
  if (!after)
    return fail(llvm::toString(after.takeError()));
  auto differ = report::printDifferences(results(), {inputs[0], (*before)->getBuffer()},
                                         {inputs[1], (*after)->getBuffer()});
  return differ ? *differ : fail(llvm::toString(differ.takeError()));
}

/// Runs all phases and reads the facts in between.
static bool compile(const CompileOptions &options, Shown shown, report::Compilation &facts) {
  CompileRequest request = requestFor(inputs[0]);
  request.options = options;
  request.shown = isQuiet() ? Shown::Errors : shown;
  request.options.policyCosts = true;
  request.inspect = [&](llvm::StringRef phase, ModuleOp module) {
    if (phase == "recompute")
      facts.readGraph(module);
    else if (phase == "plan")
      facts.readPlan(module);
    else if (phase == "emit")
      facts.readKernels(module);
  };
  return bool(Compiler().run(request));
}

static llvm::Error addTimes(const CompileOptions &options, report::Compilation &f32,
                            report::Compilation &mixed) {
  for (const std::string &path : timesFiles) {
    auto file = readReport(path);
    if (!file)
      return file.takeError();
    if (llvm::Error error = report::addTimes((*file)->getBuffer(), options.precision, f32, mixed))
      return llvm::createStringError(path + ": " + llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

static bool writeStream(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os);
  if (llvm::Error failure = writeFile(path, text)) {
    fail("cannot write " + path + ": " + llvm::toString(std::move(failure)));
    return false;
  }
  if (!isQuiet() && path != "-")
    messages() << "wrote " << path << "\n";
  return true;
}

int ampc::runReport() {
  if (diff)
    return printDiff();
  if (inputs.size() != 1)
    return fail("expected one model, but got " + llvm::Twine(inputs.size()) + " files");
  if (inputs[0] == "-")
    return fail(
        "expected a file, since ampc report compiles the model twice, but got standard input");
  auto options = precision.get();
  if (!options)
    return fail(llvm::toString(options.takeError()));
  std::vector<std::string> read{inputs[0], options->policyFile, options->profile};
  llvm::append_range(read, timesFiles);
  if (llvm::Error error = checkOutputs({output, jsonOutput}, read))
    return fail(llvm::toString(std::move(error)));
  if (std::string mistake = wrongKind(); !mistake.empty())
    return fail(mistake);
  report::Compilation f32, mixed;
  if (!compile(*options, Shown::Remarks, mixed))
    return 1;
  if (mixed.steps.empty())
    return fail("expected a train.step to report on, but model " + mixed.model + " has none");
  if (!compile(inF32(*options), Shown::Errors, f32))
    return 1;
  if (llvm::Error error = addTimes(*options, f32, mixed))
    return fail(llvm::toString(std::move(error)));
  CompileOptions told = *options;
  told.policyFile = llvm::sys::path::filename(told.policyFile).str();
  report::Request request{llvm::sys::path::filename(inputs[0]).str(), toJson(told)};
  llvm::json::Value facts = report::toJson(request, f32, mixed);
  auto source = readReport(inputs[0]);
  if (!source)
    return fail(llvm::toString(source.takeError()));
  llvm::SmallVector<llvm::StringRef> lines;
  (*source)->getBuffer().split(lines, '\n');
  bool written = writeStream(
      output, [&](llvm::raw_ostream &os) { report::writePage(os, facts, mixed, lines); });
  if (!jsonOutput.empty())
    written &=
        writeStream(jsonOutput, [&](llvm::raw_ostream &os) { report::printRows(os, facts); });
  return !written;
}
