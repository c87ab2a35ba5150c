// ampc doctor: parts of this machine that models, libraries and commands depend on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Doctor.h"
#include "ampc/Codegen/Targets.h"
#include "ampc/Package/Assembler.h"
#include "ampc/Package/Cache.h"
#include "ampc/Support/ReadFile.h"
#include "ampc/Support/Terminal.h"
#include "tools/Version.h"
#include "tools/ampc/AllTiers.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/DeviceOptions.h"
#include "tools/ampc/Finding.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include <cstdlib>

using namespace ampc;
namespace cl = llvm::cl;
namespace fs = llvm::sys::fs;

cl::SubCommand ampc::doctorCommand("doctor", "the parts of this machine that ampc relies on");

static cl::opt<bool> asJson("json", cl::desc("print an object for programs"),
                            cl::sub(doctorCommand));

static cl::opt<bool> clears("clear-cache",
                            cl::desc("remove the compiled models and machine code of the cache, "
                                     "and do nothing else"),
                            cl::sub(doctorCommand));

static std::string variable(llvm::StringRef name) {
  return llvm::sys::Process::GetEnv(name).value_or("");
}

/// Evaluates AMPC_ISA, which applies to the tiers of all targets, then removes the variable.
static Finding findTiers(const AllTiers &tiers) {
  Finding result;
  result.part = "tiers";
  std::string problem, wanted = variable("AMPC_ISA");
  std::optional<int32_t> chosen = tiers.choose(deviceName(), problem);
  // The list shows the machine's tiers, so AMPC_ISA is removed.
  unsetenv("AMPC_ISA");
  llvm::SmallVector<llvm::StringRef> names;
  for (const TargetTier &tier : allTargets().front()->getTiers())
    if (AllTiers::runs(tier.isa))
      names.push_back(tier.name);
  result.facts = llvm::json::Object{{"supported", llvm::json::Array(names)}, {"AMPC_ISA", wanted}};
  result.text = llvm::join(names, ", ");
  if (chosen) {
    result.text += "; a model with code for all runs " + AllTiers::nameOf(*chosen);
    result.facts["chosen"] = AllTiers::nameOf(*chosen);
  } else if (!wanted.empty()) {
    result.failed = true;
    result.text += "; " + problem;
    result.facts["problem"] = problem;
    result.advice = "unset AMPC_ISA, or set it to one of these tiers";
  }
  return result;
}

static Finding findProcessor() {
  Finding result;
  result.part = "processor";
  bool hasTiles = llvm::sys::getHostCPUFeatures().lookup("amx-bf16");
  bool mayUseTiles = AllTiers::runs(AMPC_TIER_AMX); // requests the tile registers from the system
  unsigned threads = llvm::hardware_concurrency().compute_thread_count();
  std::string name = llvm::sys::getHostCPUName().str();
  result.facts = llvm::json::Object{
      {"name", name}, {"threads", threads}, {"amx", hasTiles}, {"amx_permitted", mayUseTiles}};
  result.text = llvm::formatv("{0}, threads: {1}", name, threads);
  if (hasTiles)
    result.text += mayUseTiles ? ", AMX permitted" : ", AMX refused by the system";
  if (hasTiles && !mayUseTiles)
    result.advice = "AMX needs Linux 5.16 or later, and a container that permits arch_prctl";
  return result;
}

/// Standard output of a program; nullopt if the program fails.
static std::optional<std::string> outputOf(llvm::StringRef program, llvm::StringRef argument) {
  llvm::SmallString<128> file;
  if (fs::createTemporaryFile("ampc", "txt", file))
    return std::nullopt;
  std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), file.str(),
                                                llvm::StringRef("")};
  int status = llvm::sys::ExecuteAndWait(program, {program, argument}, std::nullopt, redirects,
                                         /*SecondsToWait=*/10);
  auto text = ampc::readFile(file);
  fs::remove(file);
  if (status != 0 || !text)
    return std::nullopt;
  return (*text)->getBuffer().str();
}

/// Targets of this compiler that `ptxas --help` lists, in text such as "'sm_80','sm_86',".
static llvm::SmallVector<llvm::StringRef> chipsOf(llvm::StringRef help) {
  llvm::SmallVector<llvm::StringRef> chips;
  for (const Target *target : allTargets())
    if (target->isDevice() && help.contains(("'" + target->getName() + "'").str()))
      chips.push_back(target->getName());
  return chips;
}

/// Release "13.0" of "Cuda compilation tools, release 13.0, V13.0.88".
static llvm::StringRef releaseIn(llvm::StringRef text) {
  return text.split("release ").second.split(',').first;
}

static Finding findPtxas() {
  Finding result;
  result.part = "ptxas";
  std::optional<std::string> found = findAssembler();
  std::string home = variable("CUDA_HOME");
  if (!found) {
    result.text = "none";
    result.advice = "libraries for GPUs carry PTX, which the driver assembles when a state is "
                    "created; for machine code set CUDA_HOME or PATH, or pip install "
                    "nvidia-cuda-nvcc";
  } else {
    std::optional<std::string> version = outputOf(*found, "--version");
    std::optional<std::string> help = outputOf(*found, "--help");
    std::string number = releaseIn(version.value_or("")).str();
    llvm::SmallVector<llvm::StringRef> chips = chipsOf(help.value_or(""));
    result.facts = llvm::json::Object{
        {"path", *found}, {"version", number}, {"chips", llvm::json::Array(chips)}};
    result.text = *found + (number.empty() ? "" : ", CUDA " + number) +
                  (chips.empty() ? "" : ", for " + llvm::join(chips, ", "));
    result.failed = !version || !help;
    if (result.failed) {
      result.text += ", which does not run";
      result.advice = "compilations for GPUs fail with this program, but for --gpu-images=ptx";
    }
  }
  if (!home.empty() && (!found || *found != home + "/bin/ptxas")) {
    result.facts["CUDA_HOME"] = home;
    result.advice = "CUDA_HOME (" + home + ") has no bin/ptxas" +
                    (result.advice.empty() ? "" : "; " + result.advice);
  }
  return result;
}

/// Bytes in MiB, e.g. "0.3 MiB".
static std::string inMebibytes(uint64_t bytes) {
  return llvm::formatv("{0:f1} MiB", double(bytes) / (1 << 20));
}

static Finding findCache() {
  Finding result;
  result.part = "cache";
  std::string folder = cacheFolder();
  Cache cache;
  Cache::Usage usage = cache.usage();
  std::string problem = cache.findProblem();
  result.facts = llvm::json::Object{{"path", folder},
                                    {"files", usage.files},
                                    {"bytes", int64_t(usage.bytes)},
                                    {"bound", int64_t(Cache::defaultBytes)},
                                    {"writable", problem.empty()}};
  result.text =
      llvm::formatv("{0}, {1} files, {2} of at most {3}", folder.empty() ? "no folder" : folder,
                    usage.files, inMebibytes(usage.bytes), inMebibytes(Cache::defaultBytes));
  if (!problem.empty()) {
    result.text += ", not used: " + problem;
    result.advice = "set AMPC_CACHE to a folder that only this user may write, or every command "
                    "compiles its model anew, and ptxas runs anew";
    result.failed = !folder.empty() && !variable("AMPC_CACHE").empty();
  }
  return result;
}

static int clearCache() {
  Cache::Usage removed = Cache().clear();
  results() << llvm::formatv("removed {0} files, {1}\n", removed.files, inMebibytes(removed.bytes));
  return 0;
}

static Finding findCompiler() {
  Finding result;
  result.part = "C compiler";
  std::string wanted = variable("CC"), command = wanted.empty() ? "cc" : wanted;
  llvm::StringRef program = llvm::StringRef(command).split(' ').first;
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(program);
  result.facts = llvm::json::Object{{"path", found ? *found : std::string()}};
  result.text = found ? *found : "no " + program.str();
  if (!found) {
    result.failed = !wanted.empty();
    result.advice = "ampc compile --bindings=python and ampc.compile link with a C compiler; ampc "
                    "train needs none";
  }
  return result;
}

static void print(llvm::ArrayRef<Finding> findings, llvm::raw_ostream &os) {
  for (const Finding &finding : findings) {
    os << llvm::formatv("{0,-12}{1}{2}\n", finding.part, finding.failed ? "error: " : "",
                        finding.text);
    if (!finding.advice.empty())
      os << llvm::formatv("{0,-12}{1}\n", "", finding.advice);
  }
}

static llvm::json::Object jsonOf(llvm::ArrayRef<Finding> findings) {
  llvm::json::Object parts;
  for (const Finding &finding : findings) {
    llvm::json::Object part(finding.facts);
    part["failed"] = finding.failed;
    part["text"] = finding.text;
    part["advice"] = finding.advice;
    parts[finding.part] = std::move(part);
  }
  parts["schema"] = "ampc-doctor";
  return parts;
}

static void printJson(llvm::ArrayRef<Finding> findings, llvm::raw_ostream &os) {
  os << llvm::formatv("{0:2}\n", llvm::json::Value(jsonOf(findings)));
}

int ampc::runDoctor() {
  if (clears)
    return clearCache();
  AllTiers all;
  Finding program;
  program.part = "ampc";
  program.text = llvm::formatv("{0}, LLVM {1}", version, LLVM_VERSION_STRING);
  program.facts = llvm::json::Object{{"version", version}, {"llvm", LLVM_VERSION_STRING}};
  Finding tiers = findTiers(all); // first, because findTiers removes AMPC_ISA from the environment
  Finding findings[] = {program,     findProcessor(), tiers,         findGpus(all, deviceName()),
                        findPtxas(), findCache(),     findCompiler()};
  if (asJson)
    printJson(findings, llvm::outs()); // data, not escaped for terminals
  else
    print(findings, results());
  return llvm::any_of(findings, [](const Finding &finding) { return finding.failed; });
}
