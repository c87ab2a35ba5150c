// ampc new: a project that compiles and trains, as a starting point.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/New.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Commands.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace ampc;
namespace cl = llvm::cl;

namespace ampc {
// Files of examples/regression, examples/bindings and tools/ampc/New.
extern const unsigned char newModel[], newC[], newCpp[], newPython[], newFortran[], newCMakeC[],
    newCMakeCpp[], newCMakeFortran[];
extern const size_t newModelSize, newCSize, newCppSize, newPythonSize, newFortranSize,
    newCMakeCSize, newCMakeCppSize, newCMakeFortranSize;
} // namespace ampc

cl::SubCommand ampc::newCommand("new", "a folder with a model and a program that trains it");

static cl::opt<std::string> folder(cl::Positional, cl::desc("DIR"), cl::Required,
                                   cl::sub(newCommand));
namespace {
enum class Language { C, Cpp, Python, Fortran };
struct ProjectFile {
  llvm::StringRef name, text;
};
} // namespace
static cl::opt<Language> language(
    "language", cl::desc("of the program (default: c)"),
    cl::values(clEnumValN(Language::C, "c", "C99"), clEnumValN(Language::Cpp, "cpp", "C++17"),
               clEnumValN(Language::Python, "python", "with NumPy"),
               clEnumValN(Language::Fortran, "fortran", "Fortran 2003")),
    cl::init(Language::C), cl::sub(newCommand));

static llvm::StringRef text(const unsigned char *bytes, size_t size) {
  return {reinterpret_cast<const char *>(bytes), size};
}

static std::vector<ProjectFile> files() {
  ProjectFile model = {"regression.mlir", text(newModel, newModelSize)};
  switch (language) {
  case Language::C:
    return {model,
            {"regression.c", text(newC, newCSize)},
            {"CMakeLists.txt", text(newCMakeC, newCMakeCSize)}};
  case Language::Cpp:
    return {model,
            {"fit.cpp", text(newCpp, newCppSize)},
            {"CMakeLists.txt", text(newCMakeCpp, newCMakeCppSize)}};
  case Language::Python:
    return {model, {"fit.py", text(newPython, newPythonSize)}};
  case Language::Fortran:
    return {model,
            {"fit.f90", text(newFortran, newFortranSize)},
            {"CMakeLists.txt", text(newCMakeFortran, newCMakeFortranSize)}};
  }
  llvm_unreachable("a language without files");
}

static const char *commands() {
  switch (language) {
  case Language::C:
    return "cmake -B build && cmake --build build && build/regression";
  case Language::Python:
    return "ampc compile regression.mlir --bindings=python -o . && python3 fit.py "
           "model.safetensors";
  case Language::Cpp:
  case Language::Fortran:
    return "cmake -B build && cmake --build build && build/fit model.safetensors";
  }
  llvm_unreachable("a language without commands");
}

int ampc::runNew() {
  if (llvm::sys::fs::exists(folder) && !llvm::sys::fs::is_directory(folder))
    return fail("expected a new folder, but " + folder + " is a file");
  if (std::error_code error = llvm::sys::fs::create_directories(folder))
    return fail("cannot make the folder " + folder + ": " + error.message());
  for (const ProjectFile &file : files()) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, file.name);
    if (llvm::sys::fs::exists(path))
      return fail("expected no file " + path + ", which would be overwritten");
  }
  for (const ProjectFile &file : files()) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, file.name);
    if (llvm::Error error = writeFile(path, file.text))
      return fail("cannot write " + path + ": " + llvm::toString(std::move(error)));
  }
  results() << "cd " << folder << "\n" << commands() << "\n";
  return 0;
}
