// Results of `ampc check --against` as text, JSON and CSV.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_AGAINSTREPORT_H
#define TOOLS_AMPC_AGAINSTREPORT_H

#include "ampc/Runtime/Common.h"
#include "ampc/Train/Observe.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {
struct Deviation {
  double norm = 0;    ///< 2-norm of the difference over that of the reference
  double max = 0;     ///< largest difference over the largest magnitude of the reference
  double largest = 0; ///< largest magnitude of the reference
  /// 2-norm change of the reference after a single rounding of parameters and inputs to the lower
  /// precision, e.g. f32 -> bf16. No step in that precision comes closer than about this.
  double sensitivity = 0;
  /// Largest error under random changes of the size of rounding; 0 if no changes were tried.
  double reached = 0;
  /// The value depends on inputs and constants alone, such as a rotary angle or the sine of an
  /// angle. Both steps get the same inputs, so rounding of inputs excuses no error here.
  bool isWithoutParameters = false;
  /// Norms of single rounds of a value inside loops, in the order of execution.
  std::vector<double> roundNorms;
};

struct StepLoss {
  ampc_status status = AMPC_OK;
  ampc_train_out out = {};
  double exact = 0;
  unsigned skippedBefore = 0; ///< steps in which the loss scale came down first
};

class AgainstReport {
public:
  /// Adds a row per value, in the order of execution.
  void add(const ObservedValue &value, const ampc_tensor &tensor);
  /// A row keeps the largest error of all steps.
  void note(size_t row, unsigned step, const Deviation &deviation);
  void addLoss(const StepLoss &loss) { losses.push_back(loss); }
  void begin(llvm::StringRef precision, llvm::StringRef reference, double tolerance);
  void finish(double unit);
  bool isBad(const Deviation &d) const { return !(d.norm <= allowed(d)); } // also a NaN
  double getTolerance() const { return tolerance; }
  bool passed() const { return firstBad < 0 && !lossBad; }

  void print(llvm::raw_ostream &os, bool byError, bool isRandom) const;
  bool writeJson(const std::string &path, std::string &error) const;
  bool writeCsv(const std::string &path, std::string &error) const;

private:
  struct Row {
    ObservedValue value;
    std::string type;
    unsigned step = 0, firstBad = 0; ///< step of the largest error, first step beyond the tolerance
    Deviation worst;
    int64_t badRound = 0; ///< in step `firstBad`: the first round beyond the tolerance
    std::vector<std::pair<unsigned, Deviation>> errors; ///< by step
  };
  double allowed(const Deviation &deviation) const;
  int64_t firstBadRound(const Deviation &deviation) const;
  void findFirstBad();
  double errorOf(const StepLoss &loss) const;
  void printRow(llvm::raw_ostream &os, const Row &row, int width) const;
  void printLosses(llvm::raw_ostream &os) const;
  void printGradients(llvm::raw_ostream &os) const;
  void printDivergence(llvm::raw_ostream &os) const;
  void printProducers(llvm::raw_ostream &os, const Row &row) const;
  double growthOf(const Row &row, double unit) const;
  const Row *find(llvm::StringRef key) const;
  int nameWidth() const;

  std::vector<Row> rows;
  std::vector<StepLoss> losses;
  std::string precision, reference;
  double tolerance = 0;
  int firstBad = -1;    ///< row
  int worstGrowth = -1; ///< row with the largest ratio of error to the errors of its producers
  double growth = 0;
  bool lossBad = false;
  bool explored = false; ///< random changes were tried
};
} // namespace ampc
#endif
