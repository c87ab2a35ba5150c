// Files with the rows of inputs, checked completely before the first step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Dataset.h"
#include "ampc/Data/Formats.h"
#include "ampc/Support/Nearest.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/LabelRuns.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace ampc;
using Dims = llvm::ArrayRef<int64_t>;

std::string ampc::shapeText(Dims dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

static Dims dimsOf(const ampc_tensor &tensor) { return Dims(tensor.dims, tensor.rank); }
/// Dimensions of a row, or of the tensor if unbatched. Example: f32[8, 10] batched -> [10].
static Dims rowDims(const ampc_tensor &tensor) {
  return tensor.batched ? dimsOf(tensor).drop_front() : dimsOf(tensor);
}
static int64_t product(Dims dims) {
  int64_t result = 1;
  for (int64_t dim : dims)
    result *= dim;
  return result;
}
static auto withoutOnes(Dims dims) {
  return llvm::filter_to_vector(dims, [](int64_t dim) { return dim != 1; });
}

bool ampc::takeSameRows(const ampc_tensor &one, const ampc_tensor &other) {
  return one.dtype == other.dtype && one.batched == other.batched && rowDims(one) == rowDims(other);
}

std::string ampc::describe(const ampc_tensor &tensor) {
  std::string text = nameOf(ampc_dtype(tensor.dtype));
  if (!tensor.batched)
    text += ", " + (tensor.rank ? "shape " + shapeText(dimsOf(tensor)) : std::string("one number"));
  else
    text += tensor.rank > 1 ? ", rows of " + shapeText(rowDims(tensor)) : ", one number per row";
  if (tensor.label_limit)
    text += ", " + describe(ampc_dtype(tensor.dtype),
                            {true, tensor.label_limit, tensor.label_ignore, tensor.label_least});
  return text;
}

/// Dimensions of 1 may be missing or added; tables only have columns.
static bool fits(const ampc_tensor &tensor, const Array &array) {
  if (tensor.batched && array.dims.empty())
    return false;
  Dims got = Dims(array.dims).drop_front(tensor.batched);
  return array.firstLine ? product(got) == product(rowDims(tensor))
                         : withoutOnes(got) == withoutOnes(rowDims(tensor));
}

static bool checkShape(const ampc_tensor &tensor, const Source &source, const Array &array,
                       std::string &error) {
  if (!fits(tensor, array)) {
    std::string wanted = !tensor.batched ? "shape " + shapeText(dimsOf(tensor))
                         : tensor.rank > 1
                             ? "shape [rows, ...] with rows of " + shapeText(rowDims(tensor))
                             : std::string("one number per row");
    error = source.path + ": expected " + wanted + " for input " + tensor.name + ", but got " +
            shapeText(array.dims);
    if (tensor.label_limit > 0 && !array.dims.empty() && array.dims.back() == tensor.label_limit)
      error += "; a label is a class number, not a one-hot row";
    return false;
  }
  if (tensor.batched && array.dims[0] == 0) {
    error = source.path + ": expected at least one row for input " + tensor.name + ", but got none";
    return false;
  }
  int64_t last = rowDims(tensor).empty() ? 1 : rowDims(tensor).back();
  for (const std::vector<double> *numbers : {&source.affine.scale, &source.affine.offset}) {
    if (numbers->size() > 1 && int64_t(numbers->size()) != last) {
      error = std::string("expected one number or ") + std::to_string(last) +
              ", the last dimension of " + (tensor.batched ? "a row of " : "") + "input " +
              tensor.name + ", for its scale and offset, but got " +
              std::to_string(numbers->size());
      return false;
    }
    if (!numbers->empty() && !isReal(elementOf(tensor.dtype))) {
      error = std::string("expected --scale and --offset of an input of reals, but got ") +
              tensor.name + ", which is " + nameOf(ampc_dtype(tensor.dtype));
      return false;
    }
  }
  return true;
}

/// Position of the first element outside of the limits, or -1; `limits`: the violated limits.
static int64_t findMisfit(const Dataset::Field &field, llvm::ArrayRef<LabelRun> runs,
                          Limits &limits) {
  int64_t place = -1;
  for (const LabelRun &run : runs)
    run.eachPiece(place < 0 ? field.array.count() : place, [&](int64_t first, int64_t count) {
      const char *data = static_cast<const char *>(field.array.data);
      int64_t found = field.converter.findMisfit(data + first * bytesOf(field.array.element), count,
                                                 run.limits);
      if (found >= 0) {
        place = first + found;
        limits = run.limits;
      }
      return found < 0;
    });
  return place;
}

/// Checks all elements now; a step would find a bad row only with its batch, perhaps hours later.
static bool checkElements(const Dataset::Field &field, bool finite, std::string &error) {
  const ampc_tensor &tensor = field.tensor;
  std::vector<LabelRun> runs = labelRunsOf(tensor, finite);
  auto mayMisfit = [&](const LabelRun &run) { return field.converter.mayMisfit(run.limits); };
  if (llvm::any_of(runs, mayMisfit) && field.array.bytes() >> 32)
    note("checking " + llvm::Twine(field.array.bytes() >> 30) + " GiB of " + field.source.path);
  Limits limits;
  int64_t place = findMisfit(field, runs, limits);
  if (place < 0)
    return true;
  int64_t row = place / field.width;
  error = field.source.path + ": expected " + describe(ampc_dtype(tensor.dtype), limits) +
          " for input " + tensor.name + ", but got " +
          field.converter.text(field.array.data, place);
  if (field.array.firstLine)
    error += " in line " + std::to_string(row + field.array.firstLine);
  else if (tensor.batched)
    error += " in row " + std::to_string(row);
  if (field.width > 1)
    error += ", element " + std::to_string(place % field.width);
  return false;
}

/// Adds the nearest name to "expected a column of 1 to 2 or one of 'age', 'plan', but got 'plam'",
/// and to "expected an array, one of ...".
static std::string withNearestName(const std::string &error) {
  auto [list, got] = llvm::StringRef(error).rsplit(" one of ").second.split(", but got ");
  llvm::SmallVector<llvm::StringRef> known;
  list.split(known, ", ");
  for (llvm::StringRef &name : known)
    name = name.trim('\'');
  return got.empty() ? error : error + didYouMean(got.trim('\''), known);
}

bool Dataset::add(const ampc_tensor &tensor, const Source &source, const Options &options,
                  std::string &error) {
  std::optional<Array> array = readSource(source.path, source.input, error, !options.finite);
  if (!array)
    error = withNearestName(error);
  if (!array || !checkShape(tensor, source, *array, error))
    return false;
  int64_t rows = tensor.batched ? array->dims[0] : 1;
  Converter converter(array->element, ampc_dtype(tensor.dtype), source.affine);
  fields.push_back(
      {source, std::move(*array), tensor, std::move(converter), rows, product(rowDims(tensor))});
  return checkElements(fields.back(), options.finite, error);
}

bool ampc::isTotal(const ampc_tensor &tensor) {
  return llvm::StringRef(tensor.name).starts_with("total:");
}

bool ampc::isRowState(const ampc_tensor &tensor) {
  return llvm::StringRef(tensor.name).starts_with("state:");
}

/// Collects the inputs of all programs, without duplicates.
static bool collectInputs(llvm::ArrayRef<const ampc_program *> programs,
                          std::vector<const ampc_tensor *> &inputs, std::string &error) {
  for (const ampc_program *program : programs)
    for (int i = 0; i < program->input_count; ++i) {
      const ampc_tensor &input = program->inputs[i];
      if (isSupplied(input))
        continue;
      auto known = llvm::find_if(inputs, [&](const ampc_tensor *other) {
        return llvm::StringRef(other->name) == input.name;
      });
      if (known == inputs.end()) {
        inputs.push_back(&input);
      } else if (!takeSameRows(**known, input)) {
        error = std::string("expected input ") + input.name +
                " to be the same in all steps, but got " + describe(**known) + " and " +
                describe(input);
        return false;
      }
    }
  return true;
}

bool Dataset::open(llvm::ArrayRef<const ampc_program *> programs, const Sources &sources,
                   const Options &options, std::string &error) {
  std::vector<const ampc_tensor *> inputs;
  if (!collectInputs(programs, inputs, error))
    return false;
  auto names = llvm::map_to_vector(inputs, [](auto *input) { return std::string(input->name); });
  for (const Source &source : sources)
    if (!llvm::is_contained(names, source.input)) {
      error = "expected --" + options.option + " of an input (" + llvm::join(names, ", ") +
              "), but got " + source.input + didYouMean(source.input, names);
      return false;
    }
  std::string missing;
  for (const ampc_tensor *input : inputs) {
    bool found = llvm::any_of(sources, [&](auto &source) { return source.input == input->name; });
    bool other = !input->batched && options.fallback && options.fallback->find(input->name);
    if (!found && !other)
      missing += "\n  --" + options.option + " " + input->name + "=FILE   " + describe(*input);
  }
  if (!missing.empty()) {
    error = "expected data for every input, but got none for" + missing;
    return false;
  }
  for (const ampc_tensor *input : inputs) {
    auto source = llvm::find_if(sources, [&](auto &s) { return s.input == input->name; });
    if (source == sources.end())
      fields.push_back(options.fallback->get(input->name));
    else if (!add(*input, *source, options, error))
      return false;
  }
  return true;
}

const Dataset::Field *Dataset::find(llvm::StringRef input) const {
  auto found = llvm::find_if(fields, [&](const Field &f) { return f.source.input == input; });
  return found == fields.end() ? nullptr : &*found;
}

const Dataset::Field &Dataset::get(llvm::StringRef input) const {
  const Field *field = find(input);
  assert(field && "an input of a program that was opened");
  return *field;
}
