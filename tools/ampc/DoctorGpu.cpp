// ampc doctor: GPUs and the driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/AllTiers.h"
#include "tools/ampc/Finding.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <dlfcn.h>

using namespace ampc;

namespace {
/// Driver entry points for versions and names, which the runtime does not load; both may be
/// missing.
class DriverNames {
public:
  DriverNames() : library(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (auto init = find<int(unsigned)>("cuInit"); init && init(0) != 0)
      initFailed = true;
  }
  ~DriverNames() {
    if (library)
      dlclose(library);
  }
  DriverNames(const DriverNames &) = delete;

  /// Latest CUDA version of the driver, such as "13.0"; empty if unknown.
  std::string version() const {
    int number = 0; // 13000 for 13.0
    auto ask = find<int(int *)>("cuDriverGetVersion");
    if (!ask || ask(&number))
      return "";
    return llvm::formatv("{0}.{1}", number / 1000, number % 1000 / 10);
  }
  std::string name(int number) const {
    char text[128] = "";
    auto handle = find<int(int *, int)>("cuDeviceGet");
    auto ask = find<int(char *, int, int)>("cuDeviceGetName");
    int device = 0;
    if (initFailed || !handle || !ask || handle(&device, number) || ask(text, sizeof text, device))
      return "";
    return text;
  }

private:
  template <typename Function> Function *find(const char *symbol) const {
    return library ? reinterpret_cast<Function *>(dlsym(library, symbol)) : nullptr;
  }
  void *library;
  bool initFailed = false;
};
} // namespace

Finding ampc::findGpus(const AllTiers &tiers, const char *wanted) {
  Finding result;
  result.part = "GPU";
  DriverNames names;
  std::string problem, version = names.version();
  llvm::SmallVector<std::string> rows;
  llvm::json::Array list;
  for (int number = 0;; ++number) {
    std::string device = "cuda:" + std::to_string(number);
    std::optional<int32_t> tier = tiers.choose(device.c_str(), problem);
    if (!tier)
      break;
    std::string name = names.name(number);
    rows.push_back(device + " " + name + ", runs code for " + AllTiers::nameOf(*tier));
    list.push_back(
        llvm::json::Object{{"device", device}, {"name", name}, {"tier", AllTiers::nameOf(*tier)}});
  }
  result.facts = llvm::json::Object{{"devices", std::move(list)}, {"driver_cuda_version", version}};
  if (!rows.empty()) {
    result.text = llvm::join(rows, "; ") + (version.empty() ? "" : "; driver for CUDA " + version);
  } else {
    result.text = "none: " + problem;
    result.facts["problem"] = problem;
    result.advice = "install NVIDIA's driver for CUDA 12 or later, or run models on the CPU, for "
                    "which --target=cpu is the default";
  }
  // "cuda" needs one device, "cuda:2" three.
  std::string unused;
  if (llvm::StringRef(wanted ? wanted : "").starts_with("cuda") && !tiers.choose(wanted, unused)) {
    result.failed = true;
    result.text += "; --device=" + std::string(wanted) + " cannot work";
  }
  return result;
}
