// A step whose intermediate values can be looked at while it runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_OBSERVER_H
#define TOOLS_AMPC_OBSERVER_H

#include "ampc/Train/Observe.h"
#include "tools/ampc/Session.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// Compiles a model so that every value of one step is an output (ampc/Train/Observe.h).
class Observer {
public:
  ~Observer();
  /// False after a failure, which has been reported. An empty `step` means the only one.
  bool open(CompileRequest request, const ampc_options &options, llvm::StringRef step);
  /// The same without a choice: call `select` before anything but `getSession`.
  bool open(CompileRequest request, const ampc_options &options);
  /// Turns to a training program of the model; numbers of values are per program.
  bool select(int program);

  Session &getSession() { return session; }
  int getProgram() const { return program; }
  const ampc_program &getTables() const { return session.getModel().programs[program]; }
  llvm::StringRef getStep() const { return step; }
  /// In the order of execution.
  llvm::ArrayRef<ObservedValue> getValues() const { return values; }
  const ampc_tensor &getTensor(size_t value) const { return *tensors[value].tensor; }
  /// Number of a value, or -1.
  int find(llvm::StringRef key) const;

  using Sink = llvm::function_ref<void(size_t value, const void *data)>;
  /// Runs a step and shows every value that it computed once; the data is valid during the call
  /// only. A step without a loss scale whose loss is not finite stops after the loss.
  ampc_status run(llvm::ArrayRef<const void *> inputs, ampc_train_out &out, uint32_t valid,
                  Sink sink);

private:
  struct Output {
    const ampc_tensor *tensor = nullptr;
    int32_t number = 0;
    int32_t written = -1, lastUse = -1; ///< entries of the table
    void *memory = nullptr;             ///< reserved; pages come with the first write
    size_t bytes = 0;
  };
  bool findOutputs();
  void release();
  void reserve();
  void afterEntry();
  int32_t entriesRun(ampc_status status) const;
  void show(size_t value);

  Session session;
  std::string step;
  int program = -1;
  std::vector<ObservedValue> allValues; ///< of all steps
  std::vector<ObservedValue> values;
  std::vector<Output> tensors;                ///< one per value
  std::vector<std::vector<size_t>> lastUsers; ///< per entry: values that nothing reads after it
  llvm::StringMap<size_t> numbers;
  std::vector<void *> places;
  Sink *sink = nullptr;
  int32_t entry = 0;
};

/// Name of the train.step that a training program is of.
std::string stepNameOf(const ampc_model &model, int program);
/// Number of the training program of a step, or of the only one if `wanted` is empty; -1 after a
/// message.
int findStep(const Session &session, llvm::StringRef wanted);
/// Numbers of the training programs of one step, or of all if `wanted` is empty; none after a
/// message.
std::vector<int> findSteps(const Session &session, llvm::StringRef wanted);

/// The elements of a real tensor in f64.
std::vector<double> readReals(const ampc_tensor &tensor, const void *data);
bool isReal(const ampc_tensor &tensor);

/// State of one session, to start a step again or to start it in another session.
class Snapshot {
public:
  void take(Session &session);
  /// Slots of other names or of kinds that only one precision has are left alone; reals are
  /// converted.
  void restore(Session &session) const;
  /// A slot's elements at the time; empty if there is none.
  std::vector<double> read(llvm::StringRef slot) const;

private:
  struct Slot {
    ampc_tensor tensor;
    std::vector<char> bytes;
  };
  std::vector<Slot> slots;
  llvm::StringMap<size_t> numbers;
};

/// The scale of a step's loss before it runs; 1 without one.
double readLossScale(Session &session, const ampc_program &program);
} // namespace ampc
#endif
