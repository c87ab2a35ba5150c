// Work of a model's kernels, read during compilation, and machines for predictions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/ProgramCosts.h"
#include "ampc/Codegen/Target.h"
#include "ampc/Support/Mistake.h"
#include "ampc/Support/ReadFile.h"
#include <cmath>

using namespace ampc;

void ProgramCosts::watch(CompileRequest &request) {
  request.inspect = [this](llvm::StringRef phase, mlir::ModuleOp module) {
    if (phase == "emit")
      read(module);
  };
}

void ProgramCosts::read(mlir::ModuleOp module) {
  const Target *target = targetOf(module);
  if (!target)
    return;
  for (const TargetTier &tier : target->getTiers())
    tiers.push_back(tier.name.str());
  for (auto program : module.getOps<kernel::ProgramOp>())
    if (!program.is(train::Role::Derive) && !program.is(train::Role::Part))
      programs.push_back({program.getSymName().str(), cost::launchesOf(program)});
}

std::optional<size_t> ProgramCosts::findTier(llvm::StringRef name) const {
  auto it = llvm::find(tiers, name);
  return it == tiers.end() ? std::nullopt : std::optional<size_t>(it - tiers.begin());
}

llvm::Expected<cost::Machine> ampc::readMachine(llvm::StringRef path) {
  if (path.empty())
    return cost::Machine::builtIn();
  auto file = readFile(path);
  if (!file)
    return mistake("cannot read " + path + ": " + file.getError().message());
  auto machine = cost::Machine::parse((*file)->getBuffer());
  if (!machine)
    return mistake(path + ": " + llvm::toString(machine.takeError()));
  return machine;
}

std::vector<KernelCost> ampc::costsOf(const ProgramCosts::Program &program, size_t tier,
                                      llvm::StringRef tierName, const cost::Machine *machine,
                                      int64_t threads) {
  const cost::Rates *rates = machine ? llvm::cantFail(machine->ratesOf(tierName)) : nullptr;
  std::vector<KernelCost> costs;
  for (const cost::Launch &launch : program.launches) {
    KernelCost cost{&launch, launch.tasksIn(tier), std::nullopt};
    if (rates)
      cost.predicted = predict(launch, cost.tasks, *machine, *rates, threads);
    costs.push_back(cost);
  }
  return costs;
}

void KernelCost::addTo(llvm::json::Object &row) const {
  const cost::Work &work = launch->work;
  llvm::json::Object products;
  for (const cost::Product &product : work.products)
    products[product.type] = std::llround(2 * product.multiplyAdds);
  row["kind"] = launch->kind;
  row["shape"] = launch->form;
  row["stage"] = stringifyStage(launch->stage);
  row["tasks"] = tasks;
  row["flops"] = std::llround(work.flops());
  row["product_flops"] = std::move(products);
  row["vector_ops"] = std::llround(work.vectorOps);
  row["slow_ops"] = std::llround(work.slowOps);
  row["functions"] = std::llround(work.functions);
  row["read_bytes"] = work.bytes(false);
  row["written_bytes"] = work.bytes(true);
  row["lines"] = work.lines();
  row["pages"] = work.pages();
  if (!predicted)
    return;
  row["predicted_nanoseconds"] = std::llround(predicted->total);
  row["limit_nanoseconds"] = std::llround(predicted->limit);
}
