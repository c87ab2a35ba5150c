// Command-line options on data: INPUT=FILE, scale and offset.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Sources.h"
#include "ampc/Package/WriteFile.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace ampc;
namespace cl = llvm::cl;

llvm::Expected<Sources> ampc::readSources(llvm::ArrayRef<std::string> words,
                                          llvm::StringRef option) {
  Sources sources;
  for (const std::string &word : words) {
    auto [name, path] = llvm::StringRef(word).split('=');
    if (name.empty() || path.empty())
      return mistake("expected --" + option + " INPUT=FILE, but got " + shown(word));
    for (auto &source : sources)
      if (source.input == name)
        return mistake("expected --" + option + " " + name + "=FILE once, but got the input twice");
    sources.push_back({name.str(), path.str(), {}});
  }
  return sources;
}

llvm::Error ampc::checkOutputs(llvm::ArrayRef<std::string> outputs, const Sources &data,
                               std::vector<std::string> others) {
  for (const Source &source : data) {
    others.push_back(source.path);
    others.push_back(fileOf(source.path));
  }
  return checkOutputs(outputs, others);
}

DataOptions::DataOptions(cl::SubCommand &command)
    : data("data",
           cl::desc("an input's rows: FILE.npy, FILE.npz (the array of the input's name, or the "
                    "only one), FILE.npz:ARRAY, FILE.safetensors:TENSOR, FILE.csv, "
                    "FILE.csv:COLUMNS (names, numbers from 1, ranges as 1-4) or "
                    "FILE.bin:TYPE[SIZES] (raw elements, as in ui8[?,28,28])"),
           cl::value_desc("INPUT=FILE"), cl::sub(command)),
      scale("scale",
            cl::desc("a factor on an input's data, as in image=1/255, or a factor per channel, "
                     "separated by commas"),
            cl::value_desc("INPUT=NUMBER"), cl::sub(command)),
      offset("offset", cl::desc("number to add then, as in image=-0.5"),
             cl::value_desc("INPUT=NUMBER"), cl::sub(command)),
      allowNonFinite("allow-nonfinite", cl::desc("data may be infinite and NaN"),
                     cl::sub(command)) {}

/// Number, or quotient of two numbers. Example: "1/255".
static bool parseNumber(llvm::StringRef text, double &number) {
  auto [above, below] = text.split('/');
  double divisor = 1;
  if (above.trim().getAsDouble(number) || (text.contains('/') && below.trim().getAsDouble(divisor)))
    return false;
  number /= divisor;
  return std::isfinite(number);
}

/// Reads the numbers of an option; an input without data in this run is no error if `known`
/// contains the input.
static llvm::Error readNumbers(llvm::ArrayRef<std::string> words, llvm::StringRef option,
                               const Sources &known, Sources &sources,
                               std::vector<double> Affine::*member) {
  for (const std::string &word : words) {
    llvm::StringRef name, list;
    std::tie(name, list) = llvm::StringRef(word).split('=');
    std::vector<double> numbers;
    for (llvm::StringRef part : llvm::split(list, ',')) {
      double number = 0;
      if (!parseNumber(part, number))
        return mistake("expected --" + option +
                       " INPUT=NUMBER, or numbers separated by commas, "
                       "but got " +
                       shown(word));
      numbers.push_back(number);
    }
    auto isNamed = [&](const Source &source) { return source.input == name; };
    if (llvm::none_of(known, isNamed) && llvm::none_of(sources, isNamed))
      return mistake("expected --" + option + " of an input with --data, but got " + shown(word) +
                     didYouMean(name, llvm::map_to_vector(sources, [](const Source &source) {
                                  return llvm::StringRef(source.input);
                                })));
    for (Source &source : llvm::make_filter_range(sources, isNamed))
      source.affine.*member = numbers;
  }
  return llvm::Error::success();
}

llvm::Expected<Sources> DataOptions::read() const { return read(data, "data"); }

llvm::Expected<Sources> DataOptions::read(llvm::ArrayRef<std::string> words,
                                          llvm::StringRef option) const {
  llvm::Expected<Sources> known = readSources(data), sources = readSources(words, option);
  if (!known) {
    llvm::consumeError(sources.takeError());
    return known.takeError();
  }
  if (!sources)
    return sources.takeError();
  if (llvm::Error error = readNumbers(scale, "scale", *known, *sources, &Affine::scale))
    return std::move(error);
  if (llvm::Error error = readNumbers(offset, "offset", *known, *sources, &Affine::offset))
    return std::move(error);
  return sources;
}
