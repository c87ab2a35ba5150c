// Values of nodes whose inputs are known: shape arithmetic, and what exporters left unfolded.
// A converter reads its attributes once, then either evaluates here or builds ops, so that a node
// of known inputs cannot mean anything else than the same node of unknown ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_EVALUATE_H
#define LIB_IMPORT_ONNX_EVALUATE_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// Whether every input is given by a literal.
bool isKnown(const Converter &c);
/// Sets output 0; false if the literal would have too many elements, or is none.
bool give(Converter &c, std::optional<Literal> literal);

// ---- Element by element ----

using RealFunction = double (*)(double, double);
using WholeFunction = int64_t (*)(int64_t, int64_t);
/// One scalar function for reals and one for integers, which wrap around; of one operand the second
/// argument is the first one again. The result has the type of the first operand.
struct Scalar {
  RealFunction real;
  WholeFunction whole; ///< null: reals alone
};
namespace scalar {
extern const Scalar abs, add, sub, mul, div, mod, fmod, pow, neg, min, max, ceil, floor, exp, log,
    sqrt, reciprocal, logicalAnd, logicalOr, logicalXor, logicalNot;
} // namespace scalar

/// All inputs from the left, broadcast to one another; false if one of them is not known.
bool evaluate(Converter &c, const Scalar &function);
bool evaluateComparison(Converter &c, train::ComparePredicate predicate);
Literal castLiteral(const Literal &x, Type to);
std::optional<Literal> selectLiteral(const Literal &condition, const Literal &x, const Literal &y);

// ---- Moves ----

std::optional<Literal> concatLiterals(llvm::ArrayRef<const Literal *> parts, int64_t axis);
/// `index` is in [0, size of the dimension).
std::optional<Literal> gatherLiteral(const Literal &x, int64_t axis, const Literal &index);
std::optional<Literal> reshapeLiteral(const Literal &x, llvm::ArrayRef<int64_t> dims);
std::optional<Literal> broadcastLiteral(const Literal &x, llvm::ArrayRef<int64_t> dims);
Literal transposeLiteral(const Literal &x, llvm::ArrayRef<int64_t> order);
Literal triangleOf(const Literal &x, int64_t diagonal, bool upper);

// ---- Reductions ----

/// `empty` is the result for lines without elements; nothing if these have none.
std::optional<Literal> reduceLiteral(const Literal &x, llvm::ArrayRef<int64_t> axes, bool keep,
                                     const Scalar &function, std::optional<double> empty);
} // namespace ampc::onnx
#endif
