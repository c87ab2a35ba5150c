// Random uses of an op, found by trial with the op's type inference and verifier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Sampler.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace ampc::fuzz;

/// Use of an op, possibly invalid. An operand is an existing value, or the type of a value that is
/// created if the op is valid.
struct Sampler::Draft {
  SmallVector<Value> values;
  SmallVector<RankedTensorType> types;
  SmallVector<std::string> summaries;
  NamedAttrList attributes;
  SmallVector<FlatSymbolRefAttr> buffers;
  SmallVector<Type> results;
  bool isLikeExample = false;               // operands have shapes like the definition's example:
  llvm::DenseMap<int64_t, int64_t> extents; // the example's numbers -> the draft's numbers
  Operation *op = nullptr;                  // inserted, with block arguments for new values
  std::unique_ptr<Block> scratch;
};

Sampler::Sampler(Surroundings &around, Random &random, MLIRContext *context)
    : around(around), random(random), context(context) {}

SmallVector<int64_t> Sampler::randomShape() {
  static const int ranks[] = {0, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5};
  SmallVector<int64_t> shape(random.pick(ranks));
  for (int64_t &extent : shape)
    extent = random.pick(extents);
  limit(shape);
  return shape;
}

/// Dimensions that would make a tensor too large become 1.
void Sampler::limit(MutableArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t &extent : shape) {
    if (count * extent > mostElements)
      extent = 1;
    count *= extent;
  }
}

/// Extents that are equal in the example are mostly equal here.
SmallVector<int64_t> Sampler::shapeLike(ArrayRef<int64_t> example, Draft &draft) {
  SmallVector<int64_t> shape;
  for (int64_t number : example) {
    int64_t &known = draft.extents.try_emplace(number, random.pick(extents)).first->second;
    shape.push_back(random.chance(0.9) ? known : random.pick(extents));
  }
  limit(shape);
  return shape;
}

Type Sampler::randomElement(StringRef summary) {
  Builder b(context);
  struct Element {
    Type type;
    StringRef name;
    int weight;
  };
  const Element all[] = {{b.getF32Type(), "32-bit float", 40},
                         {b.getI32Type(), "32-bit signless integer", 3},
                         {b.getI1Type(), "1-bit signless integer", 1},
                         {b.getI64Type(), "64-bit signless integer", 1},
                         {b.getIntegerType(8), "8-bit signless integer", 1},
                         {b.getBF16Type(), "bfloat16", 1},
                         {b.getF16Type(), "16-bit float", 1}};
  auto allows = [&](const Element &element) {
    return summary.contains("any type") || summary.contains(" " + element.name.str()) ||
           summary.contains("of " + element.name.str());
  };
  int total = 0;
  for (const Element &element : all)
    total += allows(element) ? element.weight : 0;
  if (!total)
    return b.getF32Type();
  int64_t at = random.between(0, total - 1);
  for (const Element &element : all)
    if (allows(element) && (at -= element.weight) < 0)
      return element.type;
  return b.getF32Type();
}

RankedTensorType Sampler::randomType(StringRef summary) {
  return RankedTensorType::get(randomShape(), randomElement(summary));
}

/// Shapes of operands and results are related.
RankedTensorType Sampler::typeLike(ArrayRef<RankedTensorType> known, StringRef summary) {
  Type element = randomElement(summary);
  if (known.empty() || random.chance(0.15))
    return RankedTensorType::get(randomShape(), element);
  RankedTensorType model = random.pick(known);
  if (isa<FloatType>(element))
    element = isa<FloatType>(model.getElementType()) ? model.getElementType() : element;
  SmallVector<int64_t> shape(model.getShape()), all;
  for (RankedTensorType type : known)
    llvm::append_range(all, type.getShape());
  switch (random.between(0, 7)) {
  case 0: // the same
  case 1:
    break;
  case 2: // the last dimensions
    shape.erase(shape.begin(), shape.begin() + random.between(0, shape.size()));
    break;
  case 3: // the first
    shape.resize(random.between(0, shape.size()));
    break;
  case 4: // some are 1
    for (int64_t &extent : shape)
      extent = random.chance(0.5) ? 1 : extent;
    break;
  case 5: // another order
    for (size_t i = 1; i < shape.size(); ++i)
      std::swap(shape[i], shape[random.between(0, i)]);
    break;
  case 6: // one is another
    if (!shape.empty())
      random.pick(shape) = random.chance(0.5) ? random.pick(extents) : random.pick(all);
    break;
  default: // any of them, in any number
    shape.resize(random.between(1, 4));
    for (int64_t &extent : shape)
      extent = all.empty() || random.chance(0.2) ? random.pick(extents) : random.pick(all);
  }
  auto type = RankedTensorType::get(shape, element);
  return type.getNumElements() > mostElements ? RankedTensorType::get({}, element) : type;
}

void Sampler::chooseOperands(const OpDefinition &definition, Draft &draft) {
  SmallVector<int32_t> segments;
  draft.isLikeExample = random.chance(0.3);
  for (const Argument &argument : definition.arguments) {
    if (!argument.isOperand)
      continue;
    StringRef summary = argument.summary;
    // Counters, states and flags have the type's own constraint and are attached by the compiler.
    bool isOwn = !summary.contains("ranked tensor") && !summary.contains("0D tensor");
    int64_t count = argument.isOptional   ? random.between(0, 1)
                    : argument.isVariadic ? random.between(1, 3)
                                          : 1;
    if (isOwn && (argument.isOptional || argument.isVariadic))
      count = 0;
    segments.push_back(int32_t(count));
    for (int64_t i = 0; i < count; ++i) {
      ArrayRef<Value> values = around.values();
      Value value;
      // The first operand continues the graph; later operands are often parameters.
      if (!values.empty() && random.chance(draft.types.empty() ? 0.85 : 0.4)) {
        size_t back = std::min<size_t>(values.size(), random.chance(0.6) ? 3 : values.size());
        value = values[values.size() - random.between(1, back)];
      }
      auto type = value ? cast<RankedTensorType>(value.getType()) : typeLike(draft.types, summary);
      size_t number = draft.types.size();
      if (draft.isLikeExample && number < definition.exampleShapes.size()) {
        ArrayRef<int64_t> example = definition.exampleShapes[number];
        if (value && type.getRank() == int64_t(example.size())) {
          for (auto [theirs, ours] : llvm::zip(example, type.getShape()))
            draft.extents.try_emplace(theirs, ours);
        } else {
          value = {};
          type = type.clone(shapeLike(example, draft));
        }
      }
      draft.values.push_back(value);
      draft.types.push_back(type);
      draft.summaries.push_back(summary.str());
    }
  }
  if (OperationName(definition.name, context).hasTrait<OpTrait::AttrSizedOperandSegments>())
    draft.attributes.set("operandSegmentSizes", Builder(context).getDenseI32ArrayAttr(segments));
}

/// As many numbers as in the example, adapted to the first operand's rank: a number per dimension,
/// or one or two per dimension between the first and the last.
size_t Sampler::lengthLike(StringRef name, const OpDefinition &definition, const Draft &draft) {
  auto isNamed = [&](const OpDefinition::List &list) { return list.word == name; };
  auto named = llvm::find_if(definition.exampleLists, isNamed);
  size_t length =
      (named != definition.exampleLists.end() ? *named : random.pick(definition.exampleLists))
          .length;
  if (draft.types.empty() || definition.exampleShapes.empty())
    return length;
  int64_t theirs = definition.exampleShapes[0].size(), ours = draft.types[0].getRank();
  SmallVector<int64_t> possible;
  for (auto [factor, ends] : {std::pair(1, 0), std::pair(1, 2), std::pair(2, 2)})
    if (int64_t(length) == factor * (theirs - ends) && ours > ends)
      possible.push_back(factor * (ours - ends));
  return possible.empty() ? length : random.pick(possible);
}

/// A list of numbers for strides, permutations, dimensions, sizes, ...
SmallVector<int64_t> Sampler::numbers(StringRef name, const OpDefinition &definition,
                                      Draft &draft) {
  if (!definition.exampleLists.empty() && random.chance(0.5)) {
    SmallVector<int64_t> result(lengthLike(name, definition, draft));
    int64_t most = random.chance(0.5) ? 1 : 3, least = random.chance(0.5) ? 1 : 0;
    for (int64_t &number : result)
      number = random.between(least, most);
    return result;
  }
  int64_t rank = draft.types.empty() ? 2 : draft.types[0].getRank();
  auto shape = draft.types.empty() ? ArrayRef<int64_t>() : draft.types[0].getShape();
  SmallVector<int64_t> result;
  switch (random.between(0, 5)) {
  case 0: // a permutation
    result.assign(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    for (size_t i = 1; i < result.size(); ++i)
      std::swap(result[i], result[random.between(0, i)]);
    break;
  case 1: // some dimensions
    for (int64_t dim = 0; dim < rank; ++dim)
      if (random.chance(0.5))
        result.push_back(dim);
    break;
  case 2: // at most the extents
    for (int64_t extent : shape)
      result.push_back(random.between(1, extent));
    break;
  case 3: // parts of an extent
    if (!shape.empty())
      for (int64_t left = random.pick(shape); left > 0; left -= result.back())
        result.push_back(random.between(1, left));
    break;
  default: {
    static const int64_t counts[] = {0, 2, 2, 4, 4};
    int64_t chosen = random.pick(counts), most = random.between(0, 3);
    result.resize(chosen ? chosen : rank);
    for (int64_t &number : result)
      number = random.between(random.chance(0.3) ? 1 : 0, std::max<int64_t>(1, most));
  }
  }
  return result;
}

/// Letters for the dimensions of operands, shared by some of equal length. Example: "ab,bc->ac".
std::string Sampler::equation(const Draft &draft) {
  SmallVector<std::pair<int64_t, char>> letters;
  std::string text, result, hidden = random.chance(0.25) ? "..." : "";
  for (RankedTensorType type : draft.types) {
    // Leading dimensions may belong to `...`.
    ArrayRef<int64_t> shape = type.getShape();
    std::string part = hidden;
    if (!hidden.empty())
      shape = shape.drop_front(random.between(0, std::min<int64_t>(shape.size(), 2)));
    for (int64_t extent : shape) {
      auto isSame = [&](auto known) { return known.first == extent && random.chance(0.7); };
      auto *known = llvm::find_if(letters, isSame);
      if (known == letters.end()) {
        letters.push_back({extent, char('a' + letters.size())});
        known = &letters.back();
      }
      part += known->second;
    }
    text += (text.empty() ? "" : ",") + part;
  }
  int64_t products = 1;
  for (auto [extent, letter] : letters)
    products = std::min(products * extent, 64 * mostElements);
  if (products == 64 * mostElements)
    return "";
  if (random.chance(0.25))
    return text;
  for (auto [extent, letter] : letters)
    if (random.chance(0.6))
      result.insert(result.begin() + random.between(0, result.size()), letter);
  return text + "->" + hidden + result;
}

Attribute Sampler::attribute(const OpDefinition &definition, const Argument &argument,
                             Draft &draft) {
  Builder b(context);
  StringRef kind = argument.constraint;
  if (!argument.cases.empty())
    return parseAttribute(random.pick(argument.cases), context);
  if (kind == "F64Attr") {
    static const double reals[] = {0.0,  1.0, -1.0, 0.5, 0.1, 1e-5,
                                   1e-3, 2.0, -0.5, 0.9, 3.0, 100.0};
    return b.getF64FloatAttr(random.chance(0.7) ? random.pick(reals) : random.unit());
  }
  static const int64_t integers[] = {0, 0, 1, 1, 2, 3, -1, -100, 5};
  if (kind == "SignedI64Attr" || kind == "IndexValueAttr")
    return b.getI64IntegerAttr(random.pick(integers));
  if (kind == "SignedI32Attr")
    return b.getI32IntegerAttr(random.pick(integers));
  if (kind == "StrAttr")
    return b.getStringAttr(equation(draft));
  if (kind == "UnitAttr")
    return random.chance(0.5) ? b.getUnitAttr() : Attribute();
  if (kind == "DenseI64ArrayAttr")
    return b.getDenseI64ArrayAttr(numbers(argument.name, definition, draft));
  if (kind == "FlatSymbolRefAttr" && !draft.types.empty()) {
    draft.buffers.push_back(around.makeBuffer(random.pick(draft.types)));
    return draft.buffers.back();
  }
  if (kind == "ElementsAttr") {
    RankedTensorType type = randomType("32-bit float or 32-bit signless integer");
    SmallVector<Attribute> elements;
    bool isSplat = type.getNumElements() > 64 || random.chance(0.3);
    for (int64_t i = 0, count = isSplat ? 1 : type.getNumElements(); i < count; ++i)
      if (isa<FloatType>(type.getElementType()))
        elements.push_back(b.getF32FloatAttr(float(std::round(random.normal() * 64) / 64)));
      else
        elements.push_back(b.getI32IntegerAttr(random.between(0, 3)));
    return DenseElementsAttr::get(type, elements);
  }
  return {};
}

void Sampler::chooseAttributes(const OpDefinition &definition, Draft &draft) {
  for (const Argument &argument : definition.arguments) {
    // written by `simplify`
    bool isOwn = argument.name == "batch_rows" || argument.name == "key";
    if (argument.isOperand || (isOwn && argument.isOptional) ||
        (argument.isOptional && random.chance(0.5)))
      continue;
    if (Attribute value = attribute(definition, argument, draft))
      draft.attributes.set(argument.name, value);
  }
}

bool Sampler::chooseResults(const OpDefinition &definition, Draft &draft) {
  draft.results.clear();
  if (auto value = dyn_cast_or_null<ElementsAttr>(draft.attributes.get("value"))) {
    draft.results.push_back(value.getShapedType());
    return true;
  }
  size_t count = definition.resultSummaries.size();
  if (definition.hasOptionalResult)
    --count;
  for (size_t i = 0; i < count; ++i)
    draft.results.push_back(typeLike(draft.types, definition.resultSummaries[i]));
  return true;
}

/// Builds the op with block arguments in place of new values, and runs inference and verifier.
/// Error messages guide the next attempt.
bool Sampler::isValid(const OpDefinition &definition, Draft &draft, OpBuilder &builder) {
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
    return success();
  });
  for (int attempt = 0; attempt < 4; ++attempt) {
    Location loc = builder.getUnknownLoc();
    draft.scratch = std::make_unique<Block>();
    OperationState state(loc, definition.name);
    for (auto [value, type] : llvm::zip(draft.values, draft.types))
      state.addOperands(value ? value : Value(draft.scratch->addArgument(type, loc)));
    state.addAttributes(draft.attributes);
    auto *infer = state.name.getInterface<InferTypeOpInterface>();
    message.clear();
    bool isInferred = false;
    Operation *op = nullptr;
    if (infer) {
      SmallVector<Type> types;
      // Properties are set from attributes, from which inference reads.
      OperationState typed(loc, definition.name);
      typed.addOperands(state.operands);
      typed.addAttributes(draft.attributes);
      OpaqueProperties properties(nullptr);
      Operation *probe = Operation::create(typed);
      isInferred = succeeded(probe->getName().verifyInherentAttrs(
                       draft.attributes, [&] { return mlir::emitError(loc); })) &&
                   succeeded(infer->inferReturnTypes(
                       context, loc, probe->getOperands(), probe->getDiscardableAttrDictionary(),
                       probe->getPropertiesStorage(), probe->getRegions(), types));
      probe->destroy();
      draft.results = types;
    }
    bool isLarge = llvm::any_of(draft.results, [&](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return !tensor || tensor.getNumElements() > mostElements;
    });
    if (isLarge)
      return false;
    if (!infer || isInferred) {
      state.addTypes(draft.results);
      op = builder.create(state);
      bool isRight = succeeded(verify(op));
      if (auto user = dyn_cast<SymbolUserOpInterface>(op); user && isRight) {
        SymbolTableCollection symbols;
        isRight = succeeded(user.verifySymbolUses(symbols));
      }
      if (auto facts = dyn_cast<PrecisionOpInterface>(op); facts && isRight)
        isRight = facts.getFlops() <= mostFlops;
      if (isRight) {
        draft.op = op;
        return true;
      }
      op->erase();
    }
    if (!learn(draft, message))
      return false;
  }
  return false;
}

/// Parses "expected ... TYPE, but got ... TYPE", and sets the second type to the first, if free.
bool Sampler::learn(Draft &draft, StringRef message) {
  auto [expected, got] = message.split("but got");
  size_t at = expected.find("tensor<"), shapeAt = expected.find("of shape [");
  if (shapeAt != StringRef::npos && !draft.results.empty()) {
    SmallVector<int64_t> shape;
    StringRef list = expected.drop_front(shapeAt + 10).split(']').first;
    for (StringRef part : llvm::split(list, ", ")) {
      int64_t extent;
      if (part.getAsInteger(10, extent) || extent < 1)
        return false;
      shape.push_back(extent);
    }
    Type element = cast<RankedTensorType>(draft.results[0]).getElementType();
    auto type = RankedTensorType::get(shape, element);
    bool isNew = type != draft.results[0];
    draft.results[0] = type;
    return isNew;
  }
  if (at == StringRef::npos)
    return false;
  StringRef text = expected.drop_front(at);
  auto wanted =
      dyn_cast_or_null<RankedTensorType>(parseType(text.take_front(text.find('>') + 1), context));
  if (!wanted || wanted.getNumElements() > mostElements)
    return false;
  at = got.find("tensor<");
  Type wrong;
  if (at != StringRef::npos) {
    text = got.drop_front(at);
    wrong = parseType(text.take_front(text.find('>') + 1), context);
  }
  bool changed = false;
  for (auto [value, type] : llvm::zip(draft.values, draft.types))
    if (!value && type == wrong && type != wanted && !changed)
      type = wanted, changed = true;
  for (Type &type : draft.results)
    if (type == wrong && type != wanted && !changed)
      type = wanted, changed = true;
  for (FlatSymbolRefAttr &buffer : draft.buffers)
    if (!changed || message.contains(buffer.getValue())) {
      // A buffer's type is fixed at creation, so a new buffer replaces the old.
      FlatSymbolRefAttr old = buffer;
      buffer = around.makeBuffer(wanted);
      for (NamedAttribute attribute : llvm::to_vector(draft.attributes))
        if (attribute.getValue() == old)
          draft.attributes.set(attribute.getName(), buffer);
      around.dropBuffer(old);
      changed = true;
    }
  return changed;
}

Operation *Sampler::finish(Draft &draft, OpBuilder &builder) {
  Operation *op = draft.op;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands())
    if (!draft.values[operand.getOperandNumber()]) {
      Value leaf = around.makeLeaf(draft.types[operand.getOperandNumber()]);
      if (!leaf) {
        op->erase();
        return nullptr;
      }
      operand.set(leaf);
    }
  return op;
}

Operation *Sampler::sample(const OpDefinition &definition, OpBuilder &builder) {
  for (int attempt = 0; attempt < 2000; ++attempt) {
    Draft draft;
    chooseOperands(definition, draft);
    chooseAttributes(definition, draft);
    if (chooseResults(definition, draft) && isValid(definition, draft, builder))
      return finish(draft, builder);
    for (FlatSymbolRefAttr buffer : draft.buffers)
      around.dropBuffer(buffer);
  }
  return nullptr;
}

/// Prints the attribute in the definition's form and parses the text, which runs the verifier.
/// One or two step numbers of a schedule: [2, 5].
static std::string risingNumbers(Random &random) {
  int64_t first = random.between(1, 3);
  std::string text = "[" + std::to_string(first);
  if (random.chance(0.5))
    text += ", " + std::to_string(first + random.between(1, 3));
  return text + "]";
}

/// Two or three schedules of a sequence.
static std::string listOfSchedules(Random &random) {
  static const char *schedules[] = {"#train.linear_warmup<warmup = 3>", "#train.constant_schedule",
                                    "#train.step_decay<every = 1, gamma = 0.5>",
                                    "#train.cosine<steps = 3, floor = 0.1>",
                                    "#train.inverse_sqrt<warmup = 2>"};
  std::string text;
  for (int64_t count = random.between(2, 3); count > 0; --count)
    text += (text.empty() ? "" : ", ") + std::string(random.pick(schedules));
  return "[" + text + "]";
}

Attribute Sampler::parameters(const AttrDefinition &definition) {
  ScopedDiagnosticHandler silent(context, [](Diagnostic &) { return success(); });
  static const char *reals[] = {"0.0", "0.001", "0.01", "0.1", "0.5", "0.9", "1.0", "1.0e-8"};
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string text;
    for (const Parameter &parameter : definition.parameters) {
      if (parameter.hasDefault && random.chance(0.5))
        continue;
      std::string value;
      if (parameter.cppType == "::llvm::APFloat")
        value = random.chance(0.7) ? random.pick(reals) : std::to_string(random.unit());
      else if (parameter.cppType == "bool")
        value = random.chance(0.5) ? "true" : "false";
      else if (parameter.cppType == "int64_t")
        value = std::to_string(random.between(0, 6));
      else if (parameter.cppType == "::llvm::ArrayRef<int64_t>")
        value = risingNumbers(random);
      else if (parameter.cppType == "::mlir::ArrayAttr")
        value = listOfSchedules(random);
      else if (parameter.cppType == "::mlir::Type")
        value = random.chance(0.7) ? "bf16" : "f32";
      bool isNamed = StringRef(definition.format).contains("struct(params)");
      text += (text.empty() ? "" : ", ") + (isNamed ? parameter.name + " = " : "") + value;
    }
    std::string full = "#" + definition.name;
    bool mayBeBare =
        definition.name == "amp.scaling" || StringRef(definition.format).starts_with("(");
    if (!definition.parameters.empty() && (!text.empty() || !mayBeBare))
      full += "<" + text + ">";
    if (Attribute parsed = parseAttribute(full, context))
      return parsed;
  }
  return {};
}
