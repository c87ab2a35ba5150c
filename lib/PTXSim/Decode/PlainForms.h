// Table of the instructions whose operand types all follow from a single type: arithmetic, logic,
// bit fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_DECODE_PLAINFORMS_H
#define PTXSIM_DECODE_PLAINFORMS_H

#include "lib/PTXSim/Machine/Opcodes.h"
#include "lib/PTXSim/Types.h"
#include <string>
#include <vector>

namespace ptxsim {

/// A set of types, one bit each.
using TypeSet = uint32_t;
template <class... T> constexpr TypeSet setOf(T... type) { return ((1u << unsigned(type)) | ...); }

/// Modifiers that a form may carry besides the words of the form's name.
namespace Optional {
enum : uint16_t {
  Nearest = 1,  ///< .rn
  Directed = 2, ///< .rz, .rm, .rp
  Ftz = 4,
  Sat = 8,
  NaN = 16,
  Relu = 32,
  XorsignAbs = 64 ///< .xorsign.abs
};
}

/// `mnemonic[.words][.modifiers].type destination, sources...`
struct PlainForm {
  std::string_view name; ///< mnemonic and words of the form, e.g. "mul.wide"
  Opcode opcode;
  /// Letter per operand, destination first: t the type; w twice as wide; p predicate; u .u32; s
  /// .s32; i integer literal. Example: "wtt" for mul.wide.
  std::string_view operands;
  TypeSet types;
  uint16_t optional; ///< set of Optional
  uint16_t aux;      ///< becomes Inst::aux, with a meaning per opcode

  std::string_view mnemonic() const { return name.substr(0, name.find('.')); }
};

const std::vector<PlainForm> &plainForms();
/// Words of a form's name behind the mnemonic. Example: "mad24.hi.sat" -> {"hi", "sat"}.
std::vector<std::string_view> selectingWords(const PlainForm &form);
/// All decodable mnemonics, plain or not, sorted.
std::vector<std::string> decodableMnemonics();

} // namespace ptxsim
#endif
