// Probes of a file's open sizes for an export.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/OpenSizes.h"
#include "ampc/Import/ONNX.h"

using namespace ampc;

bool SizeProbes::add(CompileRequest request, std::vector<int64_t> numbers) {
  for (auto [name, number] : llvm::zip(sizes.names, numbers))
    request.importing.dims[name] = number;
  request.shown = Shown::Errors;
  // A file that cannot be imported with this number is no error of the export.
  if (auto model = importOnnx(request.input, request.importing); !model) {
    llvm::consumeError(model.takeError());
    return false;
  }
  compilers.push_back(std::make_unique<Compiler>());
  modules.push_back(compilers.back()->run(request));
  if (!modules.back())
    return false;
  sizes.probes.push_back({*modules.back(), std::move(numbers)});
  return true;
}

bool SizeProbes::open(const CompileRequest &request, std::vector<std::string> names) {
  sizes.names = std::move(names);
  for (const std::string &name : sizes.names)
    sizes.sizes.push_back(request.importing.dims.at(name));
  for (size_t i = 0; i < sizes.names.size(); ++i) {
    std::vector<int64_t> numbers = sizes.sizes;
    ++numbers[i];
    if (!add(request, std::move(numbers)))
      return false;
  }
  // More than twice the number, so that a half or quarter of the size, rounded, is no constant and
  // no multiple.
  std::vector<int64_t> last;
  for (auto [i, number] : llvm::enumerate(sizes.sizes))
    last.push_back(2 * number + 3 + 2 * int64_t(i));
  return add(request, std::move(last));
}

/// Exports with the dimensions open, or with numbers and the reason for them.
static mlir::FailureOr<OnnxFile> exportWith(mlir::ModuleOp module,
                                            llvm::ArrayRef<NamedArray> weights,
                                            ExportOptions options, const CompileRequest &request,
                                            std::vector<std::string> names) {
  SizeProbes probes;
  bool isOpen = names.empty() || probes.open(request, names);
  if (isOpen && !names.empty())
    options.openSizes = probes.get();
  mlir::FailureOr<OnnxFile> file = exportOnnx(module, weights, options);
  if (mlir::failed(file))
    return file;
  if (!isOpen)
    file->whyFixed = "the file cannot be imported with another number";
  if (file->whyFixed.empty())
    file->openSizes = std::move(names);
  return file;
}

mlir::FailureOr<OnnxFile> ampc::exportWithOpenSizes(mlir::ModuleOp module,
                                                    llvm::ArrayRef<NamedArray> weights,
                                                    const ExportOptions &options,
                                                    const CompileRequest &request) {
  std::vector<std::string> names, open;
  if (isOnnx(request.input))
    for (const auto &[name, number] : request.importing.dims)
      names.push_back(name);
  auto file = exportWith(module, weights, options, request, names);
  if (mlir::failed(file) || file->whyFixed.empty() || names.size() < 2)
    return file;
  std::string reason = file->whyFixed;
  for (const std::string &name : names)
    if (auto alone = exportWith(module, weights, options, request, {name});
        mlir::succeeded(alone) && alone->whyFixed.empty())
      open.push_back(name);
  if (open.empty())
    return file;
  file = exportWith(module, weights, options, request, open);
  if (mlir::succeeded(file) && file->whyFixed.empty())
    file->whyFixed = reason;
  return file;
}
