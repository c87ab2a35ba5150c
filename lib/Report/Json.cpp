// The report as JSON: a row per line, for line-wise diff tools.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/Facts.h"
#include "llvm/Support/FormatVariadic.h"

using namespace ampc;
using namespace ampc::report;
using llvm::StringRef;
namespace json = llvm::json;

static void addPlace(json::Object &row, const SourceLocation &place) {
  if (!place.file.empty())
    row["source"] = llvm::formatv("{0}:{1}:{2}", place.file, place.line, place.column).str();
}

static json::Object toJson(const Operand &operand, const Step &step) {
  json::Object from{{"type", operand.type}};
  if (operand.operation >= 0)
    from["from"] = step.operations[operand.operation].id;
  else
    from["label"] = operand.label;
  if (!operand.argument.empty())
    from["argument"] = operand.argument;
  json::Array casts;
  for (int cast : operand.casts)
    casts.push_back(step.casts[cast].id);
  if (!casts.empty())
    from["casts"] = std::move(casts);
  return from;
}

static json::Array toJson(llvm::ArrayRef<Operand> operands, const Step &step) {
  json::Array rows;
  for (const Operand &operand : operands)
    rows.push_back(toJson(operand, step));
  return rows;
}

/// Loop around an op or a cast, and the number of rounds in which a step runs the op.
template <typename Row>
static void addLoop(json::Object &object, const Row &row, const Step &step) {
  if (row.loop < 0)
    return;
  object["loop"] = step.operations[row.loop].id;
  object["rounds"] = row.rounds;
}

static void addBody(json::Object &row, const Op &op, const Step &step) {
  if (!op.bodyRounds)
    return;
  row["body_rounds"] = op.bodyRounds;
  row["next"] = toJson(op.next, step);
  row["each"] = toJson(op.each, step);
}

static json::Object toJson(const Op &op, const Step &step) {
  json::Object row{{"id", op.id},         {"name", op.name},           {"group", op.group},
                   {"op", op.kind},       {"part", partName(op.part)}, {"computes", op.compute},
                   {"stored", op.stored}, {"shape", op.shape},         {"f32_bytes", op.f32Bytes},
                   {"bytes", op.bytes}};
  for (auto [key, text] :
       {std::pair("category", &op.category), {"rule", &op.rule}, {"reason", &op.reason}})
    if (!text->empty())
      row[key] = *text;
  if (op.savedBytes)
    row["saved_bytes"] = op.savedBytes;
  if (op.recomputed)
    row["recomputed"] = true;
  addPlace(row, op.place);
  addLoop(row, op, step);
  addBody(row, op, step);
  row["operands"] = toJson(op.operands, step);
  return row;
}

static json::Object toJson(const Cast &cast, const Step &step) {
  json::Object row{{"id", cast.id},       {"from", cast.from},           {"to", cast.to},
                   {"shape", cast.shape}, {"part", partName(cast.part)}, {"reason", cast.reason},
                   {"bytes", cast.bytes}};
  row["of"] = cast.of >= 0 ? step.operations[cast.of].id : cast.ofLabel;
  json::Array readers;
  for (int reader : cast.readers)
    readers.push_back(step.operations[reader].id);
  row["readers"] = std::move(readers);
  if (cast.savedBytes)
    row["saved_bytes"] = cast.savedBytes;
  if (cast.recomputed)
    row["recomputed"] = true;
  addPlace(row, cast.place);
  addLoop(row, cast, step);
  return row;
}

static json::Object memoryOf(const Step &step) {
  json::Array kernels, buffers;
  for (const Kernel &kernel : step.kernels) {
    json::Object row{{"name", kernel.name},
                     {"kernel", kernel.kind},
                     {"part", partName(kernel.part)},
                     {"bytes", kernel.bytes},
                     {"live_bytes", kernel.liveBytes}};
    if (kernel.nanoseconds)
      row["nanoseconds"] = *kernel.nanoseconds;
    if (kernel.rounds) {
      row["rounds"] = kernel.rounds;
      row["runs"] = kernel.spans;
    }
    if (!kernel.form.empty()) {
      row["form"] = kernel.form;
      row["launches"] = kernel.launches;
    }
    kernels.push_back(std::move(row));
  }
  for (const Buffer &buffer : step.buffers)
    buffers.push_back(json::Object{{"name", buffer.name},
                                   {"type", buffer.type},
                                   {"offset", buffer.offset},
                                   {"bytes", buffer.bytes},
                                   {"first", buffer.first},
                                   {"last", buffer.last}});
  return json::Object{{"kernels", std::move(kernels)},
                      {"buffers", std::move(buffers)},
                      {"peak_kernel", step.peakKernel}};
}

static json::Object pair(int64_t f32, int64_t mixed) {
  json::Object object;
  object["f32"] = f32;
  object["mixed"] = mixed;
  return object;
}

static int64_t peakOf(const Step &step) {
  return step.kernels.empty() ? 0 : step.kernels[step.peakKernel].liveBytes;
}

static json::Object totalsOf(const Step &f32, const Step &mixed) {
  json::Object totals{{"saved_bytes", pair(f32.savedBytes, mixed.savedBytes)},
                      {"saved_value_bytes", pair(f32.savedValueBytes, mixed.savedValueBytes)},
                      {"arena_bytes", pair(f32.arenaBytes, mixed.arenaBytes)},
                      {"peak_live_bytes", pair(peakOf(f32), peakOf(mixed))},
                      {"operations", pair(f32.operations.size(), mixed.operations.size())},
                      {"casts", pair(f32.casts.size(), mixed.casts.size())},
                      {"launches", pair(f32.launches, mixed.launches)},
                      {"distinct_kernels", pair(f32.distinctKernels, mixed.distinctKernels)}};
  if (f32.savedBytes)
    totals["saved_ratio"] = std::round(1e4 * mixed.savedBytes / f32.savedBytes) / 1e4;
  return totals;
}

/// Checkpointing of the step; null for a step without checkpoints.
static json::Value checkpointsOf(const Step &step) {
  if (!step.checkpoints)
    return nullptr;
  return json::Object{{"saved_value_bytes_without", step.checkpoints->savedWithout},
                      {"flops", step.checkpoints->flops},
                      {"flops_again", step.checkpoints->flopsAgain}};
}

/// Activation budget of the step; null if there is none.
static json::Value budgetOf(const Step &step) {
  if (!step.budget)
    return nullptr;
  return json::Object{{"bytes", step.budget->budget},
                      {"held", step.budget->held},
                      {"held_without", step.budget->without}};
}

/// Numbers by name, so that two reports can be compared name by name.
static json::Object numbersOf(const Step &step) {
  json::Object numbers;
  for (auto [place, number] : llvm::enumerate(step.numbers)) {
    json::Object row = toJson(number.second, step);
    row["place"] = int64_t(place);
    numbers[number.first] = std::move(row);
  }
  return numbers;
}

static json::Object timesOf(const Step &f32, const Step &mixed) {
  json::Object times;
  for (auto [side, step] : {std::pair("f32", &f32), {"mixed", &mixed}})
    if (step->times)
      times[side] = json::Object{{"nanoseconds", step->times->nanoseconds},
                                 {"runs", step->times->runs},
                                 {"tier", step->times->tier}};
  return times;
}

/// Number of ops per part and compute type, and of casts per direction, e.g. "f32 to bf16".
static json::Object countsOf(const Step &step) {
  std::map<std::string, std::map<std::string, int64_t>> counts;
  for (const Op &op : step.operations)
    if (op.part != StepStage::Input)
      ++counts[partName(op.part).str()][op.compute];
  for (const Cast &cast : step.casts)
    ++counts["casts"][cast.from + " to " + cast.to];
  json::Object object;
  for (auto &[part, types] : counts) {
    json::Object row;
    for (auto &[type, count] : types)
      row[type] = count;
    object[part] = std::move(row);
  }
  return object;
}

static json::Object toJson(const Step &f32, const Step &mixed) {
  json::Array operations, casts;
  for (const Op &op : mixed.operations)
    operations.push_back(toJson(op, mixed));
  for (const Cast &cast : mixed.casts)
    casts.push_back(toJson(cast, mixed));
  json::Object costs;
  for (auto &[policy, bytes] : mixed.policyCosts)
    costs[policy] = bytes;
  json::Object row{
      {"name", mixed.name},
      {"checkpoints", json::Object{{"f32", checkpointsOf(f32)}, {"mixed", checkpointsOf(mixed)}}},
      {"budget", json::Object{{"f32", budgetOf(f32)}, {"mixed", budgetOf(mixed)}}},
      {"totals", totalsOf(f32, mixed)},
      {"counts", countsOf(mixed)},
      {"policy_costs", std::move(costs)},
      {"loss_scaling", json::Object(mixed.lossScaling)},
      {"numbers", numbersOf(mixed)},
      {"nonfinite", json::Object{{"mode", mixed.nonfinite},
                                 {"gradient_bytes", mixed.gradientBytes},
                                 {"kept_bytes", mixed.gradientPeakBytes}}},
      {"operations", std::move(operations)},
      {"casts", std::move(casts)},
      {"memory", json::Object{{"f32", memoryOf(f32)}, {"mixed", memoryOf(mixed)}}}};
  if (f32.times || mixed.times)
    row["times"] = timesOf(f32, mixed);
  return row;
}

static json::Object stateOf(const Compilation &compilation) {
  json::Object object{{"total", 0}};
  int64_t total = 0;
  for (auto &[role, bytes] : compilation.stateBytes) {
    object[role] = bytes;
    total += bytes;
  }
  object["total"] = total;
  return object;
}

json::Value report::toJson(const Request &request, const Compilation &f32,
                           const Compilation &mixed) {
  json::Array steps;
  for (const Step &step : mixed.steps) {
    auto baseline =
        llvm::find_if(f32.steps, [&](const Step &other) { return other.name == step.name; });
    assert(baseline != f32.steps.end() && "both compilations start from one model");
    steps.push_back(::toJson(*baseline, step));
  }
  return json::Object{
      {"schema", "ampc-report"},
      {"version", schemaVersion},
      {"model", mixed.model},
      {"file", request.file},
      {"options", json::Object(request.options)},
      {"state_bytes", json::Object{{"f32", stateOf(f32)}, {"mixed", stateOf(mixed)}}},
      {"scratch_bytes_per_thread", pair(f32.scratchBytes, mixed.scratchBytes)},
      {"steps", std::move(steps)}};
}

static bool hasRows(const json::Value &value) {
  if (const json::Array *array = value.getAsArray())
    return !array->empty() && (*array)[0].getAsObject();
  if (const json::Object *object = value.getAsObject())
    return llvm::any_of(*object, [](const auto &entry) {
      return hasRows(entry.second) || entry.second.getAsObject();
    });
  return false;
}

static std::vector<const json::Object::value_type *> sorted(const json::Object &object) {
  std::vector<const json::Object::value_type *> entries;
  for (const auto &entry : object)
    entries.push_back(&entry);
  llvm::sort(entries, [](auto *a, auto *b) { return a->first < b->first; });
  return entries;
}

/// Prints objects with nested objects over several lines, and arrays of objects a row per line.
static void print(llvm::raw_ostream &os, const json::Value &value, unsigned indent) {
  if (!hasRows(value)) {
    os << value;
    return;
  }
  const json::Array *array = value.getAsArray();
  os << (array ? "[" : "{");
  bool isFirst = true;
  auto start = [&] {
    os << (isFirst ? "\n" : ",\n");
    os.indent(indent + 1);
    isFirst = false;
  };
  if (array)
    for (const json::Value &element : *array) {
      start();
      // Lists within a row stay in the row's line.
      const json::Object *row = element.getAsObject();
      if (row && (row->get("operations") || row->get("kernels")))
        print(os, element, indent + 1);
      else
        os << element;
    }
  else
    for (const auto *entry : sorted(*value.getAsObject())) {
      start();
      os << json::Value(entry->first) << ": ";
      print(os, entry->second, indent + 1);
    }
  os << "\n";
  os.indent(indent) << (array ? "]" : "}");
}

void report::printRows(llvm::raw_ostream &os, const json::Value &value) {
  print(os, value, 0);
  os << "\n";
}
