// Selection of the executor's variant for the host processor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/Wgmma.h"
#include <cstdlib>

namespace ptxsim {

namespace avx2 {
#include "lib/PTXSim/Exec/Selectors.inc"
}
namespace avx512 {
#include "lib/PTXSim/Exec/Selectors.inc"
}

namespace {

using Select = Handler (*)(const Inst &);
constexpr Select common[] = {selectControl, selectCollective, selectBarrier, selectAtomic,
                             selectCopy,    selectMbarrier,   selectBulk,    selectWgmma};
constexpr Select forAvx2[] = {avx2::selectMove,    avx2::selectInteger,   avx2::selectBits,
                              avx2::selectFloat,   avx2::selectHalf,      avx2::selectCompare,
                              avx2::selectConvert, avx2::selectLoadStore, avx2::selectMatrix};
constexpr Select forAvx512[] = {
    avx512::selectMove,    avx512::selectInteger,   avx512::selectBits,
    avx512::selectFloat,   avx512::selectHalf,      avx512::selectCompare,
    avx512::selectConvert, avx512::selectLoadStore, avx512::selectMatrix};

/// Integer and floating-point families share opcodes; the types keep the families apart.
template <size_t N> Handler selectFrom(const Select (&table)[N], const Inst &inst) {
  for (Select select : table)
    if (Handler handler = select(inst))
      return handler;
  for (Select select : common)
    if (Handler handler = select(inst))
      return handler;
  return nullptr;
}

const Executor avx2Executor{"avx2", [](const Inst &i) { return selectFrom(forAvx2, i); }};
const Executor avx512Executor{"avx512", [](const Inst &i) { return selectFrom(forAvx512, i); }};

const Executor &choose() {
  // PTXSIM_EXECUTOR=avx2 selects the AVX2 variant on AVX-512 machines, for tests.
  const char *wish = std::getenv("PTXSIM_EXECUTOR");
  bool wantAvx2 = wish && std::string(wish) == "avx2";
  __builtin_cpu_init();
  if (!wantAvx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return avx512Executor;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("f16c"))
    return avx2Executor;
  throw Error(ErrorKind::Argument, "expected a processor with AVX2, FMA and F16C, but got another");
}

} // namespace

const Executor &hostExecutor() {
  static const Executor &executor = choose();
  return executor;
}

const char *executorName() { return hostExecutor().name; }

void executeWgmma(Warp &w, const WgmmaItem &item) {
  static const bool wide = &hostExecutor() == &avx512Executor;
  wide ? avx512::executeWgmma(w, item) : avx2::executeWgmma(w, item);
}

} // namespace ptxsim
