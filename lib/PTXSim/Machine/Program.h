// Decoded kernel: instructions whose operands are byte offsets into a warp's register file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_PROGRAM_H
#define PTXSIM_MACHINE_PROGRAM_H

#include "lib/PTXSim/Machine/Opcodes.h"
#include "lib/PTXSim/Parse/AST.h"

namespace ptxsim {

struct Warp;
struct Inst;
using Handler = void (*)(Warp &, const Inst &);

enum class Rounding : uint8_t { None, Nearest, Zero, Down, Up, NearestAway };

/// Operands are slots: registers, constants and special registers alike have 32 lanes, 64-byte
/// aligned, so that handlers need no operand kinds. A predicate slot holds a 32-bit lane mask.
struct alignas(128) Inst {
  Handler execute = nullptr;
  uint32_t guard = 0, guardFlip = 0; ///< slot of the guard predicate; flip: ~0 if negated
  uint32_t dst = 0, a = 0, b = 0, c = 0;
  int64_t imm = 0;
  uint32_t list = 0; ///< first of `count` slots in Kernel::slots, for vectors
  uint16_t count = 0;
  uint16_t aux = 0; ///< meaning by opcode
  Opcode op = Opcode::Nop;
  Type type = Type::None, type2 = Type::None;
  Rounding rounding = Rounding::None;
  Space space = Space::Generic;
  uint16_t flags = 0;
  int32_t target = -1, reconverge = -1;
  uint32_t uses = 0; ///< index into Kernel::useDef: strict uses, other uses, definitions
  uint16_t strictCount = 0, useCount = 0, defCount = 0;
  uint16_t opcodeId = 0;
};

namespace InstFlag {
enum : uint16_t {
  Control = 1,    ///< runs even without active lanes
  OwnDefined = 2, ///< the handler maintains the definedness of results
  Ftz = 4,
  Sat = 8,
  Address64 = 16, ///< 64-bit address register
  PropagateNaN = 32,
  Relu = 64,
  Xorsign = 128,
  WgmmaOperands = 256, ///< accesses accumulators; exempt from the in-flight check
  Strong = 512,        ///< volatile, relaxed, acquire or release access
  Acquire = 1024,
  Release = 2048,
  SatFinite = 4096
};
}

/// Slot number for definedness: a 32-bit lane mask per 64 bytes of register file.
inline uint32_t slotIndex(uint32_t slot) { return slot / 64; }

enum class SpecialRegister : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  GridId,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NClusterIdX,
  NClusterIdY,
  NClusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  IsExplicitCluster,
  DynamicSharedSize,
  TotalSharedSize,
  Clock,
  Clock64,
  GlobalTimer ///< clocks change, so a Clock instruction reads the value
};

struct ConstantSlot {
  uint32_t slot;
  uint8_t width;
  bool dynamicShared; ///< relative to the start of dynamic shared memory
  uint64_t value;
};

struct SpecialSlot {
  uint32_t slot;
  uint8_t width;
  SpecialRegister which;
};

struct NamedRange {
  std::string name;
  uint64_t offset, size;
};

struct CodeInfo {
  Location loc;
  SourceLine source;
  std::string_view opcode, spelling;
};

struct Kernel {
  KernelInfo info;
  std::shared_ptr<const ModuleImpl> module; ///< owner of the source text
  std::vector<Inst> code;
  std::vector<CodeInfo> codeInfo;
  std::vector<uint32_t> slots, useDef;
  std::vector<std::vector<int32_t>> branchTables;
  std::vector<ConstantSlot> constants;
  std::vector<SpecialSlot> specials;
  std::map<uint32_t, std::string> slotNames;
  std::vector<std::string> opcodeNames;
  std::vector<NamedRange> sharedVariables, localVariables;
  uint32_t trueSlot = 0, carrySlot = 0;
  uint32_t registerBytes = 0;
  uint32_t sharedStatic = 0;   ///< with red zones between variables
  uint32_t sharedDeclared = 0; ///< without red zones
  uint32_t dynamicAlignment = 16;
  bool hasDynamicShared = false;
  uint32_t localBytes = 0;
  uint32_t parameterBytes = 0;
  uint32_t registers = 0; ///< see KernelResources
  bool usesWgmma = false, orderedAtomics = false;

  uint32_t dynamicBase() const {
    return (sharedStatic + dynamicAlignment - 1) / dynamicAlignment * dynamicAlignment;
  }
};

/// Variant of the executor for an instruction set of the host.
struct Executor {
  const char *name;
  Handler (*select)(const Inst &inst);
};
/// Throws Error(Argument) on a processor without AVX2, FMA and F16C.
const Executor &hostExecutor();

} // namespace ptxsim
#endif
