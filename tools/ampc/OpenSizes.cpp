// Probes of a file's open sizes for an export.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/OpenSizes.h"
#include "ampc/Import/ONNX.h"

using namespace ampc;

void NumberedSize::set(ImportOptions &options, int64_t other) const {
  if (input.empty())
    options.dims[name] = other;
  else
    options.shapes[input][axis] = other;
}

/// A file that cannot be imported with these numbers is no error of the export.
static bool canImport(const CompileRequest &request) {
  auto model = importOnnx(request.input, request.importing);
  if (!model)
    llvm::consumeError(model.takeError());
  return bool(model);
}

bool SizeProbes::add(CompileRequest request, llvm::ArrayRef<NumberedSize> open,
                     std::vector<int64_t> numbers) {
  for (auto [size, number] : llvm::zip(open, numbers))
    size.set(request.importing, number);
  request.shown = Shown::Errors;
  if (!canImport(request))
    return false;
  compilers.push_back(std::make_unique<Compiler>());
  modules.push_back(compilers.back()->run(request));
  if (!modules.back())
    return false;
  sizes.probes.push_back({*modules.back(), std::move(numbers)});
  return true;
}

bool SizeProbes::open(const CompileRequest &request, llvm::ArrayRef<NumberedSize> open) {
  for (const NumberedSize &size : open) {
    sizes.names.push_back(size.name);
    sizes.sizes.push_back(size.number);
  }
  for (size_t i = 0; i < open.size(); ++i) {
    std::vector<int64_t> numbers = sizes.sizes;
    numbers[i] += open[i].step;
    if (!add(request, open, std::move(numbers)))
      return false;
  }
  // More than twice the number, so that a half or quarter of the size, rounded, is no constant and
  // no multiple.
  std::vector<int64_t> last;
  for (auto [i, size] : llvm::enumerate(open))
    last.push_back(size.number + (size.number / size.step + 3 + 2 * int64_t(i)) * size.step);
  return add(request, open, std::move(last));
}

/// Finds the step of a size: networks that halve an image five times take multiples of 32 alone.
/// False if the file takes no other number.
static bool findStep(CompileRequest request, NumberedSize &size) {
  for (size.step = 1; size.step <= 64; size.step *= 2) {
    size.set(request.importing, size.number + size.step);
    if (canImport(request))
      return true;
  }
  return false;
}

/// Dimensions with a number by --dim, and by --shape those that the file leaves open. The first
/// dimension of a shape has the rows.
static std::vector<NumberedSize> sizesOf(const CompileRequest &request) {
  std::vector<NumberedSize> open;
  if (!isOnnx(request.input))
    return open;
  for (const auto &[name, number] : request.importing.dims) {
    NumberedSize size{name, "", 0, number};
    if (!findStep(request, size))
      size.step = 1; // probes say that the file takes no other number
    open.push_back(size);
  }
  for (const auto &[input, shape] : request.importing.shapes)
    for (size_t axis = 1; axis < shape.size(); ++axis) {
      NumberedSize size{input + "_" + std::to_string(axis), input, axis, shape[axis]};
      if (size.number > 0 && findStep(request, size))
        open.push_back(size);
    }
  return open;
}

/// Exports with the dimensions open, or with numbers and the reason for them.
static mlir::FailureOr<OnnxFile> exportWith(mlir::ModuleOp module,
                                            llvm::ArrayRef<NamedArray> weights,
                                            ExportOptions options, const CompileRequest &request,
                                            llvm::ArrayRef<NumberedSize> open) {
  SizeProbes probes;
  bool isOpen = open.empty() || probes.open(request, open);
  if (isOpen && !open.empty())
    options.openSizes = probes.get();
  mlir::FailureOr<OnnxFile> file = exportOnnx(module, weights, options);
  if (mlir::failed(file))
    return file;
  if (!isOpen)
    file->whyFixed = "the file cannot be imported with another number";
  if (file->whyFixed.empty())
    for (const NumberedSize &size : open)
      file->openSizes.push_back(size.name);
  return file;
}

mlir::FailureOr<OnnxFile> ampc::exportWithOpenSizes(mlir::ModuleOp module,
                                                    llvm::ArrayRef<NamedArray> weights,
                                                    const ExportOptions &options,
                                                    const CompileRequest &request) {
  std::vector<NumberedSize> sizes = sizesOf(request), open;
  auto file = exportWith(module, weights, options, request, sizes);
  if (mlir::failed(file) || file->whyFixed.empty() || sizes.size() < 2)
    return file;
  std::string reasons;
  for (const NumberedSize &size : sizes) {
    auto alone = exportWith(module, weights, options, request, size);
    if (mlir::succeeded(alone) && alone->whyFixed.empty())
      open.push_back(size);
    else if (mlir::succeeded(alone))
      reasons += (reasons.empty() ? "" : ", and for ") + size.name + " " + alone->whyFixed;
  }
  if (!reasons.empty())
    file->whyFixed = "for " + reasons;
  if (open.empty())
    return file;
  std::string reason = file->whyFixed;
  file = exportWith(module, weights, options, request, open);
  if (mlir::succeeded(file) && file->whyFixed.empty())
    file->whyFixed = reason;
  return file;
}
