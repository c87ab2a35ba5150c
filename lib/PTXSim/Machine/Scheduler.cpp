// Runs the warps of a cluster until all have exited.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp runs until the warp waits. If no warp can run, a pending asynchronous copy is performed;
// without pending copies the cluster is in deadlock, and only then.
#include "lib/PTXSim/Machine/Scheduler.h"
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/Race.h"
#include <algorithm>
#include <cstdio>

namespace ptxsim {

namespace {

/// Instructions after which a warp spinning on memory (not on an mbarrier) yields.
constexpr uint64_t spinQuantum = 1 << 16;

void checkUses(Warp &w, const Inst &i, uint32_t &bad) {
  const uint32_t *list = kernelOf(w).useDef.data() + i.uses;
  for (unsigned k = 0; k < i.useCount; k++) {
    uint32_t undefined = w.exec & ~w.defined[list[k]];
    if (!undefined)
      continue;
    if (k < i.strictCount)
      reportUndefined(w, list[k], undefined);
    bad |= undefined;
  }
}

/// Propagates undefinedness from inputs to results, with the origin for messages.
void defineResults(Warp &w, const Inst &i, uint32_t exec, uint32_t bad) {
  const uint32_t *list = kernelOf(w).useDef.data() + i.uses;
  uint32_t origin = 0;
  if (bad) {
    for (unsigned k = 0; k < i.useCount && !origin; k++)
      if (bad & ~w.defined[list[k]])
        origin = w.origin[list[k]] ? w.origin[list[k]] : uint32_t(&i - kernelOf(w).code.data()) + 1;
  }
  for (unsigned k = 0; k < i.defCount; k++) {
    uint32_t index = list[i.useCount + k];
    w.defined[index] = (w.defined[index] | exec) & ~bad;
    if (bad)
      w.origin[index] = origin;
  }
}

/// Floating-point operations per lane; a fused multiply-add counts as two.
unsigned flopsPerLane(const Inst &i) {
  unsigned width =
      i.type == Type::F32 || i.type == Type::F64 || i.type == Type::F16 || i.type == Type::BF16 ? 1
      : i.type == Type::F32x2 || i.type == Type::F16x2 || i.type == Type::BF16x2                ? 2
                                                                                                : 0;
  switch (i.op) {
  case Opcode::Fma:
    return 2 * width;
  case Opcode::Add:
  case Opcode::Sub:
  case Opcode::MulLo:
  case Opcode::Div:
  case Opcode::DivApprox:
  case Opcode::Rcp:
  case Opcode::Sqrt:
  case Opcode::Rsqrt:
  case Opcode::Ex2:
  case Opcode::Lg2:
  case Opcode::Sin:
  case Opcode::Cos:
  case Opcode::Tanh:
    return width;
  default:
    return 0;
  }
}

void trace(const Warp &w) {
  std::fprintf(stderr, "warp %u exec %08x %s\n", w.id, w.exec,
               std::string(kernelOf(w).codeInfo[pcOf(w)].spelling).c_str());
}

[[noreturn]] void budgetExceeded(Warp &w) {
  fault(w, ErrorKind::Budget,
        "instruction budget of " + std::to_string(optionsOf(w).instructionBudget) +
            " warp instructions used up (endless loop?)");
}

/// Interpreter loop of a warp. `Definedness` and `Observe` (race, statistics, trace) are compiled
/// in or out.
template <bool Definedness, bool Observe> void runWarp(Warp &w, uint64_t quantum) {
  const Kernel &kernel = kernelOf(w);
  const Inst *code = kernel.code.data();
  Worker &worker = *w.block->cluster->worker;
  const Options &options = optionsOf(w);
  uint64_t left = quantum, count = 0;
  w.yield = false;
  while (!w.yield && left--) {
    const Inst &i = code[w.pc++];
    w.current = &i;
    count++;
    uint32_t exec = w.active & (w.pred(i.guard) ^ i.guardFlip);
    w.exec = exec;
    if (Definedness && (w.active & ~w.defined[slotIndex(i.guard)]))
      reportUndefined(w, slotIndex(i.guard), w.active & ~w.defined[slotIndex(i.guard)]);
    if (Observe) {
      w.instructions += 1;
      unsigned lanes = unsigned(__builtin_popcount(exec));
      worker.statistics.threadInstructions += lanes;
      worker.statistics.flops += lanes * flopsPerLane(i);
      if (options.statistics && exec) {
        worker.opcodeCounts[i.opcodeId]++;
        worker.pcCounts[size_t(&i - code)]++;
      }
      if (options.traceWarp == int(w.id) && w.block->cluster->index == 0)
        trace(w);
      if (exec && kernel.usesWgmma && w.block->cluster->race)
        w.block->cluster->race->beforeInstruction(w, i);
    }
    if (i.flags & InstFlag::Control) {
      i.execute(w, i);
    } else if (exec) {
      uint32_t bad = 0;
      if (Definedness)
        checkUses(w, i, bad);
      i.execute(w, i);
      if (Definedness && !(i.flags & InstFlag::OwnDefined))
        defineResults(w, i, exec, bad);
    }
    if (w.pc == w.reconverge || w.active == 0)
      popPath(w);
  }
  if (!Observe)
    w.instructions += count;
  worker.instructions += count;
  if (worker.instructions > options.instructionBudget)
    budgetExceeded(w);
}

using RunFunction = void (*)(Warp &, uint64_t);
RunFunction chooseRun(const Options &o) {
  bool observe = o.race || o.statistics || o.traceWarp >= 0;
  return o.definedness ? (observe ? runWarp<true, true> : runWarp<true, false>)
                       : (observe ? runWarp<false, true> : runWarp<false, false>);
}

uint32_t specialValue(SpecialRegister which, const Launch &launch, const Block &block,
                      uint32_t thread) {
  const Dim3 &b = launch.block, &g = launch.grid, &c = launch.cluster, &id = block.id;
  uint32_t lane = thread & 31, bit = 1u << lane;
  switch (which) {
  case SpecialRegister::TidX:
    return thread % b.x;
  case SpecialRegister::TidY:
    return thread / b.x % b.y;
  case SpecialRegister::TidZ:
    return thread / b.x / b.y;
  case SpecialRegister::NtidX:
    return b.x;
  case SpecialRegister::NtidY:
    return b.y;
  case SpecialRegister::NtidZ:
    return b.z;
  case SpecialRegister::CtaidX:
    return id.x;
  case SpecialRegister::CtaidY:
    return id.y;
  case SpecialRegister::CtaidZ:
    return id.z;
  case SpecialRegister::NctaidX:
    return g.x;
  case SpecialRegister::NctaidY:
    return g.y;
  case SpecialRegister::NctaidZ:
    return g.z;
  case SpecialRegister::LaneId:
    return lane;
  case SpecialRegister::WarpId:
    return thread / 32;
  case SpecialRegister::NWarpId:
    return uint32_t((b.count() + 31) / 32);
  case SpecialRegister::SmId:
    return uint32_t(block.cluster->index % launch.options.multiprocessors);
  case SpecialRegister::NSmId:
    return launch.options.multiprocessors;
  case SpecialRegister::GridId:
    return 0;
  case SpecialRegister::LanemaskEq:
    return bit;
  case SpecialRegister::LanemaskLe:
    return bit | (bit - 1);
  case SpecialRegister::LanemaskLt:
    return bit - 1;
  case SpecialRegister::LanemaskGe:
    return ~(bit - 1);
  case SpecialRegister::LanemaskGt:
    return ~(bit | (bit - 1));
  case SpecialRegister::ClusterIdX:
    return id.x / c.x;
  case SpecialRegister::ClusterIdY:
    return id.y / c.y;
  case SpecialRegister::ClusterIdZ:
    return id.z / c.z;
  case SpecialRegister::NClusterIdX:
    return g.x / c.x;
  case SpecialRegister::NClusterIdY:
    return g.y / c.y;
  case SpecialRegister::NClusterIdZ:
    return g.z / c.z;
  case SpecialRegister::ClusterCtaidX:
    return id.x % c.x;
  case SpecialRegister::ClusterCtaidY:
    return id.y % c.y;
  case SpecialRegister::ClusterCtaidZ:
    return id.z % c.z;
  case SpecialRegister::ClusterNctaidX:
    return c.x;
  case SpecialRegister::ClusterNctaidY:
    return c.y;
  case SpecialRegister::ClusterNctaidZ:
    return c.z;
  case SpecialRegister::ClusterCtarank:
    return block.rank;
  case SpecialRegister::ClusterNctarank:
    return uint32_t(c.count());
  case SpecialRegister::IsExplicitCluster:
    return c.count() > 1;
  case SpecialRegister::DynamicSharedSize:
    return launch.dynamicShared;
  case SpecialRegister::TotalSharedSize:
    return launch.kernel->sharedDeclared + launch.dynamicShared;
  default:
    return 0;
  }
}

template <class T> void fillSlot(Warp &w, uint32_t slot, uint64_t value) {
  for (unsigned l = 0; l < 32; l++)
    w.reg<T>(slot)[l] = T(value);
}

void fillConstants(Warp &w, const Kernel &kernel) {
  for (const ConstantSlot &c : kernel.constants) {
    uint64_t value = c.value + (c.dynamicShared ? kernel.dynamicBase() : 0);
    switch (c.width) {
    case 0:
      w.pred(c.slot) = uint32_t(value);
      break;
    case 2:
      fillSlot<uint16_t>(w, c.slot, value);
      break;
    case 4:
      fillSlot<uint32_t>(w, c.slot, value);
      break;
    default:
      fillSlot<uint64_t>(w, c.slot, value);
      break;
    }
    if (w.defined)
      w.defined[slotIndex(c.slot)] = ~0u;
  }
}

void startWarp(Warp &w, Block &block, uint32_t id, const Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  uint8_t *regs = w.regs;
  uint32_t *defined = w.defined, *origin = w.origin;
  uint32_t threads = uint32_t(launch.block.count());
  w = Warp();
  w.regs = regs;
  w.defined = defined;
  w.origin = origin;
  w.block = &block;
  w.id = id;
  uint32_t rest = threads - id * 32;
  w.alive = w.active = rest >= 32 ? ~0u : (1u << rest) - 1;
  std::memset(regs, 0xcd, kernel.registerBytes); // recognisable in results with definedness off
  if (defined) {
    std::memset(defined, 0, kernel.registerBytes / 16);
    std::memset(origin, 0, kernel.registerBytes / 16);
  }
  fillConstants(w, kernel);
  for (const SpecialSlot &s : kernel.specials) {
    for (unsigned l = 0; l < 32; l++) {
      uint32_t value = specialValue(s.which, launch, block, id * 32 + l);
      if (s.width == 2)
        w.reg<uint16_t>(s.slot)[l] = uint16_t(value);
      else if (s.width == 4)
        w.reg<uint32_t>(s.slot)[l] = value;
      else
        w.reg<uint64_t>(s.slot)[l] = value;
    }
    if (defined)
      defined[slotIndex(s.slot)] = ~0u;
  }
  if (kernel.usesWgmma) {
    w.wgmma.inFlight.assign(kernel.registerBytes / 64, 0);
    w.wgmma.unfenced.assign(kernel.registerBytes / 64, 1);
  }
}

void startBlock(Block &block, const Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  // fill_n, because blocks without shared memory have a null pointer, which memset forbids.
  std::fill_n(block.shared, block.sharedBytes, uint8_t(0xff)); // NaN in every floating-point type
  if (launch.options.definedness) {
    std::fill(block.sharedShadow.begin(), block.sharedShadow.end(), uint8_t(Shadow::RedZone));
    for (const NamedRange &v : kernel.sharedVariables)
      std::memset(&block.sharedShadow[v.offset], Shadow::Undefined, v.size);
    if (launch.dynamicShared)
      std::memset(&block.sharedShadow[kernel.dynamicBase()], Shadow::Undefined,
                  launch.dynamicShared);
    for (uint64_t t = 0; t < block.threads && kernel.localBytes; t++) {
      uint8_t *shadow = &block.localShadow[t * kernel.localBytes];
      std::memset(shadow, Shadow::RedZone, kernel.localBytes);
      for (const NamedRange &v : kernel.localVariables)
        std::memset(shadow + v.offset, Shadow::Undefined, v.size);
    }
  }
  for (NamedBarrier &b : block.barriers)
    b = NamedBarrier();
  block.mbarriers.clear();
  block.warpgroups.assign(kernel.usesWgmma ? block.warps.size() : 0, Warpgroup());
  block.stamp = 0;
  for (uint32_t id = 0; id < block.warps.size(); id++)
    startWarp(block.warps[id], block, id, launch);
}

[[noreturn]] void deadlock(Cluster &cluster) {
  const Kernel &kernel = *cluster.launch->kernel;
  std::string text = "deadlock in kernel " + kernel.info.name + ": no warp can run";
  uint32_t line = 0;
  for (Block &block : cluster.blocks)
    for (Warp &w : block.warps) {
      if (w.state == WarpState::Done)
        continue;
      text += "\n  block (" + std::to_string(block.id.x) + "," + std::to_string(block.id.y) + "," +
              std::to_string(block.id.z) + ") warp " + std::to_string(w.id);
      text += w.state == WarpState::Barrier ? " at barrier " + std::to_string(w.barrier)
                                            : std::string(" waiting");
      text += ", " + describeLine(kernel, pcOf(w)) + ": " +
              std::string(kernel.codeInfo[pcOf(w)].spelling);
      if (!line)
        line = kernel.codeInfo[pcOf(w)].loc.line;
    }
  throw Error(ErrorKind::Deadlock, text, line);
}

/// Rotation of the warp order, drawn from the seed with Options::scheduleQuantum.
struct WarpOrder {
  size_t start, count;
  size_t at(size_t k) const { return (start + k) % count; }
};

} // namespace

void prepareWorker(Worker &worker, Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  worker.launch = &launch;
  worker.hints.assign(kernel.code.size(), nullptr);
  worker.opcodeCounts.assign(kernel.opcodeNames.size() + 1, 0);
  worker.pcCounts.assign(kernel.code.size(), 0);
  worker.random.seed(launch.options.seed);
  Cluster &cluster = worker.cluster;
  cluster.worker = &worker;
  cluster.launch = &launch;
  uint32_t warps = uint32_t((launch.block.count() + 31) / 32);
  size_t blocks = launch.cluster.count();
  cluster.blocks.resize(blocks);
  worker.registers.resize(blocks * warps * kernel.registerBytes + 64);
  uint8_t *regs = worker.registers.data();
  regs += (64 - (reinterpret_cast<uintptr_t>(regs) & 63)) & 63;
  size_t slots = kernel.registerBytes / 64;
  if (launch.options.definedness)
    worker.definedStorage.resize(blocks * warps * slots * 2);
  for (size_t r = 0; r < blocks; r++) {
    Block &block = cluster.blocks[r];
    block.cluster = &cluster;
    block.rank = uint32_t(r);
    block.threads = uint32_t(launch.block.count());
    block.instrumented = launch.options.race || launch.options.statistics;
    block.sharedBytes =
        launch.dynamicShared ? kernel.dynamicBase() + launch.dynamicShared : kernel.sharedStatic;
    block.sharedStorage.resize(block.sharedBytes + 1024);
    block.shared = block.sharedStorage.data();
    block.shared += (1024 - (reinterpret_cast<uintptr_t>(block.shared) & 1023)) & 1023;
    block.local.resize(size_t(warps) * 32 * kernel.localBytes);
    if (launch.options.definedness) {
      block.sharedShadow.resize(block.sharedBytes);
      block.localShadow.resize(block.local.size());
    }
    block.warps.resize(warps);
    for (uint32_t id = 0; id < warps; id++) {
      Warp &w = block.warps[id];
      size_t index = r * warps + id;
      w.regs = regs + index * kernel.registerBytes;
      if (launch.options.definedness) {
        w.defined = worker.definedStorage.data() + index * slots * 2;
        w.origin = w.defined + slots;
      }
    }
  }
}

static void startCluster(Cluster &cluster, uint64_t index) {
  const Launch &launch = *cluster.launch;
  const Dim3 &c = launch.cluster;
  uint64_t nx = launch.grid.x / c.x, ny = launch.grid.y / c.y;
  Dim3 base{uint32_t(index % nx) * c.x, uint32_t(index / nx % ny) * c.y,
            uint32_t(index / nx / ny) * c.z};
  cluster.index = index;
  cluster.pending.clear();
  cluster.barrierArrived = 0;
  cluster.barrierPhase = 0;
  for (Block &block : cluster.blocks) {
    uint32_t r = block.rank;
    block.id = {base.x + r % c.x, base.y + r / c.x % c.y, base.z + r / c.x / c.y};
    startBlock(block, launch);
  }
  if (cluster.race)
    cluster.race->reset();
}

static void finishCluster(Cluster &cluster) {
  while (!cluster.pending.empty()) {
    const AsyncOp &op = cluster.pending.front();
    bool store = op.kind == AsyncOp::TensorStore || op.kind == AsyncOp::BulkStore;
    if (!store) {
      Warp &w = cluster.blocks[op.rank].warps[op.warp];
      w.current = op.inst;
      fault(w, ErrorKind::Async,
            "the block exited while this copy into the block's shared memory was in flight: no "
            "thread waited for the copy");
    }
    completePending(cluster, 0);
  }
  if (cluster.race)
    cluster.race->blockExit();
}

void runCluster(Worker &worker, uint64_t index) {
  Cluster &cluster = worker.cluster;
  startCluster(cluster, index);
  const Options &options = cluster.launch->options;
  RunFunction run = chooseRun(options);
  uint64_t quantum = options.scheduleQuantum ? options.scheduleQuantum : spinQuantum;
  size_t perBlock = cluster.blocks[0].warps.size(), total = perBlock * cluster.blocks.size();
  size_t done = 0;
  while (done < total) {
    bool progress = false;
    WarpOrder turn{options.scheduleQuantum ? size_t(worker.random() % total) : 0, total};
    for (size_t k = 0; k < total; k++) {
      size_t at = turn.at(k);
      Block &block = cluster.blocks[at / perBlock];
      Warp &w = block.warps[at % perBlock];
      if (w.state == WarpState::Poll && w.sleepStamp != block.stamp)
        w.state = WarpState::Ready;
      if (w.state != WarpState::Ready)
        continue;
      progress = true;
      run(w, quantum);
      if (w.state == WarpState::Done) {
        done++;
        warpExited(w);
      }
    }
    bool random = options.async == AsyncMode::Random;
    if (!cluster.pending.empty() && (!progress || (random && worker.random() % 4 == 0)))
      completePending(cluster, random ? worker.random() % cluster.pending.size() : 0);
    else if (!progress)
      deadlock(cluster);
  }
  finishCluster(cluster);
}

} // namespace ptxsim
