// Opcodes of decoded instructions: one per handler family; types and modifiers are fields of Inst.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_MACHINE_OPCODES_H
#define PTXSIM_MACHINE_OPCODES_H

#include <cstdint>

namespace ptxsim {

enum class Opcode : uint8_t {
  Nop,
  Trap,
  Printf,
  // control
  Branch,
  BranchTable,
  Exit,
  // data movement
  Move,
  MovePredicate,
  Pack,
  Unpack,
  Clock,
  Select,
  SelectSign,
  Permute,
  CvtaTo,
  CvtaFrom,
  IsSpace,
  MapShared,
  ClusterRank,
  // integer
  Add,
  Sub,
  MulLo,
  MulHi,
  MulWide,
  MadLo,
  MadHi,
  MadWide,
  Mul24,
  Mad24,
  Sad,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  Popc,
  Clz,
  Bfind,
  BfindShift,
  Brev,
  Bfe,
  Bfi,
  Bmsk,
  Szext,
  Dp4a,
  Dp2aLo,
  Dp2aHi,
  Fns,
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Lop3,
  Shl,
  Shr,
  ShfL,
  ShfR,
  AddCarry,
  SubCarry,
  MadCarryLo,
  MadCarryHi,
  // floating point
  Fma,
  Rcp,
  RcpGross, ///< .approx.ftz.f64: the upper 32 bits only
  RsqrtGross,
  Sqrt,
  Rsqrt,
  Ex2,
  Lg2,
  Sin,
  Cos,
  Tanh,
  CopySign,
  TestP,
  DivApprox,
  MinMax3,
  // comparison
  Setp,
  Set,
  PredicateLogic,
  // conversion
  Convert,
  ConvertPack2,
  ConvertFp8,
  ConvertPackInt,
  // memory
  Load,
  Store,
  Atomic,
  Prefetch,
  Fence,
  ProxyFence,
  LoadParam,
  // warp
  Shuffle,
  Vote,
  Ballot,
  Match,
  MatchAll,
  Redux,
  Elect,
  ActiveMask,
  WarpBarrier,
  Barrier,
  BarrierArrive,
  BarrierRed,
  ClusterArrive,
  ClusterWait,
  // matrix
  LoadMatrix,
  StoreMatrix,
  MoveMatrix,
  Mma,
  // asynchronous
  CopyAsync,
  CopyCommit,
  CopyWait,
  CopyMbarrierArrive,
  MbarrierInit,
  MbarrierInval,
  MbarrierArrive,
  MbarrierExpectTx,
  MbarrierTest,
  MbarrierPending,
  TensorCopy,
  TensorPrefetch,
  BulkCopy,
  BulkCommit,
  BulkWait,
  StoreAsync,
  WgmmaFence,
  WgmmaMma,
  WgmmaCommit,
  WgmmaWait
};

enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

/// None means `not` for logic instructions, and no combination for comparisons.
enum class Logic : uint8_t { None, And, Or, Xor };

enum class AtomicOp : uint8_t { Add, Min, Max, Exch, Cas, And, Or, Xor, Inc, Dec };

} // namespace ptxsim
#endif
