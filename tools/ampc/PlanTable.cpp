// Table of the work of a compilation's kernels, with times predicted for a machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/PlanTable.h"
#include "ampc/Codegen/Target.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/ProgramCosts.h"
#include "llvm/Support/Format.h"

using namespace ampc;
using namespace llvm;

/// Best tier of the target for which the machine has rates.
static Expected<StringRef> findTier(const ProgramCosts &costs, const cost::Machine &machine) {
  for (const std::string &tier : reverse(costs.getTiers()))
    if (machine.tiers.count(tier))
      return StringRef(tier);
  return mistake("expected figures of tier " + joinWords(costs.getTiers()) +
                 ", but the machine has none");
}

namespace {
/// Sums over the launches of one kernel, or of a program.
struct PlanRow {
  const KernelCost *first = nullptr; ///< the first launch; null for a program
  int64_t launches = 0;
  double flops = 0, predicted = 0, limit = 0;
  int64_t read = 0, written = 0, lines = 0, pages = 0;

  void add(const KernelCost &cost);
  void print(raw_ostream &os) const;
};
} // namespace

void PlanRow::add(const KernelCost &cost) {
  const cost::Work &work = cost.launch->work;
  ++launches;
  flops += work.flops();
  read += work.bytes(false);
  written += work.bytes(true);
  lines += work.lines();
  pages += work.pages();
  predicted += cost.predicted->total;
  limit += cost.predicted->limit;
}

void PlanRow::print(raw_ostream &os) const {
  os << format("%13.0f  %12lld  %12lld  %10lld  %9lld  %9.4f  %9.4f", flops, (long long)read,
               (long long)written, (long long)lines, (long long)pages, 1e-6 * predicted,
               1e-6 * limit);
  if (first) {
    os << "  " << first->launch->name << " " << first->launch->kind << " " << first->launch->form;
    if (launches > 1)
      os << ", " << launches << " times";
  }
  os << "\n";
}

/// One row per kernel, in the order of the first launches: kernels of a loop are launched once per
/// round.
static void printProgram(StringRef name, ArrayRef<KernelCost> costs, raw_ostream &os) {
  os << name << "\n";
  os << "    #  tasks          flops    bytes read       written       lines      pages  predicted "
        " "
        "    limit  kernel\n";
  std::vector<PlanRow> rows;
  PlanRow all;
  for (const KernelCost &cost : costs) {
    unsigned kernel = cost.launch->kernel;
    if (kernel >= rows.size())
      rows.resize(kernel + 1);
    if (!rows[kernel].first)
      rows[kernel].first = &cost;
    rows[kernel].add(cost);
    all.add(cost);
  }
  for (auto [i, row] : enumerate(rows)) {
    os << format("%5zu  %5lld  ", i + 1, (long long)row.first->tasks);
    row.print(os);
  }
  os << "  all         ";
  all.print(os);
}

Error ampc::printPlan(mlir::ModuleOp module, StringRef path, raw_ostream &os) {
  auto machine = readMachine(path);
  if (!machine)
    return machine.takeError();
  ProgramCosts costs;
  costs.read(targetModules(module).front());
  Expected<StringRef> tier = findTier(costs, *machine);
  if (!tier)
    return path.empty() ? tier.takeError() : mistake(path + ": " + toString(tier.takeError()));
  os << "predicted in ms for " << machine->name << ", tier " << *tier
     << ", threads: " << machine->cores << "\n";
  for (const ProgramCosts::Program &program : costs.getPrograms())
    printProgram(program.name,
                 costsOf(program, *costs.findTier(*tier), *tier, &*machine, machine->cores), os);
  return Error::success();
}
