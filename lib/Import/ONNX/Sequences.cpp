// Sequences of tensors with known lengths, which loops of PyTorch's exporter collect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Sequence of input `i`; null, with a fault recorded, for other values.
static std::shared_ptr<const Sequence> sequenceOf(Converter &c, unsigned i) {
  ImportedValue known = c.known(i);
  if (!known.sequence)
    c.fail("expected a sequence as input " + Twine(i));
  return known.sequence;
}

/// Appends an element to a sequence, which shares the elements in front.
static std::shared_ptr<const Sequence> append(Converter &c, std::shared_ptr<const Sequence> front,
                                              ImportedValue last) {
  constexpr int64_t longest = 2048; // equal to the limit of loops
  if (!front || front->size == longest) {
    c.fail("expected a sequence of at most " + Twine(longest) + " elements");
    return nullptr;
  }
  int64_t size = front->size + 1;
  return std::make_shared<const Sequence>(Sequence{std::move(front), std::move(last), size});
}

static void give(Converter &c, std::shared_ptr<const Sequence> sequence) {
  ImportedValue known;
  known.sequence = std::move(sequence);
  if (known.sequence)
    c.set(0, std::move(known));
}

static void convertConstruct(Converter &c) {
  auto sequence = std::make_shared<const Sequence>();
  for (unsigned i = 0; i < c.inputs() && sequence; ++i)
    sequence = append(c, std::move(sequence), c.known(i));
  give(c, std::move(sequence));
}

static void convertInsert(Converter &c) {
  auto front = sequenceOf(c, 0);
  if (!front)
    return;
  if (c.has(2)) {
    auto place = c.numbers(2, "a place in a sequence");
    if (!place)
      return;
    if (place->size() != 1 || place->front() != front->size) {
      c.fail("expected the place behind a sequence's last element");
      return;
    }
  }
  give(c, append(c, std::move(front), c.known(1)));
}

static void convertAt(Converter &c) {
  auto sequence = sequenceOf(c, 0);
  auto place = sequence ? c.numbers(1, "a place in a sequence") : std::nullopt;
  if (!place)
    return;
  int64_t at = place->size() == 1 ? place->front() : sequence->size;
  at += at < 0 ? sequence->size : 0;
  if (at < 0 || at >= sequence->size) {
    c.fail("expected a place in a sequence of " + Twine(sequence->size));
    return;
  }
  while (sequence->size > at + 1)
    sequence = sequence->front;
  c.set(0, sequence->last);
}

static void convertLength(Converter &c) {
  if (auto sequence = sequenceOf(c, 0))
    c.set(0, Literal::scalar(sequence->size));
}

static void convertConcat(Converter &c) {
  auto sequence = sequenceOf(c, 0);
  if (!sequence || sequence->size == 0) {
    c.fail("expected a sequence with elements");
    return;
  }
  bool isNew = c.integer("new_axis", 0);
  int64_t axis = c.axis(c.integer("axis", 0), int64_t(sequence->last.dims.size()) + isNew);
  SmallVector<Value> parts;
  for (; axis >= 0 && sequence->size > 0; sequence = sequence->front) {
    ImportedValue last = sequence->last;
    Value part = c.valueOf(last);
    Dims dims(last.dims);
    if (int64_t(dims.size()) + isNew <= axis) {
      c.fail("expected elements of equal rank");
      return;
    }
    if (isNew)
      dims.insert(dims.begin() + axis, 1);
    parts.push_back(c.reshape(part, dims));
  }
  std::reverse(parts.begin(), parts.end());
  if (axis >= 0)
    c.set(0, c.concat(parts, axis));
}

/// Sizes of the parts of a dimension: equal sizes but for the last part, or a size per part.
static std::optional<Dims> sizesOfParts(Converter &c, int64_t whole) {
  if (!c.has(1))
    return Dims(whole, 1);
  auto sizes = c.numbers(1, "sizes of parts");
  if (!sizes || !c.dims(1).empty())
    return sizes;
  int64_t size = sizes->front();
  if (size < 1) {
    c.fail("expected parts of at least 1, but got " + Twine(size));
    return std::nullopt;
  }
  sizes->assign(whole / size, size);
  if (whole % size)
    sizes->push_back(whole % size);
  return sizes;
}

static void convertSplit(Converter &c) {
  int64_t axis = c.axisOf(0, 0);
  auto sizes = axis < 0 ? std::nullopt : sizesOfParts(c, c.dims(0)[axis]);
  if (!sizes)
    return;
  Operation *made = c.op("train.split", c.in(0), {c.attr("sizes", *sizes), c.attr("dim", axis)}, {},
                         sizes->size());
  auto sequence = std::make_shared<const Sequence>();
  for (unsigned i = 0; made && i < made->getNumResults(); ++i) {
    ImportedValue part;
    part.type = c.type(0);
    part.dims = Dims(c.dims(0));
    part.dims[axis] = (*sizes)[i];
    part.plain = made->getResult(i);
    if (!c.has(1) && !c.integer("keepdims", 1)) {
      part.dims.erase(part.dims.begin() + axis);
      part.plain = c.reshape(part.plain, part.dims);
    }
    sequence = append(c, std::move(sequence), std::move(part));
  }
  if (made)
    give(c, std::move(sequence));
}

static const Entry entries[] = {
    {"ConcatFromSequence", convertConcat},
    {"SequenceAt", convertAt},
    {"SequenceConstruct", convertConstruct},
    {"SequenceEmpty", [](Converter &c) { give(c, std::make_shared<const Sequence>()); }},
    {"SequenceInsert", convertInsert},
    {"SequenceLength", convertLength},
    {"SplitToSequence", convertSplit},
};

ArrayRef<Entry> ampc::onnx::sequenceEntries() { return entries; }
