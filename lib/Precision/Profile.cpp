// Conclusions from profiles. ProfileFile.cpp reads and writes the file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Profile.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace ampc;

bool ampc::mayCancel(Operation *op) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  return precision && llvm::any_of(llvm::seq(op->getNumOperands()), [&](unsigned i) {
           return precision.getConditioning(i) == Conditioning::Cancels;
         });
}

static constexpr FloatFormat formats[] = {
    {"f16", 11, -24, -14, 65504, "65504"},
    {"bf16", 8, -133, -126, 0x1.FEp127, "3.39e+38"},
    {"f8E4M3FN", 4, -9, -6, 448, "448"},
    {"f8E5M2", 3, -16, -14, 57344, "57344"},
    {"f32", 24, -149, -126, 0x1.FFFFFEp127, "3.40e+38"},
};

const FloatFormat *ampc::findFormat(StringRef name) {
  for (const FloatFormat &format : formats)
    if (name == format.name)
      return &format;
  return nullptr;
}

const FloatFormat *ampc::findFormat(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return findFormat(StringRef(name));
}

double FloatFormat::unit() const { return std::ldexp(1, -digits); }

double FloatFormat::round(double x) const {
  if (x == 0 || !std::isfinite(x))
    return x;
  int quantum = std::max(std::ilogb(x), normal) - (digits - 1);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(x, -quantum)), quantum);
  return std::fabs(rounded) > largest ? std::copysign(HUGE_VAL, x) : rounded;
}

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

double ValueProfile::magnitude() const {
  double sum = 0;
  for (auto [exponent, count] : counts) // magnitudes in [2^e, 2^(e+1)), taken as 1.5 * 2^e
    sum += double(count) * std::pow(1.5 * std::ldexp(1, exponent), 2);
  return elements ? std::sqrt(sum / double(elements)) : 0;
}

void ParameterProfile::add(double before, double after) {
  if (before == after)
    return;
  ++updates;
  auto isLost = [&](const FloatFormat &format) {
    double held = format.round(before);
    return format.round(held + (after - before)) == held;
  };
  lostInF16 += isLost(*findFormat("f16"));
  lostInBF16 += isLost(*findFormat("bf16"));
}

double ParameterProfile::lostShare(const FloatFormat &format) const {
  int64_t lost = StringRef(format.name) == "f16" ? lostInF16 : lostInBF16;
  return updates ? double(lost) / double(updates) : 0;
}

const ValueProfile *StepProfile::find(StringRef key) const {
  auto found = llvm::find_if(values, [&](const ValueProfile &v) { return v.key == key; });
  return found == values.end() ? nullptr : &*found;
}

double StepProfile::lossScale(bool weights) const {
  const double limit = findFormat("f16")->largest / profileMargin;
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

std::optional<std::string> StepProfile::misfit(const ValueProfile &value, const FloatFormat &format,
                                               double scale) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  double factor = carriesScale(value.kind) ? scale : 1;
  if (value.nonfinite > 0) {
    os << "the profile has " << value.nonfinite << " infinite or NaN elements of the value";
    return text;
  }
  if (value.max * factor > format.largest / profileMargin) {
    os << "in the profile the value reaches " << llvm::format("%.4g", value.max * factor)
       << ", within a factor of " << int(profileMargin) << " of the end of " << format.name << ", "
       << format.end;
    return text;
  }
  int64_t flushed = value.countBetween(-10000, format.smallest - std::ilogb(factor));
  if (flushed > profileFlushed * double(value.nonzeros())) {
    os << "in the profile " << format.name << " would flush "
       << llvm::format("%.3g", 100.0 * double(flushed) / double(value.nonzeros()))
       << " % of the elements to 0";
    return text;
  }
  return std::nullopt;
}

std::optional<std::string> StepProfile::cancellation(const ValueProfile &operand,
                                                     const ValueProfile &sum,
                                                     const FloatFormat &format) const {
  if (operand.isStatistic ||
      operand.magnitude() * format.unit() <= profileCancelled * sum.magnitude())
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "in the profile the elements ";
  if (sum.magnitude() == 0) {
    os << "cancel in " << sum.key;
    return text;
  }
  double ratio = operand.magnitude() / sum.magnitude();
  os << "are about " << llvm::format("%.3g", ratio) << " times the elements of " << sum.key
     << ", a sum with this value: rounding to " << format.name << " may change the sum by "
     << llvm::format("%.3g", 100 * ratio * format.unit()) << " %";
  return text;
}

std::optional<std::string> StepProfile::mismatch(train::FuncOp program) const {
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

const StepProfile *Profile::find(StringRef step) const {
  auto found = llvm::find_if(steps, [&](const StepProfile &s) { return s.step == step; });
  return found == steps.end() ? nullptr : &*found;
}
