// Steps with micro-batches: texts with other numbers of micro-batches, and sizes of plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/MicroBatches.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

static constexpr StringRef attribute = "micro_batches = ";

std::string fuzz::withMicroBatches(StringRef text, int64_t count) {
  std::string changed;
  for (StringRef rest = text; !rest.empty();) {
    size_t at = rest.find(attribute);
    changed += rest.take_front(at == StringRef::npos ? at : at + attribute.size());
    rest = at == StringRef::npos ? "" : rest.drop_front(at + attribute.size());
    if (at != StringRef::npos) {
      changed += std::to_string(count);
      rest = rest.drop_while(llvm::isDigit);
    }
  }
  return changed;
}

static bool containsOneOf(StringRef text, ArrayRef<const char *> names) {
  return llvm::any_of(names, [&](StringRef name) { return text.contains(name); });
}

namespace {
/// Extents of the micro-batch in a text, and of the whole batch.
struct Extents {
  int64_t batch, whole;
  /// Appends a line with whole batches. False where the extent is that of something else: of a
  /// tensor that all micro-batches share, or of a second dimension.
  bool append(StringRef line, std::string &result) const;
};
} // namespace

bool Extents::append(StringRef line, std::string &result) const {
  static const char *shared[] = {"train.param", "train.buffer", "train.constant", "train.iota"};
  bool isShared = containsOneOf(line, shared) && !line.contains(RowState::key);
  bool isSignature = line.contains("train.func");
  StringRef tensor = "tensor<";
  for (StringRef rest = line;;) {
    size_t at = rest.find(tensor);
    result += rest.take_front(at == StringRef::npos ? at : at + tensor.size());
    if (at == StringRef::npos)
      break;
    rest = rest.drop_front(at + tensor.size());
    int64_t extent, count = 0;
    for (int dim = 0; !rest.consumeInteger(10, extent); ++dim) {
      count += extent == batch;
      if (count > 1 || (count && (isShared || (isSignature && dim > 0 && extent == batch))))
        return false;
      result += std::to_string(extent == batch ? whole : extent) + "x";
      rest.consume_front("x");
    }
  }
  result += "\n";
  return true;
}

/// Whether the text writes a buffer that goes from micro-batch to micro-batch.
static bool writesSharedBuffer(StringRef text) {
  SmallVector<StringRef> lines, written;
  text.split(lines, '\n');
  for (StringRef line : lines)
    if (StringRef rest = line.ltrim(); rest.consume_front("train.write "))
      written.push_back(rest.split(',').first);
  return llvm::any_of(written, [&](StringRef name) {
    return llvm::none_of(lines, [&](StringRef line) {
      return line.contains(RowState::key) &&
             line.ltrim().starts_with(("train.buffer " + name + " ").str());
    });
  });
}

std::string fuzz::joinMicroBatches(StringRef text) {
  static const char *ofOnePart[] = {"train.batch_norm", "train.dropout", "train.random_"};
  StringRef argument = text.split("train.func @loss0(%arg0: tensor<").second,
            number = text.split(attribute).second;
  int64_t batch = 0, parts = 0;
  // Small extents often meet by chance.
  if (containsOneOf(text, ofOnePart) || writesSharedBuffer(text) ||
      argument.consumeInteger(10, batch) || batch < 11 || number.consumeInteger(10, parts) ||
      parts < 2)
    return "";
  size_t steps = text.count("train.step"),
         alike = text.count(attribute.str() + std::to_string(parts) + " ");
  if (alike != steps)
    return "";
  std::string result;
  Extents extents = {batch, batch * parts};
  for (StringRef line : llvm::split(text, "\n"))
    if (!extents.append(line, result))
      return "";
  return withMicroBatches(result, 1);
}

/// Whether the forward pass computes tensors of a micro-batch from those of a later micro-batch. A
/// divisor over all rows, as in train.normalize along the batch, is known only after all rows:
/// dividends must wait, or be recomputed.
static bool waitsForLaterBatches(kernel::ProgramOp program) {
  DenseMap<Value, int64_t> latest; // micro-batch of the sources of a value
  bool waits = false;
  for (Operation &op : program.getBody().front()) {
    int64_t own = 0, before = 0;
    bool isForward = false;
    for (train::OriginAttr origin : originsOf(&op)) {
      own = std::max(own, origin.getPart());
      isForward |= origin.getStage() == train::Stage::Forward;
    }
    for (Value operand : op.getOperands())
      before = std::max(before, latest.lookup(operand));
    for (Value result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      waits |= isForward && before > own && type && type.getNumElements() > 1;
      latest[result] = std::max(own, before);
    }
  }
  return waits;
}

PlannedBytes fuzz::readPlan(ModuleOp module) {
  PlannedBytes bytes;
  module->walk([&](kernel::ProgramOp program) {
    if (program.is(train::Role::Train) && !waitsForLaterBatches(program))
      bytes.arenas[program.getSymName().str()] = program.getArenaBytes().value_or(0);
  });
  module->walk([&](train::BufferOp buffer) {
    if (isRowState(buffer))
      bytes.rows += llvm::alignTo(kernel::byteSize(buffer.getType()), 64);
    if (buffer.getRole() == train::StateRole::Gradient)
      bytes.gradients += llvm::alignTo(kernel::byteSize(buffer.getType()), 64);
  });
  return bytes;
}
