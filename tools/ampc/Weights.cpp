// Parameters and buffers from files of other programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Weights.h"
#include "ampc/Data/Convert.h"
#include "ampc/Import/ONNX.h"
#include "ampc/Support/GradientNames.h"
#include "ampc/Support/Nearest.h"
#include "tools/ampc/Dataset.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace ampc;
using Dims = llvm::ArrayRef<int64_t>;

/// The first 8 names, for a message.
static std::string listOf(llvm::ArrayRef<std::string> names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < 8; ++i)
    text += (i ? ", " : "") + names[i];
  return names.size() > 8 ? text + " and " + std::to_string(names.size() - 8) + " more" : text;
}

/// Hint on layouts of other frameworks: transposed matrices, channels-first filters.
static std::string layoutHint(Dims want, Dims got) {
  if (want.size() == 2 && got.size() == 2 && want[0] == got[1] && want[1] == got[0])
    return "; the tensor looks transposed: products take weights as in x out (docs/layouts.md)";
  if (want.size() == 4 && got.size() == 4 && want[0] == got[0] && want[1] == got[2] &&
      want[2] == got[3] && want[3] == got[1])
    return "; the tensor looks channels-first: filters are out x height x width x in "
           "(docs/layouts.md)";
  return "";
}

static bool copy(Session &session, int slot, const Array &array, std::string &error) {
  const ampc_tensor &tensor = session.getModel().slots[slot].tensor;
  Dims want(tensor.dims, tensor.rank);
  if (want != Dims(array.dims)) {
    error = "expected shape " + shapeText(want) + ", but got " + shapeText(array.dims) +
            layoutHint(want, array.dims);
    return false;
  }
  Converter converter(array.element, ampc_dtype(tensor.dtype));
  int64_t misfit = converter.findMisfit(array.data, array.count(), {});
  if (misfit >= 0) {
    error = "expected " + describe(ampc_dtype(tensor.dtype), Limits()) + ", but got " +
            converter.text(array.data, misfit) + " at element " + std::to_string(misfit);
    return false;
  }
  if (!session.getModel().slots[slot].range) {
    converter.convert(array.data, session.slotData(slot), array.count());
    return true;
  }
  double knob = 0; // of f32 or f64
  converter.convert(array.data, &knob, 1);
  if (ampc_rt_set(session.getState(), slot, &knob, tensor.bytes) == AMPC_OK)
    return true;
  error = llvm::StringRef(session.lastError()).split("': ").second.str();
  return false;
}

std::string ampc::randomFrozen(const Session &session) {
  const ampc_model &model = session.getModel();
  llvm::StringSet<> trained;
  for (const ampc_slot &slot : llvm::ArrayRef(model.slots, model.slot_count))
    if (auto gradient = GradientName::of(slot.tensor.name);
        slot.role == AMPC_ROLE_GRADIENT && gradient)
      trained.insert(gradient->param);
  std::vector<std::string> random;
  for (const ampc_slot &slot : llvm::ArrayRef(model.slots, model.slot_count))
    if (slot.role == AMPC_ROLE_PARAM && slot.init != AMPC_INIT_DATA &&
        slot.init != AMPC_INIT_CONSTANT && !slot.source && !trained.contains(slot.tensor.name))
      random.push_back(slot.tensor.name);
  return listOf(random);
}

bool ampc::loadWeights(Session &session, const std::string &path, std::vector<std::string> &notes,
                       std::string &error) {
  std::vector<std::string> skipped, lacking, names, used;
  auto arrays =
      isOnnx(path) ? readOnnxTensors(path, skipped, error) : readSafetensors(path, skipped, error);
  if (!arrays)
    return false;
  const ampc_model &model = session.getModel();
  for (int s = 0; s < model.slot_count; ++s) {
    const ampc_slot &slot = model.slots[s];
    if (slot.role != AMPC_ROLE_PARAM && slot.role != AMPC_ROLE_BUFFER)
      continue;
    std::string name = slot.tensor.name;
    names.push_back(name);
    auto find = [&](llvm::StringRef wanted) {
      return llvm::find_if(*arrays, [&](auto &array) { return array.name == wanted; });
    };
    auto found = find(name);
    if (found == arrays->end() && slot.source) // a copy takes the values of its source
      found = find(model.slots[slot.source - 1].tensor.name);
    if (found == arrays->end()) {
      lacking.push_back(name);
    } else if (copy(session, s, found->array, error)) {
      used.push_back(name);
    } else {
      error = path + ": tensor '" + name + "': " + error;
      return false;
    }
  }
  for (const NamedArray &array : *arrays)
    if (!llvm::is_contained(used, array.name) && session.findSlot(array.name) < 0)
      skipped.push_back(array.name);
  if (used.empty()) {
    error = path + ": expected tensors of the model (" + listOf(names) + "), but got " +
            (skipped.empty() ? "none" : listOf(skipped) + didYouMean(skipped.front(), names));
    return false;
  }
  std::string from = path + ": read " + std::to_string(used.size()) + " of " +
                     std::to_string(names.size()) + " tensors";
  if (!lacking.empty())
    from += "; initial values are kept for: " + listOf(lacking);
  notes.push_back(from);
  if (!skipped.empty())
    notes.push_back(path + ": not used: " + listOf(skipped) +
                    (lacking.empty() ? "" : didYouMean(skipped.front(), lacking)));
  if (ampc_status status = session.refresh()) {
    error = std::string(ampc_rt_status_string(status)) + ": " + session.lastError();
    return false;
  }
  return true;
}
