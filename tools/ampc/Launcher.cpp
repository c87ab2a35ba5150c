// Processes of an MPI launcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Launcher.h"
#include "ampc/Support/Text.h"
#include "ampc/Train/Ranks.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include <dlfcn.h>

using namespace ampc;

namespace {
/// Variables that a launcher sets.
struct Variables {
  const char *ranks, *rank, *rankOnHost;
};
} // namespace
static constexpr Variables known[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"}, // Open MPI
    {"PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"}, // MPICH, Intel MPI, srun --mpi=pmi2
};

/// A whole number in [least, end) in the environment.
static llvm::Expected<int> readNumber(const char *variable, int least, int end) {
  std::string text = llvm::sys::Process::GetEnv(variable).value_or("");
  int number = 0;
  if (llvm::StringRef(text).getAsInteger(10, number) || number < least || number >= end)
    return llvm::createStringError(llvm::Twine("expected ") + variable + " of " +
                                   llvm::Twine(least) + " to " + llvm::Twine(end - 1) +
                                   " in the environment of a launcher, but got " + shown(text));
  return number;
}

llvm::Expected<Launch> ampc::findLaunch() {
  for (const Variables &variables : known) {
    if (!llvm::sys::Process::GetEnv(variables.ranks))
      continue;
    auto ranks = readNumber(variables.ranks, 1, int(mostRanks) + 1);
    if (!ranks)
      return ranks.takeError();
    auto rank = readNumber(variables.rank, 0, *ranks);
    if (!rank)
      return rank.takeError();
    bool isFirst = llvm::sys::Process::GetEnv(variables.rankOnHost).value_or("0") == "0";
    return Launch{*rank, *ranks, isFirst};
  }
  return Launch();
}

llvm::Expected<const ampc_processes *> ampc::openProcesses() {
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  llvm::SmallString<256> path(llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)));
  llvm::sys::path::append(path, "lib", "ampc", "libampc_mpi.so");
  // Global, since Open MPI loads modules that use the symbols of its library.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return llvm::createStringError(
        llvm::Twine("expected the MPI engine for processes of a launcher, but got ") + dlerror() +
        "; Debian's package libopenmpi-dev has MPI, and docs/parallel.md says how the engine is "
        "built");
  auto get = reinterpret_cast<ampc_processes_function>(dlsym(library, "ampc_mpi_processes"));
  const ampc_processes *processes = get ? get() : nullptr;
  if (!processes || processes->size < sizeof *processes)
    return llvm::createStringError("expected the MPI engine of this ampc, but got " + path +
                                   " of another ampc");
  return processes;
}
