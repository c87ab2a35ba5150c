// ampc eval: loss and metrics of a trained model on data from files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Terminal.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/Evaluation.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/TrainedModel.h"
#include "llvm/Support/Format.h"

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::evalCommand("eval", "loss and metrics of a trained model on data from files");

static TrainedModel model(evalCommand);
static DataOptions dataOptions(evalCommand);
static cl::opt<std::string>
    stepName("step", cl::desc("train.step with the loss to compute (default: the only train.step)"),
             cl::value_desc("NAME"), cl::sub(evalCommand));
static cl::list<std::string> metrics("metrics",
                                     cl::desc("accuracy, perplexity, auc or mean_error of an "
                                              "export's result (default: all metrics that fit)"),
                                     cl::value_desc("LIST"), cl::CommaSeparated,
                                     cl::sub(evalCommand));
static PrecisionOptions precision(evalCommand);

/// Prints a line per score, for people and scripts. Example: "accuracy 0.97".
static void print(llvm::ArrayRef<Score> scores) {
  for (const Score &score : scores) {
    results() << score.name << " ";
    if (score.value)
      results() << llvm::format("%.9g", *score.value) << "\n";
    else
      results() << "undefined\n";
  }
}

int ampc::runEval() {
  auto sources = dataOptions.read();
  if (!sources)
    return fail(llvm::toString(sources.takeError()));
  Session session{SessionOptions::ofCommandLine()};
  if (!model.open(session, precision, *sources, {}, /*evaluates=*/true))
    return 1;
  int step = findStep(session, stepName);
  if (step < 0)
    return 1;
  Dataset data;
  Evaluation evaluation;
  std::string error;
  const ampc_program &program = session.getModel().programs[findEvaluation(session, step)];
  if (!data.open({&program}, *sources, {"data", !dataOptions.allowNonFinite}, error) ||
      !evaluation.open(session, {step}, data, metrics, error))
    return fail(error);
  if (std::string source = evaluation.getSource(); !source.empty())
    note("metrics are of " + source);
  evaluation.noteMixedRows("");
  auto scores = evaluation.run(error);
  if (!scores)
    return fail(error);
  print(*scores);
  return 0;
}
