// Bytes of a state by purpose: the runtime of the packaged model gives the total.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/StateBytes.h"
#include "ampc/Package/Loader.h"
#include "ampc/Runtime/Runtime.h"
#include "tools/ampc/Commands.h"
#include "llvm/Support/Format.h"

using namespace ampc;
using llvm::ArrayRef;

static int64_t tensorBytes(const ampc_model &model) {
  int64_t end = 0;
  for (const ampc_slot &slot : ArrayRef(model.slots, model.slot_count))
    if (slot.role != AMPC_ROLE_GRADIENT)
      end = std::max<int64_t>(end, slot.offset + slot.tensor.bytes);
  return end;
}

/// Bytes of NAME_state_bytes with this number of threads.
static int64_t stateBytes(const ampc_model &model, int threads) {
  ampc_options options = {};
  options.size = sizeof options;
  options.threads = threads;
  return int64_t(ampc_rt_state_bytes(&model, &options));
}

static void printRow(const llvm::Twine &name, int64_t bytes) {
  results() << llvm::format("  %-26s %14lld\n", name.str().c_str(), (long long)bytes);
}

llvm::Error ampc::printStateBytes(const PackagedModel &package) {
  auto loaded = LoadedModel::load(package);
  if (!loaded)
    return loaded.takeError();
  const ampc_model &model = (*loaded)->model();
  int64_t total = stateBytes(model, 1), ofThread = stateBytes(model, 2) - total;
  results() << package.name << "_state_bytes with options.threads = 1\n";
  if (!model.device && !model.next) { // else the largest of several targets
    int64_t tensors = tensorBytes(model);
    printRow("tensors, no gradients", tensors);
    printRow("arena", model.arena_bytes);
    printRow("scratch of the thread", ofThread);
    printRow("calls and checkpoints", total - tensors - model.arena_bytes - ofThread);
  }
  printRow("total", total);
  printRow("each further thread", ofThread);
  return llvm::Error::success();
}
