// Modules, libraries, launches and tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace ptxsim::driver;
using ptxsim::Argument;
using ptxsim::Dim3;
using ptxsim::LaunchConfig;

namespace {

template <class Handle> CUmod_st &moduleOf(Handle handle) {
  auto *module = reinterpret_cast<CUmod_st *>(handle);
  if (!state().modules.count(module))
    fail(CUDA_ERROR_INVALID_HANDLE, "not a loaded module");
  return *module;
}

template <class Handle> void load(Handle *out, const void *image) {
  auto module = std::make_unique<CUmod_st>();
  ptxsim::Module parsed = ptxsim::Module::parse(ptxOfImage(image), "<image>");
  module->program = device().load(parsed);
  for (const ptxsim::KernelInfo &info : parsed.kernels()) {
    auto function = std::make_unique<CUfunc_st>();
    function->program = module->program;
    function->name = info.name;
    function->info = info;
    module->functions[info.name] = std::move(function);
  }
  state().modules.insert(module.get());
  *out = reinterpret_cast<Handle>(module.release());
}
template <class Handle> void unload(Handle handle) {
  CUmod_st *module = &moduleOf(handle);
  device().unload(module->program);
  state().modules.erase(module);
  delete module;
}
template <class Out, class Handle> void findFunction(Out *out, Handle handle, const char *name) {
  CUmod_st &module = moduleOf(handle);
  auto found = module.functions.find(name);
  if (found == module.functions.end())
    fail(CUDA_ERROR_NOT_FOUND, "module has no kernel '" + std::string(name) + "'");
  *out = reinterpret_cast<Out>(found->second.get());
}
template <class Handle>
void findGlobal(CUdeviceptr *address, size_t *bytes, Handle handle, const char *name) {
  CUmod_st &module = moduleOf(handle);
  uint64_t size = 0, where = 0;
  try {
    where = module.program.global(name, &size);
  } catch (const ptxsim::Error &e) {
    fail(CUDA_ERROR_NOT_FOUND, e.what());
  }
  if (address)
    *address = where;
  if (bytes)
    *bytes = size;
}

/// Arguments are copied at the call, as the driver does, and so survive until a graph replays them.
std::vector<Argument> copyArguments(const CUfunc_st &function, void **parameters, void **extra) {
  std::vector<Argument> arguments;
  const uint8_t *buffer = nullptr;
  if (!parameters && extra) // {1, buffer, 2, &size, 0}
    for (size_t k = 0; extra[k]; k += 2)
      if (reinterpret_cast<uintptr_t>(extra[k]) == 1)
        buffer = static_cast<const uint8_t *>(extra[k + 1]);
  for (size_t k = 0; k < function.info.parameters.size(); k++) {
    const ptxsim::Parameter &p = function.info.parameters[k];
    const uint8_t *from = parameters ? static_cast<const uint8_t *>(parameters[k])
                          : buffer   ? buffer + p.offset
                                     : nullptr;
    require(from, "expected kernel parameters");
    arguments.emplace_back(from, from + p.size);
  }
  return arguments;
}

void launch(CUfunc_st *function, const LaunchConfig &config, CUstream stream,
            std::vector<Argument> arguments) {
  require(function, "expected a function, but got a null pointer");
  submit(stream, [=] {
    ptxsim::LaunchResult result =
        device().launch(function->program, function->name, config, arguments);
    if (result.findings.empty())
      return;
    for (const ptxsim::Finding &f : result.findings)
      std::fprintf(stderr, "ptxsim: %s\n", f.message.c_str());
    fail(CUDA_ERROR_LAUNCH_FAILED, result.findings[0].message);
  });
}

} // namespace

PTXSIM_EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return enter(true, [&] { load(module, image); });
}
PTXSIM_EXPORT CUresult cuModuleLoad(CUmodule *module, const char *path) {
  return enter(true, [&] {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      fail(CUDA_ERROR_FILE_NOT_FOUND, "cannot read '" + std::string(path) + "'");
    std::stringstream image;
    image << file.rdbuf();
    load(module, image.str().c_str());
  });
}
PTXSIM_EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned, int *,
                                          void **) {
  return cuModuleLoadData(module, image);
}
PTXSIM_EXPORT CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadData(module, image);
}
PTXSIM_EXPORT CUresult cuModuleUnload(CUmodule module) {
  return enter(true, [&] { unload(module); });
}
PTXSIM_EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                                           const char *name) {
  return enter(true, [&] { findFunction(function, module, name); });
}
PTXSIM_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                            const char *name) {
  return enter(true, [&] { findGlobal(address, bytes, module, name); });
}
PTXSIM_EXPORT CUresult cuLibraryLoadData(CUlibrary *library, const void *image, int *, void **,
                                         unsigned, int *, void **, unsigned) {
  return enter(true, [&] { load(library, image); });
}
PTXSIM_EXPORT CUresult cuLibraryUnload(CUlibrary library) {
  return enter(true, [&] { unload(library); });
}
PTXSIM_EXPORT CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name) {
  return enter(true, [&] { findFunction(kernel, library, name); });
}
PTXSIM_EXPORT CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUlibrary library,
                                          const char *name) {
  return enter(true, [&] { findGlobal(address, bytes, library, name); });
}
PTXSIM_EXPORT CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return enter(true, [&] { *function = reinterpret_cast<CUfunction>(kernel); });
}
PTXSIM_EXPORT CUresult cuFuncSetAttribute(CUfunction function, int, int) {
  return enter(true, [&] { require(function, "expected a function"); });
}
PTXSIM_EXPORT CUresult cuKernelSetAttribute(int, int, CUkernel kernel, CUdevice) {
  return enter(true, [&] { require(kernel, "expected a kernel"); });
}
PTXSIM_EXPORT CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  return enter(true, [&] {
    require(function, "expected a function");
    *value = attribute == 0   ? 1024
             : attribute == 1 ? int(function->program.staticShared(function->name))
                              : 0;
  });
}

PTXSIM_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                      unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                      CUstream stream, void **parameters, void **extra) {
  return enter(true, [&] {
    require(function, "expected a function, but got a null pointer");
    launch(function, {{gx, gy, gz}, {bx, by, bz}, shared}, stream,
           copyArguments(*function, parameters, extra));
  });
}
PTXSIM_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function,
                                        void **parameters, void **extra) {
  return enter(true, [&] {
    require(c && function, "expected a configuration and a function");
    LaunchConfig config{{c->gridDimX, c->gridDimY, c->gridDimZ},
                        {c->blockDimX, c->blockDimY, c->blockDimZ},
                        c->sharedMemBytes};
    for (unsigned k = 0; k < c->numAttrs; k++) {
      const CUlaunchAttribute &a = c->attrs[k];
      if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        config.cluster = {a.value.clusterDim.x, a.value.clusterDim.y, a.value.clusterDim.z};
      if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && a.value.cooperative)
        fail(CUDA_ERROR_NOT_SUPPORTED, "cooperative launches are not supported: blocks run one "
                                       "after the other");
    }
    launch(function, config, c->hStream, copyArguments(*function, parameters, extra));
  });
}

PTXSIM_EXPORT CUresult cuTensorMapEncodeTiled(CUtensorMap *out, int type, uint32_t rank, void *base,
                                              const uint64_t *size, const uint64_t *stride,
                                              const uint32_t *box, const uint32_t *elementStride,
                                              int interleave, int swizzle, int, int fill) {
  return enter(true, [&] {
    require(out && size && box && elementStride && rank >= 1 && rank <= 5 && (rank == 1 || stride),
            "expected a rank of 1 to 5 and arrays of that length");
    require(interleave == 0, "interleaved layouts are not supported");
    require(swizzle >= 0 && swizzle <= 3, "expected no swizzle, 32, 64 or 128 bytes");
    using ptxsim::TensorType;
    constexpr TensorType types[] = {
        TensorType::U8,  TensorType::U16, TensorType::U32, TensorType::S32, TensorType::U64,
        TensorType::S64, TensorType::F16, TensorType::F32, TensorType::F64, TensorType::BF16,
        TensorType::F32, TensorType::F32, TensorType::F32};
    require(type >= 0 && type < 13, "unknown element type");
    ptxsim::TensorMapInfo info;
    info.type = types[type];
    info.base = reinterpret_cast<uintptr_t>(base);
    info.rank = rank;
    for (uint32_t d = 0; d < rank; d++) {
      info.size[d] = size[d];
      info.box[d] = box[d];
      info.elementStride[d] = elementStride[d];
      info.stride[d] = d ? stride[d - 1] : 0;
    }
    info.swizzle = ptxsim::Swizzle(swizzle);
    info.fillWithNaN = fill;
    ptxsim::TensorMap map = ptxsim::encodeTensorMap(info);
    std::memcpy(out, &map, sizeof map);
  });
}
