// Profiles: the file, and what follows from it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Transforms/Profile.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>

using namespace mlir;
using namespace ampc;

void ValueProfile::add(double x) {
  ++elements;
  if (x == 0) {
    ++zeros;
  } else if (!std::isfinite(x)) {
    ++nonfinite;
  } else {
    max = std::max(max, std::fabs(x));
    ++counts[std::ilogb(x)];
  }
}

int64_t ValueProfile::countBetween(int low, int high) const {
  int64_t sum = 0;
  for (auto at = counts.lower_bound(low); at != counts.end() && at->first < high; ++at)
    sum += at->second;
  return sum;
}

const ValueProfile *Profile::find(StringRef key) const {
  auto found = llvm::find_if(values, [&](const ValueProfile &v) { return v.key == key; });
  return found == values.end() ? nullptr : &*found;
}

double Profile::lossScale(bool weights) const {
  constexpr double limit = half::largest / profileMargin;
  double largest = 0;
  for (const ValueProfile &value : values)
    if ((value.kind == ValueKind::Gradient || (weights && carriesScale(value.kind))) &&
        !value.isStatistic && value.max <= limit)
      largest = std::max(largest, value.max);
  double scale = 1;
  while (largest > 0 && scale < 0x1p24 && largest * scale * 2 <= limit)
    scale *= 2;
  return scale;
}

std::optional<std::string> Profile::misfit(const ValueProfile &value, double scale) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  double factor = carriesScale(value.kind) ? scale : 1;
  if (value.nonfinite > 0) {
    os << "the profile has " << value.nonfinite << " infinite or NaN elements of it";
    return text;
  }
  if (value.max * factor > half::largest / profileMargin) {
    os << "in the profile it reaches " << llvm::format("%.4g", value.max * factor)
       << ", within a factor of " << int(profileMargin) << " of the end of f16, 65504";
    return text;
  }
  int64_t flushed = value.countBetween(-10000, half::smallest - std::ilogb(factor));
  if (flushed > profileFlushed * double(value.nonzeros())) {
    os << "in the profile f16 would flush "
       << llvm::format("%.3g", 100.0 * double(flushed) / double(value.nonzeros()))
       << " % of its elements to 0";
    return text;
  }
  return std::nullopt;
}

std::optional<std::string> Profile::mismatch(train::FuncOp program) const {
  llvm::StringSet<> keys;
  for (const KeyedValue &keyed : keyValues(program)) {
    keys.insert(keyed.key);
    if (keyed.kind != ValueKind::Update && !find(keyed.key))
      return "the profile lacks the model's value '" + keyed.key + "'";
  }
  for (const ValueProfile &value : values)
    if (!keys.contains(value.key))
      return "the model lacks the profile's value '" + value.key + "'";
  return std::nullopt;
}

void Profile::write(llvm::raw_ostream &os) const {
  os << "{\"ampc_profile\": 1, \"model\": " << llvm::json::Value(model)
     << ", \"step\": " << llvm::json::Value(step) << ", \"steps\": " << steps << ", \"values\": [";
  const char *separator = "\n";
  for (const ValueProfile &value : values) {
    int first = value.counts.empty() ? 0 : value.counts.begin()->first;
    os << separator << "{\"name\": " << llvm::json::Value(value.key) << ", \"kind\": \""
       << textOf(value.kind) << "\", \"statistic\": " << (value.isStatistic ? "true" : "false")
       << ", \"elements\": " << value.elements << ", \"zeros\": " << value.zeros
       << ", \"nonfinite\": " << value.nonfinite << ", \"max\": " << llvm::format("%.9g", value.max)
       << ", \"first\": " << first << ", \"counts\": [";
    for (int e = first; !value.counts.empty() && e <= value.counts.rbegin()->first; ++e)
      os << (e > first ? "," : "") << value.countBetween(e, e + 1);
    os << "]}";
    separator = ",\n";
  }
  os << "\n]}\n";
}

static std::optional<ValueKind> kindNamed(StringRef text) {
  for (ValueKind kind : {ValueKind::Forward, ValueKind::Gradient, ValueKind::WeightGradient})
    if (text == textOf(kind))
      return kind;
  return std::nullopt;
}

static bool readValue(const llvm::json::Value &line, ValueProfile &value) {
  const llvm::json::Object *object = line.getAsObject();
  if (!object)
    return false;
  auto name = object->getString("name"), kind = object->getString("kind");
  auto statistic = object->getBoolean("statistic");
  auto elements = object->getInteger("elements"), zeros = object->getInteger("zeros"),
       nonfinite = object->getInteger("nonfinite"), first = object->getInteger("first");
  auto max = object->getNumber("max");
  const llvm::json::Array *counts = object->getArray("counts");
  if (!name || !kind || !statistic || !elements || !zeros || !nonfinite || !first || !max ||
      !counts || !kindNamed(*kind) || *first < -2000 || *first > 2000)
    return false;
  value = {name->str(), *kindNamed(*kind), *statistic, *elements, *zeros, *nonfinite, *max, {}};
  int64_t sum = 0;
  for (auto [i, count] : llvm::enumerate(*counts)) {
    auto number = count.getAsInteger();
    if (!number || *number < 0)
      return false;
    if (*number > 0)
      value.counts[int(*first) + int(i)] = *number;
    sum += *number;
  }
  return sum == value.nonzeros();
}

llvm::Expected<Profile> Profile::read(StringRef path) {
  auto fail = [&](const Twine &what) {
    return llvm::createStringError(std::error_code(), path + ": " + what);
  };
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return fail("cannot read the profile: " + file.getError().message());
  llvm::Expected<llvm::json::Value> root = llvm::json::parse((*file)->getBuffer());
  if (!root)
    return fail("expected a profile, but got: " + llvm::toString(root.takeError()));
  const llvm::json::Object *object = root->getAsObject();
  auto version = object ? object->getInteger("ampc_profile") : std::nullopt;
  if (!version || *version != 1)
    return fail("expected a profile of version 1, as ampc profile writes it");
  auto model = object->getString("model"), step = object->getString("step");
  auto steps = object->getInteger("steps");
  const llvm::json::Array *lines = object->getArray("values");
  if (!model || !step || !steps || !lines)
    return fail("expected model, step, steps and values in a profile");
  Profile profile{model->str(), step->str(), *steps, {}};
  for (const llvm::json::Value &line : *lines)
    if (!readValue(line, profile.values.emplace_back()))
      return fail(
          "expected a value with name, kind and counts that add up to its elements, but got " +
          llvm::formatv("{0}", line).str());
  return profile;
}
