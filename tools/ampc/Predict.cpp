// ampc predict: runs an export of a trained model on all rows of files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Mapping.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Terminal.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/CommandLine.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/Evaluation.h"
#include "tools/ampc/MixedRows.h"
#include "tools/ampc/PrecisionOptions.h"
#include "tools/ampc/RandomInputs.h"
#include "tools/ampc/RowStates.h"
#include "tools/ampc/TrainedModel.h"
#include "llvm/ADT/StringExtras.h"

using namespace ampc;
namespace cl = llvm::cl;

cl::SubCommand ampc::predictCommand("predict",
                                    "run an export of a trained model on data from files");

static TrainedModel model(predictCommand);
static DataOptions dataOptions(predictCommand);
static cl::opt<std::string> exportName("export",
                                       cl::desc("the export to run (default: the only export)"),
                                       cl::value_desc("NAME"), cl::sub(predictCommand));
static cl::list<std::string>
    output("out", cl::desc("the result, or with several results RESULT=FILE per result"),
           cl::value_desc("FILE.npy"), cl::sub(predictCommand));
static WholeOption<unsigned long long>
    seed("seed", cl::desc("of random ops, which draw new numbers in every batch (default: 0)"),
         cl::init(0), cl::sub(predictCommand));
static CountOption
    wantedRows("rows",
               cl::desc("of an export whose inputs have no rows, such as a sampler: rows to write, "
                        "from as many calls as needed (default: the rows of a call)"),
               cl::value_desc("N"), cl::init(0), cl::sub(predictCommand));
static PrecisionOptions precision(predictCommand);

/// Number of the export, or -1 after an error message.
static int findExport(const Session &session) {
  const ampc_model &tables = session.getModel();
  std::vector<std::string> names;
  for (int i = 0; i < tables.program_count; ++i)
    if (tables.programs[i].kind == AMPC_PROGRAM_EXPORT)
      names.push_back(tables.programs[i].name);
  if (names.empty())
    return fail("expected a model with a train.export, but the model has none"), -1;
  if (exportName.empty() && names.size() > 1)
    return fail("expected --export with one of: " + llvm::join(names, ", ")), -1;
  int found = session.findProgram(AMPC_PROGRAM_EXPORT, exportName);
  if (found < 0)
    fail("expected --export with one of: " + llvm::join(names, ", ") + ", but got " + exportName +
         didYouMean(exportName, names));
  return found;
}

namespace {
/// Calls of the export, and rows of all calls together.
struct Extent {
  uint64_t calls = 1;
  int64_t rows = 0;
  bool generates = false; ///< rows of --rows, which no input has
};

/// File of a result, written batch by batch.
struct Result {
  const ampc_tensor *tensor;
  std::string path;
  NpyWriter file;
  ampc_dtype dtype; ///< type in the file: NumPy lacks bf16

  /// `batch`: rows of a full batch of the export. A batched result has a multiple of them: [2 *
  /// batch, 3] of 5 rows of data is [10, 3].
  bool open(const Extent &extent, int64_t batch, std::string &error) {
    dtype = tensor->dtype == AMPC_BF16 ? AMPC_F32 : ampc_dtype(tensor->dtype);
    std::vector<int64_t> dims(tensor->dims, tensor->dims + tensor->rank);
    if (extent.generates)
      dims[0] = extent.rows;
    else if (tensor->batched)
      dims[0] = rowsPerCall() / batch * extent.rows;
    return file.open(path, dtype, dims, error);
  }
  int64_t rowsPerCall() const { return tensor->rank ? tensor->dims[0] : 1; }
  int64_t elementsOf(int64_t rows) const { return elementCount(*tensor) / rowsPerCall() * rows; }
  bool write(const void *data, int64_t count, std::string &error) {
    std::vector<char> converted(size_t(count * bytesOf(dtype)));
    Converter(elementOf(tensor->dtype), dtype).convert(data, converted.data(), count);
    return file.write(converted.data(), int64_t(converted.size()), error);
  }
};
} // namespace

/// Results with an output path; empty after an error message.
static std::vector<Result> openResults(const ampc_program &program) {
  std::vector<std::string> names, computed; // of all results, and of those that are no states
  for (const ampc_tensor &tensor : llvm::ArrayRef(program.outputs, program.output_count)) {
    names.push_back(tensor.name);
    if (!isRowState(tensor))
      computed.push_back(tensor.name);
  }
  std::vector<Result> results;
  for (llvm::StringRef word : output) {
    auto [name, path] = word.split('=');
    if (path.empty() && computed.size() == 1)
      std::tie(name, path) = std::pair(llvm::StringRef(computed[0]), word);
    auto found = llvm::find(names, name);
    if (found == names.end() || path.empty()) {
      fail("expected --out " +
           (computed.size() == 1 ? std::string("FILE.npy") : "RESULT=FILE.npy") +
           " for a result of the export (" + llvm::join(names, ", ") + "), but got " + shown(word) +
           didYouMean(name, names));
      return {};
    }
    const ampc_tensor *tensor = &program.outputs[found - names.begin()];
    if (llvm::any_of(results, [&](const Result &result) { return result.tensor == tensor; })) {
      fail("expected one --out for each result, but got " + name + " twice");
      return {};
    }
    if (!path.ends_with(".npy")) {
      fail("expected --out of a .npy file, but got " + path);
      return {};
    }
    results.push_back({tensor, path.str(), {}, AMPC_F32});
  }
  return results;
}

/// Elements of the result that a call adds to the file; `valid`: rows of the call's batch.
static int64_t countOf(const Result &result, const ampc_program &program, const Extent &extent,
                       uint64_t call, uint32_t valid) {
  if (extent.generates)
    return result.elementsOf(
        std::min(result.rowsPerCall(), extent.rows - int64_t(call) * result.rowsPerCall()));
  int64_t count = elementCount(*result.tensor);
  return result.tensor->batched ? count / program.batch * valid : count;
}

static bool predict(Session &session, int number, Batches &batches, const Extent &extent,
                    std::vector<Result> &results, std::string &error) {
  const ampc_program &program = session.getModel().programs[number];
  Outputs outputs(program);
  RowStates states(session.getModel(), number, batches);
  states.begin();
  for (uint64_t step = 0; step < extent.calls; ++step) {
    uint32_t valid = batches.fill(extent.generates ? 0 : step);
    if (error = shortenedFile(); !error.empty())
      return false;
    ampc_status status = session.runFunction(number, batches.getInputs(), outputs.get(), valid,
                                             seedOfBatch(seed, step));
    if (status < 0) {
      error = std::string(ampc_rt_status_string(status)) + ": " + session.lastError();
      return false;
    }
    states.pass(outputs.get(), valid);
    for (Result &result : results)
      if (!result.write(outputs.get()[result.tensor - program.outputs],
                        countOf(result, program, extent, step, valid), error))
        return false;
  }
  return llvm::all_of(results, [&](Result &result) { return result.file.close(error); });
}

static int failOnRows(const Session &session, const ampc_program &program, int64_t rows) {
  bool hasSize = llvm::any_of(session.getSizes(),
                              [](llvm::StringRef size) { return size.starts_with("batch ="); });
  std::string number = std::to_string(rows);
  std::string why = program.mixing
                        ? mixerOf(session.getRequest(), program) + " mixes the rows of a batch"
                        : "the export may mix the rows of a batch";
  return fail("expected a multiple of " + llvm::Twine(program.batch) + " rows, since " + why +
              ", but got " + number +
              (hasSize ? "; with --set batch=" + number + " all rows are one batch" : ""));
}

/// Calls that --rows takes; nothing after an error message.
static std::optional<Extent> extentOf(const ampc_program &program, const Batches &batches,
                                      llvm::ArrayRef<Result> results) {
  if (!wantedRows)
    return Extent{batches.getPerEpoch(), batches.getRows(), false};
  if (program.batch)
    return fail("expected --rows for an export without rows in its inputs, but " +
                llvm::Twine(program.name) + " has as many rows as the data"),
           std::nullopt;
  int64_t each = results.front().rowsPerCall();
  for (const Result &result : results)
    if (!result.tensor->rank || result.rowsPerCall() != each)
      return fail("expected results with rows, as many in each, with --rows, but got " +
                  llvm::Twine(result.tensor->name)),
             std::nullopt;
  uint64_t rows = wantedRows;
  return Extent{(rows + uint64_t(each) - 1) / uint64_t(each), int64_t(rows), true};
}

/// "wrote s.npy", and of exports whose inputs have no rows, "wrote s.npy, 32 rows".
static void reportFiles(const ampc_program &program, const Extent &extent,
                        llvm::ArrayRef<Result> results) {
  for (const Result &result : results) {
    messages() << "wrote " << result.path;
    if (!program.batch && result.tensor->rank)
      messages() << ", " << (extent.generates ? extent.rows : result.rowsPerCall()) << " rows";
    messages() << "\n";
  }
}

int ampc::runPredict() {
  if (output.empty())
    return fail("expected --out, the .npy file to write, but got none");
  auto sources = dataOptions.read();
  if (!sources)
    return fail(llvm::toString(sources.takeError()));
  std::vector<std::string> files;
  for (llvm::StringRef word : output)
    files.push_back((word.contains('=') ? word.split('=').second : word).str());
  Session session{SessionOptions::ofCommandLine()};
  if (!model.open(session, precision, *sources, files))
    return 1;
  int number = findExport(session);
  if (number < 0)
    return 1;
  const ampc_program &program = session.getModel().programs[number];
  Dataset data;
  Batches batches;
  std::string error;
  if (!data.open({&program}, *sources, {"data", !dataOptions.allowNonFinite}, error) ||
      !batches.open(program, data, {0, false}, error))
    return fail(error);
  if (batches.getLeftOut())
    return failOnRows(session, program, batches.getRows());
  std::vector<Result> results = openResults(program);
  if (results.empty())
    return 1;
  std::optional<Extent> extent = extentOf(program, batches, results);
  if (!extent)
    return 1;
  for (Result &result : results) {
    if (!result.tensor->batched && batches.getPerEpoch() > 1)
      return fail(
          llvm::Twine("expected a result with a row per row of the data, but got ") +
          result.tensor->name + ", which is computed once per batch" +
          (program.mixing ? ": " + mixerOf(session.getRequest(), program) + " mixes rows" : ""));
    if (!result.open(*extent, program.batch, error))
      return fail(error);
  }
  if (!predict(session, number, batches, *extent, results, error))
    return fail(error);
  if (!isQuiet())
    reportFiles(program, *extent, results);
  return 0;
}
