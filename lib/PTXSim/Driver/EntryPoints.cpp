// Lookup of entry points by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include <dlfcn.h>

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult cuInit(unsigned flags);

/// Handle of this library, also if loaded with RTLD_LOCAL.
static void *ownHandle() {
  static void *handle = [] {
    Dl_info info;
    bool found = dladdr(reinterpret_cast<void *>(&cuInit), &info);
    return found ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : RTLD_DEFAULT;
  }();
  return handle;
}

/// Newest variant of names whose plain form has an older signature.
static std::string newest(const std::string &name) {
  static const std::map<std::string, const char *> renamed = {
      {"cuCtxCreate", "cuCtxCreate_v4"},
      {"cuGetProcAddress", "cuGetProcAddress_v2"},
      {"cuGraphInstantiate", "cuGraphInstantiateWithFlags"},
      {"cuStreamGetCaptureInfo", "cuStreamGetCaptureInfo_v3"}};
  auto found = renamed.find(name);
  return found == renamed.end() ? "" : found->second;
}

/// Looks up the newest version of an entry point, as the driver does for a recent cudaVersion.
/// Works before cuInit, because programs look up cuInit, too.
PTXSIM_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
                                           unsigned long long, int *status) {
  if (function)
    *function = nullptr;
  if (status)
    *status = 1; // not found
  return enter(Needs::Nothing, [&] {
    require(name && function, "expected a name and a place for the result");
    std::string plain = name;
    std::vector<std::string> candidates = {newest(plain), plain + "_v2", plain};
    if (version < 12030) // CUDA 12.3 added the third variant
      if (plain == "cuStreamGetCaptureInfo")
        candidates = {plain + "_v2"};
    if (version < 12050 && plain == "cuCtxCreate")
      candidates = {plain + "_v2"};
    for (const std::string &candidate : candidates)
      if (!*function && !candidate.empty())
        *function = dlsym(ownHandle(), candidate.c_str());
    if (!*function)
      fail(CUDA_ERROR_NOT_FOUND, "no entry point '" + plain + "'");
    if (status)
      *status = 0;
  });
}
PTXSIM_EXPORT CUresult cuGetProcAddress(const char *name, void **function, int version,
                                        unsigned long long flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
/// Export tables are internal to the vendor's libraries.
PTXSIM_EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *) {
  *table = nullptr;
  return enter(Needs::Nothing, [] { fail(CUDA_ERROR_NOT_FOUND, "no such table"); });
}
PTXSIM_EXPORT CUresult cuProfilerStart(void) {
  return enter([] {});
}
PTXSIM_EXPORT CUresult cuProfilerStop(void) {
  return enter([] {});
}
