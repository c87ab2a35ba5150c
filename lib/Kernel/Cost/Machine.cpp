// Machine models as JSON files, e.g. {"schema": "ampc-machine", "version": 1, "cores": 8, ...}.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Kernel/Cost.h"
#include "ampc/Support/Embedded.h"
#include "ampc/Support/Json.h"
#include "ampc/Support/Mistake.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

AMPC_EMBEDDED(defaultMachine)

using namespace ampc;
using namespace ampc::cost;
using llvm::StringRef;
namespace json = llvm::json;

constexpr StringRef levelNames[numLevels] = {"core_cache", "shared_cache", "memory"};

namespace {
/// Reads an object key by key and reports the first error only. Unknown keys are errors.
class Fields {
public:
  /// `start`: approximate position of the object in the text, for the line numbers of errors.
  Fields(StringRef text, size_t start, const json::Value &value, std::string path,
         std::string &error)
      : text(text), start(start), object(value.getAsObject()), path(std::move(path)), error(error) {
    if (!object)
      report(start, "expected an object" + of());
  }
  ~Fields() {
    if (object)
      for (auto &[key, value] : *object)
        if (!llvm::is_contained(known, StringRef(key)))
          report(placeOf(key), "expected a known key" + of() + ", but got " + shown(key));
  }

  const json::Value *find(StringRef key) {
    known.push_back(key);
    const json::Value *value = object ? object->get(key) : nullptr;
    if (object && !value)
      report(start, "expected a key " + key.str() + of());
    return value;
  }
  /// Reads a finite number above 0, or also 0 for `orZero`. JSON's grammar allows 1e700, which no
  /// double holds.
  double positive(StringRef key, bool orZero = false) {
    const json::Value *value = find(key);
    if (!value)
      return 1;
    std::optional<double> number = value->getAsNumber();
    if (number && std::isfinite(*number) && (*number > 0 || (orZero && *number == 0)))
      return *number;
    std::string got;
    llvm::raw_string_ostream(got) << *value;
    report(placeOf(key), "expected a positive number for " + key.str() + ", but got " + got);
    return 1;
  }
  int64_t whole(StringRef key) {
    double number = positive(key);
    if (number < 1 || number > 1e15 || number != double(int64_t(number)))
      report(placeOf(key), "expected a whole number for " + key.str());
    return number > 1e15 ? 1 : int64_t(number);
  }
  std::string word(StringRef key) {
    const json::Value *value = find(key);
    if (value && !value->getAsString())
      report(placeOf(key), "expected a string for " + key.str());
    return value ? value->getAsString().value_or("").str() : "";
  }
  Fields inner(StringRef key) {
    const json::Value *value = find(key);
    static const json::Value none = json::Object{};
    return Fields(text, placeOf(key), value ? *value : none, key.str(), error);
  }
  std::vector<StringRef> keys() {
    std::vector<StringRef> keys;
    if (object)
      for (auto &[key, value] : *object)
        keys.push_back(key);
    return keys;
  }
  void report(size_t place, const std::string &message) {
    if (error.empty())
      error = "line " + std::to_string(1 + text.take_front(place).count('\n')) + ": " + message;
  }
  size_t placeOf(StringRef key) const {
    size_t place = text.find("\"" + key.str() + "\"", start);
    return place == StringRef::npos ? start : place;
  }

private:
  std::string of() const { return path.empty() ? "" : " of " + path; }

  StringRef text;
  size_t start;
  const json::Object *object;
  std::string path;
  std::string &error;
  std::vector<StringRef> known;
};
} // namespace

static void readLevel(Fields fields, bool isCache, CacheLevel &level) {
  if (isCache)
    level.bytes = fields.whole("bytes");
  level.perCore = fields.positive("gb_per_s_core");
  level.together = fields.positive("gb_per_s");
}
static void readRates(Fields fields, Rates &rates) {
  {
    Fields products = fields.inner("product_gflops");
    for (StringRef type : products.keys())
      rates.products[type.str()] = products.positive(type) / 2;
    if (!rates.products.count("f32")) {
      products.find("f32");
      rates.products["f32"] = 1;
    }
  }
  rates.vectorOps = fields.positive("vector_gops");
  rates.slowOps = fields.positive("slow_gops");
  rates.functions = fields.positive("function_gops");
  rates.packed = fields.positive("packed_gops");
}

static void readMachine(Fields fields, Machine &machine) {
  if (std::string schema = fields.word("schema"); schema != "ampc-machine")
    fields.report(fields.placeOf("schema"),
                  "expected the schema ampc-machine, but got " + shown(schema));
  if (fields.whole("version") != 1)
    fields.report(fields.placeOf("version"), "expected version 1, but got another version");
  machine.name = fields.word("name");
  machine.cores = fields.whole("cores");
  for (unsigned i = 0; i < numLevels; ++i)
    readLevel(fields.inner(levelNames[i]), i != Memory, machine.levels[i]);
  machine.launchNanoseconds = fields.positive("launch_ns", /*orZero=*/true);
  machine.forkNanoseconds = fields.positive("fork_ns", /*orZero=*/true);
  Fields tiers = fields.inner("tiers");
  for (StringRef tier : tiers.keys())
    readRates(tiers.inner(tier), machine.tiers[tier.str()]);
}

llvm::Expected<Machine> Machine::parse(StringRef text) {
  llvm::Expected<json::Value> value = parseJson(text);
  if (!value)
    return mistake("expected JSON, but got: " + llvm::toString(value.takeError()));
  Machine machine;
  std::string error;
  readMachine(Fields(text, 0, *value, "", error), machine);
  if (!error.empty())
    return mistake(error);
  return machine;
}

const Machine &Machine::builtIn() {
  static const Machine machine = llvm::cantFail(parse(defaultMachineText()));
  return machine;
}

json::Value Machine::toJson() const {
  json::Object result{{"schema", "ampc-machine"},
                      {"version", 1},
                      {"name", name},
                      {"cores", cores},
                      {"launch_ns", launchNanoseconds},
                      {"fork_ns", forkNanoseconds}};
  for (unsigned i = 0; i < numLevels; ++i) {
    json::Object level{{"gb_per_s_core", levels[i].perCore}, {"gb_per_s", levels[i].together}};
    if (i != Memory)
      level["bytes"] = levels[i].bytes;
    result[levelNames[i]] = std::move(level);
  }
  json::Object all;
  for (auto &[tier, rates] : tiers) {
    json::Object products;
    for (auto &[type, rate] : rates.products)
      products[type] = 2 * rate;
    all[tier] = json::Object{{"product_gflops", std::move(products)},
                             {"vector_gops", rates.vectorOps},
                             {"slow_gops", rates.slowOps},
                             {"function_gops", rates.functions},
                             {"packed_gops", rates.packed}};
  }
  result["tiers"] = std::move(all);
  return result;
}

llvm::Expected<const Rates *> Machine::ratesOf(StringRef tier) const {
  auto rates = tiers.find(tier.str());
  if (rates != tiers.end())
    return &rates->second;
  std::vector<StringRef> names;
  for (auto &[name, unused] : tiers)
    names.push_back(name);
  return mistake("expected figures of tier " + tier + ", but got figures of " + joinWords(names));
}
