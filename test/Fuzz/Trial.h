// A model compiled in one configuration, loaded into this process and run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_TRIAL_H
#define TEST_FUZZ_TRIAL_H

#include "ampc/Package/Loader.h"
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Runtime/Runtime.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>

namespace ampc::fuzz {
/// A tensor that a run gave.
struct Recorded {
  int32_t dtype = AMPC_F32;
  std::vector<int64_t> dims;
  std::string bytes;
};
using Record = std::map<std::string, Recorded>;

/// Names of results that differ by bits, among names of both; all NaNs are equal.
std::vector<std::string> differences(const Record &a, const Record &b);
/// Names of results in which two targets differ too much: f64 by more than `share` of the tensor's
/// largest element, other types by bits.
std::vector<std::string> farDifferences(const Record &a, const Record &b, double share = 1e-6);
/// True of a tensor in f64 that is 0 but for rounding: both are next to nothing, and differ as
/// much.
bool isRoundingAlone(const Recorded &a, const Recorded &b);
/// True if an element, next to nothing beside the largest, has another sign in b: a gradient that
/// cancels. Rules such as lion update by the sign alone.
bool hasCancelled(const Recorded &a, const Recorded &b);
/// First differing elements of two tensors.
std::string firstDifference(const Recorded &a, const Recorded &b);
/// As a safetensors file.
bool writeRecord(const Record &record, llvm::StringRef path);

/// Path in the system's folder for temporary files, unique to a process.
std::string temporaryPath(int process, llvm::StringRef suffix);

/// A module after the phase `until`, or a message.
struct Compiled {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string message;
  std::string text; ///< after the phase `keepTextOf`, with locations
};

/// Modules after phases of one compilation, by phase: begins of other compilations.
using Stages = std::map<std::string, mlir::OwningOpRef<mlir::ModuleOp>>;

/// Phases to run.
struct PhaseRange {
  llvm::StringRef after = "";     ///< the last phase that the model has been through; empty: none
  llvm::StringRef until = "emit"; ///< the last phase to run
  llvm::StringRef keepTextOf = "";
  Stages *stages = nullptr; ///< receives a copy of the module after each phase
};
Compiled compileText(llvm::StringRef text, const CompileOptions &options,
                     mlir::MLIRContext *context, const PhaseRange &range = {});
Compiled compileModule(mlir::OwningOpRef<mlir::ModuleOp> module, const CompileOptions &options,
                       const PhaseRange &range);

/// The last phase up to which two compilations of a model run the same passes with the same
/// options; empty if the first phase differs. From the phase `recompute` on, passes have options
/// that no pipeline prints: such phases count as different.
std::string sharedPhase(const CompileOptions &a, const CompileOptions &b);

/// Whether two modules are equal except for locations. False for equal texts with resources, whose
/// names are made unique when parsed.
bool areSame(mlir::ModuleOp a, mlir::ModuleOp b);

/// Code of a model; states run independently.
class Code {
public:
  static std::unique_ptr<Code> load(mlir::ModuleOp module, CodeLevel level);
  const ampc_model &model() const { return loaded->model(); }

private:
  std::unique_ptr<LoadedModel> loaded;
};

/// Configuration of the calls of a run; defaults are the plain way.
struct Calls {
  uint64_t seed = 1; ///< of the data
  int threads = 1;
  ampc_shares shares = AMPC_SHARES_FIXED;
  int rounds = 3;            ///< steps of every train.step
  int savedAfter = 0;        ///< rounds until the state goes through a file; 0: never
  uint32_t valid = 0;        ///< rows of every batch that count; 0: all
  bool shortBuffers = false; ///< nothing lies behind the rows that count; else NaN
  double lastShare = 1;      ///< of the rows of a batch that count in the last round of steps
  uint64_t stateSeed = 1;    ///< of first values and random numbers
  uint64_t callSeed = 0;     ///< of the random numbers of evaluations and exports; 0: the state's
  bool trains = true;        ///< else evaluations and exports alone
  bool observed = false;
  double nudge = 0;                ///< relative change of real inputs in f64, up and down in turns
  bool detailed = false;           ///< also gradients, and the state around every step
  const Record *initial = nullptr; ///< values of the state instead of the model's own
};
/// Runs all steps, evaluations and exports of a model.
Record runCalls(const Code &code, const Calls &calls);
} // namespace ampc::fuzz
#endif
