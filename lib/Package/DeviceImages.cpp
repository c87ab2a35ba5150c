// PTX to machine code: NVIDIA's assembler and the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/DeviceImages.h"
#include "ampc/Package/Cache.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Runtime/Runtime.h"
#include "ampc/Support/ReadFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace ampc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Finds PYTHON/site-packages/nvidia/*/bin/ptxas below a folder of libraries.
static std::optional<std::string> findInPython(const llvm::Twine &root) {
  std::error_code error;
  for (fs::directory_iterator python(root, error), end; python != end && !error;
       python.increment(error)) {
    if (!path::filename(python->path()).starts_with("python3"))
      continue;
    for (StringRef packages : {"site-packages", "dist-packages"}) {
      std::error_code none;
      for (fs::directory_iterator part(python->path() + "/" + packages + "/nvidia", none);
           part != end && !none; part.increment(none))
        if (std::string found = part->path() + "/bin/ptxas"; fs::can_execute(found))
          return found;
    }
  }
  return {};
}

std::optional<std::string> ampc::findAssembler() {
  if (std::optional<std::string> home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    if (std::string found = *home + "/bin/ptxas"; fs::can_execute(found))
      return found;
  if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas"))
    return *found;
  if (fs::can_execute("/usr/local/cuda/bin/ptxas"))
    return "/usr/local/cuda/bin/ptxas";
  llvm::SmallVector<std::string> roots{"/usr/local/lib", "/usr/lib"};
  if (std::optional<std::string> environment = llvm::sys::Process::GetEnv("VIRTUAL_ENV"))
    roots.insert(roots.begin(), *environment + "/lib");
  if (std::optional<std::string> home = llvm::sys::Process::GetEnv("HOME"))
    roots.push_back(*home + "/.local/lib");
  for (const std::string &root : roots)
    if (std::optional<std::string> found = findInPython(root))
      return found;
  return {};
}

uint64_t ampc::stampOf(StringRef program) {
  fs::file_status status;
  if (fs::status(program, status))
    return 0;
  return status.getSize() * 31 +
         uint64_t(status.getLastModificationTime().time_since_epoch().count());
}

/// Cache entry: hash of chip, PTX, and the assembler's path, size and date, since other assemblers
/// emit other code.
static std::string keyOf(StringRef assembler, StringRef ptx, StringRef chip) {
  CacheKey key;
  return key.add(assembler).addNumber(stampOf(assembler)).add(chip).add(ptx).digits() + ".cubin";
}

static llvm::Expected<std::string> contentOf(const llvm::Twine &name) {
  auto buffer = ampc::readFile(name);
  if (!buffer)
    return llvm::errorCodeToError(buffer.getError());
  return (*buffer)->getBuffer().str();
}

namespace {
/// Temporary file, deleted by the destructor.
class Temporary {
public:
  explicit Temporary(StringRef suffix) { error = fs::createTemporaryFile("ampc", suffix, name); }
  ~Temporary() {
    if (!error)
      fs::remove(name);
  }
  Temporary(const Temporary &) = delete;
  llvm::SmallString<128> name;
  std::error_code error;
};
} // namespace

static bool isMachineCode(StringRef file) {
  return file.starts_with("\x7f"
                          "ELF");
}

static llvm::Expected<std::string> runAssembler(StringRef assembler, StringRef ptx,
                                                StringRef chip) {
  Temporary text("ptx"), code("cubin"), messages("txt");
  for (const Temporary *file : {&text, &code, &messages})
    if (file->error)
      return llvm::errorCodeToError(file->error);
  if (llvm::Error error = writeFile(text.name, ptx))
    return std::move(error);
  std::string arch = ("-arch=" + chip).str();
  StringRef arguments[] = {assembler, arch, "-O3", "-o", code.name, text.name};
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(messages.name),
                                          StringRef(messages.name)};
  std::string problem;
  int result =
      llvm::sys::ExecuteAndWait(assembler, arguments, std::nullopt, redirects, 0, 0, &problem);
  if (result != 0) {
    llvm::Expected<std::string> said = contentOf(messages.name);
    if (said)
      problem += *said;
    else
      llvm::consumeError(said.takeError());
    std::string how =
        result > 0 ? "failed with status " + std::to_string(result) : std::string("did not finish");
    return llvm::createStringError("%s %s: %s", assembler.str().c_str(), how.c_str(),
                                   StringRef(problem).trim().str().c_str());
  }
  llvm::Expected<std::string> written = contentOf(code.name);
  if (written && !isMachineCode(*written))
    return llvm::createStringError("%s wrote no machine code", assembler.str().c_str());
  return written;
}

llvm::Expected<std::string> ampc::assemble(StringRef assembler, StringRef ptx, StringRef chip,
                                           bool noCache) {
  Cache cache(noCache ? std::string() : cacheFolder());
  std::string name = keyOf(assembler, ptx, chip);
  if (std::optional<std::string> known = cache.find(name))
    return *known;
  llvm::Expected<std::string> code = runAssembler(assembler, ptx, chip);
  if (code)
    cache.store(name, *code);
  return code;
}

FailureOr<std::string> ampc::assembled(ModuleOp tier, StringRef assembler, StringRef ptx,
                                       StringRef chip, bool noCache) {
  llvm::Expected<std::string> code = assemble(assembler, ptx, chip, noCache);
  if (!code)
    return tier.emitError() << "could not assemble the code of " << chip << ": "
                            << llvm::toString(code.takeError());
  return std::move(*code);
}

/// Tier whose PTX is kept next to the machine code, since the PTX runs on all later chips. Other
/// tiers have PTX only without an assembler.
static constexpr int32_t portableTier = AMPC_TIER_SM_80;

FailureOr<std::vector<ImageInfo>> ampc::imagesOf(ModuleOp tier, const Target &target,
                                                 const PackageOptions &options) {
  FailureOr<std::string> ptx = target.translateDevice(tier);
  if (failed(ptx))
    return failure();
  const TargetTier &chip = target.getTiers().front();
  int32_t capability = ampc_rt_tier_capability(chip.isa);
  std::vector<ImageInfo> images;
  const DeviceImages wanted = options.images;
  std::optional<std::string> assembler =
      wanted == DeviceImages::PTX ? std::nullopt : findAssembler();
  if (assembler) {
    FailureOr<std::string> code = assembled(tier, *assembler, *ptx, chip.name, options.noCache);
    if (failed(code))
      return failure();
    images.push_back({AMPC_IMAGE_CUBIN, capability, std::move(*code)});
  } else if (wanted != DeviceImages::PTX) {
    tier.emitWarning() << "no ptxas in CUDA_HOME, PATH or the Python package nvidia-cuda-nvcc: the "
                          "library carries PTX for "
                       << chip.name << ", which the driver assembles when a state is created";
  }
  bool isPortable = wanted == DeviceImages::Both && chip.isa == portableTier;
  if (!assembler || isPortable)
    images.push_back({AMPC_IMAGE_PTX, capability, std::move(*ptx)});
  return images;
}
