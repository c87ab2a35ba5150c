// Linking of libNAME.so, for languages that load libraries at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/SharedLibrary.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/ReadFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include <cstdlib>

using namespace llvm;

static Expected<std::string> findCompiler() {
  const char *named = std::getenv("CC");
  if (named && *named) {
    if (auto found = sys::findProgramByName(named))
      return *found;
    return createStringError(Twine("expected CC to name a C compiler, but got ") + named);
  }
  for (StringRef name : {"cc", "clang-22", "clang", "gcc"})
    if (auto found = sys::findProgramByName(name))
      return *found;
  return createStringError("expected a C compiler to link the shared library that "
                           "--bindings=python needs: cc in PATH, or CC=COMPILER");
}

namespace {
/// File in the system's folder for temporary files, deleted with the process unless killed by
/// SIGKILL.
class TemporaryFile {
public:
  TemporaryFile(StringRef suffix) {
    if (!(code = sys::fs::createTemporaryFile("ampc-link", suffix, path)))
      sys::RemoveFileOnSignal(path);
  }
  ~TemporaryFile() {
    if (code)
      return;
    sys::fs::remove(path);
    sys::DontRemoveFileOnSignal(path);
  }

  std::error_code code;
  SmallString<128> path;
};
} // namespace

Error ampc::linkSharedLibrary(const std::string &archive, const std::string &shared) {
  Expected<std::string> compiler = findCompiler();
  if (!compiler)
    return compiler.takeError();
  // Atomic replacement: linkers write in place, and two compilations may share a folder, so the
  // library is linked under a unique name and renamed. A process that has loaded the old file keeps
  // the old file.
  TemporaryFile fresh("so"), log("txt");
  for (const TemporaryFile *file : {&fresh, &log})
    if (file->code)
      return createStringError("cannot write a temporary file: " + file->code.message());
  std::string soname = "-Wl,-soname," + sys::path::filename(shared).str();
  SmallVector<StringRef> arguments = {*compiler, "-shared", "-o", fresh.path, soname,
                                      // read-only address table after loading
                                      "-Wl,-z,relro,-z,now", "-Wl,--whole-archive", archive,
                                      "-Wl,--no-whole-archive",
                                      // drops libraries that no symbol needs
                                      "-Wl,--as-needed", "-Wl,-z,defs", "-pthread", "-lm", "-ldl"};
  std::optional<StringRef> redirects[] = {std::nullopt, log.path.str(), log.path.str()};
  std::string error;
  if (sys::ExecuteAndWait(*compiler, arguments, std::nullopt, redirects, 0, 0, &error) != 0) {
    if (auto text = ampc::readFile(log.path); text && error.empty())
      error = (*text)->getBuffer().trim().str();
    return createStringError("cannot link " + shared + " by " + *compiler + ": " + error);
  }
  auto library = ampc::readFile(fresh.path);
  if (!library)
    return createStringError("cannot read " + fresh.path.str() + ": " +
                             library.getError().message());
  if (Error error = writeFile(shared, (*library)->getBuffer()))
    return createStringError("cannot write " + shared + ": " + toString(std::move(error)));
  return Error::success();
}
