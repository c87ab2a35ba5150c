// Modules, libraries and their kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Targets.h"
#include "lib/PTXSim/Driver/DriverState.h"
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace ptxsim {
namespace driver {

namespace {

/// Rejects modules that a compiler for the chip would reject.
void checkForChip(const Module &parsed, const Chip &chip) {
  if (parsed.version() > 90)
    fail(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "expected PTX of version 9.0 or earlier");
  TargetChip target = parseTarget(parsed.target());
  bool fits = target.suffix == 'a' ? target.number == chip.capability
              : target.suffix == 'f'
                  ? target.number / 10 == chip.capability / 10 && target.number <= chip.capability
                  : target.number <= chip.capability;
  if (!fits)
    fail(CUDA_ERROR_INVALID_PTX, "expected PTX that sm_" + std::to_string(chip.capability) +
                                     " can run, but got .target " + parsed.target());
}

void addFunctions(CUmod_st &module) {
  for (const KernelInfo &info : module.parsed.kernels()) {
    auto f = std::make_unique<CUfunc_st>();
    f->module = &module;
    f->name = info.name;
    f->info = info;
    f->resources = module.program.resources(info.name);
    if (f->resources.staticShared > Chip::sharedByDefault)
      fail(CUDA_ERROR_INVALID_PTX, "kernel " + info.name + " declares " +
                                       std::to_string(f->resources.staticShared) +
                                       " bytes of shared memory, but at most 49152 may be static");
    f->maximumDynamicShared = Chip::sharedByDefault - f->resources.staticShared;
    state().functions.insert(f.get());
    module.functions[info.name] = std::move(f);
  }
}

std::unique_ptr<CUmod_st> load(const Module &parsed, CUctx_st *context) {
  checkForChip(parsed, context->device->chip);
  auto module = std::make_unique<CUmod_st>();
  module->context = context;
  module->parsed = parsed;
  Device &device = *context->device->device;
  module->program = device.load(parsed);
  try {
    addFunctions(*module);
  } catch (...) {
    for (const auto &f : module->functions)
      state().functions.erase(f.second.get());
    device.unload(module->program);
    throw;
  }
  state().modules.insert(module.get());
  return module;
}

CUmod_st &moduleOf(CUmodule module) {
  if (!state().modules.count(module))
    fail(CUDA_ERROR_INVALID_HANDLE, "not a loaded module");
  return *module;
}
CUlib_st &libraryOf(CUlibrary library) {
  if (!state().libraries.count(library))
    fail(CUDA_ERROR_INVALID_HANDLE, "not a loaded library");
  return *library;
}
CUkern_st &kernelOf(CUkernel kernel) {
  if (!state().kernels.count(kernel))
    fail(CUDA_ERROR_INVALID_HANDLE, "not a kernel");
  return *kernel;
}
/// The library's module in a context; loaded on first use.
CUmod_st &instanceOf(CUlib_st &library, CUctx_st *context) {
  std::unique_ptr<CUmod_st> &module = library.modules[context];
  if (!module) {
    module = load(library.parsed, context);
    module->library = &library;
  }
  return *module;
}
CUfunc_st &functionNamed(CUmod_st &module, const std::string &name) {
  auto found = module.functions.find(name);
  if (found == module.functions.end())
    fail(CUDA_ERROR_NOT_FOUND, "module has no kernel '" + name + "'");
  return *found->second;
}
void findGlobal(CUdeviceptr *address, size_t *bytes, CUmod_st &module, const char *name) {
  uint64_t size = 0, where = 0;
  try {
    where = module.program.global(name, &size);
  } catch (const Error &e) {
    fail(CUDA_ERROR_NOT_FOUND, e.what());
  }
  if (address)
    *address = where;
  if (bytes)
    *bytes = size;
}

std::string fileText(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail(CUDA_ERROR_FILE_NOT_FOUND, "cannot read '" + std::string(path) + "'");
  std::stringstream image;
  image << file.rdbuf();
  return image.str() + '\0';
}

/// Log buffers among the options of a load; all other options are ignored.
class Logs {
public:
  Logs(unsigned count, int *options, void **values) : values(values) {
    for (unsigned k = 0; options && values && k < count; k++)
      for (int kind = infoBuffer; kind <= errorSize; kind++)
        if (options[k] == kind)
          at[kind - infoBuffer] = int(k);
  }
  /// Writes a text with the terminating zero, cut to the buffer's size, and the written length.
  void write(bool isError, const std::string &text) const {
    int buffer = at[isError ? 2 : 0], size = at[isError ? 3 : 1];
    if (size < 0)
      return;
    size_t room = unsigned(reinterpret_cast<uintptr_t>(values[size])), used = 0;
    if (buffer >= 0 && values[buffer] && room) {
      used = std::min(room, text.size() + 1);
      char *to = static_cast<char *>(values[buffer]);
      std::memcpy(to, text.c_str(), used);
      to[used - 1] = 0;
    }
    values[size] = reinterpret_cast<void *>(used);
  }

private:
  enum { infoBuffer = 3, errorSize = 6 };
  void **values;
  int at[4] = {-1, -1, -1, -1};
};

/// Runs a load; errors go into the error log as well.
template <class F> void withLogs(const Logs &logs, F body) {
  try {
    body();
    logs.write(true, "");
    logs.write(false, "");
  } catch (const Error &e) {
    logs.write(true, std::string("error: ") + e.what());
    throw;
  } catch (const Failure &f) {
    logs.write(true, "error: " + f.message);
    throw;
  }
}

std::unique_ptr<CUlib_st> loadLibrary(const void *image) {
  auto library = std::make_unique<CUlib_st>();
  library->parsed = Module::parse(ptxOfImage(image), "<image>");
  // All devices are the same chip, so checking the first device suffices.
  checkVersionAndTarget(*library->parsed.impl());
  checkForChip(library->parsed, state().devices[0]->chip);
  for (const KernelInfo &info : library->parsed.kernels()) {
    auto kernel = std::make_unique<CUkern_st>();
    kernel->library = library.get();
    kernel->name = info.name;
    library->kernels[info.name] = std::move(kernel);
  }
  return library;
}
CUlibrary keep(std::unique_ptr<CUlib_st> library) {
  for (const auto &k : library->kernels)
    state().kernels.insert(k.second.get());
  state().libraries.insert(library.get());
  return library.release();
}

} // namespace

void destroyModule(CUmod_st *module) {
  for (const auto &f : module->functions)
    state().functions.erase(f.second.get());
  module->context->device->device->unload(module->program);
  state().modules.erase(module);
  if (module->library)
    module->library->modules.erase(module->context); // the library owns the module
  else
    delete module;
}

CUfunc_st &functionOf(CUfunction function) {
  require(function, "expected a function, but got a null pointer");
  if (state().functions.count(function))
    return *function;
  auto *kernel = reinterpret_cast<CUkern_st *>(function);
  if (!state().kernels.count(kernel))
    fail(CUDA_ERROR_INVALID_HANDLE, "not a function");
  return functionNamed(instanceOf(*kernel->library, currentContext()), kernel->name);
}

/// Function of a kernel in a context on `device`: the current context, else the primary context.
static CUfunc_st &functionOn(CUkernel kernel, CUdevice device) {
  CUctx_st *context = currentContext();
  if (context->device != &deviceOf(device))
    context = &deviceOf(device).primary;
  return functionNamed(instanceOf(*kernelOf(kernel).library, context), kernel->name);
}

/// Value of a CUfunction_attribute.
static int attributeOf(const CUfunc_st &f, int attribute) {
  unsigned version = f.module->parsed.version(), chip = f.module->context->device->chip.capability;
  switch (attribute) {
  case 0:
    return int(maximumThreads(f));
  case 1:
    return int(f.resources.staticShared);
  case 2:
    return 0;
  case 3:
    return int(f.resources.local);
  case 4:
    return int(std::max(f.resources.registers, 8u));
  case 5:
    return int(version);
  case 6:
    return int(chip);
  case 7:
    return 0;
  case 8:
    return int(f.maximumDynamicShared);
  case 9:
    return f.carveout;
  case 10:
    return f.info.hasRequiredCluster;
  case 11:
    return f.info.hasRequiredCluster ? int(f.info.cluster.x) : 0;
  case 12:
    return f.info.hasRequiredCluster ? int(f.info.cluster.y) : 0;
  case 13:
    return f.info.hasRequiredCluster ? int(f.info.cluster.z) : 0;
  case 14:
    return f.nonPortableCluster;
  case 15:
    return f.schedulingPolicy;
  default:
    fail(CUDA_ERROR_INVALID_VALUE, "unknown attribute " + std::to_string(attribute));
  }
}

static void setAttribute(CUfunc_st &f, int attribute, int value) {
  const Chip &chip = f.module->context->device->chip;
  switch (attribute) {
  case 8:
    require(value >= 0 && unsigned(value) + f.resources.staticShared <= chip.sharedPerBlock,
            "expected at most " + std::to_string(chip.sharedPerBlock) +
                " bytes of static and dynamic shared memory, but got " +
                std::to_string(f.resources.staticShared) + " and " + std::to_string(value));
    f.maximumDynamicShared = unsigned(value);
    return;
  case 9:
    require(value >= -1 && value <= 100, "expected a carve-out of -1 to 100 percent");
    f.carveout = value;
    return;
  case 14:
    require(chip.hasClusters(), "this chip has no clusters");
    f.nonPortableCluster = value;
    return;
  case 15:
    f.schedulingPolicy = value;
    return;
  default:
    fail(CUDA_ERROR_INVALID_VALUE, "attribute " + std::to_string(attribute) + " cannot be set");
  }
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                                          int *options, void **values) {
  return enter([&] {
    require(module, "expected a place for the module");
    forbidDuringCapture("cuModuleLoadData");
    withLogs(Logs(count, options, values), [&] {
      *module =
          load(ptxsim::Module::parse(ptxOfImage(image), "<image>"), currentContext()).release();
    });
  });
}
PTXSIM_EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
PTXSIM_EXPORT CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
PTXSIM_EXPORT CUresult cuModuleLoad(CUmodule *module, const char *path) {
  return enter([&] {
    require(path, "expected a path");
    *module =
        load(ptxsim::Module::parse(ptxOfImage(fileText(path).c_str()), path), currentContext())
            .release();
  });
}
PTXSIM_EXPORT CUresult cuModuleUnload(CUmodule module) {
  return enter([&] {
    require(!moduleOf(module).library, "the module belongs to a library");
    destroyModule(module);
  });
}
PTXSIM_EXPORT CUresult cuModuleGetLoadingMode(int *mode) {
  return enter(Needs::Driver, [&] { *mode = 1; }); // eager
}
PTXSIM_EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                           const char *name) {
  return enter([&] { *function = &functionNamed(moduleOf(module), name); });
}
PTXSIM_EXPORT CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  return enter([&] { *count = unsigned(moduleOf(module).functions.size()); });
}
PTXSIM_EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                                                  CUmodule module) {
  return enter([&] {
    for (const auto &f : moduleOf(module).functions)
      if (count) {
        *functions++ = f.second.get();
        count--;
      }
  });
}
PTXSIM_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                            const char *name) {
  return enter([&] { findGlobal(address, bytes, moduleOf(module), name); });
}

// --- Libraries ----------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuLibraryLoadData(CUlibrary *library, const void *image, int *options,
                                         void **values, unsigned count, int *, void **, unsigned) {
  return enter(Needs::Driver, [&] {
    require(library, "expected a place for the library");
    withLogs(Logs(count, options, values), [&] {
      auto loaded = loadLibrary(image);
      if (currentContext()) // kernels are decoded here, which reports their errors
        instanceOf(*loaded, currentContext());
      *library = keep(std::move(loaded));
    });
  });
}
PTXSIM_EXPORT CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path, int *options,
                                             void **values, unsigned count, int *a, void **b,
                                             unsigned n) {
  std::string text;
  CUresult result = enter(Needs::Driver, [&] { text = fileText(path); });
  return result != CUDA_SUCCESS
             ? result
             : cuLibraryLoadData(library, text.c_str(), options, values, count, a, b, n);
}
PTXSIM_EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  return enter(Needs::Driver, [&] {
    CUlib_st &l = libraryOf(library);
    while (!l.modules.empty())
      destroyModule(l.modules.begin()->second.get());
    for (const auto &k : l.kernels)
      state().kernels.erase(k.second.get());
    state().libraries.erase(library);
    delete library;
  });
}
PTXSIM_EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return enter(Needs::Driver, [&] {
    auto &kernels = libraryOf(library).kernels;
    auto found = kernels.find(name);
    if (found == kernels.end())
      fail(CUDA_ERROR_NOT_FOUND, "library has no kernel '" + std::string(name) + "'");
    *kernel = found->second.get();
  });
}
PTXSIM_EXPORT CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
  return enter(Needs::Driver, [&] { *count = unsigned(libraryOf(library).kernels.size()); });
}
PTXSIM_EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count,
                                                 CUlibrary library) {
  return enter(Needs::Driver, [&] {
    for (const auto &k : libraryOf(library).kernels)
      if (count) {
        *kernels++ = k.second.get();
        count--;
      }
  });
}
PTXSIM_EXPORT CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  return enter([&] { *module = &instanceOf(libraryOf(library), currentContext()); });
}
PTXSIM_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                                          const char *name) {
  return enter(
      [&] { findGlobal(address, bytes, instanceOf(libraryOf(library), currentContext()), name); });
}
/// Managed variables are not supported.
PTXSIM_EXPORT CUresult cuLibraryGetManaged(CUdeviceptr *, size_t *, CUlibrary, const char *name) {
  return enter([&] {
    fail(CUDA_ERROR_NOT_FOUND, "library has no managed variable '" + std::string(name) + "'");
  });
}

// --- Functions ----------------------------------------------------------------------------------

PTXSIM_EXPORT CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return enter([&] {
    kernelOf(kernel);
    *function = &functionOf(reinterpret_cast<CUfunction>(kernel));
  });
}
PTXSIM_EXPORT CUresult cuKernelGetLibrary(CUlibrary *library, CUkernel kernel) {
  return enter(Needs::Driver, [&] { *library = kernelOf(kernel).library; });
}
PTXSIM_EXPORT CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  return enter(Needs::Driver, [&] { *name = kernelOf(kernel).name.c_str(); });
}
PTXSIM_EXPORT CUresult cuFuncGetName(const char **name, CUfunction function) {
  return enter([&] { *name = functionOf(function).name.c_str(); });
}
PTXSIM_EXPORT CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  return enter([&] { *module = functionOf(function).module; });
}
PTXSIM_EXPORT CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                                          size_t *bytes) {
  return enter([&] {
    const auto &parameters = functionOf(function).info.parameters;
    require(index < parameters.size(), "expected one of " + std::to_string(parameters.size()) +
                                           " parameters, but got " + std::to_string(index));
    *offset = parameters[index].offset;
    if (bytes)
      *bytes = parameters[index].size;
  });
}
PTXSIM_EXPORT CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                                            size_t *bytes) {
  return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset, bytes);
}
PTXSIM_EXPORT CUresult cuFuncIsLoaded(int *loaded, CUfunction function) {
  return enter([&] {
    functionOf(function);
    *loaded = 1;
  });
}
PTXSIM_EXPORT CUresult cuFuncLoad(CUfunction function) {
  return enter([&] { functionOf(function); });
}
PTXSIM_EXPORT CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return enter([&] { setAttribute(functionOf(function), attribute, value); });
}
PTXSIM_EXPORT CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  return enter([&] { *value = attributeOf(functionOf(function), attribute); });
}
PTXSIM_EXPORT CUresult cuKernelSetAttribute(int attribute, int value, CUkernel kernel,
                                            CUdevice device) {
  return enter([&] { setAttribute(functionOn(kernel, device), attribute, value); });
}
PTXSIM_EXPORT CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel kernel,
                                            CUdevice device) {
  return enter([&] { *value = attributeOf(functionOn(kernel, device), attribute); });
}
PTXSIM_EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, int) {
  return enter([&] { functionOf(function); });
}
PTXSIM_EXPORT CUresult cuKernelSetCacheConfig(CUkernel kernel, int, CUdevice) {
  return enter([&] { kernelOf(kernel); });
}
