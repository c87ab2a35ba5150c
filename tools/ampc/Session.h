// A compiled model, loaded into this process, with a state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_SESSION_H
#define TOOLS_AMPC_SESSION_H

#include "ampc/Package/Loader.h"
#include "ampc/Pipelines/Compiler.h"
#include "ampc/Runtime/Runtime.h"
#include "tools/ampc/ModelCache.h"
#include <map>
#include <vector>

namespace ampc {
/// Device, images and messages of a session.
struct SessionOptions {
  const char *device = nullptr; ///< for models without a given device
  DeviceImages images = DeviceImages::Both;
  bool quiet = false; ///< errors only

  /// --device, --gpu-images and --quiet.
  static SessionOptions ofCommandLine();
};

class Session {
public:
  explicit Session(const SessionOptions &options) : options(options) {}
  ~Session();
  /// For ranks other than 0: errors only, and compiled models from the cache that rank 0 has
  /// filled, warnings of which rank 0 has shown.
  void followRankZero() { isFollower = true; }
  /// Compiles the model or takes it from the cache, loads it and creates a state. False after a
  /// failure, which has been reported.
  bool open(const CompileRequest &wantedModel, ampc_options wanted) {
    return build(wantedModel, wanted.device) && create(wanted);
  }
  /// The two parts of open(). `device`: name of a device, or null for the default.
  bool build(const CompileRequest &wantedModel, const char *device);
  bool create(ampc_options wanted);

  const CompileRequest &getRequest() const { return request; }
  /// The sizes that the model declares, as in "depth = 12".
  llvm::ArrayRef<std::string> getSizes() const { return compiled.sizes; }
  /// Empty if the request is observed (CompileRequest::inspect).
  const IgnoredLabels &getIgnoredLabels() const { return labels; }
  const ampc_model &getModel() const { return loaded->model(); }
  ampc_state *getState() { return state; }
  /// Number of the first program of a kind with this C suffix (empty: any), or -1.
  int findProgram(int kind, llvm::StringRef name = "") const;
  /// Number of the slot, or -1.
  int findSlot(llvm::StringRef name) const;
  /// The slot's memory. Of a state on a device it is a copy, which runs and refresh() read before
  /// and which runs write afterwards.
  void *slotData(int slot);
  /// After slots were written.
  ampc_status refresh();
  /// Whether parameters have averages of ema_decay, of the same type.
  bool hasAverages() const;
  /// Exchanges parameters and their averages. A second call restores the state.
  ampc_status swapAverages();
  /// Runs a training program on a pointer per input.
  ampc_status runStep(int program, llvm::ArrayRef<const void *> inputs, ampc_train_out &out,
                      uint32_t valid = 0, uint32_t flags = 0);
  /// Runs a training program with a pointer per output that is no scalar.
  ampc_status runObserved(int program, llvm::ArrayRef<const void *> inputs, ampc_train_out &out,
                          uint32_t valid, llvm::ArrayRef<void *> outputs);
  /// Runs an evaluation or export. `seed`: seed of the random numbers; 0: the state's random
  /// numbers.
  ampc_status runFunction(int program, llvm::ArrayRef<const void *> inputs,
                          llvm::ArrayRef<void *> outputs, uint32_t valid = 0, uint64_t seed = 0);
  /// Undoes the traces of a refused training call: count of runs and position of random numbers.
  ampc_status takeBack(int program);
  /// Hash of all tensors that a checkpoint holds.
  uint64_t hashOfState();
  const char *lastError() const { return ampc_rt_last_error(state); }
  /// Text of the status and of the last error. Errors of files have the file and the reason.
  std::string describe(ampc_status status) const;

private:
  ampc_status run(llvm::function_ref<ampc_status()> program);
  ampc_status writeCopies();
  ampc_status readCopies();

  bool compile(const CompileRequest &request, const char *device, ModelCache::Pick pick);

  const SessionOptions options;
  bool isFollower = false;
  CompileRequest request;
  std::unique_ptr<Compiler> compiler; ///< null if the cache had the model
  CompiledModel compiled;
  IgnoredLabels labels;
  std::map<int, std::vector<uint64_t>> copies; ///< of slots on a device
  std::unique_ptr<LoadedModel> loaded;
  std::string noGpu; ///< why the state does not run on a GPU that the model was compiled for
  ampc_state *state = nullptr;
};

/// Elements of a tensor of the tables.
int64_t elementCount(const ampc_tensor &tensor);
} // namespace ampc
#endif
