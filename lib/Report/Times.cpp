// Measured times of a step (`ampc bench --json`) beside the kernels of the plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Report/Report.h"
#include "ampc/Support/Json.h"
#include "ampc/Support/Mistake.h"

using namespace ampc;
using namespace ampc::report;
using llvm::StringRef;
namespace json = llvm::json;

static std::string textOf(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("").str();
}

static llvm::Expected<json::Value> parse(StringRef text) {
  llvm::Expected<json::Value> value = parseJson(text);
  if (!value)
    return mistake("expected JSON, but got: " + llvm::toString(value.takeError()));
  const json::Object *bench = value->getAsObject();
  if (!bench || textOf(*bench, "schema") != "ampc-bench")
    return mistake("expected times of ampc bench --json, but got other JSON");
  if (bench->getInteger("version") != 1 || !bench->getArray("kernels"))
    return mistake("expected version 1 with kernels, but got another version or no kernels");
  return value;
}

static llvm::Error readKernels(const json::Array &rows, Step &step) {
  int64_t wanted = 0;
  for (const Kernel &kernel : step.kernels)
    wanted += kernel.spans;
  auto others = [&](const llvm::Twine &what) {
    return mistake("expected " + what + ": the times are of step " + step.name +
                   " of another model, or with other options");
  };
  if (int64_t(rows.size()) != wanted)
    return others(llvm::Twine(wanted) + " kernels, but got " + llvm::Twine(rows.size()));
  size_t next = 0;
  for (auto [number, kernel] : llvm::enumerate(step.kernels)) {
    kernel.nanoseconds = 0;
    for (int64_t i = 0; i < kernel.spans; ++i, ++next) {
      const json::Object *row = rows[next].getAsObject();
      auto time = row ? row->getInteger("median_nanoseconds") : std::nullopt;
      if (!time || (kernel.spans == 1 && textOf(*row, "name") != kernel.entry))
        return others("kernel " + llvm::Twine(number + 1) + " to be " + kernel.entry +
                      ", but got " + (row ? textOf(*row, "name") : "none"));
      *kernel.nanoseconds += *time;
    }
  }
  return llvm::Error::success();
}

static llvm::Error readStep(const json::Object &bench, Compilation &compilation) {
  Step *step = compilation.findStep(textOf(bench, "step"));
  std::string names;
  for (const Step &known : compilation.steps)
    names += (names.empty() ? "" : ", ") + known.name;
  if (!step)
    return mistake("expected times of step " + names + ", but got times of " +
                   textOf(bench, "program"));
  step->times = Times{textOf(bench, "tier"), bench.getInteger("runs").value_or(0),
                      bench.getInteger("median_nanoseconds").value_or(0)};
  return readKernels(*bench.getArray("kernels"), *step);
}

llvm::Error report::addTimes(StringRef bench, StringRef precision, Compilation &f32,
                             Compilation &mixed) {
  llvm::Expected<json::Value> value = parse(bench);
  if (!value)
    return value.takeError();
  const json::Object &times = *value->getAsObject();
  if (textOf(times, "name") != mixed.model)
    return mistake("expected times of model " + mixed.model + ", but got " + textOf(times, "name"));
  std::string measured = textOf(times, "precision");
  if (measured != precision && measured != "f32")
    return mistake("expected times in " + precision + " or f32, but got " + measured);
  if (measured == precision)
    if (llvm::Error error = readStep(times, mixed))
      return error;
  return measured == "f32" ? readStep(times, f32) : llvm::Error::success();
}
