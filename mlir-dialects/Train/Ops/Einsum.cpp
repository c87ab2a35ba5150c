// Sums of products by letters: types and parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Einsum.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include <numeric>

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

/// Elements of a matrix are numbered in 32 bits.
static constexpr int64_t longestDiagonal = 46340;

// ---- The equation ----

namespace {
/// Letters of the dimensions of every operand and of the result; digits are the dimensions of
/// `...`. Example: "bi,io->bo".
struct Equation {
  SmallVector<std::string> operands;
  std::string result;
};
} // namespace

/// Digits of the last `count` dimensions of `...`.
static std::string hiddenLetters(int64_t count) {
  std::string letters;
  for (int64_t i = count - 1; i >= 0; --i)
    letters += char('0' + i);
  return letters;
}

/// Without -> the result has the dimensions of `...`, and letters that occur once in their order.
static std::string lettersOfResult(StringRef right, bool isGiven, ArrayRef<std::string> operands,
                                   int64_t hidden) {
  if (isGiven) {
    std::string out = right.str();
    if (size_t at = out.find("..."); at != std::string::npos)
      out.replace(at, 3, hiddenLetters(hidden));
    return out;
  }
  std::string all, once;
  for (StringRef letters : operands)
    all += letters;
  for (char letter : all)
    if (llvm::isAlpha(letter) && llvm::count(all, letter) == 1)
      once += letter;
  llvm::sort(once);
  return hiddenLetters(hidden) + once;
}

static LogicalResult parseEquation(std::optional<Location> loc, StringRef text, TypeRange types,
                                   Equation &equation) {
  std::string compact = text.str();
  llvm::erase(compact, ' ');
  auto [left, right] = StringRef(compact).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != types.size() || llvm::any_of(compact, llvm::isDigit))
    return emitOptionalError(loc, "expected an equation with letters for every operand, but got ",
                             text);
  int64_t hidden = 0;
  for (auto [part, type] : llvm::zip(parts, types)) {
    std::string letters = part.str();
    int64_t rank = tensorOf(type).getRank();
    if (size_t at = letters.find("..."); at != std::string::npos) {
      int64_t count = rank - (int64_t(part.size()) - 3);
      if (count < 0 || count > 10)
        return emitOptionalError(loc, "expected a letter for every dimension of ", type,
                                 ", but got ", part);
      hidden = std::max(hidden, count);
      letters.replace(at, 3, hiddenLetters(count));
    }
    if (int64_t(letters.size()) != rank || !llvm::all_of(letters, llvm::isAlnum))
      return emitOptionalError(loc, "expected a letter for every dimension of ", type, ", but got ",
                               part);
    equation.operands.push_back(letters);
  }
  equation.result =
      lettersOfResult(right, StringRef(compact).contains("->"), equation.operands, hidden);
  return success();
}

/// Sizes of the letters. Size 1 is broadcast only within `...`: another operand's larger size wins.
static LogicalResult sizesOf(std::optional<Location> loc, const Equation &equation, TypeRange types,
                             llvm::DenseMap<char, int64_t> &sizes) {
  for (const auto &[letters, type] : llvm::zip(equation.operands, types))
    for (auto [letter, size] : llvm::zip(letters, tensorOf(type).getShape())) {
      int64_t &known = sizes.try_emplace(letter, size).first->second;
      if (llvm::isDigit(letter) && known == 1)
        known = size;
      if (known != size && !(llvm::isDigit(letter) && size == 1))
        return emitOptionalError(loc, "expected one size for every letter, but got ", known,
                                 " and ", size,
                                 llvm::isDigit(letter) ? std::string(" for a dimension of ...")
                                                       : std::string(" for ") + letter);
      if (size > longestDiagonal && StringRef(letters).count(letter) > 1)
        return emitOptionalError(loc, "expected a diagonal of at most ", longestDiagonal,
                                 " elements, but got ", size);
    }
  return success();
}

LogicalResult EinsumOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                         SmallVectorImpl<Type> &types) {
  TypeRange operands = a.getOperands().getTypes();
  Equation equation;
  llvm::DenseMap<char, int64_t> sizes;
  if (operands.empty())
    return emitOptionalError(loc, "expected an operand");
  Type element = getElementTypeOrSelf(operands.front());
  if (llvm::any_of(operands, [&](Type type) { return getElementTypeOrSelf(type) != element; }))
    return emitOptionalError(loc, "expected operands of one element type");
  if (failed(parseEquation(loc, a.getEquation(), operands, equation)) ||
      failed(sizesOf(loc, equation, operands, sizes)))
    return failure();
  SmallVector<int64_t> shape;
  for (char letter : equation.result) {
    if (!sizes.contains(letter) || llvm::count(equation.result, letter) != 1)
      return emitOptionalError(loc,
                               "expected letters of the operands in the result, each once, "
                               "but got ",
                               a.getEquation());
    shape.push_back(sizes[letter]);
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

// ---- Parts ----

namespace {
/// An operand with a letter per dimension.
struct Term {
  Value value;
  std::string letters;

  ArrayRef<int64_t> shape() const { return tensorOf(value).getShape(); }
  bool has(char letter) const { return letters.find(letter) != std::string::npos; }
};
} // namespace

static Equation equationOf(EinsumOp op) {
  Equation equation;
  (void)parseEquation(std::nullopt, op.getEquation(), op.getOperands().getTypes(), equation);
  return equation;
}

/// Fans of an operand. Letters absent from the result are summed; letters shared by the result and
/// another operand index separate matrices: experts, heads, a batch. Without a sum, the operand is
/// a factor such as a gain. "bi,eio->beo", second operand: fan_in i, fan_out o.
std::optional<Fans> EinsumOp::getFans(unsigned operand) {
  Equation equation = equationOf(*this);
  llvm::DenseMap<char, int64_t> sizes;
  (void)sizesOf(std::nullopt, equation, getOperands().getTypes(), sizes);
  std::string others, letters = equation.operands[operand];
  for (auto [i, each] : llvm::enumerate(equation.operands))
    if (i != operand)
      others += each;
  llvm::sort(letters);
  letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
  Fans fans = {1, 1};
  bool sums = false;
  for (char letter : letters) {
    if (!StringRef(equation.result).contains(letter)) {
      fans.in *= sizes[letter];
      sums = true;
    } else if (!StringRef(others).contains(letter)) {
      fans.out *= sizes[letter];
    }
  }
  return sums ? std::optional(fans) : std::nullopt;
}

static Value arrange(GradBuilder &b, const Term &term, const std::string &letters) {
  auto order =
      llvm::map_to_vector(letters, [&](char letter) { return int64_t(term.letters.find(letter)); });
  return b.transpose(term.value, order);
}

/// Replaces a repeated letter of an operand by the diagonal: "ii" -> "i".
static void takeDiagonals(GradBuilder &b, Term &term) {
  for (size_t i = 0; i < term.letters.size(); ++i) {
    char letter = term.letters[i];
    size_t j = term.letters.find(letter, i + 1);
    if (j == std::string::npos)
      continue;
    int64_t size = term.shape()[i];
    auto order = llvm::to_vector(
        llvm::make_filter_range(llvm::seq<int64_t>(term.letters.size()), [&](int64_t dim) {
          return dim != int64_t(i) && dim != int64_t(j);
        }));
    auto flat = llvm::map_to_vector(order, [&](int64_t dim) { return term.shape()[dim]; });
    order.append({int64_t(i), int64_t(j)});
    flat.push_back(size * size);
    Value x = b.reshape(b.transpose(term.value, order), tensorOf(term.value).clone(flat));
    SmallVector<int32_t> diagonal;
    for (int64_t k = 0; k < size; ++k)
      diagonal.push_back(k * (size + 1));
    term.value = takeAlong(b, x, flat.size() - 1, diagonal);
    term.letters.erase(j, 1);
    term.letters.erase(i, 1);
    term.letters += letter;
    i = size_t(-1);
  }
}

/// Sums over letters that nothing else has.
static void sumOut(GradBuilder &b, Term &term, const std::string &kept) {
  SmallVector<int64_t> over;
  std::string letters;
  for (auto [i, letter] : llvm::enumerate(term.letters)) {
    if (kept.find(letter) == std::string::npos)
      over.push_back(i);
    else
      letters += letter;
  }
  if (!over.empty())
    term.value = b.reduceSum(term.value, over);
  term.letters = letters;
}

/// Drops a dimension of size 1 that broadcasts against a larger size.
static void dropOnes(GradBuilder &b, Term &term, const llvm::DenseMap<char, int64_t> &sizes) {
  SmallVector<int64_t> shape;
  std::string letters;
  for (auto [letter, size] : llvm::zip(term.letters, term.shape()))
    if (size == sizes.lookup(letter)) {
      shape.push_back(size);
      letters += letter;
    }
  term.value = b.reshape(term.value, tensorOf(term.value).clone(shape));
  term.letters = letters;
}

/// Products of elements, and their sums over letters that nothing else has.
static Term multiply(GradBuilder &b, const Term &x, const Term &y, const std::string &letters,
                     const std::string &kept) {
  auto spread = [&](const Term &term) {
    std::string own;
    SmallVector<int64_t> shape;
    for (char letter : letters)
      if (term.has(letter))
        own += letter;
    Value value = arrange(b, term, own);
    for (char letter : letters)
      shape.push_back(term.has(letter) ? term.shape()[term.letters.find(letter)] : 1);
    return b.reshape(value, tensorOf(value).clone(shape));
  };
  Term product = {b.mul(spread(x), spread(y)), letters};
  sumOut(b, product, kept);
  return product;
}

/// Contracts two operands by a batched matrix product, or by an elementwise product if the matrices
/// were scalars or no letter is summed.
static Term contract(GradBuilder &b, const Term &x, const Term &y, const std::string &kept) {
  std::string batch, inner, rows, columns;
  for (char letter : x.letters)
    (!y.has(letter) ? rows : kept.find(letter) == std::string::npos ? inner : batch) += letter;
  for (char letter : y.letters)
    if (!x.has(letter))
      columns += letter;
  if (inner.empty() || rows.size() + columns.size() == 0)
    return multiply(b, x, y, batch + rows + columns + inner, kept);
  auto product = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
  };
  Value left = arrange(b, x, batch + rows + inner), right = arrange(b, y, batch + columns + inner);
  auto type = tensorOf(left);
  ArrayRef<int64_t> a = type.getShape(), c = tensorOf(right).getShape();
  SmallVector<int64_t> result(a.drop_back(inner.size()));
  llvm::append_range(result, c.slice(batch.size(), columns.size()));
  int64_t outer = product(a.take_front(batch.size())), k = product(a.take_back(inner.size())),
          m = product(a.slice(batch.size(), rows.size())),
          n = product(c.slice(batch.size(), columns.size()));
  Type element = type.getElementType();
  SmallVector<int64_t> shape(outer == 1 ? 0 : 1, outer);
  auto matrices = [&](Value v, int64_t count) {
    SmallVector<int64_t> dims(shape);
    dims.append({count, k});
    return b.reshape(v, type.clone(dims));
  };
  Value z = b.matmul(matrices(left, m), matrices(right, n), false, true, accumulatorOf(element));
  return {b.reshape(b.castTo(z, element), type.clone(result)), batch + rows + columns};
}

bool EinsumOp::keepsLeadingDimension(IsBatched isBatched) {
  return getBatchDimension([&](Value v) { return isBatched(v) ? 0 : -1; }) == 0;
}

// The letter of the rows stands once in each operand with rows, and in no other operand:
// "bi,eio->ebo" has rows b in dimension 1.
int64_t EinsumOp::getBatchDimension(BatchDimension dimensionOf) {
  Equation equation = equationOf(*this);
  std::optional<char> rows;
  for (auto [letters, operand] : llvm::zip(equation.operands, getOperands())) {
    int64_t dim = dimensionOf(operand);
    if (dim >= int64_t(letters.size()) || (dim >= 0 && rows && letters[dim] != *rows))
      return -1;
    if (dim >= 0)
      rows = letters[dim];
  }
  if (!rows)
    return -1;
  for (auto [letters, operand] : llvm::zip(equation.operands, getOperands()))
    if (llvm::count(letters, *rows) != (dimensionOf(operand) >= 0))
      return -1;
  size_t place = equation.result.find(*rows);
  return place == std::string::npos ? -1 : int64_t(place);
}

bool EinsumOp::keepsBlocks() { return true; }

SmallVector<Value> EinsumOp::decompose(GradBuilder &b) {
  Equation equation = equationOf(*this);
  llvm::DenseMap<char, int64_t> sizes;
  (void)sizesOf(std::nullopt, equation, getOperands().getTypes(), sizes);
  Term all;
  for (auto [i, operand] : llvm::enumerate(getOperands())) {
    Term term = {operand, equation.operands[i]};
    dropOnes(b, term, sizes);
    takeDiagonals(b, term);
    std::string needed = equation.result;
    for (const std::string &later : ArrayRef(equation.operands).drop_front(i + 1))
      needed += later;
    sumOut(b, term, needed + all.letters);
    all = i == 0 ? term : contract(b, all, term, needed);
  }
  sumOut(b, all, equation.result);
  return {arrange(b, all, equation.result)};
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/EinsumOps.cpp.inc"

void ampc::registerEinsumOps(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, TrainDialect *dialect) { addRecordedOperations<EinsumOp>(*dialect); });
}
