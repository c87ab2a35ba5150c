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

static void printRow(size_t number, const KernelCost &cost, raw_ostream &os) {
  const cost::Work &work = cost.launch->work;
  os << format("%5zu  %5lld  %13.0f  %12lld  %12lld  %10lld  %9lld  %9.4f  %9.4f  ", number,
               (long long)cost.tasks, work.flops(), (long long)work.bytes(false),
               (long long)work.bytes(true), (long long)work.lines(), (long long)work.pages(),
               1e-6 * cost.predicted->total, 1e-6 * cost.predicted->limit)
     << cost.launch->name << " " << cost.launch->kind << " " << cost.launch->form << "\n";
}

static void printProgram(StringRef name, ArrayRef<KernelCost> costs, raw_ostream &os) {
  os << name << "\n";
  os << "    #  tasks          flops    bytes read       written       lines      pages  predicted "
        " "
        "    limit  kernel\n";
  double flops = 0, total = 0, limit = 0;
  int64_t read = 0, written = 0, lines = 0, pages = 0;
  for (auto [i, cost] : enumerate(costs)) {
    printRow(i + 1, cost, os);
    const cost::Work &work = cost.launch->work;
    flops += work.flops();
    read += work.bytes(false);
    written += work.bytes(true);
    lines += work.lines();
    pages += work.pages();
    total += cost.predicted->total;
    limit += cost.predicted->limit;
  }
  os << format("  all         %13.0f  %12lld  %12lld  %10lld  %9lld  %9.4f  %9.4f\n", flops,
               (long long)read, (long long)written, (long long)lines, (long long)pages,
               1e-6 * total, 1e-6 * limit);
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
