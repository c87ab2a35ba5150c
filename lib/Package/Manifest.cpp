// NAME.json: facts on a compiled model, for build systems and people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/Mirrors.h"
#include "lib/Package/ModelInfo.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace ampc;

static json::Array describeRuns(ArrayRef<int64_t> numbers) {
  json::Array runs;
  for (; !numbers.empty(); numbers = numbers.drop_front(4))
    runs.push_back(json::Object{{"count", numbers[0]},
                                {"label_limit", numbers[1]},
                                {"label_ignore", numbers[2]},
                                {"label_least", numbers[3]}});
  return runs;
}

static json::Object describe(const TensorInfo &tensor) {
  json::Object object{{"name", tensor.name},
                      {"dtype", dtypeName(tensor.dtype)},
                      {"shape", json::Array(tensor.dims)},
                      {"bytes", tensor.bytes}};
  if (tensor.labelLimit)
    object["label_limit"] = tensor.labelLimit;
  if (tensor.labelLeast)
    object["label_least"] = tensor.labelLeast;
  if (!tensor.labelRuns.empty())
    object["label_runs"] = describeRuns(tensor.labelRuns);
  return object;
}

static json::Array describe(ArrayRef<TensorInfo> tensors) {
  json::Array array;
  for (const TensorInfo &tensor : tensors)
    array.push_back(describe(tensor));
  return array;
}

static json::Object describe(const ProgramInfo &program) {
  const char *const kinds[] = {"train", "grad", "apply", "eval", "export", "derive", "part"};
  static_assert(std::size(kinds) == AMPC_PROGRAM_PART + 1, "a kind is missing");
  json::Object object{{"name", program.name},
                      {"kind", kinds[program.kind]},
                      {"inputs", describe(ArrayRef(program.inputs))},
                      {"outputs", describe(ArrayRef(program.outputs))},
                      {"batch", program.batch},
                      {"short_batch", program.shortBatch},
                      {"launches", int64_t(program.entries.size())},
                      {"arena_bytes", program.arenaBytes},
                      {"saved_bytes", program.savedBytes}};
  if (program.numberCount) {
    json::Array numbers;
    for (const TensorInfo &number : numbersOf(program))
      numbers.push_back(number.name);
    object["numbers"] = std::move(numbers);
  }
  return object;
}

/// Functions of libm: the only externals that need another library.
static bool isMath(StringRef symbol) {
  static const char *const names[] = {
#define AMPC_EXTERNAL_MATH(name) #name,
#include "ampc/Package/Externals.def"
  };
  return is_contained(names, symbol);
}

std::string ampc::writeManifest(ArrayRef<ModelInfo> targets, ArrayRef<std::string> externals,
                                const MemoryTable &memory) {
  const ModelInfo &model = targets.front();
  json::Array slots, programs, tiers, symbols, libraries{"pthread"};
  for (const SlotInfo &slot : model.slots) {
    json::Object object = describe(slot.tensor);
    object["role"] = roleName(slot.role);
    object["offset"] = slot.offset;
    if (!slot.range.empty())
      object["range"] = json::Array(slot.range);
    if (slot.source >= 0)
      object["first_value_of"] = model.slots[slot.source].tensor.name;
    slots.push_back(std::move(object));
  }
  for (const ProgramInfo &program : model.programs)
    programs.push_back(describe(program));
  json::Array names;
  for (const ModelInfo &target : targets) {
    names.push_back(target.target->getName());
    for (const TargetTier &tier : target.target->getTiers())
      if (target.tiers >> tier.isa & 1)
        tiers.push_back(tier.name);
  }
  for (const std::string &symbol : externals)
    symbols.push_back(symbol);
  if (any_of(externals, [](const std::string &symbol) { return isMath(symbol); }))
    libraries.push_back("m");
  json::Object bytesOf;
  for (auto &[name, bytes] : memory)
    bytesOf[name] = bytes;
  json::Object manifest{{"name", model.name},
                        {"abi", AMPC_ABI_VERSION},
                        {"targets", std::move(names)},
                        {"tiers", std::move(tiers)},
                        {"state_bytes", model.stateBytes},
                        {"peak_arena_bytes", model.arenaBytes},
                        {"memory_bytes", std::move(bytesOf)},
                        {"state_hash", formatv("{0:x-16}", model.stateHash).str()},
                        {"plan_hash", formatv("{0:x-16}", model.planHash).str()},
                        {"content_hash", model.contentHash},
                        {"tensors", std::move(slots)},
                        {"programs", std::move(programs)},
                        {"kernels", int64_t(model.kernels.size())},
                        {"external_symbols", std::move(symbols)},
                        {"link_libraries", std::move(libraries)}};
  return formatv("{0:2}\n", json::Value(std::move(manifest))).str();
}
