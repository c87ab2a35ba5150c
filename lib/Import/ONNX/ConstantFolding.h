// Constant folding of nodes with known inputs: shape arithmetic, and constants that exporters left
// unfolded. A converter reads the attributes once, then either folds here or builds ops, so that a
// node has the same meaning with known and unknown inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_CONSTANTFOLDING_H
#define LIB_IMPORT_ONNX_CONSTANTFOLDING_H

#include "lib/Import/ONNX/Converter.h"

namespace ampc::onnx {
/// Whether every input has a literal.
bool isKnown(const Converter &c);
/// Sets output 0; false if the literal is absent or would have too many elements.
bool give(Converter &c, std::optional<Literal> literal);

// ---- Element by element ----

using RealFunction = double (*)(double, double);
using WholeFunction = int64_t (*)(int64_t, int64_t);
/// A scalar function on reals and on integers, which wrap around; unary functions ignore the second
/// argument. The result has the type of the first operand.
struct Scalar {
  RealFunction real;
  WholeFunction whole; ///< null: reals only
};
namespace scalar {
extern const Scalar abs, add, sub, mul, div, mod, fmod, pow, neg, min, max, ceil, floor, exp, log,
    sqrt, reciprocal, logicalAnd, logicalOr, logicalXor, logicalNot;
} // namespace scalar

/// Folds all inputs from the left with broadcasting; false if an input is unknown.
bool evaluate(Converter &c, const Scalar &function);
bool evaluateComparison(Converter &c, train::ComparePredicate predicate);
Literal castLiteral(const Literal &x, Type to);
std::optional<Literal> selectLiteral(const Literal &condition, const Literal &x, const Literal &y);

// ---- Moves ----

std::optional<Literal> concatLiterals(llvm::ArrayRef<const Literal *> parts, int64_t axis);
/// Gathers along `axis`; `index` is in [0, size of the dimension).
std::optional<Literal> gatherLiteral(const Literal &x, int64_t axis, const Literal &index);
std::optional<Literal> reshapeLiteral(const Literal &x, llvm::ArrayRef<int64_t> dims);
std::optional<Literal> broadcastLiteral(const Literal &x, llvm::ArrayRef<int64_t> dims);
Literal transposeLiteral(const Literal &x, llvm::ArrayRef<int64_t> order);
Literal triangleOf(const Literal &x, int64_t diagonal, bool upper);

// ---- Reductions ----

/// Reduces a literal. `empty` is the result for empty rows; nothing if such rows have no result.
std::optional<Literal> reduceLiteral(const Literal &x, llvm::ArrayRef<int64_t> axes, bool keep,
                                     const Scalar &function, std::optional<double> empty);
} // namespace ampc::onnx
#endif
