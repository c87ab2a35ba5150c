// Products of matrices, and losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;
using train::ComparePredicate;

// ---- Products ----

static void convertGemm(Converter &c) {
  SmallVector<NamedAttribute> transposed;
  if (c.integer("transA", 0))
    transposed.push_back(c.flag("transpose_lhs"));
  if (c.integer("transB", 0))
    transposed.push_back(c.flag("transpose_rhs"));
  Value y = c.make<train::MatmulOp>({c.in(0), c.in(1)}, transposed);
  if (double alpha = c.real("alpha", 1); alpha != 1)
    y = c.mul(y, c.real(alpha, y));
  if (double beta = c.real("beta", 1); c.has(2) && beta != 0) {
    Value bias = c.in(2);
    y = c.add(y, beta == 1 ? bias : c.mul(bias, c.real(beta, bias)));
  }
  c.set(0, y);
}

/// Leading dimensions that broadcast are made equal; vectors become matrices of one row or column.
static Value product(Converter &c, Value x, Value y) {
  if (!x || !y)
    return {};
  Dims a(Converter::shapeOf(x)), b(Converter::shapeOf(y));
  if (a.empty() || b.empty())
    return c.fail("expected vectors or matrices");
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  x = c.reshape(x, a);
  y = c.reshape(y, b);
  Value z;
  if (b.size() == 2 && a.size() > 2) {
    z = c.make<train::LinearOp>({x, y});
  } else {
    ArrayRef<int64_t> outerA = ArrayRef(a).drop_back(2), outerB = ArrayRef(b).drop_back(2);
    auto outer = broadcastShape(outerA, outerB);
    if (!outer)
      return c.fail("expected leading dimensions that broadcast");
    if (outerA != outerB && !outerA.empty() && !outerB.empty()) {
      Dims wideA(*outer), wideB(*outer);
      llvm::append_range(wideA, ArrayRef(a).take_back(2));
      llvm::append_range(wideB, ArrayRef(b).take_back(2));
      x = c.broadcastTo(x, wideA);
      y = c.broadcastTo(y, wideB);
    }
    z = c.make<train::MatmulOp>({x, y});
  }
  if (!z || (!isRow && !isColumn))
    return z;
  Dims shape(Converter::shapeOf(z));
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return c.reshape(z, shape);
}

static void convertMatMul(Converter &c) { c.set(0, product(c, c.in(0), c.in(1))); }

// ---- Einsum ----

namespace {
/// An operand with a letter per dimension.
struct Term {
  Value value;
  std::string letters;
};
} // namespace

/// A letter that an operand has twice stands for its diagonal.
static void takeDiagonals(Converter &c, Term &term) {
  for (size_t i = 0; i < term.letters.size() && term.value; ++i) {
    size_t j = term.letters.find(term.letters[i], i + 1);
    if (j == std::string::npos)
      continue;
    ArrayRef<int64_t> shape = Converter::shapeOf(term.value);
    int64_t size = shape[i];
    Dims order, flat;
    for (size_t d = 0; d < shape.size(); ++d)
      if (d != i && d != j) {
        order.push_back(d);
        flat.push_back(shape[d]);
      }
    order.append({int64_t(i), int64_t(j)});
    flat.push_back(size * size);
    Value x = c.reshape(c.transpose(term.value, order), flat);
    Dims diagonal(size);
    for (int64_t k = 0; k < size; ++k)
      diagonal[k] = k * (size + 1);
    term.value = c.take(x, flat.size() - 1, diagonal);
    char letter = term.letters[i];
    term.letters.erase(j, 1);
    term.letters.erase(i, 1);
    term.letters += letter;
    i = size_t(-1);
  }
}

/// Sums over letters that nothing else has.
static void sumOut(Converter &c, Term &term, const std::string &kept) {
  Dims over;
  std::string letters;
  for (auto [i, letter] : llvm::enumerate(term.letters)) {
    if (kept.find(letter) == std::string::npos)
      over.push_back(i);
    else
      letters += letter;
  }
  if (!over.empty())
    term.value = c.reduce("train.reduce_sum", term.value, over, false);
  term.letters = letters;
}

static Value arrange(Converter &c, const Term &term, const std::string &letters) {
  Dims order;
  for (char letter : letters)
    order.push_back(term.letters.find(letter));
  return c.transpose(term.value, order);
}

/// Two operands as one batched product of matrices.
static Term contract(Converter &c, const Term &x, const Term &y, const std::string &kept) {
  std::string batch, inner, rows, columns;
  for (char letter : x.letters) {
    bool isShared = y.letters.find(letter) != std::string::npos;
    bool isKept = kept.find(letter) != std::string::npos;
    (isShared ? (isKept ? batch : inner) : rows) += letter;
  }
  for (char letter : y.letters)
    if (x.letters.find(letter) == std::string::npos)
      columns += letter;
  Value a = arrange(c, x, batch + rows + inner), b = arrange(c, y, batch + inner + columns);
  if (!a || !b)
    return {};
  auto size = [](ArrayRef<int64_t> dims) {
    int64_t product = 1;
    for (int64_t each : dims)
      product *= each;
    return product;
  };
  ArrayRef<int64_t> left = Converter::shapeOf(a), right = Converter::shapeOf(b);
  Dims result(left.take_front(batch.size() + rows.size()));
  llvm::append_range(result, right.take_back(columns.size()));
  int64_t outer = size(left.take_front(batch.size())), k = size(left.take_back(inner.size()));
  int64_t m = size(left.slice(batch.size(), rows.size())),
          n = size(right.take_back(columns.size()));
  Value z = c.make<train::MatmulOp>({c.reshape(a, {outer, m, k}), c.reshape(b, {outer, k, n})});
  return {c.reshape(z, result), batch + rows + columns};
}

/// Letters for the last `count` of the dimensions that `...` stands for: digits, as those of an
/// equation are letters.
static std::string hiddenLetters(int64_t count) {
  std::string letters;
  for (int64_t i = count - 1; i >= 0; --i)
    letters += char('0' + i);
  return letters;
}

/// Every operand with a letter per dimension; false with a fault noted.
static bool readTerms(Converter &c, ArrayRef<StringRef> parts, SmallVectorImpl<Term> &terms,
                      int64_t &hidden) {
  for (auto [i, part] : llvm::enumerate(parts)) {
    Term term = {c.in(i), part.str()};
    if (size_t at = term.letters.find("..."); at != std::string::npos) {
      int64_t count = c.rank(i) - (int64_t(part.size()) - 3);
      if (count < 0 || count > 10)
        return c.fail("expected a letter for every dimension, but got " + part);
      hidden = std::max(hidden, count);
      term.letters.replace(at, 3, hiddenLetters(count));
    }
    if (!term.value || int64_t(term.letters.size()) != c.rank(i))
      return c.fail("expected a letter for every dimension, but got " + part);
    terms.push_back(term);
  }
  return true;
}

/// A dimension of 1 that others have wider broadcasts: it is left out.
static void dropOnes(Converter &c, MutableArrayRef<Term> terms) {
  auto widest = [&](char letter) {
    int64_t size = 1;
    for (const Term &term : terms)
      if (size_t at = term.letters.find(letter); at != std::string::npos)
        size = std::max(size, Converter::shapeOf(term.value)[at]);
    return size;
  };
  for (Term &term : terms)
    for (size_t i = 0; i < term.letters.size();) {
      Dims dims(Converter::shapeOf(term.value));
      if (!llvm::isDigit(term.letters[i]) || dims[i] != 1 || widest(term.letters[i]) == 1) {
        ++i;
        continue;
      }
      dims.erase(dims.begin() + i);
      term.letters.erase(i, 1);
      term.value = c.reshape(term.value, dims);
    }
}

/// Without -> the result has the dimensions of `...`, and letters that occur once in their order.
static std::string lettersOfResult(StringRef right, bool isGiven, ArrayRef<StringRef> parts,
                                   int64_t hidden) {
  std::string out = right.str();
  if (isGiven) {
    if (size_t at = out.find("..."); at != std::string::npos)
      out.replace(at, 3, hiddenLetters(hidden));
    return out;
  }
  std::string all, once;
  for (StringRef part : parts)
    all += part;
  for (char letter : all)
    if (letter != '.' && llvm::count(all, letter) == 1)
      once += letter;
  llvm::sort(once);
  return hiddenLetters(hidden) + once;
}

static void convertEinsum(Converter &c) {
  std::string equation = c.text("equation", "");
  llvm::erase(equation, ' ');
  auto [left, right] = StringRef(equation).split("->");
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != c.inputs() || llvm::any_of(equation, llvm::isDigit)) {
    c.fail("expected an equation of letters for every operand, but got " + equation);
    return;
  }
  SmallVector<Term> terms;
  int64_t hidden = 0;
  if (!readTerms(c, parts, terms, hidden))
    return;
  dropOnes(c, terms);
  std::string out = lettersOfResult(right, StringRef(equation).contains("->"), parts, hidden);
  Term all;
  for (auto [i, term] : llvm::enumerate(terms)) {
    if (!term.value)
      return;
    takeDiagonals(c, term);
    std::string needed = out;
    for (const Term &later : ArrayRef(terms).drop_front(i + 1))
      needed += later.letters;
    sumOut(c, term, needed + all.letters);
    all = i == 0 ? term : contract(c, all, term, needed);
    if (!all.value)
      return;
  }
  sumOut(c, all, out);
  if (all.letters.size() != out.size()) {
    c.fail("expected letters of the operands in the result, but got " + equation);
    return;
  }
  c.set(0, arrange(c, all, out));
}

// ---- Losses ----

static NamedAttribute reduction(Converter &c, train::Reduction kind) {
  return c.b.getNamedAttr("reduction", train::ReductionAttr::get(c.b.getContext(), kind));
}

/// Softmax cross entropy, or of `x` that are logarithms of probabilities -x at the class of every
/// row: per row, or all of them by the attribute `reduction`, with an optional weight per class.
/// Classes are the last dimension.
static Value classLoss(Converter &c, Value x, Value labels, bool areLogs) {
  std::string how = c.text("reduction", "mean");
  auto kind = how == "none"  ? train::Reduction::none
              : how == "sum" ? train::Reduction::sum
                             : train::Reduction::mean;
  SmallVector<NamedAttribute> attributes;
  const onnx::Attribute *ignored = c.node.find("ignore_index");
  if (ignored)
    attributes.push_back(c.b.getNamedAttr("ignore", c.b.getI64IntegerAttr(ignored->integer)));
  bool isWeightedNll = c.has(2) && areLogs;
  attributes.push_back(reduction(c, isWeightedNll ? train::Reduction::none : kind));
  if (!areLogs && c.has(2))
    return c.make<train::WeightedCrossEntropyOp>({x, labels, c.in(2)}, attributes);
  if (!areLogs)
    return c.make<train::SoftmaxCrossEntropyOp>({x, labels}, attributes);
  Value loss = c.make<train::NllOp>({x, labels}, attributes);
  if (!isWeightedNll || !loss)
    return loss;
  // Rows that are ignored have no class whose weight could be looked up.
  Value index = labels, isOut;
  if (ignored) {
    isOut = c.compare(ComparePredicate::eq, labels, c.constant(Literal::scalar(ignored->integer)));
    index = c.select(isOut, c.constant(Literal::scalar(0)), labels);
  }
  Value weight = c.make<train::GatherOp>({c.in(2), index});
  if (isOut && weight)
    weight = c.select(isOut, c.real(0, weight), weight);
  loss = c.mul(loss, weight);
  if (kind == train::Reduction::none || !loss)
    return loss;
  Dims every = llvm::to_vector(llvm::seq<int64_t>(Converter::shapeOf(loss).size()));
  Value sum = c.reduce("train.reduce_sum", loss, every, false);
  if (kind == train::Reduction::sum)
    return sum;
  return c.div(sum, c.reduce("train.reduce_sum", weight, every, false));
}

static void convertSoftmaxLoss(Converter &c) {
  bool isImage = c.rank(0) > 2;
  Value scores = isImage ? c.image(0) : c.in(0);
  c.set(0, classLoss(c, scores, c.in(1), false));
  if (!c.wants(1))
    return;
  Value logs = c.make<train::LogSoftmaxOp>(scores);
  if (isImage)
    c.setImage(1, logs);
  else
    c.set(1, logs);
}

/// Of a log softmax, softmax cross entropy of its operand is the same.
static void convertNegativeLogLikelihood(Converter &c) {
  Value x = c.rank(0) > 2 ? c.image(0) : c.in(0);
  if (!x)
    return;
  auto logs = x.getDefiningOp<train::LogSoftmaxOp>();
  c.set(0, classLoss(c, logs ? logs.getX() : x, c.in(1), !logs));
}

static const Entry entries[] = {
    {"Einsum", convertEinsum},
    {"Gemm", convertGemm, 7},
    {"MatMul", convertMatMul},
    {"NegativeLogLikelihoodLoss", convertNegativeLogLikelihood},
    {"SoftmaxCrossEntropyLoss", convertSoftmaxLoss},
};

ArrayRef<Entry> ampc::onnx::productEntries() { return entries; }
