// Table from mnemonics to decode functions, for instructions outside the table of plain forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"

namespace ptxsim {

const std::unordered_map<std::string_view, Decoder::DecodeFunction> &Decoder::decodeTable() {
  using D = Decoder;
  static const std::unordered_map<std::string_view, DecodeFunction> table = {
      {"mov", &D::decodeMove},
      {"cvta", &D::decodeCvta},
      {"isspacep", &D::decodeIsspace},
      {"mapa", &D::decodeMapa},
      {"getctarank", &D::decodeGetClusterRank},
      {"selp", &D::decodeSelect},
      {"slct", &D::decodeSelect},
      {"and", &D::decodePredicateLogic},
      {"or", &D::decodePredicateLogic},
      {"xor", &D::decodePredicateLogic},
      {"not", &D::decodePredicateLogic},
      {"dp4a", &D::decodeDotProduct},
      {"dp2a", &D::decodeDotProduct},
      {"setp", &D::decodeSetp},
      {"set", &D::decodeSet},
      {"cvt", &D::decodeConvert},
      {"ld", &D::decodeLoad},
      {"ldu", &D::decodeLoad},
      {"st", &D::decodeStore},
      {"atom", &D::decodeAtomic},
      {"red", &D::decodeAtomic},
      {"prefetch", &D::decodePrefetch},
      {"prefetchu", &D::decodePrefetch},
      {"applypriority", &D::decodePrefetch},
      {"createpolicy", &D::decodeCreatePolicy},
      {"discard", &D::decodeDiscard},
      {"fence", &D::decodeFence},
      {"membar", &D::decodeFence},
      {"bra", &D::decodeBranch},
      {"brx", &D::decodeBranchTable},
      {"ret", &D::decodeExit},
      {"exit", &D::decodeExit},
      {"trap", &D::decodeTrap},
      {"brkpt", &D::decodeNop},
      {"nanosleep", &D::decodeNop},
      {"griddepcontrol", &D::decodeNop},
      {"setmaxnreg", &D::decodeNop},
      {"pmevent", &D::decodeNop},
      {"bar", &D::decodeBarrier},
      {"barrier", &D::decodeBarrier},
      {"shfl", &D::decodeShuffle},
      {"vote", &D::decodeVote},
      {"match", &D::decodeMatch},
      {"redux", &D::decodeRedux},
      {"elect", &D::decodeElect},
      {"activemask", &D::decodeActiveMask},
      {"ldmatrix", &D::decodeMatrixMemory},
      {"stmatrix", &D::decodeMatrixMemory},
      {"movmatrix", &D::decodeMoveMatrix},
      {"mma", &D::decodeMma},
      {"cp", &D::decodeCp},
      {"mbarrier", &D::decodeMbarrier},
      {"wgmma", &D::decodeWgmma}};
  return table;
}

} // namespace ptxsim
