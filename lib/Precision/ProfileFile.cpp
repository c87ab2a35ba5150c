// Profile files: JSON with a line per value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Profile.h"
#include "ampc/Support/Json.h"
#include "ampc/Support/ReadFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace ampc;

static void writeValue(llvm::raw_ostream &os, const ValueProfile &value) {
  int first = value.counts.empty() ? 0 : value.counts.begin()->first;
  os << "{\"name\": " << llvm::json::Value(value.key) << ", \"kind\": \"" << textOf(value.kind)
     << "\", \"statistic\": " << (value.isStatistic ? "true" : "false")
     << ", \"elements\": " << value.elements << ", \"zeros\": " << value.zeros
     << ", \"nonfinite\": " << value.nonfinite << ", \"max\": " << llvm::format("%.9g", value.max)
     << ", \"first\": " << first << ", \"counts\": [";
  for (int e = first; !value.counts.empty() && e <= value.counts.rbegin()->first; ++e)
    os << (e > first ? "," : "") << value.countBetween(e, e + 1);
  os << "]}";
}

static void writeStep(llvm::raw_ostream &os, const StepProfile &step) {
  os << "{\"step\": " << llvm::json::Value(step.step) << ", \"steps\": " << step.steps
     << ", \"values\": [\n";
  llvm::interleave(
      step.values, os, [&](const ValueProfile &value) { writeValue(os, value); }, ",\n");
  os << "\n], \"parameters\": [\n";
  llvm::interleave(
      step.parameters, os,
      [&](const ParameterProfile &p) {
        os << "{\"name\": " << llvm::json::Value(p.name) << ", \"updates\": " << p.updates
           << ", \"lost_in_f16\": " << p.lostInF16 << ", \"lost_in_bf16\": " << p.lostInBF16 << "}";
      },
      ",\n");
  os << "\n]}";
}

void Profile::write(llvm::raw_ostream &os) const {
  os << "{\"ampc_profile\": 2, \"model\": " << llvm::json::Value(model) << ", \"profiles\": [\n";
  llvm::interleave(steps, os, [&](const StepProfile &step) { writeStep(os, step); }, ",\n");
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
      !std::isfinite(*max) || !counts || !kindNamed(*kind) || *first < -2000 || *first > 2000 ||
      *elements < 0 || *zeros < 0 || *nonfinite < 0 || *zeros > *elements ||
      *nonfinite > *elements - *zeros)
    return false;
  value = {name->str(), *kindNamed(*kind), *statistic, *elements, *zeros, *nonfinite, *max, {}};
  int64_t sum = 0;
  for (auto [i, count] : llvm::enumerate(*counts)) {
    auto number = count.getAsInteger();
    if (!number || *number < 0)
      return false;
    if (*number > 0)
      value.counts[int(*first) + int(i)] = *number;
    if (llvm::AddOverflow(sum, *number, sum))
      return false;
  }
  return sum == value.nonzeros();
}

static bool readParameter(const llvm::json::Value &line, ParameterProfile &parameter) {
  const llvm::json::Object *object = line.getAsObject();
  if (!object)
    return false;
  auto name = object->getString("name");
  auto updates = object->getInteger("updates"), f16 = object->getInteger("lost_in_f16"),
       bf16 = object->getInteger("lost_in_bf16");
  if (!name || !updates || !f16 || !bf16 || *f16 < 0 || *bf16 < 0 || *f16 > *updates ||
      *bf16 > *updates)
    return false;
  parameter = {name->str(), *updates, *f16, *bf16};
  return true;
}

static llvm::Error readStep(const llvm::json::Value &part, StepProfile &result) {
  auto fail = [](const Twine &what) { return llvm::createStringError(std::error_code(), what); };
  auto text = [](const llvm::json::Value &line) { return llvm::formatv("{0}", line).str(); };
  const llvm::json::Object *object = part.getAsObject();
  auto step = object ? object->getString("step") : std::nullopt;
  auto steps = object ? object->getInteger("steps") : std::nullopt;
  const llvm::json::Array *values = object ? object->getArray("values") : nullptr;
  const llvm::json::Array *parameters = object ? object->getArray("parameters") : nullptr;
  if (!step || !steps || !values || !parameters)
    return fail("expected step, steps, values and parameters in a profile");
  result = {step->str(), *steps, {}, {}};
  for (const llvm::json::Value &line : *values)
    if (!readValue(line, result.values.emplace_back()))
      return fail("expected a value with name, kind and counts that add up to the number of "
                  "elements, but got " +
                  text(line));
  for (const llvm::json::Value &line : *parameters)
    if (!readParameter(line, result.parameters.emplace_back()))
      return fail(
          "expected a parameter with name, updates and at most as many lost updates, but got " +
          text(line));
  return llvm::Error::success();
}

llvm::Expected<Profile> Profile::read(StringRef path) {
  auto fail = [&](const Twine &what) {
    return llvm::createStringError(std::error_code(), path + ": " + what);
  };
  auto file = readFile(path);
  if (!file)
    return fail("cannot read the profile: " + file.getError().message());
  llvm::Expected<llvm::json::Value> root = parseJson((*file)->getBuffer());
  if (!root)
    return fail("expected a profile, but got: " + llvm::toString(root.takeError()));
  const llvm::json::Object *object = root->getAsObject();
  auto version = object ? object->getInteger("ampc_profile") : std::nullopt;
  if (!version || *version != 2)
    return fail("expected a profile of version 2, as ampc profile writes it");
  auto model = object->getString("model");
  const llvm::json::Array *parts = object->getArray("profiles");
  if (!model || !parts)
    return fail("expected model and profiles in a profile");
  Profile profile{model->str(), {}};
  for (const llvm::json::Value &part : *parts)
    if (llvm::Error error = readStep(part, profile.steps.emplace_back()))
      return fail(llvm::toString(std::move(error)));
  return profile;
}
