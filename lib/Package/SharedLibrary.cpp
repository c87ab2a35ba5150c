// libNAME.so, for languages that load a library when they run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/SharedLibrary.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
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

Error ampc::linkSharedLibrary(const std::string &archive, const std::string &shared) {
  Expected<std::string> compiler = findCompiler();
  if (!compiler)
    return compiler.takeError();
  // A process that has loaded the old one keeps it.
  std::string fresh = shared + ".new", name = sys::path::filename(shared).str();
  SmallString<128> log;
  if (std::error_code code = sys::fs::createTemporaryFile("ampc-link", "txt", log))
    return createStringError("cannot write a temporary file: " + code.message());
  FileRemover removeLog(log), removeFresh(fresh);
  std::string soname = "-Wl,-soname," + name;
  SmallVector<StringRef> arguments = {*compiler, "-shared", "-o", fresh, soname,
                                      "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive",
                                      // what nothing in it calls is not loaded with it
                                      "-Wl,--as-needed", "-Wl,-z,defs", "-pthread", "-lm", "-ldl"};
  std::optional<StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
  std::string error;
  if (sys::ExecuteAndWait(*compiler, arguments, std::nullopt, redirects, 0, 0, &error) != 0) {
    if (auto text = MemoryBuffer::getFile(log); text && error.empty())
      error = (*text)->getBuffer().trim().str();
    return createStringError("cannot link " + shared + " by " + *compiler + ": " + error);
  }
  if (std::error_code code = sys::fs::rename(fresh, shared))
    return createStringError("cannot write " + shared + ": " + code.message());
  return Error::success();
}
