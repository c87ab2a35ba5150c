// A step whose intermediate values are readable while the step runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_OBSERVER_H
#define TOOLS_AMPC_OBSERVER_H

#include "ampc/Train/Observe.h"
#include "tools/ampc/Session.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// Compiles a model with every value of a step as an output (ampc/Train/Observe.h).
class Observer {
public:
  ~Observer();
  /// False after a reported failure. An empty `step` selects the only step.
  bool open(CompileRequest request, const ampc_options &options, llvm::StringRef step);
  /// Opens without selecting a step: call `select` before anything but `getSession`.
  bool open(CompileRequest request, const ampc_options &options);
  /// Selects a training program of the model; numbers of values are per program.
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
  /// Runs a step and shows every computed value once; the data is valid during the call only. A
  /// step without a loss scale whose loss is not finite stops after the loss.
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
  void countKernelsOfEntries();
  void reserve();
  void afterKernel();
  int32_t entriesRun(ampc_status status) const;
  void show(size_t value);

  Session session{SessionOptions::ofCommandLine()};
  std::string step;
  int program = -1;
  std::vector<ObservedValue> allValues; ///< of all steps
  std::vector<ObservedValue> values;
  std::vector<Output> tensors;                ///< a tensor per value
  std::vector<std::vector<size_t>> lastUsers; ///< per entry: values with the last consumer there
  std::vector<int64_t> kernelsUntil;          ///< per entry: kernels that have run at its end
  llvm::StringMap<size_t> numbers;
  std::vector<void *> places;
  Sink *sink = nullptr;
  int32_t entry = 0;
  int64_t kernels = 0; ///< kernels that have run
};

/// Name of the train.step that a training program is of.
std::string stepNameOf(const ampc_model &model, int program);
/// Number of the training program of step `wanted`, or of the only step if `wanted` is empty; -1
/// after a message.
int findStep(const Session &session, llvm::StringRef wanted);
/// Numbers of the training programs of step `wanted`, or of all steps if `wanted` is empty; none
/// after a message.
std::vector<int> findSteps(const Session &session, llvm::StringRef wanted);

/// The elements of a real tensor in f64.
std::vector<double> readReals(const ampc_tensor &tensor, const void *data);
bool isReal(const ampc_tensor &tensor);

/// Copy of a session's state, to restart a step or to start the step in another session.
class Snapshot {
public:
  void take(Session &session);
  /// Slots of other names, and slots that exist in a single precision alone, stay unchanged; reals
  /// are converted.
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

/// Loss scale before the step runs; 1 without loss scaling.
double readLossScale(Session &session, const ampc_program &program);
} // namespace ampc
#endif
