// Launches: the hardware's limits, arguments, occupancy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Driver/DriverState.h"
#include <algorithm>
#include <cstdio>

namespace ptxsim {
namespace driver {

static std::string text(const Dim3 &d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

/// Register allocation: units of 8 per thread and 256 per warp. Example: 33 registers -> 40 a
/// thread.
static uint64_t registersOf(const CUfunc_st &f, uint64_t threads) {
  uint64_t perThread = (std::min(f.resources.registers, 255u) + 7) / 8 * 8;
  return std::max<uint64_t>(perThread, 16) * ((threads + 31) / 32 * 32);
}

unsigned maximumThreads(const CUfunc_st &f) {
  const KernelInfo &i = f.info;
  uint64_t limit = i.requiredBlock.x  ? i.requiredBlock.count()
                   : i.maximumBlock.x ? i.maximumBlock.count()
                                      : 1024;
  // A kernel with a bound in the PTX was compiled to fit the bound, with spills if needed.
  if (!i.requiredBlock.x && !i.maximumBlock.x)
    while (limit > 32 && registersOf(f, limit) > Chip::registers)
      limit -= 32;
  return unsigned(std::min<uint64_t>(limit, 1024));
}

static void checkCluster(const CUfunc_st &f, const LaunchConfig &c, const Chip &chip) {
  Dim3 cluster = c.cluster.count() ? c.cluster : f.info.cluster;
  if (cluster.count() <= 1)
    return;
  if (!chip.hasClusters())
    fail(CUDA_ERROR_NOT_SUPPORTED,
         "the chip has no clusters, but got a cluster of " + text(cluster));
  unsigned most = f.nonPortableCluster ? 16 : 8;
  if (cluster.count() > most)
    fail(CUDA_ERROR_INVALID_CLUSTER_SIZE,
         "expected clusters of at most " + std::to_string(most) + " blocks" +
             (f.nonPortableCluster ? "" : " without the attribute for non-portable sizes") +
             ", but got " + text(cluster));
  if (c.grid.x % cluster.x || c.grid.y % cluster.y || c.grid.z % cluster.z)
    fail(CUDA_ERROR_INVALID_CLUSTER_SIZE,
         "expected a grid divisible by the cluster " + text(cluster) + ", but got " + text(c.grid));
}

void checkLaunch(const KernelLaunch &launch) {
  const CUfunc_st &f = *launch.function;
  const LaunchConfig &c = launch.config;
  const Dim3 &g = c.grid, &b = c.block;
  require(g.x >= 1 && g.x <= 0x7fffffff && g.y >= 1 && g.y <= 65535 && g.z >= 1 && g.z <= 65535,
          "expected a grid of 1 to 2147483647 by 65535 by 65535 blocks, but got " + text(g));
  require(b.count() >= 1 && b.x <= 1024 && b.y <= 1024 && b.z <= 64 && b.count() <= 1024,
          "expected a block of 1 to 1024 threads, at most 64 along z, but got " + text(b));
  const Dim3 &need = f.info.requiredBlock;
  require(!need.x || (need.x == b.x && need.y == b.y && need.z == b.z),
          "kernel " + f.name + " needs blocks of " + text(need) + ", but got " + text(b));
  require(!f.info.maximumBlock.x || b.count() <= f.info.maximumBlock.count(),
          "kernel " + f.name + " takes at most " + std::to_string(f.info.maximumBlock.count()) +
              " threads per block, but got " + text(b));
  if (b.count() > maximumThreads(f))
    fail(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
         "kernel " + f.name + " needs about " + std::to_string(f.resources.registers) +
             " registers per thread, too many for blocks of " + text(b));
  require(c.dynamicShared <= f.maximumDynamicShared,
          "kernel " + f.name + " may use " + std::to_string(f.maximumDynamicShared) +
              " bytes of dynamic shared memory, but got " + std::to_string(c.dynamicShared) +
              "; CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES raises the limit");
  checkCluster(f, c, f.module->context->device->chip);
}

void runKernel(const KernelLaunch &launch) {
  if (!state().functions.count(launch.function))
    fail(CUDA_ERROR_INVALID_HANDLE, "the module of this kernel has been unloaded");
  const CUfunc_st &f = *launch.function;
  CUctx_st &context = *f.module->context;
  auto stick = [&](CUresult code, const std::string &message) {
    say(message);
    context.sticky = code;
    context.stickyMessage = message;
  };
  if (state().settings.sample && countAgain(*context.device, launch))
    return;
  LaunchResult result;
  try {
    result =
        context.device->device->launch(f.module->program, f.name, launch.config, launch.arguments);
  } catch (const Error &e) {
    if (e.kind == ErrorKind::Argument)
      throw; // nothing has run
    return stick(codeOfKernel(e), e.what());
  }
  countLaunch(*context.device, launch, result.statistics);
  if (result.findings.empty())
    return;
  for (size_t k = 1; k < result.findings.size(); k++)
    say(result.findings[k].message);
  stick(CUDA_ERROR_LAUNCH_FAILED, result.findings[0].message);
}

std::vector<Argument> copyArguments(const CUfunc_st &function, void **parameters, void **extra) {
  std::vector<Argument> arguments;
  const uint8_t *buffer = nullptr;
  size_t size = SIZE_MAX;
  if (!parameters && extra) // {1, buffer, 2, &size, 0}
    for (size_t k = 0; extra[k]; k += 2) {
      if (reinterpret_cast<uintptr_t>(extra[k]) == 1)
        buffer = static_cast<const uint8_t *>(extra[k + 1]);
      if (reinterpret_cast<uintptr_t>(extra[k]) == 2)
        size = *static_cast<const size_t *>(extra[k + 1]);
    }
  for (const Parameter &p : function.info.parameters) {
    require(!buffer || p.offset + p.size <= size,
            "expected as many bytes as the parameters of kernel " + function.name + ", but got " +
                std::to_string(size) + " bytes");
    const auto *from = parameters ? static_cast<const uint8_t *>(*parameters++)
                       : buffer   ? buffer + p.offset
                                  : nullptr;
    require(from, "expected kernel parameters");
    arguments.emplace_back(from, from + p.size);
  }
  return arguments;
}

static void submitKernel(std::shared_ptr<KernelLaunch> launch, CUstream stream) {
  checkLaunch(*launch);
  Work work;
  work.type = Work::Kernel;
  work.kernel = launch;
  work.run = [launch] { runKernel(*launch); };
  submit(stream, std::move(work));
}

/// Attributes that affect speed or the order among launches, so nothing here.
static bool harmless(int id) {
  switch (id) {
  case 0: // no attribute
  case 1: // access policy window
  case 3: // synchronisation policy
  case 5: // cluster scheduling
  case 6: // programmatic serialisation: work runs in order already
  case 8: // priority
  case 9: // memory domains
  case 10:
  case 14: // carve-out
    return true;
  default:
    return false;
  }
}

static LaunchConfig configOf(const CUlaunchConfig &c) {
  LaunchConfig config{{c.gridDimX, c.gridDimY, c.gridDimZ},
                      {c.blockDimX, c.blockDimY, c.blockDimZ},
                      c.sharedMemBytes};
  for (unsigned k = 0; k < c.numAttrs; k++) {
    const CUlaunchAttribute &a = c.attrs[k];
    if (a.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      config.cluster = {a.value.clusterDim.x, a.value.clusterDim.y, a.value.clusterDim.z};
      require(config.cluster.count() > 0, "expected a cluster that is not empty");
    } else if (a.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
      if (a.value.cooperative)
        fail(CUDA_ERROR_NOT_SUPPORTED,
             "cooperative launches are not supported: blocks run one after the other");
    } else if (!harmless(a.id)) {
      fail(CUDA_ERROR_NOT_SUPPORTED,
           "launch attribute " + std::to_string(a.id) + " is not supported");
    }
  }
  return config;
}

// --- Occupancy ----------------------------------------------------------------------------------

/// Blocks that are resident on one multiprocessor at a time.
static unsigned blocksPerMultiprocessor(const CUfunc_st &f, uint64_t threads, uint64_t dynamic) {
  const Chip &chip = f.module->context->device->chip;
  if (threads == 0 || threads > maximumThreads(f) ||
      f.resources.staticShared + dynamic > chip.sharedPerBlock)
    return 0;
  uint64_t warps = (threads + 31) / 32;
  uint64_t shared = (f.resources.staticShared + dynamic + chip.reservedShared() + 127) / 128 * 128;
  uint64_t blocks =
      std::min<uint64_t>(chip.blocksPerMultiprocessor, chip.threadsPerMultiprocessor / 32 / warps);
  blocks = std::min(blocks, Chip::registers / registersOf(f, threads));
  if (shared)
    blocks = std::min<uint64_t>(blocks, chip.sharedPerMultiprocessor / shared);
  return unsigned(blocks);
}

} // namespace driver
} // namespace ptxsim

using namespace ptxsim::driver;

PTXSIM_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                      unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                      CUstream stream, void **parameters, void **extra) {
  return enter([&] {
    CUfunc_st &f = functionOf(function);
    auto launch = std::make_shared<KernelLaunch>();
    launch->function = &f;
    launch->config = {{gx, gy, gz}, {bx, by, bz}, shared};
    launch->arguments = copyArguments(f, parameters, extra);
    submitKernel(std::move(launch), stream);
  });
}
PTXSIM_EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                        void **parameters, void **extra) {
  return enter([&] {
    require(config, "expected a configuration");
    CUfunc_st &f = functionOf(function);
    auto launch = std::make_shared<KernelLaunch>();
    launch->function = &f;
    launch->config = configOf(*config);
    launch->arguments = copyArguments(f, parameters, extra);
    submitKernel(std::move(launch), config->hStream);
  });
}
PTXSIM_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned,
                                                 unsigned, unsigned, unsigned, CUstream, void **) {
  return enter([] {
    fail(CUDA_ERROR_NOT_SUPPORTED,
         "cooperative launches are not supported: blocks run one after the other");
  });
}

PTXSIM_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                                   int threads, size_t shared) {
  return enter([&] {
    require(blocks && threads > 0, "expected a block of at least one thread");
    *blocks = int(blocksPerMultiprocessor(functionOf(function), uint64_t(threads), shared));
  });
}
PTXSIM_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction function, int threads, size_t shared, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}
PTXSIM_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                                        size_t (*sharedOf)(int), size_t shared,
                                                        int limit) {
  return enter([&] {
    const CUfunc_st &f = functionOf(function);
    unsigned best = 0, most = maximumThreads(f);
    if (limit > 0)
      most = std::min(most, unsigned(limit));
    *grid = *block = 0;
    for (unsigned threads = most / 32 * 32; threads >= 32; threads -= 32) {
      size_t bytes = sharedOf ? sharedOf(int(threads)) : shared;
      unsigned blocks = blocksPerMultiprocessor(f, threads, bytes);
      if (blocks * threads <= best)
        continue;
      best = blocks * threads;
      *block = int(threads);
      *grid = int(blocks * currentDevice().chip.multiprocessors);
    }
  });
}
PTXSIM_EXPORT CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                                 CUfunction function,
                                                                 size_t (*sharedOf)(int),
                                                                 size_t shared, int limit,
                                                                 unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, sharedOf, shared, limit);
}
PTXSIM_EXPORT CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function,
                                                               int blocks, int threads) {
  return enter([&] {
    const CUfunc_st &f = functionOf(function);
    const Chip &chip = currentDevice().chip;
    require(blocks > 0 && threads > 0, "expected at least one block of one thread");
    int64_t each = int64_t(chip.sharedPerMultiprocessor) / blocks - chip.reservedShared();
    each = std::min<int64_t>(each / 128 * 128, chip.sharedPerBlock) - f.resources.staticShared;
    *bytes = size_t(std::max<int64_t>(each, 0));
  });
}
PTXSIM_EXPORT CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction function,
                                                          const CUlaunchConfig *config) {
  return enter([&] {
    const CUfunc_st &f = functionOf(function);
    require(config, "expected a configuration");
    *size = !currentDevice().chip.hasClusters() ? 1 : f.nonPortableCluster ? 16 : 8;
  });
}
/// Clusters resident on all multiprocessors, without the placement limits of real chips.
PTXSIM_EXPORT CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function,
                                                    const CUlaunchConfig *config) {
  return enter([&] {
    const CUfunc_st &f = functionOf(function);
    require(config, "expected a configuration");
    ptxsim::LaunchConfig c = configOf(*config);
    uint64_t size = c.cluster.count() ? c.cluster.count() : f.info.cluster.count();
    uint64_t blocks = blocksPerMultiprocessor(f, c.block.count(), c.dynamicShared);
    *clusters = int(blocks * currentDevice().chip.multiprocessors / size);
  });
}
